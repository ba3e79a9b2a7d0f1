// SPDX-License-Identifier: Apache-2.0
//
// How wide a text is on a terminal, and how much of it fits: for lines that a terminal
// shows whole or cut, never wrapped.
#ifndef MICA_CLI_COLUMNS_H
#define MICA_CLI_COLUMNS_H

#include <mica/base.h>

// Columns that a terminal gives to valid UTF-8: 2 for a wide character of East Asian
// scripts and for an emoji, 0 for a combining mark, 1 for each other.
size_t mica_columns(struct mica_text text);

// Appends `text` if it fits into `most` columns; otherwise its beginning and "…", which
// together fit. `most` is at least 1.
void mica_columns_cut(struct mica_buffer *out, struct mica_text text,
                      size_t most);

// Appends `text` on one line: each run of blanks and ends of lines is one blank.
void mica_columns_line(struct mica_buffer *out, struct mica_text text);

#endif
