// SPDX-License-Identifier: Apache-2.0
//
// Statements of TOML: headers, and which table the pairs after each are added to. What
// may be added where follows from how a table came to be (enum mica_toml_origin):
//
//               [a.b] goes through a   [a] itself     [[a]]    a.b = 1 goes through a
//    IMPLIED    yes                    once: HEADER   no       no
//    HEADER     yes                    no             no       no
//    DOTTED     yes                    no             no       yes
//    LISTED     its last table         no             yes      no
//    CLOSED     no                     no             no       no
#include <string.h>

#include "toml/toml_reader.h"

// ---- Headers ---------------------------------------------------------------------

// The table of the next part of a header that is not the last.
static enum mica_status
header_enter(struct mica_toml_reader *reader, const struct mica_toml_key *key,
             size_t part, struct mica_toml **table)
{
    struct mica_toml *next = mica_toml_member(*table, key->parts[part]);

    if (next == NULL)
        return mica_toml_table_make(reader, *table, key, part,
                                    MICA_TOML_IMPLIED, table);
    if (next->origin == MICA_TOML_CLOSED)
        return mica_toml_key_taken(reader, key, part, next);
    *table = next->origin == MICA_TOML_LISTED ? next->last : next;
    return MICA_OK;
}

// [a.b]
static enum mica_status
header_table(struct mica_toml_reader *reader, const struct mica_toml_key *key,
             struct mica_toml **table)
{
    size_t part = key->count - 1;
    struct mica_toml *there = mica_toml_member(*table, key->parts[part]);

    if (there == NULL)
        return mica_toml_table_make(reader, *table, key, part, MICA_TOML_HEADER,
                                    table);
    if (there->origin != MICA_TOML_IMPLIED)
        return mica_toml_key_taken(reader, key, part, there);
    there->origin = MICA_TOML_HEADER;
    there->name_offset = (size_t)(key->at[part] - reader->text.ptr);
    *table = there;
    return MICA_OK;
}

// [[a.b]]: one more table of that array.
static enum mica_status
header_item(struct mica_toml_reader *reader, const struct mica_toml_key *key,
            struct mica_toml **table)
{
    size_t part = key->count - 1;
    struct mica_toml *array = mica_toml_member(*table, key->parts[part]);

    if (array == NULL)
        MICA_TRY(mica_toml_table_make(reader, *table, key, part,
                                      MICA_TOML_LISTED, &array));
    if (array->origin != MICA_TOML_LISTED)
        return mica_toml_key_taken(reader, key, part, array);
    MICA_TRY(
        mica_toml_value_make(reader, MICA_TOML_TABLE, key->at[part], table));
    (*table)->origin = MICA_TOML_HEADER;
    mica_toml_value_append(array, *table);
    return MICA_OK;
}

// A header, on whose bracket the reader stands: `*table` is the root, and then the
// table that the next pairs are in.
static enum mica_status
read_header(struct mica_toml_reader *reader, struct mica_toml **table)
{
    bool item = mica_toml_sees_text(reader, MICA_LITERAL("[["));
    struct mica_toml_key key;

    reader->at += item ? 2 : 1;
    MICA_TRY(mica_toml_read_key(reader, &key));
    if (!mica_toml_sees_text(reader,
                             item ? MICA_LITERAL("]]") : MICA_LITERAL("]")))
        return mica_toml_reader_expected(reader, item ? "\"]]\"" : "\"]\"");
    reader->at += item ? 2 : 1;
    for (size_t i = 0; i + 1 < key.count; i++)
        MICA_TRY(header_enter(reader, &key, i, table));
    return item ? header_item(reader, &key, table)
                : header_table(reader, &key, table);
}

// ---- The file --------------------------------------------------------------------

static enum mica_status
read_statements(struct mica_toml_reader *reader, struct mica_toml *root)
{
    struct mica_toml *table = root;

    for (;;) {
        MICA_TRY(mica_toml_skip_lines(reader));
        if (reader->at >= reader->end)
            return MICA_OK;
        if (mica_toml_sees(reader, '[')) {
            table = root;
            MICA_TRY(read_header(reader, &table));
        } else {
            MICA_TRY(mica_toml_read_pair(reader, table));
        }
        MICA_TRY(mica_toml_skip_comment(reader));
        if (reader->at < reader->end && !mica_toml_skip_newline(reader))
            return mica_toml_reader_expected(reader, "the end of the line");
    }
}

enum mica_status
mica_toml_read(struct mica_arena *arena, struct mica_text text,
               struct mica_error *error, struct mica_toml **root_out)
{
    struct mica_toml_reader reader = {.arena = arena,
                                      .error = error,
                                      .text = text,
                                      .at = text.ptr,
                                      .end = text.ptr + text.len};
    size_t valid = mica_utf8_valid(text);

    if (text.len > MICA_TOML_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the file is larger than %d KiB",
                              MICA_TOML_BYTES >> 10);
    if (text.len == 0)
        reader.text.ptr = reader.at = reader.end = "";
    if (valid != text.len)
        return mica_toml_fault(error, MICA_E_FORMAT, text, valid,
                               "the file is not UTF-8 from here on");
    MICA_TRY(
        mica_toml_value_make(&reader, MICA_TOML_TABLE, reader.at, root_out));
    (*root_out)->origin = MICA_TOML_HEADER;
    // The mark of byte order that some editors write.
    if (mica_toml_sees_text(&reader, MICA_LITERAL("\xef\xbb\xbf")))
        reader.at += 3;
    return read_statements(&reader, *root_out);
}
