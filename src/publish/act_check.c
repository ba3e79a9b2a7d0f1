// SPDX-License-Identifier: Apache-2.0
//
// Drafts in an act: what they are checked against, patches, and what the store keeps.
#include <string.h>

#include "base/words.h"
#include "publish/act_work.h"
#include "server/call_rules.h"
#include "server/server.h"

enum {
    LISTED_BYTES = 400 // of a description in lists
};

// ---- The mapped tool -------------------------------------------------------------

static bool
words_have(struct mica_text granted, struct mica_text word)
{
    struct mica_text one;

    while (mica_words_next(&granted, &one))
        if (mica_text_equal(one, word))
            return true;
    return false;
}

static bool
scopes_suffice(const struct mica_principal *principal, struct mica_text needed)
{
    struct mica_text word;

    while (principal != NULL && mica_words_next(&needed, &word))
        if (!words_have(principal->scopes, word))
            return false;
    return true;
}

// Do the operator's rules let this person use the tool, under whatever name?
static bool
rules_allow(const struct mica_act_work *work, struct mica_catalog *catalog,
            const struct mica_definition *tool)
{
    const struct mica_rules *rules = work->acts->server->rules;
    struct mica_catalog *view;
    bool allowed = false;

    if (rules == NULL)
        return true;
    view = rules->view(rules->data, work->person->principal, catalog);
    if (view == NULL)
        return false;
    for (size_t i = 0; i < view->lists[MICA_DEFINITION_TOOL].count; i++) {
        const struct mica_definition *one =
            view->lists[MICA_DEFINITION_TOOL].items[i];
        if (one == tool || one->behind == tool)
            allowed = true;
    }
    mica_catalog_drop(view);
    return allowed;
}

struct mica_definition *
mica_act_mapped_tool(const struct mica_act_work *work,
                     const struct mica_app_draft *draft)
{
    struct mica_catalog *catalog;
    struct mica_definition *tool;

    if (work->acts->server == NULL || draft->behavior.type != MICA_APP_TOOL)
        return NULL;
    catalog = mica_registry_catalog(&work->acts->server->registry);
    tool =
        mica_catalog_find(catalog, MICA_DEFINITION_TOOL, draft->behavior.tool);
    if (tool != NULL)
        mica_definition_hold(tool);
    mica_catalog_drop(catalog);
    return tool;
}

// Describes the mapped tool for the rules. Its texts are copied.
static void
target_read(const struct mica_act_work *work,
            const struct mica_app_draft *draft,
            struct mica_app_target *target_out)
{
    struct mica_definition *tool = mica_act_mapped_tool(work, draft);
    struct mica_catalog *catalog;

    *target_out = (struct mica_app_target){.found = tool != NULL};
    if (tool == NULL)
        return;
    catalog = mica_registry_catalog(&work->acts->server->registry);
    target_out->allowed =
        scopes_suffice(work->person->principal, tool->scope) &&
        rules_allow(work, catalog, tool);
    mica_catalog_drop(catalog);
    target_out->input_schema = mica_arena_text(work->arena, tool->input_schema);
    target_out->output_schema =
        mica_arena_text(work->arena, tool->output_schema);
    mica_definition_drop(tool);
}

// ---- Checking --------------------------------------------------------------------

// The findings are there already: those of reading the draft.
static void
draft_check(struct mica_act_work *work, const struct mica_app_draft *draft)
{
    struct mica_app_surroundings around = {
        .providers = work->acts->providers,
        .provider_count = work->acts->provider_count,
        .knows_providers = work->acts->knows_providers};
    struct mica_app_target target;

    around.data_schema = mica_app_layouts[draft->layout].schema;
    if (work->acts->server != NULL && draft->behavior.type == MICA_APP_TOOL) {
        target_read(work, draft, &target);
        around.target = &target;
    }
    mica_app_check(draft, &around, work->arena, work->findings);
}

static enum mica_status
findings_begin(struct mica_act_work *work)
{
    work->findings = mica_arena_zero(work->arena, 1, sizeof *work->findings);
    if (work->findings == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    mica_app_findings_init(work->findings, work->arena);
    return MICA_OK;
}

enum mica_status
mica_act_check_draft(struct mica_act_work *work, struct mica_text json,
                     struct mica_app_draft *draft_out)
{
    MICA_TRY(findings_begin(work));
    MICA_TRY(mica_app_draft_read(json, work->arena, work->findings, work->error,
                                 draft_out));
    draft_check(work, draft_out);
    return MICA_OK;
}

enum mica_status
mica_act_refuse_version(struct mica_act_work *work,
                        const struct mica_app_version *version)
{
    MICA_TRY(findings_begin(work));
    draft_check(work, &version->draft);
    return mica_act_refuse_draft(work, true);
}

enum mica_status
mica_act_refuse_draft(struct mica_act_work *work, bool publishing)
{
    enum mica_status status =
        mica_app_findings_refuse(work->findings, publishing, work->error);

    work->refused_draft = status != MICA_OK;
    return status;
}

enum mica_status
mica_act_refuse_finding(struct mica_act_work *work,
                        const struct mica_app_finding *finding)
{
    char path[64];
    struct mica_text shown = mica_utf8_cut(finding->path, sizeof path - 1);

    memcpy(path, shown.ptr, shown.len);
    path[shown.len] = '\0';
    work->refused_draft = true;
    return mica_error_set(work->error, MICA_E_CONFIG, path, "%.*s",
                          MICA_ARG(finding->message));
}

// ---- Texts of drafts -------------------------------------------------------------

enum mica_status
mica_act_plain(struct mica_act_work *work, const struct mica_json *object,
               struct mica_text *json_out)
{
    static const char *const added[] = {"findings", "propose", "role"};
    struct mica_act_output output;

    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    for (size_t i = 0; i < object->count; i++) {
        const struct mica_json_member *member = &object->members[i];
        bool skip = false;
        for (size_t j = 0; j < MICA_COUNT(added); j++)
            skip = skip || mica_text_is(member->name, added[j]);
        if (skip)
            continue;
        mica_json_name_text(&output.writer, member->name);
        mica_json_value(&output.writer, &member->value);
    }
    mica_json_close_object(&output.writer);
    if (output.buffer.overflow)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    *json_out = mica_buffer_as_text(&output.buffer);
    return MICA_OK;
}

enum mica_status
mica_act_patch(struct mica_act_work *work, struct mica_text json,
               struct mica_text patch, struct mica_text *json_out)
{
    struct mica_buffer patched;

    // The result may be larger than a draft; reading it says so.
    mica_buffer_init(&patched, work->arena, MICA_ACT_BODY_BYTES);
    MICA_TRY(
        mica_app_draft_patch(json, patch, work->arena, work->error, &patched));
    if (patched.overflow)
        return mica_error_set(work->error, MICA_E_LIMIT, "",
                              "the draft has more than %d bytes",
                              MICA_APP_DRAFT_BYTES);
    *json_out = mica_buffer_as_text(&patched);
    return MICA_OK;
}

enum mica_status
mica_act_patched_draft(struct mica_act_work *work, struct mica_text *json_out,
                       struct mica_app_draft *draft_out)
{
    const struct mica_json *given = mica_json_get(&work->body, "draft");
    struct mica_text patch;

    *json_out = work->app.draft;
    if (given != NULL && given->kind != MICA_JSON_NULL) {
        if (given->kind != MICA_JSON_OBJECT)
            return mica_error_set(work->error, MICA_E_CONFIG, "/draft",
                                  "draft must be an object: the members that "
                                  "are to be other than those of the app");
        MICA_TRY(mica_act_plain(work, given, &patch));
        MICA_TRY(mica_act_patch(work, *json_out, patch, json_out));
    }
    return mica_act_check_draft(work, *json_out, draft_out);
}

// What lists show.
static enum mica_status
summary_write(struct mica_act_work *work, const struct mica_app_draft *draft,
              struct mica_text *summary_out)
{
    struct mica_act_output output;

    mica_act_output_init(work, &output);
    output.buffer.max = MICA_STORE_APP_SUMMARY_BYTES;
    mica_json_open_object(&output.writer);
    mica_json_field(&output.writer, "name", draft->name);
    mica_json_field(&output.writer, "description",
                    mica_utf8_cut(draft->description, LISTED_BYTES));
    mica_json_field(&output.writer, "toolName", draft->tool_name);
    mica_json_field(&output.writer, "layoutTemplate",
                    mica_app_layouts[draft->layout].name);
    mica_json_field(&output.writer, "visibility",
                    mica_text(mica_app_visibility_name(draft->visibility)));
    mica_json_close_object(&output.writer);
    if (output.buffer.overflow)
        return mica_error_set(work->error, MICA_E_LIMIT, "",
                              "the name of the app is too long");
    *summary_out = mica_buffer_as_text(&output.buffer);
    return MICA_OK;
}

enum mica_status
mica_act_content(struct mica_act_work *work, const struct mica_app_draft *draft,
                 struct mica_store_app_content *content_out)
{
    size_t count = draft->editors.count + draft->viewers.count;
    struct mica_store_app_person *people =
        mica_arena_zero(work->arena, count + 1, sizeof *people);

    if (people == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < draft->editors.count; i++)
        people[i] = (struct mica_store_app_person){draft->editors.names[i],
                                                   MICA_STORE_APP_EDITOR};
    for (size_t i = 0; i < draft->viewers.count; i++)
        people[draft->editors.count + i] = (struct mica_store_app_person){
            draft->viewers.names[i], MICA_STORE_APP_VIEWER};
    *content_out = (struct mica_store_app_content){.people = people,
                                                   .people_count = count};
    MICA_TRY(mica_app_draft_text(draft, work->arena, work->error,
                                 &content_out->draft));
    return summary_write(work, draft, &content_out->summary);
}
