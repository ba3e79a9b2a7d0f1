// SPDX-License-Identifier: Apache-2.0
//
// The fields of an engine as its manifest's JSON Schemas tell them: one visit a
// property, at every depth.
#ifndef MICA_CHECK_FIELDS_H
#define MICA_CHECK_FIELDS_H

#include "schema/outline.h"

struct mica_field_view {
    const struct mica_field_view
        *parent;                    // the field that holds this one's record
    const struct mica_json *record; // schema of the record it is in
    const struct mica_json *schema; // its own
    struct mica_text name;
    const char *path; // "input/rows/*/price"
    bool output;
};

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
