// SPDX-License-Identifier: Apache-2.0
//
// The text of a field that a command line takes from a file or from stdin.
#ifndef MICA_CLI_ARGUMENT_FILE_H
#define MICA_CLI_ARGUMENT_FILE_H

#include "cli/arguments.h"
#include "cli/cli.h"

enum {
    MICA_ARGUMENT_BYTES = 8 << 20 // of a file, of stdin, and of all arguments
};

// Reads files, pipes and stdin of the command. Errors: MICA_E_NOT_FOUND, MICA_E_USAGE (a
// folder, no name), MICA_E_IO, MICA_E_LIMIT.
struct mica_argument_files mica_argument_files_of(struct mica_cli *cli);

#endif
