// SPDX-License-Identifier: Apache-2.0
//
// Files of others that a command changes: read whole, then replaced whole or not at
// all, with the rights and the owner that they had.
#ifndef MICA_CLI_FILE_H
#define MICA_CLI_FILE_H

#include <sys/types.h>

#include "cli/cli.h"

enum {
    MICA_CLI_FILE_BYTES = 64 << 20 // of a file that is read
};

// A file as it was found. All in the arena.
struct mica_cli_file {
    const char *path; // where it is: behind links, if there is one
    bool there;
    mode_t mode;
    uid_t owner;
    gid_t group;
    struct mica_text text; // empty when it is not there
};

// Looks at a file, which need not be there, nor its folder. A link that leads
// nowhere, or to something else than a file, is refused. Errors: MICA_E_IO,
// MICA_E_LIMIT, MICA_E_USAGE.
enum mica_status mica_cli_file_look(struct mica_cli *cli, const char *path,
                                    struct mica_error *error,
                                    struct mica_cli_file *file_out)
    MICA_MUST_USE;

// Puts `text` in its place in one step: a reader meanwhile reads one or the
// other. A new file is for all to read, or for its owner alone where `secret`, in
// folders that are made. Nothing is done when it has changed since it
// was looked at. Errors: MICA_E_IO, MICA_E_EXISTS.
enum mica_status mica_cli_file_replace(struct mica_cli *cli,
                                       const struct mica_cli_file *file,
                                       struct mica_text text, bool secret,
                                       struct mica_error *error) MICA_MUST_USE;

// Makes a folder and those above it.
enum mica_status mica_cli_make_folders(const char *path, mode_t mode,
                                       struct mica_error *error) MICA_MUST_USE;

// A formatted text, NUL-terminated, in the arena; "" for want of memory.
const char *mica_cli_format(struct mica_cli *cli, const char *formatz, ...)
    MICA_PRINTF(2, 3);

#endif
