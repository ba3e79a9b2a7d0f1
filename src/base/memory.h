// SPDX-License-Identifier: Apache-2.0
//
// Memory from the system. Only arenas and buffers call this: all else takes an
// arena, so that a limit holds and a call leaves nothing behind.
#ifndef MICA_BASE_MEMORY_H
#define MICA_BASE_MEMORY_H

#include <stddef.h>

// At least `least` and at most `wish` bytes, aligned for any type; NULL: the
// system has no more. `*size_out` says how many.
// Owner: the caller, until mica_memory_give with that size.
void *mica_memory_take(size_t least, size_t wish, size_t *size_out);

// The same bytes in a piece of `new_size`, perhaps elsewhere; NULL: the
// system has no more, and then the old piece stays as it was. `old` may be NULL.
void *mica_memory_resize(void *old, size_t old_size, size_t new_size);

// Gives a piece back. NULL is allowed. Inside a module only the newest piece
// really returns; the rest goes with the instance.
void mica_memory_give(void *memory, size_t size);

#endif
