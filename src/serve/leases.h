// SPDX-License-Identifier: Apache-2.0
//
// The calls that this process has claimed. The call scheduler renews their leases for as
// long as the process lives and works on them.
//
// Threads: any.
#ifndef MICA_SERVE_LEASES_H
#define MICA_SERVE_LEASES_H

#include <pthread.h>

#include "store/store_calls.h"

struct mica_lease {
    char id[MICA_STORE_CALL_ID_BYTES + 1];
    int64_t fence;
    int64_t renewed; // when its lease began
    int64_t alone;   // when it began to run alone (_run_alone); 0: it does not
    // No thread works on it, but the store has not released it yet.
    bool unreleased;
};

struct mica_leases {
    pthread_mutex_t lock;
    struct mica_lease *items;
    size_t count, capacity;
    size_t reserved; // of `capacity`, for claims that are being made
};

void mica_leases_init(struct mica_leases *leases);
void mica_leases_fini(struct mica_leases *leases);

// Reserves memory for one claim, before it is made. _add uses the reservation, _unreserve
// cancels it. Returns false if there is no memory.
bool mica_leases_reserve(struct mica_leases *leases);
void mica_leases_unreserve(struct mica_leases *leases);
void mica_leases_add(struct mica_leases *leases, struct mica_text id,
                     int64_t fence, int64_t now);

// _renewed: the lease begins anew. _remove: the claim is released or lost. Neither has an
// effect on an unknown claim.
void mica_leases_renewed(struct mica_leases *leases, struct mica_text id,
                         int64_t fence, int64_t now);
void mica_leases_remove(struct mica_leases *leases, struct mica_text id,
                        int64_t fence);

// No thread works on the call any more, but the store has failed to release it. The lease
// counts as the oldest, so that the scheduler releases it next.
void mica_leases_unreleased(struct mica_leases *leases, struct mica_text id,
                            int64_t fence);

// Finds the claim whose lease is the oldest and began at or before `before`. Returns false
// if no claim is that old.
bool mica_leases_oldest(struct mica_leases *leases, int64_t before,
                        struct mica_lease *claim_out);

// Lets one suspected call at a time run: marks the claim as running alone. Returns false
// if another one was marked less than quiet_ms ago.
bool mica_leases_run_alone(struct mica_leases *leases, struct mica_text id,
                           int64_t fence, int64_t now, int64_t quiet_ms);

size_t mica_leases_count(struct mica_leases *leases);

#endif
