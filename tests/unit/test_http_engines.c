// SPDX-License-Identifier: Apache-2.0
//
// Sandboxed engines over HTTP: tried on the I/O thread, moved to a worker when
// they take longer, and never in the way of others, whatever they do.
// MICA_TEST_ENGINES names a folder with the engine "misbehave".
#include "http_host.h"

#include "platform/clock.h"
#include "sandbox/engine_catalog.h"
#include "sandbox/sandbox.h"

static void
start_engines(unsigned workers)
{
    struct mica_server_options options = {.name = "test", .version = "1"};
    const char *folder = getenv("MICA_TEST_ENGINES");

    ck_assert_msg(folder != NULL, "MICA_TEST_ENGINES is not set");
    ck_assert_int_eq(mica_server_open(&options, &host.error, &host.server),
                     MICA_OK);
    ck_assert_msg(mica_server_load_engine(host.server, folder, "misbehave",
                                          &host.error) == MICA_OK,
                  "%s", host.error.message);
    start_server((struct mica_http_options){.quiet = true, .workers = workers});
}

static void
ask_misbehave(int fd, const char *act)
{
    char arguments[64];

    (void)snprintf(arguments, sizeof arguments,
                   "{\"act\":\"%s\",\"number\":%d}", act,
                   strcmp(act, "behave") == 0 ? 41 : 0);
    ask_tool(fd, "1", "misbehave", arguments);
}

static const struct {
    const char *act, *code;
} acts[] = {
    {"trap", "EXECUTION_ERROR"},        {"divide", "EXECUTION_ERROR"},
    {"wild-read", "EXECUTION_ERROR"},   {"wild-write", "EXECUTION_ERROR"},
    {"wild-call", "EXECUTION_ERROR"},   {"deep-locals", "EXECUTION_ERROR"},
    {"deep-memory", "EXECUTION_ERROR"}, {"endless-loop", "TIMEOUT"},
    {"endless-calls", "TIMEOUT"},       {"greedy", "LIMIT_EXCEEDED"},
    {"verbose", "LIMIT_EXCEEDED"},
};

START_TEST(an_engine_that_misbehaves_ends_its_own_call_only)
{
    static struct response r;

    start_engines(2);
    int fd = dial();
    for (size_t i = 0; i < MICA_COUNT(acts); i++) {
        ask_misbehave(fd, acts[i].act);
        ck_assert(hear(fd, &r));
        ck_assert_uint_eq(r.status, 200);
        ck_assert_ptr_nonnull(strstr(r.body, "\"isError\":true"));
        ck_assert_msg(strstr(r.body, acts[i].code) != NULL, "%s: %s",
                      acts[i].act, r.body);
        ask_misbehave(fd, "behave"); // the same connection and thread
        ck_assert(hear(fd, &r));
        ck_assert_ptr_nonnull(strstr(r.body, "\"number\":42"));
    }
    close(fd);
    stop();
}
END_TEST

// ---- Under load ------------------------------------------------------------------------

static atomic_bool over;
static atomic_int wrong, misbehaved, behaved;

// Keeps one connection busy with every way to misbehave.
static void *
misbehave(void *data)
{
    struct response *r = calloc(1, sizeof *r);
    size_t at = *(const size_t *)data;
    int fd = dial();

    for (; !atomic_load(&over); at++) {
        const char *code = acts[at % MICA_COUNT(acts)].code;
        ask_misbehave(fd, acts[at % MICA_COUNT(acts)].act);
        if (!hear(fd, r) || (strstr(r->body, code) == NULL && r->status != 503))
            atomic_fetch_add(&wrong, 1);
        atomic_fetch_add(&misbehaved, 1);
    }
    close(fd);
    free(r);
    return NULL;
}

static void *
behave(void *data)
{
    struct response *r = calloc(1, sizeof *r);
    int fd = dial();

    (void)data;
    while (!atomic_load(&over)) {
        ask_misbehave(fd, "behave");
        if (!hear(fd, r) || strstr(r->body, "\"number\":42") == NULL)
            atomic_fetch_add(&wrong, 1);
        atomic_fetch_add(&behaved, 1);
    }
    close(fd);
    free(r);
    return NULL;
}

static int
by_size(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return a < b ? -1 : a > b ? 1 : 0;
}

START_TEST(others_and_health_are_answered_while_engines_misbehave)
{
    enum {
        BAD = 6,
        GOOD = 2,
        LOOKS = 40,
        WORKERS = 2
    };
    static struct response r;
    static size_t starts[BAD];
    pthread_t threads[BAD + GOOD];
    uint64_t took[LOOKS];

    start_engines(WORKERS);
    for (size_t i = 0; i < BAD; i++) {
        starts[i] = i * 2;
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, misbehave, &starts[i]), 0);
    }
    for (int i = 0; i < GOOD; i++)
        ck_assert_int_eq(pthread_create(&threads[BAD + i], NULL, behave, NULL),
                         0);
    for (int i = 0; i < LOOKS; i++) {
        uint64_t before = mica_clock_ns();
        once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
        ck_assert_uint_eq(r.status, 200);
        took[i] = mica_clock_ns() - before;
        unit_sleep(25);
    }
    atomic_store(&over, true);
    for (int i = 0; i < BAD + GOOD; i++)
        pthread_join(threads[i], NULL);
    stop();
    ck_assert_int_eq(atomic_load(&wrong), 0);
    ck_assert_int_gt(atomic_load(&misbehaved), 0);
    ck_assert_int_gt(atomic_load(&behaved), 0);
    // Far below what the endless ones would take. Half of them: any one may meet a moment
    // in which a busy machine does something else.
    qsort(took, LOOKS, sizeof took[0], by_size);
    ck_assert_uint_lt(took[LOOKS / 2] / 1000000, 2000);
}
END_TEST

START_TEST(a_client_that_goes_stops_its_engine)
{
    struct mica_sandbox_counters before;

    start_engines(1);
    before = mica_sandbox_counters();
    for (int i = 0; i < 20; i++) {
        int fd = dial();
        ask_misbehave(fd, "endless-loop");
        unit_sleep(10);
        close(fd);
    }
    UNIT_AWAIT(mica_sandbox_counters().cancelled > before.cancelled);
    stop();
}
END_TEST

UNIT_MAIN("http_engines", an_engine_that_misbehaves_ends_its_own_call_only,
          others_and_health_are_answered_while_engines_misbehave,
          a_client_that_goes_stops_its_engine)
