// SPDX-License-Identifier: Apache-2.0
//
// What each function of <mica/tool.h> begins with (may the handler continue?), and how it
// fails, suspends the handler or leaves it.
#include "call/turn_state.h"

bool
mica_turn_is_running(struct mica_call *call)
{
    return call->turn != NULL && call->turn->state != NULL;
}

static void
turn_stop(struct mica_turn_state *state)
{
    for (struct mica_frame *frame = state->frame; frame != NULL;
         frame = frame->outer)
        frame->call->stopped = true;
}

enum mica_status
mica_turn_fault(struct mica_call *call, const struct mica_error *error)
{
    struct mica_turn_state *state = call->turn->state;

    if (state->fault.status == MICA_OK)
        state->fault = *error;
    turn_stop(state);
    return state->fault.status;
}

enum mica_status
mica_turn_set_error(struct mica_call *call, enum mica_status status,
                    const char *formatz, ...)
{
    va_list arguments;

    va_start(arguments, formatz);
    mica_error_vset(&call->error, status, NULL, "", formatz, arguments);
    va_end(arguments);
    call->error_is_from_operation = true;
    return status;
}

enum mica_status
mica_turn_enter(struct mica_call *call)
{
    const struct mica_turn_state *state;

    if (!mica_turn_is_running(call))
        return mica_turn_set_error(
            call, MICA_E_CAPABILITY,
            "a tool can ask, fetch, keep and take steps only in a call that "
            "the server can continue; send it by itself, not in a batch");
    state = call->turn->state;
    if (state->fault.status != MICA_OK)
        return state->fault.status;
    return call->stopped ? MICA_SUSPENDED : MICA_OK;
}

enum mica_status
mica_turn_suspend(struct mica_call *call)
{
    struct mica_frame *frame = call->turn->state->frame;

    frame->waits = true;
    call->stopped = true;
    return MICA_SUSPENDED;
}

void
mica_turn_leave(struct mica_call *call, enum mica_status status,
                const char *formatz, ...)
{
    va_list arguments;

    va_start(arguments, formatz);
    mica_error_vset(&call->error, status, NULL, "", formatz, arguments);
    va_end(arguments);
    mica_call_fail_error(call);
    mica_call_leave(call);
}
