// SPDX-License-Identifier: Apache-2.0
//
// Members that are left out when there is nothing to say.
#ifndef MICA_JSON_OPTIONAL_WRITER_H
#define MICA_JSON_OPTIONAL_WRITER_H

#include <mica/json.h>

static inline void
mica_json_optional_text(struct mica_json_writer *writer, const char *namez,
                        struct mica_text text)
{
    if (text.len > 0)
        mica_json_field(writer, namez, text);
}

static inline void
mica_json_optional_raw(struct mica_json_writer *writer, const char *namez,
                       struct mica_text json)
{
    if (json.len == 0)
        return;
    mica_json_name(writer, namez);
    mica_json_raw(writer, json);
}

// `none` is the value that says nothing.
static inline void
mica_json_optional_number(struct mica_json_writer *writer, const char *namez,
                          double value, double none)
{
    if (value == none)
        return;
    mica_json_name(writer, namez);
    mica_json_number(writer, value);
}

static inline void
mica_json_optional_size(struct mica_json_writer *writer, const char *namez,
                        size_t size)
{
    if (size == 0)
        return;
    mica_json_name(writer, namez);
    mica_json_integer(writer, (int64_t)size);
}

#endif
