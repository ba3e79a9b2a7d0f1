// SPDX-License-Identifier: Apache-2.0
//
// A log of fixed size, so that a task with many messages does not make a store grow: the
// oldest messages are dropped first.
#include "server/calls/progress_log.h"

#include <string.h>

#include "base/assert.h"
#include "server/message.h"

enum {
    LINE_BYTES =
        6 * MICA_PROGRESS_LOG_MESSAGE_BYTES + 128 // when each byte is escaped
};

_Static_assert(2 * LINE_BYTES < MICA_PROGRESS_LOG_BYTES, "a line always fits");

#define NUMBER "{\"number\":"

// Removes the first line from *text and returns it, without its newline.
static struct mica_text
read_line(struct mica_text *text)
{
    const char *end = text->len > 0 ? memchr(text->ptr, '\n', text->len) : NULL;
    size_t size = end != NULL ? (size_t)(end - text->ptr) : text->len;
    struct mica_text line = mica_text_slice(*text, 0, size);

    *text = mica_text_slice(*text, size + 1, text->len);
    return line;
}

// The number of a message; 0 if the line is not a message.
static int64_t
number_of(struct mica_text line)
{
    size_t begin = sizeof NUMBER - 1, end = begin;
    int64_t number = 0;

    if (!mica_text_starts(line, NUMBER))
        return 0;
    while (end < line.len && line.ptr[end] != ',')
        end++;
    return mica_integer_read(mica_text_slice(line, begin, end), &number)
               ? number
               : 0;
}

static int64_t
last_number(struct mica_text progress_log)
{
    int64_t last = 0;

    while (progress_log.len > 0) {
        int64_t number = number_of(read_line(&progress_log));
        if (number > last)
            last = number;
    }
    return last;
}

static void
write_line(const struct mica_notice *notice, int64_t number,
           struct mica_buffer *line)
{
    struct mica_json_writer writer;
    struct mica_text message =
        mica_utf8_cut(notice->message, MICA_PROGRESS_LOG_MESSAGE_BYTES);

    mica_json_writer_init(&writer, line);
    mica_json_open_object(&writer);
    if (notice->kind == MICA_NOTICE_PROGRESS) {
        mica_json_name(&writer, "progress");
        mica_json_number(&writer, notice->progress);
        if (notice->total > 0) {
            mica_json_name(&writer, "total");
            mica_json_number(&writer, notice->total);
        }
    } else {
        mica_json_name(&writer, "number");
        mica_json_integer(&writer, number);
        mica_json_field(
            &writer, "level",
            mica_text(mica_log_level_name((enum mica_log_level)notice->level)));
        mica_json_field(&writer, "message", message);
    }
    mica_json_close_object(&writer);
    mica_buffer_char(line, '\n');
    MICA_ASSERT(!line->overflow);
}

// Replaces the `size` bytes at `at` with `line`.
static void
progress_log_replace(struct mica_buffer *progress_log, size_t at, size_t size,
                     const struct mica_buffer *line)
{
    MICA_ASSERT(progress_log->len - size + line->len <= progress_log->capacity);
    memmove(progress_log->ptr + at + line->len, progress_log->ptr + at + size,
            progress_log->len - at - size);
    if (line->len > 0)
        memcpy(progress_log->ptr + at, line->ptr, line->len);
    progress_log->len = progress_log->len - size + line->len;
}

// Drops the oldest messages until `size` more bytes fit.
static void
drop_oldest(struct mica_buffer *progress_log, size_t size)
{
    const struct mica_buffer nothing = {.len = 0};

    while (progress_log->len + size > progress_log->capacity) {
        struct mica_text rest = mica_buffer_as_text(progress_log);
        size_t first = read_line(&rest).len + 1;
        progress_log_replace(progress_log, first, read_line(&rest).len + 1,
                             &nothing);
    }
}

bool
mica_progress_log_add(struct mica_buffer *progress_log,
                      const struct mica_notice *notice)
{
    char storage[LINE_BYTES];
    struct mica_buffer line = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    struct mica_text rest;

    if (notice->kind == MICA_NOTICE_LOG &&
        (notice->level < MICA_LOG_INFO || notice->level >= MICA_LOG_LEVELS))
        return false;
    if (progress_log->len == 0)
        mica_buffer_char(progress_log, '\n');
    rest = mica_buffer_as_text(progress_log);
    write_line(notice, last_number(rest) + 1, &line);
    drop_oldest(progress_log, line.len);
    rest = mica_buffer_as_text(progress_log);
    if (notice->kind == MICA_NOTICE_PROGRESS)
        progress_log_replace(progress_log, 0, read_line(&rest).len + 1, &line);
    else
        progress_log_replace(progress_log, progress_log->len, 0, &line);
    return true;
}

void
mica_progress_log_write(struct mica_text progress_log, int64_t after,
                        struct mica_json_writer *writer)
{
    struct mica_text line = read_line(&progress_log);

    if (line.len > 0) {
        mica_json_name(writer, "progress");
        mica_json_raw(writer, line);
    }
    if (progress_log.len == 0)
        return;
    mica_json_name(writer, "log");
    mica_json_open_array(writer);
    while (progress_log.len > 0) {
        line = read_line(&progress_log);
        if (number_of(line) > after)
            mica_json_raw(writer, line);
    }
    mica_json_close_array(writer);
}
