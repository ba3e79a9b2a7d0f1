// SPDX-License-Identifier: Apache-2.0
//
// What comes with a request whose handler may ask: the state and the answers of a
// round before, and the key by which a first request is known again.
#include "mcp/rounds.h"

static const struct mica_text none = {NULL, 0};

static bool
refuse_type(struct mica_message *message, const char *what)
{
    mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_TYPE, none, "%s",
                     what);
    return false;
}

// A part of a batch has no request of its own that could be answered later, and a
// client without a session nothing to answer to.
static bool
can_ask(const struct mica_message *message)
{
    const struct mica_server *server = message->server;

    if (server->platform == NULL || message->runnable->inline_first ||
        message->whole != NULL)
        return false;
    if (mica_round_is_modern(message))
        return server->sealer != NULL;
    return server->calls != NULL && message->answers_later;
}

static bool
take_answers(struct mica_message *message, const struct mica_json *answers)
{
    struct mica_round *round = message->round;
    struct mica_buffer canonical;

    if (answers == NULL)
        return true;
    if (answers->kind != MICA_JSON_OBJECT)
        return refuse_type(message, "params.inputResponses must be an object: "
                                    "an answer by the key of its question");
    mica_buffer_init(&canonical, message->arena,
                     message->server->options.message_bytes * 2);
    if (mica_json_canonical(message->arena, &canonical, answers) != MICA_OK)
        mica_buffer_text(&canonical, answers->raw);
    if (canonical.overflow) {
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                         "The answers need more memory than a call has");
        return false;
    }
    round->answers = mica_buffer_as_text(&canonical);
    round->turn.answers = answers;
    return true;
}

static bool
take_state(struct mica_message *message, const struct mica_json *given)
{
    struct mica_round *round = message->round;
    struct mica_state state;
    struct mica_error error;
    enum mica_status status;

    if (given == NULL && round->turn.answers != NULL &&
        message->target->stored) {
        mica_error_set(&error, MICA_E_STATE, "",
                       "the answers need the requestState of the round that "
                       "they belong to");
        return mica_round_refuse(message, MICA_E_STATE, &error);
    }
    if (given == NULL)
        return true;
    if (given->kind != MICA_JSON_STRING)
        return refuse_type(message, "params.requestState must be the string "
                                    "that came with the questions");
    status = mica_state_open(message, given->text, &error, &state);
    if (status != MICA_OK)
        return mica_round_refuse(message, status, &error);
    round->has_state = true;
    round->stored = state.stored;
    round->kept.id = state.id;
    round->kept.round = state.round;
    round->kept.created = state.created;
    round->kept.version = state.version;
    round->carried = state.journal;
    return true;
}

static bool
take_key(struct mica_message *message)
{
    const struct mica_json *key = mica_json_get(
        mica_json_get(message->params, "_meta"), "mica/idempotencyKey");

    if (key == NULL)
        return true;
    if (key->kind != MICA_JSON_STRING || key->text.len == 0 ||
        key->text.len > MICA_IDEMPOTENCY_BYTES)
        return refuse_type(message, "_meta[\"mica/idempotencyKey\"] must be a "
                                    "string of 1 to 256 bytes");
    message->round->idempotency_key = key->text;
    return true;
}

// [MRTR-RETRY]
bool
mica_round_enter(struct mica_message *message)
{
    if (!can_ask(message))
        return true;
    message->round = mica_arena_zero(message->arena, 1, sizeof *message->round);
    if (message->round == NULL) {
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                         "No memory for the call");
        return false;
    }
    if (!mica_round_is_modern(message))
        return true;
    return take_answers(message,
                        mica_json_get(message->params, "inputResponses")) &&
           take_state(message,
                      mica_json_get(message->params, "requestState")) &&
           take_key(message);
}
