// SPDX-License-Identifier: Apache-2.0
//
// Reads what a request whose handler may ask brings: requestState and the answers of the
// round before, or the idempotency key that identifies a first request.
#include "server/call_rules.h"
#include "server/calls/resumable.h"
#include "server/calls/task.h"
#include "server/message_surface.h"
#include "json/exact.h"

static const struct mica_text none = {NULL, 0};

static bool
refuse_type(struct mica_message *message, const char *what)
{
    mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_TYPE, none, "%s",
                     what);
    return false;
}

// Does the request continue a call of a published app? It may have begun with an earlier
// version, whose tool asks, where that of the present one does not.
static bool
continues_app(struct mica_message *message)
{
    return mica_resumable_is_stateless(message) &&
           mica_message_endpoint(message)->source != NULL &&
           mica_json_get(message->request.params, "requestState") != NULL;
}

// Can the handler ask at all? Not in a batch: the response answers all requests of a batch
// at once.
static bool
may_ask(struct mica_message *message)
{
    return message->server->platform != NULL && message->whole == NULL &&
           (!message->execution.runnable->inline_first ||
            continues_app(message));
}

// Do the client's answers reach the call? Outside the stateless revision, only in a session
// or on a pipe.
static bool
client_answers(const struct mica_message *message)
{
    const struct mica_server *server = message->server;

    if (mica_resumable_is_stateless(message))
        return server->sealer != NULL &&
               (message->context.surface == NULL || server->calls != NULL);
    return server->calls != NULL && message->execution.can_receive_answers;
}

// Can the handler ask a model of this server, though it cannot ask the client? A tool that
// is stored needs a client that can come back.
static bool
provider_answers(const struct mica_message *message)
{
    return mica_server_asks_models(message->server) &&
           !message->execution.target->stored;
}

static bool
read_answers(struct mica_message *message, const struct mica_json *answers)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_buffer canonical;

    if (answers == NULL)
        return true;
    if (answers->kind != MICA_JSON_OBJECT)
        return refuse_type(message, "params.inputResponses must be an object: "
                                    "an answer by the key of its question");
    mica_buffer_init(&canonical, message->arena,
                     message->server->options.message_bytes * 2);
    if (mica_json_exact(message->arena, &canonical, answers) != MICA_OK)
        mica_buffer_text(&canonical, answers->raw);
    if (canonical.overflow) {
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                         "The answers need more memory than a call has");
        return false;
    }
    resumable->answers = mica_buffer_as_text(&canonical);
    resumable->turn.answers = answers;
    return true;
}

static bool
read_state(struct mica_message *message, const struct mica_json *sealed)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_state state;
    struct mica_error error;
    enum mica_status status;

    if (sealed == NULL && resumable->turn.answers != NULL &&
        message->execution.target->stored) {
        mica_error_set(&error, MICA_E_STATE, "",
                       "the answers need the requestState of the round that "
                       "they belong to");
        return mica_resumable_refuse(message, MICA_E_STATE, &error);
    }
    if (sealed == NULL)
        return true;
    if (sealed->kind != MICA_JSON_STRING)
        return refuse_type(message, "params.requestState must be the string "
                                    "that came with the questions");
    if (!mica_message_sealer_ready(message, sealed->text))
        return false;
    status = mica_state_open(message, sealed->text, &error, &state);
    if (status != MICA_OK)
        return mica_resumable_refuse(message, status, &error);
    resumable->has_state = true;
    if (state.stored)
        resumable->persistence = MICA_PERSISTENCE_STORED;
    resumable->kept.id = state.id;
    resumable->kept.round = state.round;
    resumable->kept.created = state.created;
    resumable->kept.version = state.version;
    resumable->carried = state.journal;
    return true;
}

static bool
read_idempotency_key(struct mica_message *message)
{
    const struct mica_json *key = mica_json_get(
        mica_json_get(message->request.params, "_meta"), "mica/idempotencyKey");

    if (key == NULL)
        return true;
    if (key->kind != MICA_JSON_STRING || key->text.len == 0 ||
        key->text.len > MICA_IDEMPOTENCY_BYTES)
        return refuse_type(message, "_meta[\"mica/idempotencyKey\"] must be a "
                                    "string of 1 to 256 bytes");
    message->execution.resumable->idempotency_key = key->text;
    return true;
}

static bool
read_round_params(struct mica_message *message)
{
    const struct mica_json *params = message->request.params;

    return read_answers(message, mica_json_get(params, "inputResponses")) &&
           read_state(message, mica_json_get(params, "requestState")) &&
           read_idempotency_key(message);
}

// Makes the resumable call, if the handler can ask, and reads its parameters. The step
// stays WORK unless a reply is ready or the message needs the store. [MRTR-RETRY]
static void
resumable_enter(struct mica_message *message)
{
    bool has_client;

    if (!may_ask(message))
        return;
    has_client = client_answers(message);
    if (!has_client && !provider_answers(message))
        return;
    // The client shows views and follows tasks, and is asked nothing.
    if (!has_client)
        message->context.capabilities &=
            (unsigned)MICA_VIEWS | (unsigned)MICA_CLIENT_TASKS;
    message->execution.resumable = mica_arena_zero(
        message->arena, 1, sizeof *message->execution.resumable);
    if (message->execution.resumable == NULL) {
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                         "No memory for the call");
        return;
    }
    if (!(mica_resumable_is_stateless(message)
              ? read_round_params(message)
              : read_idempotency_key(message)) &&
        message->step != MICA_STEP_STORE)
        mica_execution_move(&message->execution, MICA_EXECUTION_REFUSED);
}

void
mica_message_prepare_run(struct mica_message *message,
                         struct mica_text arguments,
                         void (*finish)(struct mica_message *message))
{
    mica_message_prepare_run_by(message, &message->execution.target->runnable,
                                arguments, finish);
    if (message->step == MICA_STEP_WORK)
        resumable_enter(message);
}

// RULES-3: only the resumable execution knows whether the call begins here.
void
mica_message_run_tool(struct mica_message *message, struct mica_text arguments)
{
    mica_message_prepare_run(message, arguments, mica_finish_tool);
    if (message->step == MICA_STEP_WORK && !mica_rules_admit(message))
        mica_execution_move(&message->execution, MICA_EXECUTION_REFUSED);
}

// ---- Other surfaces --------------------------------------------------------------

void
mica_message_call(struct mica_message *message, struct mica_text arguments,
                  struct mica_text idempotency_key)
{
    mica_message_run_tool(message, arguments);
    if (message->step == MICA_STEP_WORK && message->execution.resumable != NULL)
        message->execution.resumable->idempotency_key = idempotency_key;
}

static bool
refuse_call(struct mica_message *message, enum mica_status status,
            const struct mica_error *error)
{
    if (status == MICA_E_NOT_FOUND)
        mica_reply_error(message, 404, MICA_RPC_PARAMS, status, none,
                         "There is no such call: it never was, or is no longer "
                         "kept");
    else
        (void)mica_resumable_refuse(message, status, error);
    return false;
}

bool
mica_message_find_call(struct mica_message *message, struct mica_text id,
                       struct mica_kept_call *kept_out)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_error error;
    enum mica_status status = MICA_E_NOT_FOUND;

    if (calls != NULL && id.len == MICA_CALL_ID_SIZE - 1)
        status = calls->find(calls->data, id, &caller, message->arena, &error,
                             kept_out);
    if (status == MICA_OK &&
        (kept_out->kind != MICA_DEFINITION_TOOL ||
         kept_out->mode == MICA_CALL_SESSION ||
         !mica_message_may_continue(message, kept_out->version)))
        status = MICA_E_NOT_FOUND;
    if (status != MICA_OK)
        return refuse_call(message, status, &error);
    message->request.name = kept_out->target;
    return true;
}

bool
mica_message_cancel_call(struct mica_message *message,
                         const struct mica_kept_call *kept)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    if (!mica_call_has_ended(kept))
        status = calls->cancel(calls->data, kept->id, &error);
    return status == MICA_OK || refuse_call(message, status, &error);
}

static void
continue_rounds(struct mica_message *message, const struct mica_kept_call *kept,
                uint32_t round, const struct mica_json *answers)
{
    mica_message_prepare_run(message, kept->arguments, mica_finish_tool);
    if (message->step != MICA_STEP_WORK)
        return;
    if (message->execution.resumable == NULL) {
        mica_message_refuse(message, MICA_E_DIVERGED,
                            "The tool has changed since the call began, and "
                            "asks no more questions; call it again");
        return;
    }
    message->execution.resumable->has_state = true;
    message->execution.resumable->persistence = MICA_PERSISTENCE_STORED;
    message->execution.resumable->kept.id = kept->id;
    message->execution.resumable->kept.round = round;
    message->execution.resumable->kept.created = kept->created;
    message->execution.resumable->kept.version = kept->version;
    (void)read_answers(message, answers); // an error is the reply
}

// Finds the tool in the build that the call began with, or else as it is now: a recorded
// reply needs no build (CALL-3), and without the build the claim is refused (CALL-6).
static bool
find_target(struct mica_message *message, const struct mica_kept_call *kept)
{
    if (!mica_resumable_find_target(message, kept))
        message->execution.target = mica_catalog_find(
            mica_message_offered(message), kept->kind, kept->target);
    return message->execution.target != NULL;
}

void
mica_message_continue(struct mica_message *message,
                      const struct mica_kept_call *kept, uint32_t round,
                      const struct mica_json *answers)
{
    struct mica_error error;
    enum mica_status status;

    if (kept->mode == MICA_CALL_TASK) {
        status = mica_task_answer(message, kept->id, answers, &error);
        message->request.name = kept->target;
        if (status != MICA_OK)
            (void)refuse_call(message, status, &error);
    } else if (find_target(message, kept)) {
        continue_rounds(message, kept, round, answers);
    } else {
        status = mica_error_set(&error, MICA_E_STRANDED, "",
                                "This server has not got %.*s. Another server "
                                "may have it; try again.",
                                MICA_ARG(kept->target));
        (void)refuse_call(message, status, &error);
    }
}

uint32_t
mica_message_round(const struct mica_message *message)
{
    return message->execution.resumable != NULL
               ? message->execution.resumable->questions_round
               : 0;
}
