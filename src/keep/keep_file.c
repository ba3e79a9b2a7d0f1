// SPDX-License-Identifier: Apache-2.0
//
// A file of SQLite: opening, mica's own tables in it, and what its codes mean. Commits
// are synced (synchronous = FULL): the journal of a call must not say of an effect that
// it is done when a loss of power can take the effect back.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "keep/keep_database.h"
#include "platform/clock.h"

enum {
    PAGE_BYTES = 4096,
    DEFAULT_MEGABYTES = 256,
    PROGRESS_STEPS = 1000, // of SQLite's machine, between looks at the clock
    LENGTH_BYTES = 1 << 20,
    SQL_PARAMETERS = 64
};

// ---- Failures ----------------------------------------------------------------------

static enum mica_status
keep_interrupted(const struct mica_keep_database *database,
                 struct mica_error *error)
{
    if (database->cancelled != NULL && atomic_load(database->cancelled))
        return mica_error_set(error, MICA_E_CANCELLED, "",
                              "the call was cancelled");
    return mica_error_set(error, MICA_E_KEEP_TIME, "",
                          "the statements ran for more than %d ms on %.*s; "
                          "read less at once, or add an index",
                          MICA_KEEP_RUN_MS, MICA_ARG(database->name));
}

static enum mica_status
keep_is_full(const struct mica_keep_database *database,
             struct mica_error *error)
{
    if (sqlite3_system_errno(database->sqlite) == ENOSPC)
        return mica_error_set(error, MICA_E_KEEP, "",
                              "there is no room to write to %s: the disk is "
                              "full",
                              database->path);
    return mica_error_set(error, MICA_E_KEEP_FULL, "",
                          "the database %.*s is as large as it may be; remove "
                          "something, or raise keep.megabytes",
                          MICA_ARG(database->name));
}

// Of statements of tools and of .tables; mica's own do not fail so.
static enum mica_status
keep_sql_wrong(const struct mica_keep_database *database, int code,
               struct mica_error *error)
{
    if (code == SQLITE_AUTH && database->refused != NULL)
        return mica_error_set(error, MICA_E_KEEP_SQL, "",
                              "a statement may not use %s here; see \"What "
                              "statements may do\" in docs/keep.md",
                              database->refused);
    return mica_error_set(error, MICA_E_KEEP_SQL, "", "SQLite: %s",
                          sqlite3_errmsg(database->sqlite));
}

enum mica_status
mica_keep_failed(struct mica_keep_database *database, int code,
                 struct mica_error *error)
{
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return mica_error_set(error, MICA_E_KEEP_BUSY, "",
                              "another process has held the database %.*s for "
                              "%d ms; try again",
                              MICA_ARG(database->name), MICA_KEEP_BUSY_MS);
    case SQLITE_INTERRUPT:
        return keep_interrupted(database, error);
    case SQLITE_FULL:
        return keep_is_full(database, error);
    case SQLITE_CONSTRAINT:
        return mica_error_set(error, MICA_E_KEEP_RULE, "", "SQLite: %s",
                              sqlite3_errmsg(database->sqlite));
    case SQLITE_TOOBIG:
        return mica_error_set(error, MICA_E_KEEP_SIZE, "",
                              "a value or a row has more than %d bytes",
                              LENGTH_BYTES);
    case SQLITE_NOMEM:
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    case SQLITE_ERROR:
    case SQLITE_AUTH:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE:
        if (database->mode != MICA_KEEP_BY_MICA)
            return keep_sql_wrong(database, code & 0xFF, error);
        break;
    default:
        break;
    }
    return mica_error_set(error, MICA_E_KEEP, "", "cannot use %s (%s)",
                          database->path, sqlite3_errmsg(database->sqlite));
}

// ---- Statements of mica ------------------------------------------------------------

enum mica_status
mica_keep_exec(struct mica_keep_database *database, const char *sql,
               struct mica_error *error)
{
    int code;

    database->mode = MICA_KEEP_BY_MICA;
    code = sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? MICA_OK
                             : mica_keep_failed(database, code, error);
}

enum mica_status
mica_keep_prepare(struct mica_keep_database *database, const char *sql,
                  struct mica_error *error, sqlite3_stmt **statement_out)
{
    int code;

    database->mode = MICA_KEEP_BY_MICA;
    code = sqlite3_prepare_v2(database->sqlite, sql, -1, statement_out, NULL);
    return code == SQLITE_OK ? MICA_OK
                             : mica_keep_failed(database, code, error);
}

enum mica_status
mica_keep_finish(struct mica_keep_database *database, sqlite3_stmt *statement,
                 int code, struct mica_error *error)
{
    enum mica_status status =
        code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE
            ? MICA_OK
            : mica_keep_failed(database, code, error);

    (void)sqlite3_finalize(statement);
    return status;
}

int
mica_keep_bind_text(sqlite3_stmt *statement, int place, struct mica_text text)
{
    return sqlite3_bind_text64(statement, place, text.len > 0 ? text.ptr : "",
                               text.len, SQLITE_STATIC, SQLITE_UTF8);
}

struct mica_text
mica_keep_column_text(sqlite3_stmt *statement, int column)
{
    const void *bytes = sqlite3_column_text(statement, column);

    return (struct mica_text){bytes,
                              (size_t)sqlite3_column_bytes(statement, column)};
}

// ---- Time --------------------------------------------------------------------------

void
mica_keep_set_deadline(struct mica_keep_database *database, unsigned ms)
{
    database->deadline_ns = mica_clock_ns() + (uint64_t)ms * 1000000u;
}

// SQLite calls this while a statement runs; anything but 0 ends it.
static int
on_progress(void *data)
{
    const struct mica_keep_database *database = data;

    return (database->cancelled != NULL && atomic_load(database->cancelled)) ||
           mica_clock_ns() > database->deadline_ns;
}

// ---- Opening -----------------------------------------------------------------------

static enum mica_status
read_number(struct mica_keep_database *database, const char *sql,
            struct mica_error *error, int64_t *number_out)
{
    sqlite3_stmt *statement = NULL;
    int code;

    MICA_TRY(mica_keep_prepare(database, sql, error, &statement));
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number_out = sqlite3_column_int64(statement, 0);
    return mica_keep_finish(database, statement, code, error);
}

// Tables of the first format, to which make_tables adds what later ones have.
static enum mica_status
make_first_tables(struct mica_keep_database *database, struct mica_error *error)
{
    return mica_keep_exec(
        database,
        "CREATE TABLE mica_entries (name TEXT PRIMARY KEY NOT NULL,"
        " version INTEGER NOT NULL, value TEXT NOT NULL) STRICT;"
        "CREATE TABLE mica_state (version INTEGER NOT NULL) STRICT;"
        "INSERT INTO mica_state VALUES (0);"
        "CREATE TABLE mica_marks (key TEXT PRIMARY KEY NOT NULL,"
        " answer TEXT NOT NULL, expires INTEGER NOT NULL) STRICT;"
        "CREATE INDEX mica_marks_expires ON mica_marks (expires);"
        "CREATE TABLE mica_tables (number INTEGER PRIMARY KEY,"
        " hash INTEGER NOT NULL, adds INTEGER NOT NULL) STRICT;"
        "PRAGMA application_id = 1835625328",
        error);
}

// Format 2: entries may expire.
static enum mica_status
add_expiry(struct mica_keep_database *database, struct mica_error *error)
{
    return mica_keep_exec(
        database,
        "ALTER TABLE mica_entries ADD expires INTEGER;"
        "CREATE INDEX mica_entries_expires ON mica_entries (expires)"
        " WHERE expires IS NOT NULL;"
        "PRAGMA user_version = 2",
        error);
}

static enum mica_status
make_tables(struct mica_keep_database *database, struct mica_error *error)
{
    MICA_TRY(make_first_tables(database, error));
    return add_expiry(database, error);
}

// In a transaction: makes the tables of an empty file, brings those of an older mica up to
// date, and refuses another program's.
static enum mica_status
check_file(struct mica_keep_database *database, struct mica_error *error)
{
    int64_t application = 0, format = 0, tables = 0;

    MICA_TRY(
        read_number(database, "PRAGMA application_id", error, &application));
    MICA_TRY(read_number(database, "PRAGMA user_version", error, &format));
    MICA_TRY(read_number(database, "SELECT count(*) FROM sqlite_schema", error,
                         &tables));
    if (application == 0 && tables == 0)
        return make_tables(database, error);
    if (application != MICA_KEEP_APPLICATION)
        return mica_error_set(error, MICA_E_KEEP, "",
                              "%s is a file of another program",
                              database->path);
    if (format > MICA_KEEP_FORMAT)
        return mica_error_set(error, MICA_E_KEEP, "",
                              "%s was written by a newer mica; use that one",
                              database->path);
    return format < MICA_KEEP_FORMAT ? add_expiry(database, error) : MICA_OK;
}

static enum mica_status
set_up(struct mica_keep_database *database, uint32_t megabytes,
       struct mica_error *error)
{
    long long pages = (megabytes > 0 ? megabytes : DEFAULT_MEGABYTES) *
                      (1048576LL / PAGE_BYTES);
    char sql[64];
    enum mica_status status;

    (void)snprintf(sql, sizeof sql, "PRAGMA max_page_count = %lld", pages);
    MICA_TRY(mica_keep_exec(database, sql, error));
    MICA_TRY(mica_keep_exec(database, "PRAGMA synchronous = FULL", error));
    MICA_TRY(mica_keep_exec(database, "PRAGMA foreign_keys = ON", error));
    MICA_TRY(mica_keep_exec(database, "BEGIN IMMEDIATE", error));
    status = check_file(database, error);
    if (status == MICA_OK)
        status = mica_keep_exec(database, "COMMIT", error);
    if (sqlite3_get_autocommit(database->sqlite) == 0)
        (void)mica_keep_exec(database, "ROLLBACK", NULL);
    return status;
}

// Two processes may do this at once; SQLite does not wait here by itself.
static enum mica_status
write_ahead(struct mica_keep_database *database, struct mica_error *error)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    enum mica_status status;

    do {
        status = mica_keep_exec(database, "PRAGMA journal_mode = WAL", error);
        if (status == MICA_E_KEEP_BUSY)
            (void)nanosleep(&moment, NULL);
    } while (status == MICA_E_KEEP_BUSY &&
             mica_clock_ns() < database->deadline_ns);
    return status;
}

static int
connect_file(struct mica_keep_database *database)
{
    sqlite3 *sqlite;
    int code =
        sqlite3_open_v2(database->path, &database->sqlite,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                            SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW,
                        NULL);

    if (code != SQLITE_OK)
        return code;
    sqlite = database->sqlite;
    (void)sqlite3_extended_result_codes(sqlite, 1);
    (void)sqlite3_busy_timeout(sqlite, MICA_KEEP_BUSY_MS);
    (void)sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    (void)sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    (void)sqlite3_limit(sqlite, SQLITE_LIMIT_ATTACHED, 0);
    (void)sqlite3_limit(sqlite, SQLITE_LIMIT_LENGTH, LENGTH_BYTES);
    (void)sqlite3_limit(sqlite, SQLITE_LIMIT_VARIABLE_NUMBER, SQL_PARAMETERS);
    (void)sqlite3_set_authorizer(sqlite, mica_keep_authorize, database);
    sqlite3_progress_handler(sqlite, PROGRESS_STEPS, on_progress, database);
    return SQLITE_OK;
}

enum mica_status
mica_keep_database_open(struct mica_keep_database *database, uint32_t megabytes,
                        struct mica_error *error)
{
    // The files that SQLite makes beside it have the same access.
    int file =
        open(database->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int code;

    if (file < 0)
        return mica_error_set(error, MICA_E_KEEP, "", "cannot open %s: %s",
                              database->path, strerror(errno));
    (void)close(file);
    mica_keep_set_deadline(database, MICA_KEEP_BUSY_MS);
    code = connect_file(database);
    if (code != SQLITE_OK)
        return mica_keep_failed(database, code, error);
    MICA_TRY(write_ahead(database, error));
    return set_up(database, megabytes, error);
}

void
mica_keep_database_close(struct mica_keep_database *database)
{
    (void)sqlite3_close(database->sqlite);
    database->sqlite = NULL;
}
