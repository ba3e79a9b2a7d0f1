// SPDX-License-Identifier: Apache-2.0
//
// Locks a folder with flock, without a wait that has no end.
#include "build/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "build/process.h"
#include "platform/clock.h"

enum {
    LOCK_PAUSE_MS = 10 // between two tries
};

static enum mica_status
lock_error(const char *verbz, const char *folder, struct mica_error *error)
{
    return mica_error_set(error, errno == ENOENT ? MICA_E_NOT_FOUND : MICA_E_IO,
                          "", "Cannot %s the folder %s: %s", verbz, folder,
                          strerror(errno));
}

// Polls: nothing could end a wait inside of flock when the build is to end.
static enum mica_status
await_lock(int lock, const char *folder, unsigned wait_ms,
           struct mica_error *error)
{
    int64_t deadline = mica_clock_ms() + wait_ms;
    while (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return lock_error("lock", folder, error);
        if (mica_process_are_ended())
            return mica_error_set(error, MICA_E_CANCELLED, "",
                                  "The wait for the lock of %s was given up.",
                                  folder);
        if (mica_clock_ms() >= deadline)
            return mica_error_set(
                error, MICA_E_BUSY, "",
                "Another process has held the lock of the folder %s for %u s. "
                "Look for one that hangs or was stopped (fuser %s), and try "
                "again.",
                folder, wait_ms / 1000, folder);
        (void)poll(NULL, 0, LOCK_PAUSE_MS);
    }
    return MICA_OK;
}

enum mica_status
mica_folder_lock(const char *folder, unsigned wait_ms, struct mica_error *error,
                 int *lock_out)
{
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return lock_error("open", folder, error);
    enum mica_status status = await_lock(lock, folder, wait_ms, error);
    if (status == MICA_OK)
        *lock_out = lock;
    else
        (void)close(lock);
    return status;
}
