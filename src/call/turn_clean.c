// SPDX-License-Identifier: Apache-2.0
//
// Clean-ups: the handler names them each time it runs; when the call has ended, this runs
// each once, the last one first (TURN-5).
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

// Lets the functions of <mica/tool.h> work again, after the handler or a clean-up has ended
// the turn with an error.
static void
allow_functions(struct mica_turn *turn, struct mica_call *call)
{
    turn->state->fault.status = MICA_OK;
    call->stopped = false;
}

// Records and commits that a clean-up has run. If the journal is full, nothing is recorded:
// the clean-up runs again if the turn does.
static void
record_cleaned(struct mica_turn *turn, const struct mica_frame *frame,
               struct mica_text key)
{
    struct mica_entry cleaned = {
        .kind = MICA_ENTRY_CLEANED, .scope = frame->scope, .key = key};

    (void)mica_turn_record_reported(frame->call);
    if (mica_journal_add(turn->journal, &cleaned, NULL) == MICA_OK)
        (void)mica_turn_commit(frame->call);
}

// Runs one clean-up. Its errors are ignored: they do not change the result of the call.
static void
run_clean(struct mica_turn *turn, struct mica_frame *frame,
          struct mica_clean *clean)
{
    struct mica_call *call = frame->call;

    allow_functions(turn, call);
    mica_call_guard(call, run_body, clean);
    call->arena->overflow = false;
    turn->state->frame = frame;
    if (turn->state->lost)
        return;
    allow_functions(turn, call);
    record_cleaned(turn, frame, clean->key);
}

// How the handler has ended. Clean-ups use the same call, and must not change that.
struct outcome {
    struct mica_error fault, error;
    struct mica_result result;
    size_t arena_cap;
    bool arena_overflow;
};

// Also gives the clean-ups memory: a call that ended because memory ran out runs them too.
static void
outcome_save(const struct mica_turn *turn, const struct mica_call *call,
             struct outcome *outcome_out)
{
    *outcome_out = (struct outcome){.fault = turn->state->fault,
                                    .error = call->error,
                                    .result = call->result,
                                    .arena_cap = call->arena->cap,
                                    .arena_overflow = call->arena->overflow};
    call->arena->cap += CLEAN_BYTES;
    call->arena->overflow = false;
}

// A commit that has failed meanwhile ends the turn instead.
static void
outcome_restore(const struct outcome *outcome, struct mica_turn *turn,
                struct mica_call *call)
{
    struct mica_arena *arena = call->arena;

    arena->cap =
        arena->used > outcome->arena_cap ? arena->used : outcome->arena_cap;
    arena->overflow = outcome->arena_overflow;
    if (!turn->state->lost)
        turn->state->fault = outcome->fault;
    call->stopped = turn->state->fault.status != MICA_OK;
    call->error = outcome->error;
    call->result = outcome->result;
    if (call->result.last != NULL)
        call->result.last->next = NULL; // a clean-up adds no content
}

void
mica_frame_clean(struct mica_turn *turn, struct mica_frame *frame)
{
    struct outcome outcome;

    if (frame->cleans == NULL)
        return;
    outcome_save(turn, frame->call, &outcome);
    for (struct mica_clean *clean = frame->cleans;
         clean != NULL && !turn->state->lost; clean = clean->next) {
        if (!is_cleaned(turn->journal, frame->scope, clean->key))
            run_clean(turn, frame, clean);
    }
    outcome_restore(&outcome, turn, frame->call);
}
