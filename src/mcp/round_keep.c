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
    // C5. What a task says of itself is no way that it has come.
    if (release || round->journal.bytes.len > round->known_bytes)
        round->kept.attempts = 0;
    if (release)
        round->claimed = false;
    MICA_TRY(calls->commit(calls->data, &round->kept, round->answers,
                           round_reply, release, error));
    if (round->kept.way == MICA_CALL_TASK &&
        (release || mica_call_has_ended(&round->kept)))
        mica_task_tell(message->server, &round->kept, message->arena);
    return MICA_OK;
}

// What it has done last and what is known of it, for people.
static struct mica_text
last_effect(const struct mica_journal *journal)
{
    for (uint32_t i = journal->count; i > 0; i--) {
        const struct mica_entry *entry = &journal->entries[i - 1];
        if (entry->kind == MICA_ENTRY_STEP || entry->kind == MICA_ENTRY_PHASE ||
            entry->kind == MICA_ENTRY_CLEANED)
            return entry->key;
    }
    return none;
}

bool
mica_round_has_crashed(struct mica_message *message)
{
    const struct mica_round *round = message->round;
    struct mica_text last = last_effect(&round->journal);
    bool any = last.len > 0;

    if (round->kept.attempts < MICA_CALL_MOST_ATTEMPTS)
        return false;
    mica_call_init(&message->call, message->arena);
    mica_call_fail(&message->call, MICA_E_CRASHED, "",
                   "the server has ended %d times in the middle of this call, "
                   "with nothing recorded between, so it is not run again; "
                   "%s%.*s%s, what came next may have happened, and no "
                   "clean-up has run",
                   MICA_CALL_MOST_ATTEMPTS,
                   any ? "the last that is known to be done is \""
                       : "nothing is known to be done",
                   MICA_ARG(last), any ? "\"" : "");
    return true;
}

void
mica_round_strand(struct mica_message *message)
{
    struct mica_round *round = message->round;
    struct mica_text last = last_effect(&round->journal);
    bool any = last.len > 0;

    round->kept.expires = mica_round_now(message) + MICA_KEEP_MS; // to be read
    mica_call_init(&message->call, message->arena);
    mica_call_fail(
        &message->call, MICA_E_STRANDED, "",
        "no server had %.*s in the build %.*s, with which the call "
        "began, until the time of the call was over; its handler has "
        "not run again and no clean-up has run; %s%.*s%s",
        MICA_ARG(round->kept.target), MICA_ARG(round->kept.version),
        any ? "the last that is known to be done is \""
            : "nothing is known to be done",
        MICA_ARG(last), any ? "\"" : "");
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
