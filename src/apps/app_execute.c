// SPDX-License-Identifier: Apache-2.0
//
// Runs the calls of apps: the table of their behaviors, progress, and what counts them.
#include "apps/app_execute.h"

#include <string.h>

#include <mica/server.h>

#include "apps/app_behavior.h"
#include "call/turn_state.h"
#include "server/server.h"

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

// ---- Behaviors --------------------------------------------------------------------

static enum mica_status
execute_data(struct mica_app_run *run)
{
    mica_app_add_result(run, run->plan->data, run->plan->plain);
    return MICA_OK;
}

static const struct behavior {
    unsigned hints;
    bool inline_first;
    mica_app_behavior *execute;
} behaviors[MICA_APP_BEHAVIORS] = {
    [MICA_APP_DATA] = {MICA_READ_ONLY | MICA_IDEMPOTENT, true, execute_data},
    [MICA_APP_TOOL] = {0, false, mica_app_execute_tool},
    [MICA_APP_PROMPT] = {MICA_READ_ONLY | MICA_OPEN_WORLD, false,
                         mica_app_execute_prompt}};

unsigned
mica_app_hints(const struct mica_app_plan *plan)
{
    return behaviors[plan->type].hints |
           (plan->type == MICA_APP_TOOL ? plan->hints : 0);
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

// Ends the call with the app's own form of an error.
static void
call_fail(struct mica_call *call, const struct mica_app_error *failure)
{
    struct mica_json_writer writer;
    struct mica_buffer json;

    mica_buffer_init(&json, call->arena, FAILURE_BYTES);
    mica_json_writer_init(&writer, &json);
    mica_app_error_write(&writer, failure);
    mica_call_fail(call, failure->status, "", "%.*s",
                   MICA_ARG(failure->message));
    if (!json.overflow)
        call->result.error = mica_buffer_as_text(&json);
}

static void
behavior_run(struct mica_app_run *run)
{
    const struct behavior *behavior = &behaviors[run->plan->type];
    struct mica_call *call = run->call;
    enum mica_status status;

    mica_progress(call, 0, 100, "Starting...");
    mica_progress(call, 50, 100, "Processing...");
    status = behavior->execute(run);
    if (call->stopped || call->arena->overflow) {
        (void)mica_call_conclude(call, status);
        return;
    }
    if (status != MICA_OK)
        call_fail(call, &run->failure);
    else
        mica_progress(call, 100, 100, "Complete");
}

// The arguments of run_guarded.
struct guarded {
    struct mica_app_run *run;
    struct mica_text arguments;
};

static void
run_guarded(struct mica_call *call, void *data)
{
    const struct guarded *guarded = data;
    struct mica_app_run *run = guarded->run;
    struct mica_json arguments;

    memset(&arguments, 0, sizeof arguments);
    if (mica_json_read(call->arena, guarded->arguments, NULL, &call->error,
                       &arguments) != MICA_OK) {
        mica_call_fail_error(call);
        return;
    }
    if (!check_arguments(call, run->plan, &arguments))
        return;
    run->arguments = &arguments;
    behavior_run(run);
}

// ---- Counting --------------------------------------------------------------------------

static struct mica_app_turn
use_of(const struct mica_call *call)
{
    const struct mica_turn *turn = call->turn;

    if (turn == NULL)
        return (struct mica_app_turn){.continues = false};
    return (struct mica_app_turn){.call = turn->id,
                                  .continues = turn->journal->count > 0,
                                  .unattended =
                                      turn->attendance == MICA_UNATTENDED};
}

// May the call begin? If not, it has failed.
static bool
meter_begin(struct mica_app_run *run, struct mica_app_turn *use)
{
    struct mica_app_meter *meter = run->plan->meter;
    struct mica_error error;
    unsigned retry_s = 0;
    enum mica_status status =
        meter != NULL ? meter->begin(meter, use, &error, &retry_s) : MICA_OK;

    if (status == MICA_OK)
        return true;
    (void)mica_app_fail(run, status, "", "", "", "%s", error.message);
    run->failure.details =
        mica_format(run->call, "{\"retryAfterMs\":%u000}", retry_s);
    call_fail(run->call, &run->failure);
    if (run->call->owner != NULL)
        run->call->owner->reply.retry_s = retry_s;
    return false;
}

static void
meter_end(struct mica_app_run *run, const struct mica_app_turn *use)
{
    struct mica_app_meter *meter = run->plan->meter;

    // A turn that a fault stopped has ended as well.
    run->outcome.suspended = run->call->stopped && run->call->turn != NULL &&
                             run->call->turn->state->fault.status == MICA_OK;
    run->outcome.failed = run->call->result.status != MICA_OK;
    if (meter != NULL)
        meter->end(meter, use, &run->outcome);
}

// What a call is counted by between its turns.
struct watch {
    struct mica_app_meter *meter;
    struct mica_app_turn use;
};

static void
watch_spend(void *data, int64_t tokens)
{
    const struct watch *watch = data;

    watch->meter->spend(watch->meter, tokens);
}

static void
watch_leave(void *data)
{
    const struct mica_app_outcome left = {.suspended = false};
    const struct watch *watch = data;

    watch->meter->end(watch->meter, &watch->use, &left);
}

// Of the behavior, and of a tool that it runs. Without memory the call fails anyway.
static void
meter_watch(struct mica_app_run *run, const struct mica_app_turn *use)
{
    struct mica_turn *turn = run->call->turn;
    struct watch *watch;

    if (turn == NULL || run->plan->meter == NULL)
        return;
    watch = mica_arena_alloc(run->call->arena, sizeof *watch);
    if (watch == NULL)
        return;
    *watch = (struct watch){run->plan->meter, *use};
    turn->on_tokens = watch_spend;
    turn->on_left = watch_leave;
    turn->meter_data = watch;
}

void
mica_app_run(const struct mica_runnable *self, struct mica_call *call,
             struct mica_text arguments)
{
    struct mica_app_run run = {.call = call, .plan = self->data};
    struct guarded guarded = {&run, arguments};
    struct mica_app_turn use = use_of(call);

    // A serving thread sends nothing: the status makes it hand the call to a worker.
    if (call->budget_ms != 0 &&
        (call->wanted & 1U << MICA_NOTICE_PROGRESS) != 0) {
        call->result.status = MICA_E_TIMEOUT;
        return;
    }
    if (!meter_begin(&run, &use))
        return;
    meter_watch(&run, &use);
    mica_call_guard(call, run_guarded, &guarded);
    meter_end(&run, &use);
}
