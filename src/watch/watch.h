// SPDX-License-Identifier: Apache-2.0
//
// Says when something in a folder has changed: a thread and an inotify. It says
// in which folder, not what: the listener looks, and compares with what it
// knows. So nothing is missed when events are lost, come twice or come too fast.
#ifndef MICA_WATCH_WATCH_H
#define MICA_WATCH_WATCH_H

#include <mica/base.h>

enum {
    MICA_WATCHED_FOLDERS = 8
};

struct mica_watcher;

// Zero takes the default.
struct mica_watch_options {
    // Entries of these are watched, not those of folders below. One that is not
    // there is waited for, also when it has gone and may come back.
    const char *const *folders;
    size_t count;        // at most MICA_WATCHED_FOLDERS; may be 0
    unsigned quiet_ms;   // without an event, before the look; 50
    unsigned longest_ms; // from the first event to the look; 1000
    // On the watcher's thread. Bit i of `changed`: in `folders[i]` something was
    // written, came or went, or it came itself; all bits when that is not known,
    // as at the first time. True: what was found may look better soon, though no
    // event may say so; then it is called again, after a second, two, four, up to
    // a minute, until it says false or there is an event.
    bool (*look)(void *data, unsigned changed);
    void *data;
};

// Nothing is called yet, but from now on events of what mica_watcher_add adds
// count. Owner: the paths are copied. Errors: MICA_E_IO, MICA_E_USAGE (too many
// folders), MICA_E_LIMIT.
enum mica_status mica_watcher_open(const struct mica_watch_options *options,
                                   struct mica_error *error,
                                   struct mica_watcher **watcher_out)
    MICA_MUST_USE;

// Starts the thread. If there are `folders` it looks once at the beginning.
// Errors: MICA_E_IO.
enum mica_status mica_watcher_start(struct mica_watcher *watcher,
                                    struct mica_error *error) MICA_MUST_USE;

// Watches the directory that is open as `fd`, too, as long as it exists and is
// not moved; the descriptor may be closed. Again for one that is watched does
// nothing. False when the system's limit of watches is met. From any thread.
bool mica_watcher_add(struct mica_watcher *watcher, int fd);

// Waits for `look` to come back. NULL is allowed.
void mica_watcher_close(struct mica_watcher **watcher);

#endif
