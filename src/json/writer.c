// SPDX-License-Identifier: Apache-2.0
//
// The JSON writer: values go to the buffer as they come, a comma before each
// that is not the first. There is nothing to finish and nothing to fail but the
// buffer.
#include <string.h>

#include <mica/json.h>

#include "base/assert.h"
#include "base/buffer.h"
#include "base/digits.h"
#include "json/scan.h"

void
mica_json_writer_init(struct mica_json_writer *writer,
                      struct mica_buffer *buffer)
{
    *writer = (struct mica_json_writer){.buffer = buffer};
}

// ---- Strings ---------------------------------------------------------------

static void
put_pair(struct mica_buffer *buffer, char letter)
{
    char *out = mica_buffer_room(buffer, 2);
    if (out == NULL)
        return;
    out[0] = '\\';
    out[1] = letter;
    buffer->len += 2;
}

static void
put_escape(struct mica_buffer *buffer, char byte)
{
    static const char bytes[] = "\b\f\n\r\t";
    static const char letters[] = "bfnrt";
    const char *found = memchr(bytes, byte, sizeof bytes - 1);
    if (found != NULL)
        put_pair(buffer, letters[found - bytes]);
    else
        mica_buffer_format(buffer, "\\u%04x", (unsigned)(unsigned char)byte);
}

void
mica_json_escape(struct mica_buffer *buffer, struct mica_text text)
{
    if (text.len == 0)
        return;
    const char *at = text.ptr, *end = at + text.len;
    uint64_t seen = 0;
    while (at < end) {
        const char *run = at;
        at = mica_json_skip_plain(at, end, &seen);
        size_t size = (size_t)(at - run);
        bool is_pair = at < end && (*at == '"' || *at == '\\');
        char *out = mica_buffer_room(buffer, size + (is_pair ? 2 : 0));
        if (out == NULL)
            return;
        memcpy(out, run, size);
        if (is_pair) { // nearly all there are: JSON in JSON
            out[size++] = '\\';
            out[size++] = *at++;
        }
        buffer->len += size;
        if (!is_pair && at < end)
            put_escape(buffer, *at++);
    }
}

// Room for `size` bytes and the comma if one is due, which is written.
static char *
writer_begin(struct mica_json_writer *writer, size_t size)
{
    size_t comma = writer->comma;
    char *out = mica_buffer_room(writer->buffer, comma + size);
    if (out != NULL && comma > 0) {
        *out++ = ',';
        writer->buffer->len++;
    }
    return out;
}

// The text in quotes, and `after` if it is not 0.
static void
put_string(struct mica_json_writer *writer, struct mica_text text, char after)
{
    if (text.len == 0)
        text = MICA_LITERAL("");
    struct mica_buffer *buffer = writer->buffer;
    const char *end = text.ptr + text.len;
    uint64_t seen = 0;
    const char *special = mica_json_skip_plain(text.ptr, end, &seen);
    size_t plain = (size_t)(special - text.ptr);
    char *out = writer_begin(writer, text.len + 2 + (after != '\0'));
    if (out == NULL)
        return;
    *out++ = '"';
    memcpy(out, text.ptr, plain);
    out += plain;
    if (special == end) {
        *out++ = '"';
        if (after != '\0')
            *out++ = after;
        buffer->len = (size_t)(out - buffer->ptr);
        return;
    }
    buffer->len += plain + 1;
    mica_json_escape(buffer, mica_text_slice(text, plain, text.len));
    mica_buffer_char(buffer, '"');
    if (after != '\0')
        mica_buffer_char(buffer, after);
}

void
mica_json_string(struct mica_json_writer *writer, struct mica_text text)
{
    put_string(writer, text, '\0');
    writer->comma = true;
}

void
mica_json_stringz(struct mica_json_writer *writer, const char *textz)
{
    mica_json_string(writer, mica_text(textz));
}

void
mica_json_name_text(struct mica_json_writer *writer, struct mica_text name)
{
    put_string(writer, name, ':');
    writer->comma = false;
}

void
mica_json_name(struct mica_json_writer *writer, const char *namez)
{
    mica_json_name_text(writer, mica_text(namez));
}

void
mica_json_field(struct mica_json_writer *writer, const char *namez,
                struct mica_text text)
{
    mica_json_name(writer, namez);
    mica_json_string(writer, text);
}

// ---- Other values ----------------------------------------------------------

static void
writer_put(struct mica_json_writer *writer, struct mica_text bytes)
{
    char *out = writer_begin(writer, bytes.len);
    if (out == NULL || bytes.len == 0)
        return;
    memcpy(out, bytes.ptr, bytes.len);
    writer->buffer->len += bytes.len;
}

static void
open_container(struct mica_json_writer *writer, char bracket)
{
    writer_put(writer, (struct mica_text){&bracket, 1});
    writer->comma = false;
    writer->depth++;
}

static void
close_container(struct mica_json_writer *writer, char bracket)
{
    MICA_DCHECK(writer->depth > 0);
    writer->comma = false;
    writer_put(writer, (struct mica_text){&bracket, 1});
    writer->comma = true;
    writer->depth--;
}

void
mica_json_open_object(struct mica_json_writer *writer)
{
    open_container(writer, '{');
}

void
mica_json_close_object(struct mica_json_writer *writer)
{
    close_container(writer, '}');
}

void
mica_json_open_array(struct mica_json_writer *writer)
{
    open_container(writer, '[');
}

void
mica_json_close_array(struct mica_json_writer *writer)
{
    close_container(writer, ']');
}

void
mica_json_raw(struct mica_json_writer *writer, struct mica_text json)
{
    writer_put(writer, json);
    writer->comma = true;
}

void
mica_json_number(struct mica_json_writer *writer, double value)
{
    char text[MICA_NUMBER_SIZE];
    MICA_ASSERT(value - value >= 0); // finite
    size_t len = mica_number_write(value, text);
    mica_json_raw(writer, (struct mica_text){text, len});
}

void
mica_json_integer(struct mica_json_writer *writer, int64_t value)
{
    char text[1 + MICA_DIGITS_SIZE] = "-";
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    size_t sign = value < 0;
    size_t len = mica_digits_write(size, text + sign);
    mica_json_raw(writer, (struct mica_text){text, sign + len});
}

void
mica_json_boolean(struct mica_json_writer *writer, bool value)
{
    mica_json_raw(writer, value ? MICA_LITERAL("true") : MICA_LITERAL("false"));
}

void
mica_json_null(struct mica_json_writer *writer)
{
    mica_json_raw(writer, MICA_LITERAL("null"));
}
