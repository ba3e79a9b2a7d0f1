// SPDX-License-Identifier: Apache-2.0
//
// Judges how a call of a module ended. Nothing the module left is believed
// before it has been checked: addresses, sizes, status, JSON.
#ifndef MICA_SANDBOX_OUTCOME_H
#define MICA_SANDBOX_OUTCOME_H

#include "sandbox/slot.h"

struct mica_limits {
    uint32_t time_ms, memory_bytes;
    size_t output_bytes;
};

// What the sandbox knows when the thread is out of the module again.
struct mica_ending {
    const char *slug;
    struct mica_limits limits;
    bool returned; // by itself, its result in the exchange
    bool refused;  // it had no room for the arguments
    enum mica_trap trap;
    enum mica_stop stop;
    const struct mica_memory *memory; // NULL: the instance was not made
    uint32_t exchange;                // address of its struct mica_exchange
};

enum mica_ended {
    MICA_ENDED_WELL, // with an output, or an error of the handler's own
    MICA_ENDED_TRAP,
    MICA_ENDED_LATE,
    MICA_ENDED_LIMIT,
    MICA_ENDED_CANCELLED
};

// Fills call->result, copying what it needs out of the module's memory.
enum mica_ended mica_outcome(const struct mica_ending *ending,
                             struct mica_call *call);

// Ends `call` with a failure, in call->error and call->result.
void mica_outcome_fail(struct mica_call *call, enum mica_status status,
                       const char *formatz, ...) MICA_PRINTF(3, 4);

#endif
