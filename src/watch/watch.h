// SPDX-License-Identifier: Apache-2.0
//
// Says when something in a folder has changed: a thread and an inotify. It does
// not say what: whoever is told looks, and compares with what it knows. So
// nothing is missed when events are lost, come twice or come too fast.
#ifndef MICA_WATCH_WATCH_H
#define MICA_WATCH_WATCH_H

#include <mica/base.h>

enum {
    MICA_WATCHED_FOLDERS = 4
};

struct mica_watcher;

// Calls `look(data)` on a thread of its own: once at the beginning, and when an
// entry of one of the `folders` (not of those below) was written, came or went,
// as soon as that has been quiet for a moment. A folder that is not there is
// waited for. Owner: the paths are copied. Errors: MICA_E_IO, MICA_E_USAGE (too
// many folders), MICA_E_LIMIT.
enum mica_status mica_watcher_open(const char *const *folders, size_t count,
                                   void (*look)(void *data), void *data,
                                   struct mica_error *error,
                                   struct mica_watcher **watcher_out)
    MICA_MUST_USE;

// Waits for `look` to come back. NULL is allowed.
void mica_watcher_close(struct mica_watcher **watcher);

#endif
