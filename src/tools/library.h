// SPDX-License-Identifier: Apache-2.0
//
// A shared object with one tool: opened, recognized, and kept as long as anything
// may run its code. What the file can do is everything; who may have written it is
// asked before (sandbox/trust.h, sandbox/seal.h).
#ifndef MICA_TOOLS_LIBRARY_H
#define MICA_TOOLS_LIBRARY_H

#include "registry/catalog.h"
#include "sandbox/trust.h"
#include "server/server.h"

enum {
    MICA_TOOL_NAME_LENGTH = MICA_NAME_LENGTH
};

// Old builds of a tool lie there, below the folder of the built tools, each as
// <name>-<sha256>.so.
#define MICA_VERSIONS_DIR ".versions"

// The symbol of the document of the tool's view, which ends with a NUL byte. That of the
// view number N of its forms, from 1 on, has "_N" behind it.
#define MICA_TOOL_DOCUMENT "mica_tool_view_document"

struct mica_tool_library {
    atomic_uint references;
    void *handle;
    char sha256[MICA_SHA256_SIZE];
    const struct mica_tool_module *module;
    struct mica_tool tool; // of the module; what its ABI did not have is zero
    const char *form_documents[MICA_FORM_VIEWS_MOST]; // NULL: it holds none
};

// Can a tool have that name (MCP), and a file?
bool mica_tool_name_valid(struct mica_text name);

// Where the seal of an object lies: <folder>/<file>.seal.
struct mica_tool_seal {
    const char *folder, *file;
};

// Loads the object behind the descriptor `file`, which stays the caller's and may be
// closed then; its tool has to have that name. `path` is for messages. `seal` is NULL
// where none is asked for. What is loaded is what was hashed. Errors: MICA_E_IO (the
// linker's words), MICA_E_TRUST (this user has not built it), MICA_E_USAGE (not a
// tool, of another name, or for another mica), MICA_E_LIMIT.
enum mica_status mica_tool_library_open(int file, const char *path,
                                        const char *name,
                                        const struct mica_tool_seal *seal,
                                        struct mica_error *error,
                                        struct mica_tool_library **library_out)
    MICA_MUST_USE;

void mica_tool_library_hold(struct mica_tool_library *library);
void mica_tool_library_drop(struct mica_tool_library *library);

// The definition of its tool, which holds the library from here on. The caller
// holds the definition. Errors: MICA_E_USAGE (what the author wrote is wrong),
// MICA_E_LIMIT.
enum mica_status
mica_tool_library_define(struct mica_tool_library *library,
                         struct mica_error *error,
                         struct mica_definition **definition_out) MICA_MUST_USE;

#endif
