// SPDX-License-Identifier: Apache-2.0
//
// Begins and ends a turn: runs the handler once from its top. Then the handler is
// suspended, or it has ended and this runs its clean-ups.
#include "call/turn.h"

#include "call/turn_state.h"

// ---- One handler -----------------------------------------------------------------

// Finds a journal entry after the last one that the handler has reached, which belongs
// to no clean-up: this time the handler has done less than before (TURN-2).
static bool
find_unreached_entry(const struct mica_turn *turn, struct mica_frame *frame,
                     uint32_t *number_out)
{
    while (mica_frame_next(turn, frame, number_out)) {
        const struct mica_entry *entry = &turn->journal->entries[*number_out];
        const struct mica_clean *clean = frame->cleans;
        while (clean != NULL && !mica_text_equal(clean->key, entry->key))
            clean = clean->next;
        if (entry->kind != MICA_ENTRY_SCOPE || clean == NULL)
            return true;
        frame->cursor = *number_out + 1;
    }
    return false;
}

static void
end_suspended(struct mica_turn *turn, struct mica_frame *frame)
{
    (void)mica_turn_record_reported(frame->call);
    for (const struct mica_clean *clean = frame->cleans; clean != NULL;
         clean = clean->next)
        turn->cleans++;
    frame->call->result = (struct mica_result){.status = MICA_SUSPENDED};
}

// A fault overrides the handler's result.
static void
apply_fault(struct mica_turn *turn, struct mica_frame *frame)
{
    const struct mica_error *fault = &turn->state->fault;

    if (fault->status == MICA_OK)
        return;
    frame->call->error = *fault;
    frame->call->result.content = frame->call->result.last = NULL;
    mica_call_fail_error(frame->call);
}

// Runs guarded: the message may need more memory than the handler has left.
static void
report_unreached_entry(struct mica_call *call, void *data)
{
    const uint32_t *number = data;

    mica_turn_diverge(call, *number, NULL);
}

// Was this request cancelled, and may the client send it again?
static bool
is_cancelled_request(const struct mica_turn *turn,
                     const struct mica_frame *frame)
{
    const struct mica_call *call = frame->call;

    return frame->outer == NULL && turn->may_repeat &&
           call->cancelled != NULL &&
           atomic_load_explicit(call->cancelled, memory_order_relaxed) &&
           call->result.status != MICA_OK;
}

// The handler has returned. Does it run again in a later turn?
static bool
is_suspended(const struct mica_turn *turn, const struct mica_frame *frame)
{
    if (turn->state->fault.status != MICA_OK)
        return false;
    if (is_cancelled_request(turn, frame))
        return true;
    // After an overflow the questions of the handler are not complete.
    return frame->waits && !frame->call->arena->overflow;
}

// TURN-2. A handler that has ended well must have reached all that it reached before.
static void
check_unreached_entries(struct mica_turn *turn, struct mica_frame *frame)
{
    uint32_t number;

    if (turn->state->fault.status == MICA_OK &&
        frame->call->result.status == MICA_OK &&
        find_unreached_entry(turn, frame, &number))
        mica_call_guard(frame->call, report_unreached_entry, &number);
}

bool
mica_frame_run(struct mica_turn *turn, struct mica_frame *frame,
               const struct mica_runnable *runnable, struct mica_text arguments)
{
    struct mica_turn_state *state = turn->state;
    bool suspends;

    state->frame = frame;
    runnable->run(runnable, frame->call, arguments);
    state->frame = frame; // the handler may have been left from inside a step
    suspends = is_suspended(turn, frame);
    if (!suspends)
        check_unreached_entries(turn, frame);
    apply_fault(turn, frame);
    if (suspends)
        end_suspended(turn, frame);
    else
        mica_frame_clean(turn, frame);
    apply_fault(turn, frame);
    state->frame = frame->outer;
    return suspends && state->fault.status == MICA_OK;
}

// ---- The whole turn --------------------------------------------------------------

static int64_t
last_notification(const struct mica_journal *journal)
{
    int64_t last = 0;

    for (uint32_t i = 0; i < journal->count; i++) {
        const struct mica_entry *entry = &journal->entries[i];
        if (entry->kind == MICA_ENTRY_REPORTED && entry->time > last)
            last = entry->time;
    }
    return last < UINT32_MAX ? last : UINT32_MAX;
}

static void
clear_asked(struct mica_turn *turn)
{
    turn->asked = turn->asked_last = NULL;
    turn->asked_count = 0;
}

void
mica_turn_add_asked(struct mica_turn *turn, struct mica_asked *asked)
{
    if (turn->asked_last == NULL)
        turn->asked = asked;
    else
        turn->asked_last->next = asked;
    turn->asked_last = asked;
    turn->asked_count++;
}

// Removes questions that were answered later in the same turn: another tool of the group
// has cancelled the tool that asked them.
static void
remove_answered(struct mica_turn *turn)
{
    struct mica_asked *asked = turn->asked;

    clear_asked(turn);
    while (asked != NULL) {
        struct mica_asked *next = asked->next;
        asked->next = NULL;
        if (turn->journal->entries[asked->number].answer == 0)
            mica_turn_add_asked(turn, asked);
        asked = next;
    }
}

// Records the end of a call whose journal is not empty.
static void
record_end(struct mica_turn *turn, const struct mica_call *call)
{
    struct mica_journal *journal = turn->journal;
    struct mica_entry end = {.kind = MICA_ENTRY_END,
                             .status = call->result.status};
    enum mica_status status;

    if (journal->count == 0 ||
        journal->entries[journal->count - 1].kind == MICA_ENTRY_END)
        return;
    end.data =
        end.status == MICA_OK ? call->result.structured : call->result.error;
    if (mica_journal_add(journal, &end, NULL) == MICA_OK)
        return;
    // The result is too large: record the end without it. If that fails too, the full
    // journal shows that the call did not continue.
    end.data = (struct mica_text){NULL, 0};
    status = mica_journal_add(journal, &end, NULL);
    (void)status;
}

static void
turn_begin(struct mica_turn *turn, struct mica_call *call)
{
    struct mica_turn_state *state = turn->state;
    struct mica_error error;

    call->notified = (uint32_t)last_notification(turn->journal);
    state->notified = call->notified;
    state->committed = turn->durable;
    state->root->recorded = mica_turn_reported(turn, 0);
    state->root->forced_status = turn->ending;
    if (turn->ending != MICA_OK &&
        mica_journal_close_asks(turn->journal, 0, turn->ending, &error) !=
            MICA_OK)
        (void)mica_turn_fault(call, &error);
}

void
mica_turn_run(struct mica_turn *turn, struct mica_call *call,
              const struct mica_runnable *runnable, struct mica_text arguments)
{
    struct mica_frame root = {.call = call,
                              .has_scope = true,
                              .steps = turn->steps,
                              .fetches = turn->fetches,
                              .keeps = turn->keeps,
                              .form_views = turn->form_views,
                              .limit_ms = turn->limit_ms,
                              .tool = turn->tool};
    struct mica_turn_state state = {.frame = &root, .root = &root};

    turn->suspended = false;
    turn->detached = false;
    clear_asked(turn);
    turn->missing = 0;
    turn->cleans = 0;
    turn->state = &state;
    call->turn = turn;
    if (turn->tool != NULL)
        root.name = mica_text(turn->tool->name);
    turn_begin(turn, call);
    turn->suspended = mica_frame_run(turn, &root, runnable, arguments);
    remove_answered(turn);
    if (!turn->suspended)
        clear_asked(turn);
    if (!turn->suspended && !state.lost)
        record_end(turn, call);
    turn->state = NULL;
    call->turn = NULL;
    call->stopped = false;
}
