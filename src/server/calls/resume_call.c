// SPDX-License-Identifier: Apache-2.0
//
// A turn of a kept call that no request runs: an answer came in a session, its
// time has passed, or it is a task. What the request said that began it is in
// the call's context; the rest is as if it came again.
#include "server/calls/round.h"

#include <string.h>

static const struct mica_text none = {NULL, 0};

static bool
set_principal(struct mica_message *message, const struct mica_kept_call *kept)
{
    struct mica_principal *principal;

    if (kept->owner.issuer.len == 0 && kept->owner.subject.len == 0)
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

// ---- Finding what runs -------------------------------------------------------------

static void (*finisher(enum mica_definition_kind kind))(
    struct mica_message *message)
{
    if (kind == MICA_DEFINITION_TOOL)
        return mica_finish_tool;
    return kind == MICA_DEFINITION_PROMPT ? mica_finish_prompt
                                          : mica_finish_read;
}

// ---- Continuing --------------------------------------------------------------------

static void
message_silent(struct mica_message *message, enum mica_status status)
{
    mica_reply_silent(message, 200);
    message->reply.error_code =
        status != MICA_OK ? mica_status_code(status) : NULL;
    message->reply.rpc_error =
        status != MICA_OK ? mica_status_json_rpc(status) : 0;
}

// The call cannot continue: that is how it ends, with the journal as it is.
static void
message_fail(struct mica_message *message, enum mica_status status,
             const char *what)
{
    struct mica_round *round = message->execution.round;

    mica_journal_init(&round->journal, message->arena);
    round->journal.bytes.len = 0;
    mica_buffer_text(&round->journal.bytes, round->kept.journal);
    mica_round_mark(round);
    mica_call_init(&message->execution.call, message->arena);
    mica_call_fail(&message->execution.call, status, "", "%s", what);
    mica_execution_move(&message->execution, MICA_EXECUTION_ENDED);
    mica_round_finish(message);
}

static enum mica_status
read_journal(struct mica_message *message, struct mica_error *error)
{
    struct mica_round *round = message->execution.round;

    MICA_TRY(mica_journal_read(&round->journal, message->arena,
                               round->kept.journal, error));
    mica_round_mark(round);
    return MICA_OK;
}

static enum mica_status
take_answer(struct mica_round *round, const struct mica_answered *why,
            struct mica_error *error)
{
    struct mica_entry entry = {.kind = MICA_ENTRY_ANSWER, .ask = why->ask};

    // After the call's time has passed an answer is too late to be read.
    if (why->answer == NULL || round->turn.ending != MICA_OK)
        return MICA_OK;
    // Answered before, or never asked: nothing is lost by leaving it out.
    if (why->ask >= round->journal.count ||
        round->journal.entries[why->ask].kind != MICA_ENTRY_ASK ||
        round->journal.entries[why->ask].answer != 0)
        return MICA_OK;
    entry.scope = round->journal.entries[why->ask].scope;
    entry.status = why->is_error ? MICA_E_CLIENT : MICA_OK;
    entry.data = why->answer->raw;
    return mica_journal_add(&round->journal, &entry, error);
}

// An answer to the question of another session does not count.
static bool
is_his(const struct mica_message *message, const struct mica_answered *why)
{
    return why->answer == NULL ||
           mica_text_equal(message->execution.round->kept.session,
                           message->context.session_key);
}

static void
message_recorded(struct mica_message *message)
{
    if (message->execution.recorded != NULL)
        message->execution.recorded(message);
}

// A call of rounds waits for its client. One that was given out before it waited
// must not be held when that comes. (A task is woken by a part of its answers.)
static bool
only_waits(const struct mica_round *round, const struct mica_answered *why)
{
    return why->answer == NULL && why->ending == MICA_OK &&
           round->turn.ending == MICA_OK &&
           round->kept.mode == MICA_CALL_ROUNDS &&
           round->kept.state == MICA_CALL_WAITING;
}

static bool
message_take(struct mica_message *message, const struct mica_answered *why)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status =
        calls->take(calls->data, why->call, message->arena, &error,
                    &round->kept, &round->turn.ending);
    bool taken = status == MICA_OK && !mica_call_has_ended(&round->kept);

    if (taken && (!is_his(message, why) || only_waits(round, why))) {
        calls->release(calls->data, &round->kept);
        taken = false;
    }
    if (!taken)
        message_silent(message, status == MICA_OK ? MICA_E_NOT_FOUND : status);
    if (!taken && (status == MICA_OK || status == MICA_E_NOT_FOUND))
        message_recorded(message);
    if (why->ending != MICA_OK)
        round->turn.ending = why->ending;
    message->execution.ending = round->turn.ending;
    if (round->turn.ending == MICA_E_CANCELLED)
        atomic_store(&message->execution.cancelled, true);
    round->resumes = taken;
    if (taken)
        mica_execution_claim(round);
    mica_execution_move(&message->execution, taken ? MICA_EXECUTION_CLAIMED
                                                   : MICA_EXECUTION_RELEASED);
    return taken;
}

// In a session no request follows: once it has all answers, or those of one of several
// tools, it works, and is found should this process die before it asks anew.
static void
round_continue(struct mica_round *round)
{
    uint32_t open;

    if (round->kept.mode != MICA_CALL_SESSION)
        return;
    round->kept.due = mica_journal_due(&round->journal);
    if (!mica_journal_open_ask(&round->journal, 0, &open))
        round->kept.asks = none;
    if (round->kept.asks.len == 0 || round->journal.scope_count > 1)
        round->kept.state = MICA_CALL_WORKING;
}

// Before anything is done with it, so that what was acknowledged is not asked again
// (R5). One that is too large stays so: the call ends with that. False: it could not
// be kept now.
static bool
keep_answer(struct mica_message *message, const struct mica_answered *why)
{
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    if (why->answer == NULL)
        return true;
    if (round->journal.count > round->known) {
        status = mica_round_commit(message, none, false, &error);
        if (status != MICA_OK && status != MICA_E_LIMIT) {
            round->lost = error;
            mica_round_leave(message);
            return false;
        }
    }
    if (status == MICA_OK) {
        mica_round_mark(round);
        message_recorded(message);
    }
    return true;
}

// Another process has claimed the call meanwhile, or the store failed:
// what this turn has done is dropped (C1), and said to be tried again.
static void
drop_if_lost(struct mica_message *message)
{
    const struct mica_error *lost = &message->execution.round->lost;

    if (lost->status != MICA_OK)
        message_silent(message, lost->status == MICA_E_CALL_BUSY ||
                                        lost->status == MICA_E_STRANDED
                                    ? lost->status
                                    : MICA_E_BUSY);
}

static void
take_turn(struct mica_message *message, const struct mica_answered *why)
{
    mica_questions_take_back(message);
    round_continue(message->execution.round);
    if (!keep_answer(message, why))
        return;
    message->execution.runnable = &message->execution.target->runnable;
    mica_round_prepare(message, 0);
    mica_round_run(message);
    mica_round_finish(message);
}

static void
end_stranded(struct mica_message *message)
{
    mica_round_strand(message);
    mica_round_finish(message);
}

// C6: the build went between the claim and here.
static void
leave_to_others(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;

    (void)mica_error_set(&round->lost, MICA_E_STRANDED, "",
                         "the tool is not here in the build of the call");
    mica_round_leave(message);
}

void
mica_message_resume(struct mica_message *message,
                    const struct mica_answered *why)
{
    struct mica_round *round =
        mica_arena_zero(message->arena, 1, sizeof *round);
    struct mica_error error = {.message = ""};
    bool readable, offered;

    message->execution.round = round;
    if (round == NULL) {
        message_silent(message, MICA_E_LIMIT);
        return;
    }
    if (!message_take(message, why))
        return;
    message->request.endpoint = round->kept.owner.endpoint;
    offered = mica_message_enter(message);
    mica_journal_init(&round->journal, message->arena);
    message->execution.arguments = round->kept.arguments;
    message->execution.finish = finisher(round->kept.kind);
    readable = mica_context_read(message, round->kept.context) &&
               set_principal(message, &round->kept);
    if (message->execution.taken != NULL) // others may look at it from here on
        message->execution.taken(message);
    if (!readable)
        message_fail(message, MICA_E_INTERNAL,
                     "the context of the call is unreadable");
    else if (read_journal(message, &error) != MICA_OK)
        message_fail(message,
                     error.status == MICA_E_STATE ? MICA_E_STATE
                                                  : MICA_E_INTERNAL,
                     error.message);
    else if (mica_round_has_crashed(message))
        mica_round_finish(message);
    else if (round->turn.ending == MICA_E_STRANDED)
        end_stranded(message);
    else if (!offered || !mica_round_find_target(message, &round->kept))
        leave_to_others(message);
    else if (take_answer(round, why, &error) != MICA_OK)
        message_fail(message, MICA_E_INTERNAL, error.message);
    else
        take_turn(message, why);
    drop_if_lost(message);
    if (round->lost.status == MICA_OK)
        message_recorded(message);
}

const struct mica_kept_call *
mica_message_kept(const struct mica_message *message)
{
    return message->execution.round != NULL &&
                   mica_execution_is_kept(message->execution.round)
               ? &message->execution.round->kept
               : NULL;
}

// ---- Questions of a session ----------------------------------------------------------

// ---- What is known of a kept call -------------------------------------------------------
