// SPDX-License-Identifier: Apache-2.0
//
// Values of TOML, and the pairs that have them. They call each other, as a table in
// braces is a value and has pairs.
#include <string.h>

#include "toml/toml_reader.h"

// ---- Values ----------------------------------------------------------------------

// Behind the bracket.
static enum mica_status
read_items(struct mica_toml_reader *reader, struct mica_toml *array)
{
    struct mica_toml *item = NULL;

    for (;;) {
        MICA_TRY(mica_toml_skip_lines(reader));
        if (mica_toml_sees(reader, ']'))
            break;
        MICA_TRY(mica_toml_read_value(reader, &item));
        mica_toml_value_append(array, item);
        MICA_TRY(mica_toml_skip_lines(reader));
        if (mica_toml_sees(reader, ']'))
            break;
        if (!mica_toml_sees(reader, ','))
            return mica_toml_reader_expected(reader, "\",\" or \"]\"");
        reader->at++;
    }
    reader->at++;
    return MICA_OK;
}

// Behind the brace. It ends on its line, and its last pair has no comma behind it.
static enum mica_status
read_members(struct mica_toml_reader *reader, struct mica_toml *table)
{
    table->origin = MICA_TOML_DOTTED; // as long as it is read
    mica_toml_skip_blanks(reader);
    while (!mica_toml_sees(reader, '}') || table->count > 0) {
        mica_toml_skip_blanks(reader);
        MICA_TRY(mica_toml_read_pair(reader, table));
        mica_toml_skip_blanks(reader);
        if (mica_toml_sees(reader, '}'))
            break;
        if (!mica_toml_sees(reader, ','))
            return mica_toml_reader_expected(reader, "\",\" or \"}\"");
        reader->at++;
    }
    reader->at++;
    table->origin = MICA_TOML_CLOSED;
    return MICA_OK;
}

static enum mica_status
read_nested(struct mica_toml_reader *reader, struct mica_toml **value_out)
{
    bool array = *reader->at == '[';
    enum mica_status status;

    if (reader->depth == MICA_TOML_DEPTH)
        return mica_toml_reader_fault(reader, MICA_E_LIMIT, reader->at,
                                      "more than %d values stand inside each "
                                      "other",
                                      MICA_TOML_DEPTH);
    MICA_TRY(mica_toml_value_make(reader,
                                  array ? MICA_TOML_ARRAY : MICA_TOML_TABLE,
                                  reader->at, value_out));
    reader->depth++;
    reader->at++;
    status = array ? read_items(reader, *value_out)
                   : read_members(reader, *value_out);
    reader->depth--;
    return status;
}

enum mica_status
mica_toml_read_value(struct mica_toml_reader *reader,
                     struct mica_toml **value_out)
{
    if (mica_toml_sees(reader, '[') || mica_toml_sees(reader, '{'))
        return read_nested(reader, value_out);
    if (!mica_toml_sees(reader, '"') && !mica_toml_sees(reader, '\''))
        return mica_toml_read_word(reader, value_out);
    MICA_TRY(
        mica_toml_value_make(reader, MICA_TOML_STRING, reader->at, value_out));
    return mica_toml_read_text(reader, true, &(*value_out)->text);
}

// ---- Pairs -----------------------------------------------------------------------

enum mica_status
mica_toml_read_pair(struct mica_toml_reader *reader, struct mica_toml *table)
{
    struct mica_toml_key key;
    struct mica_toml *value, *there;
    size_t last;

    MICA_TRY(mica_toml_read_key(reader, &key));
    if (!mica_toml_sees(reader, '='))
        return mica_toml_reader_expected(reader, "\"=\"");
    reader->at++;
    mica_toml_skip_blanks(reader);
    last = key.count - 1;
    for (size_t i = 0; i < last; i++) {
        there = mica_toml_member(table, key.parts[i]);
        if (there != NULL && there->origin != MICA_TOML_DOTTED)
            return mica_toml_key_taken(reader, &key, i, there);
        if (there == NULL)
            MICA_TRY(mica_toml_table_make(reader, table, &key, i,
                                          MICA_TOML_DOTTED, &there));
        table = there;
    }
    there = mica_toml_member(table, key.parts[last]);
    if (there != NULL)
        return mica_toml_key_taken(reader, &key, last, there);
    MICA_TRY(mica_toml_read_value(reader, &value));
    mica_toml_table_add(reader, table, &key, last, value);
    return MICA_OK;
}
