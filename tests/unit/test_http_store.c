// SPDX-License-Identifier: Apache-2.0
//
// A store that others hold: writes wait for them, and nothing else does.
#include <mica/tool.h>

#include "http_session.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "store_latch.h"

// What came on a stream.
static struct heard stream;

// ---- A holder of the store ------------------------------------------------------

static struct {
    pthread_t thread;
    atomic_int holds;
    atomic_bool released;
} other;

// As an operation would that takes its time.
static void *
hold_it(void *user)
{
    struct mica_sqlite *sqlite = store->self;
    struct mica_error error;

    UNIT_MUST(mica_sqlite_run(sqlite, "BEGIN IMMEDIATE", "hold", &error) ==
                  MICA_OK,
              "%s", error.message);
    atomic_store(&other.holds, 1);
    while (!atomic_load(&other.released))
        unit_sleep(2);
    mica_sqlite_undo(sqlite);
    return user;
}

static void
hold_store(void)
{
    atomic_store(&other.holds, 0);
    atomic_store(&other.released, false);
    ck_assert_int_eq(pthread_create(&other.thread, NULL, hold_it, NULL), 0);
    fixture_await(&other.holds, 1);
}

static void
release_store(void)
{
    atomic_store(&other.released, true);
    pthread_join(other.thread, NULL);
}

// Nothing comes on the connection for a while.
static bool
is_silent(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    return poll(&wait, 1, 300) == 0;
}

// A request that does not need the store is served, while others hold that. A busy machine
// may take its time.
static void
others_are_served(void)
{
    static struct response r;
    int fd = dial();

    say(fd, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    close(fd);
}

// ---- Tasks -----------------------------------------------------------------------------

struct sure {
    bool yes;
};
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Is it so?"));

static enum mica_status
confirm(struct mica_call *call, const struct mica_nothing *in,
        struct mica_nothing *out)
{
    struct sure sure;
    const struct mica_ask one[] = {
        {.form = MICA_FORM(sure, &sure), .message = MICA_LITERAL("Sure?")}};

    (void)in;
    (void)out;
    MICA_TRY(mica_ask_all(call, one, 1));
    mica_add_text(call, MICA_LITERAL("confirmed"), NULL);
    return MICA_OK;
}
MICA_TOOL(confirm, mica_nothing, mica_nothing, confirm, .description = "Asks.");
MICA_TOOL(job, mica_nothing, mica_nothing, confirm,
          .description = "Asks, as a task.", .task = MICA_TASK_REQUIRED);

static void
start_asking(void)
{
    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(mica_server_add_tool(host.server, &mica_tool_confirm, NULL,
                                          &host.error),
                     MICA_OK);
    ck_assert_int_eq(
        mica_server_add_tool(host.server, &mica_tool_job, NULL, &host.error),
        MICA_OK);
    start_shared_with((struct mica_http_options){.workers = 2},
                      "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                      "\"params\":{\"protocolVersion\":\"2025-11-25\","
                      "\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{"
                      "\"name\":\"c\",\"version\":\"1\"}}}");
}

static void
stop_asking(void)
{
    stop();
    remove_shared();
}

// A request of a client that knows tasks, about `name`.
static int
send_stateless(const char *method, const char *name, const char *params)
{
    char body[2048], head[512];

    (void)snprintf(
        body, sizeof body,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s,"
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},"
        "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}}}",
        method, params);
    (void)snprintf(head, sizeof head,
                   "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n"
                   "Mcp-Name: %s\r\n",
                   method, name);
    return ask("POST", "/mcp", NULL, head, body);
}

static struct response heard;
static char task[MICA_CALL_ID_SIZE];

static int
about_task(const char *method, const char *more)
{
    char params[512];

    (void)snprintf(params, sizeof params, "\"taskId\":\"%s\"%s", task, more);
    return send_stateless(method, task, params);
}

static void
hear_result(int fd)
{
    ck_assert(hear(fd, &heard));
    ck_assert_uint_eq(heard.status, 200);
    ck_assert_ptr_nonnull(strstr(heard.body, "\"result\""));
    close(fd);
}

static void
await_state(const char *state)
{
    UNIT_AWAIT_MSG((hear_result(about_task("tasks/get", "")),
                    strstr(heard.body, state) != NULL),
                   "never %s: %s", state, heard.body);
}

// A task that waits for its client.
static void
begin_task(void)
{
    const char *at;

    hear_result(send_stateless("tools/call", "job", "\"name\":\"job\""));
    at = strstr(heard.body, "\"taskId\":\"");
    ck_assert_ptr_nonnull(at);
    (void)snprintf(task, sizeof task, "%.22s", at + 10);
    await_state("input_required");
}

START_TEST(requests_about_a_task_wait_for_the_store_by_themselves)
{
    start_asking();
    begin_task();
    hold_store();
    int update =
        about_task("tasks/update", ",\"inputResponses\":{\"other\":{}}");
    int cancel = about_task("tasks/cancel", "");
    ck_assert(is_silent(update));
    others_are_served();
    ck_assert(is_silent(cancel));
    release_store();
    hear_result(update);
    hear_result(cancel);
    await_state("cancelled");
    stop_asking();
}
END_TEST

// The same over REST: how it is, an answer, and giving it up.
START_TEST(requests_of_rest_about_a_call_wait_for_the_store_by_themselves)
{
    char path[64];

    start_asking();
    begin_task();
    (void)snprintf(path, sizeof path, "/api/calls/%s", task);
    hold_store();
    int answer = ask("POST", path, NULL, "", "{\"other\":{}}");
    ck_assert(is_silent(answer));
    others_are_served();
    int cancel = ask("DELETE", path, NULL, "", "");
    ck_assert(is_silent(cancel));
    others_are_served();
    release_store();
    ck_assert(hear(answer, &heard));
    ck_assert(hear(cancel, &heard));
    ck_assert_uint_eq(heard.status / 100, 2);
    close(answer);
    close(cancel);
    await_state("cancelled");
    stop_asking();
}
END_TEST

// A task that another process has begun.
static void
keep_task(const char *id, const struct mica_store_options *options)
{
    struct mica_kept_call call = {.id = mica_text(id),
                                  .mode = MICA_CALL_TASK,
                                  .target = MICA_LITERAL("job"),
                                  .version = MICA_LITERAL("1"),
                                  .arguments = MICA_LITERAL("{}"),
                                  .context = MICA_LITERAL("{}"),
                                  .created = now(),
                                  .state = MICA_CALL_WORKING,
                                  .due = INT64_MAX,
                                  .expires = now() + 60000};
    struct mica_arena arena;

    mica_store_close(&store);
    ck_assert_int_eq(mica_store_open(store_spec, options, &host.error, &store),
                     MICA_OK);
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_store_call_create(store, &call,
                                            (struct mica_text){NULL, 0}, now(),
                                            60000, &arena, &host.error),
                     MICA_OK);
    mica_arena_fini(&arena);
}

#define FOLLOWED "AAAAAAAAAAAAAAAAAAAAAA"

// Three changes at once; with room for one in the feed, two are lost.
static void
change_task(const struct mica_store_options *options)
{
    char sql[1024];

    (void)snprintf(
        sql, sizeof sql,
        "BEGIN IMMEDIATE;"
        "INSERT INTO changes (sequence, created, kind, name)"
        " SELECT coalesce(max(sequence), 0) + 1 + n.column1, %lld, %d, '%s'"
        " FROM (VALUES (0), (1), (2)) AS n LEFT JOIN changes"
        " GROUP BY n.column1;"
        "DELETE FROM changes WHERE sequence <="
        " (SELECT max(sequence) FROM changes) - %d;"
        "COMMIT",
        (long long)now(), (int)MICA_CHANGE_TASK, FOLLOWED,
        options != NULL ? (int)options->changes : 100);
    ck_assert_int_eq(mica_sqlite_run(store->self, sql, "change", &host.error),
                     MICA_OK);
}

// A server without sessions, and a client that follows a task of another process.
static int
follow(const struct mica_store_options *options, bool lazy)
{
    int fd;

    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(
        mica_server_add_tool(host.server, &mica_tool_job, NULL, &host.error),
        MICA_OK);
    start_shared_with(
        (struct mica_http_options){.sessions_off = true, .store_lazy = lazy},
        NULL);
    keep_task(FOLLOWED, options);
    fd = send_stateless("subscriptions/listen", FOLLOWED,
                        "\"notifications\":{\"taskIds\":[\"" FOLLOWED "\"]}");
    ck_assert(hears(fd, &stream, "subscriptions/acknowledged"));
    change_task(options);
    return fd;
}

START_TEST(what_another_process_makes_of_a_task_is_told)
{
    int fd = follow(NULL, false);

    ck_assert(hears(fd, &stream, "notifications/tasks"));
    ck_assert(hears(fd, &stream, "\"status\":\"working\""));
    close(fd);
    stop();
    remove_shared();
}
END_TEST

// The first request that needs the store is the one that follows. The I/O thread, which
// begins its stream, does not look for the end of the feed.
START_TEST(a_store_that_opens_late_is_followed_from_the_store_thread)
{
    int fd = follow(NULL, true);

    ck_assert(hears(fd, &stream, "notifications/tasks"));
    ck_assert_uint_eq(store_latch_serving(), 0);
    close(fd);
    stop();
    remove_shared();
}
END_TEST

// It has lost what was said of its task, and has to ask again.
START_TEST(who_follows_a_task_and_missed_something_is_let_go)
{
    int fd = follow(&(struct mica_store_options){.changes = 1}, false);

    ck_assert(ends(fd, &stream));
    ck_assert_ptr_null(strstr(stream.text, "notifications/tasks"));
    stop();
    remove_shared();
}
END_TEST

// ---- Answers ---------------------------------------------------------------------------

// Calls a tool that asks, and gives the answer to its question.
static int
call_and_answer(int *answer_out)
{
    int fd = ask("POST", "/mcp", session, "", CALL("confirm"));
    char body[256];
    const char *at;

    ck_assert(hears(fd, &stream, "\"method\":\"elicitation/create\""));
    at = strstr(stream.text, "{\"jsonrpc\":\"2.0\",\"id\":\"");
    ck_assert_ptr_nonnull(at);
    (void)snprintf(body, sizeof body,
                   "{\"jsonrpc\":\"2.0\",\"id\":\"%.*s\",\"result\":{"
                   "\"action\":\"accept\",\"content\":{\"yes\":true}}}",
                   (int)strcspn(at + 23, "\""), at + 23);
    hold_store();
    *answer_out = ask("POST", "/mcp", session, "", body);
    return fd;
}

// What was acknowledged is not asked again, though the process dies.
START_TEST(an_answer_is_acknowledged_when_it_is_kept)
{
    int fd, answer;

    start_asking();
    fd = call_and_answer(&answer);
    ck_assert(is_silent(answer));
    others_are_served();
    release_store();
    ck_assert(hear(answer, &heard));
    ck_assert_uint_eq(heard.status, 202);
    close(answer);
    ck_assert(hears(fd, &stream, "confirmed"));
    ck_assert(ends(fd, &stream));
    stop_asking();
}
END_TEST

START_TEST(a_call_that_waits_is_cancelled_without_others_waiting)
{
    int fd = -1, cancel;

    start_asking();
    fd = ask("POST", "/mcp", session, "", CALL("confirm"));
    ck_assert(hears(fd, &stream, "\"method\":\"elicitation/create\""));
    hold_store();
    cancel = ask("POST", "/mcp", session, "",
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                 "cancelled\",\"params\":{\"requestId\":7}}");
    ck_assert(is_silent(cancel));
    others_are_served();
    release_store();
    ck_assert(hear(cancel, &heard));
    ck_assert_uint_eq(heard.status, 202);
    close(cancel);
    ck_assert(ends(fd, &stream));
    ck_assert_ptr_null(strstr(stream.text, "confirmed"));
    stop_asking();
}
END_TEST

// An answer that could not be kept has to be sent again.
START_TEST(an_answer_that_is_not_kept_when_the_server_ends_is_refused)
{
    int fd, answer;

    start_asking();
    fd = call_and_answer(&answer);
    ck_assert(is_silent(answer));
    signal_end();
    unit_sleep(100);
    signal_end();
    ck_assert(hear(answer, &heard));
    ck_assert_uint_eq(heard.status, 503);
    release_store();
    close(answer);
    close(fd);
    await_end();
    remove_shared();
}
END_TEST

UNIT_MAIN("http store", requests_about_a_task_wait_for_the_store_by_themselves,
          requests_of_rest_about_a_call_wait_for_the_store_by_themselves,
          what_another_process_makes_of_a_task_is_told,
          a_store_that_opens_late_is_followed_from_the_store_thread,
          who_follows_a_task_and_missed_something_is_let_go,
          an_answer_is_acknowledged_when_it_is_kept,
          a_call_that_waits_is_cancelled_without_others_waiting,
          an_answer_that_is_not_kept_when_the_server_ends_is_refused)
