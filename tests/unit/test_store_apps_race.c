// SPDX-License-Identifier: Apache-2.0
//
// Published apps, with many at once: threads of one process and processes of one file that want
// the same slug or revision, a process that is killed while it republishes, and one that sees
// what another has changed.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "store/store_apps.h"
#include "test_store.h"

enum {
    CREATORS = 16,
    KILLS = 24
};

// Many wait for each other here, also on a slow machine; and a fast one publishes often.
static const struct mica_store_options options = {.busy_ms = UNIT_PATIENCE_MS,
                                                  .app_widgets = 1000000};

static struct mica_store *
open_store(const char *backend)
{
    struct mica_store *store;

    MUST(mica_store_open(store_spec(backend, "mica.db"), &options, &error,
                         &store));
    return store;
}

static void
end_race(struct mica_store *store)
{
    store_must_be_sound(store);
    mica_store_close(&store);
    store_remove_folder();
}

static enum mica_status
create_app(struct mica_store *store, unsigned number, struct mica_error *why,
           struct mica_store_app_outcome *outcome_out)
{
    const struct mica_store_app_content content = {.draft = MICA_LITERAL("{}")};
    char id[16], owner[16];

    (void)snprintf(id, sizeof id, "id%u", number);
    (void)snprintf(owner, sizeof owner, "owner%u", number % 3);
    return mica_store_app_create(store, mica_text(id), MICA_LITERAL("race"),
                                 mica_text(owner), &content, 1, why,
                                 outcome_out);
}

// ---- A slug ----------------------------------------------------------------------

// Each slug from race to race-16 was given once, and finds its app.
static void
all_slugs_were_given(struct mica_store *store)
{
    bool seen[CREATORS] = {false};
    struct mica_arena arena;

    mica_arena_init(&arena, 1 << 20);
    for (unsigned i = 1; i <= CREATORS; i++) {
        struct mica_store_app app;
        char slug[16] = "race";
        unsigned number;
        if (i > 1)
            (void)snprintf(slug, sizeof slug, "race-%u", i);
        MUST(mica_store_app_find(store, mica_text(slug), &arena, &error, &app));
        UNIT_TEXT_EQ(app.slug, slug);
        number = (unsigned)strtoul(app.id.ptr + 2, NULL, 10);
        ck_assert_uint_lt(number, CREATORS);
        ck_assert(!seen[number]);
        seen[number] = true;
    }
    ck_assert_int_eq(store_count(store).apps, CREATORS);
    mica_arena_fini(&arena);
}

struct racer {
    struct mica_store *store;
    pthread_barrier_t *barrier;
    unsigned number;
    enum mica_status status;
    struct mica_store_app_outcome outcome;
};

static void *
race_for_slug(void *user)
{
    struct racer *racer = user;
    struct mica_error why;

    (void)pthread_barrier_wait(racer->barrier);
    racer->status =
        create_app(racer->store, racer->number, &why, &racer->outcome);
    return NULL;
}

static void *
race_for_revision(void *user)
{
    struct racer *racer = user;
    const struct mica_store_app_target target = {
        .id = MICA_LITERAL("id0"), .revision = 1, .now = 2};
    char draft[16];
    const struct mica_store_app_content content = {.draft = {draft, 2}};
    struct mica_error why;

    (void)snprintf(draft, sizeof draft, "%02u", racer->number);
    (void)pthread_barrier_wait(racer->barrier);
    racer->status = mica_store_app_edit(racer->store, &target, &content, &why,
                                        &racer->outcome);
    return NULL;
}

static void
run_threads(struct mica_store *store, void *(*run)(void *),
            struct racer racers[CREATORS])
{
    pthread_t threads[CREATORS];
    pthread_barrier_t barrier;

    ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, CREATORS), 0);
    for (unsigned i = 0; i < CREATORS; i++) {
        racers[i] =
            (struct racer){.store = store, .barrier = &barrier, .number = i};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run, &racers[i]), 0);
    }
    for (unsigned i = 0; i < CREATORS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&barrier);
}

static void
threads_want_a_slug(const char *backend)
{
    struct mica_store *store = open_store(backend);
    struct racer racers[CREATORS];

    run_threads(store, race_for_slug, racers);
    for (unsigned i = 0; i < CREATORS; i++)
        ck_assert_int_eq(racers[i].status, MICA_OK);
    all_slugs_were_given(store);
    end_race(store);
}

START_TEST(sixteen_threads_want_one_slug)
{
    threads_want_a_slug("memory");
    threads_want_a_slug("sqlite");
}
END_TEST

START_TEST(one_of_sixteen_edits_of_a_revision_is_done)
{
    struct mica_store *store = open_store("sqlite");
    struct mica_store_app_outcome outcome;
    struct racer racers[CREATORS];
    struct mica_arena arena;
    struct mica_store_app app;
    unsigned done = 0;
    char draft[16];

    mica_arena_init(&arena, 1 << 20);
    MUST(create_app(store, 0, &error, &outcome));
    run_threads(store, race_for_revision, racers);
    MUST(mica_store_app_read(store, MICA_LITERAL("id0"), &arena, &error, &app));
    ck_assert_int_eq(app.revision, 2);
    for (unsigned i = 0; i < CREATORS; i++) {
        ck_assert_int_eq(racers[i].outcome.revision, 2);
        if (racers[i].status != MICA_OK) {
            ck_assert_int_eq(racers[i].status, MICA_E_REVISION);
            continue;
        }
        (void)snprintf(draft, sizeof draft, "%02u", i);
        UNIT_TEXT_EQ(app.draft, draft);
        done++;
    }
    ck_assert_uint_eq(done, 1);
    mica_arena_fini(&arena);
    end_race(store);
}
END_TEST

// ---- Processes -------------------------------------------------------------------

// A process that opens the store by itself, and begins when `go` is closed.
static pid_t
start_process(int (*run)(struct mica_store *store, unsigned number),
              unsigned number, const int go[2])
{
    pid_t child = fork();
    struct mica_store *store;
    struct mica_error why;
    char byte;

    ck_assert_int_ge(child, 0);
    if (child > 0)
        return child;
    if (mica_store_open(store_spec("sqlite", "mica.db"), &options, &why,
                        &store) != MICA_OK)
        _exit(2);
    if (go != NULL) {
        (void)close(go[1]);
        if (read(go[0], &byte, 1) != 0)
            _exit(3);
    }
    int code = run(store, number);
    mica_store_close(&store);
    _exit(code);
}

static void
await_process(pid_t child)
{
    int status;

    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x",
                  (unsigned)status);
}

static int
create_in_process(struct mica_store *store, unsigned number)
{
    struct mica_store_app_outcome outcome;
    struct mica_error why;

    return create_app(store, number, &why, &outcome) == MICA_OK ? 0 : 4;
}

START_TEST(sixteen_processes_want_one_slug)
{
    pid_t children[CREATORS];
    struct mica_store *store;
    int go[2];

    (void)store_file(""); // the folder, before there are processes
    ck_assert_int_eq(pipe(go), 0);
    for (unsigned i = 0; i < CREATORS; i++)
        children[i] = start_process(create_in_process, i, go);
    (void)close(go[1]);
    for (unsigned i = 0; i < CREATORS; i++)
        await_process(children[i]);
    (void)close(go[0]);
    store = open_store("sqlite");
    all_slugs_were_given(store);
    end_race(store);
}
END_TEST

// ---- A kill ----------------------------------------------------------------------

static int
    confirmed; // a pipe: the number of each version, once it is published

static enum mica_status
publish_number(struct mica_store *store, int64_t number, struct mica_error *why,
               struct mica_store_app_outcome *outcome_out)
{
    static char html[40000];
    const struct mica_store_app_target target = {.id = MICA_LITERAL("id0"),
                                                 .now = number};
    char text[32], hash[32];
    const int length =
        snprintf(html, sizeof html, "html %lld ", (long long)number);

    memset(html + length, 'w', sizeof html - (size_t)length);
    (void)snprintf(text, sizeof text, "text %lld", (long long)number);
    (void)snprintf(hash, sizeof hash, "%lld", (long long)number);
    return mica_store_app_publish(
        store, &target,
        &(struct mica_store_app_release){.text = mica_text(text),
                                         .widget = mica_text(hash),
                                         .html = {html, sizeof html}},
        why, outcome_out);
}

// Publishes until it is killed.
static int
republish(struct mica_store *store, unsigned number)
{
    struct mica_store_app_outcome outcome;
    struct mica_error why;

    for (int64_t next = number + 1;; next++) {
        if (publish_number(store, next, &why, &outcome) != MICA_OK ||
            outcome.publish_version != next ||
            write(confirmed, &next, sizeof next) != sizeof next)
            return 5;
    }
}

// The version that is served is a whole one: its text, time, widget and number belong together.
static int64_t
must_serve_whole(struct mica_store *store, struct mica_arena *arena)
{
    struct mica_store_published_app app;
    struct mica_text html;
    char text[32];

    MUST(mica_store_app_published(store, MICA_LITERAL("race"), arena, &error,
                                  &app));
    (void)snprintf(text, sizeof text, "text %lld",
                   (long long)app.version.version);
    UNIT_TEXT_EQ(app.version.text, text);
    ck_assert_int_eq(app.version.published_at, app.version.version);
    MUST(mica_store_app_widget(store, MICA_LITERAL("race"),
                               (struct mica_text){NULL, 0}, arena, &error,
                               &html));
    (void)snprintf(text, sizeof text, "html %lld ",
                   (long long)app.version.version);
    ck_assert(mica_text_starts(html, text));
    ck_assert_uint_eq(html.len, 40000);
    return app.version.version;
}

// Reads what the process has confirmed; at least one version, and the last is returned.
static int64_t
kill_after(pid_t child, int fd, unsigned us)
{
    int64_t last = 0, next;

    ck_assert_int_eq(read(fd, &last, sizeof last), sizeof last);
    usleep(us);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    while (read(fd, &next, sizeof next) == sizeof next)
        last = next;
    return last;
}

START_TEST(a_kill_leaves_no_half_publish)
{
    struct mica_store *store = open_store("sqlite");
    struct mica_store_app_outcome outcome;
    struct mica_arena arena;
    int64_t version = 0;

    MUST(create_app(store, 0, &error, &outcome));
    mica_store_close(&store);
    for (unsigned i = 0; i < KILLS; i++) {
        int fds[2];
        int64_t last;
        ck_assert_int_eq(pipe(fds), 0);
        confirmed = fds[1];
        pid_t child = start_process(republish, (unsigned)version, NULL);
        (void)close(fds[1]);
        last = kill_after(child, fds[0], i * 700);
        (void)close(fds[0]);
        mica_arena_init(&arena, 1 << 20);
        store = open_store("sqlite");
        version = must_serve_whole(store, &arena);
        ck_assert_int_ge(version, last); // what was confirmed is there
        ck_assert_int_le(version, last + 1);
        store_must_be_sound(store);
        mica_store_close(&store);
        mica_arena_fini(&arena);
    }
    ck_assert_int_gt(version, KILLS);
    end_race(open_store("sqlite"));
}
END_TEST

// ---- Another process sees it -----------------------------------------------------

static int
publish_once(struct mica_store *store, unsigned number)
{
    struct mica_store_app_outcome outcome;
    struct mica_error why;

    return publish_number(store, number, &why, &outcome) == MICA_OK ? 0 : 6;
}

START_TEST(a_process_sees_what_another_has_published)
{
    struct mica_store_app_outcome outcome;
    struct mica_store_app_changes changes;
    struct mica_store *store;
    struct mica_arena arena;
    int64_t before, after;
    int go[2];

    (void)store_file("");
    ck_assert_int_eq(pipe(go), 0);
    pid_t child = start_process(publish_once, 7, go);
    (void)close(go[0]);
    mica_arena_init(&arena, 1 << 20);
    store = open_store("sqlite");
    MUST(create_app(store, 0, &error, &outcome));
    MUST(mica_store_app_serial(store, &error, &before));
    (void)close(go[1]); // it begins
    UNIT_AWAIT(mica_store_app_serial(store, &error, &after) == MICA_OK &&
               after > before);
    MUST(mica_store_app_changed_since(store, before, 10, &arena, &error,
                                      &changes));
    ck_assert_uint_eq(changes.count, 1);
    UNIT_TEXT_EQ(changes.items[0].slug, "race");
    ck_assert_int_eq(changes.items[0].status, MICA_STORE_APP_PUBLISHED);
    await_process(child);
    mica_arena_fini(&arena);
    end_race(store);
}
END_TEST

UNIT_MAIN("store apps race", sixteen_threads_want_one_slug,
          one_of_sixteen_edits_of_a_revision_is_done,
          sixteen_processes_want_one_slug, a_kill_leaves_no_half_publish,
          a_process_sees_what_another_has_published)
