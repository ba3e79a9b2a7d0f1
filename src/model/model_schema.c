// SPDX-License-Identifier: Apache-2.0
//
// JSON Schemas for providers, which take subsets of it. The subsets are those of the
// references in model_wire.h ("structured outputs"). What is left out here only widens what
// a provider promises: the caller checks an answer by the whole schema.
#include "model/model_wire.h"

// Members whose value maps names to schemas, is a list of schemas, or is one schema.
static const char *const maps[] = {"properties", "$defs", "definitions", NULL};
static const char *const lists[] = {"anyOf", "allOf", NULL};
static const char *const single[] = {"items", NULL};

// Members that both subsets take as they are.
static const char *const plain[] = {"type",  "title", "description", "enum",
                                    "const", "$ref",  "required",    NULL};

static bool
is_one_of(const char *const *words, struct mica_text name)
{
    for (; *words != NULL; words++)
        if (mica_text_is(name, *words))
            return true;
    return false;
}

// May a schema describe an object? "type" is a name or a list of names.
static bool
schema_has_object(const struct mica_json *schema)
{
    const struct mica_json *type = mica_json_get(schema, "type");

    if (type == NULL)
        return mica_json_get(schema, "properties") != NULL;
    if (type->kind == MICA_JSON_STRING)
        return mica_text_is(type->text, "object");
    for (size_t i = 0; type->kind == MICA_JSON_ARRAY && i < type->count; i++)
        if (mica_text_is(type->items[i].text, "object"))
            return true;
    return false;
}

// ---- Anthropic's ---------------------------------------------------------------------

static void
schema_write_map(struct mica_json_writer *writer, const struct mica_json *map)
{
    mica_json_open_object(writer);
    for (size_t i = 0; map->kind == MICA_JSON_OBJECT && i < map->count; i++) {
        mica_json_name_text(writer, map->members[i].name);
        mica_model_schema_write(writer, &map->members[i].value);
    }
    mica_json_close_object(writer);
}

static void
schema_write_list(struct mica_json_writer *writer, const struct mica_json *list)
{
    mica_json_open_array(writer);
    for (size_t i = 0; list->kind == MICA_JSON_ARRAY && i < list->count; i++)
        mica_model_schema_write(writer, &list->items[i]);
    mica_json_close_array(writer);
}

// A list may have to have one item, and no other number.
static bool
is_small_count(const struct mica_json *value)
{
    return value->kind == MICA_JSON_NUMBER &&
           (mica_text_is(value->text, "0") || mica_text_is(value->text, "1"));
}

static void
schema_write_member(struct mica_json_writer *writer,
                    const struct mica_json_member *member)
{
    bool as_is = is_one_of(plain, member->name) ||
                 (mica_text_is(member->name, "minItems") &&
                  is_small_count(&member->value));
    bool map = is_one_of(maps, member->name);
    bool list =
        is_one_of(lists, member->name) || mica_text_is(member->name, "oneOf");
    bool one = is_one_of(single, member->name);

    if (!as_is && !map && !list && !one)
        return;
    // Of oneOf the subset has only the weaker anyOf.
    if (mica_text_is(member->name, "oneOf"))
        mica_json_name(writer, "anyOf");
    else
        mica_json_name_text(writer, member->name);
    if (as_is)
        mica_json_value(writer, &member->value);
    else if (map)
        schema_write_map(writer, &member->value);
    else if (list)
        schema_write_list(writer, &member->value);
    else
        mica_model_schema_write(writer, &member->value);
}

void
mica_model_schema_write(struct mica_json_writer *writer,
                        const struct mica_json *schema)
{
    bool any_of = mica_json_get(schema, "anyOf") != NULL;

    mica_json_open_object(writer);
    for (size_t i = 0; schema->kind == MICA_JSON_OBJECT && i < schema->count;
         i++)
        if (!any_of || !mica_text_is(schema->members[i].name, "oneOf"))
            schema_write_member(writer, &schema->members[i]);
    if (schema_has_object(schema)) {
        mica_json_name(writer, "additionalProperties");
        mica_json_boolean(writer, false);
    }
    mica_json_close_object(writer);
}

// ---- OpenAI's ------------------------------------------------------------------------

static bool requires(const struct mica_json *required, struct mica_text name)
{
    for (size_t i = 0; required != NULL && required->kind == MICA_JSON_ARRAY &&
                       i < required->count;
         i++)
        if (mica_text_equal(required->items[i].text, name))
            return true;
    return false;
}

static bool
object_is_strict(const struct mica_json *schema)
{
    const struct mica_json *more =
        mica_json_get(schema, "additionalProperties");
    const struct mica_json *properties = mica_json_get(schema, "properties");

    if (more == NULL || more->kind != MICA_JSON_FALSE || properties == NULL ||
        properties->kind != MICA_JSON_OBJECT)
        return false;
    for (size_t i = 0; i < properties->count; i++)
        if (!requires(mica_json_get(schema, "required"),
                      properties->members[i].name))
            return false;
    return true;
}

static bool
member_is_strict(const struct mica_json_member *member)
{
    const struct mica_json *value = &member->value;

    if (is_one_of(plain, member->name) ||
        mica_text_is(member->name, "additionalProperties"))
        return true;
    if (is_one_of(single, member->name))
        return mica_model_schema_is_strict(value);
    if (is_one_of(maps, member->name)) {
        for (size_t i = 0; value->kind == MICA_JSON_OBJECT && i < value->count;
             i++)
            if (!mica_model_schema_is_strict(&value->members[i].value))
                return false;
        return value->kind == MICA_JSON_OBJECT;
    }
    if (!mica_text_is(member->name, "anyOf"))
        return false;
    for (size_t i = 0; value->kind == MICA_JSON_ARRAY && i < value->count; i++)
        if (!mica_model_schema_is_strict(&value->items[i]))
            return false;
    return true;
}

bool
mica_model_schema_is_strict(const struct mica_json *schema)
{
    if (schema->kind != MICA_JSON_OBJECT || schema->count == 0 ||
        (schema_has_object(schema) && !object_is_strict(schema)))
        return false;
    for (size_t i = 0; i < schema->count; i++)
        if (!member_is_strict(&schema->members[i]))
            return false;
    return true;
}
