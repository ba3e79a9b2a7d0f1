// SPDX-License-Identifier: Apache-2.0
//
// What people read of a field or a tool: its title, the unit that its name ends
// with, and the first sentence of words that were written for models. web/label.js
// has the same rules for results, and tests/browser/label.mjs compares the two.
#ifndef MICA_PAGE_LABEL_H
#define MICA_PAGE_LABEL_H

#include <mica/json.h>

// The title of the schema; without one the name in words: "first_payment" as
// "First payment", "tip_percent" as "Tip".
void mica_label_write(struct mica_buffer *out, const struct mica_json *schema,
                      struct mica_text name);

// The unit of a number that its name ends with, as people write it: "%" for
// "tip_percent"; empty without one.
struct mica_text mica_label_unit(struct mica_text name);

// The first sentence; all of the words where no other follows.
struct mica_text mica_label_sentence(struct mica_text words);

#endif
