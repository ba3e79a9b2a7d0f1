// SPDX-License-Identifier: Apache-2.0
//
// Programs that call tools, and where and how each keeps the servers it knows.
#ifndef MICA_CLI_CLIENTS_H
#define MICA_CLI_CLIENTS_H

#include "cli/cli.h"
#include "cli/edit.h"

struct mica_client_kind {
    const char *name;    // as one types it
    const char *title;   // as people know it
    const char *section; // of the servers in its configuration
    const struct mica_edit_format *format;
    // Of the user: behind a '~' the home, behind an '@' the folder of
    // configurations of this system; of a folder, or NULL where the client knows
    // none.
    const char *user, *project;
    // An environment variable that names the folder of the user's file, and the
    // file's name in it; or NULL.
    const char *folder_variable, *folder_file;
    const char *url;  // the member that has an address; NULL: takes none
    const char *type; // of a server by address, as its "type"; or NULL
    bool typed;       // a server that is started has "type": "stdio"
    const char *here; // what it puts in the place of its own folder; or NULL
};

extern const struct mica_client_kind
    mica_client_kinds[]; // ends with a NULL name

// The names, as "a, b or c".
#define MICA_CLIENT_NAMES \
    "claude-desktop, claude-code, vscode, cursor, codex or gemini"

// NULL: no client has that name.
const struct mica_client_kind *mica_client_find(const char *namez);

// Where its configuration is, in the arena. Errors: MICA_E_USAGE (no home; the
// client has no configuration of folders).
enum mica_status mica_client_path(struct mica_cli *cli,
                                  const struct mica_client_kind *client,
                                  bool project, struct mica_error *error,
                                  const char **path_out) MICA_MUST_USE;

// How a server is reached: started, or at an address.
struct mica_client_server {
    const char *command;
    const char *const *args; // NULL-ended
    const char *url;         // or NULL
};

// The entry of a server as that client's configuration has it. `old` is the one that
// it takes the place of, or empty: of it stays what mica does not write. Errors:
// MICA_E_USAGE (an address, and the client takes none).
enum mica_status
mica_client_entry(struct mica_cli *cli, const struct mica_client_kind *client,
                  const struct mica_client_server *server, struct mica_text old,
                  struct mica_error *error, struct mica_text *entry_out)
    MICA_MUST_USE;

#endif
