// SPDX-License-Identifier: Apache-2.0
//
// Folders that change: when the watcher calls, and what it says.
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/clock.h"
#include "unit.h"
#include "watch/watch.h"

static char folder[] = "/tmp/mica-watch-XXXXXX";
static atomic_int looks;
static atomic_uint seen; // folders that changed
static atomic_int again; // looks that ask for another one

static bool
look(void *data, unsigned changed)
{
    (void)data;
    atomic_fetch_or(&seen, changed);
    atomic_fetch_add(&looks, 1);
    return atomic_fetch_sub(&again, 1) > 0;
}

static struct mica_watcher *
watch(const char *const *folders, size_t count)
{
    const struct mica_watch_options options = {
        .folders = folders, .count = count, .look = look};
    struct mica_watcher *watcher;
    struct mica_error error;

    ck_assert_int_eq(mica_watcher_open(&options, &error, &watcher), MICA_OK);
    ck_assert_int_eq(mica_watcher_start(watcher, &error), MICA_OK);
    return watcher;
}

static void
await(const atomic_int *counter, int least)
{
    UNIT_AWAIT(atomic_load(counter) >= least);
}

static const char *
in_folder(const char *name)
{
    static char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void
put(const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s", in_folder("new"));
    file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    (void)fclose(file);
    ck_assert_int_eq(rename(path, in_folder(name)), 0);
}

// ---- The watcher -------------------------------------------------------------------

START_TEST(a_burst_of_changes_is_one_look)
{
    const char *folders[] = {folder};
    struct mica_watcher *watcher;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    watcher = watch(folders, 1);
    await(&looks, 1); // the first
    int64_t began = mica_clock_ms();
    for (int i = 0; i < 50; i++)
        put("a", "x");
    // Where the test itself was quiet for 50 ms, on a busy machine, the burst was two.
    int64_t took = mica_clock_ms() - began;
    await(&looks, 2);
    unit_sleep(300);
    ck_assert_int_le(atomic_load(&looks), 4 + (int)(took / 50));
    unlink(in_folder("a"));
    await(&looks, 3);
    mica_watcher_close(&watcher);
    rmdir(folder);
}
END_TEST

START_TEST(a_folder_that_comes_back_is_watched_again)
{
    const char *folders[] = {folder};
    struct mica_watcher *watcher;
    int before;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(rmdir(folder), 0);
    watcher = watch(folders, 1);
    await(&looks, 1);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    await(&looks, 2);
    ck_assert_int_eq(rmdir(folder), 0);
    await(&looks, 3);
    before = atomic_load(&looks);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    await(&looks, before + 1);
    before = atomic_load(&looks);
    put("a", "x");
    await(&looks, before + 1);
    mica_watcher_close(&watcher);
    unlink(in_folder("a"));
    rmdir(folder);
}
END_TEST

START_TEST(it_says_in_which_folder_something_changed)
{
    char other[] = "/tmp/mica-watch-XXXXXX", path[PATH_MAX];
    const char *folders[] = {folder, other};
    struct mica_watcher *watcher;

    // What changes here is one event each, so that it is one look.
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_ptr_nonnull(mkdtemp(other));
    watcher = watch(folders, 2);
    await(&looks, 1);
    ck_assert_uint_eq(atomic_exchange(&seen, 0) & 3, 3);
    ck_assert_int_eq(mkdir(in_folder("a"), 0700), 0);
    await(&looks, 2);
    ck_assert_uint_eq(atomic_exchange(&seen, 0), 1);
    (void)snprintf(path, sizeof path, "%s/b", other);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    await(&looks, 3);
    ck_assert_uint_eq(atomic_exchange(&seen, 0), 2);
    rmdir(path);
    await(&looks, 4);
    rmdir(other); // one that goes has changed
    await(&looks, 5);
    ck_assert_uint_eq(atomic_exchange(&seen, 0), 2);
    mica_watcher_close(&watcher);
    rmdir(in_folder("a"));
    rmdir(folder);
}
END_TEST

START_TEST(a_directory_can_be_added_by_descriptor_before_and_while_it_runs)
{
    const struct mica_watch_options options = {.look = look, .quiet_ms = 1};
    struct mica_watcher *watcher;
    struct mica_error error;
    char path[PATH_MAX];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mica_watcher_open(&options, &error, &watcher), MICA_OK);
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    ck_assert(mica_watcher_add(watcher, fd));
    ck_assert(mica_watcher_add(watcher, fd));
    close(fd);
    put("a", "x"); // before it runs
    ck_assert_int_eq(atomic_load(&looks), 0);
    ck_assert_int_eq(mica_watcher_start(watcher, &error), MICA_OK);
    await(&looks, 1);
    (void)snprintf(path, sizeof path, "%s", in_folder("below"));
    ck_assert_int_eq(mkdir(path, 0700), 0);
    await(&looks, 2);
    fd = open(path, O_RDONLY | O_DIRECTORY);
    ck_assert(mica_watcher_add(watcher, fd));
    close(fd);
    int before = atomic_load(&looks);
    put("below/c", "x");
    await(&looks, before + 1);
    mica_watcher_close(&watcher);
    unlink(in_folder("below/c"));
    rmdir(in_folder("below"));
    unlink(in_folder("a"));
    rmdir(folder);
}
END_TEST

START_TEST(a_look_that_wants_another_gets_it_and_then_rests)
{
    const char *folders[] = {folder};
    struct mica_watcher *watcher;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    atomic_store(&again, 1);
    watcher = watch(folders, 1);
    await(&looks, 2); // without an event
    unit_sleep(1500);
    ck_assert_int_eq(atomic_load(&looks), 2);
    mica_watcher_close(&watcher);
    rmdir(folder);
}
END_TEST

UNIT_MAIN("watch", a_burst_of_changes_is_one_look,
          a_folder_that_comes_back_is_watched_again,
          it_says_in_which_folder_something_changed,
          a_directory_can_be_added_by_descriptor_before_and_while_it_runs,
          a_look_that_wants_another_gets_it_and_then_rests)
