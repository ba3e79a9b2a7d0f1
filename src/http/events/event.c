// SPDX-License-Identifier: Apache-2.0
//
// Writes the fields of an event, one a line. CR, LF and CRLF all end a line.
#include "http/events/event.h"

#include <string.h>

static size_t
line_length(struct mica_text text)
{
    size_t length = 0;

    while (length < text.len && text.ptr[length] != '\n' &&
           text.ptr[length] != '\r')
        length++;
    return length;
}

static void
write_data(struct mica_buffer *buffer, struct mica_text data)
{
    for (;;) {
        size_t length = line_length(data);
        mica_buffer_text(buffer, MICA_LITERAL("data: "));
        mica_buffer_add(buffer, data.ptr, length);
        mica_buffer_char(buffer, '\n');
        if (length == data.len)
            return;
        length +=
            data.len - length >= 2 && memcmp(data.ptr + length, "\r\n", 2) == 0
                ? 2
                : 1;
        data = (struct mica_text){data.ptr + length, data.len - length};
    }
}

static size_t
event_printable(struct mica_text id)
{
    size_t length = 0;

    while (length < id.len && (unsigned char)id.ptr[length] >= ' ')
        length++;
    return length;
}

void
mica_event_write(struct mica_buffer *buffer, struct mica_text id,
                 struct mica_text data, unsigned retry_ms)
{
    id.len = event_printable(id);
    if (id.len > 0) {
        mica_buffer_text(buffer, MICA_LITERAL("id: "));
        mica_buffer_text(buffer, id);
        mica_buffer_char(buffer, '\n');
    }
    if (retry_ms > 0)
        mica_buffer_format(buffer, "retry: %u\n", retry_ms);
    if (id.len > 0 || data.len > 0)
        write_data(buffer, data);
    mica_buffer_char(buffer, '\n');
}
