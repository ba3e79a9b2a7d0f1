// SPDX-License-Identifier: Apache-2.0
//
// Runs effects once: phases and steps. It commits the result as JSON before anything else
// runs. The handler gets the decoded JSON, also the first time, so that it sees the same
// values in each turn (T3).
#include <string.h>

#include "call/turn_state.h"
#include "schema/record.h"

// ---- Structs and JSON --------------------------------------------------------------

enum mica_status
mica_turn_encode(struct mica_call *call, struct mica_from from,
                 struct mica_text *json_out)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    enum mica_status status;

    mica_buffer_init(&buffer, call->arena, MICA_JOURNAL_BYTES);
    mica_json_writer_init(&writer, &buffer);
    call->error_is_from_operation = true;
    status = mica_record_encode(from.record, from.in, call->arena, &call->error,
                                &writer);
    if (call->arena->overflow)
        mica_call_exceed(call);
    MICA_TRY(status);
    if (buffer.overflow)
        return mica_turn_set_error(
            call, MICA_E_LIMIT,
            "a result of more than %d bytes of JSON cannot "
            "be recorded",
            MICA_JOURNAL_BYTES);
    *json_out = mica_buffer_as_text(&buffer);
    return MICA_OK;
}

enum mica_status
mica_turn_decode(struct mica_call *call, struct mica_text json,
                 struct mica_into into)
{
    enum mica_status status;
    struct mica_json value;

    memset(into.out, 0, into.record->size);
    call->error_is_from_operation = true;
    status = mica_json_read(call->arena, json, NULL, &call->error, &value);
    if (status == MICA_OK)
        status = mica_record_decode(into.record, &value, call->arena,
                                    &call->error, into.out);
    if (call->arena->overflow)
        mica_call_exceed(call);
    if (status != MICA_OK)
        memset(into.out, 0, into.record->size);
    return status;
}

static void
copy_member(const struct mica_json *value, const char *namez, char *out,
            size_t size)
{
    struct mica_text text = mica_json_get_text(value, namez);
    size_t len = text.len < size ? text.len : size - 1;

    len = mica_utf8_valid(mica_text_slice(text, 0, len));
    if (len > 0)
        memcpy(out, text.ptr, len);
    out[len] = '\0';
}

enum mica_status
mica_turn_restore(struct mica_call *call, enum mica_status status,
                  struct mica_text json)
{
    struct mica_error *error = &call->error;
    struct mica_json value;

    (void)mica_turn_set_error(call, status, "%s", mica_status_meaning(status));
    if (mica_json_read(call->arena, json, NULL, NULL, &value) != MICA_OK)
        return status;
    copy_member(&value, "code", error->code, sizeof error->code);
    copy_member(&value, "message", error->message, sizeof error->message);
    copy_member(&value, "path", error->path, sizeof error->path);
    return status;
}

enum mica_status
mica_turn_conclude(struct mica_call *call, enum mica_status status,
                   const char *what)
{
    const struct mica_error *error = &call->error;
    bool explained =
        error->status == MICA_FAILED && !call->error_is_from_operation;

    if (status == MICA_OK && !explained)
        return MICA_OK;
    if (status == error->status && (explained || call->error_is_from_operation))
        return status;
    if (status == MICA_OK)
        return mica_turn_set_error(
            call, MICA_E_EXECUTION,
            "%s called mica_fail with %s but returned "
            "MICA_OK; it must end with `return mica_fail(…)`",
            what, error->code);
    if (status == MICA_FAILED || status == MICA_SUSPENDED)
        return mica_turn_set_error(
            call, MICA_E_EXECUTION,
            "%s returned the status %s without saying why; "
            "it must end with `return mica_fail(…)`",
            what, mica_status_code(status));
    return mica_turn_set_error(call, status, "%s: %s", what,
                               mica_status_meaning(status));
}

// ---- Effects -----------------------------------------------------------------------

struct mica_frame
mica_frame_body(struct mica_call *call, struct mica_text key)
{
    struct mica_frame *outer = call->turn->state->frame;

    return (struct mica_frame){
        .outer = outer,
        .call = call,
        .is_body = true,
        .path = mica_format(call, "%.*s/", MICA_ARG(key)),
        .name = outer->name,
        .steps = outer->steps,
        .fetches = outer->fetches,
        .limit_ms = outer->limit_ms,
        .tool = outer->tool,
        .owner = outer->owner,
        .effect = mica_format(call, "%.*s/%.*s", MICA_ARG(call->turn->id),
                              MICA_ARG(key))};
}

// Before an effect runs: commits the entries on which it may depend, so that they are the
// same when the handler runs again. These are times and random numbers, answers, the
// client's capabilities, and the builds of other tools.
static enum mica_status
commit_dependencies(struct mica_call *call)
{
    const struct mica_journal *journal = call->turn->journal;

    for (uint32_t i = call->turn->state->committed; i < journal->count; i++) {
        enum mica_entry_kind kind = journal->entries[i].kind;
        if (kind == MICA_ENTRY_TIME || kind == MICA_ENTRY_RANDOM ||
            kind == MICA_ENTRY_ANSWER || kind == MICA_ENTRY_CLIENT ||
            kind == MICA_ENTRY_SCOPE)
            return mica_turn_commit(call);
    }
    return MICA_OK;
}

// Runs the effect in its frame, and records and commits `entry` with its result.
static enum mica_status
effect_run(struct mica_call *call, const struct mica_effect *effect,
           struct mica_frame *body, struct mica_entry *entry)
{
    struct mica_turn_state *state = call->turn->state;
    struct mica_frame *frame = state->frame;
    struct mica_step_content before = mica_step_content_now(call);
    enum mica_status status;

    MICA_TRY(commit_dependencies(call));
    call->error.status = MICA_OK;
    call->error_is_from_operation = false;
    state->frame = body;
    status = effect->run(call, effect->data, effect->into.out);
    state->frame = frame;
    if (state->fault.status != MICA_OK)
        return state->fault.status;
    status = mica_turn_conclude(call, status, effect->namez);
    if (status == MICA_OK) {
        status = mica_turn_encode(
            call, (struct mica_from){effect->into.record, effect->into.out},
            &entry->data);
        if (status != MICA_OK)
            status = mica_turn_set_error(call, MICA_E_EXECUTION,
                                         "the result of \"%s\" breaks its own "
                                         "schema (%s)",
                                         effect->namez, call->error.message);
    }
    if (status != MICA_OK)
        entry->data = mica_call_error_text(call);
    if (call->arena->overflow)
        mica_call_exceed(call);
    entry->status = status;
    MICA_TRY(mica_turn_record_reported(call));
    mica_step_content_record(call, &before, entry->key);
    MICA_TRY(mica_frame_add(call, entry));
    return mica_turn_commit(call);
}

// Returns the recorded result to the handler.
static enum mica_status
effect_return(struct mica_call *call, const struct mica_effect *effect,
              const struct mica_entry *entry)
{
    enum mica_status status;

    if (entry->status != MICA_OK) {
        memset(effect->into.out, 0, effect->into.record->size);
        return mica_turn_restore(call, entry->status, entry->data);
    }
    status = mica_turn_decode(call, entry->data, effect->into);
    if (status != MICA_OK) {
        struct mica_error error = call->error;
        error.status = MICA_E_DIVERGED;
        mica_error_set(&error, MICA_E_DIVERGED, "",
                       "what was recorded of \"%.*s\" does not fit its record "
                       "any more (%s); a tool that changes it needs another "
                       "name",
                       MICA_ARG(entry->key), call->error.message);
        return mica_turn_fault(call, &error);
    }
    call->error.status = MICA_OK;
    call->error_is_from_operation = false;
    return MICA_OK;
}

// Finds the scope of an effect that has recorded something before it was interrupted.
static enum mica_status
match_scope(struct mica_call *call, struct mica_frame *body)
{
    struct mica_turn *turn = call->turn;
    struct mica_frame *frame = turn->state->frame;
    struct mica_entry child = {.kind = MICA_ENTRY_SCOPE};
    const struct mica_entry *next;
    uint32_t number;

    child.key = mica_text_slice(body->path, 0, body->path.len - 1);
    // Most effects have no scope: read the next entry before it is matched.
    if (!frame->is_body) {
        if (!mica_frame_next(turn, frame, &number))
            return MICA_OK;
        next = &turn->journal->entries[number];
        if (next->kind != MICA_ENTRY_SCOPE ||
            !mica_text_equal(next->key, child.key))
            return MICA_OK;
    }
    if (!mica_frame_match(call, &child, &number))
        return MICA_OK;
    if (number == UINT32_MAX)
        return turn->state->fault.status;
    body->has_scope = true;
    body->scope = turn->journal->entries[number].number;
    body->cursor = number + 1;
    body->recorded = mica_turn_reported(turn, body->scope);
    return MICA_OK;
}

enum mica_status
mica_effect_run(struct mica_call *call, const struct mica_effect *effect)
{
    struct mica_frame *frame = call->turn->state->frame;
    struct mica_entry entry = {.kind = effect->kind};
    struct mica_frame body;
    enum mica_status status;
    uint32_t number;

    memset(effect->into.out, 0, effect->into.record->size);
    entry.key =
        mica_frame_key(frame, &frame->effects, mica_text(effect->namez));
    body = mica_frame_body(call, entry.key);
    MICA_TRY(match_scope(call, &body));
    if (mica_frame_match(call, &entry, &number)) {
        if (number == UINT32_MAX)
            return call->turn->state->fault.status;
        entry = call->turn->journal->entries[number];
        mica_step_content_restore(call, number);
    } else {
        status = effect_run(call, effect, &body, &entry);
        if (call->turn->state->fault.status != MICA_OK) {
            memset(effect->into.out, 0, effect->into.record->size);
            return status;
        }
    }
    return effect_return(call, effect, &entry);
}

// ---- Steps -------------------------------------------------------------------------

static bool
is_declared(const char *const *steps, const char *namez)
{
    for (; steps != NULL && *steps != NULL; steps++) {
        if (mica_text_is(mica_text(*steps), namez))
            return true;
    }
    return false;
}

struct step {
    mica_handler *function;
    const void *in;
};

static enum mica_status
run_step(struct mica_call *call, void *data, void *out)
{
    const struct step *step = data;

    return step->function(call, step->in, out);
}

enum mica_status
mica_step(struct mica_call *call, const char *namez, mica_handler *function,
          const void *in, struct mica_into into)
{
    struct step step = {function, in};
    struct mica_effect effect = {MICA_ENTRY_STEP, namez, run_step, &step, into};
    enum mica_status status = mica_turn_enter(call);

    if (status != MICA_OK) {
        memset(into.out, 0, into.record->size);
        return status;
    }
    if (!is_declared(call->turn->state->frame->steps, namez))
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "the step \"%s\" is not among the .steps of its "
            "tool; declare it: .steps = MICA_STEPS(\"%s\")",
            namez, namez);
    return mica_effect_run(call, &effect);
}

struct mica_text
mica_idempotency_key(struct mica_call *call)
{
    const struct mica_frame *frame;

    if (!mica_turn_is_running(call))
        mica_turn_leave(call, MICA_E_USAGE,
                        "mica_idempotency_key needs a tool that was called by "
                        "a client");
    frame = call->turn->state->frame;
    if (frame->effect.len > 0)
        return frame->effect;
    if (frame->path.len > 0)
        return mica_format(call, "%.*s/%.*s", MICA_ARG(call->turn->id),
                           (int)frame->path.len - 1, frame->path.ptr);
    return call->turn->id;
}

void *
mica_service(struct mica_call *call, const char *namez)
{
    struct mica_turn *turn = call->turn;
    void *service = NULL;

    // A handler that continues after its suspension gets no service (T1).
    if (mica_turn_is_running(call) && call->stopped)
        mica_call_leave(call);
    if (mica_turn_is_running(call))
        turn->owner = turn->state->frame->owner;
    if (turn != NULL && turn->service != NULL)
        service = turn->service(turn->data, namez);
    if (service == NULL)
        mica_turn_leave(call, MICA_E_SERVICE,
                        "there is no service \"%s\"; name it in .services of "
                        "the tool, or give it with mica_server_add_service",
                        namez);
    return service;
}

// ---- Time and random numbers -------------------------------------------------------

// Fills *entry from the next TIME or RANDOM entry. Returns false if it is not recorded yet.
static bool
entry_replay(struct mica_call *call, struct mica_entry *entry)
{
    uint32_t number;

    if (!mica_turn_is_running(call))
        mica_turn_leave(call, MICA_E_USAGE,
                        "mica_now and mica_random need a tool that was called "
                        "by a client");
    if (mica_turn_enter(call) != MICA_OK)
        return true;
    if (!mica_frame_match(call, entry, &number))
        return false;
    if (number != UINT32_MAX)
        *entry = call->turn->journal->entries[number];
    return true;
}

// Records a new time or random number; inside an effect also commits it, before the effect
// can use it.
static void
record_drawn(struct mica_call *call, struct mica_entry *entry)
{
    if (mica_frame_add(call, entry) == MICA_OK &&
        call->turn->state->frame->is_body)
        (void)mica_turn_commit(call);
}

int64_t
mica_now(struct mica_call *call)
{
    struct mica_entry entry = {.kind = MICA_ENTRY_TIME};

    if (!entry_replay(call, &entry)) {
        const struct mica_platform *platform = call->turn->platform;
        entry.time = platform->now_ms(platform->data);
        record_drawn(call, &entry);
    }
    return entry.time;
}

uint64_t
mica_random(struct mica_call *call)
{
    struct mica_entry entry = {.kind = MICA_ENTRY_RANDOM};

    if (!entry_replay(call, &entry)) {
        const struct mica_platform *platform = call->turn->platform;
        platform->random(platform->data, &entry.hash, sizeof entry.hash);
        record_drawn(call, &entry);
    }
    return entry.hash;
}
