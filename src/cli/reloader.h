// SPDX-License-Identifier: Apache-2.0
//
// While a command serves, the engines and tools it serves are kept in step with
// what it took them from: built folders that were named, or the sources of this
// folder, which are built again when they change.
#ifndef MICA_CLI_RELOADER_H
#define MICA_CLI_RELOADER_H

#include "cli/cli.h"
#include "cli/options.h"
#include "server/server.h"

struct mica_reloader;

// How a build of a source has ended. All is borrowed.
struct mica_developed {
    const char *noun, *name; // "engine" or "tool", and which
    enum mica_status status;
    const struct mica_error *error;
    struct mica_text diagnostics; // the compiler's words
    int64_t took_ms;
};

// For `mica dev`, where the tools that are served are written: what does not build is left out
// instead of ending the command, and builds are quick ones.
struct mica_developer {
    struct mica_development development; // for open pages
    // The server that there is now, or with NULL: is no more.
    void (*serves)(void *data, struct mica_server *server);
    // After each build, before its tool is swapped; then once more when all tools
    // are. On the watcher's thread.
    void (*built)(void *data, const struct mica_developed *developed);
    void (*swapped)(void *data);
    void *data;
};

// Begins; nothing to do (NULL) when the engines are those inside mica. Notes go
// to stderr.
enum mica_status mica_reloader_start(const struct mica_cli *cli,
                                     const struct mica_options *options,
                                     struct mica_server *server,
                                     struct mica_error *error,
                                     struct mica_reloader **reloader_out)
    MICA_MUST_USE;

// Waits for a build that runs. NULL is allowed.
void mica_reloader_stop(struct mica_reloader **reloader);

#endif
