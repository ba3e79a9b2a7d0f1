// SPDX-License-Identifier: Apache-2.0
//
// How often callers may do something: a bucket of tokens for each rule and caller. A
// bucket holds as many tokens as the rule has calls, and fills again within its time. It
// is kept as the time at which it will be full (GCRA), so nothing is rounded. There are at most MICA_RATE_BUCKETS; past that the bucket of the caller that has
// been quiet for longest is forgotten, so that strangers cannot make memory grow.
//
// Threads: the caller's lock.
#ifndef MICA_SERVE_RATE_LIMIT_H
#define MICA_SERVE_RATE_LIMIT_H

#include <mica/base.h>

enum {
    MICA_RATE_BUCKETS = 8192, // a power of two
    MICA_RATE_PROBES = 16     // places in which a bucket may lie
};

// Whose bucket: bytes of a hash that no caller can choose.
struct mica_rate_key {
    uint64_t low, high;
};

struct mica_rate_bucket {
    struct mica_rate_key key; // both 0: free
    uint64_t seen_ms;         // when it was asked for last
    uint64_t full;            // when it is full, in milliseconds times calls
};

struct mica_rate_limiter {
    struct mica_rate_bucket buckets[MICA_RATE_BUCKETS];
    uint64_t used;      // buckets
    uint64_t displaced; // forgotten before they were full
};

// `calls` tokens in `seconds`.
struct mica_rate {
    int64_t calls, seconds;
};

// The bucket of that key, as it is at `now_ms`. It stays valid until the next call.
struct mica_rate_bucket *mica_rate_bucket_of(struct mica_rate_limiter *limiter,
                                             const struct mica_rate_key *key,
                                             const struct mica_rate *rate,
                                             uint64_t now_ms);

// 0, or the milliseconds until the bucket has a token, rounded up.
uint32_t mica_rate_wait(const struct mica_rate_bucket *bucket,
                        const struct mica_rate *rate);

// Takes one, which has to be there.
void mica_rate_take(struct mica_rate_bucket *bucket,
                    const struct mica_rate *rate);

#endif
