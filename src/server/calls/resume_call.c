// SPDX-License-Identifier: Apache-2.0
//
// Runs a turn of a stored call without a request: the client of a session has answered,
// a time limit has passed, or the call is a task. The call's context replaces the
// request that began the call.
//
//     claim -> load context and journal -> add the answer -> run the turn -> finish
//
// Each step may end the attempt: mica_message_resume shows the order.
#include "server/calls/resumable.h"

#include <string.h>

static const struct mica_text none = {NULL, 0};

// A call of an anonymous caller of a server that identifies callers has an owner without a
// name, and no scope. That of a server that identifies none has no scopes to check.
static bool
set_principal(struct mica_message *message, const struct mica_kept_call *kept)
{
    struct mica_principal *principal;

    if (kept->owner.issuer.len == 0 && kept->owner.subject.len == 0 &&
        message->context.scopes.ptr == NULL)
        return true;
    principal = mica_arena_zero(message->arena, 1, sizeof *principal);
    if (principal == NULL)
        return false;
    principal->issuer = kept->owner.issuer;
    principal->subject = kept->owner.subject;
    principal->scopes = message->context.scopes;
    message->context.principal = principal;
    return true;
}

static void (*finish_of(enum mica_definition_kind kind))(
    struct mica_message *message)
{
    if (kind == MICA_DEFINITION_TOOL)
        return mica_finish_tool;
    return kind == MICA_DEFINITION_PROMPT ? mica_finish_prompt
                                          : mica_finish_read;
}

static void
resume_reply_silent(struct mica_message *message, enum mica_status status)
{
    mica_reply_silent(message, 200);
    message->reply.error_code =
        status != MICA_OK ? mica_status_code(status) : NULL;
    message->reply.rpc_error =
        status != MICA_OK ? mica_status_json_rpc(status) : 0;
}

// The call cannot continue, so it ends with this error. Its journal stays as it is.
static void
call_fail(struct mica_message *message, enum mica_status status,
          const char *what)
{
    struct mica_resumable *resumable = message->execution.resumable;

    mica_journal_init(&resumable->journal, message->arena);
    resumable->journal.bytes.len = 0;
    mica_buffer_text(&resumable->journal.bytes, resumable->kept.journal);
    mica_resumable_mark_start(resumable);
    mica_call_init(&message->execution.call, message->arena);
    mica_call_fail(&message->execution.call, status, "", "%s", what);
    mica_execution_move(&message->execution, MICA_EXECUTION_ENDED);
    mica_resumable_finish(message);
}

static enum mica_status
read_journal(struct mica_message *message, struct mica_error *error)
{
    struct mica_resumable *resumable = message->execution.resumable;

    MICA_TRY(mica_journal_read(&resumable->journal, message->arena,
                               resumable->kept.journal, error));
    mica_resumable_mark_start(resumable);
    return MICA_OK;
}

// Adds the answer to the journal, if it answers an open question in time.
static enum mica_status
journal_add_answer(struct mica_resumable *resumable,
                   const struct mica_resume_cause *cause,
                   struct mica_error *error)
{
    struct mica_entry entry = {.kind = MICA_ENTRY_ANSWER,
                               .number = cause->number};

    // After a time limit of the call has passed, its handler reads no answer.
    if (cause->answer == NULL || resumable->turn.ending != MICA_OK)
        return MICA_OK;
    // An answer to no question, or to one that has an answer, changes nothing.
    if (cause->number >= resumable->journal.count ||
        resumable->journal.entries[cause->number].kind != MICA_ENTRY_ASK ||
        resumable->journal.entries[cause->number].answer != 0 ||
        resumable->journal.entries[cause->number].number == MICA_ASK_MODEL)
        return MICA_OK;
    entry.scope = resumable->journal.entries[cause->number].scope;
    entry.status = cause->is_error ? MICA_E_CLIENT : MICA_OK;
    entry.data = cause->answer->raw;
    return mica_journal_add(&resumable->journal, &entry, error);
}

static void
resume_report_recorded(struct mica_message *message)
{
    if (message->execution.on_recorded != NULL)
        message->execution.on_recorded(message);
}

// ---- Claim -------------------------------------------------------------------------

enum claim_verdict {
    CLAIM_TAKEN, // this process has the call, and runs its turn
    CLAIM_UNNEEDED, // this process has the call, which only its client can continue
    CLAIM_OBSOLETE, // the call has ended, is gone, or is of another session
    CLAIM_FAILED    // another process has the call, or the store failed
};

// Only the client of a call of rounds continues it while it waits. The scheduler may
// hand such a call out just before it starts to wait. (A task that waits for several
// tools continues with a part of the answers.)
static bool
waits_for_client(const struct mica_resumable *resumable,
                 const struct mica_resume_cause *cause)
{
    return cause->answer == NULL && cause->ending == MICA_OK &&
           resumable->turn.ending == MICA_OK &&
           resumable->kept.mode == MICA_CALL_ROUNDS &&
           resumable->kept.state == MICA_CALL_WAITING;
}

// An answer claims only a call of the session that it comes from, so a client cannot
// make the calls of another session busy.
static enum claim_verdict
claim_call(struct mica_message *message, const struct mica_resume_cause *cause,
           enum mica_status *status_out)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;
    const struct mica_text *session =
        cause->answer != NULL ? &message->context.session_key : NULL;
    struct mica_error error;

    *status_out = calls->claim_for_turn(
        calls->data, cause->call, session, message->arena, &error,
        &resumable->kept, &resumable->turn.ending);
    if (*status_out == MICA_E_NOT_FOUND)
        return CLAIM_OBSOLETE;
    if (*status_out != MICA_OK)
        return CLAIM_FAILED;
    if (mica_call_has_ended(&resumable->kept))
        return CLAIM_OBSOLETE;
    return waits_for_client(resumable, cause) ? CLAIM_UNNEEDED : CLAIM_TAKEN;
}

static void
resume_set_ending(struct mica_message *message,
                  const struct mica_resume_cause *cause)
{
    struct mica_resumable *resumable = message->execution.resumable;

    if (cause->ending != MICA_OK)
        resumable->turn.ending = cause->ending;
    message->execution.ending = resumable->turn.ending;
    if (resumable->turn.ending == MICA_E_CANCELLED)
        atomic_store(&message->execution.cancelled, true);
}

// Returns true if the call is claimed and a turn runs.
static bool
resume_claim(struct mica_message *message,
             const struct mica_resume_cause *cause)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;
    enum mica_status status;
    enum claim_verdict verdict = claim_call(message, cause, &status);

    resume_set_ending(message, cause);
    switch (verdict) {
    case CLAIM_TAKEN:
        resumable->has_no_request = true;
        mica_execution_claim(resumable);
        mica_execution_move(&message->execution, MICA_EXECUTION_CLAIMED);
        return true;
    case CLAIM_UNNEEDED:
        calls->release(calls->data, &resumable->kept);
        resume_reply_silent(message, MICA_E_NOT_FOUND);
        resume_report_recorded(message);
        break;
    case CLAIM_OBSOLETE:
        resume_reply_silent(message, MICA_E_NOT_FOUND);
        resume_report_recorded(message);
        break;
    case CLAIM_FAILED:
        resume_reply_silent(message, status);
        break;
    }
    mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
    return false;
}

// ---- The turn ----------------------------------------------------------------------

// In a session no request follows. So a call whose questions are answered, or whose journal
// has the scope of an invoked tool, becomes WORKING: if this process dies before the turn ends,
// another process finds the call.
static void
resumable_set_working(struct mica_resumable *resumable)
{
    uint32_t open;

    if (resumable->kept.mode != MICA_CALL_SESSION)
        return;
    resumable->kept.due = mica_journal_due(&resumable->journal);
    if (!mica_journal_open_ask(&resumable->journal, 0, &open))
        resumable->kept.asks = none;
    if (resumable->kept.asks.len == 0 || resumable->journal.scope_count > 1)
        mica_call_move(&resumable->kept, MICA_CALL_WORKING);
}

// Commits the answer before the handler runs, so that an acknowledged answer is never
// asked for again (QUEUE-5). An answer that is too large stays too large: the turn runs, and
// the call ends with that error. Returns false if the store failed; then the claim is
// released.
static bool
commit_answer(struct mica_message *message,
              const struct mica_resume_cause *cause)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    if (cause->answer == NULL)
        return true;
    if (resumable->journal.count > resumable->entries_at_start) {
        status = mica_resumable_commit(message, none, false, &error);
        if (status != MICA_OK && status != MICA_E_LIMIT) {
            resumable->commit_error = error;
            mica_resumable_release_unrun(message);
            return false;
        }
    }
    if (status == MICA_OK) {
        mica_resumable_mark_start(resumable);
        resume_report_recorded(message);
    }
    return true;
}

static bool
call_run_turn(struct mica_message *message,
              const struct mica_resume_cause *cause)
{
    mica_resumable_cancel_questions(message);
    resumable_set_working(message->execution.resumable);
    if (!commit_answer(message, cause))
        return true;
    message->execution.runnable = &message->execution.target->runnable;
    mica_resumable_prepare(message, 0);
    if (!mica_resumable_run(message))
        return false;
    mica_resumable_finish(message);
    return true;
}

// CALL-6: this server has lost the build since it claimed the call.
static void
call_leave_to_others(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;

    (void)mica_error_set(&resumable->commit_error, MICA_E_STRANDED, "",
                         "the tool is not here in the build of the call");
    mica_resumable_release_unrun(message);
}

// Fills the message from the stored call. Returns false if the call has failed.
static bool
call_load(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error = {.message = ""};
    bool is_readable;

    mica_journal_init(&resumable->journal, message->arena);
    message->execution.arguments = resumable->kept.arguments;
    message->execution.finish = finish_of(resumable->kept.kind);
    is_readable = mica_context_read(message, resumable->kept.context) &&
                  set_principal(message, &resumable->kept);
    // From here on other threads may look the message up.
    if (message->execution.on_claimed != NULL)
        message->execution.on_claimed(message);
    if (!is_readable) {
        call_fail(message, MICA_E_INTERNAL,
                  "the context of the call is unreadable");
        return false;
    }
    if (read_journal(message, &error) != MICA_OK) {
        call_fail(message,
                  error.status == MICA_E_STATE ? MICA_E_STATE : MICA_E_INTERNAL,
                  error.message);
        return false;
    }
    return true;
}

// With the claimed call. Returns false if the message waits for a model.
static bool
call_resume(struct mica_message *message, const struct mica_resume_cause *cause)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error = {.message = ""};
    bool has_endpoint;

    message->request.endpoint = resumable->kept.owner.endpoint;
    has_endpoint = mica_message_enter(message);
    if (!call_load(message))
        return true;
    if (mica_resumable_has_crashed(message)) {
        mica_resumable_finish(message);
        return true;
    }
    if (resumable->turn.ending == MICA_E_STRANDED) {
        mica_resumable_end_stranded(message);
        mica_resumable_finish(message);
        return true;
    }
    if (has_endpoint &&
        !mica_message_may_continue(message, resumable->kept.version)) {
        call_fail(message, MICA_E_NOT_FOUND,
                  "the tool of the call is not offered any more");
        return true;
    }
    if (!has_endpoint ||
        !mica_resumable_find_target(message, &resumable->kept)) {
        call_leave_to_others(message);
        return true;
    }
    if (journal_add_answer(resumable, cause, &error) != MICA_OK) {
        call_fail(message, MICA_E_INTERNAL, error.message);
        return true;
    }
    return call_run_turn(message, cause);
}

// The turn was not committed: another process has claimed the call meanwhile (CALL-1), this
// server lacks the build, or the store failed. The status tells the turn queue to try
// again.
static void
resume_report_uncommitted(struct mica_message *message)
{
    enum mica_status status = message->execution.resumable->commit_error.status;

    resume_reply_silent(message,
                        status == MICA_E_CALL_BUSY || status == MICA_E_STRANDED
                            ? status
                            : MICA_E_BUSY);
}

void
mica_resumable_report(struct mica_message *message)
{
    if (message->execution.resumable->commit_error.status != MICA_OK)
        resume_report_uncommitted(message);
    else
        resume_report_recorded(message);
}

bool
mica_message_resume(struct mica_message *message,
                    const struct mica_resume_cause *cause)
{
    struct mica_resumable *resumable =
        mica_arena_zero(message->arena, 1, sizeof *resumable);

    message->execution.resumable = resumable;
    if (resumable == NULL) {
        resume_reply_silent(message, MICA_E_LIMIT);
        return true;
    }
    if (!resume_claim(message, cause))
        return true;
    if (!call_resume(message, cause))
        return false;
    mica_resumable_report(message);
    return true;
}

bool
mica_message_continues(const struct mica_message *message)
{
    return message->execution.resumable != NULL &&
           message->execution.resumable->has_state;
}

bool
mica_message_joins(const struct mica_message *message)
{
    return message->execution.resumable != NULL &&
           message->execution.resumable->is_joined;
}

const struct mica_kept_call *
mica_message_kept(const struct mica_message *message)
{
    return message->execution.resumable != NULL &&
                   mica_execution_is_stored(message->execution.resumable)
               ? &message->execution.resumable->kept
               : NULL;
}
