// SPDX-License-Identifier: Apache-2.0
//
// Words for what is wrong with a TOML text, and where.
#include <string.h>

#include "toml/toml_reader.h"

size_t
mica_toml_line(struct mica_text text, size_t offset)
{
    size_t line = 1;

    for (size_t i = 0; i < offset && i < text.len; i++)
        line += text.ptr[i] == '\n';
    return line;
}

static size_t
column_of(struct mica_text text, size_t offset)
{
    size_t column = 1;

    for (size_t i = offset < text.len ? offset : text.len;
         i > 0 && text.ptr[i - 1] != '\n'; i--)
        column += ((unsigned char)text.ptr[i - 1] & 0xC0) != 0x80;
    return column;
}

void
mica_toml_locate(struct mica_error *error, struct mica_text text, size_t offset)
{
    mica_error_prefix(error, "line %zu, column %zu",
                      mica_toml_line(text, offset), column_of(text, offset));
}

static void fault_set(struct mica_error *error, enum mica_status status,
                      struct mica_text text, size_t offset, const char *formatz,
                      va_list arguments) MICA_PRINTF(5, 0);

static void
fault_set(struct mica_error *error, enum mica_status status,
          struct mica_text text, size_t offset, const char *formatz,
          va_list arguments)
{
    (void)mica_error_vset(error, status, NULL, "", formatz, arguments);
    if (error != NULL)
        mica_toml_locate(error, text, offset);
}

enum mica_status
mica_toml_fault(struct mica_error *error, enum mica_status status,
                struct mica_text text, size_t offset, const char *formatz, ...)
{
    va_list arguments;

    va_start(arguments, formatz);
    fault_set(error, status, text, offset, formatz, arguments);
    va_end(arguments);
    return status;
}

enum mica_status
mica_toml_reader_fault(const struct mica_toml_reader *reader,
                       enum mica_status status, const char *at,
                       const char *formatz, ...)
{
    va_list arguments;

    va_start(arguments, formatz);
    fault_set(reader->error, status, reader->text,
              (size_t)(at - reader->text.ptr), formatz, arguments);
    va_end(arguments);
    return status;
}

enum mica_status
mica_toml_reader_expected(const struct mica_toml_reader *reader,
                          const char *thatz)
{
    struct mica_text rest = {reader->at, (size_t)(reader->end - reader->at)};
    char text[4];
    uint32_t point = rest.len > 0 ? mica_text_next(&rest) : 0;

    if (reader->at >= reader->end)
        return mica_toml_reader_fault(reader, MICA_E_FORMAT, reader->at,
                                      "%s is expected here, and the file ends",
                                      thatz);
    if (point == '\n' || point == '\r')
        return mica_toml_reader_fault(reader, MICA_E_FORMAT, reader->at,
                                      "%s is expected here, and the line ends",
                                      thatz);
    if (point < 0x20 || point == 0x7F)
        return mica_toml_reader_fault(reader, MICA_E_FORMAT, reader->at,
                                      "%s is expected here, not the control "
                                      "character U+%04X",
                                      thatz, (unsigned)point);
    return mica_toml_reader_fault(reader, MICA_E_FORMAT, reader->at,
                                  "%s is expected here, not \"%.*s\"", thatz,
                                  (int)mica_utf8_encode(point, text), text);
}

const char *
mica_toml_kind_name(enum mica_toml_kind kind)
{
    static const char *const names[] = {
        [MICA_TOML_STRING] = "a text",  [MICA_TOML_INTEGER] = "a whole number",
        [MICA_TOML_FLOAT] = "a number", [MICA_TOML_BOOLEAN] = "true or false",
        [MICA_TOML_ARRAY] = "a list",   [MICA_TOML_TABLE] = "a table"};

    return names[kind];
}
