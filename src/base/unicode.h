// SPDX-License-Identifier: Apache-2.0
//
// Characters that a person reading a text does not see while a model does:
// zero-width and directional controls, tag characters, stray variation
// selectors, fillers; and words that mix alphabets whose letters look alike.
#ifndef MICA_BASE_UNICODE_H
#define MICA_BASE_UNICODE_H

#include <mica/base.h>

// The first hidden character of `text` (valid UTF-8) and its index in
// characters, from 0. 0: all are visible. A joiner or a variation selector
// inside an emoji is not hidden, nor are the tags of a flag.
uint32_t mica_hidden_find(struct mica_text text, size_t *index_out);

// The same for those hidden characters that carry words to a model, and that no
// writing needs: tags, overrides of direction, control characters, invisible
// operators, noncharacters, a selector behind no ideograph; and the third
// hidden character in a row, of whatever kind. Marks of direction, joiners and
// soft hyphens by themselves belong to many scripts.
uint32_t mica_covert_find(struct mica_text text, size_t *index_out);

// "zero-width space", "tag character", …
const char *mica_hidden_name(uint32_t code_point);

// The first word that mixes Latin letters with look-alikes of another alphabet.
bool mica_lookalike_find(struct mica_text text, struct mica_text *word_out,
                         uint32_t *letter_out);

#endif
