// SPDX-License-Identifier: Apache-2.0
//
// Makes an input that shows a fault smaller, as long as it shows it: members and
// items leave, texts get shorter, numbers nearer to zero.
#ifndef MICA_CHECK_SHRINK_H
#define MICA_CHECK_SHRINK_H

#include <mica/json.h>

// Does that input still show it?
typedef bool mica_shrink_test(void *data, struct mica_text input);

// The smallest input that was found with at most `tries` tests, in `arena`; `input`
// itself when it is no JSON.
struct mica_text mica_shrink(struct mica_arena *arena, struct mica_text input,
                             size_t tries, mica_shrink_test *test, void *data);

#endif
