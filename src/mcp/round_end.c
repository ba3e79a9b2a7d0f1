// SPDX-License-Identifier: Apache-2.0
//
// How a turn ends: its client is asked and what is known is kept, or the call has
// its result.
#include "mcp/rounds.h"

static const struct mica_text none = {NULL, 0};

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
    struct mica_state state = {
        .stored = round->stored,
        .id = round->kept.id,
        .round = next_round,
        .created = round->kept.created,
        .version = mica_server_version_of(message->server, message->target)};
    struct mica_json_writer writer;
    struct mica_error error;
    struct mica_text text;
    enum mica_status status;

    state.expires = round->stored
                        ? round->kept.expires
                        : mica_round_now(message) + round->turn.limit_ms;
    if (!round->stored)
        state.journal = mica_buffer_as_text(&round->journal.bytes);
    status = mica_state_seal(message, &state, &error, &text);
    if (status != MICA_OK) {
        (void)mica_round_refuse(message, status, &error);
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
    status = mica_round_commit(message, tail, true, &error);
    if (status == MICA_OK)
        return;
    if (status != MICA_E_LIMIT)
        message->round->lost = error;
    (void)mica_round_refuse(message, status, &error);
}

// In a session, or when the journal is too long to be carried.
static bool
must_keep(const struct mica_message *message)
{
    const struct mica_round *round = message->round;

    return !round->claimed &&
           (!mica_round_is_modern(message) || round->turn.cleans ||
            round->journal.bytes.len > MICA_CARRIED_BYTES);
}

// What was a call of rounds goes on as a task, with the same journal.
static void
detach(struct mica_message *message)
{
    struct mica_round *round = message->round;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    round->kept.way = MICA_CALL_TASK;
    if (!round->claimed)
        status = mica_round_create(message, &error);
    if (status == MICA_OK) {
        round->kept.state = MICA_CALL_WORKING;
        round->kept.asks = none;
        status = mica_round_commit(message, none, false, &error);
    }
    if (status == MICA_OK)
        (void)mica_round_answer_task(message);
    else
        (void)mica_round_refuse(message, status, &error);
    mica_round_release(message);
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
        status = mica_round_create(message, &error);
    if (status != MICA_OK) {
        mica_round_release(message);
        (void)mica_round_refuse(message, status, &error);
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
    if (mica_round_is_modern(message)) {
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

static void
end(struct mica_message *message)
{
    struct mica_round *round = message->round;

    enum mica_status status = message->call.result.status;

    if (mica_round_is_modern(message) && status == MICA_E_CAPABILITY &&
        round->turn.missing != 0)
        mica_client_refuse(message, round->turn.missing);
    else if (round->kept.way == MICA_CALL_TASK &&
             mica_status_kind(status) == MICA_INTERNAL)
        mica_reply_failure(message, MICA_RPC_INTERNAL, none);
    else
        message->finish(message);
    if (!round->claimed)
        return;
    round->kept.state =
        message->rpc_error == 0 ? MICA_CALL_COMPLETED : MICA_CALL_FAILED;
    if (round->turn.ending == MICA_E_CANCELLED ||
        (mica_message_is_cancelled(message) && status != MICA_OK))
        round->kept.state = MICA_CALL_CANCELLED;
    round->kept.asks = none;
    round->kept.due = INT64_MAX;
    round->kept.reply = mica_reply_tail_of(message);
    // Where no request came, no round was answered.
    commit_end(message, round->resumes ? none : round->kept.reply);
}

// What the turn has done is not kept, so it is no end: the effect that it came to
// runs again, under its key, when the client comes again or the call is found.
static void
give_up(struct mica_message *message)
{
    const struct mica_error *error = &message->round->lost;

    mica_round_release(message);
    mica_reply_error(message, 200, MICA_RPC_INTERNAL, error->status,
                     MICA_LITERAL("\"retryable\":true"), "%s", error->message);
}

// The round is given up, not the call: its client may come again. What has
// succeeded all the same is kept for it.
static bool
may_come_again(const struct mica_message *message)
{
    const struct mica_round *round = message->round;

    return round->turn.repeats &&
           (round->turn.suspended || message->call.result.status != MICA_OK);
}

// The call is given up: its handler runs once more, so that it can clean up.
static void
run_to_end(struct mica_message *message)
{
    struct mica_turn *turn = &message->round->turn;

    turn->ending = MICA_E_CANCELLED;
    mica_message_prepare(message, 0);
    mica_turn_run(turn, &message->call, message->runnable, message->arguments);
}

void
mica_round_finish(struct mica_message *message)
{
    struct mica_round *round = message->round;
    bool gone = mica_message_is_cancelled(message);

    if (round->answered)
        return;
    if (gone && round->turn.suspended && !may_come_again(message))
        run_to_end(message);
    if (gone && may_come_again(message))
        mica_round_release(message);
    else if (round->lost.status != MICA_OK)
        give_up(message);
    else if (round->turn.detached)
        detach(message);
    else if (round->turn.suspended)
        suspend(message);
    else
        end(message);
    if (gone) {
        message->error_code = mica_status_code(MICA_E_CANCELLED);
        mica_reply_silent(message, 499);
    }
}
