// SPDX-License-Identifier: Apache-2.0
//
// Runs effects once: phases and steps. It commits the result as JSON before anything else
// runs. The handler gets the decoded JSON, also the first time, so that it sees the same
// values in each turn (TURN-3).
#include <string.h>

#include "call/turn_state.h"
#include "schema/record.h"

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
        .keeps = outer->keeps,
        .form_views = outer->form_views,
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

// Runs the function of the effect in its frame. Returns the status to record.
static enum mica_status
effect_call(struct mica_call *call, const struct mica_effect *effect,
            struct mica_frame *body)
{
    struct mica_turn_state *state = call->turn->state;
    struct mica_frame *frame = state->frame;
    enum mica_status status;

    call->error.status = MICA_OK;
    call->error_is_from_operation = false;
    state->frame = body;
    status = effect->run(call, effect->data, effect->into.out);
    state->frame = frame;
    if (state->fault.status != MICA_OK)
        return state->fault.status;
    return mica_turn_conclude(call, status, effect->namez);
}

// Fills in the status and the JSON of the entry: of the effect's output, or of call->error.
static void
effect_encode(struct mica_call *call, const struct mica_effect *effect,
              enum mica_status status, struct mica_entry *entry)
{
    const struct mica_from from = {effect->into.record, effect->into.out};

    if (status == MICA_OK &&
        mica_turn_encode(call, from, &entry->data) != MICA_OK)
        status = mica_turn_set_error(call, MICA_E_EXECUTION,
                                     "the result of \"%s\" breaks its own "
                                     "schema (%s)",
                                     effect->namez, call->error.message);
    if (status != MICA_OK)
        entry->data = mica_call_error_text(call);
    entry->status = status;
    if (call->arena->overflow)
        mica_call_exceed(call);
}

// Runs the effect; records and commits `entry` with its result, after the notices and the
// content that it has added.
static enum mica_status
effect_run(struct mica_call *call, const struct mica_effect *effect,
           struct mica_frame *body, struct mica_entry *entry)
{
    const struct mica_error *fault = &call->turn->state->fault;
    struct mica_step_content before = mica_step_content_now(call);
    enum mica_status status;

    MICA_TRY(commit_dependencies(call));
    status = effect_call(call, effect, body);
    if (fault->status != MICA_OK)
        return fault->status;
    effect_encode(call, effect, status, entry);
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

// Is the next entry of the frame the scope of that key?
static bool
next_is_scope(const struct mica_turn *turn, struct mica_frame *frame,
              struct mica_text key)
{
    const struct mica_entry *next;
    uint32_t number;

    if (!mica_frame_next(turn, frame, &number))
        return false;
    next = &turn->journal->entries[number];
    return next->kind == MICA_ENTRY_SCOPE && mica_text_equal(next->key, key);
}

// Continues the scope of an effect that has recorded something before it was interrupted.
// Most effects have none. So outside of a body this looks at the next entry first: to match
// another entry would be a divergence. A body matches in any order.
static enum mica_status
effect_match_scope(struct mica_call *call, struct mica_frame *body)
{
    struct mica_turn *turn = call->turn;
    struct mica_frame *frame = turn->state->frame;
    struct mica_entry scope = {.kind = MICA_ENTRY_SCOPE};
    uint32_t number;

    scope.key = mica_text_slice(body->path, 0, body->path.len - 1);
    if (!frame->is_body && !next_is_scope(turn, frame, scope.key))
        return MICA_OK;
    if (!mica_frame_recorded(call, &scope, &number))
        return MICA_OK;
    if (number == UINT32_MAX)
        return turn->state->fault.status;
    body->has_scope = true;
    body->scope = turn->journal->entries[number].number;
    body->cursor = number + 1;
    body->recorded = mica_turn_reported(turn, body->scope);
    return MICA_OK;
}

// Fills in the entry of the effect: from the journal, or by running it. Fails if that ends
// the turn.
static enum mica_status
effect_perform(struct mica_call *call, const struct mica_effect *effect,
               struct mica_entry *entry)
{
    const struct mica_turn *turn = call->turn;
    struct mica_frame body = mica_frame_body(call, entry->key);
    uint32_t number;

    MICA_TRY(effect_match_scope(call, &body));
    if (!mica_frame_recorded(call, entry, &number))
        return effect_run(call, effect, &body, entry);
    if (number == UINT32_MAX)
        return turn->state->fault.status;
    *entry = turn->journal->entries[number];
    mica_step_content_restore(call, number);
    return MICA_OK;
}

//     the journal has    then the effect
//     neither            runs, and its result is recorded
//     its SCOPE          was interrupted: it runs again, and gets what it has recorded
//     its result         does not run
//
// In each case the handler gets the recorded result.
enum mica_status
mica_effect_run(struct mica_call *call, const struct mica_effect *effect)
{
    struct mica_frame *frame = call->turn->state->frame;
    struct mica_entry entry = {.kind = effect->kind};
    enum mica_status status;

    memset(effect->into.out, 0, effect->into.record->size);
    entry.key =
        mica_frame_key(frame, &frame->effects, mica_text(effect->namez));
    status = effect_perform(call, effect, &entry);
    if (call->turn->state->fault.status != MICA_OK) {
        memset(effect->into.out, 0, effect->into.record->size);
        return status;
    }
    return effect_return(call, effect, &entry);
}
