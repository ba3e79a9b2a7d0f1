// SPDX-License-Identifier: Apache-2.0
//
// Shared by the two files of a takeover: a batch of calls, and the parts of the next
// transaction.
#ifndef MICA_STORE_TAKEOVER_H
#define MICA_STORE_TAKEOVER_H

#include "store/calls.h"

enum {
    MICA_TAKEOVER_CALLS = 200,     // of one batch, at most
    MICA_TAKEOVER_OUTCOMES = 1024, // builds in the cache of results of `may`
    MICA_TAKEOVER_SEEN = 10,       // columns of `seen`
    MICA_TAKEOVER_BYTES =
        256 << 20 // memory of a batch; a batch that needs more is halved
};

// The holder of copies in progress; no process has this number.
#define MICA_STORE_INCOMING "-1"

struct outcome {
    int64_t number; // of a build; 0: the entry is free
    bool may;
};

struct takeover {
    struct mica_store *to, *from;
    bool (*may)(void *user, const struct mica_store_build *build);
    void *user;
    int64_t now;
    struct mica_arena arena; // memory of one batch
    struct mica_text ids[MICA_TAKEOVER_CALLS];
    bool copied[MICA_TAKEOVER_CALLS];
    bool gone[MICA_TAKEOVER_CALLS]; // removed from the other store
    // The columns that other processes may change there, as they were copied.
    union mica_store_value seen[MICA_TAKEOVER_CALLS][MICA_TAKEOVER_SEEN];
    struct mica_store_given *removals[MICA_TAKEOVER_CALLS];
    size_t count;
    size_t most; // calls of one batch, from now on
    // The parts of the next transaction, in the arena.
    struct mica_store_part *parts;
    size_t part_count, part_room;
    unsigned refusal;
    struct mica_text sessions[MICA_TAKEOVER_CALLS]; // of the batch, each once
    size_t session_count;
    struct outcome outcomes[MICA_TAKEOVER_OUTCOMES]; // by the number of a build
    struct mica_store_taken taken;
};

// Empties the batch and the arena.
void mica_takeover_reset(struct takeover *over);

// Adds a part; returns where its steps will put their rows. NULL if there is no memory:
// mica_takeover_perform then fails.
struct mica_store_given *
mica_takeover_add(struct takeover *over,
                  const struct mica_store_operation *operation,
                  const union mica_store_value *values, size_t count);

enum mica_status mica_takeover_perform(struct takeover *over,
                                       struct mica_store *store,
                                       struct mica_error *error) MICA_MUST_USE;

// Step 1 for the calls in `ids`: copies those that are not here yet and that no process has
// claimed there.
enum mica_status mica_takeover_copy(struct takeover *over,
                                    struct mica_error *error) MICA_MUST_USE;

#endif
