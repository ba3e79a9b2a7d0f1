// SPDX-License-Identifier: Apache-2.0
//
// What a JSON Schema takes, in as few words as there are: "number", "window |
// aisle", "list of text", "date or null".
#include <string.h>

#include "cli/cli.h"

enum {
    DEPTH = 16
};

static void add_type(struct mica_buffer *text, const struct mica_json *schema,
                     unsigned depth);

static void
add_choices(struct mica_buffer *text, const struct mica_json *choices,
            bool titled)
{
    for (size_t i = 0; i < choices->count; i++) {
        const struct mica_json *choice = &choices->items[i];
        if (titled)
            choice = mica_json_get(choice, "const");
        if (choice == NULL)
            continue;
        mica_buffer_format(text, "%s%.*s", i > 0 ? " | " : "",
                           MICA_ARG(choice->kind == MICA_JSON_STRING
                                        ? choice->text
                                        : choice->raw));
    }
}

static void
add_compound(struct mica_buffer *text, const struct mica_json *schema,
             const char *type, unsigned depth)
{
    const struct mica_json *items = mica_json_get(schema, "items");
    const struct mica_json *values =
        mica_json_get(schema, "additionalProperties");

    if (strcmp(type, "array") == 0) {
        mica_buffer_text(text, MICA_LITERAL("list of "));
        add_type(text, items, depth + 1);
    } else if (values != NULL && values->kind == MICA_JSON_OBJECT) {
        mica_buffer_text(text, MICA_LITERAL("map to "));
        add_type(text, values, depth + 1);
    } else {
        mica_buffer_text(text, mica_text(type));
    }
}

// "number", "of | ratio | change", "list of text", "date or null".
static void
add_type(struct mica_buffer *text, const struct mica_json *schema,
         unsigned depth)
{
    const struct mica_json *type = mica_json_get(schema, "type");
    const struct mica_json *choices = mica_json_get(schema, "enum");
    const struct mica_json *one_of = mica_json_get(schema, "oneOf");
    const struct mica_json *any_of = mica_json_get(schema, "anyOf");
    struct mica_text format = mica_json_get_text(schema, "format");
    struct mica_text name = {NULL, 0};
    char namez[32] = "";

    if (type != NULL && type->kind == MICA_JSON_STRING)
        name = type->text;
    else if (type != NULL && type->kind == MICA_JSON_ARRAY && type->count > 0)
        name = type->items[0].text;
    if (name.len > 0 && name.len < sizeof namez)
        memcpy(namez, name.ptr, name.len);
    if (choices != NULL && choices->kind == MICA_JSON_ARRAY) {
        add_choices(text, choices, false);
        return; // null is one of them where it is allowed
    }
    if (one_of != NULL && one_of->kind == MICA_JSON_ARRAY) {
        add_choices(text, one_of, true);
        return;
    }
    if (any_of != NULL && any_of->kind == MICA_JSON_ARRAY && any_of->count > 0)
        add_type(text, &any_of->items[0], depth + 1);
    else if (name.len == 0 || depth > DEPTH)
        mica_buffer_text(text, MICA_LITERAL("anything"));
    else if (format.len > 0)
        mica_buffer_text(text, format);
    else
        add_compound(text, schema,
                     strcmp(namez, "string") == 0 ? "text" : namez, depth);
    if (any_of != NULL || (type != NULL && type->kind == MICA_JSON_ARRAY))
        mica_buffer_text(text, MICA_LITERAL(" or null"));
}

void
mica_cli_add_type(struct mica_buffer *out, const struct mica_json *schema)
{
    add_type(out, schema, 0);
}
