// SPDX-License-Identifier: Apache-2.0
//
// A call on its way into the store and out of it, and what the parts of a round
// share.
#include "mcp/rounds.h"
#include "mcp/tasks.h"

static const struct mica_text none = {NULL, 0};

int64_t
mica_round_now(const struct mica_message *message)
{
    const struct mica_platform *platform = message->server->platform;

    return platform->now_ms(platform->data);
}

bool
mica_round_is_modern(const struct mica_message *message)
{
    return mica_wire_features(message->wire)->modern;
}

bool
mica_round_refuse(struct mica_message *message, enum mica_status status,
                  const struct mica_error *error)
{
    enum mica_rpc_error rpc = MICA_RPC_INTERNAL;
    struct mica_text data = none;

    if (mica_status_json_rpc(status) == MICA_RPC_PARAMS)
        rpc = MICA_RPC_PARAMS;
    if (mica_status_kind(status) == MICA_BLOCKED)
        data = MICA_LITERAL("\"retryable\":true");
    mica_reply_error(message, 200, rpc, status, data, "%s", error->message);
    return false;
}

static void
describe(struct mica_message *message)
{
    struct mica_round *round = message->round;
    const struct mica_principal *principal = message->principal;
    const struct mica_definition *target = message->target;
    uint32_t keep = target->keep_ms > 0 ? target->keep_ms : MICA_KEEP_MS;

    if (!mica_round_is_modern(message))
        round->kept.way = MICA_CALL_SESSION;
    else if (round->kept.way != MICA_CALL_TASK)
        round->kept.way = MICA_CALL_ROUNDS;
    round->kept.state = MICA_CALL_WORKING;
    if (principal != NULL) {
        round->kept.issuer = principal->issuer;
        round->kept.subject = principal->subject;
    }
    round->kept.offer = target->offer;
    round->kept.target = target->key;
    round->kept.version = mica_server_version_of(message->server, target);
    round->kept.arguments = message->arguments;
    round->kept.journal = mica_buffer_as_text(&round->journal.bytes);
    round->kept.context = mica_context_write(message);
    round->kept.session = message->session_key;
    round->kept.stream = message->stream;
    round->kept.changed = mica_round_now(message);
    round->kept.expires = round->kept.created + keep;
    round->kept.due = round->kept.changed + round->turn.limit_ms;
}

enum mica_status
mica_round_create(struct mica_message *message, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->round;
    enum mica_status status;

    if (calls == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "this server keeps no calls: it needs a store");
    describe(message);
    status = calls->create(calls->data, &round->kept, round->idempotency_key,
                           message->arena, error);
    if (status == MICA_OK)
        round->claimed = round->stored = true;
    return status;
}

enum mica_status
mica_round_commit(struct mica_message *message, struct mica_text round_reply,
                  bool release, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->round;

    round->kept.journal = mica_buffer_as_text(&round->journal.bytes);
    round->kept.changed = mica_round_now(message);
    if (release)
        round->claimed = false;
    MICA_TRY(calls->commit(calls->data, &round->kept, round->answers,
                           round_reply, release, error));
    if (round->kept.way == MICA_CALL_TASK &&
        (release || mica_call_has_ended(&round->kept)))
        mica_task_tell(message->server, &round->kept, message->arena);
    return MICA_OK;
}

void
mica_round_release(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->round;

    if (round->claimed)
        calls->release(calls->data, &round->kept);
    round->claimed = false;
}
