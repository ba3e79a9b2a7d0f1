// SPDX-License-Identifier: Apache-2.0
//
// Where the tools of a project keep what they keep (mica/keep.h).
#ifndef MICA_CLI_CLI_KEEP_H
#define MICA_CLI_CLI_KEEP_H

#include "cli/cli.h"
#include "cli/identity.h"

// For a command that runs tools.
#define MICA_KEEP_CLI_OPTIONS                                              \
    {"keep", MICA_OPTION_VALUE, "DIR",                                     \
     "where tools keep their databases (default: a folder of the project " \
     "beside its store)"},                                                 \
    {                                                                      \
        "keep-megabytes", MICA_OPTION_VALUE, "N",                          \
            "MiB of each of them, at most (default 256)"                   \
    }

// The absolute path of that folder; "": no folder.
enum mica_status mica_cli_keep_folder(const struct mica_options *options,
                                      const struct mica_identity *identity,
                                      struct mica_error *error,
                                      char out[PATH_MAX]) MICA_MUST_USE;

// The same for the project of this folder.
enum mica_status
mica_cli_project_keep_folder(const struct mica_options *options,
                             struct mica_error *error, char out[PATH_MAX])
    MICA_MUST_USE;

// Has the tools of the server keep things in --keep, or else beside the store of the
// project. A project without a folder of its own keeps nothing. Errors: as
// mica_server_use_keep, MICA_E_FORMAT (a number).
enum mica_status mica_cli_use_keep(const struct mica_options *options,
                                   const struct mica_identity *identity,
                                   struct mica_server *server,
                                   struct mica_error *error) MICA_MUST_USE;

#endif
