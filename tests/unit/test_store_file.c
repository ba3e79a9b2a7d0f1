// SPDX-License-Identifier: Apache-2.0
//
// The store in a file: who may read it, copies, and several processes.
#include <pthread.h>

#include "test_store_file.h"

// ---- Its place -------------------------------------------------------------------

START_TEST(the_file_and_its_folders_are_for_this_user_alone)
{
    umask(0);
    MUST(try_open("state/mica/mica.db", NULL));
    (void)store_create(store, 1, 0, 100);
    ck_assert_uint_eq(mode_of("state"), 0700);
    ck_assert_uint_eq(mode_of("state/mica"), 0700);
    ck_assert_uint_eq(mode_of("state/mica/mica.db"), 0600);
    ck_assert_uint_eq(mode_of("state/mica/mica.db-wal"), 0600);
    ck_assert_uint_eq(mode_of("state/mica/mica.db-shm"), 0600);
    end_test();
}
END_TEST

START_TEST(a_file_that_others_may_read_is_refused)
{
    MUST(try_open("mica.db", NULL));
    mica_store_close(&store);
    chmod(store_file("mica.db"), 0640);
    REFUSED(try_open("mica.db", NULL), MICA_E_TRUST);
    ck_assert_ptr_nonnull(strstr(error.message, "chmod 600"));
    chmod(store_file("mica.db"), 0600);
    MUST(try_open("mica.db", NULL));
    end_test();
}
END_TEST

START_TEST(a_folder_that_others_may_write_is_refused)
{
    static const mode_t modes[] = {0720, 0702, 01777};
    char other[MICA_STORE_PATH_SIZE], link[MICA_STORE_PATH_SIZE];

    mkdir(store_file("folder"), 0700);
    MUST(try_open("folder/mica.db", NULL));
    mica_store_close(&store);
    for (size_t i = 0; i < MICA_COUNT(modes); i++) {
        ck_assert_int_eq(chmod(store_file("folder"), modes[i]), 0);
        REFUSED(try_open("folder/mica.db", NULL), MICA_E_TRUST);
        ck_assert_ptr_nonnull(strstr(error.message, modes[i] == 01777
                                                        ? "a folder of your own"
                                                        : "chmod go-w "));
        ck_assert_ptr_nonnull(strstr(error.message, "the store"));
        REFUSED(try_open("folder/new.db", NULL), MICA_E_TRUST);
        ck_assert_int_ne(access(store_file("folder/new.db"), F_OK), 0);
    }
    // What a link leads to counts, too.
    (void)snprintf(other, sizeof other, "%s", store_file("folder/mica.db"));
    (void)snprintf(link, sizeof link, "%s", store_file("link.db"));
    ck_assert_int_eq(symlink(other, link), 0);
    REFUSED(try_open("link.db", NULL), MICA_E_TRUST);
    ck_assert_int_eq(chmod(store_file("folder"), 0755), 0);
    MUST(try_open("link.db", NULL));
    mica_store_close(&store);
    MUST(try_open("folder/mica.db", NULL));
    end_test();
}
END_TEST

START_TEST(a_path_that_cannot_be_is_refused)
{
    static const struct mica_store_options there = {.must_exist = true};
    char path[MICA_STORE_PATH_SIZE + 16];

    REFUSED(try_open("none.db", &there), MICA_E_NOT_FOUND);
    REFUSED(try_open("none/none.db", &there), MICA_E_NOT_FOUND);
    mkdir(store_file("folder"), 0700);
    REFUSED(try_open("folder", NULL), MICA_E_IO);
    write_file("file", "x", 1);
    REFUSED(try_open("file/mica.db", NULL), MICA_E_IO);
    memset(path, 'a', sizeof path);
    memcpy(path, "sqlite:/", 8);
    path[sizeof path - 1] = '\0';
    REFUSED(mica_store_open(path, NULL, &error, &store), MICA_E_USAGE);
    // A name that SQLite would take for something else is a file here.
    ck_assert_int_eq(chdir(store_folder), 0);
    MUST(mica_store_open("sqlite::memory:", NULL, &error, &store));
    ck_assert_uint_eq(mode_of(":memory:"), 0600);
    end_test();
}
END_TEST

START_TEST(the_default_path_follows_the_environment)
{
    char path[MICA_STORE_PATH_SIZE], long_path[MICA_STORE_PATH_SIZE + 1];

    setenv("HOME", "/home-of-mine", 1);
    setenv("XDG_STATE_HOME", "/state", 1);
    MUST(mica_store_default_path(path, &error));
    ck_assert_str_eq(path, "/state/mica/mica.db");
    setenv("XDG_STATE_HOME", "relative", 1);
    MUST(mica_store_default_path(path, &error));
    ck_assert_str_eq(path, "/home-of-mine/.local/state/mica/mica.db");
    setenv("HOME", "", 1);
    REFUSED(mica_store_default_path(path, &error), MICA_E_USAGE);
    memset(long_path, 'a', sizeof long_path);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = '\0';
    setenv("XDG_STATE_HOME", long_path, 1);
    REFUSED(mica_store_default_path(path, &error), MICA_E_USAGE);

    setenv("XDG_STATE_HOME", store_file("xdg"), 1);
    MUST(mica_store_open("sqlite", NULL, &error, &store));
    ck_assert_uint_eq(mode_of("xdg/mica/mica.db"), 0600);
    end_test();
}
END_TEST

// ---- What the SQL says -----------------------------------------------------------

// All columns and indexes, as text.
static struct mica_text
tables_of(const char *name, struct mica_arena *text)
{
    static const char *const queries[] = {
        "SELECT m.name || '.' || p.name || ' ' || p.type || p.\"notnull\" || p.pk"
        "  FROM sqlite_schema AS m, pragma_table_info(m.name) AS p"
        "  WHERE m.type = 'table' ORDER BY 1",
        "SELECT m.tbl_name || '.' || group_concat(p.name) ||"
        "  coalesce(substr(m.sql, instr(m.sql, ' WHERE ')), '')"
        "  FROM sqlite_schema AS m, pragma_index_info(m.name) AS p"
        "  WHERE m.type = 'index' GROUP BY m.name ORDER BY m.tbl_name, 1"};
    struct mica_sqlite sqlite = {.db = NULL};
    struct mica_buffer lines;

    mica_buffer_init(&lines, text, 1 << 20);
    MUST(mica_sqlite_connect(&sqlite, store_file(name), 100, &error));
    for (size_t i = 0; i < MICA_COUNT(queries); i++) {
        sqlite3_stmt *statement;
        ck_assert_int_eq(
            sqlite3_prepare_v2(sqlite.db, queries[i], -1, &statement, NULL),
            SQLITE_OK);
        while (sqlite3_step(statement) == SQLITE_ROW)
            mica_buffer_format(&lines, "%s\n",
                               (const char *)sqlite3_column_text(statement, 0));
        sqlite3_finalize(statement);
    }
    mica_sqlite_disconnect(&sqlite);
    return mica_buffer_as_text(&lines);
}

START_TEST(a_new_file_has_the_tables_of_one_that_was_brought_up_to_date)
{
    struct mica_sqlite old = {.db = NULL};
    struct mica_arena text;
    struct mica_text made, grown;

    mica_arena_init(&text, 4 << 20);
    MUST(try_open("new.db", NULL));
    mica_store_close(&store);
    write_file("old.db", "", 0);
    MUST(mica_sqlite_connect(&old, store_file("old.db"), 100, &error));
    MUST(mica_sqlite_migrate(&old, 1, &error));
    mica_sqlite_disconnect(&old);
    MUST(try_open("old.db", NULL));
    mica_store_close(&store);
    made = tables_of("new.db", &text);
    grown = tables_of("old.db", &text);
    ck_assert_uint_gt(made.len, 2000);
    ck_assert_msg(mica_text_equal(made, grown), "%.*s\nbut\n%.*s",
                  MICA_ARG(made), MICA_ARG(grown));
    mica_arena_fini(&text);
    end_test();
}
END_TEST

// ---- Copies ----------------------------------------------------------------------

struct progress {
    struct mica_store *store; // written to between two pieces
    unsigned calls, give_up;
    int64_t done, total;
};

static bool
on_progress(void *user, int64_t done, int64_t total)
{
    struct progress *progress = user;

    ck_assert_int_ge(done, progress->done);
    progress->done = done;
    progress->total = total;
    progress->calls++;
    (void)store_create(progress->store, 100000 + progress->calls, 0, 100);
    return progress->calls != progress->give_up;
}

START_TEST(a_copy_is_of_one_moment_while_others_write)
{
    char copy[128];
    struct mica_store_statistics there;
    struct progress progress = {.store = NULL};

    MUST(try_open("mica.db", NULL));
    for (unsigned i = 0; i < 12000; i++)
        (void)store_create(store, i, 0, 100);
    progress.store = store;
    strcpy(copy, store_file("copy.db"));
    MUST(mica_store_backup(store, copy, on_progress, &progress, &error));
    ck_assert_uint_ge(progress.calls, 3);
    ck_assert_int_eq(progress.done, progress.total);
    ck_assert_uint_eq(mode_of("copy.db"), 0600);
    ck_assert_int_eq(store_count(store).sessions, 12000 + progress.calls);
    REFUSED(mica_store_backup(store, copy, NULL, NULL, &error), MICA_E_EXISTS);
    store_must_be_sound(store);
    mica_store_close(&store);

    MUST(try_open("copy.db", NULL));
    there = store_count(store);
    ck_assert_int_eq(there.sessions, 12000);
    end_test();
}
END_TEST

static unsigned
files_with(const char *start)
{
    char command[256];
    unsigned count = 0;

    (void)snprintf(command, sizeof command, "ls -a %s | grep -c '^%s'",
                   store_folder, start);
    FILE *list = popen(command, "r");
    ck_assert_int_eq(fscanf(list, "%u", &count), 1);
    pclose(list);
    return count;
}

START_TEST(nothing_is_left_of_a_copy_that_failed)
{
    char copy[128];
    struct progress progress = {.give_up = 1};

    MUST(try_open("mica.db", NULL));
    progress.store = store;
    strcpy(copy, store_file("copy.db"));
    REFUSED(mica_store_backup(store, copy, on_progress, &progress, &error),
            MICA_E_CANCELLED);
    ck_assert_uint_eq(files_with("copy"), 0);
    REFUSED(
        mica_store_backup(store, store_file("no/folder"), NULL, NULL, &error),
        MICA_E_IO);
    ck_assert_ptr_nonnull(strstr(error.message, "no/folder"));
    MUST(mica_store_backup(store, copy, NULL, NULL, &error));
    ck_assert_uint_eq(files_with("copy"), 1);
    end_test();
}
END_TEST

START_TEST(a_store_in_memory_has_no_file)
{
    struct mica_arena arena;
    struct mica_text findings;
    struct mica_store_place place;

    mica_arena_init(&arena, 1 << 16);
    MUST(mica_store_open("memory", NULL, &error, &store));
    REFUSED(mica_store_backup(store, "x", NULL, NULL, &error), MICA_E_USAGE);
    REFUSED(mica_store_check(store, &arena, &error, &findings), MICA_E_USAGE);
    MUST(mica_store_place(store, &error, &place));
    ck_assert_ptr_null(place.path);
    ck_assert_str_eq(place.backend, "memory");
    end_test();
}
END_TEST

// ---- The log of commits ------------------------------------------------------------

enum {
    LOG_WRITERS = 4,
    LOG_EVENTS = 320,
    LOG_EVENT_BYTES = 64 << 10
};

static void *
write_events(void *data)
{
    static char bytes[LOG_EVENT_BYTES], refused[] = "an event was not kept";
    const unsigned *number = data;
    struct mica_store_session_key key = store_key(*number);
    struct mica_error problem;
    int64_t sequence;

    for (int i = 0; i < LOG_EVENTS; i++) {
        if (mica_store_event_append(store, &key, 1, 1,
                                    (struct mica_text){bytes, sizeof bytes},
                                    &problem, &sequence) != MICA_OK)
            return refused;
    }
    return NULL;
}

// 80 MiB in pages, five times what may wait in the log.
START_TEST(a_long_log_is_copied_while_others_write)
{
    static unsigned numbers[LOG_WRITERS];
    pthread_t threads[LOG_WRITERS];
    struct stat file, log;
    int64_t stream;
    void *problem;

    MUST(try_open("mica.db", NULL));
    for (unsigned i = 0; i < LOG_WRITERS; i++) {
        struct mica_store_session_key key = store_key(i);
        (void)store_create(store, i, 0, 100);
        MUST(mica_store_stream_open(store, &key, MICA_LITERAL("1"), 1, 1000,
                                    &error, &stream));
        ck_assert_int_eq(stream, 1);
        numbers[i] = i;
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, write_events, &numbers[i]), 0);
    }
    for (unsigned i = 0; i < LOG_WRITERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &problem), 0);
        ck_assert_msg(problem == NULL, "%s", (char *)problem);
    }
    ck_assert_int_eq(stat(store_file("mica.db"), &file), 0);
    ck_assert_int_eq(stat(store_file("mica.db-wal"), &log), 0);
    // Without a copy the file would have nothing but its empty tables.
    ck_assert_int_gt(file.st_size, 2 << 20);
    // 16,000 pages, and those of the commits that came meanwhile.
    ck_assert_int_lt(log.st_size, 72 << 20);
    end_test();
}
END_TEST

// ---- Processes -------------------------------------------------------------------

// A child that opens the file and says so through the pipe's end.
static pid_t
start(void (*body)(unsigned number), unsigned number)
{
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        body(number);
        _exit(0);
    }
    return child;
}

static void
await(pid_t child)
{
    int status;

    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

// Exits with 1, and says why: assertions of check are for the test's process.
static void
child_must(enum mica_status status)
{
    if (status == MICA_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", error.code, error.message);
    _exit(1);
}

static void
take_first_key(unsigned number)
{
    struct mica_store *mine;
    struct mica_store_key key;
    char name[32];

    child_must(mica_store_open(store_spec("sqlite", "new/mica.db"), NULL,
                               &error, &mine));
    child_must(mica_store_key_current(mine, 5, &error, &key));
    (void)snprintf(name, sizeof name, "key-%u", number);
    int file = open(store_file(name), O_WRONLY | O_CREAT, 0600);
    if (write(file, &key, sizeof key) != sizeof key)
        _exit(1);
    mica_store_close(&mine);
}

START_TEST(processes_that_open_an_empty_store_at_once_get_the_same_key)
{
    enum {
        COUNT = 6,
        ROUNDS = 12
    };
    (void)store_file("");
    for (unsigned round = 0; round < ROUNDS; round++) {
        pid_t children[COUNT];
        struct mica_store_key first, key;

        for (unsigned i = 0; i < COUNT; i++)
            children[i] = start(take_first_key, i);
        for (unsigned i = 0; i < COUNT; i++)
            await(children[i]);
        read_file("key-0", (char *)&first, sizeof first);
        ck_assert_uint_eq(first.id, 1);
        for (unsigned i = 1; i < COUNT; i++) {
            char name[32];
            (void)snprintf(name, sizeof name, "key-%u", i);
            read_file(name, (char *)&key, sizeof key);
            ck_assert_uint_eq(key.id, 1);
            ck_assert_mem_eq(key.secret, first.secret, sizeof key.secret);
        }
        ck_assert_int_eq(
            nftw(store_file("new"), store_remove_one, 16, FTW_DEPTH), 0);
    }
    end_test();
}
END_TEST

enum {
    WRITERS = 3,
    WRITES = 120
};

static void
write_much(unsigned number)
{
    static const struct mica_store_options patient = {.busy_ms = 30000};
    struct mica_store *mine;
    int64_t sequence, last = 0;

    child_must(mica_store_open(store_spec("sqlite", "mica.db"), &patient,
                               &error, &mine));
    for (unsigned i = 0; i < WRITES; i++) {
        struct mica_store_session_key key = store_key(1000 * number + i);
        struct mica_store_session session = store_session(0, 100);
        child_must(mica_store_session_create(mine, &key, &session, &error));
        child_must(mica_store_change_append(
            mine,
            &(struct mica_store_change){.kind = MICA_CHANGE_TOOLS,
                                        .name = mica_text("t"),
                                        .created = 1},
            &error, &sequence));
        if (sequence <= last)
            _exit(2);
        last = sequence;
    }
    mica_store_close(&mine);
}

START_TEST(processes_share_one_file)
{
    pid_t children[WRITERS];
    struct mica_store_statistics there;
    int64_t last;

    MUST(try_open("mica.db", NULL));
    for (unsigned i = 0; i < WRITERS; i++)
        children[i] = start(write_much, i + 1);
    for (unsigned i = 0; i < WRITERS; i++)
        await(children[i]);
    there = store_count(store);
    ck_assert_int_eq(there.sessions, WRITERS * WRITES);
    ck_assert_int_eq(there.changes, WRITERS * WRITES);
    MUST(mica_store_change_last(store, &error, &last));
    ck_assert_int_eq(last, WRITERS * WRITES);
    end_test();
}
END_TEST

// Writes pairs of sessions until it is killed.
static void
write_for_ever(unsigned number)
{
    struct mica_store *mine;
    unsigned from = number * 100000;

    child_must(
        mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error, &mine));
    for (unsigned i = from; i < from + 50000; i++) {
        int64_t stream, sequence;
        struct mica_store_session_key key = store_create(mine, i, 0, 100);
        child_must(mica_store_stream_open(mine, &key, STREAM_FOR, 1, STREAM_MS,
                                          &error, &stream));
        child_must(mica_store_event_append(
            mine, &key, stream, 1, mica_text("event"), &error, &sequence));
        char line[16];
        int length = snprintf(line, sizeof line, "%08u\n", i - from);
        int file = open(store_file("written"), O_WRONLY | O_CREAT, 0600);
        if (write(file, line, (size_t)length) != length)
            _exit(1);
        close(file);
    }
}

START_TEST(a_process_that_is_killed_loses_nothing_it_has_written)
{
    struct mica_arena arena;

    MUST(try_open("mica.db", NULL));
    for (unsigned round = 1; round <= 12; round++) {
        char line[16] = "";
        unlink(store_file("written"));
        pid_t child = start(write_for_ever, round);
        for (unsigned ms = 0; access(store_file("written"), F_OK) != 0; ms++) {
            ck_assert_uint_lt(ms, UNIT_PATIENCE_MS);
            usleep(1000);
        }
        usleep(round * 3000);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        read_file("written", line, sizeof line - 1);
        unsigned last = (unsigned)strtoul(line, NULL, 10);
        mica_arena_init(&arena, 64 << 20);
        for (unsigned i = 0; i <= last; i++) {
            struct mica_store_session_key key = store_key(round * 100000 + i);
            struct mica_store_events events;
            MUST(mica_store_event_replay(store, &key, 1, 0, 5, 1, &arena,
                                         &error, &events));
            ck_assert_uint_eq(events.count, 1);
        }
        mica_arena_fini(&arena);
        store_must_be_sound(store);
        if (round % 3 != 0)
            continue;
        mica_store_close(&store);
        MUST(try_open("mica.db", NULL));
    }
    ck_assert_int_ge(store_count(store).sessions, 12);
    end_test();
}
END_TEST

// ---- Others hold it --------------------------------------------------------------

START_TEST(a_wait_for_another_process_ends_with_busy)
{
    static const struct mica_store_options options = {.busy_ms = 60};
    struct mica_store_session_key key = store_key(2);
    struct mica_store_session session = store_session(0, 100), found;
    struct mica_store_place place;
    struct mica_arena arena;
    sqlite3 *other;

    mica_arena_init(&arena, 1 << 20);
    MUST(try_open("mica.db", &options));
    struct mica_store_session_key there = store_create(store, 1, 0, 100);
    ck_assert_int_eq(sqlite3_open(store_file("mica.db"), &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    REFUSED(mica_store_session_create(store, &key, &session, &error),
            MICA_E_BUSY);
    ck_assert_ptr_nonnull(strstr(error.message, "60 ms"));
    // A reader does not wait.
    MUST(mica_store_session_find(store, &there, &no_owner, 1, &arena, &error,
                                 &found));
    ck_assert_int_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL),
                     SQLITE_OK);
    MUST(mica_store_session_create(store, &key, &session, &error));
    MUST(mica_store_place(store, &error, &place));
    ck_assert_uint_eq(place.waits_vain, 1);
    sqlite3_close(other);
    mica_arena_fini(&arena);
    end_test();
}
END_TEST

START_TEST(a_full_file_is_said_and_gets_room_again)
{
    enum mica_status status = MICA_OK;
    static char name[4000];
    int64_t sequence = 0, last = 0;

    // max_page_count belongs to a connection, so that of the store is used.
    memset(name, 'n', sizeof name);
    MUST(try_open("mica.db", NULL));
    MUST(mica_sqlite_run(store->self, "PRAGMA max_page_count = 100", "x",
                         &error));
    for (int64_t i = 1; i < 200 && status == MICA_OK; i++) {
        last = sequence;
        status = mica_store_change_append(
            store,
            &(struct mica_store_change){
                .kind = MICA_CHANGE_TOOLS,
                .name = (struct mica_text){name, sizeof name},
                .created = i},
            &error, &sequence);
    }
    ck_assert_int_eq(status, MICA_E_IO);
    ck_assert_ptr_nonnull(strstr(error.message, "disk is full"));
    ck_assert_int_gt(last, 10);
    MUST(mica_sqlite_run(store->self, "PRAGMA max_page_count = 1000", "x",
                         &error));
    MUST(mica_store_change_last(store, &error, &last));
    ck_assert_int_eq(last, sequence);
    MUST(mica_store_change_append(
        store,
        &(struct mica_store_change){.kind = MICA_CHANGE_TOOLS,
                                    .name =
                                        (struct mica_text){name, sizeof name},
                                    .created = 500},
        &error, &sequence));
    ck_assert_int_eq(sequence, last + 1);
    end_test();
}
END_TEST

// ---- Its files are taken away ---------------------------------------------------------

static enum mica_status
write_change(int64_t at)
{
    int64_t sequence;

    return mica_store_change_append(
        store,
        &(struct mica_store_change){.kind = MICA_CHANGE_TOOLS,
                                    .name = MICA_LITERAL("x"),
                                    .created = at},
        &error, &sequence);
}

// What is written then would be confirmed, and be gone with the process; and without
// their log in common two processes would damage the file.
START_TEST(what_would_be_lost_with_a_removed_file_is_refused)
{
    static const char *const removals[] = {
        "rm mica.db",
        "rm mica.db-wal",
        "mv mica.db gone.db",
        "cp mica.db copy.db; mv copy.db mica.db",
        "rm mica.db*",
        "cp mica.db-wal log; rm mica.db-wal; mv log mica.db-wal"};
    char command[MICA_STORE_PATH_SIZE + 128], folder[MICA_STORE_PATH_SIZE];

    (void)snprintf(folder, sizeof folder, "%s", store_file("."));
    for (size_t i = 0; i < MICA_COUNT(removals); i++) {
        MUST(try_open("mica.db", NULL));
        MUST(write_change(1));
        MUST(write_change(2));
        (void)snprintf(command, sizeof command, "cd %s && %s", folder,
                       removals[i]);
        ck_assert_int_eq(system(command), 0);
        REFUSED(write_change(3), MICA_E_IO);
        ck_assert_msg(strstr(error.message, "removed or replaced") != NULL,
                      "%s: %s", removals[i], error.message);
        REFUSED(write_change(4), MICA_E_IO);
        mica_store_close(&store);
        (void)snprintf(command, sizeof command, "rm -f %s/*", folder);
        ck_assert_int_eq(system(command), 0);
    }
    // One that was made anew is as good as any.
    MUST(try_open("mica.db", NULL));
    MUST(write_change(5));
    end_test();
}
END_TEST

UNIT_MAIN("store file", the_file_and_its_folders_are_for_this_user_alone,
          a_file_that_others_may_read_is_refused,
          a_folder_that_others_may_write_is_refused,
          a_path_that_cannot_be_is_refused,
          the_default_path_follows_the_environment,
          a_new_file_has_the_tables_of_one_that_was_brought_up_to_date,
          a_copy_is_of_one_moment_while_others_write,
          nothing_is_left_of_a_copy_that_failed, a_store_in_memory_has_no_file,
          a_long_log_is_copied_while_others_write,
          processes_that_open_an_empty_store_at_once_get_the_same_key,
          processes_share_one_file,
          a_process_that_is_killed_loses_nothing_it_has_written,
          a_wait_for_another_process_ends_with_busy,
          a_full_file_is_said_and_gets_room_again,
          what_would_be_lost_with_a_removed_file_is_refused)
