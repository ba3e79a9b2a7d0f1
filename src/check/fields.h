// SPDX-License-Identifier: Apache-2.0
//
// The fields of an engine as its manifest's JSON Schemas tell them: one visit a
// property, at every depth.
#ifndef MICA_CHECK_FIELDS_H
#define MICA_CHECK_FIELDS_H

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

struct mica_field_view {
    const struct mica_field_view
        *parent;                    // the field that holds this one's record
    const struct mica_json *record; // schema of the record it is in
    const struct mica_json *schema; // its own
    struct mica_text name;
    const char *path; // "input/rows/*/price"
    bool output;
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

typedef void mica_field_visit(void *context,
                              const struct mica_field_view *field);

// Visits the fields below `schema`; `rootz` starts the paths. The views live in
// `arena`.
void mica_fields_visit(struct mica_arena *arena, const struct mica_json *schema,
                       const char *rootz, bool output, mica_field_visit *visit,
                       void *context);

// Whether a path ("rows/2/price", with or without '/' in front, "" for all)
// leads to a value that `schema` allows.
bool mica_path_leads(const struct mica_json *schema, struct mica_text path);

#endif
