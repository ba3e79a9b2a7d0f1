// SPDX-License-Identifier: Apache-2.0
//
// Writes the fields of a form. See page_form.h for how they are read back.
#include "page/page_form.h"

#include "page/html.h"
#include "page/label.h"
#include "schema/outline.h"

enum {
    DEPTH_MAX = 12,   // past it, JSON is written by hand
    SHORT_TEXT = 120, // characters of a text that starts as one line
    SHORT_NUMBER = 17, // of digits
    SEGMENTS = 4,      // choices that stand side by side,
    SEGMENT_TEXT = 36, // with so many characters in all
    CARDS = 8,         // choices of a question that stand below each other
    COLUMNS = 5        // of a list of records that is a grid
};

// One field, and with those above it the id of its control.
struct field {
    const struct field *above; // NULL: the form itself
    const struct mica_json *schema;
    struct mica_text name; // shown and sent; empty for an item of a list
    const char *prefixz;   // of the form itself: what ids begin with
    const char *itemz;     // of what is in a <template>: "Item", "Entry"
    size_t index;          // among the fields of its record
    bool required, asked;    // asked: of a question, which has room
    bool cell;               // of a grid
    unsigned depth, nesting; // below the form; within templates
};

static void write_field(struct mica_buffer *out, const struct field *field);

static void
write_id(struct mica_buffer *out, const struct field *field)
{
    if (field->above == NULL) {
        mica_html(out, field->prefixz);
        return;
    }
    write_id(out, field->above);
    if (field->itemz != NULL)
        mica_buffer_format(out, "-#%u", field->nesting);
    else
        mica_buffer_format(out, "-%zu", field->index);
}

// ` name="<id>suffix"`, or with two ids.
static void
write_reference(struct mica_buffer *out, const struct field *field,
                const char *namez, const char *suffixz, const char *otherz)
{
    mica_buffer_format(out, " %s=\"", namez);
    write_id(out, field);
    mica_html(out, suffixz);
    if (otherz != NULL) {
        mica_html(out, " ");
        write_id(out, field);
        mica_html(out, otherz);
    }
    mica_html(out, "\"");
}

// ---- What a schema says --------------------------------------------------------

static const struct mica_json *
fallback_of(const struct field *field)
{
    return mica_json_get(field->schema, "default");
}

static bool
is_nullable(const struct mica_json *schema)
{
    const struct mica_json *type = mica_json_get(schema, "type");
    const struct mica_json *any = mica_json_get(schema, "anyOf");
    return (any != NULL && any->count == 2 &&
            mica_text_is(mica_json_get_text(&any->items[1], "type"), "null")) ||
           (type != NULL && type->kind == MICA_JSON_ARRAY);
}

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

// What may be chosen: words, or {"const","title"} each. NULL: it is no choice.
static const struct mica_json *
choices_of(const struct mica_json *schema)
{
    static const char *const names[] = {"enum", "oneOf", "anyOf"};
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        const struct mica_json *choices = mica_json_get(schema, names[i]);
        if (choices != NULL && choices->kind == MICA_JSON_ARRAY &&
            choices->count > 0 &&
            (i == 0 || mica_json_get(&choices->items[0], "const") != NULL))
            return choices;
    }
    return NULL;
}

// Deeper than a form is of use, everything is JSON.
static enum mica_value_kind
kind_of(const struct field *field)
{
    if (field->depth > DEPTH_MAX)
        return MICA_VALUE_ANY;
    return choices_of(field->schema) != NULL ? MICA_VALUE_CHOICE
                                             : mica_value_kind(field->schema);
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

// ---- Words ----------------------------------------------------------------------

static void
write_label(struct mica_buffer *out, const struct field *field)
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
    // The largest exact integer says nothing to a person.
    return value != NULL && value->raw.len < SHORT_NUMBER ? value : NULL;
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
    mica_html_text(out, least != NULL ? least->raw : most->raw);
    if (least != NULL && most != NULL) {
        mica_html(out, " to ");
        mica_html_text(out, most->raw);
    }
    mica_html(out, whatz);
    mica_html(out, ".");
}

static void
write_bounds(struct mica_buffer *out, const struct mica_json *schema)
{
    write_range(out, schema, "minimum", "maximum", "");
    write_bound(out, schema, "exclusiveMinimum", "More than");
    write_bound(out, schema, "exclusiveMaximum", "Less than");
    write_range(out, schema, "minLength", "maxLength", " characters");
    write_range(out, schema, "minItems", "maxItems", " items");
    write_range(out, schema, "minProperties", "maxProperties", " entries");
}

static void
write_error_place(struct mica_buffer *out, const struct field *field)
{
    mica_html(out, "<p class=\"error\" hidden");
    write_reference(out, field, "id", "-error", NULL);
    mica_html(out, "></p>\n");
}

// The first sentence is for people; all of it stands below the form (tool_words.c).
static void
write_help(struct mica_buffer *out, const struct field *field)
{
    struct mica_text words = mica_json_get_text(field->schema, "description");
    mica_html(out, "<p class=\"help\"");
    write_reference(out, field, "id", "-help", NULL);
    mica_html(out, ">");
    mica_html_text(out, field->asked ? words : mica_label_sentence(words));
    write_bounds(out, mica_value_schema(field->schema));
    if (field->itemz == NULL && !field->required && fallback_of(field) == NULL)
        mica_html(out, " Optional.");
    mica_html(out, "</p>\n");
    write_error_place(out, field);
}

// What stands beside a number: the unit that its name ends with, or that a sibling
// has at the time (web/form.js).
static void
write_unit(struct mica_buffer *out, const struct field *field)
{
    enum mica_value_kind kind = kind_of(field);
    struct mica_text sibling = mica_json_get_text(field->schema, "x-unit");
    struct mica_text unit = mica_label_unit(field->name);
    if (field->cell || (kind != MICA_VALUE_NUMBER && kind != MICA_VALUE_INTEGER))
        return;
    if (sibling.len == 0 && unit.len == 0)
        return;
    mica_html(out, "<span class=\"unit\"");
    write_reference(out, field, "id", "-unit", NULL);
    if (sibling.len > 0)
        mica_html_attribute(out, "data-unit", sibling);
    mica_html(out, ">");
    if (sibling.len == 0)
        mica_html_text(out, unit);
    mica_html(out, "</span>\n");
}

// ---- Controls -------------------------------------------------------------------

static void
write_common(struct mica_buffer *out, const struct field *field)
{
    write_reference(out, field, "id", "", NULL);
    write_reference(out, field, "aria-describedby", "-help", "-error");
    if (field->required && field->itemz == NULL)
        mica_html(out, " aria-required=\"true\"");
}

// What is there before a person types.
static void
write_value(struct mica_buffer *out, const struct field *field)
{
    const struct mica_json *fallback = fallback_of(field);
    if (fallback == NULL || fallback->kind == MICA_JSON_NULL)
        return;
    mica_html_attribute(out, "value",
                        fallback->kind == MICA_JSON_STRING ? fallback->text
                                                           : fallback->raw);
}

static void
write_input(struct mica_buffer *out, const struct field *field,
            const char *typez)
{
    mica_buffer_format(out, "<input %s autocomplete=\"off\"", typez);
    write_common(out, field);
    write_value(out, field);
    mica_html(out, ">\n");
}

static void
write_area(struct mica_buffer *out, const struct field *field)
{
    const struct mica_json *fallback = fallback_of(field);
    bool any = kind_of(field) == MICA_VALUE_ANY;
    bool brief = size_of(mica_value_schema(field->schema), "maxLength",
                         SHORT_TEXT + 1) <= SHORT_TEXT;
    mica_buffer_format(out, "<textarea rows=\"%d\" spellcheck=\"false\"",
                       brief || field->cell ? 1 : 2);
    write_common(out, field);
    if (any)
        mica_html(out, " placeholder=\"JSON: &quot;text&quot;, 1, [true]\"");
    mica_html(out, ">");
    if (fallback != NULL)
        mica_html_text(out, any ? fallback->raw : fallback->text);
    mica_html(out, "</textarea>\n");
}

static void
write_text(struct mica_buffer *out, const struct field *field)
{
    const struct mica_json *schema = mica_value_schema(field->schema);
    // Any other text may have several lines, which a line would drop.
    if (mica_json_get(schema, "pattern") != NULL ||
        mica_json_get(schema, "format") != NULL)
        write_input(out, field, "type=\"text\" spellcheck=\"false\"");
    else
        write_area(out, field);
}

// ---- Choices --------------------------------------------------------------------

// One of the choices: its value and its words. An empty value is "not given".
struct choice {
    struct mica_text value, words;
    bool chosen;
};

// The choices of a field, at most SEGMENTS or CARDS and one more; 0: too many, or
// not for radio buttons.
static size_t
choices_read(const struct field *field, struct choice list[CARDS + 1])
{
    static const char *const no[] = {"false", "No"}, *const yes[] = {"true",
                                                                     "Yes"};
    const struct mica_json *fallback = fallback_of(field);
    const struct mica_json *choices = choices_of(field->schema);
    bool boolean = kind_of(field) == MICA_VALUE_BOOLEAN;
    size_t count = 0;

    if (!field->required && fallback == NULL)
        list[count++] = (struct choice){mica_text(""), mica_text("Not given"),
                                        true};
    for (size_t i = 0; boolean && i < 2; i++) {
        const char *const *words = i == 0 ? yes : no;
        list[count++] = (struct choice){
            mica_text(words[0]), mica_text(words[1]),
            fallback != NULL && mica_text_is(fallback->raw, words[0])};
    }
    for (size_t i = 0; !boolean && i < choices->count; i++) {
        const struct mica_json *choice = &choices->items[i];
        const struct mica_json *value = choice->kind == MICA_JSON_OBJECT
                                            ? mica_json_get(choice, "const")
                                            : choice;
        struct mica_text title = mica_json_get_text(choice, "title");
        if (value == NULL || value->kind != MICA_JSON_STRING)
            continue; // null, which has a box of its own
        if (count > CARDS)
            return 0;
        list[count++] = (struct choice){
            value->text, title.len > 0 ? title : value->text,
            fallback != NULL && mica_json_equal(fallback, value)};
    }
    return count;
}

// Whether the choices are few and short enough to be seen all at once.
static bool
is_open(const struct field *field, const struct choice *list, size_t count)
{
    size_t length = 0;

    if (field->cell || count == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        length += list[i].words.len;
    return field->asked || (count <= SEGMENTS && length <= SEGMENT_TEXT);
}

static void
write_radios(struct mica_buffer *out, const struct field *field,
             const struct choice *list, size_t count)
{
    mica_buffer_format(out, "<div role=\"radiogroup\" class=\"%s\"",
                       field->asked ? "segments cards" : "segments");
    write_reference(out, field, "aria-labelledby", "-label", NULL);
    write_common(out, field);
    mica_html(out, ">\n");
    for (size_t i = 0; i < count; i++) {
        mica_html(out, "<label><input type=\"radio\"");
        write_reference(out, field, "name", "", NULL);
        mica_html_attribute(out, "value", list[i].value);
        mica_html(out, list[i].chosen ? " checked><span>" : "><span>");
        mica_html_text(out, list[i].words);
        mica_html(out, "</span></label>\n");
    }
    mica_html(out, "</div>\n");
}

static void
write_option(struct mica_buffer *out, struct mica_text value, const char *wordz,
             bool selected)
{
    mica_html(out, "<option");
    mica_html_attribute(out, "value", value);
    mica_html(out, selected ? " selected>" : ">");
    mica_html(out, wordz);
    mica_html(out, "</option>\n");
}

static void
write_chosen(struct mica_buffer *out, const struct field *field,
             const struct mica_json *choice)
{
    const struct mica_json *fallback = fallback_of(field);
    const struct mica_json *value = choice->kind == MICA_JSON_OBJECT
                                        ? mica_json_get(choice, "const")
                                        : choice;
    struct mica_text title = mica_json_get_text(choice, "title");
    if (value == NULL || value->kind != MICA_JSON_STRING)
        return; // null, which has a box of its own
    mica_html(out, "<option");
    mica_html_attribute(out, "value", value->text);
    if (fallback != NULL && mica_json_equal(fallback, value))
        mica_html(out, " selected");
    mica_html(out, ">");
    mica_html_text(out, title.len > 0 ? title : value->text);
    mica_html(out, "</option>\n");
}

static void
write_choice(struct mica_buffer *out, const struct field *field)
{
    const struct mica_json *choices = choices_of(field->schema);
    mica_html(out, "<select");
    write_common(out, field);
    mica_html(out, ">\n");
    if (fallback_of(field) == NULL)
        write_option(out, mica_text(""),
                     field->required ? "Choose…" : "Not given", true);
    for (size_t i = 0; i < choices->count; i++)
        write_chosen(out, field, &choices->items[i]);
    mica_html(out, "</select>\n");
}

static void
write_boolean(struct mica_buffer *out, const struct field *field)
{
    const struct mica_json *fallback = fallback_of(field);
    mica_html(out, "<select");
    write_common(out, field);
    mica_html(out, ">\n");
    if (fallback == NULL)
        write_option(out, mica_text(""),
                     field->required ? "Choose…" : "Not given", true);
    write_option(out, mica_text("true"), "Yes",
                 fallback != NULL && fallback->kind == MICA_JSON_TRUE);
    write_option(out, mica_text("false"), "No",
                 fallback != NULL && fallback->kind == MICA_JSON_FALSE);
    mica_html(out, "</select>\n");
}

// Writes radio buttons where the choices are few; true if it did.
static bool
write_open_choice(struct mica_buffer *out, const struct field *field)
{
    struct choice list[CARDS + 1];
    enum mica_value_kind kind = kind_of(field);
    size_t count;

    if (kind != MICA_VALUE_CHOICE && kind != MICA_VALUE_BOOLEAN)
        return false;
    count = choices_read(field, list);
    if (!is_open(field, list, count))
        return false;
    mica_html(out, "<span class=\"label\"");
    write_reference(out, field, "id", "-label", NULL);
    mica_html(out, ">");
    write_label(out, field);
    mica_html(out, "</span>\n");
    write_radios(out, field, list, count);
    return true;
}

static void
write_control(struct mica_buffer *out, const struct field *field)
{
    switch (kind_of(field)) {
    case MICA_VALUE_CHOICE:
        write_choice(out, field);
        break;
    case MICA_VALUE_NUMBER:
        write_input(out, field, "type=\"text\" inputmode=\"decimal\"");
        break;
    case MICA_VALUE_INTEGER:
        write_input(out, field, "type=\"text\" inputmode=\"numeric\"");
        break;
    case MICA_VALUE_BOOLEAN:
        write_boolean(out, field);
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
write_null(struct mica_buffer *out, const struct field *field)
{
    const struct mica_json *fallback = fallback_of(field);
    if (!is_nullable(field->schema))
        return;
    mica_buffer_format(
        out, "<label class=\"null\"><input type=\"checkbox\" data-null%s> ",
        fallback != NULL && fallback->kind == MICA_JSON_NULL ? " checked" : "");
    write_label(out, field);
    mica_html(out, " is null</label>\n");
}

// ---- Fields ---------------------------------------------------------------------

static void
open_field(struct mica_buffer *out, const struct field *field,
           const char *elementz)
{
    mica_buffer_format(out, "<%s class=\"field\" data-kind=\"%s\"", elementz,
                       kind_name(kind_of(field)));
    mica_html_attribute(out, "data-name", field->name);
    if (!field->required)
        mica_html(out, " data-optional");
}

static void
write_simple(struct mica_buffer *out, const struct field *field)
{
    open_field(out, field, "div");
    mica_html(out, ">\n");
    if (!write_open_choice(out, field)) {
        mica_html(out, "<label");
        write_reference(out, field, "for", "", NULL);
        mica_html(out, ">");
        write_label(out, field);
            mica_html(out, "</label>\n");
        write_control(out, field);
        write_unit(out, field);
    }
    write_null(out, field);
    write_help(out, field);
    mica_html(out, "</div>\n");
}

static void
open_group(struct mica_buffer *out, const struct field *field, size_t columns)
{
    open_field(out, field, "fieldset");
    if (columns > 0)
        mica_html_number(out, "data-columns", columns);
    write_reference(out, field, "id", "", NULL);
    write_reference(out, field, "aria-describedby", "-help", "-error");
    mica_html(out, ">\n<legend>");
    write_label(out, field);
    mica_html(out, "</legend>\n");
    write_help(out, field);
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
        return !is_nullable(schema);
    case MICA_VALUE_ANY:
    case MICA_VALUE_RECORD:
    case MICA_VALUE_LIST:
    case MICA_VALUE_MAP:
        break;
    }
    return false;
}

// How many columns a list has as a grid; 0: it is none. 1 is one of values, which
// stand side by side.
static size_t
columns_of(const struct field *item)
{
    const struct mica_json *properties =
        mica_json_get(item->schema, "properties");
    size_t count = 0;

    if (is_cell(item->schema))
        return 1;
    if (mica_value_kind(item->schema) != MICA_VALUE_RECORD ||
        is_nullable(item->schema))
        return 0;
    for (; count < properties->count; count++)
        if (!is_cell(&properties->members[count].value))
            return 0;
    return count <= COLUMNS ? count : 0;
}

// The titles of the columns, for eyes: each cell has a label of its own.
static void
write_columns(struct mica_buffer *out, const struct field *item)
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
write_fields(struct mica_buffer *out, const struct field *above)
{
    const struct mica_json *record = mica_value_schema(above->schema);
    const struct mica_json *properties = mica_json_get(record, "properties");
    for (size_t i = 0; properties != NULL && i < properties->count; i++) {
        const struct mica_json_member *member = &properties->members[i];
        const struct field field = {.above = above,
                                    .schema = &member->value,
                                    .name = member->name,
                                    .index = i,
                                    .required =
                                        is_required(record, member->name),
                                    .asked = above->asked,
                                    .cell = above->cell,
                                    .depth = above->depth + 1,
                                    .nesting = above->nesting};
        write_field(out, &field);
    }
}

// "Add to Points"; in a grid the button that removes is a cross of that name.
static void
write_button(struct mica_buffer *out, const char *actionz, const char *wordz,
             const struct field *field, bool cross)
{
    mica_buffer_format(out, "<button type=\"button\" data-%s", actionz);
    mica_html(out, cross ? " class=\"cross\" aria-label=\"" : ">");
    mica_buffer_format(out, cross ? "%s " : "%s <span>", wordz);
    write_label(out, field);
    mica_html(out, cross ? "\">×</button>\n" : "</span></button>\n");
}

// The name of an entry, which a person writes.
static void
write_key(struct mica_buffer *out, const struct field *item)
{
    mica_html(out, "<div class=\"key\">\n<label");
    write_reference(out, item, "for", "-key", NULL);
    mica_html(out, ">Name</label>\n<input type=\"text\" data-key "
                   "autocomplete=\"off\" spellcheck=\"false\"");
    write_reference(out, item, "id", "-key", NULL);
    mica_html(out, ">\n</div>\n");
}

// The item of a grid that is a record: one row.
static void
write_row(struct mica_buffer *out, const struct field *item)
{
    mica_html(out, "<div class=\"field row\" data-kind=\"record\" data-name=\"\" "
                   "role=\"group\" aria-label=\"Row\"");
    write_reference(out, item, "id", "", NULL);
    mica_html(out, ">\n");
    write_fields(out, item);
    write_error_place(out, item);
    mica_html(out, "</div>\n");
}

// A list or a map: its items as they are added, each a copy of one template.
static void
write_items(struct mica_buffer *out, const struct field *field, bool is_map)
{
    struct field item = {.above = field,
                         .schema = mica_value_element(field->schema),
                         .itemz = is_map ? "Value" : "Item",
                         .required = true,
                         .depth = field->depth + 1,
                         .nesting = field->nesting + 1};
    size_t columns = is_map || item.depth > DEPTH_MAX ? 0 : columns_of(&item);
    bool row = columns > 0 && mica_value_kind(item.schema) == MICA_VALUE_RECORD;
    item.cell = columns > 0;
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
        mica_html(out, "<span class=\"help\">Paste rows from a spreadsheet into "
                       "any cell.</span>\n");
    mica_html(out, "</fieldset>\n");
}

static void
write_field(struct mica_buffer *out, const struct field *field)
{
    switch (kind_of(field)) {
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
    const struct field form = {
        .schema = schema, .prefixz = prefixz, .asked = asked};
    write_fields(out, &form);
}
