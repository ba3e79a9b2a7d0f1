// SPDX-License-Identifier: Apache-2.0
//
// Icons of a server: from words, or from the list in mica.toml, to what clients get. A
// file becomes a data: URI, since a client of stdio has no other way to it.
//
// Words name a source each, a path or an https:// address; "sizes=16x16,32x32",
// "type=image/png" and "theme=dark" behind it belong to it.
#ifndef MICA_CLI_SERVER_ICONS_H
#define MICA_CLI_SERVER_ICONS_H

#include "cli/cli.h"
#include "toml/toml.h"

enum {
    MICA_SERVER_ICONS = 8,
    MICA_SERVER_ICON_BYTES = 32 << 10 // of one file
};

// Is it a list of sources, or of tables {src, sizes, type, theme}? Paths stay inside the
// current folder. Errors: MICA_E_TYPE, MICA_E_UNKNOWN, MICA_E_FORMAT, MICA_E_LIMIT,
// MICA_E_TRUST; with line and column of `text`.
enum mica_status mica_server_icons_check(const struct mica_toml *list,
                                         struct mica_text text,
                                         struct mica_error *error)
    MICA_MUST_USE;

// The same list as words, in the arena.
const char *mica_server_icons_words(struct mica_cli *cli,
                                    const struct mica_toml *list);

// What words say, with the files read. In the arena. Errors: MICA_E_USAGE,
// MICA_E_LIMIT, those of mica_file_read.
enum mica_status mica_server_icons_load(struct mica_cli *cli, const char *words,
                                        struct mica_error *error,
                                        const struct mica_icon **icons_out,
                                        size_t *count_out) MICA_MUST_USE;

#endif
