// SPDX-License-Identifier: Apache-2.0
//
// Which calls this process has claimed, so that their leases are renewed for as
// long as it lives and works on them.
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
    int64_t alone; // since when it runs beside no other such; 0: it is not such
    bool given_up; // it could not be given back yet
};

struct mica_leases {
    pthread_mutex_t lock;
    struct mica_lease *items;
    size_t count, room;
    size_t reserved; // of `room`, for claims that are being made
};

void mica_leases_init(struct mica_leases *leases);
void mica_leases_fini(struct mica_leases *leases);

// Room for one more, before it is made; false for want of memory. _add uses it
// up, _unreserve gives it back.
bool mica_leases_reserve(struct mica_leases *leases);
void mica_leases_unreserve(struct mica_leases *leases);
void mica_leases_add(struct mica_leases *leases, struct mica_text id,
                     int64_t fence, int64_t now);

// Its lease begins anew; nothing when it is not there.
void mica_leases_renewed(struct mica_leases *leases, struct mica_text id,
                         int64_t fence, int64_t now);
void mica_leases_drop(struct mica_leases *leases, struct mica_text id,
                      int64_t fence);

// No thread works on it any more, but the store has not taken it back. Its lease counts as
// begun long ago.
void mica_leases_give_up(struct mica_leases *leases, struct mica_text id,
                         int64_t fence);

// A claim whose lease began at or before `before`; false: no claim is that old.
bool mica_leases_oldest(struct mica_leases *leases, int64_t before,
                        struct mica_lease *claim_out);

// May that claim run from now on as one of which there is one at a time? False when
// there is another since less than quiet_ms.
bool mica_leases_run_alone(struct mica_leases *leases, struct mica_text id,
                           int64_t fence, int64_t now, int64_t quiet_ms);

size_t mica_leases_count(struct mica_leases *leases);

#endif
