// SPDX-License-Identifier: Apache-2.0
//
// The feed of changes: the processes that share a store read each other's changes from it.
#ifndef MICA_STORE_STORE_CHANGES_H
#define MICA_STORE_STORE_CHANGES_H

#include <mica/store.h>

// The kind of a change. Stores contain these numbers.
enum mica_store_change_kind {
    MICA_CHANGE_TOOLS = 1, // the list of tools
    MICA_CHANGE_PROMPTS,   // the list of prompts
    MICA_CHANGE_RESOURCES, // the list of resources
    MICA_CHANGE_RESOURCE,  // the content of the resource `name`
    MICA_CHANGE_TASK,      // the state of the task whose id is `name`
    MICA_CHANGE_APP        // the app whose id is `name` (store_apps.h)
};

struct mica_store_change {
    int64_t sequence;
    int64_t created;
    enum mica_store_change_kind kind;
    struct mica_text name;     // of a tool or prompt, or a URI; may be empty
    struct mica_text endpoint; // its key
};

// Longest name in the feed, and longest URI of a subscription.
#define MICA_STORE_NAME_BYTES 8192

// Appends a change; the store sets its sequence. Errors: MICA_E_LIMIT (a name too long).
enum mica_status mica_store_change_append(
    struct mica_store *store, const struct mica_store_change *change,
    struct mica_error *error, int64_t *sequence_out) MICA_MUST_USE;

// Reads the sequence of the newest change, from which a reader begins; 0: no change.
enum mica_status mica_store_change_last(struct mica_store *store,
                                        struct mica_error *error,
                                        int64_t *sequence_out) MICA_MUST_USE;

struct mica_store_changes {
    struct mica_store_change *items; // in order
    size_t count;
    // The store has removed changes after `after`: anything may have changed.
    bool missed;
};

// Reads at most `limit` changes after sequence `after`, in `arena`.
enum mica_status mica_store_change_read(struct mica_store *store, int64_t after,
                                        size_t limit, struct mica_arena *arena,
                                        struct mica_error *error,
                                        struct mica_store_changes *changes_out)
    MICA_MUST_USE;

#endif
