// SPDX-License-Identifier: Apache-2.0
//
// Pointers for messages: a name of a client may be of any length, and a place
// that is told is short.
#ifndef MICA_JSON_POINTER_H
#define MICA_JSON_POINTER_H

#include <mica/json.h>

// As mica_json_pointer_add; of a token longer than `most` bytes its beginning and
// "…".
void mica_json_pointer_add_cut(struct mica_buffer *pointer,
                               struct mica_text token, size_t most);

#endif
