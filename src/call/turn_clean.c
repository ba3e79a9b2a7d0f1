// SPDX-License-Identifier: Apache-2.0
//
// Clean-ups: the handler names them each time it runs; when the call has ended, this runs
// each once, the last one first (T5).
#include "call/turn_state.h"

enum {
    CLEAN_BYTES = 256 * 1024 // beyond the call's memory, for its clean-ups
};

void
mica_defer(struct mica_call *call, const char *namez, mica_cleaner *clean,
           const void *data)
{
    struct mica_frame *frame;
    struct mica_clean *one;

    if (mica_turn_enter(call) != MICA_OK && mica_turn_is_running(call))
        return;
    if (!mica_turn_is_running(call))
        mica_turn_leave(call, MICA_E_USAGE,
                        "mica_defer(\"%s\") needs a tool that was called by a "
                        "client",
                        namez);
    frame = call->turn->state->frame;
    if (frame->is_body)
        mica_turn_leave(call, MICA_E_USAGE,
                        "mica_defer(\"%s\") stands in a phase or a step, which "
                        "does not run again; it belongs in the handler or in "
                        "`client`, which name their clean-ups each turn",
                        namez);
    one = mica_alloc(call, sizeof *one);
    one->key = mica_frame_key(frame, &frame->effects, mica_text(namez));
    one->effect = mica_format(call, "%.*s/%.*s", MICA_ARG(call->turn->id),
                              MICA_ARG(one->key));
    one->function = clean;
    one->data = data;
    one->next = frame->cleans;
    frame->cleans = one;
}

// ---- Run -------------------------------------------------------------------------

static bool
is_cleaned(const struct mica_journal *journal, uint32_t scope,
           struct mica_text key)
{
    for (uint32_t i = 0; i < journal->count; i++) {
        const struct mica_entry *entry = &journal->entries[i];
        if (entry->kind == MICA_ENTRY_CLEANED && entry->scope == scope &&
            mica_text_equal(entry->key, key))
            return true;
    }
    return false;
}

// Finds the scope of a clean-up that has recorded something before it was interrupted.
static void
find_scope(const struct mica_journal *journal, struct mica_frame *body,
           struct mica_text key)
{
    for (uint32_t i = 0; i < journal->count; i++) {
        const struct mica_entry *entry = &journal->entries[i];
        if (entry->kind == MICA_ENTRY_SCOPE &&
            entry->scope == body->outer->scope &&
            mica_text_equal(entry->key, key)) {
            body->scope = entry->number;
            body->has_scope = true;
            body->cursor = i + 1;
        }
    }
}

static void
run_body(struct mica_call *call, void *data)
{
    const struct mica_clean *clean = data;
    struct mica_frame body = mica_frame_body(call, clean->key);

    find_scope(call->turn->journal, &body, clean->key);
    body.effect = clean->effect;
    call->turn->state->frame = &body;
    clean->function((struct mica_server_call *)call, clean->data);
}

// Runs a clean-up, and commits that it has run. If the journal is full, it runs anyway.
static void
run_clean(struct mica_turn *turn, struct mica_frame *frame,
          struct mica_clean *clean)
{
    struct mica_call *call = frame->call;
    struct mica_entry cleaned = {
        .kind = MICA_ENTRY_CLEANED, .scope = frame->scope, .key = clean->key};

    mica_call_guard(call, run_body, clean);
    call->arena->overflow = false;
    turn->state->frame = frame;
    if (turn->state->lost)
        return;
    // An error in a clean-up does not change the result of the call.
    turn->state->fault.status = MICA_OK;
    call->stopped = false;
    (void)mica_turn_record_reported(call);
    if (mica_journal_add(turn->journal, &cleaned, NULL) == MICA_OK)
        (void)mica_turn_commit(call);
    if (!turn->state->lost)
        turn->state->fault.status = MICA_OK;
}

void
mica_frame_clean(struct mica_turn *turn, struct mica_frame *frame)
{
    struct mica_turn_state *state = turn->state;
    struct mica_call *call = frame->call;
    struct mica_error fault = state->fault, error = call->error;
    struct mica_result result = call->result;
    struct mica_arena *arena = call->arena;
    size_t cap = arena->cap;
    bool overflow = arena->overflow;

    if (frame->cleans == NULL)
        return;
    // A call that ended because memory ran out runs its clean-ups too.
    arena->cap += CLEAN_BYTES;
    arena->overflow = false;
    for (struct mica_clean *clean = frame->cleans;
         clean != NULL && !state->lost; clean = clean->next) {
        if (is_cleaned(turn->journal, frame->scope, clean->key))
            continue;
        state->fault.status = MICA_OK;
        call->stopped = false;
        run_clean(turn, frame, clean);
    }
    arena->cap = arena->used > cap ? arena->used : cap;
    arena->overflow = overflow;
    if (!state->lost)
        state->fault = fault;
    call->stopped = state->fault.status != MICA_OK;
    call->result = result;
    if (result.last != NULL)
        result.last->next = NULL; // a clean-up adds no content
    call->error = error;
}
