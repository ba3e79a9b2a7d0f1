// SPDX-License-Identifier: Apache-2.0
//
// Runs a draft that maps a tool or has a prompt as a call of the published app would run:
// the tool that the draft would be is made for this call alone, and runs inside the call
// that does the act. So it waits for models, asks and fails as published apps do, for the
// caller and with the caller's scopes, and no thread waits for it.
//
//     turn of the call    the act from its beginning: app, draft, findings, the tool
//         tool suspends   MICA_SUSPENDED; the act runs again with the answer
//         tool ends       its result is the answer of the act, its failure the act's
//
// The act reads the draft in each turn. If it was changed so that the tool asks something
// else, the call ends with REPLAY_DIVERGED.
#include <string.h>

#include <mica/server.h>

#include "call/turn.h"
#include "protocol/capability.h"
#include "publish/act_work.h"
#include "publish/app_endpoint.h"
#include "server/message.h"

enum {
    FAILURE_BYTES = 64 * 1024 // to read a failure
};

// ---- What is in the way ------------------------------------------------------------

// What the rules forbid about the behavior, a publish refuses in the same words.
static enum mica_status
refuse_behavior(struct mica_act_work *work)
{
    static const char behavior[] = "/behavior";

    for (size_t i = 0; i < work->findings->count; i++) {
        const struct mica_app_finding *finding = &work->findings->items[i];
        if (finding->severity != MICA_APP_WARNING &&
            mica_text_starts(finding->path, behavior))
            return mica_act_refuse_finding(work, finding);
    }
    return MICA_OK;
}

// A call without a client that answers says at once what it lacks.
static enum mica_status
refuse_question(struct mica_act_work *work, const struct mica_definition *tool)
{
    unsigned lacks = tool->requires & ~work->request->call->turn->capabilities;

    if (lacks == 0)
        return MICA_OK;
    if (lacks == MICA_SAMPLING)
        return mica_error_set(
            work->error, MICA_E_CAPABILITY, "",
            "the draft asks the language model of its client (sampling), and "
            "none is there; test it by test_app of %.*s/builder/mcp with a "
            "client that samples, or let a provider of the server answer "
            "(behavior.by)",
            MICA_ARG(work->acts->address));
    return mica_error_set(
        work->error, MICA_E_CAPABILITY, "",
        "the tool of the draft asks its caller, who cannot be asked here; test "
        "it by test_app of %.*s/builder/mcp with a client that answers, or in "
        "a terminal by \"mica app test\"",
        MICA_ARG(work->acts->address));
}

// ---- The tool ------------------------------------------------------------------------

// A published app is tested on the budget of what is published.
static enum mica_status
budget_find(struct mica_act_work *work, const struct mica_app_draft *draft,
            struct mica_app_budget *budget_out)
{
    struct mica_app_version version;

    *budget_out = mica_app_budget(draft);
    if (work->app.status != MICA_STORE_APP_PUBLISHED)
        return MICA_OK;
    MICA_TRY(mica_act_read_version(work, work->app.publish_version, &version));
    *budget_out = mica_app_budget(&version.draft);
    return MICA_OK;
}

static enum mica_status
trial_tool_make(struct mica_act_work *work, const struct mica_app_draft *draft,
                struct mica_definition **tool_out)
{
    const struct mica_acts *acts = work->acts;
    const struct mica_app_common *common;
    struct mica_app_tested tested = {.id = work->app.id,
                                     .slug = work->app.slug,
                                     .draft = draft,
                                     .store = acts->store};

    MICA_TRY(budget_find(work, draft, &tested.budget));
    MICA_TRY(mica_act_find_pin(work, draft, &tested.pin));
    MICA_TRY(acts->tests(acts->tests_data, work->error, &common));
    return mica_app_test_tool_make(common, &tested, work->error, tool_out);
}

// The {message, context} of the request.
static enum mica_status
arguments_write(struct mica_act_work *work, struct mica_text *arguments_out)
{
    const struct mica_json *context = mica_json_get(&work->body, "context");
    struct mica_act_output output;
    struct mica_text message;

    MICA_TRY(mica_act_text(work, "message", &message));
    if (message.len == 0)
        return mica_error_set(work->error, MICA_E_CONFIG, "/message",
                              "message is missing: what a person asks the app");
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_json_field(&output.writer, "message", message);
    if (context != NULL && context->kind == MICA_JSON_OBJECT) {
        mica_json_name(&output.writer, "context");
        mica_json_value(&output.writer, context);
    }
    mica_json_close_object(&output.writer);
    *arguments_out = mica_buffer_as_text(&output.buffer);
    return output.buffer.overflow
               ? mica_error_set(work->error, MICA_E_LIMIT, "", "no memory")
               : MICA_OK;
}

// ---- How it ended --------------------------------------------------------------------

// Takes over the failure of the app, with its details.
static enum mica_status
take_failure(struct mica_act_work *work)
{
    const struct mica_result *result = &work->request->call->result;
    const struct mica_json_limits limits = {.bytes = FAILURE_BYTES};
    const struct mica_json *details;
    struct mica_act_output output;
    struct mica_error ignored;
    struct mica_json error;

    if (mica_json_read(work->arena, mica_arena_text(work->arena, result->error),
                       &limits, &ignored, &error) != MICA_OK)
        return mica_error_set(work->error, result->status, "", "%s",
                              mica_status_meaning(result->status));
    details = mica_json_get(&error, "details");
    if (details != NULL) {
        mica_act_output_init(work, &output);
        mica_json_value(&output.writer, details);
        work->details = mica_buffer_as_text(&output.buffer);
    }
    return mica_error_set(work->error, result->status, "", "%.*s",
                          MICA_ARG(mica_json_get_text(&error, "message")));
}

static enum mica_status
take_result(struct mica_act_work *work)
{
    const struct mica_result *result = &work->request->call->result;
    struct mica_act_output output;

    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_json_name(&output.writer, "content");
    mica_json_open_array(&output.writer);
    for (const struct mica_content *block = result->content; block != NULL;
         block = block->next)
        if (block->kind == MICA_CONTENT_TEXT)
            mica_act_write_text_block(&output.writer, block->data);
    mica_json_close_array(&output.writer);
    mica_json_name(&output.writer, "structuredContent");
    mica_json_raw(&output.writer, result->structured);
    mica_json_name(&output.writer, "_meta");
    mica_json_open_object(&output.writer);
    if (result->meta.len > 0)
        mica_json_raw(&output.writer, result->meta);
    mica_json_close_object(&output.writer);
    mica_json_close_object(&output.writer);
    return mica_act_output_end(work, &output);
}

// The tool runs under a guard of its own, so that it has ended, and is counted, before a
// lack of memory leaves this call.
static void
trial_run(struct mica_call *call, const struct mica_definition *tool,
          struct mica_text arguments)
{
    jmp_buf *outer = call->unwind;

    call->unwind = NULL;
    tool->runnable.run(&tool->runnable, call, arguments);
    call->unwind = outer;
}

// While the call waits for a model, the turn tells the meter of the tool what it costs.
// Without a message (the command line) the meter lives as long as the act may be repeated.
static bool
tool_keep(struct mica_call *call, struct mica_definition *tool)
{
    return call->owner == NULL || mica_message_hold(call->owner, tool);
}

enum mica_status
mica_act_trial(struct mica_act_work *work, const struct mica_app_draft *draft)
{
    struct mica_call *call = work->request->call;
    struct mica_definition *tool = NULL;
    struct mica_text arguments;
    enum mica_status status;

    MICA_TRY(refuse_behavior(work));
    if (call == NULL || call->turn == NULL || work->acts->tests == NULL)
        return mica_error_set(
            work->error, MICA_E_EXECUTION, "",
            "drafts with the behavior \"%s\" cannot be tested here; publish "
            "the app, and call its tool",
            mica_app_behavior_name(draft->behavior.type));
    MICA_TRY(arguments_write(work, &arguments));
    MICA_TRY(trial_tool_make(work, draft, &tool));
    status = refuse_question(work, tool);
    if (status == MICA_OK && !tool_keep(call, tool))
        status = mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    if (status == MICA_OK) {
        trial_run(call, tool, arguments);
        if (call->stopped)
            status = MICA_SUSPENDED;
        else
            status = call->result.status == MICA_OK ? take_result(work)
                                                    : take_failure(work);
    }
    // The act has copied what it keeps. The memory of the call stays the caller's.
    if (status != MICA_SUSPENDED)
        call->result = (struct mica_result){.status = MICA_OK};
    mica_definition_drop(tool);
    return status;
}
