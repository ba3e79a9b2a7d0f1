// SPDX-License-Identifier: Apache-2.0
//
// FNV-1a, 64 bits: for hash tables, and to notice that bytes differ. A peer that
// chooses the bytes can choose collisions. Journals and entity tags keep its
// values, so that it stays as it is.
#ifndef MICA_BASE_HASH_H
#define MICA_BASE_HASH_H

#include <mica/base.h>

#define MICA_HASH_START UINT64_C(0xcbf29ce484222325)

// Adds bytes to `hash`, which is MICA_HASH_START before the first.
static inline uint64_t
mica_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline uint64_t
mica_hash_text(struct mica_text text)
{
    return mica_hash_bytes(MICA_HASH_START, text.ptr, text.len);
}

#endif
