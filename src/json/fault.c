// SPDX-License-Identifier: Apache-2.0
//
// Words for what is wrong with a text, and where: a person sees line and
// column, a program the byte.
#include <string.h>

#include "json/reader.h"

struct position {
    size_t line, column, byte;
};

static struct position
position_of(const struct mica_json_reader *reader, const char *at)
{
    struct position position = {1, 1, (size_t)(at - reader->start)};
    for (const char *p = reader->start; p < at; p++) {
        position.column += ((unsigned char)*p & 0xC0) != 0x80;
        if (*p == '\n') {
            position.line++;
            position.column = 1;
        }
    }
    return position;
}

enum mica_status
mica_json_fault(struct mica_json_reader *reader, enum mica_status status,
                const char *at, const char *formatz, ...)
{
    if (reader->error == NULL)
        return status;
    struct position position = position_of(reader, at);
    va_list arguments;
    va_start(arguments, formatz);
    mica_error_vset(reader->error, status, NULL, "", formatz, arguments);
    va_end(arguments);
    mica_error_prefix(reader->error, "line %zu, column %zu (byte %zu)",
                      position.line, position.column, position.byte);
    return status;
}

enum mica_status
mica_json_expected(struct mica_json_reader *reader, const char *at,
                   const char *thatz)
{
    struct mica_text rest = {at, (size_t)(reader->end - at)};
    unsigned char byte = rest.len > 0 ? (unsigned char)*at : 0;
    if (rest.len > 4)
        rest.len = 4;
    if (rest.len == 0)
        return mica_json_fault(reader, MICA_E_JSON, at,
                               "expected %s, found the end of the text", thatz);
    if (byte == '"')
        return mica_json_fault(reader, MICA_E_JSON, at,
                               "expected %s, found a double quote", thatz);
    if (byte >= 0x20 && byte < 0x7F)
        return mica_json_fault(reader, MICA_E_JSON, at,
                               "expected %s, found \"%c\"", thatz, byte);
    if (mica_utf8_valid(rest) == 0)
        return mica_json_fault(
            reader, MICA_E_JSON, at,
            "expected %s, found byte 0x%02X, which is no UTF-8 there", thatz,
            (unsigned)byte);
    return mica_json_fault(reader, MICA_E_JSON, at, "expected %s, found U+%04X",
                           thatz, (unsigned)mica_text_next(&rest));
}

enum mica_status
mica_json_no_memory(struct mica_json_reader *reader)
{
    return mica_json_fault(
        reader, MICA_E_LIMIT, reader->at,
        "the JSON text has more values than fit the memory limit of %zu bytes; "
        "send less",
        reader->arena->cap);
}
