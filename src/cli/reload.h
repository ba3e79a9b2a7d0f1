// SPDX-License-Identifier: Apache-2.0
//
// While a command serves, the engines and tools it serves are kept in step with
// what it took them from: built folders that were named, or the sources of this
// folder, which are built again when they change.
#ifndef MICA_CLI_RELOAD_H
#define MICA_CLI_RELOAD_H

#include "cli/cli.h"
#include "cli/options.h"
#include "mcp/server.h"

struct mica_reloader;

// Begins; nothing to do (NULL) when the engines are those inside mica. Notes go
// to stderr.
enum mica_status mica_reloader_start(const struct mica_options *options,
                                     struct mica_server *server,
                                     struct mica_error *error,
                                     struct mica_reloader **reloader_out)
    MICA_MUST_USE;

// Waits for a build that runs. NULL is allowed.
void mica_reloader_stop(struct mica_reloader **reloader);

#endif
