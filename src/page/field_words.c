// SPDX-License-Identifier: Apache-2.0
//
// What people read of a field: its label, a sentence, its bounds and its unit.
#include "page/form_field.h"

#include <string.h>

#include "base/ascii.h"
#include "page/html.h"
#include "page/label.h"

enum {
    SHORT_NUMBER = 16, // of digits
    GROUPED = 5        // digits from which on they are in groups of three
};

void
mica_field_write_label(struct mica_buffer *out,
                       const struct mica_form_field *field)
{
    if (field->itemz != NULL && mica_json_get(field->schema, "title") == NULL)
        mica_html(out, field->itemz);
    else
        mica_label_write(out, field->schema, field->name);
}

static const struct mica_json *
bound_of(const struct mica_json *schema, const char *namez)
{
    const struct mica_json *value = mica_json_get(schema, namez);
    // The largest exact integer says nothing to a person, nor does 1e+100.
    if (value == NULL || memchr(value->raw.ptr, 'e', value->raw.len) != NULL)
        return NULL;
    return value->raw.len - (value->raw.ptr[0] == '-') < SHORT_NUMBER ? value
                                                                      : NULL;
}

// Writes a number with a narrow space between groups of three digits.
static void
write_number(struct mica_buffer *out, struct mica_text raw)
{
    size_t begin = raw.ptr[0] == '-', end = begin;

    while (end < raw.len && raw.ptr[end] >= '0' && raw.ptr[end] <= '9')
        end++;
    for (size_t i = 0; i < raw.len; i++) {
        if (i > begin && i < end && end - begin >= GROUPED &&
            (end - i) % 3 == 0)
            mica_html(out, "\u202f");
        mica_buffer_char(out, raw.ptr[i]);
    }
}

static void
write_bound(struct mica_buffer *out, const struct mica_json *schema,
            const char *namez, const char *wordz)
{
    const struct mica_json *value = bound_of(schema, namez);
    if (value == NULL)
        return;
    mica_buffer_format(out, " %s ", wordz);
    write_number(out, value->raw);
    mica_buffer_char(out, '.');
}

static void
write_range(struct mica_buffer *out, const struct mica_json *schema,
            const char *leastz, const char *mostz, const char *whatz)
{
    const struct mica_json *least = bound_of(schema, leastz);
    const struct mica_json *most = bound_of(schema, mostz);
    if (least == NULL && most == NULL)
        return;
    mica_html(out, " ");
    if (least == NULL || most == NULL)
        mica_html(out, least != NULL ? "At least " : "At most ");
    if (least != NULL)
        write_number(out, least->raw);
    if (least != NULL && most != NULL)
        mica_html(out, " to ");
    if (most != NULL)
        write_number(out, most->raw);
    mica_html(out, whatz);
    mica_html(out, ".");
}

static void
write_bounds(struct mica_buffer *out, const struct mica_json *schema)
{
    write_bound(out, schema, "exclusiveMinimum", "More than");
    write_bound(out, schema, "exclusiveMaximum", "Less than");
    write_range(out, schema, "minimum", "maximum", "");
    write_range(out, schema, "minLength", "maxLength", " characters");
    write_range(out, schema, "minItems", "maxItems", " items");
    write_range(out, schema, "minProperties", "maxProperties", " entries");
}

void
mica_field_write_error(struct mica_buffer *out,
                       const struct mica_form_field *field)
{
    mica_html(out, "<p class=\"error\" hidden");
    mica_field_write_reference(out, field, "id", "-error", NULL);
    mica_html(out, "></p>\n");
}

// Do the words themselves say that the field is optional?
static bool
says_optional(struct mica_text words)
{
    static const char word[] = "optional";
    const size_t length = sizeof word - 1;

    for (size_t i = 0; i + length <= words.len; i++)
        if (mica_ascii_same(words.ptr + i, word, length))
            return true;
    return false;
}

// The first sentence is for people; all of it stands below the form (tool_words.c).
void
mica_field_write_help(struct mica_buffer *out,
                      const struct mica_form_field *field)
{
    struct mica_text words = mica_json_get_text(field->schema, "description");

    if (field->place != MICA_FORM_OF_QUESTION)
        words = mica_label_sentence(words);
    mica_html(out, "<p class=\"help\"");
    mica_field_write_reference(out, field, "id", "-help", NULL);
    mica_html(out, ">");
    mica_html_text(out, words);
    write_bounds(out, mica_value_schema(field->schema));
    if (field->itemz == NULL && !field->required &&
        mica_field_default(field) == NULL && !says_optional(words))
        mica_html(out, " Optional.");
    mica_html(out, "</p>\n");
    mica_field_write_error(out, field);
}

// What stands beside a number: the unit that its name ends with, or that a sibling
// has at the time (web/form.js).
void
mica_field_write_unit(struct mica_buffer *out,
                      const struct mica_form_field *field)
{
    enum mica_value_kind kind = mica_field_kind(field);
    struct mica_text sibling = mica_json_get_text(field->schema, "x-unit");
    struct mica_text unit = mica_label_unit(field->name);
    if (field->place == MICA_FORM_OF_GRID ||
        (kind != MICA_VALUE_NUMBER && kind != MICA_VALUE_INTEGER))
        return;
    if (sibling.len == 0 && unit.len == 0)
        return;
    mica_html(out, "<span class=\"unit\"");
    mica_field_write_reference(out, field, "id", "-unit", NULL);
    if (sibling.len > 0)
        mica_html_attribute(out, "data-unit", sibling);
    mica_html(out, ">");
    if (sibling.len == 0)
        mica_html_text(out, unit);
    mica_html(out, "</span>\n");
}
