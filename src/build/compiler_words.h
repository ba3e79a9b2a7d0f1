// SPDX-License-Identifier: Apache-2.0
//
// What compilers say of an author's source, told once: messages of mica's own
// macros alone where there are some, else each error as the compiler words it.
#ifndef MICA_BUILD_COMPILER_WORDS_H
#define MICA_BUILD_COMPILER_WORDS_H

#include <mica/base.h>

// Appends what is worth reading of `printed` to `out`: "FILE:LINE:COLUMN: error: …",
// each once. If a static assertion of mica's headers failed, or a `has_` member is
// missing, only these are told, for other errors follow from them.
void mica_compiler_words(struct mica_text printed, struct mica_buffer *out);

// The first line of `source` that the words name, as "source:12: …"; 0 for none.
unsigned mica_compiler_line(struct mica_text words, struct mica_text source);

#endif
