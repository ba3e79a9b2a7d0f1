// SPDX-License-Identifier: Apache-2.0
//
// How a turn ends: its client is asked and what is known is kept, or the call has
// its result.
#include "server/calls/round.h"
#include "server/message_surface.h"

static const struct mica_text none = {NULL, 0};

static struct mica_text
asks_text(struct mica_message *message)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, message->arena,
                     message->server->options.call_bytes);
    mica_json_writer_init(&writer, &buffer);
    mica_round_write_asks(message->execution.round, &writer);
    return buffer.overflow ? none : mica_buffer_as_text(&buffer);
}

// A call of a session answers on its stream, whichever process continues it: the one
// that has claimed it meanwhile, or one that finds it.
static bool
is_gone_on_with(const struct mica_round *round)
{
    return round->kept.mode == MICA_CALL_SESSION && round->kept.stream != 0;
}

// What the turn has done is not kept, so it is no end: the effect that it came to
// runs again, under its key, when the client comes again or the call is found.
static void
give_up(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    const struct mica_round *round = message->execution.round;
    struct mica_error error = round->lost, ignored;
    bool again = round->has_state || round->idempotency_key.len > 0;

    mica_round_release(message);
    if (is_gone_on_with(round)) {
        mica_reply_silent(message, 200);
        message->reply.error_code = mica_status_code(error.status);
        return;
    }
    // Without either, the client's next request is another call: this one must
    // not continue beside it. One that cannot be marked ends when its time is up.
    if (!again && !round->resumes && mica_execution_is_kept(round) &&
        calls->cancel(calls->data, round->kept.id, &ignored) != MICA_OK)
        mica_error_prefix(&error, "the call may still continue");
    mica_reply_error(message, 200, MICA_RPC_INTERNAL, error.status,
                     again ? MICA_LITERAL("\"retryable\":true") : none, "%s",
                     error.message);
}

// Nothing was said yet when it fails: an error takes the place of the reply.
static void
fail_commit(struct mica_message *message, const struct mica_error *error)
{
    message->execution.round->kept.state =
        MICA_CALL_WORKING; // no commit has ended it
    if (error->status == MICA_E_LIMIT) {
        (void)mica_round_refuse(message, error->status, error);
        return;
    }
    message->execution.round->lost = *error;
    mica_execution_move(&message->execution, MICA_EXECUTION_LOST);
    give_up(message);
}

static void
commit_asks(struct mica_message *message, struct mica_text tail)
{
    struct mica_error error;

    if (mica_execution_is_claimed(message->execution.round) &&
        mica_round_commit(message, tail, true, &error) != MICA_OK)
        fail_commit(message, &error);
}

// What the round is answered with. Where no request came, no round was answered (C3).
static struct mica_text
round_reply(const struct mica_round *round)
{
    return round->resumes ? none : round->kept.reply;
}

// A result that cannot be kept is an end all the same, and would be too large the
// next time: what is kept says so, beside the journal as the turn found it.
static enum mica_status
commit_too_large(struct mica_message *message, struct mica_error *error)
{
    struct mica_round *round = message->execution.round;

    (void)mica_round_refuse(message, MICA_E_LIMIT, error);
    round->kept.state = MICA_CALL_FAILED;
    round->kept.reply = mica_reply_tail_of(message);
    round->journal.bytes.len = round->known_bytes;
    return mica_round_commit(message, round_reply(round), true, error);
}

static void
commit_end(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    // A call that has ended is not claimed any more, so the claim is kept for the
    // case that it could not be written.
    enum mica_status status =
        mica_round_commit(message, round_reply(round), false, &error);

    if (status == MICA_E_LIMIT)
        status = commit_too_large(message, &error);
    else if (status != MICA_OK)
        mica_round_release(message);
    else
        round->persistence = MICA_PERSISTENCE_STORED;
    if (status != MICA_OK)
        fail_commit(message, &error);
}

// In a session, on a surface whose clients carry nothing, or when the journal is
// too long to be carried.
static bool
must_keep(const struct mica_message *message)
{
    const struct mica_round *round = message->execution.round;

    return !mica_execution_is_claimed(round) &&
           (!mica_round_is_stateless(message) ||
            message->context.surface != NULL || round->turn.cleans ||
            round->journal.bytes.len > MICA_CARRIED_BYTES);
}

// Turns a call of rounds into a task, which keeps the journal.
static void
message_detach(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    round->kept.mode = MICA_CALL_TASK;
    if (!mica_execution_is_claimed(round))
        status = mica_round_create(message, &error);
    if (status == MICA_OK) {
        round->kept.state = MICA_CALL_WORKING;
        round->kept.asks = none;
        status = mica_round_commit(message, none, true, &error);
    }
    if (status == MICA_OK)
        mica_round_answer_task(message);
    else
        (void)mica_round_refuse(message, status, &error);
}

// The call is given up: its handler runs once more, so that it can clean up.
static void
run_to_end(struct mica_message *message)
{
    struct mica_turn *turn = &message->execution.round->turn;

    turn->ending = MICA_E_CANCELLED;
    turn->may_detach = false;
    mica_round_prepare(message, 0);
    mica_round_run_turn(message);
}

static void
message_suspend(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_text asks = asks_text(message);
    struct mica_error error;
    enum mica_status status = MICA_OK;

    if (asks.len > 0 && must_keep(message) &&
        !mica_round_is_stateless(message) &&
        mica_round_begin_asking(message, asks, &error) == MICA_OK) {
        message->step = MICA_STEP_ASK;
        return;
    }
    if (asks.len == 0)
        status = mica_error_set(&error, MICA_E_LIMIT, "",
                                "the questions need more memory than a call "
                                "has; ask for less");
    else if (must_keep(message))
        status = mica_round_create(message, &error);
    if (status != MICA_OK) {
        // No request can continue it: it ends, so that it can clean up.
        run_to_end(message);
        mica_round_release(message);
        (void)mica_round_refuse(message, status, &error);
        return;
    }
    round->kept.state = MICA_CALL_WAITING;
    round->kept.asks = asks;
    round->kept.due = mica_journal_due(&round->journal);
    // Where no request came, no round was answered (C3): its client hears of the
    // questions when it comes again.
    if (mica_execution_delivery(round) == MICA_DELIVERY_ASKED_FOR) {
        commit_asks(message, none);
        mica_reply_silent(message, 200);
        return;
    }
    if (mica_round_is_stateless(message)) {
        mica_round_reply_asks(message, asks, round->kept.round + 1);
        commit_asks(message, message->reply.rpc_error == 0
                                 ? mica_reply_tail_of(message)
                                 : none);
        return;
    }
    commit_asks(message, none);
    if (round->lost.status == MICA_OK && message->step != MICA_STEP_REPLY)
        message->step = MICA_STEP_ASK;
}

static void
message_end(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;

    enum mica_status status = message->execution.call.result.status;

    if (mica_round_is_stateless(message) && status == MICA_E_CAPABILITY &&
        round->turn.missing != 0)
        mica_client_refuse(message, round->turn.missing);
    else if (round->kept.mode == MICA_CALL_TASK &&
             mica_status_kind(status) == MICA_INTERNAL)
        mica_reply_failure(message, MICA_RPC_INTERNAL, none);
    else
        message->execution.finish(message);
    if (!mica_execution_is_claimed(round))
        return;
    round->kept.state =
        message->reply.rpc_error == 0 ? MICA_CALL_COMPLETED : MICA_CALL_FAILED;
    if (round->turn.ending == MICA_E_CANCELLED ||
        (mica_message_is_cancelled(message) && status != MICA_OK))
        round->kept.state = MICA_CALL_CANCELLED;
    round->kept.asks = none;
    round->kept.due = INT64_MAX;
    round->kept.reply = mica_reply_tail_of(message);
    commit_end(message);
}

// The round is given up, not the call: its client may come again. What has
// succeeded all the same is kept for it.
static bool
may_come_again(const struct mica_message *message)
{
    const struct mica_round *round = message->execution.round;

    return round->turn.repeats &&
           (round->turn.suspended ||
            message->execution.call.result.status != MICA_OK);
}

static void
message_settle(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    bool gone = mica_message_is_cancelled(message);

    if (message->execution.state == MICA_EXECUTION_REPLAYED ||
        message->execution.state == MICA_EXECUTION_REFUSED)
        return; // the reply is ready
    if (gone && message->execution.state == MICA_EXECUTION_ASKED &&
        !may_come_again(message))
        run_to_end(message);
    if (gone && may_come_again(message))
        mica_round_release(message);
    else if (message->execution.state == MICA_EXECUTION_LOST)
        give_up(message);
    else if (message->execution.state == MICA_EXECUTION_ENDED)
        message_end(message);
    else if (round->turn.detached)
        message_detach(message);
    else
        message_suspend(message);
    if (gone) {
        message->reply.error_code = mica_status_code(MICA_E_CANCELLED);
        mica_reply_silent(message, 499);
    }
}

void
mica_round_finish(struct mica_message *message)
{
    message_settle(message);
    mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
    message->execution.in_turn = false;
    if (message->context.surface != NULL)
        message->context.surface->translate(message);
}
