// SPDX-License-Identifier: Apache-2.0
//
// A tool in three phases, as a handler: `before` and `after` run once each and
// are recorded, `client` runs each turn. What one hands to the next goes by way
// of its record, the first time too, so that it is the same each time.
#include "call/turn_state.h"
#include "engine/run.h"

// The struct of a record, as JSON has it.
static enum mica_status
round_trip(struct mica_call *call, const struct mica_record *record, void *out)
{
    struct mica_text json;
    enum mica_status status =
        mica_turn_encode(call, (struct mica_from){record, out}, &json);

    if (status == MICA_OK)
        status = mica_turn_decode(call, json, (struct mica_into){record, out});
    if (status == MICA_OK) {
        call->error_is_from_operation = false;
        return MICA_OK;
    }
    return mica_turn_set_error(call, MICA_E_EXECUTION,
                               "what `client` chose breaks its own schema (%s)",
                               call->error.message);
}

struct before {
    mica_handler *run;
    const void *in;
};

static enum mica_status
run_before(struct mica_call *call, void *data, void *out)
{
    const struct before *before = data;

    return before->run(call, before->in, out);
}

struct after {
    const struct mica_phases *phases;
    const void *found, *choice;
};

static enum mica_status
run_after(struct mica_call *call, void *data, void *out)
{
    const struct after *after = data;

    return after->phases->after(call, after->found, after->choice, out);
}

static enum mica_status
run_phases(struct mica_call *call, const void *in, void *out)
{
    const struct mica_tool *tool = call->turn->state->frame->tool;
    const struct mica_phases *phases = tool->phases;
    void *found = mica_alloc(call, phases->found->size);
    void *choice = mica_alloc(call, phases->choice->size);
    struct before before = {phases->before, in};
    struct after after = {phases, found, choice};
    struct mica_effect effect = {MICA_ENTRY_PHASE,
                                 "before",
                                 run_before,
                                 &before,
                                 {phases->found, found}};

    MICA_TRY(mica_effect_run(call, &effect));
    MICA_TRY(phases->client(call, found, choice));
    // It has asked and not said so, or failed and not said so: settled later.
    if (call->stopped ||
        (call->error.status == MICA_FAILED && !call->error_is_from_operation))
        return MICA_OK;
    MICA_TRY(round_trip(call, phases->choice, choice));
    effect = (struct mica_effect){
        MICA_ENTRY_PHASE, "after", run_after, &after, {tool->output, out}};
    return mica_effect_run(call, &effect);
}

void
mica_phases_run(const struct mica_runnable *self, struct mica_call *call,
                struct mica_text arguments)
{
    const struct mica_tool *tool = self->data;

    if (!mica_turn_is_running(call)) {
        mica_call_fail(call, MICA_E_USAGE, "",
                       "the tool \"%s\" has phases; it can only be called by a "
                       "client",
                       tool->name);
        return;
    }
    call->turn->state->frame->tool = tool;
    mica_handler_run(call, tool->input, tool->output, run_phases, arguments);
}
