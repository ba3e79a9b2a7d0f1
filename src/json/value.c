// SPDX-License-Identifier: Apache-2.0
//
// Values that were read, written again: compact, indented, or canonical. Depth
// is that of the reader's limit, so recursion is bounded.
#include <mica/json.h>

#include "base/numeral.h"
#include "json/exact.h"
#include "json/names.h"

// A string without escapes lies in the source between its quotes, and so is
// already as short as it can be.
static bool
is_plain(const struct mica_json *string)
{
    return string->text.len + 2 == string->raw.len;
}

// ---- Compact ---------------------------------------------------------------

static void
put_object(struct mica_json_writer *writer, const struct mica_json *object)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < object->count; i++) {
        mica_json_name_text(writer, object->members[i].name);
        mica_json_value(writer, &object->members[i].value);
    }
    mica_json_close_object(writer);
}

static void
put_array(struct mica_json_writer *writer, const struct mica_json *array)
{
    mica_json_open_array(writer);
    for (size_t i = 0; i < array->count; i++)
        mica_json_value(writer, &array->items[i]);
    mica_json_close_array(writer);
}

void
mica_json_value(struct mica_json_writer *writer, const struct mica_json *value)
{
    switch (value->kind) {
    case MICA_JSON_NULL:
    case MICA_JSON_FALSE:
    case MICA_JSON_TRUE:
    case MICA_JSON_NUMBER:
        mica_json_raw(writer, value->raw);
        break;
    case MICA_JSON_STRING:
        if (is_plain(value))
            mica_json_raw(writer, value->raw);
        else
            mica_json_string(writer, value->text);
        break;
    case MICA_JSON_ARRAY:
        put_array(writer, value);
        break;
    case MICA_JSON_OBJECT:
        put_object(writer, value);
        break;
    }
}

// ---- Indented --------------------------------------------------------------

static void
put_line(struct mica_buffer *buffer, size_t depth)
{
    mica_buffer_char(buffer, '\n');
    for (size_t i = 0; i < depth; i++)
        mica_buffer_add(buffer, "  ", 2);
}

static void put_pretty(struct mica_buffer *buffer,
                       const struct mica_json *value, size_t depth);

static void
put_child(struct mica_buffer *buffer, const struct mica_json *value, size_t i,
          size_t depth)
{
    if (i > 0)
        mica_buffer_char(buffer, ',');
    put_line(buffer, depth);
    if (value->kind == MICA_JSON_ARRAY) {
        put_pretty(buffer, &value->items[i], depth);
        return;
    }
    mica_buffer_char(buffer, '"');
    mica_json_escape(buffer, value->members[i].name);
    mica_buffer_add(buffer, "\": ", 3);
    put_pretty(buffer, &value->members[i].value, depth);
}

static void
put_pretty(struct mica_buffer *buffer, const struct mica_json *value,
           size_t depth)
{
    bool array = value->kind == MICA_JSON_ARRAY;
    if (value->count == 0) {
        struct mica_json_writer writer;
        mica_json_writer_init(&writer, buffer);
        mica_json_value(&writer, value);
        return;
    }
    mica_buffer_char(buffer, array ? '[' : '{');
    for (size_t i = 0; i < value->count; i++)
        put_child(buffer, value, i, depth + 1);
    put_line(buffer, depth);
    mica_buffer_char(buffer, array ? ']' : '}');
}

void
mica_json_pretty(struct mica_buffer *buffer, const struct mica_json *value)
{
    put_pretty(buffer, value, 0);
}

// ---- Canonical -------------------------------------------------------------

// Writes a finite double that has the number's value; false: no double has it.
static bool
put_double(struct mica_json_writer *writer, struct mica_text text, bool exact)
{
    char shortest[MICA_NUMBER_SIZE];
    struct mica_numeral given, made;
    double number;
    if (!mica_number_read(text, &number) || !(number - number >= 0))
        return false;
    size_t len = mica_number_write(number, shortest);
    if (exact &&
        (!mica_numeral_read(text, &given) ||
         !mica_numeral_read((struct mica_text){shortest, len}, &made) ||
         !mica_numeral_equal(&given, &made)))
        return false;
    mica_json_number(writer, number);
    return true;
}

// The digits that count and their exponent: "12345e-2". An exponent that was not
// kept (numeral.h) leaves the text as it is.
static void
put_digits(struct mica_json_writer *writer, struct mica_text text)
{
    struct mica_numeral numeral;
    if (!mica_numeral_read(text, &numeral) ||
        numeral.point > MICA_NUMERAL_FAR / 100 ||
        numeral.point < -MICA_NUMERAL_FAR / 100) {
        mica_json_raw(writer, text);
        return;
    }
    const char *at = numeral.digits;
    mica_json_raw(writer,
                  numeral.negative ? MICA_LITERAL("-") : MICA_LITERAL(""));
    for (size_t i = 0; i < numeral.count; i++)
        mica_buffer_char(writer->buffer, (char)('0' + mica_numeral_digit(&at)));
    mica_buffer_format(writer->buffer, "e%lld",
                       (long long)numeral.point - (long long)numeral.count);
}

static enum mica_status put_canonical(struct mica_arena *arena,
                                      struct mica_json_writer *writer,
                                      const struct mica_json *value,
                                      bool exact);

static enum mica_status
put_sorted(struct mica_arena *arena, struct mica_json_writer *writer,
           const struct mica_json *object, bool exact)
{
    size_t count = object->count;
    mica_json_key *keys = mica_arena_zero(arena, count, 2 * sizeof *keys);
    if (keys == NULL)
        return MICA_E_LIMIT;
    for (size_t i = 0; i < count; i++)
        keys[i] = i;
    mica_json_sort(object->members, keys, keys + count, count,
                   mica_json_by_utf16);
    mica_json_open_object(writer);
    for (size_t i = 0; i < count; i++) {
        const struct mica_json_member *member =
            mica_json_member_of(object->members, keys[i]);
        mica_json_name_text(writer, member->name);
        MICA_TRY(put_canonical(arena, writer, &member->value, exact));
    }
    mica_json_close_object(writer);
    return MICA_OK;
}

static enum mica_status
put_canonical(struct mica_arena *arena, struct mica_json_writer *writer,
              const struct mica_json *value, bool exact)
{
    switch (value->kind) {
    case MICA_JSON_NUMBER:
        if (put_double(writer, value->text, exact))
            return MICA_OK;
        if (!exact)
            return MICA_E_RANGE;
        put_digits(writer, value->text);
        return MICA_OK;
    case MICA_JSON_ARRAY:
        mica_json_open_array(writer);
        for (size_t i = 0; i < value->count; i++)
            MICA_TRY(put_canonical(arena, writer, &value->items[i], exact));
        mica_json_close_array(writer);
        return MICA_OK;
    case MICA_JSON_OBJECT:
        return put_sorted(arena, writer, value, exact);
    case MICA_JSON_NULL:
    case MICA_JSON_FALSE:
    case MICA_JSON_TRUE:
    case MICA_JSON_STRING:
        break;
    }
    mica_json_value(writer, value);
    return MICA_OK;
}

enum mica_status
mica_json_canonical(struct mica_arena *arena, struct mica_buffer *buffer,
                    const struct mica_json *value)
{
    struct mica_json_writer writer;
    mica_json_writer_init(&writer, buffer);
    MICA_TRY(put_canonical(arena, &writer, value, false));
    return buffer->overflow ? MICA_E_LIMIT : MICA_OK;
}

enum mica_status
mica_json_exact(struct mica_arena *arena, struct mica_buffer *buffer,
                const struct mica_json *value)
{
    struct mica_json_writer writer;
    mica_json_writer_init(&writer, buffer);
    MICA_TRY(put_canonical(arena, &writer, value, true));
    return buffer->overflow ? MICA_E_LIMIT : MICA_OK;
}
