// SPDX-License-Identifier: Apache-2.0
//
// Rows by SQL. The text of a statement follows from the table's layout and what
// is asked of it; it is made and prepared when it is first needed and then kept.
// All values are bound, none is written into a text.
#include <string.h>

#include "store/sqlite.h"

enum {
    SQL_BYTES = 1024
};

// The keys of statements: what is done, then everything its text depends on.
enum statement_act {
    DO_INSERT = 1,
    DO_UPDATE,
    DO_REMOVE,
    DO_SCAN,
    DO_COUNT,
    DO_ADD,
    DO_TOTAL
};

_Static_assert(MICA_STORE_TABLES < 1 << 5 && MICA_STORE_INDEXES < 1 << 3 &&
                   MICA_STORE_COLUMNS <= 18 && MICA_STORE_CONDITIONS <= 4,
               "each has its bits in a key");

// A table, how many columns are equal, and a set of columns.
static uint64_t
key_of(enum statement_act act, unsigned table, unsigned equal, unsigned columns)
{
    return (uint64_t)act << 61 | (uint64_t)(columns & MICA_ALL_COLUMNS) << 43 |
           equal << 5 | table;
}

static uint64_t
key_of_range(enum statement_act act, const struct mica_store_range *range,
             unsigned columns)
{
    uint64_t key = key_of(act, range->table, range->equal, columns) |
                   (uint64_t)range->index << 8 | (uint64_t)range->bound << 11 |
                   (uint64_t)range->ties << 13 |
                   (uint64_t)range->newest_first << 14;

    for (unsigned i = 0; i < range->condition_count; i++)
        key |= (uint64_t)(range->conditions[i].is << 5 |
                          range->conditions[i].column)
               << (15 + 7 * i);
    return key;
}

struct what {
    const struct mica_store_layout *layout;
    unsigned equal, columns;
    const struct mica_store_range *range; // of a scan
};

static void
add_name(struct mica_buffer *sql, const struct what *what, unsigned column)
{
    mica_buffer_text(sql, mica_text(what->layout->columns[column].name));
}

// "WHERE a = ?1 AND b = ?2" for the first columns of an index.
static void
add_where(struct mica_buffer *sql, const struct what *what, unsigned index,
          unsigned equal)
{
    for (unsigned i = 0; i < equal; i++) {
        mica_buffer_text(sql, mica_text(i == 0 ? " WHERE " : " AND "));
        add_name(sql, what, what->layout->indexes[index].columns[i]);
        mica_buffer_format(sql, " = ?%u", i + 1);
    }
}

// ---- Preparing -----------------------------------------------------------------

enum mica_status
mica_sqlite_statement(struct mica_sqlite *sqlite, uint64_t key,
                      void (*write)(struct mica_buffer *sql, const void *what),
                      const void *what, struct mica_error *error,
                      sqlite3_stmt **statement_out)
{
    struct mica_buffer sql;
    sqlite3_stmt *statement = NULL;
    unsigned at = 0;
    int code;

    while (at < sqlite->statement_count && sqlite->keys[at] != key)
        at++;
    if (at < sqlite->statement_count) {
        *statement_out = sqlite->statements[at];
        return MICA_OK;
    }
    mica_buffer_init(&sql, NULL, SQL_BYTES);
    write(&sql, what);
    code = sql.overflow ? SQLITE_NOMEM
                        : sqlite3_prepare_v3(sqlite->db, sql.ptr, (int)sql.len,
                                             SQLITE_PREPARE_PERSISTENT,
                                             &statement, NULL);
    mica_buffer_fini(&sql);
    if (code != SQLITE_OK)
        return mica_sqlite_failed(sqlite, code, "read", error);
    if (at == STATEMENTS) { // one makes place
        at = sqlite->replaced++ % STATEMENTS;
        (void)sqlite3_finalize(sqlite->statements[at]);
    } else {
        sqlite->statement_count++;
    }
    sqlite->keys[at] = key;
    sqlite->statements[at] = statement;
    *statement_out = statement;
    return MICA_OK;
}

// What is bound outlives the step, and is bound anew before the next.
static int
bind(sqlite3_stmt *statement, unsigned at, enum mica_store_kind kind,
     union mica_store_value value)
{
    const char *ptr = value.text.ptr != NULL ? value.text.ptr : "";

    switch (kind) {
    case MICA_STORE_NUMBER:
        return sqlite3_bind_int64(statement, (int)at, value.number);
    case MICA_STORE_TEXT:
        return sqlite3_bind_text64(statement, (int)at, ptr, value.text.len,
                                   SQLITE_STATIC, SQLITE_UTF8);
    case MICA_STORE_BYTES:
        return sqlite3_bind_blob64(statement, (int)at, ptr, value.text.len,
                                   SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

static int
bind_key(sqlite3_stmt *statement, const struct mica_store_layout *layout,
         unsigned equal, const struct mica_store_row *row)
{
    int code = SQLITE_OK;

    for (unsigned i = 0; i < equal && code == SQLITE_OK; i++) {
        unsigned column = layout->indexes[0].columns[i];
        code = bind(statement, i + 1, layout->columns[column].kind,
                    row->values[column]);
    }
    return code;
}

// Runs a statement that gives no rows.
static int
finish(sqlite3_stmt *statement, int code)
{
    if (code == SQLITE_OK)
        (void)sqlite3_step(statement);
    int result = sqlite3_reset(statement); // the code of the step
    return code == SQLITE_OK ? result : code;
}

// ---- Writing -------------------------------------------------------------------

static void
write_insert(struct mica_buffer *sql, const void *data)
{
    const struct what *what = data;

    mica_buffer_format(sql, "INSERT INTO %s VALUES (", what->layout->name);
    for (unsigned i = 0; i < what->layout->column_count; i++)
        mica_buffer_format(sql, "%s?%u", i > 0 ? "," : "", i + 1);
    mica_buffer_char(sql, ')');
}

enum mica_status
mica_sqlite_insert(void *connection, enum mica_store_table table,
                   const struct mica_store_row *row, struct mica_error *error)
{
    struct mica_sqlite *sqlite = connection;
    const struct mica_store_layout *layout = &mica_store_layouts[table];
    const struct what what = {.layout = layout};
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_OK;

    MICA_TRY(mica_sqlite_statement(sqlite, key_of(DO_INSERT, table, 0, 0),
                                   write_insert, &what, error, &statement));
    for (unsigned i = 0; i < layout->column_count && code == SQLITE_OK; i++)
        code = bind(statement, i + 1, layout->columns[i].kind, row->values[i]);
    code = finish(statement, code);
    if (code == SQLITE_CONSTRAINT_PRIMARYKEY ||
        code == SQLITE_CONSTRAINT_UNIQUE)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "There is such a row in %s already.",
                              layout->name);
    return code == SQLITE_OK
               ? MICA_OK
               : mica_sqlite_failed(sqlite, code, "write to", error);
}

static void
write_update(struct mica_buffer *sql, const void *data)
{
    const struct what *what = data;
    const char *comma = "";

    mica_buffer_format(sql, "UPDATE %s SET ", what->layout->name);
    for (unsigned i = 0, at = what->equal; i < what->layout->column_count;
         i++) {
        if ((what->columns & MICA_COLUMN(i)) == 0)
            continue;
        mica_buffer_text(sql, mica_text(comma));
        add_name(sql, what, i);
        mica_buffer_format(sql, " = ?%u", ++at);
        comma = ", ";
    }
    add_where(sql, what, 0, what->equal);
}

enum mica_status
mica_sqlite_update(void *connection, enum mica_store_table table,
                   unsigned columns, const struct mica_store_row *row,
                   struct mica_error *error)
{
    struct mica_sqlite *sqlite = connection;
    const struct mica_store_layout *layout = &mica_store_layouts[table];
    unsigned equal = layout->indexes[0].count;
    const struct what what = {
        .layout = layout, .equal = equal, .columns = columns};
    sqlite3_stmt *statement = NULL;
    int code;

    MICA_TRY(mica_sqlite_statement(sqlite, key_of(DO_UPDATE, table, 0, columns),
                                   write_update, &what, error, &statement));
    code = bind_key(statement, layout, equal, row);
    for (unsigned i = 0, at = equal;
         i < layout->column_count && code == SQLITE_OK; i++) {
        if ((columns & MICA_COLUMN(i)) != 0)
            code =
                bind(statement, ++at, layout->columns[i].kind, row->values[i]);
    }
    code = finish(statement, code);
    if (code != SQLITE_OK)
        return mica_sqlite_failed(sqlite, code, "write to", error);
    if (sqlite3_changes(sqlite->db) == 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no such row in %s.", layout->name);
    return MICA_OK;
}

static void
write_remove(struct mica_buffer *sql, const void *data)
{
    const struct what *what = data;

    mica_buffer_format(sql, "DELETE FROM %s", what->layout->name);
    add_where(sql, what, 0, what->equal);
}

enum mica_status
mica_sqlite_remove(void *connection, enum mica_store_table table,
                   unsigned equal, const struct mica_store_row *row,
                   struct mica_error *error, size_t *removed_out)
{
    struct mica_sqlite *sqlite = connection;
    const struct mica_store_layout *layout = &mica_store_layouts[table];
    const struct what what = {.layout = layout, .equal = equal};
    sqlite3_stmt *statement = NULL;
    int code;

    MICA_TRY(mica_sqlite_statement(sqlite, key_of(DO_REMOVE, table, equal, 0),
                                   write_remove, &what, error, &statement));
    code = finish(statement, bind_key(statement, layout, equal, row));
    if (code != SQLITE_OK)
        return mica_sqlite_failed(sqlite, code, "write to", error);
    *removed_out = (size_t)sqlite3_changes(sqlite->db);
    return MICA_OK;
}

// ---- Reading -------------------------------------------------------------------

static bool
has_column(const struct mica_store_index *index, unsigned column)
{
    for (unsigned i = 0; i < index->count; i++) {
        if (index->columns[i] == column)
            return true;
    }
    return false;
}

// By the columns of the index, then by those of the primary key that it lacks.
static void
add_order(struct mica_buffer *sql, const struct what *what)
{
    const struct mica_store_index *by =
        &what->layout->indexes[what->range->index];
    const struct mica_store_index *key = &what->layout->indexes[0];
    const char *descending = what->range->newest_first ? " DESC" : "";

    for (unsigned i = 0; i < by->count; i++) {
        mica_buffer_text(sql, mica_text(i == 0 ? " ORDER BY " : ", "));
        add_name(sql, what, by->columns[i]);
        mica_buffer_text(sql, mica_text(descending));
    }
    for (unsigned i = 0; i < key->count; i++) {
        if (has_column(by, key->columns[i]))
            continue;
        mica_buffer_text(sql, MICA_LITERAL(", "));
        add_name(sql, what, key->columns[i]);
        mica_buffer_text(sql, mica_text(descending));
    }
}

// "AND (created, id) > (?2, ?3) AND state = ?4"; *at is the last number.
static void
add_bounds(struct mica_buffer *sql, const struct what *what, unsigned *at)
{
    static const char *const signs[] = {[MICA_IS_EQUAL] = "=",
                                        [MICA_IS_AT_MOST] = "<=",
                                        [MICA_IS_AT_LEAST] = ">="};
    const struct mica_store_range *range = what->range;
    const struct mica_store_index *by = &what->layout->indexes[range->index];
    char sign = range->bound == MICA_BOUND_AFTER ? '>' : '<';
    const char *joint = range->equal == 0 ? " WHERE " : " AND ";

    if (range->bound != MICA_BOUND_NONE) {
        mica_buffer_format(sql, "%s%s", joint, range->ties ? "(" : "");
        add_name(sql, what, by->columns[range->equal]);
        if (range->ties) {
            mica_buffer_text(sql, MICA_LITERAL(", "));
            add_name(sql, what, what->layout->indexes[0].columns[0]);
            mica_buffer_format(sql, ") %c (?%u, ?%u)", sign, *at + 1, *at + 2);
        } else {
            mica_buffer_format(sql, " %c ?%u", sign, *at + 1);
        }
        *at += range->ties ? 2 : 1;
        joint = " AND ";
    }
    for (unsigned i = 0; i < range->condition_count; i++) {
        mica_buffer_text(sql, mica_text(joint));
        add_name(sql, what, range->conditions[i].column);
        mica_buffer_format(sql, " %s ?%u", signs[range->conditions[i].is],
                           ++*at);
        joint = " AND ";
    }
}

// A column that is not read is NULL, so that each has its place.
static void
write_scan(struct mica_buffer *sql, const void *data)
{
    const struct what *what = data;
    const struct mica_store_range *range = what->range;
    unsigned at = range->equal;

    for (unsigned i = 0; i < what->layout->column_count; i++) {
        mica_buffer_text(sql, mica_text(i == 0 ? "SELECT " : ", "));
        if ((what->columns & MICA_COLUMN(i)) != 0)
            add_name(sql, what, i);
        else
            mica_buffer_text(sql, MICA_LITERAL("NULL"));
    }
    mica_buffer_format(sql, " FROM %s", what->layout->name);
    add_where(sql, what, range->index, range->equal);
    add_bounds(sql, what, &at);
    add_order(sql, what);
    mica_buffer_format(sql, " LIMIT ?%u", at + 1);
}

static void
write_count(struct mica_buffer *sql, const void *data)
{
    const struct what *what = data;
    unsigned at = what->range->equal;

    mica_buffer_format(sql, "SELECT count(*) FROM %s", what->layout->name);
    add_where(sql, what, what->range->index, what->range->equal);
    add_bounds(sql, what, &at);
}

// All but the limit; *at is the number of the last value.
static int
bind_range(sqlite3_stmt *statement, const struct mica_store_layout *layout,
           const struct mica_store_range *range, unsigned *at)
{
    unsigned count = range->equal + (range->bound != MICA_BOUND_NONE);
    int code = SQLITE_OK;

    for (*at = 0; *at < count && code == SQLITE_OK; *at += 1) {
        unsigned column = layout->indexes[range->index].columns[*at];
        code = bind(statement, *at + 1, layout->columns[column].kind,
                    range->values[*at]);
    }
    if (range->ties && code == SQLITE_OK) {
        unsigned key = layout->indexes[0].columns[0];
        code = bind(statement, *at + 1, layout->columns[key].kind,
                    range->values[*at]);
        *at += 1;
    }
    for (unsigned i = 0; i < range->condition_count && code == SQLITE_OK; i++) {
        const struct mica_store_condition *condition = &range->conditions[i];
        code = bind(statement, ++*at, layout->columns[condition->column].kind,
                    condition->value);
    }
    return code;
}

static int
bind_limit(sqlite3_stmt *statement, unsigned at, size_t limit)
{
    return sqlite3_bind_int64(statement, (int)at,
                              limit < INT64_MAX ? (sqlite3_int64)limit
                                                : INT64_MAX);
}

// False: the arena is full, or SQLite has no memory for the text.
static bool
read_row(sqlite3_stmt *statement, const struct what *what,
         struct mica_arena *arena, struct mica_store_row *row)
{
    for (unsigned i = 0; i < what->layout->column_count; i++) {
        struct mica_text text;
        if ((what->columns & MICA_COLUMN(i)) == 0)
            continue;
        if (what->layout->columns[i].kind == MICA_STORE_NUMBER) {
            row->values[i].number = sqlite3_column_int64(statement, (int)i);
            continue;
        }
        text.ptr = sqlite3_column_blob(statement, (int)i);
        text.len = (size_t)sqlite3_column_bytes(statement, (int)i);
        if (text.ptr == NULL && text.len > 0)
            return false;
        row->values[i].text = mica_arena_text(arena, text);
        if (row->values[i].text.ptr == NULL)
            return false;
    }
    return true;
}

// Room for one more at the end of `rows`.
static bool
grow(struct mica_store_rows *rows, size_t *room, size_t limit,
     struct mica_arena *arena)
{
    struct mica_store_row *items;
    size_t more = *room == 0 ? 16 : *room * 2;

    if (rows->count < *room)
        return true;
    more = more < limit ? more : limit;
    items = mica_arena_zero(arena, more, sizeof *items);
    if (items == NULL)
        return false;
    if (rows->count > 0)
        memcpy(items, rows->items, rows->count * sizeof *items);
    rows->items = items;
    *room = more;
    return true;
}

enum mica_status
mica_sqlite_scan(void *connection, const struct mica_store_range *range,
                 struct mica_arena *arena, struct mica_error *error,
                 struct mica_store_rows *rows_out)
{
    struct mica_sqlite *sqlite = connection;
    const struct mica_store_layout *layout = &mica_store_layouts[range->table];
    const struct what what = {.layout = layout,
                              .range = range,
                              .columns = range->columns == 0 ? MICA_ALL_COLUMNS
                                                             : range->columns};
    struct mica_store_rows rows = {NULL, 0};
    sqlite3_stmt *statement = NULL;
    size_t room = 0;
    bool fits = true;
    unsigned at;
    int code;

    MICA_TRY(mica_sqlite_statement(sqlite,
                                   key_of_range(DO_SCAN, range, what.columns),
                                   write_scan, &what, error, &statement));
    code = bind_range(statement, layout, range, &at);
    if (code == SQLITE_OK)
        code = bind_limit(statement, at + 1, range->limit);
    while (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        fits = grow(&rows, &room, range->limit, arena) &&
               read_row(statement, &what, arena, &rows.items[rows.count]);
        if (!fits)
            break;
        rows.count++;
    }
    int result = sqlite3_reset(statement); // the code of the last step
    code = code == SQLITE_OK ? result : code;
    if (code != SQLITE_OK)
        return mica_sqlite_failed(sqlite, code, "read", error);
    if (!fits)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "No memory is left for the rows of %s.",
                              layout->name);
    *rows_out = rows;
    return MICA_OK;
}

enum mica_status
mica_sqlite_count(void *connection, const struct mica_store_range *range,
                  struct mica_error *error, int64_t *count_out)
{
    struct mica_sqlite *sqlite = connection;
    const struct mica_store_layout *layout = &mica_store_layouts[range->table];
    const struct what what = {.layout = layout, .range = range};
    sqlite3_stmt *statement = NULL;
    unsigned at;
    int code;

    MICA_TRY(mica_sqlite_statement(sqlite, key_of_range(DO_COUNT, range, 0),
                                   write_count, &what, error, &statement));
    code = bind_range(statement, layout, range, &at);
    if (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        *count_out = sqlite3_column_int64(statement, 0);
    int result = sqlite3_reset(statement); // the code of the step
    code = code == SQLITE_OK ? result : code;
    return code == SQLITE_OK ? MICA_OK
                             : mica_sqlite_failed(sqlite, code, "read", error);
}

// ---- Counters ------------------------------------------------------------------

static void
write_add(struct mica_buffer *sql, const void *what)
{
    (void)what;
    mica_buffer_text(sql, MICA_LITERAL("UPDATE counters SET value = value + ?1 "
                                       "WHERE name = ?2"));
}

enum mica_status
mica_sqlite_add(void *connection, enum mica_store_counter counter, int64_t by,
                struct mica_error *error)
{
    struct mica_sqlite *sqlite = connection;
    sqlite3_stmt *statement = NULL;
    int code;

    MICA_TRY(mica_sqlite_statement(sqlite, key_of(DO_ADD, 0, 0, 0), write_add,
                                   NULL, error, &statement));
    code = sqlite3_bind_int64(statement, 1, by);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(
            statement, 2, mica_store_counter_names[counter], -1, SQLITE_STATIC);
    code = finish(statement, code);
    return code == SQLITE_OK
               ? MICA_OK
               : mica_sqlite_failed(sqlite, code, "write to", error);
}

static void
write_total(struct mica_buffer *sql, const void *what)
{
    (void)what;
    mica_buffer_text(
        sql, MICA_LITERAL("SELECT value FROM counters WHERE name = ?1"));
}

enum mica_status
mica_sqlite_total(void *connection, enum mica_store_counter counter,
                  struct mica_error *error, int64_t *total_out)
{
    struct mica_sqlite *sqlite = connection;
    sqlite3_stmt *statement = NULL;
    int code, result;

    MICA_TRY(mica_sqlite_statement(sqlite, key_of(DO_TOTAL, 0, 0, 0),
                                   write_total, NULL, error, &statement));
    code = sqlite3_bind_text(statement, 1, mica_store_counter_names[counter],
                             -1, SQLITE_STATIC);
    if (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        *total_out = sqlite3_column_int64(statement, 0);
    else if (code == SQLITE_OK)
        code = SQLITE_CORRUPT; // there is a row for each counter
    result = sqlite3_reset(statement);
    code = result != SQLITE_OK ? result : code;
    return code == SQLITE_OK ? MICA_OK
                             : mica_sqlite_failed(sqlite, code, "read", error);
}
