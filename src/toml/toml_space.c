// SPDX-License-Identifier: Apache-2.0
//
// Space between the values of a TOML text, and the tree that they become.
#include <string.h>

#include "toml/toml_reader.h"

// ---- Space ---------------------------------------------------------------------

bool
mica_toml_sees_text(const struct mica_toml_reader *reader,
                    struct mica_text text)
{
    return (size_t)(reader->end - reader->at) >= text.len &&
           memcmp(reader->at, text.ptr, text.len) == 0;
}

void
mica_toml_skip_blanks(struct mica_toml_reader *reader)
{
    while (mica_toml_sees(reader, ' ') || mica_toml_sees(reader, '\t'))
        reader->at++;
}

bool
mica_toml_skip_newline(struct mica_toml_reader *reader)
{
    size_t length = mica_toml_sees(reader, '\n')                        ? 1
                    : mica_toml_sees_text(reader, MICA_LITERAL("\r\n")) ? 2
                                                                        : 0;

    reader->at += length;
    return length > 0;
}

enum mica_status
mica_toml_skip_comment(struct mica_toml_reader *reader)
{
    mica_toml_skip_blanks(reader);
    if (!mica_toml_sees(reader, '#'))
        return MICA_OK;
    for (; reader->at < reader->end && *reader->at != '\n' &&
           !mica_toml_sees_text(reader, MICA_LITERAL("\r\n"));
         reader->at++) {
        unsigned char byte = (unsigned char)*reader->at;
        if ((byte < 0x20 && byte != '\t') || byte == 0x7F)
            return mica_toml_reader_fault(reader, MICA_E_FORMAT, reader->at,
                                          "a comment holds no control "
                                          "character (U+%04X here)",
                                          byte);
    }
    return MICA_OK;
}

enum mica_status
mica_toml_skip_lines(struct mica_toml_reader *reader)
{
    do
        MICA_TRY(mica_toml_skip_comment(reader));
    while (mica_toml_skip_newline(reader));
    return MICA_OK;
}

// ---- The tree ----------------------------------------------------------------------

enum mica_status
mica_toml_value_make(struct mica_toml_reader *reader, enum mica_toml_kind kind,
                     const char *at, struct mica_toml **value_out)
{
    struct mica_toml *value =
        reader->values < MICA_TOML_VALUES
            ? mica_arena_zero(reader->arena, 1, sizeof *value)
            : NULL;

    if (value == NULL)
        return mica_toml_reader_fault(reader, MICA_E_LIMIT, at,
                                      "the file has more than %d values",
                                      MICA_TOML_VALUES);
    reader->values++;
    value->kind = kind;
    value->offset = (size_t)(at - reader->text.ptr);
    *value_out = value;
    return MICA_OK;
}

void
mica_toml_value_append(struct mica_toml *to, struct mica_toml *value)
{
    if (to->last != NULL)
        to->last->next = value;
    else
        to->items = value;
    to->last = value;
    to->count++;
}

struct mica_toml *
mica_toml_member(const struct mica_toml *table, struct mica_text name)
{
    if (table == NULL || table->kind != MICA_TOML_TABLE)
        return NULL;
    for (struct mica_toml *item = table->items; item != NULL; item = item->next)
        if (mica_text_equal(item->name, name))
            return item;
    return NULL;
}
