// SPDX-License-Identifier: Apache-2.0
//
// How a turn begins and ends: the handler runs once from its top; then it is
// suspended, or it has ended and its clean-ups have run.
#include "call/turn.h"

#include "call/turn_state.h"

// ---- One handler -----------------------------------------------------------------

// An entry that is left over, behind the last that the handler reached, and that
// belongs to no clean-up.
static bool
left_over(const struct mica_turn *turn, struct mica_frame *frame,
          uint32_t *number_out)
{
    while (mica_frame_next(turn, frame, number_out)) {
        const struct mica_entry *entry = &turn->journal->entries[*number_out];
        const struct mica_clean *clean = frame->cleans;
        while (clean != NULL && !mica_text_equal(clean->key, entry->key))
            clean = clean->next;
        if (entry->kind != MICA_ENTRY_CHILD || clean == NULL)
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

// A fault outdoes what the handler said.
static void
take_fault(struct mica_turn *turn, struct mica_frame *frame)
{
    const struct mica_error *fault = &turn->state->fault;

    if (fault->status == MICA_OK)
        return;
    frame->suspended = false;
    frame->call->error = *fault;
    frame->call->result.content = frame->call->result.last = NULL;
    mica_call_fail_error(frame->call);
}

// What it says may need more memory than the handler has left.
static void
say_left_over(struct mica_call *call, void *data)
{
    const uint32_t *number = data;

    mica_turn_diverge(call, *number, NULL);
}

static bool
is_given_up(const struct mica_turn *turn, const struct mica_frame *frame)
{
    const struct mica_call *call = frame->call;

    return frame->outer == NULL && turn->repeats && call->cancelled != NULL &&
           atomic_load_explicit(call->cancelled, memory_order_relaxed) &&
           call->result.status != MICA_OK;
}

void
mica_frame_run(struct mica_turn *turn, struct mica_frame *frame,
               const struct mica_runnable *runnable, struct mica_text arguments)
{
    struct mica_turn_state *state = turn->state;
    struct mica_call *call = frame->call;
    uint32_t number;

    state->frame = frame;
    runnable->run(runnable, call, arguments);
    state->frame = frame; // the handler may have been left from inside a step
    if (call->arena->overflow)
        frame->suspended = false; // what it asked for is not whole
    if (is_given_up(turn, frame))
        frame->suspended = true;
    if (state->fault.status == MICA_OK && !frame->suspended &&
        call->result.status == MICA_OK && left_over(turn, frame, &number))
        mica_call_guard(call, say_left_over, &number);
    take_fault(turn, frame);
    if (frame->suspended) {
        end_suspended(turn, frame);
    } else {
        mica_frame_clean(turn, frame);
    }
    take_fault(turn, frame);
    state->frame = frame->outer;
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
forget_asked(struct mica_turn *turn)
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

// Leaves out what was answered after it had been asked: of a tool that was
// cancelled by another.
static void
drop_answered(struct mica_turn *turn)
{
    struct mica_asked *asked = turn->asked;

    forget_asked(turn);
    while (asked != NULL) {
        struct mica_asked *next = asked->next;
        asked->next = NULL;
        if (turn->journal->entries[asked->number].answer == 0)
            mica_turn_add_asked(turn, asked);
        asked = next;
    }
}

// Records the end of a call of which something is recorded already.
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
    // It is an end all the same, should its result be too large to be kept; and
    // a full journal shows by itself that its call did not continue.
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
    state->root->over = turn->ending;
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
                              .limit_ms = turn->limit_ms,
                              .tool = turn->tool};
    struct mica_turn_state state = {.frame = &root, .root = &root};

    turn->suspended = false;
    turn->detached = false;
    forget_asked(turn);
    turn->missing = 0;
    turn->cleans = 0;
    turn->state = &state;
    call->turn = turn;
    if (turn->tool != NULL)
        root.name = mica_text(turn->tool->name);
    turn_begin(turn, call);
    mica_frame_run(turn, &root, runnable, arguments);
    turn->suspended = root.suspended;
    drop_answered(turn);
    if (!root.suspended)
        forget_asked(turn);
    if (!root.suspended && !state.lost)
        record_end(turn, call);
    turn->state = NULL;
    call->turn = NULL;
    call->stopped = false;
}
