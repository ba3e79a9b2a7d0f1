// SPDX-License-Identifier: Apache-2.0
//
// Runs operations. It prepares a statement when it first runs, and keeps it. The address of
// its constant text identifies a statement.
#include <string.h>

#include "store/sqlite.h"

// ---- Prepare -------------------------------------------------------------------

// A bit for each value that a text uses: ?7 is the seventh.
static uint64_t
values_of(const char *sql)
{
    uint64_t used = 0;

    for (; *sql != '\0'; sql++) {
        unsigned number = 0;
        if (*sql != '?')
            continue;
        for (; sql[1] >= '0' && sql[1] <= '9'; sql++)
            number = number * 10 + (unsigned)(sql[1] - '0');
        if (number > 0) // otherwise '?' is part of a string literal
            used |= (uint64_t)1 << (number - 1);
    }
    return used;
}

void
mica_sqlite_forget_texts(struct mica_sqlite *sqlite)
{
    for (unsigned i = 0; i < MICA_SQLITE_TEXTS; i++)
        (void)sqlite3_finalize(sqlite->texts[i].statement);
    memset(sqlite->texts, 0, sizeof sqlite->texts);
    sqlite->text_count = 0;
}

// The entry of that text in the hash table, or a free one for it.
static struct mica_sqlite_text *
text_entry(struct mica_sqlite *sqlite, const char *sql)
{
    uintptr_t hash = (uintptr_t)sql;
    unsigned at = (unsigned)((hash >> 4 ^ hash >> 13) % MICA_SQLITE_TEXTS);

    while (sqlite->texts[at].sql != NULL && sqlite->texts[at].sql != sql)
        at = (at + 1) % MICA_SQLITE_TEXTS;
    return &sqlite->texts[at];
}

static int
prepare_text(struct mica_sqlite *sqlite, const char *sql,
             struct mica_sqlite_text **text_out)
{
    struct mica_sqlite_text *text = text_entry(sqlite, sql);
    int code;

    if (text->sql == NULL) {
        if (sqlite->text_count == MICA_SQLITE_TEXTS / 4 * 3) {
            mica_sqlite_forget_texts(sqlite);
            text = text_entry(sqlite, sql);
        }
        code =
            sqlite3_prepare_v3(sqlite->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                               &text->statement, NULL);
        if (code != SQLITE_OK)
            return code;
        text->sql = sql;
        text->used = values_of(sql);
        sqlite->text_count++;
    }
    *text_out = text;
    return SQLITE_OK;
}

// Binds without a copy: the value outlives the step.
static int
bind_value(sqlite3_stmt *statement, int at, char kind,
           const union mica_store_value *value)
{
    const char *ptr;

    if (kind == 'n')
        return sqlite3_bind_int64(statement, at, value->number);
    ptr = value->text.ptr != NULL ? value->text.ptr : "";
    if (kind == 't')
        return sqlite3_bind_text64(statement, at, ptr, value->text.len,
                                   SQLITE_STATIC, SQLITE_UTF8);
    return sqlite3_bind_blob64(statement, at, ptr, value->text.len,
                               SQLITE_STATIC);
}

static int
bind_values(const struct mica_sqlite_text *text, const char *takes,
            const union mica_store_value *values)
{
    int code = SQLITE_OK;

    for (unsigned i = 0; takes[i] != '\0' && code == SQLITE_OK; i++) {
        if ((text->used >> i & 1) != 0)
            code =
                bind_value(text->statement, (int)i + 1, takes[i], &values[i]);
    }
    return code;
}

// ---- Read ----------------------------------------------------------------------

// Copies the current row of a statement. Returns false if there is no memory.
static bool
read_columns(sqlite3_stmt *statement, const char *gives,
             struct mica_arena *arena, union mica_store_value *values)
{
    for (int i = 0; gives[i] != '\0'; i++) {
        struct mica_text text;
        if (gives[i] == 'n') {
            values[i].number = sqlite3_column_int64(statement, i);
            continue;
        }
        text.ptr = sqlite3_column_blob(statement, i);
        text.len = (size_t)sqlite3_column_bytes(statement, i);
        if (text.ptr == NULL && text.len > 0)
            return false;
        values[i].text = mica_arena_text(arena, text);
        if (values[i].text.ptr == NULL)
            return false;
    }
    return true;
}

struct reading {
    union mica_store_value *values;
    size_t count, capacity, width; // in rows, rows, columns
};

static bool
reading_grow(struct reading *reading, struct mica_arena *arena)
{
    size_t more = reading->capacity == 0 ? 1 : reading->capacity * 4;
    union mica_store_value *values;

    if (reading->count < reading->capacity)
        return true;
    values = mica_arena_zero(arena, more * reading->width, sizeof *values);
    if (values == NULL)
        return false;
    if (reading->count > 0)
        memcpy(values, reading->values,
               reading->count * reading->width * sizeof *values);
    reading->values = values;
    reading->capacity = more;
    return true;
}

static bool
read_one(sqlite3_stmt *statement, const char *gives, struct mica_arena *arena,
         struct reading *reading)
{
    if (!reading_grow(reading, arena) ||
        !read_columns(statement, gives, arena,
                      reading->values + reading->count * reading->width))
        return false;
    reading->count++;
    return true;
}

// ---- Run -----------------------------------------------------------------------

static enum mica_status
no_memory(const struct mica_store_operation *operation,
          struct mica_error *error)
{
    return mica_error_set(
        error, MICA_E_LIMIT, "",
        "No memory is left for what the store has given (%s).",
        operation->name);
}

// Sets *met_out if the step has returned or changed a row.
static enum mica_status
run_step(struct mica_sqlite *sqlite, const struct mica_store_part *part,
         unsigned number, struct mica_arena *arena, struct mica_error *error,
         bool *met_out)
{
    const struct mica_store_step *step = &part->operation->steps[number];
    struct mica_store_given *given =
        part->given != NULL ? &part->given[number] : NULL;
    bool wanted = given != NULL && step->gives != NULL && arena != NULL;
    struct reading reading = {.width = step->gives != NULL ? strlen(step->gives)
                                                           : 0};
    struct mica_sqlite_text *text = NULL;
    size_t rows = 0;
    int code = prepare_text(sqlite, step->sql, &text), result, before;
    bool fits = true;

    if (code != SQLITE_OK)
        return mica_sqlite_failed(sqlite, code, "read", error);
    before = sqlite3_total_changes(sqlite->db);
    code = bind_values(text, part->operation->takes, part->values);
    while (code == SQLITE_OK && fits &&
           sqlite3_step(text->statement) == SQLITE_ROW) {
        rows++;
        fits =
            !wanted || read_one(text->statement, step->gives, arena, &reading);
    }
    result = sqlite3_reset(text->statement); // the code of the last step
    code = code == SQLITE_OK ? result : code;
    if (code != SQLITE_OK)
        return mica_sqlite_failed(
            sqlite, code, part->operation->writes ? "write to" : "read", error);
    if (!fits)
        return no_memory(part->operation, error);
    size_t changed = (size_t)(sqlite3_total_changes(sqlite->db) - before);
    *met_out = rows > 0 || changed > 0;
    if (given != NULL)
        *given = (struct mica_store_given){reading.values, reading.count,
                                           reading.width, changed};
    return MICA_OK;
}

static enum mica_status
run_parts(struct mica_sqlite *sqlite, const struct mica_store_part *parts,
          size_t count, struct mica_arena *arena, struct mica_error *error,
          unsigned *refusal_out)
{
    for (size_t i = 0; i < count; i++) {
        const struct mica_store_step *steps = parts[i].operation->steps;
        for (unsigned s = 0; s < MICA_STORE_STEPS && steps[s].sql != NULL;
             s++) {
            bool met = false;
            MICA_TRY(run_step(sqlite, &parts[i], s, arena, error, &met));
            if (!met && steps[s].refusal != 0) {
                *refusal_out = steps[s].refusal;
                return MICA_OK;
            }
        }
    }
    return MICA_OK;
}

static bool
parts_write(const struct mica_store_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].operation->writes)
            return true;
    }
    return false;
}

// A single statement needs no BEGIN, as SQLite makes a transaction around it. But a statement
// that writes and returns rows needs one, to undo it if there is no memory for the rows.
static bool
is_single(const struct mica_store_part *parts, size_t count)
{
    const struct mica_store_operation *operation = parts[0].operation;

    return count == 1 && operation->steps[1].sql == NULL &&
           (!operation->writes || operation->steps[0].gives == NULL);
}

// With the lock held. A writer locks the file at once: if two processes read first and then
// write, one of them would have to start again.
static enum mica_status
run_inside(struct mica_sqlite *sqlite, const struct mica_store_part *parts,
           size_t count, struct mica_arena *arena, struct mica_error *error,
           unsigned *refusal_out)
{
    bool is_write = parts_write(parts, count);
    bool adds_node = is_write && sqlite->path != NULL && !sqlite->has_node;
    bool is_bracketed = adds_node || !is_single(parts, count);
    enum mica_status status =
        is_write ? mica_sqlite_check_files(sqlite, error) : MICA_OK;

    if (status == MICA_OK && is_bracketed)
        status = mica_sqlite_step(
            sqlite, is_write ? MICA_SQLITE_BEGIN_WRITE : MICA_SQLITE_BEGIN_READ,
            error);
    if (status == MICA_OK && adds_node)
        status = mica_sqlite_add_node(sqlite, error);
    if (status == MICA_OK)
        status = run_parts(sqlite, parts, count, arena, error, refusal_out);
    if (is_bracketed && status == MICA_OK && *refusal_out == 0)
        status = mica_sqlite_step(sqlite, MICA_SQLITE_COMMIT, error);
    sqlite->has_node |= adds_node && status == MICA_OK && *refusal_out == 0;
    mica_sqlite_undo(sqlite); // no effect after a commit
    return status;
}

enum mica_status
mica_sqlite_run_parts(void *self, const struct mica_store_part *parts,
                      size_t count, struct mica_arena *arena,
                      struct mica_error *error, unsigned *refusal_out)
{
    struct mica_sqlite *sqlite = self;
    enum mica_status status;
    bool is_long;

    MICA_TRY(mica_timed_lock_enter(&sqlite->timed_lock, error));
    status = run_inside(sqlite, parts, count, arena, error, refusal_out);
    is_long = mica_sqlite_log_is_long(sqlite);
    mica_timed_lock_leave(&sqlite->timed_lock);
    if (is_long)
        mica_sqlite_copy_log(sqlite);
    return status;
}
