// SPDX-License-Identifier: Apache-2.0
//
// What a back end promises: it runs operations (operation.h), each in one transaction.
// Every rule about sessions, streams and calls is in the statements of the operations,
// once for all back ends. A new back end is the struct of functions below.
#ifndef MICA_STORE_BACKEND_H
#define MICA_STORE_BACKEND_H

#include <mica/store.h>

#include "store/store_operation.h"

// A transaction is of one moment: it sees its own writes, and nothing that others do
// meanwhile. Any failure undoes all of it.
struct mica_store_backend {
    const char *name;
    void (*close)(void *self);

    // As mica_store_run (operation.h). Waits for others at most as long as
    // options.busy_ms says. Errors: MICA_E_BUSY.
    enum mica_status (*run)(void *self, const struct mica_store_part *parts,
                            size_t count, struct mica_arena *arena,
                            struct mica_error *error, unsigned *refusal_out);

    // The number of this process among those that share the store: the system
    // lets go of a lock when the process ends, whatever ends it. 0: the file
    // system has no such locks. NULL: no process shares the store.
    int64_t (*node)(void *self);
    // Has the process of that number ended for certain?
    bool (*is_dead)(void *self, int64_t node);

    // Keeps other processes from moving calls into this store, until it is unlocked
    // or the process ends; it does not wait. MICA_E_BUSY: another moves them now.
    // Both NULL: no process shares the store.
    enum mica_status (*lock_takeover)(void *self, struct mica_error *error);
    void (*unlock_takeover)(void *self);

    // NULL: it has no file.
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

// Owner: makes the object that the functions take as `self`. `path` NULL: a database
// in memory, for mica_store_memory.
enum mica_status mica_store_sqlite_open(const char *path,
                                        const struct mica_store_options *limits,
                                        struct mica_error *error,
                                        void **self_out) MICA_MUST_USE;

extern const struct mica_store_backend mica_store_memory;
extern const struct mica_store_backend mica_store_sqlite;

#endif
