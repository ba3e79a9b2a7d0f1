// SPDX-License-Identifier: Apache-2.0
//
// The end of a turn. Either the turn asks: the client gets the questions, and the
// journal goes into the store or into requestState. Or the call ends: its result
// becomes the reply, which is committed before it is sent.
#include "server/calls/resumable.h"
#include "server/message_surface.h"

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

// A call of a session replies on its stream. So the process that has claimed it
// meanwhile, or the next one that finds it, continues it without its client.
static bool
will_be_continued(const struct mica_resumable *resumable)
{
    return resumable->kept.mode == MICA_CALL_SESSION &&
           resumable->kept.stream != 0;
}

// The turn was not committed, so the call has not ended. Its last effect runs again,
// with the same idempotency key, when the client repeats its request or a process
// resumes the call.
static void
reply_uncommitted(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    const struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error = resumable->commit_error, ignored;
    bool may_repeat =
        resumable->has_state || resumable->idempotency_key.len > 0;

    mica_resumable_release(message);
    if (will_be_continued(resumable)) {
        mica_reply_silent(message, 200);
        message->reply.error_code = mica_status_code(error.status);
        return;
    }
    // Without a state or a key the client's next request begins another call, and
    // this one must not continue beside it. If it cannot be marked as cancelled, it
    // ends at its time limit.
    if (!may_repeat && !resumable->has_no_request &&
        mica_execution_is_stored(resumable) &&
        calls->cancel(calls->data, resumable->kept.id, &ignored) != MICA_OK)
        mica_error_prefix(&error, "the call may still continue");
    mica_reply_error(message, 200, MICA_RPC_INTERNAL, error.status,
                     may_repeat ? MICA_LITERAL("\"retryable\":true") : none,
                     "%s", error.message);
}

// A commit has failed. The reply has not been sent yet, so an error replaces it.
static void
fail_commit(struct mica_message *message, const struct mica_error *error)
{
    message->execution.resumable->kept.state =
        MICA_CALL_WORKING; // it has not ended
    if (error->status == MICA_E_LIMIT) {
        (void)mica_resumable_refuse(message, error->status, error);
        return;
    }
    message->execution.resumable->commit_error = *error;
    mica_execution_move(&message->execution, MICA_EXECUTION_LOST);
    reply_uncommitted(message);
}

static void
commit_asks(struct mica_message *message, struct mica_text tail)
{
    struct mica_error error;

    if (mica_execution_is_claimed(message->execution.resumable) &&
        mica_resumable_commit(message, tail, true, &error) != MICA_OK)
        fail_commit(message, &error);
}

// The reply that a repetition of this round gets (C3). A turn without a request answers
// no round.
static struct mica_text
round_reply(const struct mica_resumable *resumable)
{
    return resumable->has_no_request ? none : resumable->kept.reply;
}

// A result too large for the store is too large in every later turn. So the call ends
// with that error, and the store keeps the journal as the turn found it.
static enum mica_status
commit_too_large(struct mica_message *message, struct mica_error *error)
{
    struct mica_resumable *resumable = message->execution.resumable;

    (void)mica_resumable_refuse(message, MICA_E_LIMIT, error);
    resumable->kept.state = MICA_CALL_FAILED;
    resumable->kept.reply = mica_reply_tail_of(message);
    resumable->journal.bytes.len = resumable->bytes_at_start;
    return mica_resumable_commit(message, round_reply(resumable), true, error);
}

static void
commit_end(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    // Committing the end of a call removes its claim. `release` is false, so that this
    // process still has the claim if the commit fails.
    enum mica_status status =
        mica_resumable_commit(message, round_reply(resumable), false, &error);

    if (status == MICA_E_LIMIT)
        status = commit_too_large(message, &error);
    else if (status != MICA_OK)
        mica_resumable_release(message);
    else
        resumable->persistence = MICA_PERSISTENCE_STORED;
    if (status != MICA_OK)
        fail_commit(message, &error);
}

// Does a carried call have to be stored before it asks? Yes in a session, on a surface
// whose clients carry no state, if the turn registered a clean-up, and if the journal is
// too long for requestState.
static bool
must_store(const struct mica_message *message)
{
    const struct mica_resumable *resumable = message->execution.resumable;

    return !mica_execution_is_claimed(resumable) &&
           (!mica_resumable_is_stateless(message) ||
            message->context.surface != NULL || resumable->turn.cleans ||
            resumable->journal.bytes.len > MICA_CARRIED_BYTES);
}

// Turns a call of rounds into a task with the same journal.
static void
detach_call(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    resumable->kept.mode = MICA_CALL_TASK;
    if (!mica_execution_is_claimed(resumable))
        status = mica_resumable_create(message, &error);
    if (status == MICA_OK) {
        resumable->kept.state = MICA_CALL_WORKING;
        resumable->kept.asks = none;
        status = mica_resumable_commit(message, none, true, &error);
    }
    if (status == MICA_OK)
        mica_resumable_reply_task(message);
    else
        (void)mica_resumable_refuse(message, status, &error);
}

// Runs the handler once more with MICA_E_CANCELLED, so that it can clean up.
static void
run_to_end(struct mica_message *message)
{
    struct mica_turn *turn = &message->execution.resumable->turn;

    turn->ending = MICA_E_CANCELLED;
    turn->may_detach = false;
    mica_resumable_prepare(message, 0);
    mica_resumable_run_turn(message);
}

static void
resumable_wait(struct mica_resumable *resumable, struct mica_text asks)
{
    resumable->kept.state = MICA_CALL_WAITING;
    resumable->kept.asks = asks;
    resumable->kept.due = mica_journal_due(&resumable->journal);
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

// The reply contains the questions. A repeated request gets the same reply (C3).
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

// No request runs this turn, so the turn answers no round (C3). The client reads the
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

static enum mica_status
suspend_turn(struct mica_message *message, struct mica_error *error)
{
    struct mica_text asks = questions_text(message);

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

static void
suspend_call(struct mica_message *message)
{
    struct mica_error error;
    enum mica_status status = suspend_turn(message, &error);

    if (status == MICA_OK)
        return;
    // Without its questions no client can continue the call: it runs to its end, so
    // that it can clean up.
    run_to_end(message);
    mica_resumable_release(message);
    (void)mica_resumable_refuse(message, status, &error);
}

static void
end_call(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;

    enum mica_status status = message->execution.call.result.status;

    if (mica_resumable_is_stateless(message) && status == MICA_E_CAPABILITY &&
        resumable->turn.missing != 0)
        mica_client_refuse(message, resumable->turn.missing);
    else if (resumable->kept.mode == MICA_CALL_TASK &&
             mica_status_kind(status) == MICA_INTERNAL)
        mica_reply_failure(message, MICA_RPC_INTERNAL, none);
    else
        message->execution.finish(message);
    if (!mica_execution_is_claimed(resumable))
        return;
    resumable->kept.state =
        message->reply.rpc_error == 0 ? MICA_CALL_COMPLETED : MICA_CALL_FAILED;
    if (resumable->turn.ending == MICA_E_CANCELLED ||
        (mica_message_is_cancelled(message) && status != MICA_OK))
        resumable->kept.state = MICA_CALL_CANCELLED;
    resumable->kept.asks = none;
    resumable->kept.due = INT64_MAX;
    resumable->kept.reply = mica_reply_tail_of(message);
    commit_end(message);
}

// The client has left. May it repeat this round? Then the call stays as it was before
// the turn, unless the turn has a result, which is committed for the client.
static bool
may_repeat_round(const struct mica_message *message)
{
    const struct mica_resumable *resumable = message->execution.resumable;

    return resumable->turn.may_repeat &&
           (resumable->turn.suspended ||
            message->execution.call.result.status != MICA_OK);
}

static void
finish_turn(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    bool gone = mica_message_is_cancelled(message);

    if (message->execution.state == MICA_EXECUTION_REPLAYED ||
        message->execution.state == MICA_EXECUTION_REFUSED)
        return; // the reply is ready
    if (gone && message->execution.state == MICA_EXECUTION_ASKED &&
        !may_repeat_round(message))
        run_to_end(message);
    if (gone && may_repeat_round(message))
        mica_resumable_release(message);
    else if (message->execution.state == MICA_EXECUTION_LOST)
        reply_uncommitted(message);
    else if (message->execution.state == MICA_EXECUTION_ENDED)
        end_call(message);
    else if (resumable->turn.detached)
        detach_call(message);
    else
        suspend_call(message);
    if (gone) {
        message->reply.error_code = mica_status_code(MICA_E_CANCELLED);
        mica_reply_silent(message, 499);
    }
}

void
mica_resumable_finish(struct mica_message *message)
{
    finish_turn(message);
    mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
    message->execution.turn_running = false;
    if (message->context.surface != NULL)
        message->context.surface->translate(message);
}
