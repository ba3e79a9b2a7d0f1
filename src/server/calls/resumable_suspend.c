// SPDX-License-Identifier: Apache-2.0
//
// A turn that asks: the client gets the questions, and the journal goes into the store or
// into requestState. Or the call detaches, and continues as a task.
#include "server/calls/resumable.h"

static const struct mica_text none = {NULL, 0};

static struct mica_text
questions_text(struct mica_message *message)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, message->arena,
                     message->server->options.call_bytes);
    mica_json_writer_init(&writer, &buffer);
    mica_resumable_write_questions(message->execution.resumable, &writer);
    return buffer.overflow ? none : mica_buffer_as_text(&buffer);
}

static void
commit_asks(struct mica_message *message, struct mica_text tail)
{
    struct mica_error error;

    if (mica_execution_is_claimed(message->execution.resumable) &&
        mica_resumable_commit(message, tail, true, &error) != MICA_OK)
        mica_resumable_fail_commit(message, &error);
}

// Does a call that the store does not have yet have to be stored before it asks? Yes in a
// session, on a surface whose clients carry no state, if the turn registered a clean-up or
// the tool says so, and if the journal is too long for requestState.
static bool
must_store(const struct mica_message *message)
{
    const struct mica_resumable *resumable = message->execution.resumable;

    return !mica_execution_is_claimed(resumable) &&
           (!mica_resumable_is_stateless(message) ||
            message->context.surface != NULL || resumable->turn.cleans ||
            message->execution.target->asking == MICA_ASKING_STORED ||
            resumable->journal.bytes.len > MICA_CARRIED_BYTES);
}

// Turns a call of rounds into a task with the same journal.
void
mica_resumable_detach(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    resumable->kept.mode = MICA_CALL_TASK;
    if (!mica_execution_is_claimed(resumable))
        status = mica_resumable_create(message, &error);
    if (status == MICA_OK) {
        resumable->kept.asks = none;
        mica_call_move(&resumable->kept, MICA_CALL_WORKING);
        status = mica_resumable_commit(message, none, true, &error);
    }
    if (status == MICA_OK)
        mica_resumable_reply_task(message);
    else
        (void)mica_resumable_refuse(message, status, &error);
}

// Runs the handler once more with MICA_E_CANCELLED, so that it can clean up.
void
mica_resumable_run_to_end(struct mica_message *message)
{
    struct mica_turn *turn = &message->execution.resumable->turn;

    turn->ending = MICA_E_CANCELLED;
    turn->may_detach = false;
    mica_resumable_prepare(message, 0);
    mica_resumable_run_turn(message);
}

// A call that its client carries does not move: the store does not have it.
static void
resumable_wait(struct mica_resumable *resumable, struct mica_text asks)
{
    resumable->kept.asks = asks;
    resumable->kept.due = mica_journal_due(&resumable->journal);
    if (mica_execution_is_claimed(resumable))
        mica_call_move(&resumable->kept, MICA_CALL_WAITING);
}

// A call that is new to the store gets its questions, and the events that send them, in
// the transaction that creates it. A pipe has no stored events, and that transaction may
// fail; then the call is created first and its questions are committed after.
static enum mica_status
suspend_in_session(struct mica_message *message, struct mica_text asks,
                   struct mica_error *error)
{
    struct mica_resumable *resumable = message->execution.resumable;

    if (must_store(message)) {
        if (mica_resumable_begin_asking(message, asks, error) == MICA_OK) {
            message->step = MICA_STEP_ASK;
            return MICA_OK;
        }
        MICA_TRY(mica_resumable_create(message, error));
    }
    resumable_wait(resumable, asks);
    commit_asks(message, none);
    if (resumable->commit_error.status == MICA_OK &&
        message->step != MICA_STEP_REPLY)
        message->step = MICA_STEP_ASK; // the adapter sends the questions
    return MICA_OK;
}

// The reply contains the questions. A repeated request gets the same reply (CALL-3).
static enum mica_status
suspend_stateless(struct mica_message *message, struct mica_text asks,
                  struct mica_error *error)
{
    struct mica_resumable *resumable = message->execution.resumable;

    if (must_store(message))
        MICA_TRY(mica_resumable_create(message, error));
    resumable_wait(resumable, asks);
    mica_resumable_reply_questions(message, asks, resumable->kept.round + 1);
    commit_asks(message, message->reply.rpc_error == 0
                             ? mica_reply_tail_of(message)
                             : none);
    return MICA_OK;
}

// No request runs this turn, so the turn answers no round (CALL-3). The client reads the
// questions when it asks for the state of the call.
static enum mica_status
suspend_polled(struct mica_message *message, struct mica_text asks,
               struct mica_error *error)
{
    if (must_store(message))
        MICA_TRY(mica_resumable_create(message, error));
    resumable_wait(message->execution.resumable, asks);
    commit_asks(message, none);
    mica_reply_silent(message, 200);
    return MICA_OK;
}

// Is a question among them that the server alone answers (PROVIDED-1)?
static bool
asks_model(const struct mica_turn *turn)
{
    for (const struct mica_asked *asked = turn->asked; asked != NULL;
         asked = asked->next)
        if (asked->kind == MICA_ASK_MODEL)
            return true;
    return false;
}

static enum mica_status
suspend_turn(struct mica_message *message, struct mica_error *error)
{
    struct mica_text asks;

    // Its answer found no room, not even that of a failure.
    if (asks_model(&message->execution.resumable->turn))
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the answers of the call need more memory than "
                              "its journal has; ask for less");
    asks = questions_text(message);
    if (asks.len == 0)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the questions need more memory than a call "
                              "has; ask for less");
    if (mica_execution_is_polled(message->execution.resumable))
        return suspend_polled(message, asks, error);
    return mica_resumable_is_stateless(message)
               ? suspend_stateless(message, asks, error)
               : suspend_in_session(message, asks, error);
}

void
mica_resumable_suspend(struct mica_message *message)
{
    struct mica_error error;
    enum mica_status status = suspend_turn(message, &error);

    if (status == MICA_OK)
        return;
    // Without its questions no client can continue the call: it runs to its end, so
    // that it can clean up.
    mica_resumable_run_to_end(message);
    mica_resumable_release(message);
    (void)mica_resumable_refuse(message, status, &error);
}
