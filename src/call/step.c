// SPDX-License-Identifier: Apache-2.0
//
// Steps, and what a handler gets inside a turn: idempotency keys, services, the time and
// random numbers.
#include <string.h>

#include "call/turn_state.h"

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

    // A handler that continues after its suspension gets no service (TURN-1).
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
    if (!mica_frame_recorded(call, entry, &number))
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
