// SPDX-License-Identifier: Apache-2.0
//
// Reads back the schemas that mica_record_schema writes.
#include "schema/outline.h"

const struct mica_json *
mica_value_schema(const struct mica_json *schema)
{
    const struct mica_json *any = mica_json_get(schema, "anyOf");

    return any != NULL && any->count > 0 ? &any->items[0] : schema;
}

static bool
has_type(const struct mica_json *schema, const char *namez)
{
    const struct mica_json *type = mica_json_get(schema, "type");

    if (type == NULL || type->kind == MICA_JSON_STRING) {
        return type != NULL && mica_text_is(type->text, namez);
    }
    return type->count > 0 && mica_text_is(type->items[0].text, namez);
}

static enum mica_value_kind
text_kind(const struct mica_json *schema)
{
    struct mica_text format = mica_json_get_text(schema, "format");

    if (mica_json_get(schema, "enum") != NULL) {
        return MICA_VALUE_CHOICE;
    }
    if (mica_text_is(format, "date")) {
        return MICA_VALUE_DATE;
    }
    return mica_text_is(format, "date-time") ? MICA_VALUE_DATE_TIME
                                             : MICA_VALUE_TEXT;
}

enum mica_value_kind
mica_value_kind(const struct mica_json *schema)
{
    schema = mica_value_schema(schema);
    if (has_type(schema, "string")) {
        return text_kind(schema);
    }
    if (has_type(schema, "number")) {
        return MICA_VALUE_NUMBER;
    }
    if (has_type(schema, "integer")) {
        return MICA_VALUE_INTEGER;
    }
    if (has_type(schema, "boolean")) {
        return MICA_VALUE_BOOLEAN;
    }
    if (has_type(schema, "array")) {
        return MICA_VALUE_LIST;
    }
    if (has_type(schema, "object")) {
        return mica_json_get(schema, "properties") != NULL ? MICA_VALUE_RECORD
                                                           : MICA_VALUE_MAP;
    }
    return MICA_VALUE_ANY;
}

const struct mica_json *
mica_value_element(const struct mica_json *schema)
{
    schema = mica_value_schema(schema);
    switch (mica_value_kind(schema)) {
    case MICA_VALUE_LIST:
        return mica_json_get(schema, "items");
    case MICA_VALUE_MAP:
        return mica_json_get(schema, "additionalProperties");
    case MICA_VALUE_ANY:
    case MICA_VALUE_TEXT:
    case MICA_VALUE_CHOICE:
    case MICA_VALUE_NUMBER:
    case MICA_VALUE_INTEGER:
    case MICA_VALUE_BOOLEAN:
    case MICA_VALUE_DATE:
    case MICA_VALUE_DATE_TIME:
    case MICA_VALUE_RECORD:
        break;
    }
    return NULL;
}

enum mica_value_kind
mica_value_leaf(const struct mica_json *schema,
                const struct mica_json **leaf_out)
{
    const struct mica_json *element;

    while ((element = mica_value_element(schema)) != NULL) {
        schema = element;
    }
    *leaf_out = mica_value_schema(schema);
    return mica_value_kind(schema);
}
