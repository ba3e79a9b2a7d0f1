// SPDX-License-Identifier: Apache-2.0
//
// The common case of mica_buffer_reserve without a call: the JSON writer asks
// for room with every value.
#ifndef MICA_BASE_BUFFER_H
#define MICA_BASE_BUFFER_H

#include <mica/base.h>

// As mica_buffer_reserve.
static inline char *
mica_buffer_room(struct mica_buffer *buffer, size_t size)
{
    if (size < buffer->capacity - buffer->len && !buffer->overflow)
        return buffer->ptr + buffer->len;
    return mica_buffer_reserve(buffer, size);
}

#endif
