// SPDX-License-Identifier: Apache-2.0
//
// TypeScript's words for the schemas of a tool. What a type cannot say (bounds,
// patterns) stays in the schema; what it is about stands in its comment.
#include "page/types.h"

#include "schema/outline.h"

enum {
    DEPTH_MAX = 64
};

static void write_type(struct mica_buffer *out, const struct mica_json *schema,
                       unsigned depth);

static void
raw(struct mica_buffer *out, const char *textz)
{
    mica_buffer_text(out, mica_text(textz));
}

static void
indent(struct mica_buffer *out, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        raw(out, "  ");
}

// The text as part of a comment, which it cannot end.
static void
write_words(struct mica_buffer *out, struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool ends = c == '/' && i > 0 && text.ptr[i - 1] == '*';
        if (ends)
            mica_buffer_char(out, ' ');
        mica_buffer_char(out, c == '\n' || c == '\r' ? ' ' : c);
    }
}

static void
write_comment(struct mica_buffer *out, const struct mica_json *schema,
              unsigned depth)
{
    struct mica_text words = mica_json_get_text(schema, "description");
    const struct mica_json *fallback = mica_json_get(schema, "default");
    if (words.len == 0 && fallback == NULL)
        return;
    indent(out, depth);
    raw(out, "/** ");
    write_words(out, words);
    if (fallback != NULL) {
        raw(out, words.len > 0 ? " Default: " : "Default: ");
        write_words(out, fallback->raw);
    }
    raw(out, " */\n");
}

static bool
is_identifier(struct mica_text name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i], low = (char)(c | 0x20);
        bool letter = (low >= 'a' && low <= 'z') || c == '_' || c == '$';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return name.len > 0;
}

static void
write_name(struct mica_buffer *out, struct mica_text name)
{
    if (is_identifier(name)) {
        mica_buffer_text(out, name);
        return;
    }
    mica_buffer_char(out, '"');
    mica_json_escape(out, name);
    mica_buffer_char(out, '"');
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

static void
write_record(struct mica_buffer *out, const struct mica_json *schema,
             unsigned depth)
{
    const struct mica_json *properties = mica_json_get(schema, "properties");
    raw(out, "{\n");
    for (size_t i = 0; properties != NULL && i < properties->count; i++) {
        const struct mica_json_member *member = &properties->members[i];
        write_comment(out, &member->value, depth + 1);
        indent(out, depth + 1);
        write_name(out, member->name);
        raw(out, is_required(schema, member->name) ? ": " : "?: ");
        write_type(out, &member->value, depth + 1);
        raw(out, ";\n");
    }
    indent(out, depth);
    raw(out, "}");
}

static void
write_choices(struct mica_buffer *out, const struct mica_json *schema)
{
    const struct mica_json *choices = mica_json_get(schema, "enum");
    for (size_t i = 0; i < choices->count; i++) {
        raw(out, i > 0 ? " | " : "");
        mica_buffer_text(out, choices->items[i].raw);
    }
}

// Whether null is one of its values, beside what the outline says.
static bool
is_nullable(const struct mica_json *schema)
{
    const struct mica_json *type = mica_json_get(schema, "type");
    return mica_value_schema(schema) != schema ||
           (type != NULL && type->kind == MICA_JSON_ARRAY);
}

static void
write_list(struct mica_buffer *out, const struct mica_json *element,
           unsigned depth)
{
    raw(out, "Array<");
    if (element == NULL)
        raw(out, "unknown");
    else
        write_type(out, element, depth);
    raw(out, ">");
}

static void
write_map(struct mica_buffer *out, const struct mica_json *element,
          unsigned depth)
{
    raw(out, "{ [key: string]: ");
    if (element == NULL || element->kind != MICA_JSON_OBJECT)
        raw(out, "unknown");
    else
        write_type(out, element, depth);
    raw(out, " }");
}

static void
write_value(struct mica_buffer *out, const struct mica_json *schema,
            unsigned depth)
{
    switch (mica_value_kind(schema)) {
    case MICA_VALUE_TEXT:
    case MICA_VALUE_DATE:
    case MICA_VALUE_DATE_TIME:
        raw(out, "string");
        break;
    case MICA_VALUE_NUMBER:
    case MICA_VALUE_INTEGER:
        raw(out, "number");
        break;
    case MICA_VALUE_BOOLEAN:
        raw(out, "boolean");
        break;
    case MICA_VALUE_CHOICE:
        write_choices(out, schema);
        break;
    case MICA_VALUE_RECORD:
        write_record(out, schema, depth);
        break;
    case MICA_VALUE_LIST:
        write_list(out, mica_value_element(schema), depth);
        break;
    case MICA_VALUE_MAP:
        write_map(out, mica_value_element(schema), depth);
        break;
    case MICA_VALUE_ANY:
        raw(out, "unknown");
        break;
    }
}

static void
write_type(struct mica_buffer *out, const struct mica_json *schema,
           unsigned depth)
{
    enum mica_value_kind kind = mica_value_kind(schema);
    if (depth > DEPTH_MAX) {
        raw(out, "unknown");
        return;
    }
    write_value(out, mica_value_schema(schema), depth);
    // The choices of a nullable have null among them.
    if (is_nullable(schema) && kind != MICA_VALUE_CHOICE)
        raw(out, " | null");
}

void
mica_types_write(struct mica_buffer *out, const char *namez,
                 const struct mica_json *schema)
{
    write_comment(out, schema, 0);
    mica_buffer_format(out, "export type %s = ", namez);
    write_type(out, schema, 0);
    raw(out, ";\n");
}
