// SPDX-License-Identifier: Apache-2.0
//
// The back end in a SQLite file: one connection, which one lock guards. Readers do not run
// in parallel, and need not: reading a session takes microseconds. SQLite locks the file
// between processes; this file waits for that lock itself, to limit and count the waits.
#include "store/sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "store/path.h"
#include "store/schema.h"

// ---- Failures ------------------------------------------------------------------

// The name of the store, for messages.
static const char *
sqlite_name(const struct mica_sqlite *sqlite)
{
    return sqlite->path != NULL ? sqlite->path : "the store in memory";
}

static enum mica_status
sqlite_damaged(const struct mica_sqlite *sqlite, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "",
                          "%s is damaged (%s). Nothing was changed. Move it "
                          "away, with the files beside it, and put a copy "
                          "back that \"mica store backup\" made; or begin "
                          "without.",
                          sqlite_name(sqlite), sqlite3_errmsg(sqlite->db));
}

enum mica_status
mica_sqlite_failed(const struct mica_sqlite *sqlite, int code,
                   const char *doing, struct mica_error *error)
{
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return mica_error_set(error, MICA_E_BUSY, "",
                              "Other processes have held %s for %u ms; try "
                              "again.",
                              sqlite_name(sqlite), sqlite->busy_ms);
    case SQLITE_NOMEM:
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "No memory is left to %s %s.", doing,
                              sqlite_name(sqlite));
    case SQLITE_FULL:
        return mica_error_set(error, MICA_E_IO, "",
                              "There is no room to %s %s: the disk is full. "
                              "Make room, or move the store.",
                              doing, sqlite_name(sqlite));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return sqlite_damaged(sqlite, error);
    default:
        return mica_error_set(error, MICA_E_IO, "", "Cannot %s %s (%s).", doing,
                              sqlite_name(sqlite), sqlite3_errmsg(sqlite->db));
    }
}

enum mica_status
mica_sqlite_run(struct mica_sqlite *sqlite, const char *sql, const char *doing,
                struct mica_error *error)
{
    int code = sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? MICA_OK
                             : mica_sqlite_failed(sqlite, code, doing, error);
}

enum mica_status
mica_sqlite_number(struct mica_sqlite *sqlite, const char *sql,
                   struct mica_error *error, int64_t *number_out)
{
    sqlite3_stmt *statement = NULL;
    enum mica_status status = MICA_OK;
    int code = sqlite3_prepare_v2(sqlite->db, sql, -1, &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number_out = sqlite3_column_int64(statement, 0);
    else
        status = mica_sqlite_failed(sqlite, code, "read", error);
    (void)sqlite3_finalize(statement);
    return status;
}

// ---- Connections ---------------------------------------------------------------

// SQLite calls this while another process has locked the file. Waits a moment; returns 0,
// which ends the wait, after busy_ms.
static int
on_busy(void *data, int count)
{
    struct mica_sqlite *sqlite = data;
    struct timespec moment = {.tv_nsec =
                                  count < 5 ? 1000000L << count : 32000000L};
    uint64_t now = mica_clock_ns();

    if (count == 0)
        sqlite->busy_since = now;
    if (now - sqlite->busy_since >= (uint64_t)sqlite->busy_ms * 1000000u) {
        sqlite->waits_vain++;
        return 0;
    }
    sqlite->waits_ended += count == 0;
    (void)nanosleep(&moment, NULL);
    return 1;
}

static int
prepare_brackets(struct mica_sqlite *sqlite)
{
    static const char *const texts[MICA_SQLITE_BRACKETS] = {
        [MICA_SQLITE_BEGIN_READ] = "BEGIN",
        [MICA_SQLITE_BEGIN_WRITE] = "BEGIN IMMEDIATE",
        [MICA_SQLITE_COMMIT] = "COMMIT",
        [MICA_SQLITE_ROLLBACK] = "ROLLBACK"};
    int code = SQLITE_OK;

    for (unsigned i = 0; i < MICA_SQLITE_BRACKETS && code == SQLITE_OK; i++)
        code = sqlite3_prepare_v3(sqlite->db, texts[i], -1,
                                  SQLITE_PREPARE_PERSISTENT,
                                  &sqlite->brackets[i], NULL);
    return code;
}

enum mica_status
mica_sqlite_connect(struct mica_sqlite *sqlite, const char *path,
                    unsigned busy_ms, struct mica_error *error)
{
    int code;

    sqlite->busy_ms = busy_ms;
    sqlite->path = path != NULL ? realpath(path, NULL) : NULL;
    if (path != NULL && sqlite->path == NULL)
        return errno == ENOMEM
                   ? mica_error_set(error, MICA_E_LIMIT, "",
                                    "No memory is left to open %s.", path)
                   : mica_error_set(error, MICA_E_IO, "",
                                    "Cannot find %s (%s).", path,
                                    strerror(errno));
    code = sqlite3_open_v2(
        path != NULL ? sqlite->path : ":memory:", &sqlite->db,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
        NULL);
    if (code == SQLITE_OK)
        code = prepare_brackets(sqlite);
    if (code != SQLITE_OK)
        return mica_sqlite_failed(sqlite, code, "open", error);
    (void)sqlite3_extended_result_codes(sqlite->db, 1);
    (void)sqlite3_busy_handler(sqlite->db, on_busy, sqlite);
    return MICA_OK;
}

void
mica_sqlite_disconnect(struct mica_sqlite *sqlite)
{
    for (unsigned i = 0; i < MICA_SQLITE_BRACKETS; i++)
        (void)sqlite3_finalize(sqlite->brackets[i]);
    mica_sqlite_forget_log(sqlite);
    (void)sqlite3_close(sqlite->db);
    free(sqlite->path);
}

// ---- Transactions --------------------------------------------------------------

enum mica_status
mica_sqlite_step(struct mica_sqlite *sqlite, enum mica_sqlite_bracket bracket,
                 struct mica_error *error)
{
    sqlite3_stmt *statement = sqlite->brackets[bracket];
    int code;

    (void)sqlite3_step(statement);
    code = sqlite3_reset(statement); // the code of the step
    return code == SQLITE_OK
               ? MICA_OK
               : mica_sqlite_failed(sqlite, code, "write to", error);
}

void
mica_sqlite_undo(struct mica_sqlite *sqlite)
{
    sqlite3_stmt *statement = sqlite->brackets[MICA_SQLITE_ROLLBACK];

    if (sqlite->db == NULL || sqlite3_get_autocommit(sqlite->db) != 0)
        return;
    (void)sqlite3_step(statement);
    (void)sqlite3_reset(statement);
}
