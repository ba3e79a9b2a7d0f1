// SPDX-License-Identifier: Apache-2.0
//
// The statements of .tables: each runs once in a database, in their order. The database
// remembers a hash of each, and whether an older tool can work with what it did.
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "keep/keep_database.h"

static int64_t
sql_hash(const char *sql)
{
    return (int64_t)mica_hash_text(mica_text(sql));
}

// ---- Does it only add? -------------------------------------------------------------

static const char *
skip_blanks(const char *at)
{
    for (;;) {
        const char *end = NULL;

        at += strspn(at, " \t\r\n\f");
        if (at[0] == '-' && at[1] == '-')
            end = strchr(at, '\n');
        else if (at[0] == '/' && at[1] == '*')
            end = strstr(at, "*/");
        else
            return at;
        if (end == NULL)
            return at + strlen(at);
        at = end + (end[0] == '*' ? 2 : 1);
    }
}

// Takes a word or a quoted name.
static struct mica_text
next_word(const char **at)
{
    const char *start = skip_blanks(*at), *end = start;
    const char *quotes = "\"\"``[]''", *quote = NULL;

    if (*start != '\0')
        quote = strchr(quotes, *start);
    if (quote != NULL && (quote - quotes) % 2 == 0 &&
        strchr(start + 1, quote[1]) != NULL)
        end = strchr(start + 1, quote[1]) + 1;
    else
        end += strcspn(start, " \t\r\n\f(;");
    *at = end;
    return (struct mica_text){start, (size_t)(end - start)};
}

static bool
word_is(struct mica_text word, const char *wanted)
{
    return word.len == strlen(wanted) &&
           strncasecmp(word.ptr, wanted, word.len) == 0;
}

// A table, index or view more, or a column: the statements of an older tool still work.
static bool
only_adds(const char *sql)
{
    struct mica_text first = next_word(&sql), second = next_word(&sql);

    if (word_is(first, "CREATE"))
        return word_is(second, "TABLE") || word_is(second, "INDEX") ||
               word_is(second, "VIEW");
    if (!word_is(first, "ALTER") || !word_is(second, "TABLE"))
        return false;
    (void)next_word(&sql);
    return word_is(next_word(&sql), "ADD");
}

// ---- Comparing ---------------------------------------------------------------------

// One statement that the database has run: the tool must have it, or be able to do
// without.
static enum mica_status
compare_one(const struct mica_keep_database *database, const char *tool_sql,
            int64_t number, int64_t hash, bool adds, struct mica_error *error)
{
    if (tool_sql != NULL && sql_hash(tool_sql) != hash)
        return mica_error_set(error, MICA_E_KEEP_TABLES, "",
                              "statement %lld of .tables is not the one that "
                              "has made the database %.*s; put it back as it "
                              "was, and add another one at the end",
                              (long long)number, MICA_ARG(database->name));
    if (tool_sql == NULL && !adds)
        return mica_error_set(error, MICA_E_KEEP_TABLES, "",
                              "the database %.*s was changed by a newer "
                              "version of the tool: statement %lld of its "
                              ".tables is not known here; use that version",
                              MICA_ARG(database->name), (long long)number);
    return MICA_OK;
}

static enum mica_status
compare_tables(struct mica_keep_database *database, const char *const *tables,
               struct mica_error *error, size_t *made_out)
{
    sqlite3_stmt *statement = NULL;
    enum mica_status status;
    size_t made = 0, count = 0;
    int code;

    while (tables != NULL && tables[count] != NULL)
        count++;
    MICA_TRY(mica_keep_prepare(
        database, "SELECT number, hash, adds FROM mica_tables ORDER BY number",
        error, &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = compare_one(database, made < count ? tables[made] : NULL,
                             sqlite3_column_int64(statement, 0),
                             sqlite3_column_int64(statement, 1),
                             sqlite3_column_int64(statement, 2) != 0, error);
        if (status != MICA_OK) {
            (void)sqlite3_finalize(statement);
            return status;
        }
        made++;
    }
    *made_out = made;
    return mica_keep_finish(database, statement, code, error);
}

// ---- Making ------------------------------------------------------------------------

static enum mica_status
note_table(struct mica_keep_database *database, const char *sql, size_t number,
           struct mica_error *error)
{
    sqlite3_stmt *statement = NULL;

    MICA_TRY(mica_keep_prepare(database,
                               "INSERT INTO mica_tables VALUES (?1, ?2, ?3)",
                               error, &statement));
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)number);
    (void)sqlite3_bind_int64(statement, 2, sql_hash(sql));
    (void)sqlite3_bind_int64(statement, 3, only_adds(sql));
    return mica_keep_finish(database, statement, sqlite3_step(statement),
                            error);
}

static enum mica_status
make_table(struct mica_keep_database *database, const char *sql, size_t number,
           struct mica_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum mica_status status;
    int code;

    mica_keep_set_deadline(database, MICA_KEEP_TABLES_MS);
    status = mica_keep_rows_prepare(database, MICA_KEEP_BY_TABLES, sql, error,
                                    &statement);
    if (status == MICA_OK) {
        do {
            code = sqlite3_step(statement);
        } while (code == SQLITE_ROW);
        status = mica_keep_finish(database, statement, code, error);
    }
    mica_keep_set_deadline(database, MICA_KEEP_RUN_MS);
    if (status != MICA_OK) {
        mica_error_prefix(error, "statement %zu of .tables", number);
        return status;
    }
    return note_table(database, sql, number, error);
}

enum mica_status
mica_keep_tables(struct mica_keep_database *database, const char *const *tables,
                 bool writes, struct mica_error *error, bool *missing_out)
{
    size_t made = 0, count = 0;

    *missing_out = false;
    MICA_TRY(compare_tables(database, tables, error, &made));
    while (tables != NULL && tables[count] != NULL)
        count++;
    if (made < count && !writes) {
        *missing_out = true;
        return MICA_OK;
    }
    for (; made < count; made++)
        MICA_TRY(make_table(database, tables[made], made + 1, error));
    return MICA_OK;
}
