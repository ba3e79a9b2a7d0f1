// SPDX-License-Identifier: Apache-2.0
//
// mica_invoke for handlers inside mica that have no records: arguments and result are JSON.
#ifndef MICA_CALL_INVOKE_JSON_H
#define MICA_CALL_INVOKE_JSON_H

#include "call/turn.h"

struct mica_json_invocation {
    struct mica_text tool;
    struct mica_text version; // the build that must run; empty: the present one
    struct mica_text arguments; // a JSON object
    uint32_t
        limit_ms; // for the answer to an ask of the tool, at most; 0: the tool's
};

struct mica_json_result {
    struct mica_text structured; // JSON of its output; {} if it has none
    // The tool ended: an error is its own. Otherwise it could not begin.
    bool ended;
};

// Runs an engine or a tool inside this call, as mica_invoke does. If the tool fails, this
// returns its status, with its own code and message in call->error. Other errors:
// MICA_E_NOT_FOUND (no such tool, or not in that build), those of mica_invoke.
enum mica_status mica_invoke_json(struct mica_call *call,
                                  const struct mica_json_invocation *invocation,
                                  struct mica_json_result *result_out)
    MICA_MUST_USE;

#endif
