// SPDX-License-Identifier: Apache-2.0
//
// Buckets in an open-addressed table without removal: a bucket that is full again is as
// good as none, and its place is taken first.
#include "serve/rate_limit.h"

enum {
    TOKEN = 1000 // thousandths
};

static bool
is_free(const struct mica_rate_bucket *bucket)
{
    return bucket->key.low == 0 && bucket->key.high == 0;
}

// The bucket itself, or the place for it: a free one, else the one that was seen
// first.
static struct mica_rate_bucket *
find_place(struct mica_rate_limiter *limiter, const struct mica_rate_key *key)
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

static void
bucket_fill(struct mica_rate_bucket *bucket, const struct mica_rate *rate,
            uint64_t now_ms)
{
    uint64_t full_ms = (uint64_t)rate->seconds * 1000;
    uint64_t passed =
        now_ms > bucket->seen_ms ? now_ms - bucket->seen_ms : 0;
    int64_t gained;

    if (passed >= full_ms) {
        bucket->tokens = rate->calls * TOKEN;
        bucket->seen_ms = now_ms;
        return;
    }
    gained = (int64_t)passed * rate->calls / rate->seconds;
    if (gained == 0)
        return; // too early: what has passed still counts
    bucket->tokens += gained;
    if (bucket->tokens > rate->calls * TOKEN)
        bucket->tokens = rate->calls * TOKEN;
    bucket->seen_ms = now_ms;
}

struct mica_rate_bucket *
mica_rate_bucket_of(struct mica_rate_limiter *limiter,
                    const struct mica_rate_key *key,
                    const struct mica_rate *rate, uint64_t now_ms)
{
    struct mica_rate_bucket *bucket = find_place(limiter, key);

    if (bucket->key.low == key->low && bucket->key.high == key->high) {
        bucket_fill(bucket, rate, now_ms);
        return bucket;
    }
    if (is_free(bucket))
        limiter->used++;
    else
        limiter->displaced++;
    *bucket = (struct mica_rate_bucket){.key = *key,
                                        .seen_ms = now_ms,
                                        .tokens = rate->calls * TOKEN};
    return bucket;
}

uint32_t
mica_rate_wait(const struct mica_rate_bucket *bucket,
               const struct mica_rate *rate)
{
    int64_t lacks = TOKEN - bucket->tokens;

    if (lacks <= 0)
        return 0;
    // A thousandth of a token takes seconds / calls milliseconds.
    return (uint32_t)((lacks * rate->seconds + rate->calls - 1) / rate->calls);
}

void
mica_rate_take(struct mica_rate_bucket *bucket)
{
    bucket->tokens -= TOKEN;
}
