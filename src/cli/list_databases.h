// SPDX-License-Identifier: Apache-2.0
//
// mica store databases: what tools keep.
#ifndef MICA_CLI_LIST_DATABASES_H
#define MICA_CLI_LIST_DATABASES_H

#include "cli/cli.h"

// Prints the databases of the project, each with its size. Errors: those of
// mica_cli_project_keep_folder and mica_keep_list_databases.
enum mica_status mica_list_databases(struct mica_cli *cli,
                                     const struct mica_options *options,
                                     struct mica_error *error) MICA_MUST_USE;

#endif
