// SPDX-License-Identifier: Apache-2.0
//
// One call of a module, from its arguments to its result: enter, run in a fresh
// instance, leave, judge how it ended, copy the result out, clean.
#include "sandbox/sandbox.h"

#include <string.h>

#include "sandbox/loaded_module.h"
#include "sandbox/outcome.h"
#include "sandbox/slot.h"
#include "sandbox/watchdog.h"

enum mica_status
mica_sandbox_start(struct mica_error *error)
{
    return mica_watchdog_start(error);
}

struct mica_sandbox_counters
mica_sandbox_counters(void)
{
    return mica_watchdog_counters();
}

// What is asked of the module.
struct request {
    const struct mica_translated *translated;
    struct mica_text arguments;
    struct mica_limits limits;
    const atomic_bool *cancelled;
};

// Puts the arguments where the module wants them. False when it has no room.
static bool
hand_over(struct mica_slot *slot, const struct mica_translated_code *code,
          struct mica_text arguments)
{
    if (arguments.len > UINT32_MAX)
        return false;
    uint32_t size = (uint32_t)arguments.len;
    uint32_t address = code->input(slot->instance, size);
    struct mica_memory *memory = code->memory(slot->instance);
    if (address == 0 || address > memory->size || size > memory->size - address)
        return false;
    mica_memory_widen(memory, address, size);
    if (size > 0)
        memcpy(memory->data + address, arguments.ptr, size);
    return true;
}

// Everything that runs the module's code. A trap comes back to the setjmp; what
// is known by then is in `ending`.
static void
run_inside(struct mica_slot *slot, const struct request *request,
           struct mica_ending *ending)
{
    const struct mica_translated_code *code = request->translated->code;
    slot->trap = MICA_TRAP_NONE;
    slot->memory = NULL;
    if (setjmp(slot->unwind) != 0)
        return;
    code->instantiate(slot->instance);
    ending->memory = code->memory(slot->instance);
    ending->exchange = code->exchange(slot->instance);
    if (!hand_over(slot, code, request->arguments)) {
        ending->refused = true;
        return;
    }
    (void)code->run(slot->instance, (uint32_t)request->arguments.len);
    ending->returned = true;
}

static void
sandbox_count(struct mica_slot *slot, enum mica_ended ended)
{
    mica_count(&slot->calls);
    switch (ended) {
    case MICA_ENDED_TRAP:
        mica_count(&slot->traps);
        break;
    case MICA_ENDED_LATE:
        mica_count(&slot->timeouts);
        break;
    case MICA_ENDED_LIMIT:
        mica_count(&slot->limits);
        break;
    case MICA_ENDED_CANCELLED:
        mica_count(&slot->cancellations);
        break;
    case MICA_ENDED_WELL:
        break;
    }
}

// A slot with room for the request, and the watchdog awake to it.
static struct mica_slot *
sandbox_prepare(const struct request *request)
{
    struct mica_slot *slot = mica_slot_mine();
    if (slot == NULL ||
        !mica_pool_reserve(&slot->pool, request->limits.memory_bytes))
        return NULL;
    // Not after a fork, until a call needs it.
    if (!mica_watchdog_runs() && mica_sandbox_start(NULL) != MICA_OK)
        return NULL;
    slot->memory_max = request->limits.memory_bytes / MICA_PAGE;
    return slot;
}

static void
sandbox_serve(const struct request *request, struct mica_call *call)
{
    const struct mica_translated *translated = request->translated;
    struct mica_ending ending = {.slug = translated->slug,
                                 .limits = request->limits};
    struct mica_slot *slot = sandbox_prepare(request);
    if (slot == NULL) {
        mica_outcome_fail(call, MICA_E_LIMIT,
                          "The system has no memory or thread left to run %s. "
                          "Try again later.",
                          translated->slug);
        return;
    }
    mica_slot_enter(slot, translated->stack_bytes, request->limits.time_ms,
                    request->cancelled);
    run_inside(slot, request, &ending);
    ending.stop = mica_slot_leave(slot);
    ending.trap = slot->trap;
    sandbox_count(slot, mica_outcome(&ending, call));
    mica_pool_clean(&slot->pool, slot->memory);
}

static size_t
output_limit(const struct mica_call *call,
             const struct mica_translated *translated)
{
    if (call->output_bytes > 0 && call->output_bytes < translated->output_bytes)
        return call->output_bytes;
    return translated->output_bytes;
}

void
mica_sandbox_run(struct mica_module *module, struct mica_call *call,
                 struct mica_text arguments)
{
    const struct mica_translated *translated = module->translated;
    struct request request = {
        .translated = translated,
        .arguments = arguments,
        .limits = {.time_ms = call->budget_ms > 0 ? call->budget_ms
                                                  : translated->time_ms,
                   .memory_bytes = translated->memory_bytes,
                   .output_bytes = output_limit(call, translated)},
        .cancelled = call->cancelled};
    if (call->cancelled != NULL && atomic_load(call->cancelled)) {
        mica_outcome_fail(call, MICA_E_CANCELLED,
                          "The call of %s was cancelled before it began.",
                          translated->slug);
        return;
    }
    sandbox_serve(&request, call);
}
