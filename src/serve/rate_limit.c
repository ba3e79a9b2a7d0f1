// SPDX-License-Identifier: Apache-2.0
//
// Buckets in an open-addressed hash table without removal: a full bucket has no information, and
// a new bucket replaces the one that was used longest ago.
#include "serve/rate_limit.h"

enum {
    MS = 1000 // of a second
};

// The time of one token, in the unit of `full`.
static uint64_t
cost_of(const struct mica_rate *rate)
{
    return (uint64_t)rate->seconds * MS;
}

static bool
is_free(const struct mica_rate_bucket *bucket)
{
    return bucket->key.low == 0 && bucket->key.high == 0;
}

// The bucket of the key, or the entry for it: a free one, otherwise the one that was used longest
// ago.
static struct mica_rate_bucket *
find_bucket(struct mica_rate_limiter *limiter, const struct mica_rate_key *key)
{
    struct mica_rate_bucket *oldest = NULL;

    for (size_t i = 0; i < MICA_RATE_PROBES; i++) {
        struct mica_rate_bucket *bucket =
            &limiter->buckets[(key->low + i) & (MICA_RATE_BUCKETS - 1)];
        if (is_free(bucket) ||
            (bucket->key.low == key->low && bucket->key.high == key->high))
            return bucket;
        if (oldest == NULL || bucket->seen_ms < oldest->seen_ms)
            oldest = bucket;
    }
    return oldest;
}

struct mica_rate_bucket *
mica_rate_bucket_of(struct mica_rate_limiter *limiter,
                    const struct mica_rate_key *key,
                    const struct mica_rate *rate, uint64_t now_ms)
{
    struct mica_rate_bucket *bucket = find_bucket(limiter, key);
    uint64_t now = now_ms * (uint64_t)rate->calls;

    if (bucket->key.low != key->low || bucket->key.high != key->high) {
        if (is_free(bucket))
            limiter->used++;
        else
            limiter->displaced++;
        *bucket = (struct mica_rate_bucket){.key = *key, .seen_ms = now_ms};
    }
    if (bucket->seen_ms < now_ms)
        bucket->seen_ms = now_ms;
    if (bucket->full < now)
        bucket->full = now;
    return bucket;
}

uint32_t
mica_rate_wait(const struct mica_rate_bucket *bucket,
               const struct mica_rate *rate)
{
    uint64_t calls = (uint64_t)rate->calls, now = bucket->seen_ms * calls;
    uint64_t after = bucket->full + cost_of(rate); // with one token less
    uint64_t whole = calls * cost_of(rate);

    return after <= now + whole
               ? 0
               : (uint32_t)((after - now - whole + calls - 1) / calls);
}

void
mica_rate_take(struct mica_rate_bucket *bucket, const struct mica_rate *rate)
{
    bucket->full += cost_of(rate);
}
