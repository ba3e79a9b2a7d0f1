// SPDX-License-Identifier: Apache-2.0
//
// Writes calls to the store: creation, commits, releases. Also the small functions that
// the files of resumable calls share.
#include "server/calls/resumable.h"

#include "base/assert.h"
#include "base/states.h"
#include "server/calls/task.h"

static const struct mica_text none = {NULL, 0};

int64_t
mica_resumable_now(const struct mica_message *message)
{
    const struct mica_platform *platform = message->server->platform;

    return platform->now_ms(platform->data);
}

bool
mica_resumable_is_stateless(const struct mica_message *message)
{
    return mica_revision_features(message->context.revision)->stateless;
}

bool
mica_resumable_refuse(struct mica_message *message, enum mica_status status,
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
    struct mica_resumable *resumable = message->execution.resumable;
    const struct mica_principal *principal = message->context.principal;
    const struct mica_definition *target = message->execution.target;
    uint32_t keep = target->keep_ms > 0 ? target->keep_ms : MICA_KEEP_MS;

    if (!mica_resumable_is_stateless(message))
        resumable->kept.mode = MICA_CALL_SESSION;
    else if (resumable->kept.mode != MICA_CALL_TASK)
        resumable->kept.mode = MICA_CALL_ROUNDS;
    resumable->kept.state = MICA_CALL_WORKING;
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

// Builds with MICA_DEBUG stop at a move that the store would refuse.
static void
check_state(const struct mica_resumable *resumable)
{
#ifdef MICA_DEBUG
    mica_states_check(&mica_call_states, resumable->stored_state,
                      resumable->kept.state, NULL);
#else
    (void)resumable;
#endif
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
    check_state(resumable);
    status = calls->create(calls->data, &resumable->kept,
                           resumable->idempotency_key, message->arena, error);
    if (status == MICA_OK)
        mica_execution_claim(resumable);
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

// Collects the events that the commit appends to the stream of the call. The adapter
// sends all other events, after the commit. NULL: no events.
static struct mica_turn_events *
collect_turn_events(struct mica_message *message, bool release)
{
    struct mica_resumable *resumable = message->execution.resumable;
    bool has_events = false;

    resumable->turn_events = (struct mica_turn_events){.count = 0};
    if (message->execution.max_event_bytes == 0 ||
        resumable->kept.mode != MICA_CALL_SESSION)
        return NULL;
    if (mica_call_has_ended(&resumable->kept))
        has_events = collect_reply(message, &resumable->turn_events);
    else if (release && resumable->kept.state == MICA_CALL_WAITING)
        has_events = collect_questions(message, &resumable->turn_events);
    return has_events ? &resumable->turn_events : NULL;
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
    struct mica_kept_call before = resumable->kept;
    enum mica_status status;

    if (message->server->calls == NULL ||
        message->execution.max_event_bytes == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the call has no stream in a store");
    fill_kept_call(message);
    resumable->kept.state = MICA_CALL_WAITING;
    resumable->kept.asks = asks;
    resumable->kept.due = mica_journal_due(&resumable->journal);
    resumable->kept.begins = true;
    status = mica_resumable_commit(message, none, true, error);
    if (status != MICA_OK)
        resumable->kept = before;
    resumable->kept.begins = false;
    if (status == MICA_OK)
        resumable->persistence = MICA_PERSISTENCE_STORED;
    return status;
}

enum mica_status
mica_resumable_commit(struct mica_message *message,
                      struct mica_text round_reply, bool release,
                      struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;
    enum mica_status status;

    resumable->kept.journal = mica_buffer_as_text(&resumable->journal.bytes);
    resumable->kept.changed = mica_resumable_now(message);
    // C5. Progress and log messages of a task do not count as progress of the call.
    if (release || resumable->journal.bytes.len > resumable->bytes_at_start)
        resumable->kept.lost_claims = 0;
    if (release && mica_execution_is_claimed(resumable))
        resumable->persistence = MICA_PERSISTENCE_STORED;
    resumable->kept.turn_events = collect_turn_events(message, release);
    check_state(resumable);
    status = calls->commit(calls->data, &resumable->kept, resumable->answers,
                           round_reply, release, error);
    resumable->kept.turn_events = NULL;
    if (status != MICA_OK) {
        resumable->turn_events.first = 0;
        return status;
    }
    resumable->stored_state = resumable->kept.state;
    if (resumable->kept.mode == MICA_CALL_TASK &&
        (release || mica_call_has_ended(&resumable->kept)))
        mica_task_publish_change(message->server, &resumable->kept,
                                 message->arena);
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
mica_resumable_has_crashed(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_text last = last_effect(&resumable->journal);
    bool any = last.len > 0;

    if (resumable->kept.lost_claims < MICA_CALL_MOST_LOST_CLAIMS)
        return false;
    mica_call_init(&message->execution.call, message->arena);
    mica_call_fail(&message->execution.call, MICA_E_CRASHED, "",
                   "the server has ended %d times in the middle of this call, "
                   "with nothing recorded between, so it is not run again; "
                   "%s%.*s%s, what came next may have happened, and no "
                   "clean-up has run",
                   MICA_CALL_MOST_LOST_CLAIMS,
                   any ? "the last that is known to be done is \""
                       : "nothing is known to be done",
                   MICA_ARG(last), any ? "\"" : "");
    mica_execution_move(&message->execution, MICA_EXECUTION_ENDED);
    return true;
}

void
mica_resumable_end_stranded(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_text last = last_effect(&resumable->journal);
    bool any = last.len > 0;

    // The client can still read how the call ended.
    resumable->kept.expires = mica_resumable_now(message) + MICA_KEEP_MS;
    resumable->kept.strands = true;
    mica_call_init(&message->execution.call, message->arena);
    mica_call_fail(
        &message->execution.call, MICA_E_STRANDED, "",
        "no server had %.*s in the build %.*s, with which the call "
        "began, until the time of the call was over; its handler has "
        "not run again and no clean-up has run; %s%.*s%s",
        MICA_ARG(resumable->kept.target), MICA_ARG(resumable->kept.version),
        any ? "the last that is known to be done is \""
            : "nothing is known to be done",
        MICA_ARG(last), any ? "\"" : "");
    mica_execution_move(&message->execution, MICA_EXECUTION_ENDED);
}

void
mica_resumable_release(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;

    if (!mica_execution_is_claimed(resumable))
        return;
    calls->release(calls->data, &resumable->kept);
    resumable->persistence = MICA_PERSISTENCE_STORED;
}

void
mica_resumable_release_unrun(struct mica_message *message)
{
    mica_resumable_release(message);
    mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
}

void
mica_resumable_mark_start(struct mica_resumable *resumable)
{
    resumable->entries_at_start = resumable->journal.count;
    resumable->bytes_at_start = resumable->journal.bytes.len;
}
