// SPDX-License-Identifier: Apache-2.0
//
// The thread waits for an event, then until there was none for a moment: an
// editor or a compiler changes a file in several steps. It waits no longer than
// a second for that, so that a folder that never rests is looked at, too.
#include "watch/watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "serve/stop.h"
#include "serve/time.h"

enum {
    SETTLE_MS = 50,       // without an event
    LONGEST_MS = 1000,    // from the first event to the look
    RETRY_MS = 1000,      // for a folder that is not there
    STACK_BYTES = 4 << 20 // `look` may load and build
};

#define EVENTS                                                              \
    (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | \
     IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

struct mica_watcher {
    void (*look)(void *data);
    void *data;
    char *folders[MICA_WATCHED_FOLDERS];
    int watches[MICA_WATCHED_FOLDERS]; // -1: the folder is not there
    size_t count;
    int inotify, wake;
    atomic_bool closing;
    pthread_t thread;
};

// True when a folder that was missing is there now.
static bool
add_missing(struct mica_watcher *watcher)
{
    bool added = false;

    for (size_t i = 0; i < watcher->count; i++) {
        if (watcher->watches[i] >= 0)
            continue;
        watcher->watches[i] =
            inotify_add_watch(watcher->inotify, watcher->folders[i], EVENTS);
        added = added || watcher->watches[i] >= 0;
    }
    return added;
}

static bool
is_missing(const struct mica_watcher *watcher)
{
    for (size_t i = 0; i < watcher->count; i++) {
        if (watcher->watches[i] < 0)
            return true;
    }
    return false;
}

static void
forget(struct mica_watcher *watcher, int watch)
{
    for (size_t i = 0; i < watcher->count; i++) {
        if (watcher->watches[i] == watch)
            watcher->watches[i] = -1;
    }
}

// Reads all events. What they say does not matter, but for a folder that went.
static void
drain(struct mica_watcher *watcher)
{
    union {
        struct inotify_event event; // for its alignment
        char bytes[4096];
    } room;
    ssize_t got;

    while ((got = read(watcher->inotify, room.bytes, sizeof room.bytes)) > 0) {
        size_t at = 0;
        while (at + sizeof room.event <= (size_t)got) {
            struct inotify_event event;
            memcpy(&event, room.bytes + at, sizeof event);
            if ((event.mask & IN_MOVE_SELF) != 0)
                (void)inotify_rm_watch(watcher->inotify, event.wd);
            if ((event.mask & (IN_IGNORED | IN_MOVE_SELF)) != 0)
                forget(watcher, event.wd);
            at += sizeof event + event.len;
        }
    }
}

// Waits up to `ms` (-1: for ever) for an event; drains it. False when none came.
static bool
await_event(struct mica_watcher *watcher, int ms)
{
    struct pollfd wait[2] = {{.fd = watcher->inotify, .events = POLLIN},
                             {.fd = watcher->wake, .events = POLLIN}};

    if (poll(wait, 2, ms) <= 0 || wait[0].revents == 0)
        return false;
    drain(watcher);
    return true;
}

static void
settle(struct mica_watcher *watcher)
{
    uint64_t until = mica_time_coarse_ms() + LONGEST_MS;

    while (mica_time_coarse_ms() < until && !atomic_load(&watcher->closing) &&
           await_event(watcher, SETTLE_MS)) {
    }
}

static void *
run(void *data)
{
    struct mica_watcher *watcher = data;
    bool changed = true;

    while (!atomic_load(&watcher->closing)) {
        changed = add_missing(watcher) || changed;
        if (changed) {
            settle(watcher);
            if (!atomic_load(&watcher->closing))
                watcher->look(watcher->data);
        }
        changed = await_event(watcher, is_missing(watcher) ? RETRY_MS : -1);
    }
    return NULL;
}

static void
release(struct mica_watcher *watcher)
{
    for (size_t i = 0; i < watcher->count; i++)
        free(watcher->folders[i]);
    if (watcher->inotify >= 0)
        close(watcher->inotify);
    if (watcher->wake >= 0)
        close(watcher->wake);
    free(watcher);
}

static enum mica_status
start(struct mica_watcher *watcher, struct mica_error *error)
{
    pthread_attr_t attributes;
    sigset_t before;
    int failed;

    watcher->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    watcher->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (watcher->inotify < 0 || watcher->wake < 0)
        return mica_error_set(error, MICA_E_IO, "", "cannot watch folders: %s",
                              strerror(errno));
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    mica_stop_block(&before);
    failed = pthread_create(&watcher->thread, &attributes, run, watcher);
    mica_stop_unblock(&before);
    pthread_attr_destroy(&attributes);
    if (failed != 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot start a thread to watch folders: %s",
                              strerror(failed));
    return MICA_OK;
}

static bool
copy_folders(struct mica_watcher *watcher, const char *const *folders,
             size_t count)
{
    for (; watcher->count < count; watcher->count++) {
        watcher->folders[watcher->count] = strdup(folders[watcher->count]);
        watcher->watches[watcher->count] = -1;
        if (watcher->folders[watcher->count] == NULL)
            return false;
    }
    return true;
}

enum mica_status
mica_watcher_open(const char *const *folders, size_t count,
                  void (*look)(void *data), void *data,
                  struct mica_error *error, struct mica_watcher **watcher_out)
{
    struct mica_watcher *watcher;
    enum mica_status status;

    if (count > MICA_WATCHED_FOLDERS)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "at most %d folders can be watched together",
                              MICA_WATCHED_FOLDERS);
    watcher = calloc(1, sizeof *watcher);
    if (watcher == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    watcher->look = look;
    watcher->data = data;
    watcher->inotify = watcher->wake = -1;
    atomic_init(&watcher->closing, false);
    status = copy_folders(watcher, folders, count)
                 ? start(watcher, error)
                 : mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    if (status != MICA_OK) {
        release(watcher);
        return status;
    }
    *watcher_out = watcher;
    return MICA_OK;
}

void
mica_watcher_close(struct mica_watcher **watcher)
{
    struct mica_watcher *self = *watcher;
    uint64_t one = 1;
    ssize_t written;

    if (self == NULL)
        return;
    atomic_store(&self->closing, true);
    written = write(self->wake, &one, sizeof one);
    (void)written; // an eventfd takes any number of these
    pthread_join(self->thread, NULL);
    release(self);
    *watcher = NULL;
}
