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
lines_resize(struct mica_lines *lines, size_t capacity)
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
    if (kept > lines->capacity / 2 && !lines_resize(lines, lines->capacity * 2))
        return NULL;
    if (kept <= USUAL_BYTES / 2 && lines->capacity > LARGE_BYTES)
        (void)lines_resize(lines, USUAL_BYTES); // it can stay as large as it is
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

// Drops what is there of a line that is too long, all but what tells its id.
static void
lines_skip(struct mica_lines *lines, struct mica_text piece)
{
    if (!lines->skipping)
        memset(&lines->scan, 0, sizeof lines->scan);
    lines->skipping = true;
    mica_id_scan(&lines->scan, piece);
}

static enum mica_line
lines_skipped(struct mica_lines *lines, struct mica_text *id_out)
{
    lines->skipping = false;
    *id_out = mica_id_scan_found(&lines->scan);
    return MICA_LINE_LONG;
}

// Without a line end in what is there: it may be too long already.
static void
lines_without_end(struct mica_lines *lines)
{
    struct mica_text piece = {lines->bytes + lines->start,
                              lines->end - lines->start};
    lines->scanned = lines->end;
    // One more than max may be a carriage return.
    if (!lines->skipping && piece.len <= lines->max + 1)
        return;
    lines_skip(lines, piece);
    lines->start = lines->end;
}

// [STDIO-LINE]
enum mica_line
mica_lines_next(struct mica_lines *lines, bool at_end,
                struct mica_text *line_out)
{
    while (lines->start < lines->end) {
        const char *end = memchr(lines->bytes + lines->scanned, '\n',
                                 lines->end - lines->scanned);
        if (end == NULL && !at_end) {
            lines_without_end(lines);
            return MICA_LINE_NONE;
        }
        const char *start = lines->bytes + lines->start;
        size_t length =
            end != NULL ? (size_t)(end - start) : lines->end - lines->start;
        lines->start += length + (end != NULL ? 1 : 0);
        lines->scanned = lines->start;
        if (length > 0 && start[length - 1] == '\r')
            length--;
        *line_out = (struct mica_text){start, length};
        if (lines->skipping || length > lines->max) {
            lines_skip(lines, *line_out);
            return lines_skipped(lines, line_out);
        }
        if (!is_blank(*line_out))
            return MICA_LINE_TEXT;
    }
    return at_end && lines->skipping ? lines_skipped(lines, line_out)
                                     : MICA_LINE_NONE;
}
