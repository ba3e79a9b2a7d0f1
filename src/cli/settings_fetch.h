// SPDX-License-Identifier: Apache-2.0
//
// The table [fetch] of mica.toml: where the tools of a project may send requests
// (mica/fetch.h). It has no flags and no variables: the file alone allows.
#ifndef MICA_CLI_SETTINGS_FETCH_H
#define MICA_CLI_SETTINGS_FETCH_H

#include "cli/cli.h"
#include "toml/toml.h"

struct mica_fetch_settings {
    struct mica_fetch_options options;
    size_t line; // of the file
};

// Reads and checks the table. In the arena. Errors: as mica_settings_read.
enum mica_status
mica_fetch_settings_read(struct mica_cli *cli, const struct mica_toml *table,
                         struct mica_text text, struct mica_error *error,
                         const struct mica_fetch_settings **settings_out)
    MICA_MUST_USE;

#endif
