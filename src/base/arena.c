// SPDX-License-Identifier: Apache-2.0
//
// Arenas: blocks that double in size, a pointer that rises through the newest,
// and a cap that counts whole blocks. There is no way to free one allocation,
// and so no way to free it twice.
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/memory.h"
#include "base/poison.h"

enum {
    ALIGN = 16,
    FIRST_BLOCK = 8 * 1024,     // most calls of a tool fit
    SMALL_BLOCK = 320,          // of a small arena,
    SMALL_BYTES = 4 * 1024,     // as long as it has no more than that
    LARGEST_BLOCK = 1024 * 1024 // doubling stops here
};

struct mica_arena_block {
    alignas(16) struct mica_arena_block *older;
    size_t size; // this header included
};

void
mica_arena_init(struct mica_arena *arena, size_t cap)
{
    *arena = (struct mica_arena){.cap = cap};
}

void
mica_arena_init_small(struct mica_arena *arena, size_t cap)
{
    *arena = (struct mica_arena){.cap = cap, .small = true};
}

static void
give_block(struct mica_arena_block *block)
{
    size_t size = block->size;
    mica_unpoison(block, size);
    mica_memory_give(block, size);
}

void
mica_arena_fini(struct mica_arena *arena)
{
    while (arena->blocks != NULL) {
        struct mica_arena_block *older = arena->blocks->older;
        give_block(arena->blocks);
        arena->blocks = older;
    }
    mica_arena_init(arena, arena->cap);
}

// Makes `block` the one that is filled, from its first byte.
static void
start_block(struct mica_arena *arena, struct mica_arena_block *block)
{
    arena->next = (char *)(block + 1);
    arena->end = (char *)block + block->size;
    mica_poison(arena->next, (size_t)(arena->end - arena->next));
}

void
mica_arena_reset(struct mica_arena *arena)
{
    arena->overflow = false;
    if (arena->blocks == NULL)
        return;
    while (arena->blocks->older != NULL) {
        struct mica_arena_block *older = arena->blocks->older;
        give_block(arena->blocks);
        arena->blocks = older;
    }
    arena->used = arena->blocks->size;
    start_block(arena, arena->blocks);
}

void
mica_arena_rewind(struct mica_arena *arena, const struct mica_arena *mark)
{
    while (arena->blocks != mark->blocks) {
        struct mica_arena_block *older = arena->blocks->older;
        give_block(arena->blocks);
        arena->blocks = older;
    }
    *arena = *mark;
    if (arena->next != NULL)
        mica_poison(arena->next, (size_t)(arena->end - arena->next));
}

// A new block with room for `size` bytes, larger if the cap allows.
static bool
add_block(struct mica_arena *arena, size_t size)
{
    size_t left = arena->cap - arena->used;
    if (size > SIZE_MAX / 2 || size + sizeof(struct mica_arena_block) > left)
        return false;
    size_t least = size + sizeof(struct mica_arena_block);
    size_t wish = arena->blocks == NULL ? FIRST_BLOCK : arena->blocks->size * 2;
    if (arena->small && arena->used < SMALL_BYTES)
        wish = SMALL_BLOCK;
    if (wish > LARGEST_BLOCK)
        wish = LARGEST_BLOCK;
    if (wish > left)
        wish = left;
    if (wish < least)
        wish = least;
    struct mica_arena_block *block = mica_memory_take(least, wish, &wish);
    if (block == NULL)
        return false;
    block->older = arena->blocks;
    block->size = wish;
    arena->blocks = block;
    arena->used += wish;
    start_block(arena, block);
    return true;
}

static void *
arena_take(struct mica_arena *arena, size_t size, size_t align)
{
    if (arena->overflow)
        return NULL;
    size_t gap = -(uintptr_t)arena->next & (align - 1);
    size_t room = (size_t)(arena->end - arena->next);
    if (arena->next == NULL || room < gap || room - gap < size) {
        if (!add_block(arena, size)) {
            arena->overflow = true;
            return NULL;
        }
        gap = 0; // a block starts aligned
    }
    char *memory = arena->next + gap;
    arena->next = memory + size;
    mica_unpoison(memory, size);
    return memory;
}

void *
mica_arena_alloc(struct mica_arena *arena, size_t size)
{
    return arena_take(arena, size, ALIGN);
}

char *
mica_arena_bytes(struct mica_arena *arena, size_t size)
{
    return arena_take(arena, size, 1);
}

char *
mica_arena_grow(struct mica_arena *arena, char *old, size_t old_size,
                size_t new_size)
{
    if (old == NULL)
        return mica_arena_bytes(arena, new_size);
    size_t more = new_size - old_size;
    if (old + old_size == arena->next && !arena->overflow &&
        (size_t)(arena->end - arena->next) >= more) {
        mica_unpoison(arena->next, more);
        arena->next += more;
        return old;
    }
    char *memory = mica_arena_bytes(arena, new_size);
    if (memory != NULL)
        memcpy(memory, old, old_size);
    return memory;
}

void *
mica_arena_zero(struct mica_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        arena->overflow = true;
        return NULL;
    }
    void *memory = mica_arena_alloc(arena, bytes);
    return memory == NULL ? NULL : memset(memory, 0, bytes);
}

struct mica_text
mica_arena_text(struct mica_arena *arena, struct mica_text text)
{
    // A length of SIZE_MAX cannot be real; it only must not wrap to 0.
    size_t size = text.len < SIZE_MAX ? text.len + 1 : SIZE_MAX;
    char *copy = mica_arena_bytes(arena, size);
    if (copy == NULL)
        return (struct mica_text){NULL, 0};
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (struct mica_text){copy, text.len};
}
