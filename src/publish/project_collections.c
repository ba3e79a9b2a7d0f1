// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of a project's collections, and brings the store in step with them by acts.
#include "publish/project_collections.h"

#include "apps/app_slug.h"
#include "apps/collection.h"
#include "publish/project_work.h"
#include "store/store_collections.h"

enum {
    BODY_BYTES = MICA_ACT_BODY_BYTES
};

static const struct mica_text nothing = {NULL, 0};

// ---- Files -----------------------------------------------------------------------

static bool
file_read(struct mica_text text, struct mica_arena *arena,
          struct mica_error *error, struct mica_json *file_out)
{
    const struct mica_json_limits limits = {.depth = MICA_APP_DEPTH + 1,
                                            .bytes = BODY_BYTES};

    return mica_json_read(arena, text, &limits, error, file_out) == MICA_OK &&
           file_out->kind == MICA_JSON_OBJECT;
}

bool
mica_project_is_collection(struct mica_text text, struct mica_arena *arena)
{
    struct mica_error ignored;
    struct mica_json file;

    return file_read(text, arena, &ignored, &file) &&
           mica_json_get(&file, "micaCollection") != NULL;
}

static enum mica_status
check_members(const struct mica_json *file, struct mica_error *error)
{
    static const char *const known[] = {"micaCollection", "mcpSlug", "name",
                                        "description", "members"};

    for (size_t i = 0; i < file->count; i++) {
        bool found = false;
        char room[96];
        struct mica_buffer path = {
            .ptr = room, .capacity = sizeof room - 1, .max = sizeof room - 1};
        for (size_t j = 0; j < MICA_COUNT(known); j++)
            found = found || mica_text_is(file->members[i].name, known[j]);
        if (found)
            continue;
        mica_json_pointer_add(&path, mica_utf8_cut(file->members[i].name, 32));
        room[path.len] = '\0';
        return mica_error_set(error, MICA_E_CONFIG, room,
                              "a collection of a project has no such member; "
                              "it has micaCollection, name, description and "
                              "members");
    }
    return MICA_OK;
}

static enum mica_status
check_list(const struct mica_json *members, struct mica_error *error)
{
    char room[32];

    if (members == NULL || members->kind != MICA_JSON_ARRAY)
        return mica_error_set(error, MICA_E_CONFIG, "/members",
                              "members must be an array: the slugs of apps, "
                              "whose files are beside this one");
    if (members->count > MICA_STORE_COLLECTION_MEMBERS)
        return mica_error_set(error, MICA_E_LIMIT, "/members",
                              "a collection has at most %d apps",
                              MICA_STORE_COLLECTION_MEMBERS);
    for (size_t i = 0; i < members->count; i++) {
        struct mica_buffer path = {
            .ptr = room, .capacity = sizeof room - 1, .max = sizeof room - 1};
        if (members->items[i].kind == MICA_JSON_STRING &&
            mica_app_slug_valid(members->items[i].text))
            continue;
        mica_buffer_format(&path, "/members/%zu", i);
        room[path.len] = '\0';
        return mica_error_set(error, MICA_E_CONFIG, room,
                              "a member is the slug of an app");
    }
    return MICA_OK;
}

static enum mica_status
check_slug(struct mica_text slug, const struct mica_json *file,
           struct mica_error *error)
{
    struct mica_text named = mica_json_get_text(file, "mcpSlug");
    const char *wrong = mica_app_slug_wrong(slug);

    if (wrong != NULL)
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "the name of the file is the slug of the "
                              "collection, and \"%.*s\" %s",
                              MICA_ARG(mica_utf8_cut(slug, 64)), wrong);
    if (named.len > 0 && !mica_text_equal(named, slug))
        return mica_error_set(error, MICA_E_CONFIG, "/mcpSlug",
                              "the file is that of \"%.*s\", and says "
                              "\"%.*s\"; leave mcpSlug out",
                              MICA_ARG(slug),
                              MICA_ARG(mica_utf8_cut(named, 64)));
    return MICA_OK;
}

// The record alone, as the store keeps it.
static enum mica_status
record_read(const struct mica_json *file, struct mica_arena *arena,
            struct mica_error *error, struct mica_collection_record *record_out)
{
    static const char *const names[] = {"name", "description"};
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, arena, BODY_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        const struct mica_json *value = mica_json_get(file, names[i]);
        if (value == NULL)
            continue;
        mica_json_name(&writer, names[i]);
        mica_json_value(&writer, value);
    }
    mica_json_close_object(&writer);
    return mica_collection_record_read(mica_buffer_as_text(&text), arena, error,
                                       record_out);
}

enum mica_status
mica_project_collection_read(struct mica_text slug, struct mica_text text,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_text *collection_out,
                             const struct mica_json **members_out)
{
    struct mica_json *file = mica_arena_zero(arena, 1, sizeof *file);
    struct mica_collection_record record;
    struct mica_json_writer writer;
    struct mica_buffer body;

    if (file == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    if (!file_read(text, arena, error, file))
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "a collection is a JSON object");
    MICA_TRY(check_slug(slug, file, error));
    MICA_TRY(check_members(file, error));
    *members_out = mica_json_get(file, "members");
    MICA_TRY(check_list(*members_out, error));
    MICA_TRY(record_read(file, arena, error, &record));
    mica_buffer_init(&body, arena, BODY_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "mcpSlug", slug);
    mica_json_field(&writer, "name", record.name);
    mica_json_name(&writer, "description");
    if (record.description.len > 0)
        mica_json_string(&writer, record.description);
    else
        mica_json_null(&writer);
    mica_json_name(&writer, "members");
    mica_json_value(&writer, *members_out);
    mica_json_close_object(&writer);
    *collection_out = mica_buffer_as_text(&body);
    return body.overflow ? mica_error_set(error, MICA_E_LIMIT, "", "no memory")
                         : MICA_OK;
}

// ---- What the store has ----------------------------------------------------------

// The collection of that slug, if it is the project's. MICA_E_APP: the store has no such one.
static enum mica_status
stored_read(struct mica_project_work *work, struct mica_text slug,
            struct mica_json *stored_out)
{
    struct mica_text owner;

    MICA_TRY(mica_project_act(work, MICA_ACT_READ_COLLECTION, slug, nothing));
    MICA_TRY(mica_project_answer(work, stored_out));
    owner = mica_json_get_text(stored_out, "owner");
    if (mica_text_is(owner, MICA_PROJECT_OWNER))
        return MICA_OK;
    return mica_error_set(work->error, MICA_E_EXISTS, "",
                          "the slug \"%.*s\" is that of a collection of the "
                          "store, which belongs to %.*s, and stays its owner's "
                          "even if that collection is deleted; give the file "
                          "another name",
                          MICA_ARG(slug), MICA_ARG(owner));
}

static bool
list_has(const struct mica_json *slugs, struct mica_text slug)
{
    for (size_t i = 0; i < slugs->count; i++)
        if (mica_text_equal(slugs->items[i].text, slug))
            return true;
    return false;
}

// Has the stored collection what the file says?
static bool
is_same(const struct mica_json *stored, const struct mica_json *wanted,
        const struct mica_json *slugs)
{
    const struct mica_json *members = mica_json_get(stored, "members");

    if (!mica_text_equal(mica_json_get_text(stored, "name"),
                         mica_json_get_text(wanted, "name")) ||
        !mica_text_equal(mica_json_get_text(stored, "description"),
                         mica_json_get_text(wanted, "description")) ||
        members->count != slugs->count)
        return false;
    for (size_t i = 0; i < slugs->count; i++)
        if (!mica_text_equal(mica_json_get_text(&members->items[i], "mcpSlug"),
                             slugs->items[i].text))
            return false;
    return true;
}

enum mica_status
mica_project_collection_release(const struct mica_acts *acts,
                                struct mica_text slug, struct mica_text text,
                                struct mica_arena *arena,
                                struct mica_error *error)
{
    struct mica_project_work work = {
        .acts = acts, .arena = arena, .error = error};
    const struct mica_json *slugs, *members;
    struct mica_text body;
    struct mica_json stored;
    enum mica_status status;

    MICA_TRY(
        mica_project_collection_read(slug, text, arena, error, &body, &slugs));
    status = stored_read(&work, slug, &stored);
    if (status == MICA_E_APP)
        return MICA_OK;
    MICA_TRY(status);
    members = mica_json_get(&stored, "members");
    for (size_t i = 0; i < members->count; i++) {
        struct mica_text app =
            mica_json_get_text(&members->items[i], "mcpSlug");
        struct mica_buffer one;
        if (list_has(slugs, app))
            continue;
        mica_buffer_init(&one, arena, BODY_BYTES);
        mica_buffer_format(&one, "{\"app\":\"%.*s\"}", MICA_ARG(app));
        MICA_TRY(mica_project_act(&work, MICA_ACT_REMOVE_MEMBER, slug,
                                  mica_buffer_as_text(&one)));
    }
    return MICA_OK;
}

// A slug of something deleted may be free for its last owner alone.
static enum mica_status
collection_create(struct mica_project_work *work, struct mica_text slug,
                  struct mica_text body)
{
    MICA_TRY(mica_project_act(work, MICA_ACT_CREATE_COLLECTION, nothing, body));
    if (mica_text_equal(work->answer.slug, slug))
        return MICA_OK;
    MICA_TRY(mica_project_act(work, MICA_ACT_DELETE_COLLECTION,
                              work->answer.slug, nothing));
    return mica_error_set(work->error, MICA_E_EXISTS, "",
                          "the slug \"%.*s\" is, or was, that of an app or of "
                          "another owner's collection, and stays so; name the "
                          "file otherwise",
                          MICA_ARG(slug));
}

enum mica_status
mica_project_collection_publish(const struct mica_acts *acts,
                                struct mica_text slug, struct mica_text text,
                                struct mica_arena *arena,
                                struct mica_error *error, bool *changed_out)
{
    struct mica_project_work work = {
        .acts = acts, .arena = arena, .error = error};
    const struct mica_json *slugs;
    struct mica_json stored, wanted;
    struct mica_text body;
    enum mica_status status;

    MICA_TRY(
        mica_project_collection_read(slug, text, arena, error, &body, &slugs));
    MICA_TRY(mica_json_read(arena, body, NULL, error, &wanted));
    status = stored_read(&work, slug, &stored);
    *changed_out = true;
    if (status == MICA_E_APP)
        return collection_create(&work, slug, body);
    MICA_TRY(status);
    *changed_out = !is_same(&stored, &wanted, slugs);
    return *changed_out
               ? mica_project_act(&work, MICA_ACT_EDIT_COLLECTION, slug, body)
               : MICA_OK;
}

// ---- Withdrawing -----------------------------------------------------------------

enum mica_status
mica_project_collections_withdraw(const struct mica_acts *acts,
                                  const char *const *slugs, size_t slug_count,
                                  struct mica_arena *arena,
                                  struct mica_error *error, size_t *count_out)
{
    struct mica_project_work work = {
        .acts = acts, .arena = arena, .error = error};
    struct mica_text after = MICA_LITERAL("0");
    const struct mica_json *found, *next;
    struct mica_json page;

    *count_out = 0;
    do {
        MICA_TRY(
            mica_project_page(&work, MICA_ACT_LIST_COLLECTIONS, after, &page));
        found = mica_json_get(&page, "collections");
        next = mica_json_get(&page, "next");
        for (size_t i = 0; i < found->count; i++) {
            struct mica_text slug =
                mica_json_get_text(&found->items[i], "mcpSlug");
            if (mica_project_has(slugs, slug_count, slug) ||
                !mica_text_is(mica_json_get_text(&found->items[i], "owner"),
                              MICA_PROJECT_OWNER))
                continue;
            MICA_TRY(mica_project_act(&work, MICA_ACT_DELETE_COLLECTION, slug,
                                      nothing));
            (*count_out)++;
        }
        after = next->text;
    } while (next->kind == MICA_JSON_NUMBER);
    return MICA_OK;
}
