// SPDX-License-Identifier: Apache-2.0
//
// Acts on collections of apps: create, list, read, edit, hand over, delete. Those on one app of
// a collection are in act_member.c.
#include "publish/act_collection.h"

#include <string.h>

#include "apps/app_fields.h"
#include "apps/app_slug.h"

// ---- The request -----------------------------------------------------------------

// Members of the record; "members" is the list of apps. What an answer has in addition is
// allowed and ignored, so that what was read can be sent back, or to another server.
static bool
is_own(struct mica_text name)
{
    return mica_text_is(name, "name") || mica_text_is(name, "description") ||
           mica_text_is(name, "roles");
}

static enum mica_status
check_names(struct mica_act_work *work)
{
    for (size_t i = 0; i < work->body.count; i++) {
        struct mica_text name = work->body.members[i].name;
        if (!is_own(name) && !mica_text_is(name, "members") &&
            !mica_text_is(name, "role") && !mica_app_field_of_store(name))
            return mica_act_refuse_member(work, name,
                                          "name, description, members, roles");
    }
    return MICA_OK;
}

// The record `json` with what the body says of it.
static enum mica_status
record_patch(struct mica_act_work *work, struct mica_text json,
             struct mica_collection_record *record_out)
{
    struct mica_act_output patch;

    mica_act_output_init(work, &patch);
    mica_json_open_object(&patch.writer);
    for (size_t i = 0; i < work->body.count; i++) {
        if (!is_own(work->body.members[i].name))
            continue;
        mica_json_name_text(&patch.writer, work->body.members[i].name);
        mica_json_value(&patch.writer, &work->body.members[i].value);
    }
    mica_json_close_object(&patch.writer);
    MICA_TRY(
        mica_act_patch(work, json, mica_buffer_as_text(&patch.buffer), &json));
    return mica_collection_record_read(json, work->arena, work->error,
                                       record_out);
}

// ---- Finding one -----------------------------------------------------------------

static enum mica_status
collection_find(struct mica_act_work *work)
{
    struct mica_text name = work->request->app;
    struct mica_store *store = work->acts->store;

    if (name.len == 0 || name.len > MICA_STORE_APP_ID_BYTES)
        return MICA_E_NOT_FOUND;
    if (memchr(name.ptr, '_', name.len) != NULL) // an id, as those of apps
        return mica_store_collection_read(store, name, work->arena, work->error,
                                          &work->collection);
    return mica_app_slug_valid(name)
               ? mica_store_collection_find(store, name, work->arena,
                                            work->error, &work->collection)
               : MICA_E_NOT_FOUND;
}

enum mica_status
mica_act_load_collection(struct mica_act_work *work, unsigned use)
{
    enum mica_status status = collection_find(work);

    if (status == MICA_E_NOT_FOUND)
        return mica_act_refuse_unknown(work, "collection");
    MICA_TRY(status);
    MICA_TRY(
        mica_act_collection_record(work, &work->collection, &work->record));
    work->role =
        work->person->is_operator
            ? MICA_APP_OWNER
            : mica_collection_role_of(&work->record, work->collection.owner,
                                      work->person->name);
    if (!mica_app_may(work->role, MICA_APP_READ))
        return mica_act_refuse_unknown(work, "collection");
    work->answer->revision = work->collection.revision;
    MICA_TRY(mica_app_may_act(work->role, use, work->error));
    if (work->request->revision != 0 &&
        work->request->revision != work->collection.revision)
        return mica_error_set(
            work->error, MICA_E_REVISION, "",
            "the collection has revision %lld by now, and you have read %lld; "
            "read it again, and repeat the change if it is still right",
            (long long)work->collection.revision,
            (long long)work->request->revision);
    return MICA_OK;
}

// ---- Acts ------------------------------------------------------------------------

enum mica_status
mica_act_create_collection(struct mica_act_work *work)
{
    char *id = mica_arena_alloc(work->arena, MICA_ACT_ID_BYTES + 1);
    char slug[MICA_APP_SLUG_SIZE];
    struct mica_store_collection_content content;
    struct mica_store_app_outcome outcome;
    struct mica_act_members members;
    enum mica_status status;
    struct mica_text first;

    if (id == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(check_names(work));
    MICA_TRY(record_patch(work, MICA_LITERAL("{}"), &work->record));
    work->collection.owner = work->person->name;
    work->role = MICA_APP_OWNER;
    MICA_TRY(mica_act_read_members(work, &members));
    MICA_TRY(
        mica_act_collection_content(work, &work->record, &members, &content));
    mica_act_make_id(id);
    first = mica_json_get_text(&work->body, "mcpSlug");
    if (mica_app_slug_wrong(first) != NULL)
        first = (struct mica_text){
            slug, mica_app_slug(work->record.name, mica_text(id), slug)};
    status = mica_store_collection_create(
        work->acts->store, mica_text(id), first, work->person->name, &content,
        work->acts->now(), work->error, &outcome);
    if (status == MICA_E_EXISTS)
        return mica_act_refuse_names(work, &members);
    MICA_TRY(status);
    return mica_act_answer_collection(work, mica_text(id));
}

// An editor decides on the apps, but not on the people.
static enum mica_status
may_share(struct mica_act_work *work)
{
    return mica_json_get(&work->body, "roles") == NULL
               ? MICA_OK
               : mica_app_may_act(work->role, MICA_APP_SHARE, work->error);
}

enum mica_status
mica_act_edit_collection(struct mica_act_work *work)
{
    struct mica_collection_record record;
    struct mica_act_members members;

    MICA_TRY(check_names(work));
    MICA_TRY(may_share(work));
    MICA_TRY(record_patch(work, work->collection.text, &record));
    MICA_TRY(mica_act_read_members(work, &members));
    return mica_act_keep_collection(work, &record, &members);
}

enum mica_status
mica_act_read_collection(struct mica_act_work *work)
{
    return mica_act_answer_collection(work, work->collection.id);
}

enum mica_status
mica_act_hand_over_collection(struct mica_act_work *work)
{
    struct mica_store_app_target target = mica_act_collection_target(work);
    struct mica_store_app_outcome outcome;
    struct mica_text owner;

    MICA_TRY(mica_act_new_owner(work, &owner));
    MICA_TRY(mica_store_collection_hand_over(work->acts->store, &target, owner,
                                             work->error, &outcome));
    return mica_act_answer_collection(work, work->collection.id);
}

enum mica_status
mica_act_delete_collection(struct mica_act_work *work)
{
    struct mica_store_app_target target = mica_act_collection_target(work);
    struct mica_store_app_outcome outcome;

    MICA_TRY(mica_store_collection_delete(work->acts->store, &target,
                                          work->error, &outcome));
    return mica_act_answer_deleted(work, work->collection.id,
                                   work->collection.slug);
}

// ---- Lists -----------------------------------------------------------------------

static enum mica_status
write_listed(struct mica_act_work *work,
             const struct mica_store_collection *collection,
             struct mica_json_writer *writer)
{
    struct mica_collection_record record;

    MICA_TRY(mica_act_collection_record(work, collection, &record));
    mica_json_open_object(writer);
    mica_act_write_collection_head(collection, writer);
    mica_collection_record_write(writer, &record, false);
    mica_act_write_collection_facts(work, collection, writer);
    mica_json_close_object(writer);
    return MICA_OK;
}

// One more than the page shows whether there is another page.
enum mica_status
mica_act_list_collections(struct mica_act_work *work)
{
    const struct mica_text all = {NULL, 0};
    struct mica_store_collections found;
    struct mica_act_output output;
    int64_t limit, after;
    size_t count;

    MICA_TRY(mica_act_number(work, "limit", 1, MICA_ACT_LIST,
                             MICA_ACT_LIST_DEFAULT, &limit));
    MICA_TRY(mica_act_number(work, "after", 0, INT64_MAX, 0, &after));
    MICA_TRY(mica_store_collection_list(
        work->acts->store, work->person->is_operator ? all : work->person->name,
        after, (size_t)limit + 1, work->arena, work->error, &found));
    count = found.count > (size_t)limit ? (size_t)limit : found.count;
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_json_name(&output.writer, "collections");
    mica_json_open_array(&output.writer);
    for (size_t i = 0; i < count; i++)
        MICA_TRY(write_listed(work, &found.items[i], &output.writer));
    mica_json_close_array(&output.writer);
    return mica_act_page_end(
        work, &output, count < found.count ? found.items[count - 1].number : 0);
}
