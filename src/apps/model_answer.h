// SPDX-License-Identifier: Apache-2.0
//
// What a language model has written.
#ifndef MICA_APPS_MODEL_ANSWER_H
#define MICA_APPS_MODEL_ANSWER_H

#include <mica/base.h>

// The part of an answer that is an object: a model may put it between sentences. Empty if
// the answer has none.
static inline struct mica_text
mica_model_answer_object(struct mica_text words)
{
    size_t from = 0, to = words.len;

    while (from < words.len && words.ptr[from] != '{')
        from++;
    while (to > from && words.ptr[to - 1] != '}')
        to--;
    return mica_text_slice(words, from, to);
}

#endif
