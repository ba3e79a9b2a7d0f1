// SPDX-License-Identifier: Apache-2.0
//
// Acts on the life of an app: publish, roll back, unpublish, hand over, delete.
#include <string.h>

#include <sodium.h>

#include "apps/widget.h"
#include "base/unicode.h"
#include "publish/act_work.h"
#include "server/server.h"

enum {
    HASH_DIGITS = 2 * crypto_hash_sha256_BYTES
};

// ---- Publish ---------------------------------------------------------------------

// The draft with the names of the request, which a publish may bring along.
static enum mica_status
named_draft(struct mica_act_work *work, struct mica_app_draft *draft,
            bool *changed_out)
{
    struct mica_text name, description, patch, json = work->app.draft;

    MICA_TRY(mica_act_text(work, "toolName", &name));
    MICA_TRY(mica_act_text(work, "toolDescription", &description));
    MICA_TRY(mica_act_plain(work, &work->body, &patch));
    if (name.len + description.len > 0)
        MICA_TRY(mica_act_patch(work, json, patch, &json));
    *changed_out =
        (name.len > 0 && !mica_text_equal(name, work->draft.tool_name)) ||
        (description.len > 0 &&
         !mica_text_equal(description, work->draft.tool_description));
    return mica_act_check_draft(work, json, draft);
}

static enum mica_status
draft_save(struct mica_act_work *work, const struct mica_app_draft *draft)
{
    struct mica_store_app_target target = mica_act_target(work);
    struct mica_store_app_content content;
    struct mica_store_app_outcome outcome;

    MICA_TRY(mica_app_may_act(work->role, MICA_APP_EDIT, work->error));
    MICA_TRY(mica_act_content(work, draft, &content));
    MICA_TRY(mica_store_app_edit(work->acts->store, &target, &content,
                                 work->error, &outcome));
    mica_act_changed(work, &outcome);
    return MICA_OK;
}

// Writes the widget, and the part of its hash that addresses have, by which it is read.
static enum mica_status
widget_write(struct mica_act_work *work, const struct mica_app_draft *draft,
             struct mica_store_app_release *release)
{
    const struct mica_widget_parts parts = {
        .layout = &mica_app_layouts[draft->layout],
        .title = draft->name,
        .tool = draft->tool_name,
        .theme = draft->theme,
        .submit = draft->behavior.type == MICA_APP_DATA
                      ? MICA_WIDGET_SUBMIT_MESSAGE
                      : MICA_WIDGET_SUBMIT_TOOL};
    unsigned char hash[crypto_hash_sha256_BYTES];
    char *digits = mica_arena_alloc(work->arena, HASH_DIGITS + 1);
    struct mica_buffer html;

    if (digits == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    mica_buffer_init(&html, work->arena, MICA_WIDGET_BYTES);
    MICA_TRY(mica_widget_write(&parts, work->arena, work->error, &html));
    release->html = mica_buffer_as_text(&html);
    crypto_hash_sha256(hash, (const unsigned char *)release->html.ptr,
                       release->html.len);
    sodium_bin2hex(digits, HASH_DIGITS + 1, hash, sizeof hash);
    release->widget = (struct mica_text){digits, MICA_WIDGET_TAG};
    return MICA_OK;
}

// The build of the mapped tool, which every call of the version runs. Without a server it
// is not known, and a version without it could change under its callers.
enum mica_status
mica_act_find_pin(struct mica_act_work *work,
                  const struct mica_app_draft *draft, struct mica_text *pin_out)
{
    struct mica_definition *tool = mica_act_mapped_tool(work, draft);

    *pin_out = (struct mica_text){NULL, 0};
    if (draft->behavior.type != MICA_APP_TOOL)
        return MICA_OK;
    if (tool == NULL)
        return mica_error_set(
            work->error, MICA_E_CONFIG, "/behavior/tool",
            "the tool \"%.*s\" is not known here; publish the app at a server "
            "that has the tool",
            MICA_ARG(draft->behavior.tool));
    *pin_out = mica_arena_text(
        work->arena,
        mica_registry_version_of(&work->acts->server->registry, tool));
    mica_definition_drop(tool);
    return MICA_OK;
}

static enum mica_status
version_write(struct mica_act_work *work, const struct mica_app_draft *draft,
              struct mica_store_app_release *release)
{
    // Number, time and widget are columns of the store.
    struct mica_app_version version = {.draft = *draft};
    struct mica_buffer text;
    struct mica_json_writer writer;

    MICA_TRY(mica_act_find_pin(work, draft, &version.pin));
    mica_buffer_init(&text, work->arena, MICA_STORE_APP_VERSION_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_app_version_write(&writer, &version);
    if (text.overflow)
        return mica_error_set(work->error, MICA_E_LIMIT, "",
                              "the version has more than %d bytes",
                              MICA_STORE_APP_VERSION_BYTES);
    release->text = mica_buffer_as_text(&text);
    release->tool = draft->tool_name;
    return MICA_OK;
}

// The answer to a publish or a rollback, after the store has done or refused it. Another app
// may have got the tool name a moment before: then the refusal names it.
static enum mica_status
made_version(struct mica_act_work *work, enum mica_status status,
             struct mica_text tool, const char *pathz)
{
    if (status == MICA_E_EXISTS)
        MICA_TRY(mica_act_check_clash(work, tool, pathz));
    MICA_TRY(status);
    return mica_act_answer_app(work);
}

// The draft is refused before anything is stored. With other names it is saved first:
// what is published is then the draft of the next revision.
enum mica_status
mica_act_publish(struct mica_act_work *work)
{
    struct mica_store_app_release release = {.text = {NULL, 0}};
    struct mica_store_app_outcome outcome;
    struct mica_store_app_target target;
    struct mica_app_draft draft;
    enum mica_app_state state = mica_app_state_of(&work->facts);
    enum mica_status status;
    bool changed;

    MICA_TRY(
        mica_app_act_allowed(state, mica_app_publish_act(state), work->error));
    MICA_TRY(named_draft(work, &draft, &changed));
    MICA_TRY(mica_act_refuse_draft(work, true));
    MICA_TRY(mica_act_check_clash(work, draft.tool_name, "/toolName"));
    MICA_TRY(widget_write(work, &draft, &release));
    MICA_TRY(version_write(work, &draft, &release));
    if (changed)
        MICA_TRY(draft_save(work, &draft));
    target = mica_act_target(work);
    status = mica_store_app_publish(work->acts->store, &target, &release,
                                    work->error, &outcome);
    return made_version(work, status, draft.tool_name, "/toolName");
}

// ---- Roll back -------------------------------------------------------------------

// A version that is not there is a wrong number in the request.
static enum mica_status
earlier_read(struct mica_act_work *work, int64_t number,
             struct mica_app_version *version_out)
{
    enum mica_status status = mica_act_read_version(work, number, version_out);

    if (status != MICA_E_NOT_FOUND)
        return status;
    return mica_error_set(work->error, MICA_E_CONFIG, "/version",
                          "the app has no version %lld, or the store keeps it "
                          "no longer",
                          (long long)number);
}

// An old version may have been public. A person that may not change the visibility of
// the app does not bring it back either.
static enum mica_status
may_expose(struct mica_act_work *work, const struct mica_app_version *earlier)
{
    struct mica_app_version now, then = *earlier;

    if (mica_app_may(work->role, MICA_APP_EXPOSE))
        return MICA_OK;
    MICA_TRY(earlier_read(work, work->app.publish_version, &now));
    then.draft.editors = now.draft.editors;
    then.draft.viewers = now.draft.viewers;
    return mica_app_may_edit(work->role, &now.draft, &then.draft, work->error);
}

enum mica_status
mica_act_rollback(struct mica_act_work *work)
{
    struct mica_store_app_target target = mica_act_target(work);
    struct mica_store_app_outcome outcome;
    struct mica_app_version earlier;
    enum mica_status status;
    int64_t number;

    MICA_TRY(mica_app_act_allowed(mica_app_state_of(&work->facts),
                                  MICA_APP_ROLLBACK, work->error));
    MICA_TRY(mica_act_number(work, "version", 1, INT32_MAX, 0, &number));
    if (number == 0)
        return mica_error_set(work->error, MICA_E_CONFIG, "/version",
                              "version is missing: the number of the version "
                              "to publish again");
    MICA_TRY(earlier_read(work, number, &earlier));
    MICA_TRY(may_expose(work, &earlier));
    MICA_TRY(mica_act_refuse_version(work, &earlier));
    MICA_TRY(mica_act_check_clash(work, earlier.draft.tool_name, "/version"));
    status = mica_store_app_rollback(work->acts->store, &target, number,
                                     work->error, &outcome);
    return made_version(work, status, earlier.draft.tool_name, "/version");
}

// ---- Unpublish, hand over, delete ------------------------------------------------

enum mica_status
mica_act_unpublish(struct mica_act_work *work)
{
    struct mica_store_app_target target = mica_act_target(work);
    struct mica_store_app_outcome outcome;

    MICA_TRY(mica_app_act_allowed(mica_app_state_of(&work->facts),
                                  MICA_APP_UNPUBLISH, work->error));
    MICA_TRY(mica_store_app_unpublish(work->acts->store, &target, work->error,
                                      &outcome));
    return mica_act_answer_app(work);
}

static bool
is_name(struct mica_text name)
{
    struct mica_text rest = name;
    size_t index;

    while (rest.len > 0) {
        uint32_t c = mica_text_next(&rest);
        if (c < 0x20 || c == 0x7f)
            return false;
    }
    return mica_hidden_find(name, &index) == 0;
}

enum mica_status
mica_act_new_owner(struct mica_act_work *work, struct mica_text *owner_out)
{
    MICA_TRY(mica_act_text(work, "owner", owner_out));
    if (owner_out->len > 0 && owner_out->len <= MICA_ACT_NAME_BYTES &&
        is_name(*owner_out))
        return MICA_OK;
    return mica_error_set(
        work->error, MICA_E_CONFIG, "/owner",
        "owner must be the name of the new owner: 1 to %d bytes without "
        "control characters, the subject of their access token",
        MICA_ACT_NAME_BYTES);
}

enum mica_status
mica_act_hand_over(struct mica_act_work *work)
{
    struct mica_store_app_target target = mica_act_target(work);
    struct mica_store_app_outcome outcome;
    struct mica_text owner;

    MICA_TRY(mica_act_new_owner(work, &owner));
    MICA_TRY(mica_store_app_hand_over(work->acts->store, &target, owner,
                                      work->error, &outcome));
    return mica_act_answer_app(work);
}

enum mica_status
mica_act_answer_deleted(struct mica_act_work *work, struct mica_text id,
                        struct mica_text slug)
{
    struct mica_act_output output;

    work->answer->revision = 0;
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_json_name(&output.writer, "deleted");
    mica_json_boolean(&output.writer, true);
    mica_json_field(&output.writer, "id", id);
    mica_json_field(&output.writer, "mcpSlug", slug);
    mica_json_close_object(&output.writer);
    return mica_act_output_end(work, &output);
}

enum mica_status
mica_act_delete(struct mica_act_work *work)
{
    struct mica_store_app_target target = mica_act_target(work);
    struct mica_store_app_outcome outcome;

    MICA_TRY(mica_app_act_allowed(mica_app_state_of(&work->facts),
                                  MICA_APP_DELETE, work->error));
    MICA_TRY(mica_store_app_delete(work->acts->store, &target, work->error,
                                   &outcome));
    return mica_act_answer_deleted(work, work->app.id, work->app.slug);
}
