// SPDX-License-Identifier: Apache-2.0
//
// A schema that is a document of its own becomes a part of another: references
// within it get the path to where it now stands.
#include "rest/openapi_parts.h"

static void write_value(const struct mica_json *value, struct mica_text name,
                        struct mica_json_writer *writer);

// "#" and "#/…"; others are names (anchors) or whole addresses.
static bool
is_local(struct mica_text reference)
{
    return reference.len > 0 && reference.ptr[0] == '#' &&
           (reference.len == 1 || reference.ptr[1] == '/');
}

static void
write_reference(struct mica_text reference, struct mica_text name,
                struct mica_json_writer *writer)
{
    struct mica_buffer path;

    mica_buffer_init(&path, NULL, reference.len + name.len + 64);
    mica_buffer_format(&path, "#/components/schemas/%.*s%.*s", MICA_ARG(name),
                       (int)(reference.len - 1), reference.ptr + 1);
    mica_json_string(writer, mica_buffer_as_text(&path));
    mica_buffer_fini(&path);
}

static void
write_member(const struct mica_json_member *member, struct mica_text name,
             struct mica_json_writer *writer)
{
    mica_json_name_text(writer, member->name);
    if (mica_text_is(member->name, "$ref") &&
        member->value.kind == MICA_JSON_STRING && is_local(member->value.text))
        write_reference(member->value.text, name, writer);
    else if (mica_text_is(member->name, "const") ||
             mica_text_is(member->name, "enum") ||
             mica_text_is(member->name, "default") ||
             mica_text_is(member->name, "examples"))
        mica_json_value(writer, &member->value); // values, no schemas
    else
        write_value(&member->value, name, writer);
}

static void
write_value(const struct mica_json *value, struct mica_text name,
            struct mica_json_writer *writer)
{
    if (value->kind == MICA_JSON_OBJECT) {
        mica_json_open_object(writer);
        for (size_t i = 0; i < value->count; i++)
            write_member(&value->members[i], name, writer);
        mica_json_close_object(writer);
    } else if (value->kind == MICA_JSON_ARRAY) {
        mica_json_open_array(writer);
        for (size_t i = 0; i < value->count; i++)
            write_value(&value->items[i], name, writer);
        mica_json_close_array(writer);
    } else {
        mica_json_value(writer, value);
    }
}

void
mica_openapi_schema(const struct mica_json *schema, struct mica_text name,
                    struct mica_json_writer *writer)
{
    write_value(schema, name, writer);
}
