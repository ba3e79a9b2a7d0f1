// SPDX-License-Identifier: Apache-2.0
//
// The text of an engine as the static rules read it: enough of C's lexical
// grammar to tell code from comments, literals and preprocessor lines, and to
// find words, calls and brackets. The compiler has the last word on the rest.
#ifndef MICA_CHECK_SOURCE_H
#define MICA_CHECK_SOURCE_H

#include <mica/base.h>

// `code` is as long as `text`, with comments, preprocessor lines and what is
// between quotes made blank (the quotes stay); newlines stay where they are. So
// an offset means the same in both. `lines` is `code` with the preprocessor lines
// kept.
struct mica_source {
    struct mica_text text, code, lines;
};

// Owner: `code` and `lines` are in `arena`; `text` must outlive it. All empty on
// overflow.
void mica_source_init(struct mica_source *source, struct mica_arena *arena,
                      struct mica_text text);

// Line and column (in bytes) of an offset, from 1.
unsigned mica_source_line(const struct mica_source *source, size_t offset);
unsigned mica_source_column(const struct mica_source *source, size_t offset);

// The offset of a line and column; the text's length when the line is too short.
size_t mica_source_offset(const struct mica_source *source, unsigned line,
                          unsigned column);

// The next identifier or keyword at or after *offset, as a span of `code`;
// *offset moves behind it. False at the end.
bool mica_source_word(const struct mica_source *source, size_t *offset,
                      struct mica_text *word_out);

// The offset of a span of `text` or `code`.
size_t mica_source_at(const struct mica_source *source, struct mica_text span);

// The first byte at or after `offset` that is no white space.
size_t mica_source_skip(const struct mica_source *source, size_t offset);

// The last byte before `offset` that is no white space; 0 at the beginning.
char mica_source_before(const struct mica_source *source, size_t offset);

// The offset behind the bracket that closes the one at `open`; the text's
// length when none does.
size_t mica_source_close(const struct mica_source *source, size_t open);

// The spans of `text` between the commas of a bracket that opens at `open`,
// without white space around them. Returns how many there are; fills `max` at
// most.
size_t mica_source_arguments(const struct mica_source *source, size_t open,
                             struct mica_text *arguments_out, size_t max);

// The next string literal inside `span`, from *at on (0 first): what is between
// its quotes, escapes as written. Literals side by side are joined in `arena`.
bool mica_source_literal(const struct mica_source *source,
                         struct mica_arena *arena, struct mica_text span,
                         size_t *at, struct mica_text *literal_out);

// True when `span` is nothing but string literals.
bool mica_source_is_literal(const struct mica_source *source,
                            struct mica_text span);

// The line where `wanted` first stands in the text, as written; 0 when nowhere.
unsigned mica_source_find(const struct mica_source *source,
                          struct mica_text wanted);

#endif
