// SPDX-License-Identifier: Apache-2.0
//
// Writes the fields of a form. See page_form.h for how they are read back.
#include "page/page_form.h"

#include "page/form_field.h"
#include "page/html.h"
#include "page/label.h"

enum {
    SHORT_TEXT = 120, // characters of a text that starts as one line
    COLUMNS = 5       // of a list of records that is a grid
};

static void write_field(struct mica_buffer *out,
                        const struct mica_form_field *field);

static bool
is_required(const struct mica_json *record, struct mica_text name)
{
    const struct mica_json *required = mica_json_get(record, "required");
    for (size_t i = 0; required != NULL && i < required->count; i++)
        if (mica_text_equal(required->items[i].text, name))
            return true;
    return false;
}

static int64_t
size_of(const struct mica_json *schema, const char *namez, int64_t fallback)
{
    const struct mica_json *value = mica_json_get(schema, namez);
    int64_t size;
    if (value == NULL || !mica_integer_read(value->text, &size))
        return fallback;
    return size;
}

static const char *
kind_name(enum mica_value_kind kind)
{
    switch (kind) {
    case MICA_VALUE_TEXT:
    case MICA_VALUE_DATE:
    case MICA_VALUE_DATE_TIME:
        return "text";
    case MICA_VALUE_CHOICE:
        return "choice";
    case MICA_VALUE_NUMBER:
    case MICA_VALUE_INTEGER:
        return "number";
    case MICA_VALUE_BOOLEAN:
        return "boolean";
    case MICA_VALUE_RECORD:
        return "record";
    case MICA_VALUE_LIST:
        return "list";
    case MICA_VALUE_MAP:
        return "map";
    case MICA_VALUE_ANY:
        break;
    }
    return "any";
}

// ---- Controls -------------------------------------------------------------------

// What is there before a person types.
static void
write_value(struct mica_buffer *out, const struct mica_form_field *field)
{
    const struct mica_json *fallback = mica_field_default(field);
    if (fallback == NULL || fallback->kind == MICA_JSON_NULL)
        return;
    mica_html_attribute(out, "value",
                        fallback->kind == MICA_JSON_STRING ? fallback->text
                                                           : fallback->raw);
}

static void
write_input(struct mica_buffer *out, const struct mica_form_field *field,
            const char *typez)
{
    mica_buffer_format(out, "<input %s autocomplete=\"off\"", typez);
    mica_field_write_common(out, field);
    write_value(out, field);
    mica_html(out, ">\n");
}

static void
write_area(struct mica_buffer *out, const struct mica_form_field *field)
{
    const struct mica_json *fallback = mica_field_default(field);
    bool any = mica_field_kind(field) == MICA_VALUE_ANY;
    bool brief = size_of(mica_value_schema(field->schema), "maxLength",
                         SHORT_TEXT + 1) <= SHORT_TEXT;
    mica_buffer_format(out, "<textarea rows=\"%d\" spellcheck=\"false\"",
                       brief || field->place == MICA_FORM_OF_GRID ? 1 : 2);
    mica_field_write_common(out, field);
    if (any)
        mica_html(out, " placeholder=\"JSON: &quot;text&quot;, 1, [true]\"");
    mica_html(out, ">");
    if (fallback != NULL)
        mica_html_text(out, any ? fallback->raw : fallback->text);
    mica_html(out, "</textarea>\n");
}

static void
write_text(struct mica_buffer *out, const struct mica_form_field *field)
{
    const struct mica_json *schema = mica_value_schema(field->schema);
    // Any other text may have several lines, which a line would drop.
    if (mica_json_get(schema, "pattern") != NULL ||
        mica_json_get(schema, "format") != NULL)
        write_input(out, field, "type=\"text\" spellcheck=\"false\"");
    else
        write_area(out, field);
}

static void
write_control(struct mica_buffer *out, const struct mica_form_field *field)
{
    switch (mica_field_kind(field)) {
    case MICA_VALUE_CHOICE:
        mica_field_write_select(out, field);
        break;
    case MICA_VALUE_NUMBER:
        write_input(out, field, "type=\"text\" inputmode=\"decimal\"");
        break;
    case MICA_VALUE_INTEGER:
        write_input(out, field, "type=\"text\" inputmode=\"numeric\"");
        break;
    case MICA_VALUE_BOOLEAN:
        mica_field_write_yes_no(out, field);
        break;
    case MICA_VALUE_DATE:
        write_input(out, field, "type=\"date\"");
        break;
    case MICA_VALUE_DATE_TIME:
        write_input(out, field,
                    "type=\"text\" placeholder=\"2026-11-20T09:30:00Z\"");
        break;
    case MICA_VALUE_TEXT:
        write_text(out, field);
        break;
    case MICA_VALUE_ANY:
    case MICA_VALUE_RECORD:
    case MICA_VALUE_LIST:
    case MICA_VALUE_MAP:
        write_area(out, field);
        break;
    }
}

static void
write_null(struct mica_buffer *out, const struct mica_form_field *field)
{
    const struct mica_json *fallback = mica_field_default(field);
    if (!mica_field_is_nullable(field->schema))
        return;
    mica_buffer_format(
        out, "<label class=\"null\"><input type=\"checkbox\" data-null%s> ",
        fallback != NULL && fallback->kind == MICA_JSON_NULL ? " checked" : "");
    mica_field_write_label(out, field);
    mica_html(out, " is null</label>\n");
}

// ---- Fields ---------------------------------------------------------------------

static void
open_field(struct mica_buffer *out, const struct mica_form_field *field,
           const char *elementz)
{
    mica_buffer_format(out, "<%s class=\"field\" data-kind=\"%s\"", elementz,
                       kind_name(mica_field_kind(field)));
    mica_html_attribute(out, "data-name", field->name);
    if (!field->required)
        mica_html(out, " data-optional");
}

static void
write_simple(struct mica_buffer *out, const struct mica_form_field *field)
{
    open_field(out, field, "div");
    mica_html(out, ">\n");
    if (!mica_field_write_radios(out, field)) {
        mica_html(out, "<label");
        mica_field_write_reference(out, field, "for", "", NULL);
        mica_html(out, ">");
        mica_field_write_label(out, field);
        mica_html(out, "</label>\n");
        write_control(out, field);
        mica_field_write_unit(out, field);
    }
    write_null(out, field);
    mica_field_write_help(out, field);
    mica_html(out, "</div>\n");
}

static void
open_group(struct mica_buffer *out, const struct mica_form_field *field,
           size_t columns)
{
    open_field(out, field, "fieldset");
    if (columns > 0)
        mica_html_number(out, "data-columns", columns);
    mica_field_write_reference(out, field, "id", "", NULL);
    mica_field_write_reference(out, field, "aria-describedby", "-help",
                               "-error");
    mica_html(out, ">\n<legend>");
    mica_field_write_label(out, field);
    mica_html(out, "</legend>\n");
    mica_field_write_help(out, field);
    write_null(out, field);
}

// ---- Grids ----------------------------------------------------------------------

// Whether a value has one control, and no box for null beside it.
static bool
is_cell(const struct mica_json *schema)
{
    switch (mica_value_kind(schema)) {
    case MICA_VALUE_TEXT:
    case MICA_VALUE_CHOICE:
    case MICA_VALUE_NUMBER:
    case MICA_VALUE_INTEGER:
    case MICA_VALUE_BOOLEAN:
    case MICA_VALUE_DATE:
    case MICA_VALUE_DATE_TIME:
        return !mica_field_is_nullable(schema);
    case MICA_VALUE_ANY:
    case MICA_VALUE_RECORD:
    case MICA_VALUE_LIST:
    case MICA_VALUE_MAP:
        break;
    }
    return false;
}

// How many columns a list has as a grid: 0 where its items have parts, 1 for plain
// values, which stand side by side.
static size_t
columns_of(const struct mica_form_field *item)
{
    const struct mica_json *properties =
        mica_json_get(item->schema, "properties");
    size_t count = 0;

    if (is_cell(item->schema))
        return 1;
    if (mica_value_kind(item->schema) != MICA_VALUE_RECORD ||
        mica_field_is_nullable(item->schema))
        return 0;
    for (; count < properties->count; count++)
        if (!is_cell(&properties->members[count].value))
            return 0;
    return count <= COLUMNS ? count : 0;
}

// The titles of the columns, for eyes: each cell has a label of its own.
static void
write_columns(struct mica_buffer *out, const struct mica_form_field *item)
{
    const struct mica_json *properties =
        mica_json_get(item->schema, "properties");

    mica_html(out, "<div class=\"columns-head\" aria-hidden=\"true\">");
    for (size_t i = 0; i < properties->count; i++) {
        struct mica_text name = properties->members[i].name;
        mica_html(out, "<span");
        mica_html_attribute(out, "data-column", name);
        mica_html(out, ">");
        mica_label_write(out, &properties->members[i].value, name);
        mica_html(out, "</span>");
    }
    mica_html(out, "</div>\n");
}

static void
write_fields(struct mica_buffer *out, const struct mica_form_field *above)
{
    const struct mica_json *record = mica_value_schema(above->schema);
    const struct mica_json *properties = mica_json_get(record, "properties");
    for (size_t i = 0; properties != NULL && i < properties->count; i++) {
        const struct mica_json_member *member = &properties->members[i];
        const struct mica_form_field field = {
            .above = above,
            .schema = &member->value,
            .name = member->name,
            .index = i,
            .required = is_required(record, member->name),
            .place = above->place,
            .depth = above->depth + 1,
            .nesting = above->nesting};
        write_field(out, &field);
    }
}

// "Add to Points"; in a grid the button that removes is a cross of that name.
static void
write_button(struct mica_buffer *out, const char *actionz, const char *wordz,
             const struct mica_form_field *field, bool cross)
{
    mica_buffer_format(out, "<button type=\"button\" data-%s", actionz);
    mica_html(out, cross ? " class=\"cross\" aria-label=\"" : ">");
    mica_buffer_format(out, cross ? "%s " : "%s <span>", wordz);
    mica_field_write_label(out, field);
    mica_html(out, cross ? "\">×</button>\n" : "</span></button>\n");
}

// The name of an entry, which a person writes.
static void
write_key(struct mica_buffer *out, const struct mica_form_field *item)
{
    mica_html(out, "<div class=\"key\">\n<label");
    mica_field_write_reference(out, item, "for", "-key", NULL);
    mica_html(out, ">Name</label>\n<input type=\"text\" data-key "
                   "autocomplete=\"off\" spellcheck=\"false\"");
    mica_field_write_reference(out, item, "id", "-key", NULL);
    mica_html(out, ">\n</div>\n");
}

// The item of a grid that is a record: one row.
static void
write_row(struct mica_buffer *out, const struct mica_form_field *item)
{
    mica_html(out,
              "<div class=\"field row\" data-kind=\"record\" data-name=\"\" "
              "role=\"group\" aria-label=\"Row\"");
    mica_field_write_reference(out, item, "id", "", NULL);
    mica_html(out, ">\n");
    write_fields(out, item);
    mica_field_write_error(out, item);
    mica_html(out, "</div>\n");
}

// A list or a map: its items as they are added, each a copy of one template.
static void
write_items(struct mica_buffer *out, const struct mica_form_field *field,
            bool is_map)
{
    struct mica_form_field item = {.above = field,
                                   .schema = mica_value_element(field->schema),
                                   .itemz = is_map ? "Value" : "Item",
                                   .required = true,
                                   .depth = field->depth + 1,
                                   .nesting = field->nesting + 1};
    size_t columns =
        is_map || item.depth > MICA_FORM_DEPTH ? 0 : columns_of(&item);
    bool row = columns > 0 && mica_value_kind(item.schema) == MICA_VALUE_RECORD;
    item.place = columns > 0 ? MICA_FORM_OF_GRID : field->place;
    open_group(out, field, columns);
    if (row)
        write_columns(out, &item);
    mica_html(out, "<ol></ol>\n");
    mica_buffer_format(out, "<template data-nesting=\"%u\">\n<li>\n",
                       item.nesting);
    if (is_map)
        write_key(out, &item);
    if (row)
        write_row(out, &item);
    else
        write_field(out, &item);
    write_button(out, "remove", "Remove from", field, columns > 0);
    mica_html(out, "</li>\n</template>\n");
    write_button(out, "add", "Add to", field, false);
    if (columns > 0)
        mica_html(out, "<span class=\"help pasted\" role=\"status\">Paste rows "
                       "from a spreadsheet into any cell.</span>\n");
    mica_html(out, "</fieldset>\n");
}

static void
write_field(struct mica_buffer *out, const struct mica_form_field *field)
{
    switch (mica_field_kind(field)) {
    case MICA_VALUE_RECORD:
        open_group(out, field, 0);
        write_fields(out, field);
        mica_html(out, "</fieldset>\n");
        break;
    case MICA_VALUE_LIST:
        write_items(out, field, false);
        break;
    case MICA_VALUE_MAP:
        write_items(out, field, true);
        break;
    case MICA_VALUE_ANY:
    case MICA_VALUE_TEXT:
    case MICA_VALUE_CHOICE:
    case MICA_VALUE_NUMBER:
    case MICA_VALUE_INTEGER:
    case MICA_VALUE_BOOLEAN:
    case MICA_VALUE_DATE:
    case MICA_VALUE_DATE_TIME:
        write_simple(out, field);
        break;
    }
}

void
mica_form_write(struct mica_buffer *out, const struct mica_json *schema,
                const char *prefixz, bool asked)
{
    const struct mica_form_field form = {.schema = schema,
                                         .prefixz = prefixz,
                                         .place = asked ? MICA_FORM_OF_QUESTION
                                                        : MICA_FORM_OF_TOOL};
    write_fields(out, &form);
}
