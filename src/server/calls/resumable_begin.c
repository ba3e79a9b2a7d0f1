// SPDX-License-Identifier: Apache-2.0
//
// Finds or makes the call of a request. The call is one of three:
//
//     new       the request begins it
//     carried   its journal comes with the request, in requestState
//     stored    the request names it; this process claims it
//
// A round that was answered before gets the same reply again (CALL-3).
#include "server/calls/resumable.h"
#include "server/calls/task.h"

static enum mica_resumable_next
reply_recorded(struct mica_message *message, struct mica_text tail)
{
    mica_execution_move(&message->execution, MICA_EXECUTION_REPLAYED);
    mica_reply_tail(message, tail);
    return MICA_RESUMABLE_REPLIED;
}

enum mica_resumable_next
mica_resumable_reply_error(struct mica_message *message,
                           enum mica_status status,
                           const struct mica_error *error)
{
    mica_execution_move(&message->execution, MICA_EXECUTION_REFUSED);
    (void)mica_resumable_refuse(message, status, error);
    return MICA_RESUMABLE_REPLIED;
}

// Reads the call without claiming it. MICA_E_NOT_FOUND: it is carried, or gone.
static enum mica_status
find_stored(struct mica_message *message, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_kept_call kept;

    if (calls == NULL)
        return MICA_E_NOT_FOUND;
    MICA_TRY(calls->find(calls->data, message->execution.resumable->kept.id,
                         &caller, message->arena, error, &kept));
    message->execution.resumable->kept = kept;
    message->execution.resumable->persistence = MICA_PERSISTENCE_STORED;
    return MICA_OK;
}

// CALL-3: replies to a round that was answered before. A recorded reply needs no build of
// the tool. If the call could not be claimed because its build is missing, `refusal`
// says so, and replaces a reply that is not recorded; otherwise it is NULL.
static enum mica_resumable_next
reply_again(struct mica_message *message, uint32_t state_round,
            const struct mica_error *refusal)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_text reply;
    struct mica_error error;
    enum mica_status status;

    mica_resumable_release(message);
    status = calls->replay(calls->data, resumable->kept.id, state_round,
                           resumable->answers, message->arena, &error, &reply);
    resumable->questions_round = state_round + 1;
    if (status == MICA_OK)
        return reply_recorded(message, reply);
    if (status == MICA_E_NOT_FOUND && mica_call_has_ended(&resumable->kept))
        return reply_recorded(message, resumable->kept.reply);
    if (status == MICA_E_NOT_FOUND && refusal != NULL)
        return mica_resumable_reply_error(message, refusal->status, refusal);
    if (status == MICA_E_NOT_FOUND)
        status =
            mica_error_set(&error, MICA_E_STATE, "",
                           "the call never had the round that is answered");
    return mica_resumable_reply_error(message, status, &error);
}

// A call continues with the build of its tool that it began with. Returns false if this
// server does not have that build.
static bool
find_version(struct mica_message *message)
{
    const struct mica_definition *target = message->execution.target;
    struct mica_text version = message->execution.resumable->kept.version;
    const struct mica_definition *older;

    if (target->kind != MICA_DEFINITION_TOOL || version.len == 0 ||
        mica_text_equal(version, mica_registry_version_of(
                                     &message->server->registry, target)))
        return true;
    // Another tool may have the name of the one that the call began with.
    if (!mica_message_may_continue(message, version))
        return false;
    older = mica_message_build(message, target->key, version);
    if (older == NULL)
        return false;
    message->execution.target = older;
    message->execution.runnable = &older->runnable;
    return true;
}

// Claims the call and reads it as it is now. An ended call is read, not claimed. Errors:
// those of mica_calls.claim_for_client.
static enum mica_status
claim_stored(struct mica_message *message, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_caller caller = mica_message_caller(message);
    enum mica_status status = MICA_E_NOT_FOUND;

    if (calls != NULL)
        status =
            calls->claim_for_client(calls->data, resumable->kept.id, &caller,
                                    message->arena, error, &resumable->kept);
    if (status == MICA_E_NOT_FOUND)
        status = mica_error_set(error, MICA_E_STATE, "",
                                "the call that is answered is no longer kept");
    if (status == MICA_OK && !mica_call_has_ended(&resumable->kept)) {
        mica_execution_claim(resumable);
        mica_execution_move(&message->execution, MICA_EXECUTION_CLAIMED);
    }
    return status;
}

// Reads the journal of the claimed call.
static enum mica_resumable_next
read_claimed(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    if (!find_version(message)) // CALL-6: lost since the claim
        status = mica_error_set(&error, MICA_E_STRANDED, "",
                                "the tool is not here in the build of the "
                                "call; try again");
    if (status == MICA_OK)
        status = mica_journal_read(&resumable->journal, message->arena,
                                   resumable->kept.journal, &error);
    mica_resumable_mark_start(resumable);
    if (status == MICA_OK)
        return mica_resumable_has_crashed(message) ? MICA_RESUMABLE_REPLIED
                                                   : MICA_RESUMABLE_RUN;
    mica_resumable_release(message);
    return mica_resumable_reply_error(message, status, &error);
}

static enum mica_resumable_next
claim_round(struct mica_message *message)
{
    const struct mica_resumable *resumable = message->execution.resumable;
    uint32_t state_round = resumable->kept.round;
    struct mica_error error, other;
    enum mica_status status = claim_stored(message, &error);

    // Without the build a recorded reply can still be given.
    if (status == MICA_E_STRANDED && find_stored(message, &other) == MICA_OK)
        return reply_again(message, state_round, &error);
    if (status != MICA_OK)
        return mica_resumable_reply_error(message, status, &error);
    if (!mica_execution_is_claimed(resumable) ||
        resumable->kept.round != state_round)
        return reply_again(message, state_round, NULL);
    return read_claimed(message);
}

static enum mica_resumable_next
reply_missing(struct mica_message *message, unsigned missing)
{
    mica_execution_move(&message->execution, MICA_EXECUTION_REFUSED);
    mica_client_refuse(message, missing);
    return MICA_RESUMABLE_REPLIED;
}

// The capabilities that the questions need and this request has not declared.
static unsigned
missing_for(const struct mica_message *message, const struct mica_json *asks)
{
    unsigned missing = 0;

    for (size_t i = 0; i < asks->count; i++) {
        const struct mica_json *ask = &asks->members[i].value;
        struct mica_text method = mica_json_get_text(ask, "method");
        const struct mica_json *params = mica_json_get(ask, "params");
        enum mica_ask_kind kind = MICA_ASK_FORM;
        if (mica_text_is(mica_json_get_text(params, "mode"), "url"))
            kind = MICA_ASK_PAGE;
        else if (mica_text_equal(method, mica_ask_method(MICA_ASK_SAMPLING)))
            kind = MICA_ASK_SAMPLING;
        else if (mica_text_equal(method, mica_ask_method(MICA_ASK_ROOTS)))
            kind = MICA_ASK_ROOTS;
        missing |= mica_ask_needs(kind) & ~message->context.capabilities;
    }
    return missing;
}

// Replies with the questions that the call waits for. MCP: a reply may contain only
// questions whose capabilities this very request has declared.
static enum mica_resumable_next
reply_open_questions(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_json *asks = mica_arena_zero(message->arena, 1, sizeof *asks);
    struct mica_error error = {.status = MICA_E_LIMIT, .message = "no memory"};
    unsigned missing;

    if (asks == NULL || mica_json_read(message->arena, resumable->kept.asks,
                                       NULL, &error, asks) != MICA_OK)
        return mica_resumable_reply_error(message, error.status, &error);
    missing = missing_for(message, asks);
    if (missing != 0)
        return reply_missing(message, missing);
    mica_execution_move(&message->execution, MICA_EXECUTION_REPLAYED);
    mica_resumable_reply_questions(message, resumable->kept.asks,
                                   resumable->kept.round);
    return MICA_RESUMABLE_REPLIED;
}

// Does the call need a turn of this request? Yes if it works: then another process runs
// it, which the claim shows, or has died.
static bool
needs_turn(const struct mica_resumable *resumable)
{
    return resumable->kept.mode != MICA_CALL_TASK &&
           resumable->kept.state == MICA_CALL_WORKING;
}

// Replies with the state of the call: its result, its questions, or that it is a task.
static enum mica_resumable_next
reply_state(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    bool declared = (message->context.capabilities & MICA_CLIENT_TASKS) != 0;

    // MCP: tasks: only a request that has declared the extension gets a task.
    if (resumable->kept.mode == MICA_CALL_TASK && declared) {
        mica_execution_move(&message->execution, MICA_EXECUTION_REPLAYED);
        mica_task_reply(message);
        return MICA_RESUMABLE_REPLIED;
    }
    if (mica_call_has_ended(&resumable->kept))
        return reply_recorded(message, resumable->kept.reply);
    if (resumable->kept.mode == MICA_CALL_TASK)
        return reply_missing(message, MICA_CLIENT_TASKS);
    return reply_open_questions(message);
}

// A call of a session sends its questions and its reply on the stream that it began with,
// and a request of a session cannot carry the questions of a call that began elsewhere.
static bool
is_on_another_stream(const struct mica_message *message)
{
    const struct mica_kept_call *kept = &message->execution.resumable->kept;

    return !mica_call_has_ended(kept) &&
           (kept->mode == MICA_CALL_SESSION ||
            !mica_resumable_is_stateless(message));
}

// The same idempotency key, or the same task, has begun the call before. If a turn of it
// ends between the search and the claim, the call waits: this request then gets the
// questions, and does not answer them (CALL-3).
static enum mica_resumable_next
join_call(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    enum mica_status status;

    resumable->persistence = MICA_PERSISTENCE_STORED;
    if (is_on_another_stream(message)) {
        status = mica_error_set(
            &error, MICA_E_CALL_BUSY, "",
            "the call that this idempotency key began has not ended. It asks "
            "and replies where it began: read that stream, or repeat the "
            "request later");
        return mica_resumable_reply_error(message, status, &error);
    }
    if (!needs_turn(resumable))
        return reply_state(message);
    status = claim_stored(message, &error);
    if (status != MICA_OK)
        return mica_resumable_reply_error(message, status, &error);
    if (needs_turn(resumable))
        return read_claimed(message);
    mica_resumable_release(message);
    return reply_state(message);
}

// MCP: tasks: the server decides, if the client has declared the extension.
bool
mica_resumable_may_be_task(const struct mica_message *message)
{
    return mica_resumable_is_stateless(message) &&
           message->execution.target->task != MICA_TASK_NEVER &&
           (message->context.capabilities & MICA_CLIENT_TASKS) != 0;
}

static bool
becomes_task(const struct mica_message *message)
{
    return mica_resumable_may_be_task(message) &&
           !message->execution.target->detaches;
}

bool
mica_resumable_begins_stored(const struct mica_message *message)
{
    return becomes_task(message) || message->execution.target->stored ||
           message->execution.resumable->idempotency_key.len > 0;
}

static enum mica_resumable_next
continue_stored(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;

    if (resumable->kept.mode == MICA_CALL_TASK)
        return join_call(message);
    resumable->kept.round = 0; // the first round after the call was stored
    return claim_round(message);
}

// A call that began as carried may be in the store by now. Its client does not know that
// if a reply was lost, and sends the state from before.
//
// So every carried round looks its call up in the store. A handler stores its call when
// it registers a clean-up, invokes a tool with effects, has a long journal or detaches.
// To notice a stored call only when the handler does that again would be too late: with
// other answers, or other random numbers, the handler may reach another end, which knows
// nothing of the recorded effects. The price is one search in an index.
static enum mica_resumable_next
begin_carried(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    enum mica_status status = find_stored(message, &error);

    if (status == MICA_OK)
        return continue_stored(message);
    if (status == MICA_E_NOT_FOUND) {
        // Without its build the current one continues the call, if its operations
        // match the journal (TURN-2).
        (void)find_version(message);
        status = mica_journal_read(&resumable->journal, message->arena,
                                   resumable->carried, &error);
    }
    return status == MICA_OK
               ? MICA_RESUMABLE_RUN
               : mica_resumable_reply_error(message, status, &error);
}

// A call that is stored before its handler runs for the first time.
static enum mica_resumable_next
begin_stored(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    enum mica_status status;

    resumable->kept.mode =
        becomes_task(message) ? MICA_CALL_TASK : MICA_CALL_ROUNDS;
    status = mica_resumable_create(message, &error);
    if (status == MICA_E_EXISTS) {
        resumable->is_joined = true;
        return join_call(message);
    }
    if (status != MICA_OK)
        return mica_resumable_reply_error(message, status, &error);
    mica_execution_move(&message->execution, MICA_EXECUTION_CLAIMED);
    if (resumable->kept.mode != MICA_CALL_TASK)
        return MICA_RESUMABLE_RUN;
    mica_resumable_reply_task(message);
    mica_execution_move(&message->execution, MICA_EXECUTION_REPLAYED);
    return MICA_RESUMABLE_REPLIED;
}

enum mica_resumable_next
mica_resumable_begin(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;

    mica_journal_init(&resumable->journal, message->arena);
    if (resumable->has_state && mica_execution_is_stored(resumable))
        return claim_round(message);
    if (resumable->has_state)
        return begin_carried(message);
    mica_call_id_make(message->server->platform, resumable->id);
    resumable->kept.id = mica_text(resumable->id);
    resumable->kept.created = mica_resumable_now(message);
    if (mica_resumable_begins_stored(message))
        return begin_stored(message);
    return MICA_RESUMABLE_RUN;
}
