// SPDX-License-Identifier: Apache-2.0
//
// Endpoints of mica.toml: each [endpoints.NAME] is a place beside /mcp with a path, words
// and some of the tools of its own. They have no flags and no variables.
#ifndef MICA_CLI_SETTINGS_ENDPOINTS_H
#define MICA_CLI_SETTINGS_ENDPOINTS_H

#include "cli/cli.h"
#include "toml/toml.h"

enum {
    MICA_ENDPOINT_SETTINGS = 64 // endpoints of a file
};

struct mica_endpoint_setting {
    const char *name, *path; // the name is also the end of its key
    const char *title, *description, *instructions; // or NULL
    const char *const *tools;                       // NULL-ended
    size_t line;                                    // of the file
};

struct mica_endpoint_settings {
    const struct mica_endpoint_setting *items;
    size_t count;
};

// Reads the table of that name. In the arena. Errors: as mica_settings_read.
enum mica_status
mica_endpoint_settings_read(struct mica_cli *cli, const struct mica_toml *table,
                            struct mica_text text, struct mica_error *error,
                            const struct mica_endpoint_settings **settings_out)
    MICA_MUST_USE;

// Publishes all of them with what the server offers now, in place of those from before.
// A tool that is not offered is left out, or with `all` is MICA_E_NOT_FOUND. From any
// thread, also while the server serves; NULL has no endpoints.
enum mica_status
mica_endpoint_settings_publish(const struct mica_endpoint_settings *settings,
                               struct mica_server *server, bool all,
                               struct mica_error *error) MICA_MUST_USE;

#endif
