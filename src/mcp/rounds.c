// SPDX-License-Identifier: Apache-2.0
//
// One turn of a call for one request: what came with it, the turn, and what is
// said and kept at its end.
#include "mcp/rounds.h"
#include "mcp/tasks.h"

#include <string.h>

static const struct mica_text none = {NULL, 0};

static int64_t
now(const struct mica_message *message)
{
    const struct mica_platform *platform = message->server->platform;

    return platform->now_ms(platform->data);
}

static bool
is_modern(const struct mica_message *message)
{
    return mica_wire_features(message->wire)->modern;
}

// ---- Arriving --------------------------------------------------------------------

static bool
refuse(struct mica_message *message, enum mica_status status,
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
    if (is_modern(message))
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
        return refuse(message, MICA_E_STATE, &error);
    }
    if (given == NULL)
        return true;
    if (given->kind != MICA_JSON_STRING)
        return refuse_type(message, "params.requestState must be the string "
                                    "that came with the questions");
    status = mica_state_open(message, given->text, &error, &state);
    if (status != MICA_OK)
        return refuse(message, status, &error);
    round->has_state = true;
    round->stored = state.stored;
    round->kept.id = state.id;
    round->kept.round = state.round;
    round->kept.created = state.created;
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
    if (!is_modern(message))
        return true;
    return take_answers(message,
                        mica_json_get(message->params, "inputResponses")) &&
           take_state(message,
                      mica_json_get(message->params, "requestState")) &&
           take_key(message);
}

// ---- Keeping ---------------------------------------------------------------------

static void
describe(struct mica_message *message)
{
    struct mica_round *round = message->round;
    const struct mica_principal *principal = message->principal;
    const struct mica_definition *target = message->target;
    uint32_t keep = target->keep_ms > 0 ? target->keep_ms : MICA_KEEP_MS;

    if (!is_modern(message))
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
    round->kept.changed = now(message);
    round->kept.expires = round->kept.created + keep;
    round->kept.due = round->kept.changed + round->turn.limit_ms;
}

static enum mica_status
create(struct mica_message *message, struct mica_error *error)
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

// Of a claimed call.
static enum mica_status
commit(struct mica_message *message, struct mica_text round_reply, bool release,
       struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->round;

    round->kept.journal = mica_buffer_as_text(&round->journal.bytes);
    round->kept.changed = now(message);
    if (release)
        round->claimed = false;
    return calls->commit(calls->data, &round->kept, round->answers, round_reply,
                         release, error);
}

// T3, for mica_turn.
static enum mica_status
commit_turn(void *data, struct mica_error *error)
{
    return commit(data, none, false, error);
}

// Gives back what this request cannot go on with.
static void
let_go(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->round;

    if (round->claimed)
        calls->release(calls->data, &round->kept);
    round->claimed = false;
}

// ---- Beginning a turn --------------------------------------------------------------

static bool
answer_with(struct mica_message *message, struct mica_text tail)
{
    message->round->answered = true;
    mica_reply_tail(message, tail);
    return false;
}

static bool
answer_error(struct mica_message *message, enum mica_status status,
             const struct mica_error *error)
{
    message->round->answered = true;
    return refuse(message, status, error);
}

// C3: a round that was answered before, or a late one.
static bool
answer_again(struct mica_message *message, uint32_t state_round)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->round;
    struct mica_text reply;
    struct mica_error error;
    enum mica_status status;

    let_go(message);
    status = calls->replay(calls->data, round->kept.id, state_round,
                           round->answers, message->arena, &error, &reply);
    if (status == MICA_OK)
        return answer_with(message, reply);
    if (status == MICA_E_NOT_FOUND && mica_call_has_ended(&round->kept))
        return answer_with(message, round->kept.reply);
    if (status == MICA_E_NOT_FOUND)
        status = mica_error_set(&error, MICA_E_STATE, "",
                                "requestState is of a round that never was");
    return answer_error(message, status, &error);
}

static bool
claim(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->round;
    uint32_t state_round = round->kept.round;
    struct mica_error error;
    enum mica_status status = MICA_E_NOT_FOUND;

    if (calls != NULL)
        status = calls->claim(calls->data, round->kept.id, message->principal,
                              message->arena, &error, &round->kept);
    if (status == MICA_E_NOT_FOUND)
        status = mica_error_set(&error, MICA_E_STATE, "",
                                "the call that requestState is about is no "
                                "longer kept");
    if (status != MICA_OK)
        return answer_error(message, status, &error);
    round->claimed = !mica_call_has_ended(&round->kept);
    if (!round->claimed || round->kept.round != state_round)
        return answer_again(message, state_round);
    status = mica_journal_read(&round->journal, message->arena,
                               round->kept.journal, &error);
    if (status == MICA_OK)
        return true;
    let_go(message);
    return answer_error(message, status, &error);
}

// The call that the same idempotency key began: as it stands.
static bool
answer_as_is(struct mica_message *message)
{
    struct mica_round *round = message->round;

    if (round->kept.way != MICA_CALL_TASK && mica_call_has_ended(&round->kept))
        return answer_with(message, round->kept.reply);
    if (round->kept.way != MICA_CALL_TASK &&
        round->kept.state == MICA_CALL_WAITING) {
        round->answered = true;
        mica_round_reply_asks(message, round->kept.asks, round->kept.round);
        return false;
    }
    if (round->kept.way == MICA_CALL_TASK) {
        round->answered = true;
        mica_task_reply(message);
        return false;
    }
    // It runs, or its process died: the claim will tell.
    mica_journal_init(&round->journal, message->arena);
    return claim(message);
}

// MCP: tasks: the server decides, for clients that have declared the extension.
static bool
becomes_task(const struct mica_message *message)
{
    return is_modern(message) && message->target->task != MICA_TASK_NEVER &&
           (message->client & MICA_CLIENT_TASKS) != 0;
}

// It is kept, so the client may be told: what follows needs no request.
static bool
answer_task(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->round;

    let_go(message);
    round->answered = true;
    mica_task_reply(message);
    calls->wake(calls->data, round->kept.id);
    return false;
}

static bool
begin(struct mica_message *message)
{
    struct mica_round *round = message->round;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    mica_journal_init(&round->journal, message->arena);
    if (round->has_state && round->stored)
        return claim(message);
    if (round->has_state) {
        status = mica_journal_read(&round->journal, message->arena,
                                   round->carried, &error);
        return status == MICA_OK || answer_error(message, status, &error);
    }
    mica_call_id_make(message->server->platform, round->id);
    round->kept.id = mica_text(round->id);
    round->kept.created = now(message);
    if (!becomes_task(message) && !message->target->stored &&
        round->idempotency_key.len == 0)
        return true;
    round->kept.way = becomes_task(message) ? MICA_CALL_TASK : MICA_CALL_ROUNDS;
    status = create(message, &error);
    if (status == MICA_E_EXISTS)
        return answer_as_is(message);
    if (status != MICA_OK)
        return answer_error(message, status, &error);
    return round->kept.way != MICA_CALL_TASK || answer_task(message);
}

// ---- The turn ----------------------------------------------------------------------

static enum mica_ask_dialect
dialect(const struct mica_message *message)
{
    if (is_modern(message))
        return MICA_ASKS_2026_07_28;
    return message->wire == MICA_WIRE_2025_11_25 ? MICA_ASKS_2025_11_25
                                                 : MICA_ASKS_2025_06_18;
}

static void *
find_service(void *data, const char *namez)
{
    struct mica_message *message = data;

    return mica_server_service(message->server, message->target, namez);
}

static const struct mica_tool_runnable *
find_tool(void *data, struct mica_text name)
{
    struct mica_message *message = data;
    struct mica_definition *found =
        mica_catalog_find(mica_message_catalog(message), MICA_OFFER_TOOL, name);
    struct mica_tool_runnable *tool;

    // A scope that this caller lacks is one that its call lacks, too.
    if (found == NULL || !mica_scopes_suffice(message, found->scope))
        return NULL;
    tool = mica_arena_zero(message->arena, 1, sizeof *tool);
    if (tool == NULL)
        return NULL;
    tool->runnable = &found->runnable;
    tool->steps = found->steps;
    tool->name = found->name;
    tool->limit_ms = found->limit_ms > 0 ? found->limit_ms : MICA_LIMIT_MS;
    return tool;
}

static void
prepare(struct mica_message *message)
{
    struct mica_round *round = message->round;
    const struct mica_definition *target = message->target;
    struct mica_turn *turn = &round->turn;

    turn->journal = &round->journal;
    turn->id = round->kept.id;
    turn->platform = message->server->platform;
    turn->client = message->client;
    turn->dialect = dialect(message);
    turn->limit_ms = target->limit_ms > 0 ? target->limit_ms : MICA_LIMIT_MS;
    turn->steps = target->steps;
    turn->commit = round->claimed ? commit_turn : NULL;
    turn->service = find_service;
    turn->find = find_tool;
    turn->data = message;
    round->known = round->journal.count;
}

void
mica_round_run(struct mica_message *message)
{
    struct mica_round *round = message->round;
    struct mica_error error;
    enum mica_status status;

    // Before `create` describes the call, which has a limit.
    round->turn.limit_ms = message->target->limit_ms > 0
                               ? message->target->limit_ms
                               : MICA_LIMIT_MS;
    if (!round->resumes && !begin(message))
        return;
    prepare(message);
    if (round->turn.answers != NULL) {
        status =
            mica_journal_answer(&round->journal, round->turn.answers, &error);
        if (status != MICA_OK) {
            let_go(message);
            (void)answer_error(message, status, &error);
            return;
        }
    }
    mica_turn_run(&round->turn, &message->call, message->runnable,
                  message->arguments);
}

// ---- Its end -----------------------------------------------------------------------

void
mica_round_write_asks(const struct mica_round *round,
                      struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    for (const struct mica_asked *asked = round->turn.asked; asked != NULL;
         asked = asked->next) {
        mica_json_name_text(writer, asked->key);
        mica_json_open_object(writer);
        mica_json_field(writer, "method", mica_ask_method(asked->kind));
        mica_json_name(writer, "params");
        mica_json_raw(writer, asked->params);
        mica_json_close_object(writer);
    }
    mica_json_close_object(writer);
}

static struct mica_text
asks_text(struct mica_message *message)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, message->arena,
                     message->server->options.call_bytes);
    mica_json_writer_init(&writer, &buffer);
    mica_round_write_asks(message->round, &writer);
    return buffer.overflow ? none : mica_buffer_as_text(&buffer);
}

// MCP: InputRequiredResult. [MRTR-RESULT]
void
mica_round_reply_asks(struct mica_message *message, struct mica_text asks,
                      uint32_t next_round)
{
    struct mica_round *round = message->round;
    struct mica_state state = {.stored = round->stored,
                               .id = round->kept.id,
                               .round = next_round,
                               .created = round->kept.created};
    struct mica_json_writer writer;
    struct mica_error error;
    struct mica_text text;
    enum mica_status status;

    state.expires = round->stored ? round->kept.expires
                                  : now(message) + round->turn.limit_ms;
    if (!round->stored)
        state.journal = mica_buffer_as_text(&round->journal.bytes);
    status = mica_state_seal(message, &state, &error, &text);
    if (status != MICA_OK) {
        (void)refuse(message, status, &error);
        return;
    }
    mica_reply_open_as(message, &writer, "input_required");
    mica_json_name(&writer, "inputRequests");
    mica_json_raw(&writer, asks);
    mica_json_field(&writer, "requestState", text);
    mica_reply_close(message, &writer, none);
}

// Nothing was said yet when it fails: an error takes the place of the reply.
static void
commit_end(struct mica_message *message, struct mica_text tail)
{
    struct mica_error error;
    enum mica_status status;

    if (!message->round->claimed)
        return;
    status = commit(message, tail, true, &error);
    if (status != MICA_OK)
        (void)refuse(message, status, &error);
}

// In a session, or when the journal is too long to be carried.
static bool
must_keep(const struct mica_message *message)
{
    const struct mica_round *round = message->round;

    return !round->claimed && (!is_modern(message) || round->turn.cleans ||
                               round->journal.bytes.len > MICA_CARRIED_BYTES);
}

static void
suspend(struct mica_message *message)
{
    struct mica_round *round = message->round;
    struct mica_text asks = asks_text(message);
    struct mica_error error;
    enum mica_status status = MICA_OK;

    if (asks.len == 0)
        status = mica_error_set(&error, MICA_E_LIMIT, "",
                                "the questions need more memory than a call "
                                "has; ask for less");
    else if (must_keep(message))
        status = create(message, &error);
    if (status != MICA_OK) {
        let_go(message);
        (void)refuse(message, status, &error);
        return;
    }
    round->kept.state = MICA_CALL_WAITING;
    round->kept.asks = asks;
    round->kept.due = mica_journal_due(&round->journal);
    if (round->kept.way == MICA_CALL_TASK) {
        commit_end(message, none);
        mica_reply_silent(message, 200);
        return;
    }
    if (is_modern(message)) {
        mica_round_reply_asks(message, asks, round->kept.round + 1);
        commit_end(message, message->rpc_error == 0
                                ? mica_reply_tail_of(message)
                                : none);
        return;
    }
    commit_end(message, none);
    if (message->step != MICA_STEP_REPLY)
        message->step = MICA_STEP_ASK;
}

// The last entry of the journal, for those who read it. One that is full goes
// without: the reply is kept beside it.
static void
record_end(struct mica_message *message)
{
    const struct mica_result *result = &message->call.result;
    struct mica_entry entry = {
        .kind = MICA_ENTRY_END,
        .status = result->status,
        .data = result->status == MICA_OK ? result->structured : result->error};
    struct mica_error error;
    enum mica_status status =
        mica_journal_add(&message->round->journal, &entry, &error);

    (void)status;
}

static void
end(struct mica_message *message)
{
    struct mica_round *round = message->round;

    if (is_modern(message) &&
        message->call.result.status == MICA_E_CAPABILITY &&
        round->turn.missing != 0)
        mica_client_refuse(message, round->turn.missing);
    else
        message->finish(message);
    if (!round->claimed)
        return;
    record_end(message);
    round->kept.state =
        message->rpc_error == 0 ? MICA_CALL_COMPLETED : MICA_CALL_FAILED;
    if (round->turn.ending == MICA_E_CANCELLED)
        round->kept.state = MICA_CALL_CANCELLED;
    round->kept.asks = none;
    round->kept.due = INT64_MAX;
    round->kept.reply = mica_reply_tail_of(message);
    commit_end(message, round->kept.reply);
}

void
mica_round_finish(struct mica_message *message)
{
    struct mica_round *round = message->round;
    bool gone = mica_message_is_cancelled(message);

    if (round->answered)
        return;
    // The round is given up, not the call: its client may come again. What has
    // succeeded all the same is kept for it.
    if (gone &&
        (round->turn.suspended || message->call.result.status != MICA_OK))
        let_go(message);
    else if (round->turn.suspended)
        suspend(message);
    else
        end(message);
    if (gone)
        mica_reply_silent(message, 499);
}
