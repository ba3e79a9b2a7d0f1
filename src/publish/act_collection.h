// SPDX-License-Identifier: Apache-2.0
//
// Internals of acts on collections: what their files share. Of the three each calls only those
// before it.
#ifndef MICA_PUBLISH_ACT_COLLECTION_H
#define MICA_PUBLISH_ACT_COLLECTION_H

#include "publish/act_work.h"

// The apps that a collection is to have: their ids, in order.
struct mica_act_members {
    struct mica_text ids[MICA_STORE_COLLECTION_MEMBERS];
    struct mica_text slugs[MICA_STORE_COLLECTION_MEMBERS];
    size_t count;
};

// ---- act_collection_answer.c ----------------------------------------------------------

struct mica_store_app_target
mica_act_collection_target(const struct mica_act_work *work);

// What the store keeps; its texts live as long as the arguments. Errors: MICA_E_LIMIT.
enum mica_status mica_act_collection_content(
    struct mica_act_work *work, const struct mica_collection_record *record,
    const struct mica_act_members *members,
    struct mica_store_collection_content *content_out) MICA_MUST_USE;

// Answers with the collection as the store has it now. Errors: those of the store.
enum mica_status mica_act_answer_collection(struct mica_act_work *work,
                                            struct mica_text id) MICA_MUST_USE;

// Reads the record of a stored collection. Errors: MICA_E_EXECUTION (it is damaged).
enum mica_status mica_act_collection_record(
    struct mica_act_work *work, const struct mica_store_collection *collection,
    struct mica_collection_record *record_out) MICA_MUST_USE;

// Write the members of an open object before and behind those of the record.
void
mica_act_write_collection_head(const struct mica_store_collection *collection,
                               struct mica_json_writer *writer);
void
mica_act_write_collection_facts(const struct mica_act_work *work,
                                const struct mica_store_collection *collection,
                                struct mica_json_writer *writer);

// ---- act_member.c --------------------------------------------------------------

// Reads the member "members" of the body; without it the members are those of the
// collection. An app that the collection does not have yet must be one that the person may
// edit, and that the owner of the collection owns or may edit. Errors: MICA_E_CONFIG,
// MICA_E_NOT_FOUND, MICA_E_EXISTS (an app twice) with a pointer, MICA_E_LIMIT.
enum mica_status mica_act_read_members(struct mica_act_work *work,
                                       struct mica_act_members *members_out)
    MICA_MUST_USE;

// Stores the collection with that record and those members, and answers with it.
enum mica_status
mica_act_keep_collection(struct mica_act_work *work,
                         const struct mica_collection_record *record,
                         const struct mica_act_members *members) MICA_MUST_USE;

// Returns MICA_E_EXISTS, and names the two members with one tool name, after the store has
// refused them.
enum mica_status mica_act_refuse_names(struct mica_act_work *work,
                                       const struct mica_act_members *members)
    MICA_MUST_USE;

#endif
