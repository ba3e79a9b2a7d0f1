// SPDX-License-Identifier: Apache-2.0
//
// A command that speaks for the model: the params of sampling/createMessage on its
// stdin as JSON, its words on stdout, what it complains of on ours.
#ifndef MICA_SERVE_SAMPLING_COMMAND_H
#define MICA_SERVE_SAMPLING_COMMAND_H

#include "server/server.h"

struct mica_sampling_command {
    const char *command; // for /bin/sh
    int stop;            // readable when `stopped` may have changed; or -1
    bool (*stopped)(const void *data); // no client waits any more
    const void *data;
    uint32_t limit_ms; // or 0
};

// Its words, without line ends behind them, in `arena`. Errors: MICA_E_CLIENT (it
// failed, printed too much or no UTF-8, or cannot be started), MICA_E_TIMEOUT,
// MICA_E_CANCELLED; then it has been ended.
enum mica_status
mica_sampling_command_run(const struct mica_sampling_command *sampling_command,
                          struct mica_text params, struct mica_arena *arena,
                          struct mica_error *error, struct mica_text *words_out)
    MICA_MUST_USE;

// The same for mica_server.model_provider; `command` is borrowed.
struct mica_model_provider mica_sampling_command_provider(const char *command);

#endif
