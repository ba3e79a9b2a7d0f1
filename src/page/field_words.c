// SPDX-License-Identifier: Apache-2.0
//
// What people read of a field: its label, a sentence, its bounds and its unit.
#include "page/form_field.h"

#include "base/ascii.h"
#include "page/html.h"
#include "page/label.h"

enum {
    SHORT_NUMBER = 17 // of digits
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
    // Neither the largest exact integers nor longer numbers say anything to a person.
    return value != NULL && value->raw.len < SHORT_NUMBER &&
                   !mica_text_is(value->raw, "9007199254740991")
               ? value
               : NULL;
}

static void
write_bound(struct mica_buffer *out, const struct mica_json *schema,
            const char *namez, const char *wordz)
{
    const struct mica_json *value = bound_of(schema, namez);
    if (value == NULL)
        return;
    mica_buffer_format(out, " %s ", wordz);
    mica_html_text(out, value->raw);
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
        mica_html_text(out, least->raw);
    if (least != NULL && most != NULL)
        mica_html(out, " to ");
    if (most != NULL)
        mica_html_text(out, most->raw);
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
