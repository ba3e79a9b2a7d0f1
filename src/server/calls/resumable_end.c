// SPDX-License-Identifier: Apache-2.0
//
// The end of a call: its result becomes the reply, which is committed before it is sent.
// Also what happens if the commit of a turn fails.
#include "server/calls/resumable.h"

static const struct mica_text none = {NULL, 0};

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
void
mica_resumable_reply_uncommitted(struct mica_message *message)
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
void
mica_resumable_fail_commit(struct mica_message *message,
                           const struct mica_error *error)
{
    struct mica_resumable *resumable = message->execution.resumable;

    mica_call_move_back(&resumable->kept, resumable->stored_state);
    if (error->status == MICA_E_LIMIT) {
        (void)mica_resumable_refuse(message, error->status, error);
        return;
    }
    resumable->commit_error = *error;
    mica_execution_move(&message->execution, MICA_EXECUTION_LOST);
    mica_resumable_reply_uncommitted(message);
}

// The reply that a repetition of this round gets (CALL-3). A turn without a request answers
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
    mica_call_move_back(&resumable->kept, resumable->stored_state);
    resumable->kept.reply = mica_reply_tail_of(message);
    mica_call_move(&resumable->kept, MICA_CALL_FAILED);
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
        mica_resumable_fail_commit(message, &error);
}

// `status`: that of the handler.
static enum mica_call_state
end_state(struct mica_message *message, enum mica_status status)
{
    if (message->execution.resumable->turn.ending == MICA_E_CANCELLED ||
        (mica_message_is_cancelled(message) && status != MICA_OK))
        return MICA_CALL_CANCELLED;
    return message->reply.rpc_error == 0 ? MICA_CALL_COMPLETED
                                         : MICA_CALL_FAILED;
}

void
mica_resumable_end_call(struct mica_message *message)
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
    resumable->kept.asks = none;
    resumable->kept.due = INT64_MAX;
    resumable->kept.reply = mica_reply_tail_of(message);
    mica_call_move(&resumable->kept, end_state(message, status));
    commit_end(message);
}
