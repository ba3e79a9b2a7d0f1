// SPDX-License-Identifier: Apache-2.0
//
// What is the same each time is put as one text: names, and objects as far as their
// first members are known.
#ifndef MICA_JSON_FIXED_H
#define MICA_JSON_FIXED_H

#include <mica/json.h>

// A name as it is written, with its colon: "result":
static inline void
mica_json_name_with(struct mica_json_writer *writer, struct mica_text name)
{
    mica_json_raw(writer, name);
    writer->comma = false;
}

// Opens an object, or an array. `start` is its JSON as far as it is known, without the
// closing bracket: {"type":"text", and may have its name before it. The function that
// closes it is the usual one.
static inline void
mica_json_open_with(struct mica_json_writer *writer, struct mica_text start)
{
    mica_json_raw(writer, start);
    writer->depth++;
}

// As above, where `start` ends before a value: {"type":"text","text":, or "content":[
static inline void
mica_json_open_before(struct mica_json_writer *writer, struct mica_text start)
{
    mica_json_open_with(writer, start);
    writer->comma = false;
}

#endif
