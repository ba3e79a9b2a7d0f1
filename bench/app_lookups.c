// SPDX-License-Identifier: Apache-2.0
//
// Published apps in the store, without a server around them: how long it takes to look one up
// that no process has loaded, to publish, to learn of changes, and to create.
//
//     bench-app-lookups STORE APPS
//
// Prints a line for each: what, and the time of one in microseconds. For a store in a file the
// look-ups run once more after the system was asked to drop the file from memory.
#include "store/store_apps.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 3000, // of a version
    HTML_BYTES = 40000,
    REPEATS = 1000
};

static struct mica_store *store;
static struct mica_error error;
static struct mica_arena arena;

static double
now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void
must(enum mica_status status)
{
    if (status == MICA_OK)
        return;
    fprintf(stderr, "%s: %s\n", mica_status_code(status), error.message);
    exit(1);
}

static int
compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void
report(const char *what, double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare_times);
    printf("%-40s %7zu  p50 %8.1f  p99 %8.1f  most %8.1f us\n", what, count,
           times[count / 2], times[count * 99 / 100], times[count - 1]);
}

static void
name_app(char name[32], size_t number)
{
    (void)snprintf(name, 32, "app-number-%zu", number);
}

// ---- Acts ------------------------------------------------------------------------

static void
publish(const char *name, size_t version)
{
    static char text[TEXT_BYTES], html[HTML_BYTES];
    const struct mica_store_app_target target = {.id = mica_text(name),
                                                 .now = 2};
    struct mica_store_app_outcome outcome;
    char hash[64];

    memset(text, 't', sizeof text);
    memset(html, 'h', sizeof html);
    (void)snprintf(hash, sizeof hash, "%s-%zu", name, version);
    memcpy(html, hash, strlen(hash));
    must(mica_store_app_publish(
        store, &target,
        &(struct mica_store_app_release){{text, sizeof text},
                                         mica_text(hash),
                                         {html, sizeof html},
                                         MICA_LITERAL("tool")},
        &error, &outcome));
}

static void
create(const char *name, const char *slug)
{
    static char draft[TEXT_BYTES];
    const struct mica_store_app_content content = {
        .draft = {draft, sizeof draft}};
    struct mica_store_app_outcome outcome;

    memset(draft, 'd', sizeof draft);
    must(mica_store_app_create(store, mica_text(name), mica_text(slug),
                               MICA_LITERAL("local"), &content, 1, &error,
                               &outcome));
}

static void
fill(size_t count, double *times)
{
    char name[32];

    for (size_t i = 0; i < count; i++) {
        name_app(name, i);
        create(name, name);
        double begin = now_us();
        publish(name, 1);
        times[i] = now_us() - begin;
    }
    report("publish", times, count);
}

// ---- Look-ups --------------------------------------------------------------------

static void
look_up(size_t count, double *times, const char *what)
{
    struct mica_store_published_app app;
    size_t at = 0;
    char name[32];

    for (size_t i = 0; i < count; i++) {
        at = (at + 7919) % count; // each once: the step is a prime
        name_app(name, at);
        double begin = now_us();
        must(mica_store_app_published(store, mica_text(name), &arena, &error,
                                      &app));
        times[i] = now_us() - begin;
        mica_arena_reset(&arena);
    }
    report(what, times, count);
}

static void
look_up_nothing(double *times)
{
    struct mica_store_published_app app;
    char name[32];

    for (size_t i = 0; i < REPEATS; i++) {
        (void)snprintf(name, sizeof name, "unknown-%zu", i * 7919);
        double begin = now_us();
        if (mica_store_app_published(store, mica_text(name), &arena, &error,
                                     &app) != MICA_E_NOT_FOUND)
            exit(1);
        times[i] = now_us() - begin;
    }
    report("look up a slug that no app has", times, REPEATS);
}

static void
read_serial(double *times)
{
    struct mica_store_app_changes changes;
    int64_t serial;

    for (size_t i = 0; i < REPEATS; i++) {
        double begin = now_us();
        must(mica_store_app_serial(store, &error, &serial));
        times[i] = now_us() - begin;
    }
    report("serial", times, REPEATS);
    for (size_t i = 0; i < REPEATS; i++) {
        double begin = now_us();
        must(mica_store_app_changed_since(store, serial - 10, 100, &arena,
                                          &error, &changes));
        times[i] = now_us() - begin;
        mica_arena_reset(&arena);
    }
    report("the last ten changes", times, REPEATS);
}

static void
create_same(double *times)
{
    char name[32];

    for (size_t i = 0; i < REPEATS; i++) {
        (void)snprintf(name, sizeof name, "same-%zu", i);
        double begin = now_us();
        create(name, "same");
        times[i] = now_us() - begin;
    }
    report("create with the same slug", times, REPEATS);
}

static void
reopen(const char *spec)
{
    double begin = now_us();

    mica_store_close(&store);
    must(mica_store_open(spec, NULL, &error, &store));
    printf("%-40s %.1f ms\n", "close and open", (now_us() - begin) / 1000);
}

// Asks the system to drop the file from memory. Opening the store has read all of it.
static void
drop(const char *spec)
{
    static const char prefix[] = "sqlite:";
    int file;

    if (strncmp(spec, prefix, sizeof prefix - 1) != 0)
        return;
    file = open(spec + sizeof prefix - 1, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fsync(file) != 0 ||
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0)
        perror("drop the file from memory");
    if (file >= 0)
        (void)close(file);
}

int
main(int count, char **words)
{
    size_t apps = count > 2 ? (size_t)strtoul(words[2], NULL, 10) : 0;
    double *times;

    if (apps < REPEATS || apps > 100000 - REPEATS || apps % 7919 == 0) {
        fprintf(stderr, "usage: bench-app-lookups STORE APPS, 1000 or more\n");
        return 2;
    }
    times = calloc(apps, sizeof *times);
    if (times == NULL)
        return 1;
    mica_arena_init(&arena, 64 << 20);
    must(mica_store_open(words[1], NULL, &error, &store));
    fill(apps, times);
    look_up(apps, times, "look up, as published");
    if (strcmp(words[1], "memory") != 0) {
        reopen(words[1]);
        look_up(apps, times, "look up, store opened again");
        reopen(words[1]);
        drop(words[1]);
        look_up(apps, times, "look up, file not in memory");
    }
    look_up_nothing(times);
    read_serial(times);
    create_same(times);
    mica_store_close(&store);
    mica_arena_fini(&arena);
    free(times);
    return 0;
}
