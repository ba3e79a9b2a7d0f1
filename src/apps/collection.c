// SPDX-License-Identifier: Apache-2.0
//
// The record of a collection is read as a draft, so that a name which an app may not have is
// none for a collection either.
#include "apps/collection.h"

enum mica_status
mica_collection_record_read(struct mica_text json, struct mica_arena *arena,
                            struct mica_error *error,
                            struct mica_collection_record *record_out)
{
    struct mica_app_findings *findings =
        mica_arena_zero(arena, 1, sizeof *findings);
    struct mica_app_draft draft;

    if (findings == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_app_findings_init(findings, arena);
    MICA_TRY(mica_app_draft_read(json, arena, findings, error, &draft));
    MICA_TRY(mica_app_findings_refuse(findings, false, error));
    if (draft.name.len == 0)
        return mica_error_set(error, MICA_E_CONFIG, "/name",
                              "name is missing: what people call the "
                              "collection");
    *record_out =
        (struct mica_collection_record){.name = draft.name,
                                        .description = draft.description,
                                        .editors = draft.editors,
                                        .viewers = draft.viewers};
    return MICA_OK;
}

static void
write_people(struct mica_json_writer *writer, const char *namez,
             const struct mica_app_people *people)
{
    mica_json_name(writer, namez);
    mica_json_open_array(writer);
    for (size_t i = 0; i < people->count; i++)
        mica_json_string(writer, people->names[i]);
    mica_json_close_array(writer);
}

void
mica_collection_record_write(struct mica_json_writer *writer,
                             const struct mica_collection_record *record,
                             bool roles)
{
    mica_json_field(writer, "name", record->name);
    if (record->description.len > 0)
        mica_json_field(writer, "description", record->description);
    if (!roles || record->editors.count + record->viewers.count == 0)
        return;
    mica_json_name(writer, "roles");
    mica_json_open_object(writer);
    write_people(writer, "editors", &record->editors);
    write_people(writer, "viewers", &record->viewers);
    mica_json_close_object(writer);
}

enum mica_app_role
mica_collection_role_of(const struct mica_collection_record *record,
                        struct mica_text owner, struct mica_text subject)
{
    const struct mica_app_draft draft = {.editors = record->editors,
                                         .viewers = record->viewers};

    return mica_app_role_of(&draft, owner, subject);
}
