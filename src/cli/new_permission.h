// SPDX-License-Identifier: Apache-2.0
//
// What a new tool that fetches needs in mica.toml.
#ifndef MICA_CLI_NEW_PERMISSION_H
#define MICA_CLI_NEW_PERMISSION_H

#include "cli/cli.h"

// Writes a mica.toml that allows the origin of the template, in a folder that has none:
// *made_out is its path. A file of the user is not changed: a note on stderr says what it
// needs, unless it allows the origin, and *made_out is NULL. Errors: those of
// mica_new_write.
enum mica_status mica_new_permission(struct mica_cli *cli, const char *origin,
                                     struct mica_error *error,
                                     const char **made_out) MICA_MUST_USE;

#endif
