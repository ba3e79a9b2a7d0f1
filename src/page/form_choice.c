// SPDX-License-Identifier: Apache-2.0
//
// Choices: radio buttons where they are few and short, and a list to open otherwise.
#include "page/form_field.h"

#include "page/html.h"

enum {
    SEGMENTS = 4,      // choices that stand side by side,
    SEGMENT_TEXT = 36, // with so many characters in all
    CARDS = 8          // choices of a question that stand below each other
};

// One of the choices: its value and its words. An empty value is "not given".
struct choice {
    struct mica_text value, words;
    bool chosen;
};

// The choices of a field, at most SEGMENTS or CARDS and one more; 0: too many, or
// not for radio buttons.
static size_t
choices_read(const struct mica_form_field *field, struct choice list[CARDS + 1])
{
    static const char *const no[] = {"false", "No"}, *const yes[] = {"true",
                                                                     "Yes"};
    const struct mica_json *fallback = mica_field_default(field);
    const struct mica_json *choices = mica_field_choices(field->schema);
    bool boolean = mica_field_kind(field) == MICA_VALUE_BOOLEAN;
    size_t count = 0;

    if (!field->required && fallback == NULL)
        list[count++] =
            (struct choice){mica_text(""), mica_text("Not given"), true};
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

// Whether the choices are few enough to be seen all at once; and whether below each
// other.
static bool
is_open(const struct mica_form_field *field, const struct choice *list,
        size_t count, bool *wide_out)
{
    size_t length = 0;

    if (field->place == MICA_FORM_OF_GRID || count == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        length += list[i].words.len;
    *wide_out = count > SEGMENTS || length > SEGMENT_TEXT;
    return field->place == MICA_FORM_OF_QUESTION || !*wide_out;
}

static void
write_radios(struct mica_buffer *out, const struct mica_form_field *field,
             const struct choice *list, size_t count, bool wide)
{
    mica_buffer_format(out, "<div role=\"radiogroup\" class=\"%s\"",
                       wide ? "segments cards" : "segments");
    mica_field_write_reference(out, field, "aria-labelledby", "-label", NULL);
    mica_field_write_common(out, field);
    mica_html(out, ">\n");
    for (size_t i = 0; i < count; i++) {
        mica_html(out, "<label><input type=\"radio\"");
        mica_field_write_reference(out, field, "name", "", NULL);
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
write_chosen(struct mica_buffer *out, const struct mica_form_field *field,
             const struct mica_json *choice)
{
    const struct mica_json *fallback = mica_field_default(field);
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

void
mica_field_write_select(struct mica_buffer *out,
                        const struct mica_form_field *field)
{
    const struct mica_json *choices = mica_field_choices(field->schema);
    mica_html(out, "<select");
    mica_field_write_common(out, field);
    mica_html(out, ">\n");
    if (mica_field_default(field) == NULL)
        write_option(out, mica_text(""),
                     field->required ? "Choose…" : "Not given", true);
    for (size_t i = 0; i < choices->count; i++)
        write_chosen(out, field, &choices->items[i]);
    mica_html(out, "</select>\n");
}

void
mica_field_write_yes_no(struct mica_buffer *out,
                        const struct mica_form_field *field)
{
    const struct mica_json *fallback = mica_field_default(field);
    mica_html(out, "<select");
    mica_field_write_common(out, field);
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
bool
mica_field_write_radios(struct mica_buffer *out,
                        const struct mica_form_field *field)
{
    struct choice list[CARDS + 1];
    enum mica_value_kind kind = mica_field_kind(field);
    size_t count;
    bool wide;

    if (kind != MICA_VALUE_CHOICE && kind != MICA_VALUE_BOOLEAN)
        return false;
    count = choices_read(field, list);
    if (!is_open(field, list, count, &wide))
        return false;
    mica_html(out, "<span class=\"label\"");
    mica_field_write_reference(out, field, "id", "-label", NULL);
    mica_html(out, ">");
    mica_field_write_label(out, field);
    mica_html(out, "</span>\n");
    write_radios(out, field, list, count, wide);
    return true;
}
