// SPDX-License-Identifier: Apache-2.0
//
// Pieces that the messages of validation are made of: values, places, types, and
// what may have been meant.
#include <string.h>

#include "schema/explain.h"

enum {
    NEAR = 3,         // edits at most, for "did you mean"
    SHOWN = 80,       // bytes of a value
    PLACE_SHOWN = 200 // bytes of a place
};

// ---- Values ----------------------------------------------------------------

// At most SHOWN bytes, cut between characters.
void
mica_schema_put_cut(struct mica_buffer *out, struct mica_text text)
{
    struct mica_text head = mica_utf8_cut(text, SHOWN);
    mica_buffer_text(out, head);
    if (head.len < text.len)
        mica_buffer_text(out, MICA_LITERAL("…"));
}

void
mica_schema_put_value(struct mica_buffer *out, const struct mica_json *value)
{
    switch (value->kind) {
    case MICA_JSON_STRING:
        mica_buffer_format(out, "the string \"");
        mica_schema_put_cut(out, value->text);
        mica_buffer_char(out, '"');
        return;
    case MICA_JSON_NUMBER:
        mica_buffer_format(out, "the number ");
        mica_schema_put_cut(out, value->text);
        return;
    case MICA_JSON_ARRAY:
        mica_buffer_format(out, "an array");
        return;
    case MICA_JSON_OBJECT:
        mica_buffer_format(out, "an object");
        return;
    case MICA_JSON_NULL:
    case MICA_JSON_FALSE:
    case MICA_JSON_TRUE:
        mica_buffer_text(out, value->raw);
        return;
    }
}

// Of a long place, behind `start`, its beginning and its end are shown.
static void
cut_place(struct mica_buffer *out, size_t start)
{
    struct mica_text place = {out->ptr + start, out->len - start};
    size_t tail = place.len - PLACE_SHOWN / 2;
    if (place.len <= PLACE_SHOWN)
        return;
    while (tail < place.len && ((unsigned char)place.ptr[tail] & 0xC0) == 0x80)
        tail++;
    struct mica_text head =
        mica_utf8_cut(place, PLACE_SHOWN / 2 - (sizeof "…" - 1));
    size_t kept = place.len - tail;
    out->len = start + head.len;
    mica_buffer_text(out, MICA_LITERAL("…"));
    memmove(out->ptr + out->len, place.ptr + tail, kept);
    out->len += kept;
}

void
mica_schema_put_subject(const struct mica_schema_run *run,
                        const struct mica_json *value, struct mica_buffer *out)
{
    size_t start = out->len;
    if (run->faults->name != NULL) {
        mica_buffer_format(out, "the name \"");
        mica_schema_put_cut(out, run->faults->name->name);
        mica_buffer_char(out, '"');
        return;
    }
    mica_schema_place(out, run->root, value);
    if (out->len == start) {
        mica_buffer_format(out, "the value");
        return;
    }
    if (out->overflow)
        return;
    out->ptr[start] = '"';
    cut_place(out, start);
    mica_buffer_char(out, '"');
}

void
mica_schema_put_types(struct mica_buffer *out, unsigned types)
{
    static const struct {
        unsigned bits;
        const char *wordsz;
    } words[] = {{1 << MICA_JSON_STRING, "a string"},
                 {1 << MICA_JSON_NUMBER, "a number"},
                 {MICA_TYPES_WHOLE, "a whole number"},
                 {MICA_TYPES_BOOLEAN, "true or false"},
                 {1 << MICA_JSON_ARRAY, "an array"},
                 {1 << MICA_JSON_OBJECT, "an object"},
                 {1 << MICA_JSON_NULL, "null"}};
    const char *joinz = "";
    if ((types >> MICA_JSON_NUMBER & 1) != 0)
        types &= ~(unsigned)MICA_TYPES_WHOLE;
    for (size_t i = 0; i < MICA_COUNT(words); i++) {
        if ((types & words[i].bits) == 0)
            continue;
        mica_buffer_format(out, "%s%s", joinz, words[i].wordsz);
        joinz = " or ";
    }
}

static bool
is_number(struct mica_text text)
{
    struct mica_numeral decimal;
    return mica_numeral_read(text, &decimal);
}

// What to do about a type that is wrong in a usual way.
static void
put_type_hint(struct mica_buffer *out, unsigned types,
              const struct mica_json *value)
{
    const unsigned number = 1 << MICA_JSON_NUMBER | MICA_TYPES_WHOLE;
    bool string = value->kind == MICA_JSON_STRING;
    if (string && value->text.len <= SHOWN &&
        (((types & number) != 0 && is_number(value->text)) ||
         ((types & MICA_TYPES_BOOLEAN) != 0 &&
          (mica_text_is(value->text, "true") ||
           mica_text_is(value->text, "false")))))
        mica_buffer_format(out, "; write %.*s without quotes",
                           MICA_ARG(value->text));
    else if ((types >> MICA_JSON_STRING & 1) != 0 && !string &&
             value->kind <= MICA_JSON_NUMBER && value->raw.len <= SHOWN &&
             value->kind != MICA_JSON_NULL)
        mica_buffer_format(out, "; write \"%.*s\" with quotes",
                           MICA_ARG(value->raw));
    else if ((types >> MICA_JSON_ARRAY & 1) != 0 &&
             value->kind != MICA_JSON_NULL)
        mica_buffer_format(out, "; put it in [ ]");
}

void
mica_schema_put_not_allowed(struct mica_buffer *out)
{
    mica_buffer_format(out, " is not allowed here; leave it out");
}

void
mica_schema_put_type_error(struct mica_buffer *out, unsigned types,
                           const struct mica_json *value)
{
    if (types == 0) {
        mica_schema_put_not_allowed(out);
        return;
    }
    mica_buffer_format(out, " must be ");
    mica_schema_put_types(out, types);
    mica_buffer_format(out, ", but is ");
    mica_schema_put_value(out, value);
    put_type_hint(out, types, value);
}

void
mica_schema_put_but(struct mica_buffer *out, const struct mica_json *value)
{
    mica_buffer_format(out, ", but is ");
    mica_schema_put_value(out, value);
}

// ---- Likely slips ----------------------------------------------------------

void
mica_schema_compare(struct mica_schema_nearest *nearest, struct mica_text name)
{
    size_t limit = nearest->to.len / 3 < NEAR ? nearest->to.len / 3 : NEAR;
    size_t distance = mica_text_distance(name, nearest->to, limit);
    if (distance <= limit && distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}
