// SPDX-License-Identifier: Apache-2.0
//
// Removes marks and entries whose time has passed, a bounded number at once. An entry
// whose time has passed counts as absent before it is removed (keep_entries.c).
#include "keep/keep_database.h"

static enum mica_status
sweep_table(struct mica_keep_database *database, const char *sql, int64_t now,
            struct mica_error *error)
{
    sqlite3_stmt *statement = NULL;

    MICA_TRY(mica_keep_prepare(database, sql, error, &statement));
    (void)sqlite3_bind_int64(statement, 1, now);
    (void)sqlite3_bind_int64(statement, 2, MICA_KEEP_SWEEP);
    return mica_keep_finish(database, statement, sqlite3_step(statement),
                            error);
}

static enum mica_status
sweep_entries(struct mica_keep_database *database, int64_t now,
              struct mica_error *error)
{
    MICA_TRY(sweep_table(
        database,
        "DELETE FROM mica_entries WHERE name IN (SELECT name FROM mica_entries"
        " WHERE expires <= ?1 ORDER BY expires LIMIT ?2)",
        now, error));
    database->expired += (unsigned)sqlite3_changes(database->sqlite);
    return MICA_OK;
}

enum mica_status
mica_keep_sweep(struct mica_keep_database *database, int64_t now,
                struct mica_error *error)
{
    MICA_TRY(sweep_entries(database, now, error));
    return sweep_table(
        database,
        "DELETE FROM mica_marks WHERE key IN (SELECT key FROM mica_marks"
        " WHERE expires <= ?1 ORDER BY expires LIMIT ?2)",
        now, error);
}

bool
mica_keep_reclaim(struct mica_keep_database *database, int64_t now)
{
    unsigned before = database->expired;
    struct mica_error ignored;
    bool removed = false;

    mica_keep_set_deadline(database, MICA_KEEP_RUN_MS);
    if (mica_keep_exec(database, "BEGIN IMMEDIATE", &ignored) == MICA_OK &&
        sweep_entries(database, now, &ignored) == MICA_OK)
        removed = database->expired > before;
    if (removed)
        removed = mica_keep_exec(database, "COMMIT", &ignored) == MICA_OK;
    if (sqlite3_get_autocommit(database->sqlite) == 0)
        (void)mica_keep_exec(database, "ROLLBACK", &ignored);
    if (!removed)
        database->expired = before;
    return removed;
}
