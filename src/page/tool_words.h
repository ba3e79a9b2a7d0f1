// SPDX-License-Identifier: Apache-2.0
//
// What models and programs read of a tool, folded away below what people read.
#ifndef MICA_PAGE_TOOL_WORDS_H
#define MICA_PAGE_TOOL_WORDS_H

#include "page/site.h"

// The description as agents get it, and each field of input and output by its name,
// kind and words. The schemas are those of `tool`.
void mica_words_write(const struct mica_definition *tool,
                      const struct mica_json *input,
                      const struct mica_json *output, struct mica_buffer *out);

#endif
