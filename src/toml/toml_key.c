// SPDX-License-Identifier: Apache-2.0
//
// Keys of TOML, and the tables that they make.
#include <string.h>

#include "toml/toml_reader.h"

// ---- Keys ------------------------------------------------------------------------

static bool
is_bare(char c)
{
    char low = (char)(c | 0x20);

    return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

static enum mica_status
read_part(struct mica_toml_reader *reader, struct mica_text *part_out)
{
    const char *start = reader->at;

    if (mica_toml_sees(reader, '"') || mica_toml_sees(reader, '\''))
        return mica_toml_read_text(reader, false, part_out);
    while (reader->at < reader->end && is_bare(*reader->at))
        reader->at++;
    *part_out = (struct mica_text){start, (size_t)(reader->at - start)};
    return part_out->len > 0 ? MICA_OK
                             : mica_toml_reader_expected(reader, "a key");
}

enum mica_status
mica_toml_read_key(struct mica_toml_reader *reader,
                   struct mica_toml_key *key_out)
{
    for (key_out->count = 0; key_out->count < MICA_TOML_DEPTH;) {
        mica_toml_skip_blanks(reader);
        key_out->at[key_out->count] = reader->at;
        MICA_TRY(read_part(reader, &key_out->parts[key_out->count]));
        key_out->count++;
        mica_toml_skip_blanks(reader);
        if (!mica_toml_sees(reader, '.'))
            return MICA_OK;
        reader->at++;
    }
    return mica_toml_reader_fault(reader, MICA_E_LIMIT, key_out->at[0],
                                  "a key has at most %d parts",
                                  MICA_TOML_DEPTH);
}

// ---- Tables ----------------------------------------------------------------------

void
mica_toml_table_add(struct mica_toml_reader *reader, struct mica_toml *table,
                    const struct mica_toml_key *key, size_t part,
                    struct mica_toml *value)
{
    value->name = key->parts[part];
    value->name_offset = (size_t)(key->at[part] - reader->text.ptr);
    mica_toml_value_append(table, value);
}

enum mica_status
mica_toml_table_make(struct mica_toml_reader *reader, struct mica_toml *table,
                     const struct mica_toml_key *key, size_t part,
                     enum mica_toml_origin origin, struct mica_toml **made_out)
{
    enum mica_toml_kind kind =
        origin == MICA_TOML_LISTED ? MICA_TOML_ARRAY : MICA_TOML_TABLE;

    MICA_TRY(mica_toml_value_make(reader, kind, key->at[part], made_out));
    (*made_out)->origin = origin;
    mica_toml_table_add(reader, table, key, part, *made_out);
    return MICA_OK;
}

enum mica_status
mica_toml_key_taken(const struct mica_toml_reader *reader,
                    const struct mica_toml_key *key, size_t part,
                    const struct mica_toml *taken)
{
    struct mica_text name = mica_utf8_cut(key->parts[part], 64);

    return mica_toml_reader_fault(
        reader, MICA_E_DUPLICATE, key->at[part],
        "\"%.*s\" is %s already, by line %zu, and cannot be written again",
        MICA_ARG(name), mica_toml_kind_name(taken->kind),
        mica_toml_line(reader->text, taken->name_offset));
}
