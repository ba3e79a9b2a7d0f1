// SPDX-License-Identifier: Apache-2.0
//
// Which engine or tool a word means. People write its name, with either dash, or
// its file: greet_people, greet-people, tools/greet_people.c, ./tools/greet_people.
// For every command that takes one.
#ifndef MICA_CLI_FIND_H
#define MICA_CLI_FIND_H

#include "cli/project.h"

struct mica_found {
    const struct mica_source_kind *kind;
    const char *name; // "greet_people"
    const char *path; // "tools/greet_people.c"; elsewhere as it was written
    bool here;        // a source of ./engines or ./tools
};

// A source. The file of a tool's tests means the tool. In the arena. Errors:
// MICA_E_NOT_FOUND, with the nearest; MICA_E_USAGE (a name that may be one or the
// other, a file that is no source of either kind).
enum mica_status mica_find_source(struct mica_cli *cli, const char *word,
                                  struct mica_error *error,
                                  struct mica_found *found_out) MICA_MUST_USE;

// The same, and it is one of this folder. Errors: also MICA_E_USAGE.
enum mica_status mica_find_here(struct mica_cli *cli, const char *word,
                                struct mica_error *error,
                                struct mica_found *found_out) MICA_MUST_USE;

// One of `names`, as of tools that are built; a file that is there means its name.
// Errors: as above.
enum mica_status mica_find_name(struct mica_cli *cli, const char *word,
                                const struct mica_text *names, size_t count,
                                struct mica_error *error, size_t *index_out)
    MICA_MUST_USE;

#endif
