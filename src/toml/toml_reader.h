// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the TOML reader share.
#ifndef MICA_TOML_TOML_READER_H
#define MICA_TOML_TOML_READER_H

#include "toml/toml.h"

// One reading. `at` is the next byte; the text is valid UTF-8.
struct mica_toml_reader {
    struct mica_arena *arena;
    struct mica_error *error;
    struct mica_text text;
    const char *at, *end;
    unsigned depth;
    size_t values;
};

// mica_toml_fault for the byte that `at` points to.
enum mica_status mica_toml_reader_fault(const struct mica_toml_reader *reader,
                                        enum mica_status status, const char *at,
                                        const char *formatz, ...)
    MICA_PRINTF(4, 5);

// The same for the next byte: what was expected, and what stands there.
enum mica_status
mica_toml_reader_expected(const struct mica_toml_reader *reader,
                          const char *thatz);

// ---- Space ---------------------------------------------------------------------

// Is the next byte that one? False at the end.
static inline bool
mica_toml_sees(const struct mica_toml_reader *reader, char byte)
{
    return reader->at < reader->end && *reader->at == byte;
}

// Do the next bytes read so?
bool mica_toml_sees_text(const struct mica_toml_reader *reader,
                         struct mica_text text);

// Past blanks and tabs.
void mica_toml_skip_blanks(struct mica_toml_reader *reader);

// Past blanks, and a comment if there is one, up to the end of the line.
enum mica_status mica_toml_skip_comment(struct mica_toml_reader *reader)
    MICA_MUST_USE;

// Past the end of a line, LF or CRLF. False where the line has more.
bool mica_toml_skip_newline(struct mica_toml_reader *reader);

// Past all blanks, ends of lines and comments.
enum mica_status mica_toml_skip_lines(struct mica_toml_reader *reader)
    MICA_MUST_USE;

// ---- Values ----------------------------------------------------------------------

// A new value in the arena. Errors: MICA_E_LIMIT.
enum mica_status mica_toml_value_make(struct mica_toml_reader *reader,
                                      enum mica_toml_kind kind, const char *at,
                                      struct mica_toml **value_out)
    MICA_MUST_USE;

// Adds a member of a table, or an item of an array.
void mica_toml_value_append(struct mica_toml *to, struct mica_toml *value);

// The text in quotes on which the reader stands. `lines`: it may be one of three
// quotes, which has several lines.
enum mica_status mica_toml_read_text(struct mica_toml_reader *reader,
                                     bool lines, struct mica_text *text_out)
    MICA_MUST_USE;

// A value without quotes and brackets: a number, true or false.
enum mica_status mica_toml_read_word(struct mica_toml_reader *reader,
                                     struct mica_toml **value_out)
    MICA_MUST_USE;

// Any value.
enum mica_status mica_toml_read_value(struct mica_toml_reader *reader,
                                      struct mica_toml **value_out)
    MICA_MUST_USE;

// `key = value` into a table. Errors: also MICA_E_DUPLICATE.
enum mica_status mica_toml_read_pair(struct mica_toml_reader *reader,
                                     struct mica_toml *table) MICA_MUST_USE;

// ---- Keys ------------------------------------------------------------------------

// A key with its parts, in the order of the text.
struct mica_toml_key {
    struct mica_text parts[MICA_TOML_DEPTH];
    const char *at[MICA_TOML_DEPTH]; // where each begins
    size_t count;
};

enum mica_status mica_toml_read_key(struct mica_toml_reader *reader,
                                    struct mica_toml_key *key_out)
    MICA_MUST_USE;

// Adds `value` to the table by the name of that part of the key.
void mica_toml_table_add(struct mica_toml_reader *reader,
                         struct mica_toml *table,
                         const struct mica_toml_key *key, size_t part,
                         struct mica_toml *value);

// Adds a table by that name; with MICA_TOML_LISTED an array of tables.
enum mica_status
mica_toml_table_make(struct mica_toml_reader *reader, struct mica_toml *table,
                     const struct mica_toml_key *key, size_t part,
                     enum mica_toml_origin origin, struct mica_toml **made_out)
    MICA_MUST_USE;

// Says that the name of that part has a value already. Always MICA_E_DUPLICATE.
enum mica_status mica_toml_key_taken(const struct mica_toml_reader *reader,
                                     const struct mica_toml_key *key,
                                     size_t part,
                                     const struct mica_toml *taken);

#endif
