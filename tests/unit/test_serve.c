// SPDX-License-Identifier: Apache-2.0
//
// What http and stdio share: the worker threads, the splitting into lines, the
// forms of a refusal.
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>

#include "fixture.h"
#include "serve/refuse.h"
#include "serve/workers.h"
#include "stdio/lines.h"

// ---- Workers -------------------------------------------------------------------------

static atomic_int ran, inside, most_inside;
static atomic_bool timed_lock;

static void
count(void *data)
{
    (void)data;
    int now = atomic_fetch_add(&inside, 1) + 1,
        most = atomic_load(&most_inside);
    while (now > most &&
           !atomic_compare_exchange_weak(&most_inside, &most, now))
        continue;
    while (!atomic_load(&timed_lock))
        unit_sleep(1);
    atomic_fetch_sub(&inside, 1);
    atomic_fetch_add(&ran, 1);
}

static struct mica_workers *
open_workers(unsigned threads, size_t queue)
{
    struct mica_workers *workers;
    struct mica_error error;

    ck_assert_int_eq(mica_workers_open(threads, queue, &error, &workers),
                     MICA_OK);
    return workers;
}

static int
thread_count(void)
{
    DIR *folder = opendir("/proc/self/task");
    int threads = -2; // "." and ".."

    ck_assert_ptr_nonnull(folder);
    while (readdir(folder) != NULL)
        threads++;
    closedir(folder);
    return threads;
}

START_TEST(a_stopped_pool_can_still_be_asked)
{
    struct mica_workers *workers = open_workers(2, 4);
    struct mica_worker_job task = {.run = count}, late = {.run = count};

    atomic_store(&timed_lock, true);
    ck_assert(mica_workers_push(workers, &task, 0));
    ck_assert(mica_workers_stop(workers, UNIT_PATIENCE_MS));
    ck_assert_int_eq(atomic_load(&ran), 1);
    ck_assert(!mica_workers_push(workers, &late, 0));
    ck_assert_uint_eq(mica_workers_busy(workers), 0);
    ck_assert(mica_workers_stop(workers, 0)); // again
    ck_assert(mica_workers_close(&workers, 0));
    ck_assert_ptr_null(workers);
}
END_TEST

START_TEST(every_task_runs_once)
{
    enum {
        COUNT = 1000
    };
    static struct mica_worker_job tasks[COUNT];
    struct mica_workers *workers = open_workers(3, COUNT);

    atomic_store(&timed_lock, true);
    for (int i = 0; i < COUNT; i++) {
        tasks[i].run = count;
        ck_assert(mica_workers_push(workers, &tasks[i], 0));
    }
    ck_assert(mica_workers_drain(workers, UNIT_PATIENCE_MS));
    ck_assert_int_eq(atomic_load(&ran), COUNT);
    ck_assert_int_le(atomic_load(&most_inside), 3);
    ck_assert(mica_workers_close(&workers, 0));
    ck_assert_ptr_null(workers);
}
END_TEST

static void *
note_thread(void *data)
{
    *(pid_t *)data = gettid();
    return NULL;
}

// A thread that was joined may still be about to leave the kernel.
static bool
is_gone(pid_t thread)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/self/task/%d", (int)thread);
    return access(path, F_OK) != 0;
}

START_TEST(threads_start_only_when_there_is_work)
{
    static struct mica_worker_job tasks[3];
    pthread_t first;
    pid_t id;

    // A sanitizer starts a thread of its own with the first one.
    ck_assert_int_eq(pthread_create(&first, NULL, note_thread, &id), 0);
    pthread_join(first, NULL);
    UNIT_AWAIT(is_gone(id));
    int before = thread_count();
    struct mica_workers *workers = open_workers(4, 8);

    ck_assert_int_eq(thread_count(), before);
    for (int i = 0; i < 3; i++) {
        tasks[i].run = count;
        ck_assert(mica_workers_push(workers, &tasks[i], 0));
    }
    ck_assert_int_eq(thread_count(), before + 3);
    fixture_await(&inside, 3); // all at once, none behind another
    atomic_store(&timed_lock, true);
    ck_assert(mica_workers_close(&workers, UNIT_PATIENCE_MS));
}
END_TEST

START_TEST(a_full_queue_takes_no_more_until_there_is_a_place)
{
    static struct mica_worker_job tasks[4];
    struct mica_workers *workers = open_workers(1, 2);

    for (int i = 0; i < 4; i++)
        tasks[i].run = count;
    ck_assert(mica_workers_push(workers, &tasks[0], 0));
    fixture_await(&inside, 1);
    ck_assert(mica_workers_push(workers, &tasks[1], 0));
    ck_assert(mica_workers_push(workers, &tasks[2], 0));
    ck_assert(!mica_workers_push(workers, &tasks[3], 0));
    ck_assert(!mica_workers_push(workers, &tasks[3], 20));
    ck_assert_uint_eq(mica_workers_busy(workers), 3);
    atomic_store(&timed_lock, true);
    ck_assert(mica_workers_push(workers, &tasks[3], UNIT_PATIENCE_MS));
    ck_assert(mica_workers_close(&workers, UNIT_PATIENCE_MS));
    ck_assert_int_eq(atomic_load(&ran), 4);
}
END_TEST

START_TEST(closing_runs_what_waits_and_takes_no_more)
{
    static struct mica_worker_job tasks[3];
    struct mica_workers *workers = open_workers(1, 8);

    for (int i = 0; i < 3; i++)
        tasks[i].run = count;
    ck_assert(mica_workers_push(workers, &tasks[0], 0));
    ck_assert(mica_workers_push(workers, &tasks[1], 0));
    ck_assert(!mica_workers_close(&workers, 20)); // the gate is closed
    ck_assert_ptr_nonnull(workers);
    ck_assert(!mica_workers_push(workers, &tasks[2], 20));
    atomic_store(&timed_lock, true);
    ck_assert(mica_workers_close(&workers, UNIT_PATIENCE_MS));
    ck_assert_int_eq(atomic_load(&ran), 2);
    ck_assert(mica_workers_close(&workers, 0)); // again: nothing
}
END_TEST

static void *
push_many(void *data)
{
    struct mica_workers *workers = data;
    static struct mica_worker_job tasks[4][250];
    static atomic_int next;
    int mine = atomic_fetch_add(&next, 1);

    for (int i = 0; i < 250; i++) {
        tasks[mine][i].run = count;
        while (!mica_workers_push(workers, &tasks[mine][i], UNIT_PATIENCE_MS))
            continue;
    }
    return NULL;
}

START_TEST(many_threads_may_push_at_once)
{
    struct mica_workers *workers = open_workers(4, 16);
    pthread_t threads[4];

    atomic_store(&timed_lock, true);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, push_many, workers),
                         0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert(mica_workers_close(&workers, UNIT_PATIENCE_MS));
    ck_assert_int_eq(atomic_load(&ran), 1000);
}
END_TEST

// ---- Lines ---------------------------------------------------------------------------

// Feeds `text` in pieces of `piece` bytes and notes what comes out: lines, and
// "!" for one that was too long, each behind a bar.
static void
split(const char *text, size_t piece, size_t max, char *out)
{
    struct mica_lines lines;
    struct mica_text line;
    struct mica_error error;
    size_t length = strlen(text), at = 0;
    bool at_end = false;

    out[0] = '\0';
    ck_assert_int_eq(mica_lines_open(max, &error, &lines), MICA_OK);
    while (!at_end) {
        size_t size;
        char *room = mica_lines_room(&lines, &size);
        ck_assert_ptr_nonnull(room);
        size = size < piece ? size : piece;
        size = size < length - at ? size : length - at;
        memcpy(room, text + at, size);
        mica_lines_filled(&lines, size);
        at += size;
        at_end = size == 0;
        enum mica_line kind;
        while ((kind = mica_lines_next(&lines, at_end, &line)) !=
               MICA_LINE_NONE) {
            strcat(out, "|");
            if (kind == MICA_LINE_TEXT)
                strncat(out, line.ptr, line.len);
            else
                strcat(out, "!");
        }
    }
    mica_lines_close(&lines);
}

START_TEST(lines_are_the_same_in_pieces_of_any_size)
{
    static const struct {
        const char *text, *lines;
    } cases[] = {
        {"", ""},
        {"\n\n  \n\t\r\n", ""},
        {"a\nb\n", "|a|b"},
        {"a\r\nb\r\n", "|a|b"},
        {"a\nb", "|a|b"},
        {"a\r", "|a"},
        {"a\rb\n", "|a\rb"},
        {"12345678\n", "|12345678"},
        {"12345678\r\nx\n", "|12345678|x"},
        {"123456789\nx\n", "|!|x"},
        {"1234567890123456789012345\nx\n", "|!|x"},
        {"1234567890123456789012345", "|!"},
        {"x\n12345678901234\n\n12345678901234\ny", "|x|!|!|y"},
    };
    char out[256];

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        for (size_t piece = 1; piece < 30; piece++) {
            split(cases[i].text, piece, 8, out);
            ck_assert_str_eq(out, cases[i].lines);
        }
    }
}
END_TEST

START_TEST(the_room_for_lines_grows_and_shrinks)
{
    struct mica_lines lines;
    struct mica_text line;
    struct mica_error error;
    size_t size, total = 0;

    ck_assert_int_eq(mica_lines_open(8 << 20, &error, &lines), MICA_OK);
    while (total < (4u << 20)) {
        char *room = mica_lines_room(&lines, &size);
        memset(room, 'a', size);
        mica_lines_filled(&lines, size);
        total += size;
        ck_assert_int_eq(mica_lines_next(&lines, false, &line), MICA_LINE_NONE);
    }
    *mica_lines_room(&lines, &size) = '\n';
    mica_lines_filled(&lines, 1);
    ck_assert_int_eq(mica_lines_next(&lines, false, &line), MICA_LINE_TEXT);
    ck_assert_uint_eq(line.len, total);
    ck_assert_ptr_nonnull(mica_lines_room(&lines, &size));
    ck_assert_uint_le(lines.capacity, 64 * 1024);
    mica_lines_close(&lines);
}
END_TEST

// ---- Refusals ------------------------------------------------------------------------

START_TEST(a_refusal_is_one_line_of_json)
{
    struct mica_arena arena;
    struct mica_buffer buffer;
    struct mica_json json;

    mica_arena_init(&arena, 1 << 20);
    mica_buffer_init(&buffer, &arena, 4096);
    mica_refuse_write(&buffer, MICA_LITERAL("\"a\""), MICA_REFUSE_REQUEST,
                      MICA_E_LIMIT, "%s", "too\n\"long\"");
    ck_assert_int_eq(
        mica_json_read(&arena, mica_buffer_as_text(&buffer), NULL, NULL, &json),
        MICA_OK);
    ck_assert_ptr_null(memchr(buffer.ptr, '\n', buffer.len));
    UNIT_TEXT_EQ(mica_json_get_text(&json, "id"), "a");
    const struct mica_json *error = mica_json_get(&json, "error");
    UNIT_TEXT_EQ(mica_json_get(error, "code")->text, "-32600");
    UNIT_TEXT_EQ(mica_json_get_text(error, "message"), "too\n\"long\"");
    UNIT_TEXT_EQ(mica_json_get_text(mica_json_get(error, "data"), "code"),
                 "LIMIT_EXCEEDED");

    mica_buffer_init(&buffer, &arena, 4096);
    mica_refuse_write(&buffer, (struct mica_text){NULL, 0},
                      MICA_REFUSE_INTERNAL, MICA_E_BUSY, "later");
    ck_assert_int_eq(
        mica_json_read(&arena, mica_buffer_as_text(&buffer), NULL, NULL, &json),
        MICA_OK);
    ck_assert_ptr_null(mica_json_get(&json, "id"));

    mica_buffer_init(&buffer, &arena, 4096);
    mica_problem_details_write(&buffer, (struct mica_text){NULL, 0}, 404,
                               MICA_E_NOT_FOUND, "no %s", "page");
    ck_assert_int_eq(
        mica_json_read(&arena, mica_buffer_as_text(&buffer), NULL, NULL, &json),
        MICA_OK);
    UNIT_TEXT_EQ(mica_json_get(&json, "status")->text, "404");
    UNIT_TEXT_EQ(mica_json_get_text(&json, "code"), "NOT_FOUND");
    UNIT_TEXT_EQ(mica_json_get_text(&json, "detail"), "no page");
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("serve", a_stopped_pool_can_still_be_asked, every_task_runs_once,
          threads_start_only_when_there_is_work,
          a_full_queue_takes_no_more_until_there_is_a_place,
          closing_runs_what_waits_and_takes_no_more,
          many_threads_may_push_at_once,
          lines_are_the_same_in_pieces_of_any_size,
          the_room_for_lines_grows_and_shrinks, a_refusal_is_one_line_of_json)
