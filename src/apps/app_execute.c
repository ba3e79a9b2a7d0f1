// SPDX-License-Identifier: Apache-2.0
//
// The behaviours of apps. A behaviour without `execute` is one that this server cannot run.
#include "apps/app_execute.h"

#include <string.h>

#include <mica/server.h>

#include "apps/app_error.h"
#include "protocol/capability.h"

enum {
    STEPS = 5000000,         // of one validation: about 50 ms
    FAULT_BYTES = 4096,      // of the description of wrong arguments
    FAILURE_BYTES = 16 << 10 // of an error as JSON
};

const char mica_app_input_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"message\":{\"type\":\"string\",\"description\":"
    "\"User query or request\"},"
    "\"context\":{\"type\":\"object\",\"description\":"
    "\"Additional context (optional)\"}},"
    "\"required\":[\"message\"]}";

static const struct mica_schema_limits limits = {.steps = STEPS};

// ---- Results -----------------------------------------------------------------------

// Ends the call with the app's own form of an error.
static void
app_fail(struct mica_call *call, enum mica_status status, const char *messagez)
{
    const struct mica_app_error failure = {.status = status,
                                           .message = mica_text(messagez)};
    struct mica_json_writer writer;
    struct mica_buffer json;

    mica_buffer_init(&json, call->arena, FAILURE_BYTES);
    mica_json_writer_init(&writer, &json);
    mica_app_error_write(&writer, &failure);
    mica_call_fail(call, status, "", "%s", messagez);
    if (!json.overflow)
        call->result.error = mica_buffer_as_text(&json);
}

// Adds the result that both behaviours with fixed words make.
static void
add_result(struct mica_call *call, const struct mica_app_plan *plan,
           struct mica_text data, struct mica_text plain)
{
    bool shows = (call->client & MICA_VIEWS) != 0;

    if (plan->message.len > 0)
        mica_add_text(call, plan->message, NULL);
    if (!shows || plan->message.len == 0)
        mica_add_text(call, plain, NULL);
    call->result.structured = data;
    call->result.meta = plan->meta;
}

// ---- Behaviours --------------------------------------------------------------------

static enum mica_status
execute_data(struct mica_call *call, const struct mica_app_plan *plan,
             const struct mica_json *arguments)
{
    (void)arguments;
    add_result(call, plan, plan->data, plan->plain);
    return MICA_OK;
}

static const struct behavior {
    unsigned hints;
    bool inline_first;
    // Fills the result of the call. NULL: not on this server.
    enum mica_status (*execute)(struct mica_call *call,
                                const struct mica_app_plan *plan,
                                const struct mica_json *arguments);
} behaviors[MICA_APP_BEHAVIORS] = {
    [MICA_APP_DATA] = {MICA_READ_ONLY | MICA_IDEMPOTENT, true, execute_data},
    [MICA_APP_TOOL] = {0, false, NULL},
    [MICA_APP_PROMPT] = {MICA_READ_ONLY | MICA_OPEN_WORLD, false, NULL}};

unsigned
mica_app_hints(enum mica_app_behavior_type type)
{
    return behaviors[type].hints;
}

bool
mica_app_runs_inline(enum mica_app_behavior_type type)
{
    return behaviors[type].inline_first;
}

// ---- A call --------------------------------------------------------------------------

static bool
check_arguments(struct mica_call *call, const struct mica_app_plan *plan,
                const struct mica_json *arguments)
{
    struct mica_schema_report report;
    struct mica_buffer text;
    enum mica_status status = mica_schema_validate(
        plan->input, arguments, &limits, call->arena, &report);
    const char *pathz = NULL;

    if (status == MICA_OK)
        return true;
    mica_buffer_init(&text, call->arena, FAULT_BYTES);
    for (size_t i = 0; i < report.count; i++) {
        if (i > 0)
            mica_buffer_text(&text, MICA_LITERAL("; "));
        mica_buffer_text(&text, report.errors[i].message);
    }
    if (report.count > 0)
        pathz = mica_arena_text(call->arena, report.errors[0].value_path).ptr;
    mica_call_fail(call, status, pathz != NULL ? pathz : "", "%.*s",
                   MICA_ARG(mica_buffer_as_text(&text)));
    return false;
}

// The arguments of run_guarded.
struct run {
    const struct mica_app_plan *plan;
    struct mica_text arguments;
};

static void
run_guarded(struct mica_call *call, void *data)
{
    const struct run *run = data;
    const struct behavior *behavior = &behaviors[run->plan->type];
    struct mica_json arguments;

    memset(&arguments, 0, sizeof arguments);
    if (mica_json_read(call->arena, run->arguments, NULL, &call->error,
                       &arguments) != MICA_OK) {
        mica_call_fail_error(call);
        return;
    }
    if (!check_arguments(call, run->plan, &arguments))
        return;
    if (behavior->execute == NULL) {
        app_fail(call, MICA_E_EXECUTION,
                 "this server cannot run apps with this behavior");
        return;
    }
    mica_progress(call, 0, 100, "Starting...");
    mica_progress(call, 50, 100, "Processing...");
    if (!mica_call_conclude(call,
                            behavior->execute(call, run->plan, &arguments)))
        return;
    mica_progress(call, 100, 100, "Complete");
}

void
mica_app_run(const struct mica_runnable *self, struct mica_call *call,
             struct mica_text arguments)
{
    struct run run = {self->data, arguments};

    // A serving thread sends nothing: the status makes it hand the call to a worker.
    if (call->budget_ms != 0 &&
        (call->wanted & 1U << MICA_NOTICE_PROGRESS) != 0) {
        call->result.status = MICA_E_TIMEOUT;
        return;
    }
    mica_call_guard(call, run_guarded, &run);
}
