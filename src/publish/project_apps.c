// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of a project's apps, and brings the store in step with them by acts.
#include "publish/project_work.h"

#include <string.h>

#include "apps/app_rules.h"
#include "apps/app_slug.h"
#include "registry/registry.h"
#include "server/server.h"

enum {
    BODY_BYTES = MICA_ACT_BODY_BYTES
};

static const struct mica_text nothing = {NULL, 0};

// ---- Files -----------------------------------------------------------------------

// The draft inside of an exported app, or the text itself.
static enum mica_status
file_draft(struct mica_text slug, const struct mica_json *file,
           struct mica_app_findings *findings, struct mica_error *error,
           const struct mica_json **draft_out)
{
    const struct mica_json *draft = mica_json_get(file, "draft");
    struct mica_text named = mica_json_get_text(file, "mcpSlug");

    *draft_out = file;
    if (named.len > 0 && !mica_text_equal(named, slug))
        mica_app_find(findings, MICA_APP_UNFINISHED, "SLUG_MISMATCH",
                      "/mcpSlug",
                      "the file is that of \"%.*s\", and says \"%.*s\"; name "
                      "the file %.*s.json, or leave mcpSlug out",
                      MICA_ARG(slug), MICA_ARG(mica_utf8_cut(named, 64)),
                      MICA_ARG(mica_utf8_cut(named, 64)));
    if (mica_json_get(file, "micaApp") == NULL)
        return MICA_OK;
    if (draft == NULL || draft->kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_CONFIG, "/draft",
                              "an exported app has its draft here, an object");
    *draft_out = draft;
    return MICA_OK;
}

// The draft over that of a new app with its name and layout.
static enum mica_status
draft_complete(const struct mica_json *given, struct mica_arena *arena,
               struct mica_error *error, struct mica_text *json_out)
{
    const struct mica_app_layout_row *layout =
        mica_app_layout_find(mica_json_get_text(given, "layoutTemplate"));
    struct mica_buffer patch, whole;
    struct mica_json_writer writer;
    struct mica_app_draft draft;
    struct mica_json mock;
    struct mica_text base;

    if (layout == NULL)
        layout = &mica_app_layouts[MICA_LAYOUT_CARD];
    MICA_TRY(mica_json_read(arena, layout->mock, NULL, error, &mock));
    mica_app_draft_new(mica_json_get_text(given, "name"), layout->layout, &mock,
                       &draft);
    MICA_TRY(mica_app_draft_text(&draft, arena, error, &base));
    mica_buffer_init(&patch, arena, BODY_BYTES);
    mica_json_writer_init(&writer, &patch);
    mica_json_value(&writer, given);
    mica_buffer_init(&whole, arena, BODY_BYTES);
    MICA_TRY(mica_app_draft_patch(base, mica_buffer_as_text(&patch), arena,
                                  error, &whole));
    if (patch.overflow || whole.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the app has more than %d bytes", BODY_BYTES);
    *json_out = mica_buffer_as_text(&whole);
    return MICA_OK;
}

enum mica_status
mica_project_app_read(struct mica_text slug, struct mica_text text,
                      struct mica_arena *arena,
                      struct mica_app_findings *findings,
                      struct mica_error *error, struct mica_text *json_out)
{
    const struct mica_json_limits limits = {.depth = MICA_APP_DEPTH + 1,
                                            .bytes = BODY_BYTES};
    const char *wrong = mica_app_slug_wrong(slug);
    const struct mica_json *given;
    struct mica_app_draft draft;
    struct mica_json file;

    if (wrong != NULL)
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "the name of the file is the slug of the app, "
                              "and \"%.*s\" %s",
                              MICA_ARG(mica_utf8_cut(slug, 64)), wrong);
    MICA_TRY(mica_json_read(arena, text, &limits, error, &file));
    if (file.kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "an app is a JSON object, not a value of type %s",
                              mica_json_kind_name(file.kind));
    MICA_TRY(file_draft(slug, &file, findings, error, &given));
    if (mica_json_get(given, "roles") != NULL)
        mica_app_find(findings, MICA_APP_UNFINISHED, "UNKNOWN_FIELD", "/roles",
                      "an app of a project has no people: its file is edited "
                      "by the editors of the project; leave roles out");
    MICA_TRY(draft_complete(given, arena, error, json_out));
    MICA_TRY(mica_app_read_and_check(*json_out, NULL, arena, findings, error,
                                     &draft));
    return mica_app_draft_text(&draft, arena, error, json_out);
}

// ---- What has changed ------------------------------------------------------------

// Does a patch replace the member as a whole (app_patch.c)?
static bool
member_is_whole(struct mica_text name, const struct mica_json *before,
                const struct mica_json *after)
{
    static const char *const wholes[] = {"themeVariables", "mockData",
                                         "arguments", "data"};

    return mica_project_has(wholes, MICA_COUNT(wholes), name) ||
           (mica_text_is(name, "behavior") &&
            !mica_text_equal(mica_json_get_text(before, "type"),
                             mica_json_get_text(after, "type")));
}

// Writes the merge patch that makes `after` of `before`. The depth is that of a draft.
static void
patch_write(struct mica_json_writer *writer, const struct mica_json *before,
            const struct mica_json *after)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < before->count; i++)
        if (mica_json_member(after, before->members[i].name) == NULL) {
            mica_json_name_text(writer, before->members[i].name);
            mica_json_null(writer);
        }
    for (size_t i = 0; i < after->count; i++) {
        struct mica_text name = after->members[i].name;
        const struct mica_json *value = &after->members[i].value;
        const struct mica_json *old = mica_json_member(before, name);
        if (old != NULL && mica_json_equal(old, value))
            continue;
        mica_json_name_text(writer, name);
        if (old != NULL && old->kind == MICA_JSON_OBJECT &&
            value->kind == MICA_JSON_OBJECT &&
            !member_is_whole(name, old, value))
            patch_write(writer, old, value);
        else
            mica_json_value(writer, value);
    }
    mica_json_close_object(writer);
}

// The members of the answer that belong to the draft, in memory of the act.
static enum mica_status
draft_members(struct mica_project_work *work, const struct mica_json *app,
              struct mica_json *draft_out)
{
    static const char *const names[] = {
        "name",       "description",    "toolName", "toolDescription",
        "mockData",   "layoutTemplate", "behavior", "themeVariables",
        "visibility", "scope",          "budget",   "roles"};
    struct mica_json_member *members =
        mica_arena_zero(work->arena, MICA_COUNT(names), sizeof *members);
    size_t count = 0;

    if (members == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < app->count; i++)
        if (mica_project_has(names, MICA_COUNT(names), app->members[i].name))
            members[count++] = app->members[i];
    *draft_out = (struct mica_json){
        .kind = MICA_JSON_OBJECT, .count = count, .members = members};
    return MICA_OK;
}

// Is the build of the mapped tool another one than the published version has?
static enum mica_status
pin_has_changed(struct mica_project_work *work, struct mica_text slug,
                const struct mica_json *draft, bool *changed_out)
{
    struct mica_server *server = work->acts->server;
    struct mica_text name =
        mica_json_get_text(mica_json_get(draft, "behavior"), "tool");
    struct mica_catalog *catalog;
    struct mica_definition *tool;
    struct mica_json version;

    *changed_out = false;
    if (server == NULL || name.len == 0)
        return MICA_OK;
    MICA_TRY(mica_project_act(work, MICA_ACT_VERSION, slug, nothing));
    MICA_TRY(mica_project_answer(work, &version));
    catalog = mica_registry_catalog(&server->registry);
    tool = mica_catalog_find(catalog, MICA_DEFINITION_TOOL, name);
    *changed_out =
        tool != NULL &&
        !mica_text_equal(mica_registry_version_of(&server->registry, tool),
                         mica_json_get_text(&version, "pin"));
    mica_catalog_drop(catalog);
    return MICA_OK;
}

// ---- Publishing ------------------------------------------------------------------

// A slug of a deleted app may be free for its last owner alone.
static enum mica_status
app_create(struct mica_project_work *work, struct mica_text slug,
           struct mica_text draft)
{
    struct mica_buffer body;

    mica_buffer_init(&body, work->arena, BODY_BYTES);
    mica_buffer_format(&body, "{\"micaApp\":1,\"mcpSlug\":\"%.*s\",\"draft\":",
                       MICA_ARG(slug));
    mica_buffer_text(&body, draft);
    mica_buffer_char(&body, '}');
    MICA_TRY(mica_project_act(work, MICA_ACT_IMPORT, nothing,
                              mica_buffer_as_text(&body)));
    if (mica_text_equal(work->answer.slug, slug))
        return MICA_OK;
    MICA_TRY(
        mica_project_act(work, MICA_ACT_DELETE, work->answer.slug, nothing));
    return mica_error_set(work->error, MICA_E_EXISTS, "",
                          "the slug \"%.*s\" was that of an app of the store "
                          "that is deleted, and stays its owner's; name the "
                          "file otherwise",
                          MICA_ARG(slug));
}

static enum mica_status
app_edit(struct mica_project_work *work, struct mica_text slug,
         const struct mica_json *app, const struct mica_json *wanted)
{
    struct mica_json_writer writer;
    struct mica_json before;
    struct mica_buffer patch;
    struct mica_text owner = mica_json_get_text(app, "owner");

    if (!mica_text_is(owner, MICA_PROJECT_OWNER))
        return mica_error_set(
            work->error, MICA_E_EXISTS, "",
            "the slug \"%.*s\" is that of an app of the store, "
            "which belongs to %.*s; name the file otherwise, "
            "or delete that app (mica app delete %.*s)",
            MICA_ARG(slug), MICA_ARG(owner), MICA_ARG(slug));
    MICA_TRY(draft_members(work, app, &before));
    if (mica_json_equal(&before, wanted))
        return MICA_OK;
    mica_buffer_init(&patch, work->arena, BODY_BYTES);
    mica_json_writer_init(&writer, &patch);
    patch_write(&writer, &before, wanted);
    return mica_project_act(work, MICA_ACT_EDIT, slug,
                            mica_buffer_as_text(&patch));
}

// The app has the draft of the file. Is that what it serves?
static enum mica_status
app_is_stale(struct mica_project_work *work, struct mica_text slug,
             const struct mica_json *wanted, bool *stale_out)
{
    struct mica_json answer;

    MICA_TRY(mica_project_act(work, MICA_ACT_READ, slug, nothing));
    MICA_TRY(mica_project_answer(work, &answer));
    *stale_out =
        !mica_text_is(mica_json_get_text(&answer, "status"), "published");
    if (*stale_out)
        return MICA_OK;
    MICA_TRY(mica_project_act(work, MICA_ACT_DIFFERENCE, slug, nothing));
    MICA_TRY(mica_project_answer(work, &answer));
    *stale_out = mica_json_get(&answer, "changes")->count > 0;
    return *stale_out ? MICA_OK
                      : pin_has_changed(work, slug, wanted, stale_out);
}

static enum mica_status
app_sync(struct mica_project_work *work, struct mica_text slug,
         struct mica_text draft, int64_t *version_out, bool *changed_out)
{
    struct mica_json wanted, app;
    const struct mica_json *number;
    enum mica_status status;

    MICA_TRY(mica_json_read(work->arena, draft, NULL, work->error, &wanted));
    status = mica_project_act(work, MICA_ACT_READ, slug, nothing);
    if (status == MICA_E_APP) {
        MICA_TRY(app_create(work, slug, draft));
    } else {
        MICA_TRY(status);
        MICA_TRY(mica_project_answer(work, &app));
        MICA_TRY(app_edit(work, slug, &app, &wanted));
    }
    MICA_TRY(app_is_stale(work, slug, &wanted, changed_out));
    MICA_TRY(mica_project_act(
        work, *changed_out ? MICA_ACT_PUBLISH : MICA_ACT_READ, slug, nothing));
    MICA_TRY(mica_project_answer(work, &app));
    number = mica_json_get(&app, "publishVersion");
    if (number == NULL || !mica_integer_read(number->text, version_out))
        *version_out = 0;
    return MICA_OK;
}

enum mica_status
mica_project_app_publish(const struct mica_acts *acts, struct mica_text slug,
                         struct mica_text text, struct mica_arena *arena,
                         struct mica_error *error, int64_t *version_out,
                         bool *changed_out)
{
    struct mica_project_work work = {
        .acts = acts, .arena = arena, .error = error};
    struct mica_app_findings *findings =
        mica_arena_zero(arena, 1, sizeof *findings);
    struct mica_text draft;

    if (findings == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_app_findings_init(findings, arena);
    MICA_TRY(mica_project_app_read(slug, text, arena, findings, error, &draft));
    MICA_TRY(mica_app_findings_refuse(findings, true, error));
    return app_sync(&work, slug, draft, version_out, changed_out);
}

// ---- Withdrawing -----------------------------------------------------------------

enum mica_status
mica_project_apps_withdraw(const struct mica_acts *acts,
                           const char *const *slugs, size_t slug_count,
                           struct mica_arena *arena, struct mica_error *error,
                           size_t *count_out)
{
    struct mica_project_work work = {
        .acts = acts, .arena = arena, .error = error};
    struct mica_text after = MICA_LITERAL("0");
    const struct mica_json *apps, *next;
    struct mica_json page;

    *count_out = 0;
    do {
        MICA_TRY(mica_project_page(&work, MICA_ACT_LIST_APPS, after, &page));
        apps = mica_json_get(&page, "apps");
        next = mica_json_get(&page, "next");
        for (size_t i = 0; i < apps->count; i++) {
            const struct mica_json *app = &apps->items[i];
            struct mica_text slug = mica_json_get_text(app, "mcpSlug");
            if (mica_project_has(slugs, slug_count, slug) ||
                !mica_text_is(mica_json_get_text(app, "owner"),
                              MICA_PROJECT_OWNER) ||
                !mica_text_is(mica_json_get_text(app, "status"), "published"))
                continue;
            MICA_TRY(
                mica_project_act(&work, MICA_ACT_UNPUBLISH, slug, nothing));
            (*count_out)++;
        }
        after = next->text;
    } while (next->kind == MICA_JSON_NUMBER);
    return MICA_OK;
}
