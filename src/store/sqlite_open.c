// SPDX-License-Identifier: Apache-2.0
//
// Opens a file if it belongs to mica, is sound, and has a known version. Otherwise the file
// stays unchanged: a person decides what to do with it.
#include <string.h>
#include <time.h>

#include "platform/clock.h"
#include "store/hashes.h"
#include "store/schema.h"
#include "store/sqlite.h"

// ---- Owner of the file ---------------------------------------------------------

struct head {
    int64_t application, version, tables;
};

static enum mica_status
read_head(struct mica_sqlite *sqlite, struct mica_error *error,
          struct head *head)
{
    MICA_TRY(mica_sqlite_number(sqlite, "PRAGMA application_id", error,
                                &head->application));
    MICA_TRY(mica_sqlite_number(sqlite, "PRAGMA user_version", error,
                                &head->version));
    return mica_sqlite_number(sqlite, "SELECT count(*) FROM sqlite_schema",
                              error, &head->tables);
}

// In one transaction, as another process may be creating the tables.
static enum mica_status
read_head_at_once(struct mica_sqlite *sqlite, struct mica_error *error,
                  struct head *head)
{
    enum mica_status status;

    MICA_TRY(mica_sqlite_step(sqlite, MICA_SQLITE_BEGIN_READ, error));
    status = read_head(sqlite, error, head);
    mica_sqlite_undo(sqlite);
    return status;
}

static enum mica_status
check_owner(struct mica_sqlite *sqlite, struct mica_error *error,
            int64_t *version_out)
{
    struct head head;

    MICA_TRY(read_head_at_once(sqlite, error, &head));
    bool is_new =
        head.application == 0 && head.version == 0 && head.tables == 0;
    if (head.application != MICA_STORE_APPLICATION && !is_new)
        return mica_error_set(error, MICA_E_IO, "",
                              "%s is a database of another program; name "
                              "another file with --store sqlite:PATH.",
                              sqlite->path);
    if (head.version > MICA_STORE_VERSION)
        return mica_error_set(error, MICA_E_IO, "",
                              "%s was written by a newer mica: its tables are "
                              "of version %lld, and this one knows %d. Use "
                              "that mica, or another file.",
                              sqlite->path, (long long)head.version,
                              MICA_STORE_VERSION);
    *version_out = head.version;
    return MICA_OK;
}

// ---- Integrity -----------------------------------------------------------------

// Does the finding mean that there was no memory to read a page? Then the file may be sound.
static bool
lacked_memory(const char *finding)
{
    static const char words[] = "error code=7"; // SQLITE_NOMEM
    const char *found = strstr(finding, words);

    return found != NULL &&
           (found[sizeof words - 1] < '0' || found[sizeof words - 1] > '9');
}

static enum mica_status
check_pages(struct mica_sqlite *sqlite, struct mica_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum mica_status status = MICA_OK;
    const char *finding;
    int code = sqlite3_prepare_v2(sqlite->db, "PRAGMA quick_check(1)", -1,
                                  &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    finding = code == SQLITE_ROW
                  ? (const char *)sqlite3_column_text(statement, 0)
                  : NULL;
    if (finding == NULL)
        status = mica_sqlite_failed(sqlite, code, "read", error);
    else if (lacked_memory(finding))
        status = mica_sqlite_failed(sqlite, SQLITE_NOMEM, "read", error);
    else if (strcmp(finding, "ok") != 0)
        status = mica_error_set(error, MICA_E_IO, "",
                                "%s is damaged (%.80s). Nothing was changed. "
                                "Move it away, with the files beside it, and "
                                "put a copy back that \"mica store backup\" "
                                "made; or begin without.",
                                sqlite->path, finding);
    (void)sqlite3_finalize(statement);
    // The check has read all pages, and filled the cache with the last of them.
    (void)sqlite3_db_release_memory(sqlite->db);
    return status;
}

// ---- Versions ------------------------------------------------------------------

// The SQL function mica_build(offer, target, version): the number in the column calls.build.
static void
build_number(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct mica_store_build build = {.kind = sqlite3_value_int(values[0])};
    struct mica_text *const texts[] = {&build.target, &build.version};

    (void)count;
    for (int i = 0; i < 2; i++) {
        texts[i]->ptr = (const char *)sqlite3_value_text(values[i + 1]);
        texts[i]->len = (size_t)sqlite3_value_bytes(values[i + 1]);
        if (texts[i]->ptr == NULL) {
            sqlite3_result_error_nomem(context);
            return;
        }
    }
    sqlite3_result_int64(context, mica_store_build_number(&build));
}

// The SQL function mica_owner(issuer, subject): the hash in the column calls.owner.
static void
owner_hash(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct mica_owner owner = {
        .issuer = {(const char *)sqlite3_value_text(values[0]),
                   (size_t)sqlite3_value_bytes(values[0])},
        .subject = {(const char *)sqlite3_value_text(values[1]),
                    (size_t)sqlite3_value_bytes(values[1])}};
    unsigned char hash[32];
    struct mica_text text;

    (void)count;
    if (owner.issuer.ptr == NULL || owner.subject.ptr == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    text = mica_store_caller_of(&owner, hash);
    sqlite3_result_blob(context, text.ptr, (int)text.len, SQLITE_TRANSIENT);
}

static enum mica_status
make_functions(struct mica_sqlite *sqlite, struct mica_error *error)
{
    int code = sqlite3_create_function(sqlite->db, "mica_build", 3,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                       build_number, NULL, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_create_function(sqlite->db, "mica_owner", 2,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                       owner_hash, NULL, NULL);
    return code == SQLITE_OK
               ? MICA_OK
               : mica_sqlite_failed(sqlite, code, "bring up to date", error);
}

static enum mica_status
run_migrations(struct mica_sqlite *sqlite, int64_t have, int version,
               struct mica_error *error)
{
    const char *const tables[] = {mica_store_tables, mica_store_call_tables,
                                  mica_store_app_tables,
                                  mica_store_collection_tables};

    if (have == 0 && version == MICA_STORE_VERSION) {
        for (size_t i = 0; i < MICA_COUNT(tables); i++)
            MICA_TRY(
                mica_sqlite_run(sqlite, tables[i], "make tables in", error));
        return MICA_OK;
    }
    MICA_TRY(make_functions(sqlite, error));
    for (const struct mica_store_migration *next = mica_store_migrations;
         next->sql != NULL; next++) {
        if (next->version > have && next->version <= version)
            MICA_TRY(
                mica_sqlite_run(sqlite, next->sql, "bring up to date", error));
    }
    return MICA_OK;
}

static enum mica_status
sqlite_migrate(struct mica_sqlite *sqlite, int version,
               struct mica_error *error)
{
    char pragma[128];
    int64_t have;

    // Reads the version again, now that no other process can change it.
    MICA_TRY(mica_sqlite_number(sqlite, "PRAGMA user_version", error, &have));
    if (have >= version)
        return MICA_OK;
    MICA_TRY(run_migrations(sqlite, have, version, error));
    (void)sqlite3_snprintf((int)sizeof pragma, pragma,
                           "PRAGMA application_id = %d; "
                           "PRAGMA user_version = %d",
                           MICA_STORE_APPLICATION, version);
    return mica_sqlite_run(sqlite, pragma, "bring up to date", error);
}

enum mica_status
mica_sqlite_migrate(struct mica_sqlite *sqlite, int version,
                    struct mica_error *error)
{
    enum mica_status status;

    MICA_TRY(mica_sqlite_step(sqlite, MICA_SQLITE_BEGIN_WRITE, error));
    status = sqlite_migrate(sqlite, version, error);
    if (status == MICA_OK)
        status = mica_sqlite_step(sqlite, MICA_SQLITE_COMMIT, error);
    mica_sqlite_undo(sqlite);
    return status;
}

// ---- Settings ------------------------------------------------------------------

// Turns on the write-ahead log, with which readers and the one writer do not wait for each
// other. While another process does this to a new file, SQLite returns busy without a wait,
// so this function waits.
static enum mica_status
set_log(struct mica_sqlite *sqlite, struct mica_error *error)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    uint64_t end = mica_clock_ns() + (uint64_t)sqlite->busy_ms * 1000000u;
    sqlite3_stmt *statement = NULL;
    enum mica_status status = MICA_OK;
    const char *mode = NULL;
    int code = sqlite3_prepare_v2(sqlite->db, "PRAGMA journal_mode = WAL", -1,
                                  &statement, NULL);

    while (code == SQLITE_OK &&
           (code = sqlite3_step(statement)) != SQLITE_ROW) {
        code = sqlite3_reset(statement);
        if ((code & 0xFF) != SQLITE_BUSY || mica_clock_ns() >= end)
            break;
        (void)nanosleep(&moment, NULL);
        code = SQLITE_OK;
    }
    if (code == SQLITE_ROW)
        mode = (const char *)sqlite3_column_text(statement, 0);
    if (code != SQLITE_ROW)
        status = mica_sqlite_failed(sqlite, code, "write to", error);
    else if (mode == NULL || strcmp(mode, "wal") != 0)
        status = mica_error_set(error, MICA_E_IO, "",
                                "The file system of %s has no shared memory "
                                "(a network's?); keep the store on a local "
                                "disk.",
                                sqlite->path);
    (void)sqlite3_finalize(statement);
    return status;
}

// synchronous=NORMAL: a commit is in the log, so it survives the end of any process; SQLite
// syncs the log at a checkpoint. A loss of power may lose the last moments, but never half of
// a transaction.
static const char settings[] = "PRAGMA synchronous = NORMAL;"
                               "PRAGMA foreign_keys = ON;"
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA secure_delete = FAST;"
                               "PRAGMA journal_size_limit = 67108864;";

enum mica_status
mica_sqlite_prepare(struct mica_sqlite *sqlite, bool pages_trusted,
                    struct mica_error *error)
{
    int64_t version = 0;

    if (sqlite->path == NULL) {
        MICA_TRY(mica_sqlite_migrate(sqlite, MICA_STORE_VERSION, error));
        return mica_sqlite_run(sqlite, settings, "set up", error);
    }
    MICA_TRY(check_owner(sqlite, error, &version));
    if (!pages_trusted || version < MICA_STORE_VERSION)
        MICA_TRY(check_pages(sqlite, error));
    MICA_TRY(set_log(sqlite, error));
    // Before foreign keys are on: version 10 replaces tables.
    if (version < MICA_STORE_VERSION)
        MICA_TRY(mica_sqlite_migrate(sqlite, MICA_STORE_VERSION, error));
    MICA_TRY(mica_sqlite_run(sqlite, settings, "set up", error));
    mica_sqlite_watch_log(sqlite);
    mica_sqlite_note_files(sqlite);
    return MICA_OK;
}
