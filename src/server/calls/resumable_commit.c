// SPDX-License-Identifier: Apache-2.0
//
// Writes calls to the store: creates them and commits their turns. The commit of a turn
// also appends the events of the turn to the stream of a call in a session.
#include "server/calls/resumable.h"

#include "server/calls/task.h"

static const struct mica_text none = {NULL, 0};

// Fills in the call that `create` or the first commit writes, but not its state.
static void
fill_kept_call(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    const struct mica_principal *principal = message->context.principal;
    const struct mica_definition *target = message->execution.target;
    uint32_t keep = target->keep_ms > 0 ? target->keep_ms : MICA_KEEP_MS;

    if (!mica_resumable_is_stateless(message))
        resumable->kept.mode = MICA_CALL_SESSION;
    else if (resumable->kept.mode != MICA_CALL_TASK)
        resumable->kept.mode = MICA_CALL_ROUNDS;
    resumable->kept.owner.endpoint = message->request.endpoint;
    if (principal != NULL) {
        resumable->kept.owner.issuer = principal->issuer;
        resumable->kept.owner.subject = principal->subject;
    }
    resumable->kept.kind = target->kind;
    resumable->kept.target = target->key;
    resumable->kept.version =
        mica_registry_version_of(&message->server->registry, target);
    resumable->kept.arguments = message->execution.arguments;
    resumable->kept.journal = mica_buffer_as_text(&resumable->journal.bytes);
    resumable->kept.context = mica_context_write(message);
    resumable->kept.session = message->context.session_key;
    resumable->kept.stream = message->context.stream;
    resumable->kept.changed = mica_resumable_now(message);
    resumable->kept.expires = resumable->kept.created + keep;
    resumable->kept.due = resumable->kept.changed + resumable->turn.limit_ms;
}

enum mica_status
mica_resumable_create(struct mica_message *message, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;
    enum mica_status status;

    if (calls == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "this server keeps no calls: it needs a store");
    fill_kept_call(message);
    mica_call_move(&resumable->kept, MICA_CALL_WORKING);
    status = calls->create(calls->data, &resumable->kept,
                           resumable->idempotency_key, message->arena, error);
    if (status == MICA_OK)
        mica_execution_claim(resumable);
    else if (status != MICA_E_EXISTS) // otherwise kept is an earlier call
        mica_call_move_back(&resumable->kept, 0);
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
        message->execution.resumable->kept.state == MICA_CALL_CANCELLED ||
        mica_message_is_cancelled(message))
        return false;
    *reply = mica_buffer_as_text(&message->reply.text);
    *turn_events =
        (struct mica_turn_events){.events = reply, .count = 1, .closes = true};
    return true;
}

// Collects the events that the commit appends to the stream of the call. The adapter sends
// all other events, after the commit. NULL: no events.
//
//     state of the call   release   events
//     ended               any       the reply; the stream ends after it
//     WAITING             true      the questions that this turn added
//     any other           any       none: the turn or the call continues
static struct mica_turn_events *
collect_turn_events(struct mica_message *message, bool release)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_turn_events *events = &resumable->turn_events;
    bool has_stream = message->execution.max_event_bytes > 0 &&
                      resumable->kept.mode == MICA_CALL_SESSION;
    bool has_events = false;

    *events = (struct mica_turn_events){.count = 0};
    if (has_stream && mica_call_has_ended(&resumable->kept))
        has_events = collect_reply(message, events);
    else if (has_stream && release &&
             resumable->kept.state == MICA_CALL_WAITING)
        has_events = collect_questions(message, events);
    return has_events ? events : NULL;
}

const struct mica_turn_events *
mica_message_turn_events(const struct mica_message *message)
{
    return message->execution.resumable != NULL &&
                   message->execution.resumable->turn_events.first > 0
               ? &message->execution.resumable->turn_events
               : NULL;
}

enum mica_status
mica_resumable_begin_asking(struct mica_message *message, struct mica_text asks,
                            struct mica_error *error)
{
    struct mica_resumable *resumable = message->execution.resumable;
    enum mica_status status;

    if (message->server->calls == NULL ||
        message->execution.max_event_bytes == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the call has no stream in a store");
    fill_kept_call(message);
    resumable->kept.asks = asks;
    resumable->kept.due = mica_journal_due(&resumable->journal);
    resumable->kept.begins = true;
    mica_call_move(&resumable->kept, MICA_CALL_WAITING);
    status = mica_resumable_commit(message, none, true, error);
    resumable->kept.begins = false;
    if (status == MICA_OK) {
        resumable->persistence = MICA_PERSISTENCE_STORED;
    } else {
        resumable->kept.asks = none;
        mica_call_move_back(&resumable->kept, 0);
    }
    return status;
}

// Fills in what every commit writes.
static void
fill_commit(struct mica_message *message, bool release)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_kept_call *kept = &resumable->kept;

    kept->journal = mica_buffer_as_text(&resumable->journal.bytes);
    kept->changed = mica_resumable_now(message);
    // CALL-5. Progress and log messages of a task do not count as progress of the call.
    if (release || resumable->journal.bytes.len > resumable->bytes_at_start)
        kept->lost_claims = 0;
    kept->turn_events = collect_turn_events(message, release);
}

enum mica_status
mica_resumable_commit(struct mica_message *message,
                      struct mica_text round_reply, bool release,
                      struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_kept_call *kept = &resumable->kept;
    enum mica_status status;

    fill_commit(message, release);
    mica_call_check_commit(kept, resumable->stored_state);
    status = calls->commit(calls->data, kept, resumable->answers, round_reply,
                           release, error);
    kept->turn_events = NULL;
    // A release takes place even if nothing could be written.
    if (release && mica_execution_is_claimed(resumable))
        resumable->persistence = MICA_PERSISTENCE_STORED;
    if (status != MICA_OK) {
        resumable->turn_events.first = 0;
        return status;
    }
    resumable->stored_state = kept->state;
    if (kept->mode == MICA_CALL_TASK && (release || mica_call_has_ended(kept)))
        mica_task_publish_change(message->server, kept, message->arena);
    return MICA_OK;
}
