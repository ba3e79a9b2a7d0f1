// SPDX-License-Identifier: Apache-2.0
//
// One server in the configuration of a client, put in or taken out. All else stays
// byte for byte: these files are kept by people. What cannot be read whole is
// refused, never guessed at.
#ifndef MICA_CLI_EDIT_H
#define MICA_CLI_EDIT_H

#include <mica/json.h>

// A configuration, and which server in it is meant. Borrowed.
struct mica_edit {
    const struct mica_edit_format *format;
    struct mica_arena *arena; // of all results
    struct mica_text text;    // of the file, or empty
    const char *section;      // of the servers, by their names
    const char *name;         // of A-Z a-z 0-9 _ and -
};

// Errors of all: MICA_E_JSON or MICA_E_FORMAT (the file is not what it should be;
// the message says where), MICA_E_TYPE (something else is in the place of the
// section), MICA_E_LIMIT.
struct mica_edit_format {
    // The entry as it is, or empty.
    enum mica_status (*find)(const struct mica_edit *edit,
                             struct mica_error *error,
                             struct mica_text *entry_out) MICA_MUST_USE;
    // The text with that entry, which takes the place of one of its name.
    enum mica_status (*put)(const struct mica_edit *edit,
                            struct mica_text entry, struct mica_error *error,
                            struct mica_text *text_out) MICA_MUST_USE;
    // The text without it.
    enum mica_status (*drop)(const struct mica_edit *edit,
                             struct mica_error *error,
                             struct mica_text *text_out) MICA_MUST_USE;
    // Of JSON: the client also takes // and /* */, and a comma behind the last of
    // several.
    bool comments, commas;
};

// JSON; an entry is a JSON object. Indented as the file is. The second with comments,
// the third with commas, too: they stay, but for those inside of an entry that is
// replaced.
extern const struct mica_edit_format mica_edit_json, mica_edit_json_comments,
    mica_edit_jsonc;

// TOML, of which an entry is the lines `command`, `args` and `url` of a table
// [SECTION.NAME]; other lines of that table, and tables inside of it, stay when the
// entry is replaced and go when it is dropped.
extern const struct mica_edit_format mica_edit_toml;

#endif
