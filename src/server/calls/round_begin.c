// SPDX-License-Identifier: Apache-2.0
//
// The call that a request is about: a new one, one that is carried, or one that
// is kept, which has to be claimed. Where it was answered before, it is answered
// again (C3).
#include "server/calls/round.h"
#include "server/calls/task.h"

static bool
answer_with(struct mica_message *message, struct mica_text tail)
{
    mica_execution_move(&message->execution, MICA_EXECUTION_REPLAYED);
    mica_reply_tail(message, tail);
    return false;
}

bool
mica_round_answer_error(struct mica_message *message, enum mica_status status,
                        const struct mica_error *error)
{
    mica_execution_move(&message->execution, MICA_EXECUTION_REFUSED);
    return mica_round_refuse(message, status, error);
}

// What is known of it, without a claim. MICA_E_NOT_FOUND: it is carried, or gone.
static enum mica_status
find_kept(struct mica_message *message, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_kept_call kept;

    if (calls == NULL)
        return MICA_E_NOT_FOUND;
    MICA_TRY(calls->find(calls->data, message->execution.round->kept.id,
                         &caller, message->arena, error, &kept));
    message->execution.round->kept = kept;
    message->execution.round->persistence = MICA_PERSISTENCE_STORED;
    return MICA_OK;
}

// C3: a round that was answered before, or a late one. What is recorded needs no
// build, so where the call could not be claimed for the want of it (`refusal`, or
// NULL), that is said of what is not recorded.
static bool
answer_again(struct mica_message *message, uint32_t state_round,
             const struct mica_error *refusal)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->execution.round;
    struct mica_text reply;
    struct mica_error error;
    enum mica_status status;

    mica_round_release(message);
    status = calls->replay(calls->data, round->kept.id, state_round,
                           round->answers, message->arena, &error, &reply);
    round->asked = state_round + 1;
    if (status == MICA_OK)
        return answer_with(message, reply);
    if (status == MICA_E_NOT_FOUND && mica_call_has_ended(&round->kept))
        return answer_with(message, round->kept.reply);
    if (status == MICA_E_NOT_FOUND && refusal != NULL)
        return mica_round_answer_error(message, refusal->status, refusal);
    if (status == MICA_E_NOT_FOUND)
        status =
            mica_error_set(&error, MICA_E_STATE, "",
                           "the call never had the round that is answered");
    return mica_round_answer_error(message, status, &error);
}

// A call continues with the build of its tool that it began with. False: that is not
// here.
static bool
find_version(struct mica_message *message)
{
    const struct mica_definition *target = message->execution.target;
    struct mica_text version = message->execution.round->kept.version;
    const struct mica_definition *older;

    if (target->kind != MICA_DEFINITION_TOOL || version.len == 0 ||
        mica_text_equal(version, mica_registry_version_of(
                                     &message->server->registry, target)))
        return true;
    older = mica_message_build(message, target->key, version);
    if (older == NULL)
        return false;
    message->execution.target = older;
    message->execution.runnable = &older->runnable;
    return true;
}

// As it is now. Errors: those of mica_calls.claim.
static enum mica_status
claim_kept(struct mica_message *message, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->execution.round;
    struct mica_caller caller = mica_message_caller(message);
    enum mica_status status = MICA_E_NOT_FOUND;

    if (calls != NULL)
        status = calls->claim(calls->data, round->kept.id, &caller,
                              message->arena, error, &round->kept);
    if (status == MICA_E_NOT_FOUND)
        status = mica_error_set(error, MICA_E_STATE, "",
                                "the call that is answered is no longer kept");
    if (status == MICA_OK && !mica_call_has_ended(&round->kept)) {
        mica_execution_claim(round);
        mica_execution_move(&message->execution, MICA_EXECUTION_CLAIMED);
    }
    return status;
}

// With the claimed call: what is known of it.
static bool
read_kept(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    if (!find_version(message)) // C6: it went between the claim and here
        status = mica_error_set(&error, MICA_E_STRANDED, "",
                                "the tool is not here in the build of the "
                                "call; try again");
    if (status == MICA_OK)
        status = mica_journal_read(&round->journal, message->arena,
                                   round->kept.journal, &error);
    mica_round_mark(round);
    if (status == MICA_OK)
        return !mica_round_has_crashed(message);
    mica_round_release(message);
    return mica_round_answer_error(message, status, &error);
}

static bool
message_claim(struct mica_message *message)
{
    const struct mica_round *round = message->execution.round;
    uint32_t state_round = round->kept.round;
    struct mica_error error, other;
    enum mica_status status = claim_kept(message, &error);

    // Its state alone does not say what a surface tells of it.
    if (status == MICA_E_STRANDED && find_kept(message, &other) == MICA_OK)
        return answer_again(message, state_round, &error);
    if (status != MICA_OK)
        return mica_round_answer_error(message, status, &error);
    if (!mica_execution_is_claimed(round) || round->kept.round != state_round)
        return answer_again(message, state_round, NULL);
    return read_kept(message);
}

static bool
message_lacks(struct mica_message *message, unsigned missing)
{
    mica_execution_move(&message->execution, MICA_EXECUTION_REFUSED);
    mica_client_refuse(message, missing);
    return false;
}

// What this request has not declared and the questions need.
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
        missing |= mica_ask_needs(kind) & ~message->context.client;
    }
    return missing;
}

// MCP: only what the very request has declared may be asked.
static bool
answer_asks(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_json *asks = mica_arena_zero(message->arena, 1, sizeof *asks);
    struct mica_error error = {.status = MICA_E_LIMIT, .message = "no memory"};
    unsigned missing;

    if (asks == NULL || mica_json_read(message->arena, round->kept.asks, NULL,
                                       &error, asks) != MICA_OK)
        return mica_round_answer_error(message, error.status, &error);
    missing = missing_for(message, asks);
    if (missing != 0)
        return message_lacks(message, missing);
    mica_execution_move(&message->execution, MICA_EXECUTION_REPLAYED);
    mica_round_reply_asks(message, round->kept.asks, round->kept.round);
    return false;
}

// It runs, or its process died; else its client is told how it stands.
static bool
needs_turn(const struct mica_round *round)
{
    return round->kept.mode != MICA_CALL_TASK &&
           round->kept.state == MICA_CALL_WORKING;
}

static bool
answer_standing(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    bool declared = (message->context.client & MICA_CLIENT_TASKS) != 0;

    // MCP: tasks: only for a request that has declared them.
    if (round->kept.mode == MICA_CALL_TASK && declared) {
        mica_execution_move(&message->execution, MICA_EXECUTION_REPLAYED);
        mica_task_reply(message);
        return false;
    }
    if (mica_call_has_ended(&round->kept))
        return answer_with(message, round->kept.reply);
    if (round->kept.mode == MICA_CALL_TASK)
        return message_lacks(message, MICA_CLIENT_TASKS);
    return answer_asks(message);
}

// The call that the same idempotency key began. A turn of it may end before the
// claim: what it asks is then told, not answered with nothing (C3).
static bool
answer_as_is(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status;

    round->persistence = MICA_PERSISTENCE_STORED;
    if (!needs_turn(round))
        return answer_standing(message);
    status = claim_kept(message, &error);
    if (status != MICA_OK)
        return mica_round_answer_error(message, status, &error);
    if (needs_turn(round))
        return read_kept(message);
    mica_round_release(message);
    return answer_standing(message);
}

// MCP: tasks: the server decides, for clients that have declared the extension.
bool
mica_round_may_be_task(const struct mica_message *message)
{
    return mica_round_is_stateless(message) &&
           message->execution.target->task != MICA_TASK_NEVER &&
           (message->context.client & MICA_CLIENT_TASKS) != 0;
}

static bool
becomes_task(const struct mica_message *message)
{
    return mica_round_may_be_task(message) &&
           !message->execution.target->detaches;
}

static bool
answer_kept(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;

    if (round->kept.mode == MICA_CALL_TASK)
        return answer_as_is(message);
    round->kept.round = 0; // the first that was kept
    return message_claim(message);
}

// A call that was carried is kept from some round on. Its client comes again with
// the state of before when it did not hear that.
//
// Each carried round is looked up, as its state was sealed before it was
// known: a call is kept when its handler comes to a clean-up, a tool with effects, a
// long journal or mica_detach. To wait until it comes there again, and find its id
// taken, is too late: on other answers, or other chance, it may come to an end that
// knows nothing of what was done. It costs one look into an index that has nothing.
static bool
begin_carried(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status = find_kept(message, &error);

    if (status == MICA_OK)
        return answer_kept(message);
    if (status == MICA_E_NOT_FOUND) {
        // Without its build the one that is there continues, if it comes to what is
        // in the journal (T2).
        (void)find_version(message);
        status = mica_journal_read(&round->journal, message->arena,
                                   round->carried, &error);
    }
    return status == MICA_OK ||
           mica_round_answer_error(message, status, &error);
}

bool
mica_round_begin(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    mica_journal_init(&round->journal, message->arena);
    if (round->has_state && mica_execution_is_kept(round))
        return message_claim(message);
    if (round->has_state)
        return begin_carried(message);
    mica_call_id_make(message->server->platform, round->id);
    round->kept.id = mica_text(round->id);
    round->kept.created = mica_round_now(message);
    if (!becomes_task(message) && !message->execution.target->stored &&
        round->idempotency_key.len == 0)
        return true;
    round->kept.mode =
        becomes_task(message) ? MICA_CALL_TASK : MICA_CALL_ROUNDS;
    status = mica_round_create(message, &error);
    if (status == MICA_E_EXISTS)
        return answer_as_is(message);
    if (status != MICA_OK)
        return mica_round_answer_error(message, status, &error);
    mica_execution_move(&message->execution, MICA_EXECUTION_CLAIMED);
    if (round->kept.mode != MICA_CALL_TASK)
        return true;
    mica_round_answer_task(message);
    mica_execution_move(&message->execution, MICA_EXECUTION_REPLAYED);
    return false;
}
