// SPDX-License-Identifier: Apache-2.0
//
// Services keep what they must not forget in SQLite: a file each, written ahead,
// and waiting five seconds for another process that writes to it.
//
// mica: libraries sqlite3
#include "database.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

struct database {
    sqlite3 *sqlite;
    pthread_mutex_t lock; // from begin to end
};

static enum mica_status
fail(const struct database *database, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "", "SQLite: %s",
                          sqlite3_errmsg(database->sqlite));
}

static enum mica_status
execute(struct database *database, const char *sql, struct mica_error *error)
{
    return sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK
               ? MICA_OK
               : fail(database, error);
}

// ---- Opening -------------------------------------------------------------------

static enum mica_status
open_file(struct database *database, const char *folder, const char *file,
          struct mica_error *error)
{
    char *path = sqlite3_mprintf("%s/%s", folder, file);
    int code = SQLITE_NOMEM;

    if (path != NULL)
        code = sqlite3_open(path, &database->sqlite);
    sqlite3_free(path);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(database->sqlite, 5000);
    return code == SQLITE_OK ? MICA_OK : fail(database, error);
}

enum mica_status
database_open(const char *folder, const char *file, const char *tables,
              struct mica_error *error, void **database_out)
{
    struct database *database = calloc(1, sizeof *database);
    enum mica_status status;

    if (database == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    pthread_mutex_init(&database->lock, NULL);
    status = open_file(database, folder, file, error);
    if (status == MICA_OK)
        status = execute(database, "PRAGMA journal_mode = WAL", error);
    if (status == MICA_OK)
        status = execute(database, tables, error);
    if (status == MICA_OK)
        *database_out = database;
    else
        database_close(database);
    return status;
}

void
database_close(void *service)
{
    struct database *database = service;

    sqlite3_close(database->sqlite);
    pthread_mutex_destroy(&database->lock);
    free(database);
}

// ---- Statements ----------------------------------------------------------------

struct database_value
database_text(struct mica_text text)
{
    return (struct database_value){.text = text};
}

struct database_value
database_number(int64_t number)
{
    return (struct database_value){.is_number = true, .number = number};
}

enum mica_status
database_begin(struct database *database, struct mica_error *error)
{
    enum mica_status status;

    pthread_mutex_lock(&database->lock);
    status = execute(database, "BEGIN IMMEDIATE", error);
    if (status != MICA_OK)
        pthread_mutex_unlock(&database->lock);
    return status;
}

enum mica_status
database_end(struct database *database, enum mica_status status,
             struct mica_error *error)
{
    if (status == MICA_OK)
        status = execute(database, "COMMIT", error);
    // An error of SQLite may have ended the transaction already.
    if (status != MICA_OK && sqlite3_get_autocommit(database->sqlite) == 0)
        (void)execute(database, "ROLLBACK", NULL);
    pthread_mutex_unlock(&database->lock);
    return status;
}

static int
bind(sqlite3_stmt *statement, int place, const struct database_value *value)
{
    if (value->is_number)
        return sqlite3_bind_int64(statement, place, value->number);
    return sqlite3_bind_text64(statement, place,
                               value->text.len > 0 ? value->text.ptr : "",
                               value->text.len, SQLITE_STATIC, SQLITE_UTF8);
}

enum mica_status
database_run(struct database *database, const char *sql,
             const struct database_value *values, int count,
             int64_t *number_out, struct mica_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, NULL);
    enum mica_status status = MICA_OK;

    for (int i = 0; i < count && code == SQLITE_OK; i++)
        code = bind(statement, i + 1, &values[i]);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW && number_out != NULL)
        *number_out = sqlite3_column_int64(statement, 0);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = fail(database, error);
    sqlite3_finalize(statement);
    return status;
}
