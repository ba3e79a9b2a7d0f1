// SPDX-License-Identifier: Apache-2.0
//
// What the buffer and the JSON reader need of an arena beyond its public face.
#ifndef MICA_BASE_ARENA_H
#define MICA_BASE_ARENA_H

#include <mica/base.h>

// As mica_arena_alloc, but aligned to nothing: for text.
char *mica_arena_bytes(struct mica_arena *arena, size_t size);

// The `old_size` bytes at `old` (which came from mica_arena_bytes, or NULL) in
// a piece of `new_size`: in place when they are the newest, copied otherwise.
char *mica_arena_grow(struct mica_arena *arena, char *old, size_t old_size,
                      size_t new_size);

// Back to what the arena was when `mark` was copied from it: what was allocated since
// is forgotten. The arena must not have been reset since.
void mica_arena_rewind(struct mica_arena *arena, const struct mica_arena *mark);

#endif
