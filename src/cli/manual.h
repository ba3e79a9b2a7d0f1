// SPDX-License-Identifier: Apache-2.0
//
// Manual pages, written from the table of commands.
#ifndef MICA_CLI_MANUAL_H
#define MICA_CLI_MANUAL_H

#include "cli/cli.h"

// The page of a command, or of mica (NULL), to stdout; with a folder, mica.1 and the
// pages of all commands into it. Errors: MICA_E_IO, MICA_E_LIMIT.
enum mica_status mica_manual(struct mica_cli *cli,
                             const struct mica_command *command,
                             const char *folder, struct mica_error *error)
    MICA_MUST_USE;

// What the exit statuses mean, one line for each from 0 on, NULL-ended.
extern const char *const mica_cli_exits[];

#endif
