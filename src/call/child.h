// SPDX-License-Identifier: Apache-2.0
//
// Begins the tools that a handler invokes. The journal records each as a SCOPE with the
// version of its build and a digest of its arguments. When the handler runs again, that
// build continues, and other arguments are a divergence (TURN-2).
#ifndef MICA_CALL_CHILD_H
#define MICA_CALL_CHILD_H

#include "call/turn_state.h"

struct mica_child {
    // Set before it begins, for a tool that is invoked with JSON (call/invoke_json.h).
    // Empty and 0: as mica_invoke has it.
    struct mica_text given; // its arguments
    struct mica_text build; // the version of the tool that must run
    uint32_t most_ms;       // for the answer to an ask of it, at most

    const struct mica_tool_runnable *tool; // NULL: it ended in an earlier turn
    struct mica_text key, arguments;
    uint32_t scope, opened; // its scope; the number of the SCOPE entry
    unsigned cleans;        // its clean-ups that have not run
};

// Records the tools of one group, all or none, or finds them in the journal. Errors that
// the handler may catch: MICA_E_NOT_FOUND, those of invalid arguments. Errors that end the
// turn: MICA_E_DIVERGED (the build does not exist any more), MICA_E_BUSY (it is not built
// yet), and the others of a turn.
enum mica_status mica_children_begin(struct mica_call *call,
                                     const struct mica_invocation *invocations,
                                     struct mica_child *children, size_t count)
    MICA_MUST_USE;

#endif
