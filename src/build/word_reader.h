// SPDX-License-Identifier: Apache-2.0
//
// Reads the words of C where code is: what stands in comments and literals is left
// out. Preprocessor lines are code here.
#ifndef MICA_BUILD_WORD_READER_H
#define MICA_BUILD_WORD_READER_H

#include <mica/base.h>

struct mica_word_reader {
    struct mica_text text;
    size_t at;
    unsigned line; // 1 at the beginning
    bool defines;  // the word stands behind #define (typo_hint.c)
};

// The next word, of letters, digits and '_'. False at the end.
bool mica_word_next(struct mica_word_reader *reader,
                    struct mica_text *word_out);

// Moves behind a comment or a literal that begins here; false when none does.
bool mica_word_skip(struct mica_word_reader *reader);

// Whether the word just read is called: "name (", not a member.
bool mica_word_is_call(const struct mica_word_reader *reader,
                       struct mica_text word);

// Whether the word is one of these, with single spaces between.
bool mica_word_is_listed(const char *listz, struct mica_text word);

// The line where the first of those names, with single spaces between, is called, or
// else stands, but as the name of a header; 0 when nowhere.
unsigned mica_word_line(struct mica_text source, const char *namesz);

#endif
