// SPDX-License-Identifier: Apache-2.0
//
// Tools of a server that were built from tools/*.c: those of a folder as they are
// (mica_server_load_tools in mica/server.h), and as they were, for calls that began
// with an older build.
#ifndef MICA_TOOLS_TOOL_CATALOG_H
#define MICA_TOOLS_TOOL_CATALOG_H

#include "tools/library.h"

#include "server/server.h"

struct mica_tool_source {
    const char *folder; // of built tools
    bool own;           // only what this user has built (sandbox/seal.h)
    bool replace;       // the tool of that name, if there is one
    bool look;          // only to be looked at: its services stay closed
};

// Serves one built tool. Errors as mica_server_load_tools.
enum mica_status mica_server_load_tool(struct mica_server *server,
                                       const struct mica_tool_source *source,
                                       const char *name,
                                       struct mica_error *error) MICA_MUST_USE;

// A service whose folder is not there yet takes over the one that it has below
// `folder`, as mica_server_use_folder takes it: where it kept files before. After
// mica_server_use_folder.
void mica_server_inherit_services(struct mica_server *server,
                                  const char *folder);

// The names of all built tools of a folder in the order of the alphabet.
// Owner: free(). Errors: MICA_E_IO.
enum mica_status mica_tool_names(const char *folder, struct mica_error *error,
                                 char (**names_out)[MICA_TOOL_NAME_LENGTH + 1],
                                 size_t *count_out) MICA_MUST_USE;

#endif
