// SPDX-License-Identifier: Apache-2.0
//
// Tools that a handler invokes, as they begin. Each is recorded as a CHILD with the
// version of its build and a digest of its arguments: when the handler runs
// again, that build continues, and other arguments are a divergence (T2).
#ifndef MICA_CALL_CHILD_H
#define MICA_CALL_CHILD_H

#include "call/turn_state.h"

struct mica_child {
    const struct mica_tool_runnable *tool; // NULL: it has ended before
    struct mica_text key, arguments;
    uint32_t scope, opened; // its CHILD
    unsigned cleans;        // that wait in it
};

// Enters or finds the children of one group, which are recorded together or not at all.
// Errors: MICA_E_NOT_FOUND, those of invalid arguments (the handler may
// continue); those of the turn, MICA_E_DIVERGED for a build that is gone and MICA_E_BUSY for
// one that is not there yet among them.
enum mica_status mica_children_begin(struct mica_call *call,
                                     const struct mica_invocation *invocations,
                                     struct mica_child *children, size_t count)
    MICA_MUST_USE;

#endif
