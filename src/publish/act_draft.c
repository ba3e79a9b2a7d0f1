// SPDX-License-Identifier: Apache-2.0
//
// Acts on drafts: create, import, edit, check. All of them check the draft that comes out,
// and refuse one that may not be kept [ACT-2].
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "apps/app_propose.h"
#include "apps/app_slug.h"
#include "publish/act_work.h"

enum {
    ID_RANDOM = 16, // bytes of an id
    ID_HEAD = 8     // of its digits stand before the "_"
};

// ---- Create and import -----------------------------------------------------------

// 8 hexadecimal digits, "_", 24 more: a slug has no "_", so an address tells which of the
// two it has, and digits come first, as a slug that is made of an id takes six of them.
void
mica_act_make_id(char id_out[MICA_ACT_ID_BYTES + 1])
{
    unsigned char bytes[ID_RANDOM];
    char digits[2 * ID_RANDOM + 1];

    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(digits, sizeof digits, bytes, sizeof bytes);
    memcpy(id_out, digits, ID_HEAD);
    id_out[ID_HEAD] = '_';
    memcpy(id_out + ID_HEAD + 1, digits + ID_HEAD, sizeof digits - ID_HEAD);
}

// Makes what is missing of the two by rule, if the request wants it.
static enum mica_status
draft_propose(struct mica_act_work *work, struct mica_app_draft *draft)
{
    bool wanted;
    char *name;
    struct mica_buffer description;

    MICA_TRY(mica_act_flag(work, "propose", &wanted));
    if (!wanted)
        return MICA_OK;
    if (draft->tool_name.len == 0) {
        name = mica_arena_alloc(work->arena, MICA_APP_PROPOSED_NAME_SIZE);
        if (name == NULL)
            return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
        draft->tool_name =
            (struct mica_text){name, mica_app_propose_name(draft, name)};
    }
    if (draft->tool_description.len == 0) {
        mica_buffer_init(&description, work->arena,
                         MICA_APP_PROPOSED_DESCRIPTION_BYTES);
        mica_app_propose_description(draft, draft->tool_name, &description);
        draft->tool_description = mica_buffer_as_text(&description);
    }
    return MICA_OK;
}

// The draft of a new app with the name and layout that `given` has.
static enum mica_status
new_draft(struct mica_act_work *work, const struct mica_json *given,
          struct mica_text *json_out)
{
    const struct mica_app_layout_row *layout =
        mica_app_layout_find(mica_json_get_text(given, "layoutTemplate"));
    struct mica_json *mock = mica_arena_zero(work->arena, 1, sizeof *mock);
    struct mica_app_draft draft;

    if (layout == NULL)
        layout = &mica_app_layouts[MICA_LAYOUT_CARD];
    if (mock == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(
        mica_json_read(work->arena, layout->mock, NULL, work->error, mock));
    mica_app_draft_new(mica_json_get_text(given, "name"), layout->layout, mock,
                       &draft);
    return mica_app_draft_text(&draft, work->arena, work->error, json_out);
}

// Stores a new app with that draft; `slug` is the one to try first.
static enum mica_status
app_store(struct mica_act_work *work, const struct mica_app_draft *draft,
          struct mica_text slug)
{
    char *id = mica_arena_alloc(work->arena, MICA_ACT_ID_BYTES + 1);
    char own_slug[MICA_APP_SLUG_SIZE];
    struct mica_store_app_content content;
    struct mica_store_app_outcome outcome;

    if (id == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    mica_act_make_id(id);
    if (slug.len == 0)
        slug = (struct mica_text){
            own_slug, mica_app_slug(draft->name, mica_text(id), own_slug)};
    MICA_TRY(mica_act_content(work, draft, &content));
    MICA_TRY(mica_store_app_create(work->acts->store, mica_text(id), slug,
                                   work->person->name, &content,
                                   work->acts->now(), work->error, &outcome));
    MICA_TRY(mica_store_app_read(work->acts->store, mica_text(id), work->arena,
                                 work->error, &work->app));
    work->facts = mica_act_facts(&work->app);
    work->role = MICA_APP_OWNER;
    return mica_act_answer_app(work);
}

// Members of the record that are not edited: what changes them. The others of the store
// (createdAt, url …) are what was read, and may be old.
static const struct {
    const char *namez, *changed_byz;
} fixed_members[] = {
    {"id", "an app keeps its id"},
    {"mcpSlug", "a slug is chosen when the app is made, and stays; export the "
                "app and import it with another one"},
    {"owner", "an app is handed over (mica app owner, POST …/owner, "
              "hand_over_app)"},
    {"status", "an app is published and unpublished (mica app publish, POST "
               "…/publish, publish_app)"},
    {"publishedAt", "a publish sets it"},
    {"publishVersion", "a publish counts it, and a rollback takes an earlier "
                       "version back (mica app rollback)"}};

// Refuses to change what no edit changes: it would be ignored without a word. `app` is what
// a reader gets of the app; NULL: a new one, which has its slug yet to get.
static enum mica_status
refuse_fixed(struct mica_act_work *work, const struct mica_json *app)
{
    for (size_t i = 0; i < MICA_COUNT(fixed_members); i++) {
        const char *namez = fixed_members[i].namez;
        const struct mica_json *value = mica_json_get(&work->body, namez);
        const struct mica_json *now =
            app != NULL ? mica_json_get(app, namez) : NULL;
        char path[32];
        if (value == NULL || (now != NULL && mica_json_equal(value, now)))
            continue;
        if (app == NULL && (strcmp(namez, "status") != 0 ||
                            mica_text_is(value->text, "draft")))
            continue;
        (void)snprintf(path, sizeof path, "/%s", namez);
        return mica_error_set(work->error, MICA_E_CONFIG, path,
                              "no edit sets %s: %s", namez,
                              fixed_members[i].changed_byz);
    }
    return MICA_OK;
}

// Reads the record only if the request has one of its members.
static enum mica_status
refuse_fixed_edit(struct mica_act_work *work)
{
    struct mica_json app;
    bool any = false;

    for (size_t i = 0; i < MICA_COUNT(fixed_members); i++)
        any = any || mica_json_get(&work->body, fixed_members[i].namez) != NULL;
    if (!any)
        return MICA_OK;
    MICA_TRY(mica_act_answer_app(work));
    MICA_TRY(mica_json_read(work->arena, work->answer->json, NULL, work->error,
                            &app));
    work->answer->json = (struct mica_text){NULL, 0};
    return refuse_fixed(work, &app);
}

// Creates an app from `given`, a draft that may lack all but its name.
static enum mica_status
create_from(struct mica_act_work *work, const struct mica_json *given,
            struct mica_text slug)
{
    struct mica_text json, patch;
    struct mica_app_draft draft;

    MICA_TRY(new_draft(work, given, &json));
    MICA_TRY(mica_act_plain(work, given, &patch));
    MICA_TRY(mica_act_patch(work, json, patch, &json));
    MICA_TRY(mica_act_check_draft(work, json, &draft));
    MICA_TRY(mica_act_refuse_draft(work, false));
    if (draft.name.len == 0)
        return mica_error_set(work->error, MICA_E_CONFIG, "/name",
                              "a new app needs a name: a text");
    MICA_TRY(draft_propose(work, &draft));
    return app_store(work, &draft, slug);
}

// The slug that the caller wants: "" or a slug that an app may have.
static enum mica_status
wanted_slug(struct mica_act_work *work, struct mica_text *slug_out)
{
    const char *wrong;

    MICA_TRY(mica_act_text(work, "mcpSlug", slug_out));
    if (slug_out->len == 0)
        return MICA_OK;
    wrong = mica_app_slug_wrong(*slug_out);
    if (wrong != NULL)
        return mica_error_set(
            work->error, MICA_E_CONFIG, "/mcpSlug",
            "\"%.*s\" %s; a slug is 1 to 64 of a-z, 0-9 and "
            "\"-\", or leave it out: it is made from the name",
            MICA_ARG(mica_utf8_cut(*slug_out, 64)), wrong);
    return MICA_OK;
}

enum mica_status
mica_act_create(struct mica_act_work *work)
{
    struct mica_text slug;

    MICA_TRY(refuse_fixed(work, NULL));
    MICA_TRY(wanted_slug(work, &slug));
    return create_from(work, &work->body, slug);
}

enum mica_status
mica_act_import(struct mica_act_work *work)
{
    const struct mica_json *draft = mica_json_get(&work->body, "draft");
    struct mica_text slug = mica_json_get_text(&work->body, "mcpSlug");
    int64_t form;

    if (mica_json_get(&work->body, "micaApp") == NULL)
        return mica_act_create(work);
    MICA_TRY(mica_act_number(work, "micaApp", 1, 1, 1, &form));
    if (draft == NULL || draft->kind != MICA_JSON_OBJECT)
        return mica_error_set(work->error, MICA_E_CONFIG, "/draft",
                              "an exported app has its draft here, an object");
    if (mica_app_slug_wrong(slug) != NULL)
        slug = (struct mica_text){NULL, 0};
    return create_from(work, draft, slug);
}

// ---- Edit ------------------------------------------------------------------------

// Are these the mock data of the layout, untouched?
static bool
is_mock_of(struct mica_act_work *work, enum mica_app_layout layout,
           const struct mica_json *data)
{
    struct mica_json *mock = mica_arena_zero(work->arena, 1, sizeof *mock);
    struct mica_error ignored;

    return mock != NULL && data != NULL &&
           mica_json_read(work->arena, mica_app_layouts[layout].mock, NULL,
                          &ignored, mock) == MICA_OK &&
           mica_json_equal(mock, data);
}

// A new layout brings its mock data, unless the owner has data of their own.
static enum mica_status
follow_layout(struct mica_act_work *work, const struct mica_app_draft *after,
              struct mica_text *json)
{
    struct mica_act_output patch;

    if (after->layout == work->draft.layout ||
        mica_json_get(&work->body, "mockData") != NULL ||
        !is_mock_of(work, work->draft.layout, work->draft.mock_data))
        return MICA_OK;
    mica_act_output_init(work, &patch);
    mica_json_open_object(&patch.writer);
    mica_json_name(&patch.writer, "mockData");
    mica_json_raw(&patch.writer, mica_app_layouts[after->layout].mock);
    mica_json_close_object(&patch.writer);
    return mica_act_patch(work, *json, mica_buffer_as_text(&patch.buffer),
                          json);
}

enum mica_status
mica_act_edit(struct mica_act_work *work)
{
    struct mica_store_app_target target = mica_act_target(work);
    struct mica_store_app_content content;
    struct mica_store_app_outcome outcome;
    struct mica_app_draft after;
    struct mica_text patch, json;

    MICA_TRY(refuse_fixed_edit(work));
    MICA_TRY(mica_act_plain(work, &work->body, &patch));
    MICA_TRY(mica_act_patch(work, work->app.draft, patch, &json));
    MICA_TRY(mica_act_check_draft(work, json, &after));
    MICA_TRY(follow_layout(work, &after, &json));
    MICA_TRY(mica_act_check_draft(work, json, &after));
    MICA_TRY(mica_app_may_edit(work->role, &work->draft, &after, work->error));
    MICA_TRY(mica_act_refuse_draft(work, false));
    MICA_TRY(draft_propose(work, &after));
    MICA_TRY(mica_act_content(work, &after, &content));
    MICA_TRY(mica_store_app_edit(work->acts->store, &target, &content,
                                 work->error, &outcome));
    return mica_act_answer_app(work);
}

// ---- Check -----------------------------------------------------------------------

static void
write_proposal(struct mica_act_work *work, const struct mica_app_draft *draft,
               struct mica_json_writer *writer)
{
    char name[MICA_APP_PROPOSED_NAME_SIZE];
    struct mica_text tool = {name, mica_app_propose_name(draft, name)};
    struct mica_buffer description;

    mica_buffer_init(&description, work->arena,
                     MICA_APP_PROPOSED_DESCRIPTION_BYTES);
    mica_app_propose_description(draft, tool, &description);
    mica_json_name(writer, "proposal");
    mica_json_open_object(writer);
    mica_json_field(writer, "toolName", tool);
    mica_json_field(writer, "toolDescription",
                    mica_buffer_as_text(&description));
    mica_json_close_object(writer);
}

enum mica_status
mica_act_check(struct mica_act_work *work)
{
    struct mica_app_draft draft;
    struct mica_act_output output;
    struct mica_text json;

    if (work->request->app.len == 0)
        work->app.draft = MICA_LITERAL("{}");
    MICA_TRY(mica_act_patched_draft(work, &json, &draft));
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_json_name(&output.writer, "publishable");
    mica_json_boolean(&output.writer,
                      mica_app_findings_first(work->findings, true) == NULL &&
                          work->findings->more == 0);
    mica_json_name(&output.writer, "findings");
    mica_app_findings_write(&output.writer, work->findings);
    write_proposal(work, &draft, &output.writer);
    mica_app_budget_write(&output.writer, &draft);
    mica_json_close_object(&output.writer);
    return mica_act_output_end(work, &output);
}
