// SPDX-License-Identifier: Apache-2.0
//
// The lock of a folder into which several processes put files.
#ifndef MICA_BUILD_FOLDER_LOCK_H
#define MICA_BUILD_FOLDER_LOCK_H

#include <mica/base.h>

enum {
    MICA_LOCK_MS =
        60000 // that a build waits for other processes that put files in place
};

// Locks the folder, and waits up to `wait_ms` for another process or thread that holds
// the lock. Every user who may list the folder may lock it, so each wait has an end.
// Owner: the caller, who unlocks it with close(*lock_out). Errors: MICA_E_BUSY (not
// within that time), MICA_E_CANCELLED (mica_process_end_all), MICA_E_NOT_FOUND,
// MICA_E_IO.
enum mica_status mica_folder_lock(const char *folder, unsigned wait_ms,
                                  struct mica_error *error, int *lock_out)
    MICA_MUST_USE;

#endif
