// SPDX-License-Identifier: Apache-2.0
//
// Reads comma-separated values strictly (RFC 4180, with a choice of separator)
// and says of each column what its cells have in common. Cells stay texts, so
// that 007 and 1.10 keep their digits. As spreadsheets write it, a line may end in
// CR LF, LF or CR alone, and a byte order mark may stand at the beginning.
#include <mica/engine.h>

enum separator {
    COMMA,
    SEMICOLON,
    TAB,
    BAR
};
MICA_CHOICES(separator, [COMMA] = "comma", [SEMICOLON] = "semicolon",
             [TAB] = "tab", [BAR] = "bar");

struct input {
    struct mica_text csv;
    enum separator separator;
    bool header;
};
MICA_RECORD(
    input,
    MICA_TEXT(csv,
              "The text of the table: a row a line, cells in double quotes "
              "where they hold separators, line breaks or quotes (written "
              "twice). A line ends in LF, CR LF or CR. Blank lines and a byte "
              "order mark at the beginning are skipped.",
              .max_length = 200000),
    MICA_CHOICE(separator, separator, "The character between cells: , ; tab |",
                .fallback = MICA_JSON("comma")),
    MICA_BOOLEAN(header,
                 "Whether the first row has the names of the columns. Without, "
                 "they are called column_1, column_2 and so on.",
                 .fallback = MICA_JSON(true)));

MICA_LIST_TYPE(cells, text);

enum kind {
    INTEGER,
    NUMBER,
    BOOLEAN,
    DATE,
    TEXT,
    EMPTY
};
MICA_CHOICES(
    kind, [INTEGER] = "integer", [NUMBER] = "number", [BOOLEAN] = "boolean",
    [DATE] = "date", [TEXT] = "text", [EMPTY] = "empty");

struct column {
    struct mica_text name;
    enum kind kind;
    int64_t empty_cells;
};
MICA_RECORD(
    column, MICA_TEXT(name, "Name of the column."),
    MICA_CHOICE(kind, kind,
                "What all its cells that are not empty can be read as: JSON "
                "numbers, true or false, dates like 2026-11-20; 'empty' when "
                "all are empty."),
    MICA_INTEGER(empty_cells, "How many of its cells are empty."));

struct output {
    struct {
        size_t count;
        const struct column *items;
    } columns;
    struct {
        size_t count;
        const struct cells *items;
    } rows;
    int64_t row_count;
};
MICA_RECORD(output,
            MICA_LIST(columns, column, "The columns, from left to right."),
            MICA_LIST(rows, cells,
                      "The rows below the header: a list of cells "
                      "each, in the order of columns."),
            MICA_INTEGER(row_count, "Number of rows, without the header.",
                         .title = "Rows in all"));

struct reader {
    struct mica_call *call;
    struct mica_text rest;
    char separator;
    size_t line; // of `rest`
};

static bool
taken(struct mica_text *rest, const char *prefix)
{
    bool found = mica_text_starts(*rest, prefix);

    *rest =
        mica_text_slice(*rest, found ? mica_text(prefix).len : 0, rest->len);
    return found;
}

static bool
taken_line_end(struct reader *reader)
{
    bool found = taken(&reader->rest, "\r\n") || taken(&reader->rest, "\n") ||
                 taken(&reader->rest, "\r");

    reader->line += found;
    return found;
}

// Whether a cell can end here.
static bool
at_end(const struct reader *reader)
{
    struct mica_text rest = reader->rest;

    return rest.len == 0 || *rest.ptr == reader->separator ||
           *rest.ptr == '\n' || *rest.ptr == '\r';
}

// The rest of a cell whose first quote has been taken.
static enum mica_status
read_quoted(struct reader *reader, struct mica_text *cell_out)
{
    struct mica_buffer cell = mica_builder(reader->call);
    size_t first_line = reader->line;

    while (reader->rest.len > 0) {
        char byte = *reader->rest.ptr;

        reader->rest = mica_text_slice(reader->rest, 1, reader->rest.len);
        reader->line += byte == '\n' ||
                        (byte == '\r' && !mica_text_starts(reader->rest, "\n"));
        if (byte == '"' && !taken(&reader->rest, "\"")) {
            *cell_out = mica_buffer_as_text(&cell);
            return MICA_OK;
        }
        mica_buffer_char(&cell, byte);
    }
    return mica_fail(reader->call, "UNCLOSED_QUOTE", "csv",
                     "The cell that opens with a double quote on line %zu of "
                     "csv is never closed. Close it, and write double quotes "
                     "inside a cell twice.",
                     first_line);
}

static enum mica_status
read_cell(struct reader *reader, struct mica_text *cell_out)
{
    struct mica_text start = reader->rest;

    if (taken(&reader->rest, "\"")) {
        MICA_TRY(read_quoted(reader, cell_out));
        if (!at_end(reader)) {
            return mica_fail(reader->call, "TEXT_AFTER_QUOTE", "csv",
                             "On line %zu of csv, text follows the double "
                             "quote that closes a cell. Write double quotes "
                             "inside a cell twice, and check the separator.",
                             reader->line);
        }
        return MICA_OK;
    }
    while (!at_end(reader)) {
        reader->rest = mica_text_slice(reader->rest, 1, reader->rest.len);
    }
    *cell_out = mica_text_slice(start, 0, start.len - reader->rest.len);
    return MICA_OK;
}

// Cells up to the end of the line, `room` for them being enough.
static enum mica_status
read_row(struct reader *reader, struct mica_text *room, size_t *count_out)
{
    const char separator[] = {reader->separator, '\0'};

    *count_out = 0;
    do {
        MICA_TRY(read_cell(reader, &room[(*count_out)++]));
    } while (taken(&reader->rest, separator));
    (void)taken_line_end(reader);
    return MICA_OK;
}

// All rows, the header included, each with as many cells as the first.
static enum mica_status
read_rows(struct reader *reader, struct cells *rows, size_t *count_out)
{
    // Each cell but the last has a separator or a line end behind it.
    struct mica_text *room =
        MICA_NEW(reader->call, struct mica_text, reader->rest.len + 1);

    for (*count_out = 0; reader->rest.len > 0;) {
        size_t line = reader->line;
        struct cells *row = &rows[*count_out];

        if (taken_line_end(reader)) {
            continue;
        }
        row->items = room;
        MICA_TRY(read_row(reader, room, &row->count));
        if (row->count != rows[0].count) {
            return mica_fail(reader->call, "RAGGED_ROW", "csv",
                             "The row on line %zu of csv has %zu cells, the "
                             "first row %zu. Give every row as many, with "
                             "quotes around cells that hold a separator, and "
                             "check the separator.",
                             line, row->count, rows[0].count);
        }
        room += row->count;
        ++*count_out;
    }
    return MICA_OK;
}

// A set of bits of what one cell can be read as; an empty one as anything.
static unsigned
kinds_of(struct mica_text cell)
{
    int64_t integer;
    double number;
    struct mica_date date;
    unsigned kinds = 1u << TEXT;

    kinds |= (unsigned)mica_integer_read(cell, &integer) << INTEGER;
    kinds |= (unsigned)mica_number_read(cell, &number) << NUMBER;
    kinds |= (unsigned)mica_text_is(cell, "true") << BOOLEAN;
    kinds |= (unsigned)mica_text_is(cell, "false") << BOOLEAN;
    kinds |= (unsigned)mica_date_read(cell, &date) << DATE;
    return cell.len > 0 ? kinds : ~0u;
}

static struct column
describe(struct mica_call *call, const struct cells *header,
         const struct cells *rows, size_t count, size_t index)
{
    struct column column = {{NULL, 0}, EMPTY, 0};
    unsigned kinds = ~0u;

    for (size_t i = 0; i < count; i++) {
        kinds &= kinds_of(rows[i].items[index]);
        column.empty_cells += rows[i].items[index].len == 0;
    }
    // The narrowest that is left.
    for (int kind = TEXT; kind >= INTEGER && !(kinds >> EMPTY & 1); kind--) {
        column.kind = kinds >> kind & 1 ? (enum kind)kind : column.kind;
    }
    column.name = header != NULL ? header->items[index]
                                 : mica_format(call, "column_%zu", index + 1);
    return column;
}

static enum mica_status
parse(struct mica_call *call, const struct input *in, struct output *out)
{
    static const char separators[] = {
        [COMMA] = ',', [SEMICOLON] = ';', [TAB] = '\t', [BAR] = '|'};
    struct reader reader = {call, in->csv, separators[in->separator], 1};
    struct cells *rows;
    struct column *columns;
    size_t count = 1, header, width;

    (void)taken(&reader.rest, "\xEF\xBB\xBF");
    for (size_t i = 0; i < in->csv.len; i++) {
        count += in->csv.ptr[i] == '\n' || in->csv.ptr[i] == '\r';
    }
    rows = MICA_NEW(call, struct cells, count);
    MICA_TRY(read_rows(&reader, rows, &count));
    header = in->header && count > 0 ? 1 : 0;
    width = rows[0].count;
    columns = MICA_NEW(call, struct column, width);
    for (size_t i = 0; i < width; i++) {
        columns[i] = describe(call, header ? rows : NULL, rows + header,
                              count - header, i);
    }
    out->columns.items = columns;
    out->columns.count = width;
    out->rows.items = rows + header;
    out->rows.count = count - header;
    out->row_count = (int64_t)(count - header);
    return MICA_OK;
}

MICA_ENGINE(
    csv_parser, input, output, parse, .title = "CSV parser", .category = "data",
    .memory_bytes = 32 << 20, .output_bytes = 4 << 20,
    .description =
        "Read a text of comma-separated values (RFC 4180; also semicolons, "
        "tabs or bars) into rows of cells, and say of each column what kind of "
        "values it holds. An error names the line.",
    .examples = MICA_EXAMPLES(
        {"Kinds of columns", MICA_JSON({
             "csv":
                 "id,price,paid,on,note\n1,9.90,true,2026-11-20,007x\n2,5,false,,\n"
         }),
         MICA_JSON({
             "columns": [
                 {"name": "id", "kind": "integer", "empty_cells": 0},
                 {"name": "price", "kind": "number", "empty_cells": 0},
                 {"name": "paid", "kind": "boolean", "empty_cells": 0},
                 {"name": "on", "kind": "date", "empty_cells": 1},
                 {"name": "note", "kind": "text", "empty_cells": 1}
             ],
             "rows": [
                 ["1", "9.90", "true", "2026-11-20", "007x"],
                 ["2", "5", "false", "", ""]
             ],
             "row_count": 2
         })},
        {"Quotes, a line break inside, no header", MICA_JSON({
             "csv": "\"say \"\"hi\"\"\";\"two\nlines\"\r\n\r\nplain;\n",
             "separator": "semicolon",
             "header": false
         }),
         MICA_JSON({
             "columns": [
                 {"name": "column_1", "kind": "text", "empty_cells": 0},
                 {"name": "column_2", "kind": "text", "empty_cells": 1}
             ],
             "rows": [["say \"hi\"", "two\nlines"], ["plain", ""]]
         })},
        {"Lines that end in CR",
         MICA_JSON({"csv": "id,note\r1,\"two\rlines\"\r\r\n2,\n"}), MICA_JSON({
             "columns": [
                 {"name": "id", "kind": "integer", "empty_cells": 0},
                 {"name": "note", "kind": "text", "empty_cells": 1}
             ],
             "rows": [["1", "two\rlines"], ["2", ""]],
             "row_count": 2
         })},
        {"Only a header", MICA_JSON({"csv": "a|b", "separator": "bar"}),
         MICA_JSON({
             "columns": [
                 {"name": "a", "kind": "empty", "empty_cells": 0},
                 {"name": "b", "kind": "empty", "empty_cells": 0}
             ],
             "rows": [],
             "row_count": 0
         })},
        {"Nothing", MICA_JSON({"csv": ""}),
         MICA_JSON({"columns": [], "rows": [], "row_count": 0})},
        {"An open quote", MICA_JSON({"csv": "a\n\"b\n"}),
         .error = "UNCLOSED_QUOTE"},
        {"Text after a quote", MICA_JSON({"csv": "\"a\"b"}),
         .error = "TEXT_AFTER_QUOTE"},
        {"A cell too few", MICA_JSON({"csv": "a,b\n1,2\n3\n"}),
         .error = "RAGGED_ROW"}));
