// SPDX-License-Identifier: Apache-2.0
//
// Runs the handler of a message and finishes its reply: on the serving thread for one
// millisecond, or on a worker up to its full limit. A handler that may ask runs as a turn
// of its resumable call.
#include "server/call_rules.h"
#include "server/calls/resumable.h"

// Runs a handler that cannot ask. On a serving thread `may_run_again` is set: a handler
// that exceeds its budget has sent and recorded nothing, so a worker runs it again from
// its beginning.
static void
handler_run(struct mica_message *message, bool may_run_again)
{
    struct mica_execution *execution = &message->execution;
    bool again;

    mica_execution_move(execution, MICA_EXECUTION_RUNNING);
    mica_rules_run(message);
    again = may_run_again && execution->call.result.status == MICA_E_TIMEOUT;
    mica_execution_move(execution,
                        again ? MICA_EXECUTION_ENTERED : MICA_EXECUTION_ENDED);
}

// Returns false if the message waits for a model.
static bool
execution_run(struct mica_message *message, uint32_t budget_ms)
{
    if (message->execution.parked != NULL)
        return mica_resumable_continue(message);
    if (message->execution.resumable != NULL) {
        mica_resumable_prepare(message, budget_ms);
        return mica_resumable_run(message);
    }
    mica_message_prepare(message, budget_ms);
    handler_run(message, budget_ms != 0);
    return true;
}

static void
execution_finish(struct mica_message *message)
{
    if (message->execution.resumable != NULL) {
        mica_resumable_finish(message);
        if (message->execution.resumable->has_no_request)
            mica_resumable_report(message);
        return;
    }
    mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
    if (mica_message_is_cancelled(message) ||
        message->execution.call.result.status == MICA_E_CANCELLED) {
        message->reply.error_code = mica_status_code(MICA_E_CANCELLED);
        mica_reply_silent(message, 499);
    } else {
        message->execution.finish(message);
    }
}

bool
mica_execute_deferred(struct mica_message *message)
{
    void (*deferred)(struct mica_message *) = message->execution.deferred;

    if (deferred == NULL)
        return true;
    message->execution.deferred = NULL;
    message->step = MICA_STEP_REPLY;
    deferred(message);
    return message->step == MICA_STEP_WORK;
}

bool
mica_execute_inline(struct mica_message *message)
{
    if (!mica_execute_deferred(message))
        return true;
    // A resumable call may need the store, and another build of the tool.
    if (!message->execution.runnable->inline_first ||
        message->execution.resumable != NULL)
        return false;
    (void)execution_run(message, 1); // it is an engine, which asks nothing
    if (message->execution.state == MICA_EXECUTION_ENTERED)
        return false;
    execution_finish(message);
    return true;
}

bool
mica_execute_fully(struct mica_message *message)
{
    if (!mica_execute_deferred(message))
        return true;
    if (message->execution.parked != NULL ||
        !mica_message_is_cancelled(message)) {
        if (!execution_run(message, 0))
            return false;
        execution_finish(message);
    } else {
        if (message->execution.resumable != NULL)
            mica_resumable_release_unrun(message);
        else
            mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
        message->reply.error_code = mica_status_code(MICA_E_CANCELLED);
        mica_reply_silent(message, 499);
    }
    return true;
}
