// SPDX-License-Identifier: Apache-2.0
//
// A whole project, for `mica new NAME --project`.
#ifndef MICA_CLI_NEW_PROJECT_H
#define MICA_CLI_NEW_PROJECT_H

#include "cli/cli.h"
#include "cli/options.h"

// Makes the folder of that name with all of the project, and prints the files.
// Errors: MICA_E_EXISTS (there is something of that name), MICA_E_IO, MICA_E_LIMIT.
enum mica_status mica_new_project(struct mica_cli *cli,
                                  const struct mica_options *options,
                                  const char *name, struct mica_error *error)
    MICA_MUST_USE;

// Writes compile_flags.txt of the project in this folder where it is missing and git leaves
// it out, as .gitignore of such a project says: in a clone it would be that of another
// machine. A line on stderr says so. What cannot be written is left: editors alone read it.
void mica_new_compile_flags(struct mica_cli *cli);

#endif
