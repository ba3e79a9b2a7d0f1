// SPDX-License-Identifier: Apache-2.0
//
// The fields of the record of an app, as a table: what the reader, the writer and the
// comparison of drafts have in common.
#ifndef MICA_APPS_APP_FIELDS_H
#define MICA_APPS_APP_FIELDS_H

#include "apps/app_record.h"

enum mica_app_field_kind {
    MICA_APP_FIELD_LINE,   // struct mica_text: one line; `most` characters
    MICA_APP_FIELD_LINES,  // the same with ends of lines
    MICA_APP_FIELD_WORD,   // printable ASCII without space, quote and backslash
    MICA_APP_FIELD_CHOICE, // an enum: one of `choices`
    MICA_APP_FIELD_NUMBER, // int64_t: 1 to `most`; 0 is absent
    MICA_APP_FIELD_OBJECT, // const struct mica_json *: any object of `most` bytes
    MICA_APP_FIELD_PEOPLE, // struct mica_app_people: an array of `most` lines
    MICA_APP_FIELD_RECORD  // an object with fields of its own
};

struct mica_app_choices {
    const char *const *names;
    unsigned count;
};

// A row. `offset` is that of the member in struct mica_app_draft, also for the fields of
// an inner record.
struct mica_app_field {
    const char *namez;
    enum mica_app_field_kind kind;
    size_t offset;
    int64_t most;
    unsigned types; // bits of enum mica_app_behavior_type that have it; 0: all
    const struct mica_app_choices *choices;
    const struct mica_app_record *record;
};

struct mica_app_record {
    const struct mica_app_field *fields;
    size_t count;
};

extern const struct mica_app_record mica_app_fields;

// Whether a behavior of that type has the field.
static inline bool
mica_app_field_applies(const struct mica_app_field *field,
                       enum mica_app_behavior_type type)
{
    return field->types == 0 || (field->types >> type & 1) != 0;
}

// Whether mica writes a member of that name into what clients read and into versions
// ("id", "status" …). A draft may have it, and it is ignored there.
bool mica_app_field_of_store(struct mica_text name);

// The place of the field in a draft. The caller knows its type by the kind.
static inline const void *
mica_app_field_at(const struct mica_app_field *field,
                  const struct mica_app_draft *draft)
{
    return (const char *)draft + field->offset;
}

// Reads a draft from a value: what mica_app_draft_read does behind the JSON text.
enum mica_status
mica_app_draft_take(const struct mica_json *value, struct mica_arena *arena,
                    struct mica_app_findings *findings,
                    struct mica_error *error, struct mica_app_draft *draft_out)
    MICA_MUST_USE;

// Whether an object inside the value has the name "__proto__", which means something else
// than a name to a part of the programs that read such data.
bool mica_app_has_proto(const struct mica_json *value);

#endif
