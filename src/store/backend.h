// SPDX-License-Identifier: Apache-2.0
//
// The interface of a back end: it runs operations (store_operation.h), each in one
// transaction. Every rule about sessions, streams and calls is in the statements of the
// operations, once for all back ends. A new back end implements the functions below.
#ifndef MICA_STORE_BACKEND_H
#define MICA_STORE_BACKEND_H

#include <mica/store.h>

#include "store/store_operation.h"

// A transaction is isolated: it sees its own writes, and nothing that other processes
// write meanwhile. Any failure undoes all of it.
struct mica_store_backend {
    const char *name;
    void (*close)(void *self);

    // As mica_store_run (store_operation.h). Waits for others for at most
    // options.busy_ms. Errors: MICA_E_BUSY.
    enum mica_status (*run)(void *self, const struct mica_store_part *parts,
                            size_t count, struct mica_arena *arena,
                            struct mica_error *error, unsigned *refusal_out);

    // The node number of this process. The process holds a lock for it, which the system
    // releases when the process ends, whatever ends it. 0: the file system has no such
    // locks. NULL: processes cannot share the store.
    int64_t (*node)(void *self);
    // Returns true if the process with that node number has certainly ended.
    bool (*is_dead)(void *self, int64_t node);

    // Lock out other takeovers into this store, until the unlock or the end of the process.
    // Does not wait. Errors: MICA_E_BUSY (another takeover runs). Both NULL: processes
    // cannot share the store.
    enum mica_status (*lock_takeover)(void *self, struct mica_error *error);
    void (*unlock_takeover)(void *self);

    // NULL: the back end has no file.
    enum mica_status (*place)(void *self, struct mica_error *error,
                              struct mica_store_place *place_out);
    enum mica_status (*backup)(void *self, const char *path,
                               bool (*progress)(void *user, int64_t done,
                                                int64_t total),
                               void *user, struct mica_error *error);
    enum mica_status (*check)(void *self, struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_text *findings_out);
};

// Makes the object that the functions get as `self`. Owner: the caller. `path` NULL: a
// database in memory, for mica_store_memory.
enum mica_status mica_store_sqlite_open(const char *path,
                                        const struct mica_store_options *limits,
                                        struct mica_error *error,
                                        void **self_out) MICA_MUST_USE;

extern const struct mica_store_backend mica_store_memory;
extern const struct mica_store_backend mica_store_sqlite;

#endif
