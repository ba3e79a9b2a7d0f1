// SPDX-License-Identifier: Apache-2.0
//
// The apps of a collection: which ones a person may add, two that have one tool name, and what
// a reader sees of them.
#include <string.h>

#include "apps/app_slug.h"
#include "publish/act_collection.h"

enum {
    READ_BYTES = 16 << 20, // for one app with its draft, or one version
    PATH_BYTES = 32        // of a pointer, "/members/63"
};

// ---- Reading the list ------------------------------------------------------------

static const char *
path_of(char room[PATH_BYTES], size_t index)
{
    struct mica_buffer path = {
        .ptr = room, .capacity = PATH_BYTES - 1, .max = PATH_BYTES - 1};

    mica_buffer_format(&path, "/members/%zu", index);
    room[path.len] = '\0';
    return room;
}

// An app by its slug or id: a string, or an object of an answer.
static struct mica_text
name_of(const struct mica_json *item)
{
    struct mica_text id = {NULL, 0};

    if (item->kind == MICA_JSON_STRING)
        return item->text;
    if (item->kind == MICA_JSON_OBJECT)
        id = mica_json_get_text(item, "id");
    return id.len == 0 && item->kind == MICA_JSON_OBJECT
               ? mica_json_get_text(item, "mcpSlug")
               : id;
}

static const struct mica_store_member *
present_find(const struct mica_store_collection *collection,
             struct mica_text name)
{
    for (size_t i = 0; i < collection->member_count; i++)
        if (mica_text_equal(collection->members[i].id, name) ||
            mica_text_equal(collection->members[i].slug, name))
            return &collection->members[i];
    return NULL;
}

static enum mica_status
refuse_app(struct mica_act_work *work, const char *pathz)
{
    return mica_error_set(work->error, MICA_E_NOT_FOUND, pathz,
                          "there is no such app among those that you may edit");
}

// May the person, and the owner of the collection, edit the app [ACT-1]?
static enum mica_status
check_roles(struct mica_act_work *work, const struct mica_store_app *app,
            struct mica_arena *arena, const char *pathz)
{
    struct mica_app_findings *findings =
        mica_arena_zero(arena, 1, sizeof *findings);
    struct mica_app_draft draft;

    if (findings == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    mica_app_findings_init(findings, arena);
    MICA_TRY(
        mica_app_draft_read(app->draft, arena, findings, work->error, &draft));
    if (!work->person->is_operator &&
        !mica_app_may(mica_app_role_of(&draft, app->owner, work->person->name),
                      MICA_APP_EDIT))
        return refuse_app(work, pathz);
    if (mica_app_may(
            mica_app_role_of(&draft, app->owner, work->collection.owner),
            MICA_APP_EDIT))
        return MICA_OK;
    return mica_error_set(
        work->error, MICA_E_CONFIG, pathz,
        "the app \"%.*s\" belongs to someone else than the collection; its "
        "owner can make the owner of the collection an editor of it",
        MICA_ARG(app->slug));
}

static enum mica_status
app_read(struct mica_act_work *work, struct mica_text name,
         struct mica_arena *arena, struct mica_store_app *app_out)
{
    struct mica_store *store = work->acts->store;

    if (name.len == 0 || name.len > MICA_STORE_APP_ID_BYTES)
        return MICA_E_NOT_FOUND;
    if (memchr(name.ptr, '_', name.len) != NULL)
        return mica_store_app_read(store, name, arena, work->error, app_out);
    return mica_app_slug_valid(name)
               ? mica_store_app_find(store, name, arena, work->error, app_out)
               : MICA_E_NOT_FOUND;
}

// An app that the collection does not have yet.
static enum mica_status
member_read(struct mica_act_work *work, struct mica_text name,
            const char *pathz, struct mica_text *id_out,
            struct mica_text *slug_out)
{
    struct mica_store_app app;
    struct mica_arena arena;
    enum mica_status status;

    mica_arena_init(&arena, READ_BYTES);
    status = app_read(work, name, &arena, &app);
    if (status == MICA_E_NOT_FOUND)
        status = refuse_app(work, pathz);
    else if (status == MICA_OK)
        status = check_roles(work, &app, &arena, pathz);
    if (status == MICA_OK) {
        *id_out = mica_arena_text(work->arena, app.id);
        *slug_out = mica_arena_text(work->arena, app.slug);
    }
    mica_arena_fini(&arena);
    return status;
}

static bool
has_id(const struct mica_act_members *members, struct mica_text id)
{
    for (size_t i = 0; i < members->count; i++)
        if (mica_text_equal(members->ids[i], id))
            return true;
    return false;
}

static enum mica_status
member_add(struct mica_act_work *work, struct mica_act_members *members,
           struct mica_text name, const char *pathz)
{
    const struct mica_store_member *present =
        present_find(&work->collection, name);
    struct mica_text id, slug;

    if (members->count == MICA_STORE_COLLECTION_MEMBERS)
        return mica_error_set(work->error, MICA_E_LIMIT, pathz,
                              "a collection has at most %d apps",
                              MICA_STORE_COLLECTION_MEMBERS);
    if (present != NULL) {
        id = present->id;
        slug = present->slug;
    } else {
        MICA_TRY(member_read(work, name, pathz, &id, &slug));
    }
    if (has_id(members, id))
        return mica_error_set(work->error, MICA_E_EXISTS, pathz,
                              "the app \"%.*s\" is in the list twice",
                              MICA_ARG(slug));
    members->ids[members->count] = id;
    members->slugs[members->count++] = slug;
    return MICA_OK;
}

static void
members_present(const struct mica_act_work *work,
                struct mica_act_members *members)
{
    members->count = 0;
    for (size_t i = 0; i < work->collection.member_count; i++) {
        members->ids[members->count] = work->collection.members[i].id;
        members->slugs[members->count++] = work->collection.members[i].slug;
    }
}

enum mica_status
mica_act_read_members(struct mica_act_work *work,
                      struct mica_act_members *members_out)
{
    const struct mica_json *list = mica_json_get(&work->body, "members");
    char path[PATH_BYTES];

    members_present(work, members_out);
    if (list == NULL)
        return MICA_OK;
    if (list->kind != MICA_JSON_ARRAY)
        return mica_error_set(work->error, MICA_E_CONFIG, "/members",
                              "members must be an array: apps by their "
                              "mcpSlug or id");
    members_out->count = 0;
    for (size_t i = 0; i < list->count; i++)
        MICA_TRY(member_add(work, members_out, name_of(&list->items[i]),
                            path_of(path, i)));
    return MICA_OK;
}

// ---- One app ---------------------------------------------------------------------

static enum mica_status
read_app_name(struct mica_act_work *work, struct mica_text *name_out)
{
    MICA_TRY(mica_act_text(work, "app", name_out));
    if (name_out->len > 0)
        return MICA_OK;
    return mica_error_set(work->error, MICA_E_CONFIG, "/app",
                          "app is missing: the mcpSlug or the id of an app");
}

// Moves the last of the members to a place, 1 for the first.
static void
member_move(struct mica_act_members *members, size_t place)
{
    size_t last = members->count - 1;
    struct mica_text id = members->ids[last], slug = members->slugs[last];

    for (size_t i = last; i + 1 > place; i--) {
        members->ids[i] = members->ids[i - 1];
        members->slugs[i] = members->slugs[i - 1];
    }
    members->ids[place - 1] = id;
    members->slugs[place - 1] = slug;
}

static bool
member_remove(struct mica_act_members *members, struct mica_text name)
{
    for (size_t i = 0; i < members->count; i++) {
        if (!mica_text_equal(members->ids[i], name) &&
            !mica_text_equal(members->slugs[i], name))
            continue;
        members->count--;
        memmove(&members->ids[i], &members->ids[i + 1],
                (members->count - i) * sizeof members->ids[0]);
        memmove(&members->slugs[i], &members->slugs[i + 1],
                (members->count - i) * sizeof members->slugs[0]);
        return true;
    }
    return false;
}

// An app that is in the collection already is moved.
enum mica_status
mica_act_add_member(struct mica_act_work *work)
{
    struct mica_act_members members;
    struct mica_text name;
    int64_t place;

    MICA_TRY(read_app_name(work, &name));
    MICA_TRY(mica_act_number(work, "place", 1, MICA_STORE_COLLECTION_MEMBERS, 0,
                             &place));
    members_present(work, &members);
    if (present_find(&work->collection, name) != NULL && place == 0)
        return mica_act_answer_collection(work, work->collection.id);
    (void)member_remove(&members, name);
    MICA_TRY(member_add(work, &members, name, "/app"));
    if (place > 0 && (size_t)place < members.count)
        member_move(&members, (size_t)place);
    return mica_act_keep_collection(work, &work->record, &members);
}

enum mica_status
mica_act_remove_member(struct mica_act_work *work)
{
    struct mica_act_members members;
    struct mica_text name;

    MICA_TRY(read_app_name(work, &name));
    members_present(work, &members);
    if (!member_remove(&members, name))
        return mica_error_set(work->error, MICA_E_NOT_FOUND, "/app",
                              "the collection has no such app");
    return mica_act_keep_collection(work, &work->record, &members);
}

enum mica_status
mica_act_keep_collection(struct mica_act_work *work,
                         const struct mica_collection_record *record,
                         const struct mica_act_members *members)
{
    struct mica_store_app_target target = mica_act_collection_target(work);
    struct mica_store_collection_content content;
    struct mica_store_app_outcome outcome;
    enum mica_status status;

    MICA_TRY(mica_act_collection_content(work, record, members, &content));
    status = mica_store_collection_edit(work->acts->store, &target, &content,
                                        work->error, &outcome);
    if (status == MICA_E_REVISION)
        work->answer->revision = outcome.revision;
    if (status == MICA_E_EXISTS)
        return mica_act_refuse_names(work, members);
    MICA_TRY(status);
    return mica_act_answer_collection(work, work->collection.id);
}

// ---- Tool names ------------------------------------------------------------------

// The tool name of a published app, in the arena of the act; empty: it is not published.
static struct mica_text
tool_of(struct mica_act_work *work, struct mica_text slug)
{
    struct mica_text name = {NULL, 0};
    struct mica_store_published_app published;
    struct mica_app_version version;
    struct mica_error ignored;
    struct mica_arena arena;

    mica_arena_init(&arena, READ_BYTES);
    if (mica_store_app_published(work->acts->store, slug, &arena, &ignored,
                                 &published) == MICA_OK &&
        mica_app_version_read(published.version.text, &arena, &ignored,
                              &version) == MICA_OK)
        name = mica_arena_text(work->arena, version.draft.tool_name);
    mica_arena_fini(&arena);
    return name;
}

enum mica_status
mica_act_refuse_names(struct mica_act_work *work,
                      const struct mica_act_members *members)
{
    struct mica_text tools[MICA_STORE_COLLECTION_MEMBERS];
    char path[PATH_BYTES];

    for (size_t i = 0; i < members->count; i++) {
        tools[i] = tool_of(work, members->slugs[i]);
        for (size_t j = 0; tools[i].len > 0 && j < i; j++) {
            if (!mica_text_equal(tools[i], tools[j]))
                continue;
            return mica_error_set(
                work->error, MICA_E_EXISTS, path_of(path, i),
                "the apps \"%.*s\" and \"%.*s\" have the same tool name "
                "\"%.*s\"; publish one of them with another toolName",
                MICA_ARG(members->slugs[j]), MICA_ARG(members->slugs[i]),
                MICA_ARG(tools[i]));
        }
    }
    // One of them was changed after the store had refused.
    return mica_error_set(work->error, MICA_E_BUSY, "",
                          "the apps change at this moment; try again");
}

enum mica_status
mica_act_check_clash(struct mica_act_work *work, struct mica_text tool,
                     const char *pathz)
{
    struct mica_store_clash clash;

    MICA_TRY(mica_store_collection_clash(work->acts->store, work->app.id, tool,
                                         work->arena, work->error, &clash));
    if (clash.collection.len == 0)
        return MICA_OK;
    return mica_error_set(
        work->error, MICA_E_EXISTS, pathz,
        "the app \"%.*s\" has the tool name \"%.*s\" in the collection "
        "\"%.*s\", which has this app, too; choose another toolName, or take "
        "one of both apps out of the collection",
        MICA_ARG(clash.other), MICA_ARG(tool), MICA_ARG(clash.collection));
}
