// SPDX-License-Identifier: Apache-2.0
//
// How often language models draft apps for people: each draft costs the operator's tokens.
// The limits hold in one process, and are forgotten when it ends.
#ifndef MICA_PUBLISH_DRAFT_LIMIT_H
#define MICA_PUBLISH_DRAFT_LIMIT_H

#include <pthread.h>

#include <mica/base.h>

enum {
    MICA_DRAFTS_PERSON =
        10,              // drafts of a model within a minute, for one person
    MICA_DRAFTS_ALL = 60 // and for all
};

struct mica_draft_limit {
    pthread_mutex_t lock; // guards the members below
    // The latest drafts, the oldest at `next`.
    struct {
        uint64_t person; // hash of the name
        int64_t at;      // milliseconds since 1970; 0: none
    } drafts[MICA_DRAFTS_ALL];
    size_t next;
};

void mica_draft_limit_open(struct mica_draft_limit *limit);
void mica_draft_limit_close(struct mica_draft_limit *limit);

// Counts a draft for the person. Errors: MICA_E_RATE; `retry_s_out` then says in how many
// seconds there is room again. Any thread.
enum mica_status mica_draft_limit_count(struct mica_draft_limit *limit,
                                        struct mica_text person, int64_t now,
                                        struct mica_error *error,
                                        unsigned *retry_s_out) MICA_MUST_USE;

#endif
