// SPDX-License-Identifier: Apache-2.0
//
// Drafts a new app from one sentence, without storing it: a language model of the operator
// makes the parts (apps/app_drafting.h), or the rules make them. As an act it runs inside a
// call, so no thread waits for the model.
#include <string.h>

#include <mica/server.h>

#include "apps/app_drafting.h"
#include "call/model_ask.h"
#include "call/turn.h"
#include "publish/act_work.h"
#include "publish/draft_limit.h"
#include "server/server.h"

#define BY_RULE "DRAFTED_BY_RULE"

enum {
    SYSTEM_BYTES = 256 * 1024, // of what a model is told
    USER_BYTES = 64 * 1024,
    ANSWER_TOKENS = 4096,
    ANSWER_MS = 60 * 1000
};

// ---- The request ---------------------------------------------------------------------

static enum mica_status
sentence_read(struct mica_act_work *work, struct mica_app_drafting *drafting)
{
    struct mica_text layout;

    *drafting = (struct mica_app_drafting){.layout = NULL};
    MICA_TRY(mica_act_text(work, "sentence", &drafting->sentence));
    MICA_TRY(mica_act_text(work, "name", &drafting->name));
    MICA_TRY(mica_act_text(work, "layoutTemplate", &layout));
    if (layout.len > 0)
        drafting->layout = mica_app_layout_find(layout);
    if (layout.len > 0 && drafting->layout == NULL)
        return mica_error_set(work->error, MICA_E_CONFIG, "/layoutTemplate",
                              "there is no such layout; GET "
                              "/api/apps/-/layouts lists them");
    return mica_app_drafting_begin(drafting, work->arena, work->error);
}

// May a model draft? `by` is "model", "rule", or absent: a model if there is one.
static enum mica_status
wants_model(struct mica_act_work *work, bool *wanted_out)
{
    struct mica_text by;

    MICA_TRY(mica_act_text(work, "by", &by));
    if (by.len > 0 && !mica_text_is(by, "model") && !mica_text_is(by, "rule"))
        return mica_error_set(work->error, MICA_E_CONFIG, "/by",
                              "by must be \"model\" or \"rule\"");
    *wanted_out = !mica_text_is(by, "rule") && work->acts->drafter.len > 0 &&
                  work->request->call != NULL &&
                  work->request->call->turn != NULL;
    if (mica_text_is(by, "model") && !*wanted_out)
        return mica_error_set(work->error, MICA_E_CONFIG, "/by",
                              "no language model drafts apps here; leave "
                              "\"by\" out, and they are drafted by rule");
    return MICA_OK;
}

// Each draft is counted in the first turn of its call.
static enum mica_status
draft_count(struct mica_act_work *work)
{
    struct mica_call *call = work->request->call;
    struct mica_buffer details;
    unsigned retry_s = 0;
    enum mica_status status;

    if (work->acts->draft_limit == NULL || call->turn->journal->count > 0)
        return MICA_OK;
    status = mica_draft_limit_count(work->acts->draft_limit, work->person->name,
                                    work->acts->now(), work->error, &retry_s);
    if (status == MICA_OK)
        return status;
    mica_buffer_init(&details, work->arena, 64);
    mica_buffer_format(&details, "{\"retryAfterMs\":%u000}", retry_s);
    work->details = mica_buffer_as_text(&details);
    if (call->owner != NULL)
        call->owner->reply.retry_s = retry_s;
    return status;
}

// ---- The model -----------------------------------------------------------------------

// Asks the model, and takes over what passes of its answer. What fails is a finding: there
// is a draft by rule in any case. Returns MICA_SUSPENDED while the model works.
static enum mica_status
model_draft(struct mica_act_work *work, struct mica_app_drafting *drafting)
{
    struct mica_call *call = work->request->call;
    struct mica_buffer system, user;
    struct mica_said message = {.role = MICA_USER};
    struct mica_model_reply reply;
    enum mica_status status;

    mica_buffer_init(&system, work->arena, SYSTEM_BYTES);
    mica_buffer_init(&user, work->arena, USER_BYTES);
    mica_app_drafting_ask(drafting, &system, &user);
    if (system.overflow || user.overflow)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    message.text = mica_buffer_as_text(&user);
    const struct mica_model_question question = {
        .key = "draft",
        .provider = work->acts->drafter,
        .system = mica_buffer_as_text(&system),
        .messages = &message,
        .message_count = 1,
        .schema = mica_text(mica_app_drafting_schema),
        .max_tokens = ANSWER_TOKENS,
        .limit_ms = ANSWER_MS,
        .progress_from = 5,
        .progress_to = 95};
    mica_progress(call, 0, 100, "Drafting...");
    status = mica_model_ask(call, &question, &reply);
    if (call->stopped)
        return MICA_SUSPENDED;
    if (status == MICA_OK)
        mica_app_drafting_take(drafting, reply.text, work->arena,
                               work->findings);
    else
        mica_app_find(work->findings, MICA_APP_WARNING, BY_RULE, "",
                      "the language model gave no draft (%s); all is made by "
                      "rule",
                      mica_status_code(status));
    mica_progress(call, 100, 100, "Drafted");
    // What the call says of a failure is the finding.
    call->result = (struct mica_result){.status = MICA_OK};
    return MICA_OK;
}

// ---- The answer ----------------------------------------------------------------------

static void
draft_write(struct mica_json_writer *writer, const struct mica_app_draft *draft)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "name", draft->name);
    mica_json_field(writer, "description", draft->description);
    mica_json_field(writer, "layoutTemplate",
                    mica_app_layouts[draft->layout].name);
    mica_json_name(writer, "mockData");
    mica_json_value(writer, draft->mock_data);
    mica_json_field(writer, "toolName", draft->tool_name);
    mica_json_field(writer, "toolDescription", draft->tool_description);
    mica_json_close_object(writer);
}

static enum mica_status
answer_write(struct mica_act_work *work,
             const struct mica_app_drafting *drafting)
{
    struct mica_act_output output;
    struct mica_json_writer *writer = &output.writer;
    bool by_model = false;

    for (size_t i = 0; i < MICA_PARTS; i++)
        by_model = by_model || drafting->sources[i] == MICA_PART_BY_MODEL;
    mica_act_output_init(work, &output);
    mica_json_open_object(writer);
    mica_json_name(writer, "draft");
    draft_write(writer, &drafting->draft);
    mica_json_field(writer, "by", mica_text(by_model ? "model" : "rule"));
    mica_json_name(writer, "sources");
    mica_json_open_object(writer);
    for (size_t i = 0; i < MICA_PARTS; i++)
        mica_json_field(
            writer, mica_app_part_name((enum mica_app_part)i),
            mica_text(mica_app_part_source_name(drafting->sources[i])));
    mica_json_close_object(writer);
    mica_json_name(writer, "findings");
    mica_app_findings_write(writer, work->findings);
    mica_json_close_object(writer);
    return mica_act_output_end(work, &output);
}

enum mica_status
mica_act_suggest(struct mica_act_work *work)
{
    struct mica_app_drafting *drafting =
        mica_arena_zero(work->arena, 1, sizeof *drafting);
    bool by_model = false;

    work->findings = mica_arena_zero(work->arena, 1, sizeof *work->findings);
    if (work->findings == NULL || drafting == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    mica_app_findings_init(work->findings, work->arena);
    MICA_TRY(sentence_read(work, drafting));
    MICA_TRY(wants_model(work, &by_model));
    if (by_model) {
        MICA_TRY(draft_count(work));
        MICA_TRY(model_draft(work, drafting));
    }
    return answer_write(work, drafting);
}
