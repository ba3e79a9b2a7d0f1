// SPDX-License-Identifier: Apache-2.0
//
// What the steps have in common whose effect a provider of the server runs: a fetch, and
// what a tool keeps. Each records the JSON of what its record reads of the answer.
#ifndef MICA_CALL_PROVIDER_STEP_H
#define MICA_CALL_PROVIDER_STEP_H

#include <mica/tool.h>

enum {
    MICA_TOOL_STEP_KEY_BYTES = 64 // of the key of such a step
};

// Is it UTF-8 of 1 to MICA_TOOL_STEP_KEY_BYTES bytes, without ' ', '/', '#' and control characters?
bool mica_step_key_valid(const char *keyz);

// Ends the turn, so that nothing is recorded: a turn that continues the call runs the step
// again. `whilez` is the end of "the call was cancelled while …".
enum mica_status mica_step_cancel(struct mica_call *call, const char *whilez);

// Gives the handler what was recorded of the step; empty: nothing. `nounz` names the kind
// of step in the message of MICA_E_DIVERGED, which ends the turn.
enum mica_status mica_step_give(struct mica_call *call, const char *nounz,
                                const char *keyz, struct mica_text json,
                                struct mica_into into);

#endif
