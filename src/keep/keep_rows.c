// SPDX-License-Identifier: Apache-2.0
//
// Statements of tools: prepared under the authorizer, bound, run, and the rows of the
// last one that has any as JSON.
#include <math.h>
#include <string.h>

#include "keep/keep_database.h"

// ---- Preparing ---------------------------------------------------------------------

enum mica_status
mica_keep_rows_prepare(struct mica_keep_database *database,
                       enum mica_keep_mode mode, const char *sql,
                       struct mica_error *error, sqlite3_stmt **statement_out)
{
    const char *tail = "";
    int code;

    database->mode = mode;
    database->refused = NULL;
    code = sqlite3_prepare_v2(database->sqlite, sql, -1, statement_out, &tail);
    if (code != SQLITE_OK)
        return mica_keep_failed(database, code, error);
    if (*statement_out != NULL && tail[strspn(tail, " \t\r\n;")] == '\0')
        return MICA_OK;
    (void)sqlite3_finalize(*statement_out);
    return mica_error_set(error, MICA_E_KEEP_SQL, "",
                          *statement_out == NULL
                              ? "it is empty"
                              : "there is another one behind it; give each a "
                                "text of its own");
}

static int
bind_value(sqlite3_stmt *statement, int place,
           const struct mica_sql_value *value)
{
    switch (value->kind) {
    case MICA_SQL_TEXT:
        return mica_keep_bind_text(statement, place, value->text);
    case MICA_SQL_INTEGER:
        return sqlite3_bind_int64(statement, place, value->integer);
    case MICA_SQL_NUMBER:
        return sqlite3_bind_double(statement, place, value->number);
    case MICA_SQL_BYTES:
        return sqlite3_bind_blob64(statement, place,
                                   value->text.len > 0 ? value->text.ptr : "",
                                   value->text.len, SQLITE_STATIC);
    case MICA_SQL_NULL:
        break;
    }
    return sqlite3_bind_null(statement, place);
}

static enum mica_status
bind_values(struct mica_keep_database *database, sqlite3_stmt *statement,
            const struct mica_sql_statement *from, struct mica_error *error)
{
    size_t wanted = (size_t)sqlite3_bind_parameter_count(statement);

    if (wanted != from->count)
        return mica_error_set(error, MICA_E_KEEP_SQL, "",
                              "it has %zu parameters, and %zu values for them",
                              wanted, from->count);
    for (size_t i = 0; i < from->count; i++) {
        int code = bind_value(statement, (int)i + 1, &from->values[i]);
        if (code != SQLITE_OK)
            return mica_keep_failed(database, code, error);
    }
    return MICA_OK;
}

// ---- Rows --------------------------------------------------------------------------

static enum mica_status
value_wrong(sqlite3_stmt *statement, int column, const char *what,
            struct mica_error *error)
{
    return mica_error_set(error, MICA_E_KEEP_VALUE, "", "the column \"%s\" %s",
                          sqlite3_column_name(statement, column), what);
}

static enum mica_status
write_column(struct mica_json_writer *writer, sqlite3_stmt *statement,
             int column, struct mica_error *error)
{
    int kind = sqlite3_column_type(statement, column);
    struct mica_text text;

    if (kind == SQLITE_INTEGER) {
        mica_json_integer(writer, sqlite3_column_int64(statement, column));
    } else if (kind == SQLITE_FLOAT) {
        double number = sqlite3_column_double(statement, column);
        if (!isfinite(number))
            return value_wrong(statement, column, "is infinite", error);
        mica_json_number(writer, number);
    } else if (kind == SQLITE_TEXT) {
        text = mica_keep_column_text(statement, column);
        if (mica_utf8_valid(text) != text.len)
            return value_wrong(statement, column, "is no UTF-8", error);
        mica_json_string(writer, text);
    } else if (kind == SQLITE_BLOB) {
        const void *bytes = sqlite3_column_blob(statement, column);
        size_t size = (size_t)sqlite3_column_bytes(statement, column);
        mica_json_raw(writer, MICA_LITERAL("\""));
        mica_base64_write(writer->buffer, bytes, size);
        mica_buffer_char(writer->buffer, '"');
    } else {
        mica_json_null(writer);
    }
    return MICA_OK;
}

static enum mica_status
write_row(struct mica_json_writer *writer, sqlite3_stmt *statement,
          struct mica_error *error)
{
    mica_json_open_object(writer);
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        mica_json_name(writer, sqlite3_column_name(statement, i));
        MICA_TRY(write_column(writer, statement, i, error));
    }
    mica_json_close_object(writer);
    if (!writer->buffer->overflow)
        return MICA_OK;
    return mica_error_set(error, MICA_E_KEEP_SIZE, "",
                          "the rows have more than %d bytes of JSON; add a "
                          "LIMIT, or read fewer columns",
                          MICA_KEEP_ANSWER_BYTES);
}

// A struct has each name once.
static enum mica_status
check_columns(sqlite3_stmt *statement, struct mica_error *error)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        for (int j = 0; j < i; j++)
            if (strcmp(sqlite3_column_name(statement, i),
                       sqlite3_column_name(statement, j)) == 0)
                return mica_error_set(error, MICA_E_KEEP_SQL, "",
                                      "two columns are named \"%s\"; name one "
                                      "with AS",
                                      sqlite3_column_name(statement, i));
    return MICA_OK;
}

static enum mica_status
write_rows(struct mica_keep_database *database, sqlite3_stmt *statement,
           struct mica_json_writer *writer, struct mica_error *error)
{
    unsigned rows = 0;
    int code;

    MICA_TRY(check_columns(statement, error));
    mica_json_open_array(writer);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (rows++ == MICA_KEEP_ROWS)
            return mica_error_set(error, MICA_E_KEEP_SIZE, "",
                                  "there are more than %d rows; add a LIMIT",
                                  MICA_KEEP_ROWS);
        MICA_TRY(write_row(writer, statement, error));
    }
    mica_json_close_array(writer);
    return code == SQLITE_DONE ? MICA_OK
                               : mica_keep_failed(database, code, error);
}

// Runs one statement; its rows replace those of the one before.
static enum mica_status
statement_run(struct mica_keep_database *database, sqlite3_stmt *statement,
              struct mica_error *error, struct mica_buffer *rows)
{
    struct mica_json_writer writer;
    int code;

    if (sqlite3_column_count(statement) > 0) {
        rows->len = 0;
        mica_json_writer_init(&writer, rows);
        return write_rows(database, statement, &writer, error);
    }
    code = sqlite3_step(statement);
    return code == SQLITE_DONE ? MICA_OK
                               : mica_keep_failed(database, code, error);
}

// ---- All statements ----------------------------------------------------------------

static enum mica_status
run_one(struct mica_keep_database *database,
        const struct mica_sql_statement *from, bool writes,
        struct mica_error *error, struct mica_buffer *rows, bool *changes_out)
{
    sqlite3_stmt *statement = NULL;
    enum mica_status status;

    MICA_TRY(mica_keep_rows_prepare(database, MICA_KEEP_BY_TOOL, from->text,
                                    error, &statement));
    *changes_out = *changes_out || sqlite3_stmt_readonly(statement) == 0;
    status = bind_values(database, statement, from, error);
    if (status == MICA_OK && (writes || !*changes_out))
        status = statement_run(database, statement, error, rows);
    (void)sqlite3_finalize(statement);
    return status;
}

enum mica_status
mica_keep_rows_run(struct mica_keep_database *database,
                   const struct mica_keep_order *order, bool writes,
                   struct mica_error *error, struct mica_buffer *answer,
                   bool *changes_out)
{
    int64_t before = sqlite3_total_changes64(database->sqlite);
    struct mica_buffer rows;
    enum mica_status status;

    *changes_out = false;
    mica_buffer_init(&rows, answer->arena, MICA_KEEP_ANSWER_BYTES);
    for (size_t i = 0; i < order->count; i++) {
        status = run_one(database, &order->run[i], writes, error, &rows,
                         changes_out);
        if (status != MICA_OK)
            mica_error_prefix(error, "statement %zu", i + 1);
        if (status != MICA_OK || (*changes_out && !writes))
            return status;
    }
    if (rows.len == 0)
        mica_buffer_text(&rows, MICA_LITERAL("[]"));
    mica_buffer_format(
        answer, "{\"rows\":%.*s,\"changes\":%lld}", (int)rows.len, rows.ptr,
        (long long)(sqlite3_total_changes64(database->sqlite) - before));
    return MICA_OK;
}
