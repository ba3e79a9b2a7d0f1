// SPDX-License-Identifier: Apache-2.0
//
// Reads TOML 1.0.0 (toml.io) without dates and times: all else that the language allows,
// and nothing more. Each value has its place in the text, so that a caller that refuses
// a key can name line and column.
#ifndef MICA_TOML_TOML_H
#define MICA_TOML_TOML_H

#include <mica/base.h>

enum {
    MICA_TOML_BYTES = 256 << 10, // of a text
    MICA_TOML_DEPTH = 32,        // parts of a key, and values inside each other
    MICA_TOML_VALUES = 8192      // of a text, tables included
};

enum mica_toml_kind {
    MICA_TOML_STRING,
    MICA_TOML_INTEGER,
    MICA_TOML_FLOAT,
    MICA_TOML_BOOLEAN,
    MICA_TOML_ARRAY,
    MICA_TOML_TABLE
};

// How a table or an array came to be, which says what may still be added to it.
enum mica_toml_origin {
    MICA_TOML_CLOSED,  // no table, or one that is written in braces
    MICA_TOML_IMPLIED, // a table above one that has a header: [a] of [a.b]
    MICA_TOML_HEADER,  // a table with a header of its own
    MICA_TOML_DOTTED,  // a table made by a dotted key: a of a.b = 1
    MICA_TOML_LISTED   // an array of tables, each with a header: [[a]]
};

struct mica_toml {
    enum mica_toml_kind kind;
    enum mica_toml_origin origin;
    struct mica_text name;      // of a member of a table
    size_t offset, name_offset; // bytes of the text before value and name
    struct mica_text text;      // STRING: decoded; INTEGER, FLOAT: as written
    int64_t integer;
    double number; // FLOAT; infinities and NaN are numbers of TOML
    bool boolean;
    size_t count; // ARRAY, TABLE
    struct mica_toml *items, *last, *next;
};

// Reads one whole text; the root is a table. On failure `error` has the status
// MICA_E_FORMAT, MICA_E_DUPLICATE or MICA_E_LIMIT and a message that begins with line
// and column. Owner: the value is in `arena`; `text` must outlive it.
enum mica_status mica_toml_read(struct mica_arena *arena, struct mica_text text,
                                struct mica_error *error,
                                struct mica_toml **root_out) MICA_MUST_USE;

// The member of that name; NULL without such a member, or if `table` is no table.
struct mica_toml *mica_toml_member(const struct mica_toml *table,
                                   struct mica_text name);

// "a text", "a whole number", "a number", "true or false", "a list" or "a table".
const char *mica_toml_kind_name(enum mica_toml_kind kind);

// Fills `error` (which may be NULL) with "line L, column C: …" for the byte at
// `offset`; columns count characters. Returns `status`.
enum mica_status mica_toml_fault(struct mica_error *error,
                                 enum mica_status status, struct mica_text text,
                                 size_t offset, const char *formatz, ...)
    MICA_PRINTF(5, 6);

// Puts "line L, column C: " before a message of elsewhere.
void mica_toml_locate(struct mica_error *error, struct mica_text text,
                      size_t offset);

// The line of a byte, from 1.
size_t mica_toml_line(struct mica_text text, size_t offset);

#endif
