// SPDX-License-Identifier: Apache-2.0
//
// Objects whose first members are the same each time: they are put as one text.
#ifndef MICA_JSON_FIXED_H
#define MICA_JSON_FIXED_H

#include <mica/json.h>

// Opens an object. `start` is its JSON as far as it is known, without the closing
// bracket: {"type":"text". mica_json_close_object closes it.
static inline void
mica_json_open_with(struct mica_json_writer *writer, struct mica_text start)
{
    mica_json_raw(writer, start);
    writer->depth++;
}

#endif
