// SPDX-License-Identifier: Apache-2.0
//
// How often one caller's views may send requests: a token bucket for each caller, in a table of
// a fixed size. The operator's rules (docs/rules.md) set finer limits; this one is always there.
#include "base/hash.h"
#include "rest/relay.h"

enum {
    INTERVAL_MS = 1000 / MICA_RELAY_RATE,
    TOLERANCE_MS = INTERVAL_MS * (MICA_RELAY_BURST - 1)
};

static size_t
bucket_of(const struct mica_caller *caller, struct mica_text party)
{
    const struct mica_principal *principal = caller->principal;
    uint64_t hash = mica_hash_text(party);

    if (principal != NULL) {
        hash =
            mica_hash_bytes(hash, principal->issuer.ptr, principal->issuer.len);
        hash = mica_hash_bytes(hash, "", 1);
        hash = mica_hash_bytes(hash, principal->subject.ptr,
                               principal->subject.len);
    }
    return (size_t)((hash ^ hash >> 32) % MICA_RELAY_BUCKETS);
}

uint32_t
mica_relay_wait(struct mica_relay_buckets *buckets,
                const struct mica_caller *caller, struct mica_text party,
                int64_t now)
{
    _Atomic(int64_t) *bucket = &buckets->full[bucket_of(caller, party)];
    int64_t full = atomic_load(bucket), next;

    do {
        // A clock that was set back must not close a bucket for long.
        next =
            full < now || full - now > TOLERANCE_MS + INTERVAL_MS ? now : full;
        if (next - now > TOLERANCE_MS)
            return (uint32_t)(next - now - TOLERANCE_MS);
        next += INTERVAL_MS;
    } while (!atomic_compare_exchange_weak(bucket, &full, next));
    return 0;
}
