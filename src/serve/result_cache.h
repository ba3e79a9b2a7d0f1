// SPDX-License-Identifier: Apache-2.0
//
// Results of engines, by content: an engine is a pure function, so that the hash of its
// module and the bytes of its arguments decide its result.
//
// Invariants:
//  CACHE-1. Only results without an error are kept, and only those of a module whose hash is
//           known. A module that is built anew has another hash.
//  CACHE-2. A result is kept only if the engine took MICA_CACHE_GAIN times as long for it as
//           the look-up. A result whose look-ups turn out not to be faster than the engine
//           is dropped.
//  CACHE-3. After every MICA_CACHE_TRUST uses of a result the engine runs again. If its
//           result has other bytes, the kept one is dropped and counted.
//  CACHE-4. Entries have at most the given bytes in all, with their keys. The entry that was
//           used least lately gives way.
//
// Threads: any. A lock guards the table. An entry is immutable but for its counters, and
// its bytes are read without the lock, under a reference.
#ifndef MICA_SERVE_RESULT_CACHE_H
#define MICA_SERVE_RESULT_CACHE_H

#include "registry/definition.h"

enum {
    MICA_CACHE_BYTES_DEFAULT = 16 << 20,
    MICA_CACHE_BYTES_LEAST = 64 << 10,
    MICA_CACHE_BYTES_MOST = 1 << 30,
    MICA_CACHE_SHARE = 8,  // an entry has at most this part of all bytes
    MICA_CACHE_GAIN = 2,   // how many times faster than its engine it must be
    MICA_CACHE_TRUST = 64, // uses before the engine has to confirm a result
    MICA_CACHE_SLOW = 4 // look-ups slower than the engine until an entry goes
};

struct mica_result_cache;

struct mica_cache_counts {
    uint64_t hits, misses; // calls that found an entry, results that had none
    uint64_t slower;       // results that were not kept, or dropped, by CACHE-2
    uint64_t displaced;    // by CACHE-4
    uint64_t different;    // by CACHE-3: a fault of the build or of the machine
    uint64_t entries, bytes;
};

// `now_ns` is the clock that runs and look-ups are measured with, mica_clock_ns outside of
// tests. NULL for want of memory.
struct mica_result_cache *mica_result_cache_new(size_t bytes,
                                                uint64_t (*now_ns)(void));

// Runs the engine, or gives the result of an earlier run. Both leave the same in `call`.
void mica_result_cache_run(struct mica_result_cache *cache,
                           const struct mica_definition *engine,
                           struct mica_call *call, struct mica_text arguments);

struct mica_cache_counts
mica_result_cache_counts(struct mica_result_cache *cache);

// Frees it, and sets the pointer to NULL. No call may run.
void mica_result_cache_free(struct mica_result_cache **cache);

#endif
