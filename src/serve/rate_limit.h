// SPDX-License-Identifier: Apache-2.0
//
// Rate limits: a token bucket for each rule and caller. A bucket has at most as many tokens as
// the rule has calls, and fills again within the rule's time. It stores the time at which it will
// be full (GCRA), so nothing is rounded. There are at most MICA_RATE_BUCKETS; past that the bucket
// of the caller that has been quiet for longest is replaced, so that clients cannot make memory
// grow.
//
// Threads: one at a time, under the caller's lock.
#ifndef MICA_SERVE_RATE_LIMIT_H
#define MICA_SERVE_RATE_LIMIT_H

#include <mica/base.h>

enum {
    MICA_RATE_BUCKETS = 8192, // a power of two
    MICA_RATE_PROBES = 16     // entries in which a bucket may be
};

// The key of a bucket: bytes of a hash, which no caller can choose.
struct mica_rate_key {
    uint64_t low, high;
};

struct mica_rate_bucket {
    struct mica_rate_key key; // both 0: free
    uint64_t seen_ms;         // when it was used last
    uint64_t full; // when it will be full, in milliseconds times calls
};

struct mica_rate_limiter {
    struct mica_rate_bucket buckets[MICA_RATE_BUCKETS];
    uint64_t used;      // buckets
    uint64_t displaced; // buckets that others have replaced
};

// `calls` tokens in `seconds`.
struct mica_rate {
    int64_t calls, seconds;
};

// Finds or makes the bucket of that key, at `now_ms`. It is valid until the next call.
struct mica_rate_bucket *mica_rate_bucket_of(struct mica_rate_limiter *limiter,
                                             const struct mica_rate_key *key,
                                             const struct mica_rate *rate,
                                             uint64_t now_ms);

// The milliseconds until the bucket has a token, rounded up; 0: it has one.
uint32_t mica_rate_wait(const struct mica_rate_bucket *bucket,
                        const struct mica_rate *rate);

// Removes a token; the bucket must have one.
void mica_rate_take(struct mica_rate_bucket *bucket,
                    const struct mica_rate *rate);

#endif
