// SPDX-License-Identifier: Apache-2.0
//
// Tells AddressSanitizer which bytes of an arena must not be touched, so that a
// pointer kept over a reset is caught. Nothing in other builds.
#ifndef MICA_BASE_POISON_H
#define MICA_BASE_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#    define MICA_POISON 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define MICA_POISON 1
#    endif
#endif

#ifdef MICA_POISON
#    include <sanitizer/asan_interface.h>
#endif

static inline void
mica_poison(const void *memory, size_t size)
{
#ifdef MICA_POISON
    __asan_poison_memory_region(memory, size);
#else
    (void)memory;
    (void)size;
#endif
}

static inline void
mica_unpoison(const void *memory, size_t size)
{
#ifdef MICA_POISON
    __asan_unpoison_memory_region(memory, size);
#else
    (void)memory;
    (void)size;
#endif
}

#endif
