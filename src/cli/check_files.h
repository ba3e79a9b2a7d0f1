// SPDX-License-Identifier: Apache-2.0
//
// mica check of the files that a server offers beside the tools: those of prompts/, one by
// one, and the folder resources/ as a whole.
#ifndef MICA_CLI_CHECK_FILES_H
#define MICA_CLI_CHECK_FILES_H

#include "check/check_report.h"
#include "cli/cli.h"

// A file of prompts/, or the folder resources/.
struct mica_checked_file {
    const char *path; // "prompts/review.md", "resources"; in the arena
    struct mica_error
        error;     // why a server would not start; .status MICA_OK: it would
    unsigned line; // of the error; 0: of no line
};

// What there is in this folder, each read as a server does that is about to start;
// nothing outside of a project, which serves neither. In the arena of `cli`. Errors: those
// of mica_settings_apply (a store may lie in resources/), MICA_E_TRUST, MICA_E_IO,
// MICA_E_LIMIT.
enum mica_status mica_checked_files(struct mica_cli *cli,
                                    const struct mica_options *options,
                                    struct mica_error *error,
                                    const struct mica_checked_file **files_out,
                                    size_t *count_out) MICA_MUST_USE;

// The path that a word of the command means, "prompts/review.md" or "resources", also
// behind "./" and for a file below resources/; in the arena. NULL: it means something else.
const char *mica_checked_file_path(struct mica_cli *cli, const char *word);

// The finding of a file that is wrong. `report` has been initialized with its path.
void mica_check_file(const struct mica_checked_file *file,
                     struct mica_report *report);

#endif
