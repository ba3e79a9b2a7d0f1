// SPDX-License-Identifier: Apache-2.0
//
// One database of tools: a SQLite file with what mica keeps for them (tables whose names
// begin with mica_) and what they keep themselves. Inside src/keep.
//
// Threads: one at a time, under `lock`.
#ifndef MICA_KEEP_KEEP_DATABASE_H
#define MICA_KEEP_KEEP_DATABASE_H

#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>

#include "call/keep_provider.h"

enum {
    MICA_KEEP_APPLICATION = 0x6D696B70, // "mikp", in the head of the file
    MICA_KEEP_BUSY_MS = 5000,           // for another process
    MICA_KEEP_RUN_MS = 5000,            // of the statements of a step
    MICA_KEEP_TABLES_MS = 60000,        // of a statement of .tables
    MICA_KEEP_SWEEP = 100,    // marks that one step removes, and entries
    MICA_KEEP_RECLAIMS = 100, // times as many entries, for a full database
    MICA_KEEP_FORMAT = 2      // of mica's own tables
};

// Whose statements are being prepared (keep_authorizer.c).
enum mica_keep_mode {
    MICA_KEEP_BY_MICA,
    MICA_KEEP_BY_TABLES, // a statement of .tables
    MICA_KEEP_BY_TOOL
};

struct mica_keep_database {
    struct mica_keep_database *next; // of the service
    char *namez;                     // owned
    struct mica_text name;           // the same
    char path[PATH_MAX];
    sqlite3 *sqlite;
    pthread_mutex_t lock; // of a transaction
    enum mica_keep_mode mode;
    const char *refused; // what the authorizer refused last, or NULL
    uint64_t deadline_ns;
    const atomic_bool *cancelled; // or NULL
    bool replayed;                // the last order was answered by a mark
    unsigned expired;             // entries that it has removed
};

// ---- keep_file.c -------------------------------------------------------------------

// Opens or makes database->path, and its tables. Errors: MICA_E_KEEP, MICA_E_KEEP_BUSY,
// MICA_E_LIMIT.
enum mica_status mica_keep_database_open(struct mica_keep_database *database,
                                         uint32_t megabytes,
                                         struct mica_error *error)
    MICA_MUST_USE;
void mica_keep_database_close(struct mica_keep_database *database);

// Says what a code of SQLite means. Returns the status.
enum mica_status mica_keep_failed(struct mica_keep_database *database, int code,
                                  struct mica_error *error);

// Runs a statement of mica without parameters and rows.
enum mica_status mica_keep_exec(struct mica_keep_database *database,
                                const char *sql, struct mica_error *error);

// Prepares a statement of mica.
enum mica_status mica_keep_prepare(struct mica_keep_database *database,
                                   const char *sql, struct mica_error *error,
                                   sqlite3_stmt **statement_out) MICA_MUST_USE;

// Finalizes it after its last step, whose code may be a row, an end or a failure.
enum mica_status mica_keep_finish(struct mica_keep_database *database,
                                  sqlite3_stmt *statement, int code,
                                  struct mica_error *error);

int mica_keep_bind_text(sqlite3_stmt *statement, int place,
                        struct mica_text text);
struct mica_text mica_keep_column_text(sqlite3_stmt *statement, int column);

// From now on statements have that many milliseconds.
void mica_keep_set_deadline(struct mica_keep_database *database, unsigned ms);

// ---- keep_authorizer.c -------------------------------------------------------------

// What sqlite3_set_authorizer gets, with the database.
int mica_keep_authorize(void *data, int action, const char *first,
                        const char *second, const char *schema,
                        const char *trigger);

// ---- keep_tables.c -----------------------------------------------------------------

// Compares the statements of a tool with those that the database has run, in a
// transaction; runs those that are missing if it `writes`, and otherwise says that some
// are. Errors: MICA_E_KEEP_TABLES, those of the statements.
enum mica_status mica_keep_tables(struct mica_keep_database *database,
                                  const char *const *tables, bool writes,
                                  struct mica_error *error, bool *missing_out)
    MICA_MUST_USE;

// ---- keep_entries.c, keep_rows.c ----------------------------------------------------

// The acts, in a transaction. The answer goes to `answer`, which has the limit.
enum mica_status mica_keep_entries_run(struct mica_keep_database *database,
                                       const struct mica_keep_order *order,
                                       struct mica_error *error,
                                       struct mica_buffer *answer)
    MICA_MUST_USE;
// *changes_out: a statement changes something. In a transaction that only reads it does
// not run then.
enum mica_status mica_keep_rows_run(struct mica_keep_database *database,
                                    const struct mica_keep_order *order,
                                    bool writes, struct mica_error *error,
                                    struct mica_buffer *answer,
                                    bool *changes_out) MICA_MUST_USE;

// Prepares one statement of a tool.
enum mica_status
mica_keep_rows_prepare(struct mica_keep_database *database,
                       enum mica_keep_mode mode, const char *sql,
                       struct mica_error *error, sqlite3_stmt **statement_out)
    MICA_MUST_USE;

// ---- keep_sweep.c ------------------------------------------------------------------

// Removes up to MICA_KEEP_SWEEP marks whose time has passed, and as many entries. In a
// transaction.
enum mica_status mica_keep_sweep(struct mica_keep_database *database,
                                 int64_t now, struct mica_error *error)
    MICA_MUST_USE;

// The same of entries alone, in a transaction of its own: makes room in a full database.
// False when it has removed nothing.
bool mica_keep_reclaim(struct mica_keep_database *database, int64_t now);

// ---- keep_order.c ------------------------------------------------------------------

// Runs an order in a transaction of its own, with its mark.
enum mica_status mica_keep_order_run(struct mica_keep_database *database,
                                     const struct mica_keep_order *order,
                                     struct mica_arena *arena,
                                     struct mica_error *error) MICA_MUST_USE;

#endif
