// SPDX-License-Identifier: Apache-2.0
//
// What the two files of a takeover share: a batch of calls, and the parts of the
// transaction that is being made.
#ifndef MICA_STORE_TAKEOVER_H
#define MICA_STORE_TAKEOVER_H

#include "store/calls.h"

enum {
    MICA_TAKEOVER_CALLS = 200,     // in one batch at most
    MICA_TAKEOVER_OUTCOMES = 1024, // builds that are remembered
    MICA_TAKEOVER_SEEN = 10,
    MICA_TAKEOVER_BYTES =
        256 << 20 // of a batch, which is halved where that is too little
};

// Holder of what is between two stores.
#define MICA_STORE_INCOMING "-1"

struct outcome {
    int64_t number; // of a build; 0: none yet
    bool may;
};

struct takeover {
    struct mica_store *to, *from;
    bool (*may)(void *user, const struct mica_store_build *build);
    void *user;
    int64_t now;
    struct mica_arena arena; // of a batch
    struct mica_text ids[MICA_TAKEOVER_CALLS];
    bool copied[MICA_TAKEOVER_CALLS];
    bool gone[MICA_TAKEOVER_CALLS]; // from there
    // What others would have changed there: as it was when it was copied.
    union mica_store_value seen[MICA_TAKEOVER_CALLS][MICA_TAKEOVER_SEEN];
    struct mica_store_given *removals[MICA_TAKEOVER_CALLS];
    size_t count;
    size_t most; // in one batch, from now on
    // The transaction that is being made, in the arena.
    struct mica_store_part *parts;
    size_t part_count, part_room;
    unsigned refusal;
    struct mica_text sessions[MICA_TAKEOVER_CALLS]; // of the batch, each once
    size_t session_count;
    struct outcome outcomes[MICA_TAKEOVER_OUTCOMES]; // by the numbers of builds
    struct mica_store_taken taken;
};

// Forgets the batch and what is in the arena.
void mica_takeover_reset(struct takeover *over);

// One more part, and what its steps will give. NULL when there is no memory:
// mica_takeover_perform says so.
struct mica_store_given *
mica_takeover_add(struct takeover *over,
                  const struct mica_store_operation *operation,
                  const union mica_store_value *values, size_t count);

enum mica_status mica_takeover_perform(struct takeover *over,
                                       struct mica_store *store,
                                       struct mica_error *error) MICA_MUST_USE;

// Step 1 for the calls in `ids`: what is here already, or is held there, is not copied.
enum mica_status mica_takeover_copy(struct takeover *over,
                                    struct mica_error *error) MICA_MUST_USE;

#endif
