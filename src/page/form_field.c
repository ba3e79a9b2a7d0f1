// SPDX-License-Identifier: Apache-2.0
//
// Ids, and what a schema says of one field.
#include "page/form_field.h"

#include "page/html.h"

static void
write_id(struct mica_buffer *out, const struct mica_form_field *field)
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
void
mica_field_write_reference(struct mica_buffer *out,
                           const struct mica_form_field *field,
                           const char *namez, const char *suffixz,
                           const char *otherz)
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

const struct mica_json *
mica_field_default(const struct mica_form_field *field)
{
    return mica_json_get(field->schema, "default");
}

bool
mica_field_is_nullable(const struct mica_json *schema)
{
    const struct mica_json *type = mica_json_get(schema, "type");
    const struct mica_json *any = mica_json_get(schema, "anyOf");
    return (any != NULL && any->count == 2 &&
            mica_text_is(mica_json_get_text(&any->items[1], "type"), "null")) ||
           (type != NULL && type->kind == MICA_JSON_ARRAY);
}

// What may be chosen: words, or {"const","title"} each. NULL: it is no choice.
const struct mica_json *
mica_field_choices(const struct mica_json *schema)
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
enum mica_value_kind
mica_field_kind(const struct mica_form_field *field)
{
    if (field->depth > MICA_FORM_DEPTH)
        return MICA_VALUE_ANY;
    return mica_field_choices(field->schema) != NULL
               ? MICA_VALUE_CHOICE
               : mica_value_kind(field->schema);
}

// ---- Attributes -----------------------------------------------------------------

void
mica_field_write_common(struct mica_buffer *out,
                        const struct mica_form_field *field)
{
    mica_field_write_reference(out, field, "id", "", NULL);
    mica_field_write_reference(out, field, "aria-describedby", "-help",
                               "-error");
    if (field->required && field->itemz == NULL)
        mica_html(out, " aria-required=\"true\"");
}
