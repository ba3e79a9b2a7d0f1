// SPDX-License-Identifier: Apache-2.0
//
// Answers about a draft that is not saved.
#include "apps/draft_answer.h"

#include <mica/json.h>

#include "apps/app_error.h"
#include "apps/app_rules.h"
#include "apps/app_slug.h"
#include "apps/widget.h"

// Whatever is wrong with the text of a draft is INVALID_CONFIG; details.reason says more.
static bool
answer_refuse(const struct mica_error *error, struct mica_arena *arena,
              struct mica_buffer *answer)
{
    struct mica_app_error refusal;
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, answer);
    mica_app_error_make(error, arena, &refusal);
    refusal.status = MICA_E_CONFIG;
    mica_app_error_write_body(&writer, &refusal);
    return false;
}

static struct mica_app_findings *
findings_new(struct mica_arena *arena, struct mica_error *error)
{
    struct mica_app_findings *findings =
        mica_arena_zero(arena, 1, sizeof *findings);

    if (findings != NULL)
        mica_app_findings_init(findings, arena);
    else
        mica_error_set(error, MICA_E_LIMIT, "", "no memory is left");
    return findings;
}

// An id without letters and digits adds nothing, and then the reserved "app" shows that
// the name gave nothing either.
static void
write_slug(struct mica_json_writer *writer, struct mica_text name)
{
    char slug[MICA_APP_SLUG_SIZE];
    size_t length = mica_app_slug(name, MICA_LITERAL("-"), slug);

    mica_json_name(writer, "slug");
    if (mica_text_is((struct mica_text){slug, length}, "app-app"))
        mica_json_null(writer);
    else
        mica_json_string(writer, (struct mica_text){slug, length});
}

bool
mica_draft_findings(struct mica_text json, struct mica_arena *arena,
                    struct mica_buffer *answer_out)
{
    struct mica_json_writer writer;
    struct mica_app_draft draft;
    struct mica_error error;
    struct mica_app_findings *findings = findings_new(arena, &error);

    if (findings == NULL || mica_app_read_and_check(json, NULL, arena, findings,
                                                    &error, &draft) != MICA_OK)
        return answer_refuse(&error, arena, answer_out);
    mica_json_writer_init(&writer, answer_out);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "savable");
    mica_json_boolean(&writer, findings->worst < MICA_APP_INVALID);
    mica_json_name(&writer, "publishable");
    mica_json_boolean(&writer, findings->worst < MICA_APP_UNFINISHED);
    write_slug(&writer, draft.name);
    mica_app_budget_write(&writer, &draft);
    mica_json_name(&writer, "findings");
    mica_app_findings_write(&writer, findings);
    mica_json_close_object(&writer);
    return true;
}

bool
mica_draft_preview(struct mica_text json, struct mica_arena *arena,
                   struct mica_buffer *answer_out)
{
    struct mica_widget_parts parts = {0};
    struct mica_json_writer writer;
    struct mica_buffer data;
    struct mica_app_draft draft;
    struct mica_error error;
    struct mica_app_findings *findings = findings_new(arena, &error);

    if (findings == NULL ||
        mica_app_draft_read(json, arena, findings, &error, &draft) != MICA_OK)
        return answer_refuse(&error, arena, answer_out);
    mica_buffer_init(&data, arena, MICA_APP_DRAFT_BYTES);
    mica_json_writer_init(&writer, &data);
    if (draft.mock_data != NULL)
        mica_json_value(&writer, draft.mock_data);
    parts.layout = &mica_app_layouts[draft.layout];
    parts.title = draft.name;
    parts.tool = draft.tool_name;
    parts.theme = draft.theme;
    parts.submit = draft.behavior.type == MICA_APP_DATA
                       ? MICA_WIDGET_SUBMIT_MESSAGE
                       : MICA_WIDGET_SUBMIT_TOOL;
    parts.data = mica_buffer_as_text(&data);
    if (mica_widget_write(&parts, arena, &error, answer_out) != MICA_OK)
        return answer_refuse(&error, arena, answer_out);
    return true;
}
