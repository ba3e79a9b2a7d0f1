// SPDX-License-Identifier: Apache-2.0
//
// Memory that will be read soon. Where ten thousand values are in turn, each is out of the
// caches when its turn comes, and a chain of pointers waits for memory at each step. Code
// that knows the next steps early asks for them, and does something else meanwhile.
#ifndef MICA_BASE_PREFETCH_H
#define MICA_BASE_PREFETCH_H

#include <stddef.h>

enum {
    MICA_CACHE_LINE_BYTES = 64
};

// Asks the processor for the lines of the cache that have these bytes. Any address will do.
static inline void
mica_prefetch(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += MICA_CACHE_LINE_BYTES)
        __builtin_prefetch((const char *)at + i);
    // gcc removes calls of a function that does nothing else.
    __asm__ volatile("" : : "r"(at));
}

#endif
