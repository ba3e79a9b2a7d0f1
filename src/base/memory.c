// SPDX-License-Identifier: Apache-2.0
//
// The only file of the core that takes memory from the system: the C heap
// natively; in a module, a mark that rises from the end of the static data.
// A module lives for one call, so it needs no heap that takes pieces back, and
// a heap would add 8 KB to each one.
#include "base/memory.h"

#ifndef __wasm__

#    include <stdlib.h>

void *
mica_memory_take(size_t least, size_t wish, size_t *size_out)
{
    (void)least;
    *size_out = wish;
    return malloc(wish);
}

void *
mica_memory_resize(void *old, size_t old_size, size_t new_size)
{
    (void)old_size;
    return realloc(old, new_size);
}

void
mica_memory_give(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

#else

#    include <stdint.h>
#    include <string.h>

enum {
    ALIGN = 16,
    PAGE = 65536
};

// First byte behind the static data and the stack; the linker defines it.
extern unsigned char heap_base __asm__("__heap_base");

// The mark: everything below is in use. 0 before the first piece.
static uintptr_t mark;

static size_t
room_left(void)
{
    if (mark == 0)
        mark = ((uintptr_t)&heap_base + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    uintptr_t end = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
    return mark < end ? end - mark : 0;
}

void *
mica_memory_take(size_t least, size_t wish, size_t *size_out)
{
    // What is left of the pages at hand comes first: growing costs the host.
    size_t room = room_left();
    if (least > SIZE_MAX - PAGE)
        return NULL;
    if (room < least) {
        size_t pages = (least - room + PAGE - 1) / PAGE;
        if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX)
            return NULL;
        room = room_left();
    }
    size_t size = wish < room ? wish : room;
    void *memory = (void *)mark;
    mark += (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    *size_out = size;
    return memory;
}

void *
mica_memory_resize(void *old, size_t old_size, size_t new_size)
{
    size_t given;
    mica_memory_give(old, old_size);
    void *memory = mica_memory_take(new_size, new_size, &given);
    if (memory != NULL && memory != old && old != NULL)
        memmove(memory, old, old_size < new_size ? old_size : new_size);
    return memory;
}

void
mica_memory_give(void *memory, size_t size)
{
    size_t rounded = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (memory != NULL && (uintptr_t)memory + rounded == mark)
        mark = (uintptr_t)memory;
}

#endif
