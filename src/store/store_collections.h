// SPDX-License-Identifier: Apache-2.0
//
// Collections in a store: several apps (store_apps.h) under one slug. A collection has a text,
// which is opaque here, and an ordered list of apps. It has no versions: what it serves are
// the published versions of its members, so a change of it counts at once.
//
// Slugs, ids, owners, revisions and errors are as those of apps. The slug of a deleted
// collection stays taken; only its last owner can get it again, for a collection.
//
//  COLLECTION-1. A member counts only while the owner of the collection owns the app or
//                may edit it. An app that was handed over stays in the list, and is not
//                served.
//  COLLECTION-2. Members that count and are published have different tool names: an edit
//                of the collection and a publish of an app that would break this are
//                refused. Only people who come to own or edit an app or a collection can
//                bring two together; then the first in the list has the name.
//  COLLECTION-3. Every act on an app raises the serials of the collections that have it,
//                so a follower of the serial learns of them, too.
#ifndef MICA_STORE_STORE_COLLECTIONS_H
#define MICA_STORE_STORE_COLLECTIONS_H

#include "store/store_apps.h"

#define MICA_STORE_COLLECTION_BYTES   65536 // of its text
#define MICA_STORE_COLLECTION_MEMBERS 64    // apps of one collection, at most
#define MICA_STORE_APP_COLLECTIONS    64 // collections that have one app, at most

// An app of a collection.
struct mica_store_member {
    struct mica_text id, slug, owner;
    struct mica_text summary; // as mica_store_app_list returns it
    enum mica_store_app_status status;
    int64_t publish_version;
    struct mica_text
        tool;    // of the newest version; empty: the app is not published
    bool counts; // COLLECTION-1
};

struct mica_store_collection {
    int64_t number; // as that of an app
    struct mica_text id, slug, owner, text;
    int64_t revision, created, changed;
    const struct mica_store_member
        *members; // in their order; lists leave them out
    size_t member_count;
};

// What an act writes.
struct mica_store_collection_content {
    struct mica_text text;
    const struct mica_store_app_person *people; // besides the owner
    size_t people_count;
    const struct mica_text *members; // ids of apps, each once
    size_t member_count;
};

// ---- Acts ------------------------------------------------------------------------
// The outcome of an act has slug and revision.

// Creates a collection; its slug is found as that of an app.
// Errors: MICA_E_EXISTS (the id is used, or two members have the same tool name),
// MICA_E_NOT_FOUND (there is no app with the id of a member), MICA_E_LIMIT (too many
// collections, members or people, or a text is too long), MICA_E_FORMAT (the slug).
enum mica_status mica_store_collection_create(
    struct mica_store *store, struct mica_text id, struct mica_text slug,
    struct mica_text owner, const struct mica_store_collection_content *content,
    int64_t now, struct mica_error *error,
    struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// Replaces text, people and members. Errors: as above, MICA_E_REVISION.
enum mica_status mica_store_collection_edit(
    struct mica_store *store, const struct mica_store_app_target *target,
    const struct mica_store_collection_content *content,
    struct mica_error *error, struct mica_store_app_outcome *outcome_out)
    MICA_MUST_USE;

// Gives a collection, with its slug, to another owner. Errors: MICA_E_REVISION, MICA_E_LIMIT.
enum mica_status mica_store_collection_hand_over(
    struct mica_store *store, const struct mica_store_app_target *target,
    struct mica_text owner, struct mica_error *error,
    struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// Removes a collection, and none of its apps. Errors: MICA_E_REVISION.
enum mica_status mica_store_collection_delete(
    struct mica_store *store, const struct mica_store_app_target *target,
    struct mica_error *error, struct mica_store_app_outcome *outcome_out)
    MICA_MUST_USE;

// ---- Read ------------------------------------------------------------------------

// Reads a collection with its members by its id, or by its slug, in `arena`.
enum mica_status
mica_store_collection_read(struct mica_store *store, struct mica_text id,
                           struct mica_arena *arena, struct mica_error *error,
                           struct mica_store_collection *collection_out)
    MICA_MUST_USE;
enum mica_status
mica_store_collection_find(struct mica_store *store, struct mica_text slug,
                           struct mica_arena *arena, struct mica_error *error,
                           struct mica_store_collection *collection_out)
    MICA_MUST_USE;

struct mica_store_collections {
    struct mica_store_collection *items; // without members
    size_t count;
};

// Reads at most `limit` (1 to 1000) collections, as mica_store_app_list reads apps: those of
// a person, and those that it may edit or view; all, if `person` is empty.
enum mica_status mica_store_collection_list(
    struct mica_store *store, struct mica_text person, int64_t after,
    size_t limit, struct mica_arena *arena, struct mica_error *error,
    struct mica_store_collections *collections_out) MICA_MUST_USE;

// Two apps that a collection cannot have with one tool name.
struct mica_store_clash {
    struct mica_text collection; // slug
    struct mica_text other;      // slug of the app that has the name
};

// Finds a collection with the app in which another member has that tool name. Empty texts: no
// collection has such a member, so the app may be published with the name.
enum mica_status
mica_store_collection_clash(struct mica_store *store, struct mica_text app,
                            struct mica_text tool, struct mica_arena *arena,
                            struct mica_error *error,
                            struct mica_store_clash *clash_out) MICA_MUST_USE;

#endif
