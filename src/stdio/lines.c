// SPDX-License-Identifier: Apache-2.0
//
// One buffer that grows up to the largest line, and shrinks again.
#include "stdio/lines.h"

#include <stdlib.h>
#include <string.h>

enum {
    USUAL_BYTES = 64 << 10,
    LARGE_BYTES = 1 << 20 // above it the room is made small again
};

enum mica_status
mica_lines_open(size_t max, struct mica_error *error,
                struct mica_lines *lines_out)
{
    char *bytes = malloc(USUAL_BYTES);

    if (bytes == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory for input");
    *lines_out = (struct mica_lines){
        .bytes = bytes, .capacity = USUAL_BYTES, .max = max};
    return MICA_OK;
}

void
mica_lines_close(struct mica_lines *lines)
{
    free(lines->bytes);
    memset(lines, 0, sizeof *lines);
}

static bool
resize(struct mica_lines *lines, size_t capacity)
{
    char *bytes = realloc(lines->bytes, capacity);

    if (bytes == NULL)
        return false;
    lines->bytes = bytes;
    lines->capacity = capacity;
    return true;
}

char *
mica_lines_room(struct mica_lines *lines, size_t *size_out)
{
    size_t kept = lines->end - lines->start;

    if (lines->start > 0) {
        memmove(lines->bytes, lines->bytes + lines->start, kept);
        lines->scanned -= lines->start;
        lines->start = 0;
        lines->end = kept;
    }
    // Half of it free at least, so that few reads are short. A line that is too
    // long is dropped before this, so that the capacity has a bound.
    if (kept > lines->capacity / 2 && !resize(lines, lines->capacity * 2))
        return NULL;
    if (kept <= USUAL_BYTES / 2 && lines->capacity > LARGE_BYTES)
        (void)resize(lines, USUAL_BYTES); // it can stay as large as it is
    *size_out = lines->capacity - kept;
    return lines->bytes + kept;
}

void
mica_lines_filled(struct mica_lines *lines, size_t size)
{
    lines->end += size;
}

static bool
is_blank(struct mica_text line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] != ' ' && line.ptr[i] != '\t')
            return false;
    }
    return true;
}

// Without a line end in what is there: is it too long already?
static enum mica_line
without_end(struct mica_lines *lines)
{
    bool was_skipping = lines->skipping;

    lines->scanned = lines->end;
    // One more than max may be a carriage return.
    if (lines->end - lines->start > lines->max + 1)
        lines->skipping = true;
    if (lines->skipping)
        lines->start = lines->scanned = lines->end;
    return lines->skipping && !was_skipping ? MICA_LINE_LONG : MICA_LINE_NONE;
}

// [STDIO-LINE]
enum mica_line
mica_lines_next(struct mica_lines *lines, bool at_end,
                struct mica_text *line_out)
{
    while (lines->start < lines->end) {
        const char *end = memchr(lines->bytes + lines->scanned, '\n',
                                 lines->end - lines->scanned);
        if (end == NULL && !at_end)
            return without_end(lines);
        const char *start = lines->bytes + lines->start;
        size_t length =
            end != NULL ? (size_t)(end - start) : lines->end - lines->start;
        bool skipped = lines->skipping;
        lines->skipping = false;
        lines->start += length + (end != NULL ? 1 : 0);
        lines->scanned = lines->start;
        if (length > 0 && start[length - 1] == '\r')
            length--;
        *line_out = (struct mica_text){start, length};
        if (skipped || is_blank(*line_out))
            continue;
        return length > lines->max ? MICA_LINE_LONG : MICA_LINE_TEXT;
    }
    return MICA_LINE_NONE;
}
