// SPDX-License-Identifier: Apache-2.0
//
// Finishes a turn: commits its outcome and writes the reply.
#include "server/calls/resumable.h"
#include "server/message_surface.h"

// Commits the outcome of the turn and writes the reply, by the state of the execution.
static void
finish_turn(struct mica_message *message)
{
    if (message->execution.state == MICA_EXECUTION_LOST)
        mica_resumable_reply_uncommitted(message);
    else if (message->execution.state == MICA_EXECUTION_ENDED)
        mica_resumable_end_call(message);
    else if (message->execution.resumable->turn.detached)
        mica_resumable_detach(message);
    else
        mica_resumable_suspend(message);
}

// May the client, which has left, repeat this round? Then the call stays as it was before
// the turn, unless the turn has a result, which is committed for the client.
static bool
may_repeat_round(const struct mica_message *message)
{
    const struct mica_resumable *resumable = message->execution.resumable;

    return resumable->turn.may_repeat &&
           (resumable->turn.suspended ||
            message->execution.call.result.status != MICA_OK);
}

// The client has left, so it gets no reply. A turn that asked has no one to ask, and runs
// to its end.
static void
finish_without_client(struct mica_message *message)
{
    const struct mica_turn *turn = &message->execution.resumable->turn;

    if (message->execution.state == MICA_EXECUTION_ASKED &&
        !may_repeat_round(message))
        mica_resumable_run_to_end(message);
    if (may_repeat_round(message)) {
        // First: as soon as the call is released, it may run again elsewhere.
        if (turn->on_left != NULL)
            turn->on_left(turn->meter_data);
        mica_resumable_release(message);
    } else {
        finish_turn(message);
    }
    message->reply.error_code = mica_status_code(MICA_E_CANCELLED);
    mica_reply_silent(message, 499);
}

// Is the reply ready, without a turn?
static bool
has_reply(const struct mica_message *message)
{
    return message->execution.state == MICA_EXECUTION_REPLAYED ||
           message->execution.state == MICA_EXECUTION_REFUSED;
}

// Chooses by the state of the execution, and by the client:
//
//     state                client            what happens
//     REPLAYED, REFUSED    is there or left  nothing: the reply is ready
//     LOST                 is there          the reply is the error
//     ENDED                is there          the result is committed, and is the reply
//     ASKED, detached      is there          the call becomes a task
//     ASKED                is there          the questions are committed, or sealed in the
//                                            reply, and sent
//     ASKED, or failed     left, may repeat  the claim is released
//     any                  left              as above, without a reply; a turn that asked
//                                            runs to its end first
void
mica_resumable_finish(struct mica_message *message)
{
    if (!has_reply(message)) {
        if (mica_message_is_cancelled(message))
            finish_without_client(message);
        else
            finish_turn(message);
    }
    mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
    message->execution.turn_running = false;
    if (message->context.surface != NULL)
        message->context.surface->translate(message);
}
