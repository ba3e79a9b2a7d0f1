// SPDX-License-Identifier: Apache-2.0
//
// Bytes that grow up to a maximum, in an arena or on the heap. Capacity
// doubles, so that adding n bytes one by one moves fewer than 2n.
#include <string.h>

#include <mica/base.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"

enum {
    FIRST_CAPACITY = 256
};

void
mica_buffer_init(struct mica_buffer *buffer, struct mica_arena *arena,
                 size_t max)
{
    *buffer = (struct mica_buffer){.arena = arena, .max = max};
}

void
mica_buffer_fini(struct mica_buffer *buffer)
{
    if (buffer->arena == NULL)
        mica_memory_give(buffer->ptr, buffer->capacity);
    mica_buffer_init(buffer, buffer->arena, buffer->max);
}

static bool
set_capacity(struct mica_buffer *buffer, size_t capacity)
{
    char *ptr =
        buffer->arena != NULL
            ? mica_arena_grow(buffer->arena, buffer->ptr, buffer->capacity,
                              capacity)
            : mica_memory_resize(buffer->ptr, buffer->capacity, capacity);
    if (ptr == NULL)
        return false;
    buffer->ptr = ptr;
    buffer->capacity = capacity;
    return true;
}

char *
mica_buffer_reserve(struct mica_buffer *buffer, size_t size)
{
    if (buffer->overflow)
        return NULL;
    if (size > buffer->max - buffer->len) {
        buffer->overflow = true;
        return NULL;
    }
    size_t need = buffer->len + size;
    if (need <= buffer->capacity && buffer->ptr != NULL)
        return buffer->ptr + buffer->len;
    size_t wish = buffer->capacity < FIRST_CAPACITY / 2 ? FIRST_CAPACITY
                  : buffer->capacity > buffer->max / 2  ? buffer->max
                                                        : 2 * buffer->capacity;
    if (wish > buffer->max)
        wish = buffer->max;
    if (wish < need)
        wish = need;
    if (!set_capacity(buffer, wish)) {
        buffer->overflow = true;
        return NULL;
    }
    return buffer->ptr + buffer->len;
}

void
mica_buffer_add(struct mica_buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    char *room = mica_buffer_room(buffer, size);
    if (room == NULL)
        return;
    memcpy(room, bytes, size);
    buffer->len += size;
}

void
mica_buffer_text(struct mica_buffer *buffer, struct mica_text text)
{
    mica_buffer_add(buffer, text.ptr, text.len);
}

void
mica_buffer_char(struct mica_buffer *buffer, char byte)
{
    char *room = mica_buffer_room(buffer, 1);
    if (room == NULL)
        return;
    *room = byte;
    buffer->len++;
}

struct mica_text
mica_buffer_as_text(const struct mica_buffer *buffer)
{
    return (struct mica_text){buffer->ptr, buffer->len};
}
