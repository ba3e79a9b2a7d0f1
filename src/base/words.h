// SPDX-License-Identifier: Apache-2.0
//
// Texts that are words with spaces between them: scopes, sizes, audiences.
#ifndef MICA_BASE_WORDS_H
#define MICA_BASE_WORDS_H

#include <string.h>

#include <mica/base.h>

// Takes the next word off `*rest`. False at the end.
static inline bool
mica_words_next(struct mica_text *rest, struct mica_text *word_out)
{
    while (rest->len > 0) {
        const char *space = memchr(rest->ptr, ' ', rest->len);
        size_t size = space != NULL ? (size_t)(space - rest->ptr) : rest->len;
        *word_out = mica_text_slice(*rest, 0, size);
        *rest = mica_text_slice(*rest, size + 1, rest->len);
        if (size > 0)
            return true;
    }
    return false;
}

#endif
