// SPDX-License-Identifier: Apache-2.0
//
// The thread waits for an event, then until there was none for a moment: an
// editor or a compiler changes a file in several steps. It does not wait for that
// without end, so that a folder that never rests is looked at, too.
#include "watch/watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "platform/clock.h"
#include "serve/stop.h"

enum {
    QUIET_MS = 50,
    LONGEST_MS = 1000,
    MISSING_MS = 1000,     // between looks for a folder that is not there
    AGAIN_MS = 1000,       // before a look that was asked for, the first time
    LATEST_MS = 60 * 1000, // and at most
    STACK_BYTES = 4 << 20  // `look` may load and build
};

#define EVENTS                                                              \
    (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | \
     IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
#define ALL_FOLDERS ((1u << MICA_WATCHED_FOLDERS) - 1)

struct mica_watcher {
    struct mica_watch_options options;
    char *folders[MICA_WATCHED_FOLDERS];
    int watches[MICA_WATCHED_FOLDERS]; // -1: the folder is not there
    size_t count;
    int inotify, wake;
    bool started;
    atomic_bool closing;
    pthread_t thread;
};

// What the thread knows of the time since the last look.
struct events {
    bool some;        // something has happened
    unsigned changed; // in these folders
};

// ---- Folders ---------------------------------------------------------------------

static void
add_missing(struct mica_watcher *watcher, struct events *events)
{
    for (size_t i = 0; i < watcher->count; i++) {
        if (watcher->watches[i] >= 0)
            continue;
        watcher->watches[i] =
            inotify_add_watch(watcher->inotify, watcher->folders[i], EVENTS);
        if (watcher->watches[i] >= 0) {
            events->some = true;
            events->changed |= 1u << i;
        }
    }
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

// By descriptor, as by path it might be another directory by now.
bool
mica_watcher_add(struct mica_watcher *watcher, int fd)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return inotify_add_watch(watcher->inotify, path, EVENTS) >= 0;
}

// ---- Events ----------------------------------------------------------------------

static void
note_event(struct mica_watcher *watcher, const struct inotify_event *event,
           struct events *events)
{
    events->some = true;
    if ((event->mask & IN_Q_OVERFLOW) != 0)
        events->changed = ALL_FOLDERS;
    // What has moved is not where it was looked for; it may be added again.
    if ((event->mask & IN_MOVE_SELF) != 0)
        (void)inotify_rm_watch(watcher->inotify, event->wd);
    for (size_t i = 0; i < watcher->count; i++) {
        if (watcher->watches[i] != event->wd)
            continue;
        events->changed |= 1u << i;
        if ((event->mask & (IN_IGNORED | IN_MOVE_SELF)) != 0)
            watcher->watches[i] = -1;
    }
}

static void
watcher_drain(struct mica_watcher *watcher, struct events *events)
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
            note_event(watcher, &event, events);
            at += sizeof event + event.len;
        }
    }
}

// Waits up to `ms` (-1: for ever) for an event; drains it. False when none came.
static bool
await_event(struct mica_watcher *watcher, int ms, struct events *events)
{
    struct pollfd wait[2] = {{.fd = watcher->inotify, .events = POLLIN},
                             {.fd = watcher->wake, .events = POLLIN}};

    if (poll(wait, 2, ms) <= 0 || wait[0].revents == 0)
        return false;
    watcher_drain(watcher, events);
    return true;
}

static void
watcher_settle(struct mica_watcher *watcher, struct events *events)
{
    uint64_t until = mica_clock_coarse_ms() + watcher->options.longest_ms;

    while (mica_clock_coarse_ms() < until && !atomic_load(&watcher->closing) &&
           await_event(watcher, (int)watcher->options.quiet_ms, events)) {
    }
}

// ---- The thread ------------------------------------------------------------------

// Waits for events. `again_ms` (0: none) is when a look was asked for; true when
// that time has come.
static bool
await_events(struct mica_watcher *watcher, int again_ms, struct events *events)
{
    uint64_t start = mica_clock_coarse_ms();

    while (!events->some && !atomic_load(&watcher->closing)) {
        int passed = (int)(mica_clock_coarse_ms() - start);
        int ms = again_ms > 0 ? again_ms - passed : -1;
        if (again_ms > 0 && ms <= 0)
            return true;
        if (is_missing(watcher) && (ms < 0 || ms > MISSING_MS))
            ms = MISSING_MS;
        (void)await_event(watcher, ms, events);
        add_missing(watcher, events);
    }
    return false;
}

static void *
watch_run(void *data)
{
    struct mica_watcher *watcher = data;
    struct events events = {watcher->count > 0, ALL_FOLDERS};
    int again_ms = 0;

    add_missing(watcher, &events);
    while (!atomic_load(&watcher->closing)) {
        if (await_events(watcher, again_ms, &events)) {
            again_ms = again_ms < LATEST_MS / 2 ? 2 * again_ms : LATEST_MS;
            events.changed = ALL_FOLDERS;
        } else {
            again_ms = AGAIN_MS;
            watcher_settle(watcher, &events);
        }
        if (atomic_load(&watcher->closing))
            break;
        unsigned changed = events.changed;
        events = (struct events){false, 0};
        if (!watcher->options.look(watcher->options.data, changed))
            again_ms = 0;
    }
    return NULL;
}

// ---- Opening and closing -----------------------------------------------------------

static void
watcher_release(struct mica_watcher *watcher)
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
open_parts(struct mica_watcher *watcher, struct mica_error *error)
{
    const struct mica_watch_options *options = &watcher->options;

    for (; watcher->count < options->count; watcher->count++) {
        char *folder = strdup(options->folders[watcher->count]);
        if (folder == NULL)
            return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
        watcher->folders[watcher->count] = folder;
        watcher->watches[watcher->count] = -1;
    }
    watcher->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    watcher->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (watcher->inotify < 0 || watcher->wake < 0)
        return mica_error_set(error, MICA_E_IO, "", "cannot watch folders: %s",
                              strerror(errno));
    return MICA_OK;
}

enum mica_status
mica_watcher_open(const struct mica_watch_options *options,
                  struct mica_error *error, struct mica_watcher **watcher_out)
{
    struct mica_watcher *watcher;
    enum mica_status status;

    if (options->count > MICA_WATCHED_FOLDERS)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "at most %d folders can be watched together",
                              MICA_WATCHED_FOLDERS);
    watcher = calloc(1, sizeof *watcher);
    if (watcher == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    watcher->options = *options;
    if (watcher->options.quiet_ms == 0)
        watcher->options.quiet_ms = QUIET_MS;
    if (watcher->options.longest_ms == 0)
        watcher->options.longest_ms = LONGEST_MS;
    watcher->inotify = watcher->wake = -1;
    atomic_init(&watcher->closing, false);
    status = open_parts(watcher, error);
    if (status != MICA_OK) {
        watcher_release(watcher);
        return status;
    }
    *watcher_out = watcher;
    return MICA_OK;
}

enum mica_status
mica_watcher_start(struct mica_watcher *watcher, struct mica_error *error)
{
    pthread_attr_t attributes;
    sigset_t before;
    int failed;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    mica_stop_block(&before);
    failed = pthread_create(&watcher->thread, &attributes, watch_run, watcher);
    mica_stop_unblock(&before);
    pthread_attr_destroy(&attributes);
    watcher->started = failed == 0;
    if (failed != 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot start a thread to watch folders: %s",
                              strerror(failed));
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
    if (self->started) {
        atomic_store(&self->closing, true);
        written = write(self->wake, &one, sizeof one);
        (void)written; // an eventfd takes any number of these
        pthread_join(self->thread, NULL);
    }
    watcher_release(self);
    *watcher = NULL;
}
