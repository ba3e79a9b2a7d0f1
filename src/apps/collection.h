// SPDX-License-Identifier: Apache-2.0
//
// The record of a collection: what its owner writes beside the list of apps. Its members are
// three of those of a draft (app_record.h), and follow the same rules.
#ifndef MICA_APPS_COLLECTION_H
#define MICA_APPS_COLLECTION_H

#include "apps/app_access.h"
#include "apps/app_record.h"

struct mica_collection_record {
    struct mica_text name, description;
    struct mica_app_people editors, viewers;
};

// Reads {"name", "description", "roles"}; other members of a draft are ignored.
// Owner: the record is in `arena` and in `json`.
// Errors: MICA_E_CONFIG with a pointer (it is no such object, or a member is wrong),
// MICA_E_LIMIT.
enum mica_status mica_collection_record_read(
    struct mica_text json, struct mica_arena *arena, struct mica_error *error,
    struct mica_collection_record *record_out) MICA_MUST_USE;

// Writes the members of an open object: what mica_collection_record_read reads. Without
// `roles` those are left out.
void mica_collection_record_write(struct mica_json_writer *writer,
                                  const struct mica_collection_record *record,
                                  bool roles);

// The role of a person in a collection of `owner`.
enum mica_app_role
mica_collection_role_of(const struct mica_collection_record *record,
                        struct mica_text owner, struct mica_text subject);

#endif
