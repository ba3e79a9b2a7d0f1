// SPDX-License-Identifier: Apache-2.0
//
// Acts that show what an app would do: a preview of its widget, a test of its tool. Both
// take a patch that is not saved, so an editor shows what is being typed.
#include <string.h>

#include "apps/widget.h"
#include "publish/act_work.h"
#include "view/view_meta.h"

static const char mock_data[] = "/mockData";

// The first error about the data that the widget would show; NULL: they are right.
static const struct mica_app_finding *
data_finding(const struct mica_app_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct mica_app_finding *finding = &findings->items[i];
        if (finding->severity != MICA_APP_WARNING &&
            mica_text_starts(finding->path, mock_data))
            return finding;
    }
    return NULL;
}

// ---- Preview ---------------------------------------------------------------------

// The draft with the data of the request in place of its own.
static enum mica_status
with_data(struct mica_act_work *work, struct mica_text json,
          const struct mica_json *data, struct mica_app_draft *draft_out)
{
    struct mica_act_output patch;

    mica_act_output_init(work, &patch);
    mica_json_open_object(&patch.writer);
    mica_json_name(&patch.writer, mock_data + 1);
    mica_json_value(&patch.writer, data);
    mica_json_close_object(&patch.writer);
    MICA_TRY(
        mica_act_patch(work, json, mica_buffer_as_text(&patch.buffer), &json));
    return mica_act_check_draft(work, json, draft_out);
}

static enum mica_status
preview_write(struct mica_act_work *work, const struct mica_app_draft *draft)
{
    const struct mica_app_finding *wrong = data_finding(work->findings);
    struct mica_widget_parts parts = {
        .layout = &mica_app_layouts[draft->layout],
        .title = draft->name,
        .tool = draft->tool_name,
        .theme = draft->theme,
        .submit = draft->behavior.type == MICA_APP_DATA
                      ? MICA_WIDGET_SUBMIT_MESSAGE
                      : MICA_WIDGET_SUBMIT_TOOL};
    struct mica_act_output data;
    struct mica_buffer html;

    if (wrong != NULL) {
        parts.failure = wrong->message;
    } else if (draft->mock_data != NULL) {
        mica_act_output_init(work, &data);
        mica_json_value(&data.writer, draft->mock_data);
        parts.data = mica_buffer_as_text(&data.buffer);
    } else {
        parts.failure = MICA_LITERAL("The app has no data to show yet.");
    }
    mica_buffer_init(&html, work->arena, MICA_WIDGET_BYTES);
    MICA_TRY(mica_widget_write(&parts, work->arena, work->error, &html));
    work->answer->html = mica_buffer_as_text(&html);
    return MICA_OK;
}

enum mica_status
mica_act_preview(struct mica_act_work *work)
{
    const struct mica_json *data = mica_json_get(&work->body, "data");
    const struct mica_app_finding *wrong;
    struct mica_app_draft draft;
    struct mica_text json;

    MICA_TRY(mica_act_patched_draft(work, &json, &draft));
    if (data != NULL && data->kind != MICA_JSON_NULL) {
        MICA_TRY(with_data(work, json, data, &draft));
        wrong = data_finding(work->findings);
        if (wrong != NULL)
            return mica_act_refuse_finding(work, wrong);
    }
    return preview_write(work, &draft);
}

// ---- Test ------------------------------------------------------------------------

// The result of fixed data, as a client without views gets it.
static enum mica_status
write_result(struct mica_act_work *work, const struct mica_app_draft *draft)
{
    struct mica_act_output output;
    struct mica_buffer plain, uri;

    mica_buffer_init(&plain, work->arena, MICA_LAYOUT_TEXT_BYTES);
    mica_layout_text(&mica_app_layouts[draft->layout], draft->mock_data,
                     &plain);
    mica_buffer_init(&uri, work->arena, 128);
    mica_widget_uri(&uri, work->app.slug, (struct mica_text){NULL, 0});
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_json_name(&output.writer, "content");
    mica_json_open_array(&output.writer);
    if (draft->behavior.message.len > 0)
        mica_act_write_text_block(&output.writer, draft->behavior.message);
    mica_act_write_text_block(&output.writer, mica_buffer_as_text(&plain));
    mica_json_close_array(&output.writer);
    mica_json_name(&output.writer, "structuredContent");
    mica_json_value(&output.writer, draft->mock_data);
    mica_json_name(&output.writer, "_meta");
    mica_json_open_object(&output.writer);
    mica_view_write_tool(&output.writer, mica_buffer_as_text(&uri),
                         MICA_MODEL | MICA_APP);
    mica_json_close_object(&output.writer);
    mica_json_close_object(&output.writer);
    return mica_act_output_end(work, &output);
}

static enum mica_status
check_arguments(struct mica_act_work *work)
{
    const struct mica_json *context = mica_json_get(&work->body, "context");
    struct mica_text message;

    MICA_TRY(mica_act_text(work, "message", &message));
    if (context == NULL || context->kind == MICA_JSON_OBJECT ||
        context->kind == MICA_JSON_NULL)
        return MICA_OK;
    return mica_error_set(work->error, MICA_E_CONFIG, "/context",
                          "context must be an object");
}

// A person that may not save a change does not test it either [ACT-4].
enum mica_status
mica_act_test(struct mica_act_work *work)
{
    const struct mica_app_finding *wrong;
    struct mica_app_draft draft;
    struct mica_text json;

    MICA_TRY(check_arguments(work));
    MICA_TRY(mica_act_patched_draft(work, &json, &draft));
    MICA_TRY(mica_app_may_edit(work->role, &work->draft, &draft, work->error));
    if (draft.behavior.type != MICA_APP_DATA)
        return mica_act_trial(work, &draft);
    wrong = data_finding(work->findings);
    if (wrong != NULL)
        return mica_act_refuse_finding(work, wrong);
    if (draft.mock_data == NULL)
        return mica_error_set(work->error, MICA_E_CONFIG, mock_data,
                              "the app has no data to answer with");
    return write_result(work, &draft);
}
