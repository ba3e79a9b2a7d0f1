// SPDX-License-Identifier: Apache-2.0
//
// Writes calls to the store: creation, commits, releases. Also the small functions that
// the files of a round share.
#include "server/calls/round.h"

#include "base/assert.h"
#include "base/states.h"
#include "server/calls/task.h"

static const struct mica_text none = {NULL, 0};

int64_t
mica_round_now(const struct mica_message *message)
{
    const struct mica_platform *platform = message->server->platform;

    return platform->now_ms(platform->data);
}

bool
mica_round_is_stateless(const struct mica_message *message)
{
    return mica_revision_features(message->context.revision)->stateless;
}

bool
mica_round_refuse(struct mica_message *message, enum mica_status status,
                  const struct mica_error *error)
{
    enum mica_rpc_error rpc = MICA_RPC_INTERNAL;
    struct mica_text data = none;

    if (mica_status_json_rpc(status) == MICA_RPC_PARAMS)
        rpc = MICA_RPC_PARAMS;
    if (mica_status_kind(status) == MICA_BLOCKED || status == MICA_E_STRANDED)
        data = MICA_LITERAL("\"retryable\":true");
    mica_reply_error(message, 200, rpc, status, data, "%s", error->message);
    return false;
}

// Fills in the call that `create` or the first commit writes.
static void
fill_kept_call(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    const struct mica_principal *principal = message->context.principal;
    const struct mica_definition *target = message->execution.target;
    uint32_t keep = target->keep_ms > 0 ? target->keep_ms : MICA_KEEP_MS;

    if (!mica_round_is_stateless(message))
        round->kept.mode = MICA_CALL_SESSION;
    else if (round->kept.mode != MICA_CALL_TASK)
        round->kept.mode = MICA_CALL_ROUNDS;
    round->kept.state = MICA_CALL_WORKING;
    round->kept.owner.endpoint = message->request.endpoint;
    if (principal != NULL) {
        round->kept.owner.issuer = principal->issuer;
        round->kept.owner.subject = principal->subject;
    }
    round->kept.kind = target->kind;
    round->kept.target = target->key;
    round->kept.version =
        mica_registry_version_of(&message->server->registry, target);
    round->kept.arguments = message->execution.arguments;
    round->kept.journal = mica_buffer_as_text(&round->journal.bytes);
    round->kept.context = mica_context_write(message);
    round->kept.session = message->context.session_key;
    round->kept.stream = message->context.stream;
    round->kept.changed = mica_round_now(message);
    round->kept.expires = round->kept.created + keep;
    round->kept.due = round->kept.changed + round->turn.limit_ms;
}

// Builds with MICA_DEBUG stop at a move that the store would refuse.
static void
check_state(const struct mica_round *round)
{
#ifdef MICA_DEBUG
    mica_states_check(&mica_call_states, round->stored_state, round->kept.state,
                      NULL);
#else
    (void)round;
#endif
}

enum mica_status
mica_round_create(struct mica_message *message, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->execution.round;
    enum mica_status status;

    if (calls == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "this server keeps no calls: it needs a store");
    fill_kept_call(message);
    check_state(round);
    status = calls->create(calls->data, &round->kept, round->idempotency_key,
                           message->arena, error);
    if (status == MICA_OK)
        mica_execution_claim(round);
    return status;
}

// The questions that this turn added, in their order.
static bool
collect_questions(struct mica_message *message,
                  struct mica_turn_events *turn_events)
{
    struct mica_text *events;
    size_t count = 0;

    while (mica_message_question(message, count).len > 0)
        count++;
    events = mica_arena_zero(message->arena, count, sizeof *events);
    if (events == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        events[i] = mica_message_question(message, i);
    *turn_events = (struct mica_turn_events){.events = events, .count = count};
    return count > 0;
}

// MCP: cancellation: a cancelled request gets no reply.
static bool
collect_reply(struct mica_message *message,
              struct mica_turn_events *turn_events)
{
    struct mica_text *reply = mica_arena_zero(message->arena, 1, sizeof *reply);

    if (reply == NULL || message->step != MICA_STEP_REPLY ||
        message->reply.text.len > message->execution.max_event_bytes ||
        message->execution.ending == MICA_E_CANCELLED ||
        message->execution.round->kept.state == MICA_CALL_CANCELLED ||
        mica_message_is_cancelled(message))
        return false;
    *reply = mica_buffer_as_text(&message->reply.text);
    *turn_events =
        (struct mica_turn_events){.events = reply, .count = 1, .closes = true};
    return true;
}

// Collects the events that the commit appends to the stream of the call. The adapter
// sends all other events, after the commit. NULL: no events.
static struct mica_turn_events *
collect_turn_events(struct mica_message *message, bool release)
{
    struct mica_round *round = message->execution.round;
    bool has_events = false;

    round->turn_events = (struct mica_turn_events){.count = 0};
    if (message->execution.max_event_bytes == 0 ||
        round->kept.mode != MICA_CALL_SESSION)
        return NULL;
    if (mica_call_has_ended(&round->kept))
        has_events = collect_reply(message, &round->turn_events);
    else if (release && round->kept.state == MICA_CALL_WAITING)
        has_events = collect_questions(message, &round->turn_events);
    return has_events ? &round->turn_events : NULL;
}

const struct mica_turn_events *
mica_message_turn_events(const struct mica_message *message)
{
    return message->execution.round != NULL &&
                   message->execution.round->turn_events.first > 0
               ? &message->execution.round->turn_events
               : NULL;
}

enum mica_status
mica_round_begin_asking(struct mica_message *message, struct mica_text asks,
                        struct mica_error *error)
{
    struct mica_round *round = message->execution.round;
    struct mica_kept_call before = round->kept;
    enum mica_status status;

    if (message->server->calls == NULL ||
        message->execution.max_event_bytes == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the call has no stream in a store");
    fill_kept_call(message);
    round->kept.state = MICA_CALL_WAITING;
    round->kept.asks = asks;
    round->kept.due = mica_journal_due(&round->journal);
    round->kept.begins = true;
    status = mica_round_commit(message, none, true, error);
    if (status != MICA_OK)
        round->kept = before;
    round->kept.begins = false;
    if (status == MICA_OK)
        round->persistence = MICA_PERSISTENCE_STORED;
    return status;
}

enum mica_status
mica_round_commit(struct mica_message *message, struct mica_text round_reply,
                  bool release, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->execution.round;
    enum mica_status status;

    round->kept.journal = mica_buffer_as_text(&round->journal.bytes);
    round->kept.changed = mica_round_now(message);
    // C5. Progress and log messages of a task do not count as progress of the call.
    if (release || round->journal.bytes.len > round->bytes_at_start)
        round->kept.attempts = 0;
    if (release && mica_execution_is_claimed(round))
        round->persistence = MICA_PERSISTENCE_STORED;
    round->kept.turn_events = collect_turn_events(message, release);
    check_state(round);
    status = calls->commit(calls->data, &round->kept, round->answers,
                           round_reply, release, error);
    round->kept.turn_events = NULL;
    if (status != MICA_OK) {
        round->turn_events.first = 0;
        return status;
    }
    round->stored_state = round->kept.state;
    if (round->kept.mode == MICA_CALL_TASK &&
        (release || mica_call_has_ended(&round->kept)))
        mica_task_publish_change(message->server, &round->kept, message->arena);
    return MICA_OK;
}

// The key of the last effect that the journal records, for people; empty: none.
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
    struct mica_round *round = message->execution.round;
    struct mica_text last = last_effect(&round->journal);
    bool any = last.len > 0;

    if (round->kept.attempts < MICA_CALL_MOST_ATTEMPTS)
        return false;
    mica_call_init(&message->execution.call, message->arena);
    mica_call_fail(&message->execution.call, MICA_E_CRASHED, "",
                   "the server has ended %d times in the middle of this call, "
                   "with nothing recorded between, so it is not run again; "
                   "%s%.*s%s, what came next may have happened, and no "
                   "clean-up has run",
                   MICA_CALL_MOST_ATTEMPTS,
                   any ? "the last that is known to be done is \""
                       : "nothing is known to be done",
                   MICA_ARG(last), any ? "\"" : "");
    mica_execution_move(&message->execution, MICA_EXECUTION_ENDED);
    return true;
}

void
mica_round_end_stranded(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_text last = last_effect(&round->journal);
    bool any = last.len > 0;

    // The client can still read how the call ended.
    round->kept.expires = mica_round_now(message) + MICA_KEEP_MS;
    round->kept.strands = true;
    mica_call_init(&message->execution.call, message->arena);
    mica_call_fail(
        &message->execution.call, MICA_E_STRANDED, "",
        "no server had %.*s in the build %.*s, with which the call "
        "began, until the time of the call was over; its handler has "
        "not run again and no clean-up has run; %s%.*s%s",
        MICA_ARG(round->kept.target), MICA_ARG(round->kept.version),
        any ? "the last that is known to be done is \""
            : "nothing is known to be done",
        MICA_ARG(last), any ? "\"" : "");
    mica_execution_move(&message->execution, MICA_EXECUTION_ENDED);
}

void
mica_round_release(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->execution.round;

    if (!mica_execution_is_claimed(round))
        return;
    calls->release(calls->data, &round->kept);
    round->persistence = MICA_PERSISTENCE_STORED;
}

void
mica_round_release_unrun(struct mica_message *message)
{
    mica_round_release(message);
    mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
}

void
mica_round_mark_start(struct mica_round *round)
{
    round->entries_at_start = round->journal.count;
    round->bytes_at_start = round->journal.bytes.len;
}
