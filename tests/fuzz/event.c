// SPDX-License-Identifier: Apache-2.0
//
// Events: what the writer writes is read, by the rules of the format, as that one
// event and nothing else, whatever the data and the id are.
#include <stdlib.h>
#include <string.h>

#include "http/events/event.h"

#include "target.h"

// What a reader makes of a stream: how many events, and the data of the last.
struct read {
    size_t events, length, ids;
    char *data; // lines joined by LF
};

static void
take_line(struct read *read, const char *line, size_t length, bool *has_data)
{
    size_t skip = length > 5 && line[5] == ' ' ? 6 : 5;

    if (length == 0) {
        read->events += *has_data ? 1 : 0;
        *has_data = false;
    } else if (length >= 5 && memcmp(line, "data:", 5) == 0) {
        if (*has_data)
            read->data[read->length++] = '\n';
        memcpy(read->data + read->length, line + skip, length - skip);
        read->length += length - skip;
        *has_data = true;
    } else if (length >= 3 && memcmp(line, "id:", 3) == 0) {
        read->ids++;
    } else {
        FUZZ_MUST(length >= 6 && memcmp(line, "retry:", 6) == 0);
    }
}

static void
read_stream(struct read *read, struct mica_text text)
{
    bool has_data = false;
    size_t begin = 0;

    for (size_t i = 0; i < text.len; i++) {
        FUZZ_MUST(text.ptr[i] != '\r');
        if (text.ptr[i] != '\n')
            continue;
        take_line(read, text.ptr + begin, i - begin, &has_data);
        begin = i + 1;
    }
    FUZZ_MUST(begin == text.len && !has_data); // whole lines, a whole event
}

// `data` with each CR, LF or CRLF as one LF.
static size_t
normal(const char *data, size_t size, char *room)
{
    size_t length = 0;

    for (size_t i = 0; i < size; i++) {
        if (data[i] == '\n' && i > 0 && data[i - 1] == '\r')
            continue;
        room[length++] = data[i] == '\r' ? '\n' : data[i];
    }
    return length;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t cut = size > 0 ? bytes[0] % 32 : 0;
    struct mica_text all = {(const char *)bytes + (size > 0),
                            size - (size > 0)};
    struct mica_text id = mica_text_slice(all, 0, cut);
    struct mica_text data = mica_text_slice(all, cut, all.len);
    struct mica_buffer buffer;
    struct read read = {.data = malloc(size + 1)};
    char *expected = malloc(size + 1);
    size_t length = normal(data.ptr, data.len, expected);
    bool has_id = id.len > 0 && (unsigned char)id.ptr[0] >= ' ';

    mica_buffer_init(&buffer, NULL, 16 * size + 256);
    mica_event_write(&buffer, id, data, (unsigned)cut);
    FUZZ_MUST(!buffer.overflow);
    read_stream(&read, mica_buffer_as_text(&buffer));
    FUZZ_MUST(read.events == (has_id || data.len > 0 ? 1 : 0));
    FUZZ_MUST(read.ids == (has_id ? 1 : 0));
    FUZZ_MUST(read.length == length &&
              memcmp(read.data, expected, length) == 0);
    mica_buffer_fini(&buffer);
    free(expected);
    free(read.data);
    return 0;
}
