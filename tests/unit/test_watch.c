// SPDX-License-Identifier: Apache-2.0
//
// Folders that change, and engines that are swapped while they are served. An
// engine here is a built one of the test engines under other names.
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "watch/reload.h"
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
    for (int i = 0; i < 2500 && atomic_load(counter) < least; i++)
        (void)poll(NULL, 0, 2);
    ck_assert_int_ge(atomic_load(counter), least);
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
    for (int i = 0; i < 50; i++)
        put("a", "x");
    await(&looks, 2);
    (void)poll(NULL, 0, 300);
    ck_assert_int_le(atomic_load(&looks), 4);
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
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    before = atomic_load(&looks);
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

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_ptr_nonnull(mkdtemp(other));
    watcher = watch(folders, 2);
    await(&looks, 1);
    ck_assert_uint_eq(atomic_exchange(&seen, 0) & 3, 3);
    put("a", "x");
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
    unlink(in_folder("a"));
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
    (void)poll(NULL, 0, 1500);
    ck_assert_int_eq(atomic_load(&looks), 2);
    mica_watcher_close(&watcher);
    rmdir(folder);
}
END_TEST

// ---- Engines -----------------------------------------------------------------------

static struct mica_server *server;
static struct mica_reload *reload;
static char notes[4096];
static int changes;

static void
note(void *data, const char *line)
{
    size_t length = strlen(notes);

    (void)data;
    (void)snprintf(notes + length, sizeof notes - length, "%s\n", line);
}

static void
count_change(void *data, const struct mica_change *change)
{
    (void)data;
    ck_assert_int_eq(change->kind, MICA_CHANGED_TOOLS);
    changes++;
}

// A manifest as the build driver writes it; the module is not opened here.
static void
put_engine(const char *slug, const char *description)
{
    char text[2048], name[80];

    (void)snprintf(
        text, sizeof text,
        "{\"slug\":\"%s\",\"name\":\"%s\",\"title\":\"T\",\"description\":"
        "\"%s\",\"input\":{\"type\":\"object\"},\"inputSchema\":{\"type\":"
        "\"object\"},\"outputSchema\":{\"type\":\"object\"},\"examples\":[],"
        "\"sha256\":\"00\"}",
        slug, slug, description);
    (void)snprintf(name, sizeof name, "%s.json", slug);
    put(name, text);
}

static bool
is_offered(const char *slug, const char *description)
{
    struct mica_catalog *catalog = mica_server_catalog(server);
    const struct mica_definition *found =
        mica_catalog_find(catalog, MICA_OFFER_TOOL, mica_text(slug));
    bool same = found != NULL && mica_text_is(found->description, description);

    mica_catalog_drop(catalog);
    return same;
}

static void
open_reload(void)
{
    const struct mica_server_options options = {.name = "x", .version = "1"};
    struct mica_reload_options how = {.folder = folder, .note = note};
    struct mica_error error;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mica_server_open(&options, &error, &server), MICA_OK);
    server->changed = count_change;
    how.server = server;
    ck_assert_int_eq(mica_reload_open(&how, &error, &reload), MICA_OK);
}

static void
close_reload(void)
{
    mica_reload_close(&reload);
    mica_server_close(&server);
    unlink(in_folder("one.json"));
    rmdir(folder);
}

START_TEST(engines_come_change_and_go)
{
    open_reload();
    put_engine("one", "First.");
    put_engine("two", "Second.");
    mica_reload_look(reload);
    ck_assert_msg(is_offered("one", "First."), "%s", notes);
    ck_assert(is_offered("two", "Second."));
    ck_assert_int_eq(changes, 2);
    mica_reload_look(reload);
    ck_assert_int_eq(changes, 2); // nothing new
    put_engine("one", "Changed.");
    mica_reload_look(reload);
    ck_assert(is_offered("one", "Changed."));
    ck_assert_int_eq(changes, 3);
    unlink(in_folder("two.json"));
    mica_reload_look(reload);
    ck_assert(!is_offered("two", "Second."));
    ck_assert_uint_eq(mica_server_count(server, MICA_OFFER_TOOL), 1);
    ck_assert_ptr_nonnull(strstr(notes, "one is new\n"));
    ck_assert_ptr_nonnull(strstr(notes, "one has changed\n"));
    ck_assert_ptr_nonnull(strstr(notes, "two is gone\n"));
    close_reload();
}
END_TEST

START_TEST(a_manifest_that_cannot_be_read_changes_nothing_and_is_said_once)
{
    open_reload();
    put_engine("one", "First.");
    mica_reload_look(reload);
    put("one.json", "{\"slug\":");
    mica_reload_look(reload);
    mica_reload_look(reload);
    ck_assert(is_offered("one", "First."));
    ck_assert_ptr_nonnull(strstr(notes, "one stays as it was: "));
    ck_assert_ptr_null(strstr(strstr(notes, "one stays") + 1, "one stays"));
    put_engine("one", "Good again.");
    mica_reload_look(reload);
    ck_assert(is_offered("one", "Good again."));
    close_reload();
}
END_TEST

START_TEST(whoever_holds_the_old_engine_keeps_it)
{
    open_reload();
    put_engine("one", "First.");
    mica_reload_look(reload);
    struct mica_catalog *old = mica_server_catalog(server); // as a call does
    put_engine("one", "Changed.");
    mica_reload_look(reload);
    ck_assert(mica_text_is(
        mica_catalog_find(old, MICA_OFFER_TOOL, mica_text("one"))->description,
        "First."));
    mica_catalog_drop(old);
    close_reload();
}
END_TEST

UNIT_MAIN("watch", a_burst_of_changes_is_one_look,
          a_folder_that_comes_back_is_watched_again,
          it_says_in_which_folder_something_changed,
          a_directory_can_be_added_by_descriptor_before_and_while_it_runs,
          a_look_that_wants_another_gets_it_and_then_rests,
          engines_come_change_and_go,
          a_manifest_that_cannot_be_read_changes_nothing_and_is_said_once,
          whoever_holds_the_old_engine_keeps_it)
