// SPDX-License-Identifier: Apache-2.0
//
// A command that answers samplings in place of a model: it reads the params of
// sampling/createMessage from stdin as JSON, and writes the answer to stdout. Its stderr is that
// of mica.
#ifndef MICA_SERVE_SAMPLING_COMMAND_H
#define MICA_SERVE_SAMPLING_COMMAND_H

#include "server/server.h"

struct mica_sampling_command {
    const char *command; // for /bin/sh
    int stop; // a descriptor that is readable when `stopped` may have changed; or -1
    bool (*stopped)(
        const void *data); // returns true when no client waits any more
    const void *data;
    uint32_t limit_ms; // 0: none
};

// Runs the command. Its answer, without line ends at the end, is in `arena`. Errors: MICA_E_CLIENT
// (it failed, printed too much or invalid UTF-8, or cannot be started); MICA_E_TIMEOUT and
// MICA_E_CANCELLED, after this has ended the command.
enum mica_status
mica_sampling_command_run(const struct mica_sampling_command *sampling_command,
                          struct mica_text params, struct mica_arena *arena,
                          struct mica_error *error, struct mica_text *words_out)
    MICA_MUST_USE;

// The command as a mica_server.model_provider; `command` is borrowed.
struct mica_model_provider mica_sampling_command_provider(const char *command);

#endif
