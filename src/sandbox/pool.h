// SPDX-License-Identifier: Apache-2.0
//
// The memory that one thread's instances live in, one after the other. Nothing
// is ever read back from what a call left: between calls every byte that an
// instance could reach is zero, whatever the module did.
#ifndef MICA_SANDBOX_POOL_H
#define MICA_SANDBOX_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/runtime/guard.h"

enum {
    MICA_PAGE = 65536,
    MICA_POOL_KEEP = 512 * 1024, // memory that stays with an idle thread
    MICA_POOL_KEEP_LARGE =
        8 * 1024 * 1024,   // while one large call follows another
    MICA_TABLE_MAX = 16384 // targets of indirect calls
};

struct mica_pool {
    uint8_t *base;    // address space, NULL before the first call
    size_t reserved;  // bytes of address space
    size_t committed; // bytes from the start that may be touched
    size_t before;    // end of what the last call wrote
    size_t resident;  // bytes from the start that were kept, all zero
    struct mica_function *table; // MICA_TABLE_MAX entries
};

// Address space for a memory of `size` bytes. False: the system has no more.
bool mica_pool_reserve(struct mica_pool *pool, size_t size);

// Makes the first `size` bytes usable; new ones are zero. False when the system
// refuses or `size` was not reserved.
bool mica_pool_commit(struct mica_pool *pool, size_t size);

// Zeroes all that was written to `memory` (NULL: nothing), and gives back to the
// system what is more than MICA_POOL_KEEP; or than MICA_POOL_KEEP_LARGE, as far as
// the call before needed it, too: taking a megabyte from the system costs more
// than hashing its half.
void mica_pool_clean(struct mica_pool *pool, const struct mica_memory *memory);

void mica_pool_fini(struct mica_pool *pool);

#endif
