// SPDX-License-Identifier: Apache-2.0
//
// What a JSON Schema as mica writes it describes, in the words of a field table:
// for whatever is made from a schema alone (a form, a type, random values). A
// foreign schema is MICA_VALUE_ANY where it says something else.
#ifndef MICA_SCHEMA_OUTLINE_H
#define MICA_SCHEMA_OUTLINE_H

#include <mica/json.h>

enum mica_value_kind {
    MICA_VALUE_ANY,
    MICA_VALUE_TEXT,
    MICA_VALUE_CHOICE,
    MICA_VALUE_NUMBER,
    MICA_VALUE_INTEGER,
    MICA_VALUE_BOOLEAN,
    MICA_VALUE_DATE,
    MICA_VALUE_DATE_TIME,
    MICA_VALUE_RECORD,
    MICA_VALUE_LIST,
    MICA_VALUE_MAP
};

// What a schema as mica writes it describes; of a nullable, what it holds.
enum mica_value_kind mica_value_kind(const struct mica_json *schema);

// The schema without the null of a nullable.
const struct mica_json *mica_value_schema(const struct mica_json *schema);

// The schema of the values in a list or map; NULL for other kinds.
const struct mica_json *mica_value_element(const struct mica_json *schema);

// The kind at the bottom of lists, maps and nullables, and its schema.
enum mica_value_kind mica_value_leaf(const struct mica_json *schema,
                                     const struct mica_json **leaf_out);

#endif
