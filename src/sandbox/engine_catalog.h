// SPDX-License-Identifier: Apache-2.0
//
// Engines of a server: those of a folder (mica_server_load_engines in
// mica/server.h) and those linked into the program. A module is opened at its
// first call and kept, so that a server starts without loading any.
#ifndef MICA_SANDBOX_ENGINE_CATALOG_H
#define MICA_SANDBOX_ENGINE_CATALOG_H

#include "sandbox/translated.h"
#include "sandbox/trust.h"
#include "server/server.h"

enum {
    MICA_SLUG_LENGTH = 64 // of an engine, at most
};

// Serves engines that are linked into the program. Owner: the table must
// outlive the server. Errors: MICA_E_EXISTS, MICA_E_USAGE.
enum mica_status mica_server_load_translated(
    struct mica_server *server, const struct mica_translated *const *engines,
    size_t count, struct mica_error *error) MICA_MUST_USE;

// Serves one built engine of a folder. Errors as mica_server_load_engines.
enum mica_status mica_server_load_engine(struct mica_server *server,
                                         const char *folder, const char *slug,
                                         struct mica_error *error)
    MICA_MUST_USE;

// As mica_server_load_engine, but calls run only what this user has built
// (sandbox/seal.h); others fail with MICA_E_TRUST. For folders that no option names.
enum mica_status
mica_server_load_own_engine(struct mica_server *server, const char *folder,
                            const char *slug, struct mica_error *error)
    MICA_MUST_USE;

// The same for several engines (NULL ends the list) of a folder that is checked
// once. `some`: what cannot be loaded is left out, for it will be built and loaded
// again; else it ends the call.
enum mica_status
mica_server_load_own_engines(struct mica_server *server, const char *folder,
                             const char *const *slugs, bool some,
                             struct mica_error *error) MICA_MUST_USE;

// The version of the manifest that an engine of a folder was read from: a thread that
// watches the folder sees by it what has changed since. False for other tools.
bool mica_engine_version(const struct mica_definition *definition,
                         struct mica_file_version *version_out);

// The slugs of all built engines of a folder in the order of the alphabet.
// Owner: free(). Errors: MICA_E_IO.
enum mica_status mica_engine_slugs(const char *folder, struct mica_error *error,
                                   char (**slugs_out)[MICA_SLUG_LENGTH + 1],
                                   size_t *count_out) MICA_MUST_USE;

// As mica_server_load_engine (`own`: _own_engine), in place of the tool of that
// name if there is one. While it serves, from any thread.
enum mica_status mica_server_reload_engine(struct mica_server *server,
                                           const char *folder, const char *slug,
                                           bool own, struct mica_error *error)
    MICA_MUST_USE;

#endif
