// SPDX-License-Identifier: Apache-2.0
//
// What the files of the SQLite back end share: one connection to one file, and
// how its failures are told.
#ifndef MICA_STORE_SQLITE_H
#define MICA_STORE_SQLITE_H

#include <stdatomic.h>

#include <sqlite3.h>

#include "store/backend.h"
#include "store/gate.h"

enum {
    STATEMENTS = 128 // that are kept prepared
};

// What frames the rest. These statements are prepared at once: a transaction has
// to be ended also when no memory is left to prepare anything.
enum mica_sqlite_frame {
    MICA_SQLITE_BEGIN_READ,
    MICA_SQLITE_BEGIN_WRITE,
    MICA_SQLITE_COMMIT,
    MICA_SQLITE_ROLLBACK,
    MICA_SQLITE_FRAMES
};

// The log of commits beside the file (sqlite_log.c).
struct mica_sqlite_log {
    int pages;           // behind the last commit here; with the gate
    atomic_int copied;   // of them, as far as this process knows
    atomic_bool copying; // one thread does, and has `db`
    sqlite3 *db;         // opened when the log is first copied
};

struct mica_sqlite {
    struct mica_gate gate; // around the connection
    sqlite3 *db;
    char *path; // absolute
    unsigned busy_ms;
    uint64_t busy_since;              // when the wait for others began
    uint64_t waits_ended, waits_vain; // for other processes
    sqlite3_stmt *frames[MICA_SQLITE_FRAMES];
    uint64_t keys[STATEMENTS]; // what each statement does
    sqlite3_stmt *statements[STATEMENTS];
    unsigned statement_count, replaced;
    int lock_file;    // -1: not open
    int64_t node;     // of this process; 0: not locked yet
    bool has_node;    // its row is written
    bool writes_node; // by the transaction that is open
    struct mica_sqlite_log log;
};

// `error` for the last failure on `sqlite->db`, whose code is `code`; `doing`
// names what was tried ("write to").
enum mica_status mica_sqlite_failed(const struct mica_sqlite *sqlite, int code,
                                    const char *doing,
                                    struct mica_error *error);

// Runs SQL text that gives no rows.
enum mica_status mica_sqlite_run(struct mica_sqlite *sqlite, const char *sql,
                                 const char *doing, struct mica_error *error)
    MICA_MUST_USE;

// The number in the first column of the first row.
enum mica_status mica_sqlite_number(struct mica_sqlite *sqlite, const char *sql,
                                    struct mica_error *error,
                                    int64_t *number_out) MICA_MUST_USE;

// Opens `path`, which is there, and waits for others as `busy_ms` says. Owner:
// the caller, until mica_sqlite_disconnect, also on failure.
enum mica_status mica_sqlite_connect(struct mica_sqlite *sqlite,
                                     const char *path, unsigned busy_ms,
                                     struct mica_error *error) MICA_MUST_USE;
void mica_sqlite_disconnect(struct mica_sqlite *sqlite);

// Begins or commits.
enum mica_status mica_sqlite_step(struct mica_sqlite *sqlite,
                                  enum mica_sqlite_frame frame,
                                  struct mica_error *error) MICA_MUST_USE;

// Undoes what is open, if anything is: some failures end it by themselves.
void mica_sqlite_undo(struct mica_sqlite *sqlite);

// Sees to it that the file is ours, sound and of this version, and sets up the
// connection (sqlite_open.c).
enum mica_status mica_sqlite_prepare(struct mica_sqlite *sqlite,
                                     struct mica_error *error) MICA_MUST_USE;

// ---- The log of commits (sqlite_log.c) ------------------------------------------

// From here on SQLite copies the log by itself only when it is very long.
void mica_sqlite_watch_log(struct mica_sqlite *sqlite);

// With the gate: whether the log has grown since it was copied last, so that whoever
// has left the gate should copy it.
bool mica_sqlite_log_is_long(struct mica_sqlite *sqlite);

// Without the gate. Returns at once when another thread is at it.
void mica_sqlite_copy_log(struct mica_sqlite *sqlite);
void mica_sqlite_forget_log(struct mica_sqlite *sqlite);

// ---- Nodes (sqlite_node.c) ------------------------------------------------------

int64_t mica_sqlite_node(void *connection, bool *new_out);
bool mica_sqlite_is_dead(void *connection, int64_t node);
void mica_sqlite_close_node(struct mica_sqlite *sqlite);
enum mica_status mica_sqlite_lock_takeover(void *connection,
                                           struct mica_error *error);
void mica_sqlite_unlock_takeover(void *self);

// Brings the tables from their version up to `version`.
enum mica_status mica_sqlite_migrate(struct mica_sqlite *sqlite, int version,
                                     struct mica_error *error) MICA_MUST_USE;

// ---- Rows (sqlite_rows.c) ------------------------------------------------------

enum mica_status mica_sqlite_insert(void *connection,
                                    enum mica_store_table table,
                                    const struct mica_store_row *row,
                                    struct mica_error *error);
enum mica_status mica_sqlite_update(void *connection,
                                    enum mica_store_table table,
                                    unsigned columns,
                                    const struct mica_store_row *row,
                                    struct mica_error *error);
enum mica_status mica_sqlite_remove(void *connection,
                                    enum mica_store_table table, unsigned equal,
                                    const struct mica_store_row *row,
                                    struct mica_error *error,
                                    size_t *removed_out);
enum mica_status mica_sqlite_scan(void *connection,
                                  const struct mica_store_range *range,
                                  struct mica_arena *arena,
                                  struct mica_error *error,
                                  struct mica_store_rows *rows_out);
enum mica_status mica_sqlite_count(void *connection,
                                   const struct mica_store_range *range,
                                   struct mica_error *error,
                                   int64_t *count_out);
enum mica_status mica_sqlite_add(void *connection,
                                 enum mica_store_counter counter, int64_t by,
                                 struct mica_error *error);
enum mica_status mica_sqlite_total(void *connection,
                                   enum mica_store_counter counter,
                                   struct mica_error *error,
                                   int64_t *total_out);

// The statement of the text that `write` makes, prepared once. `key` names it.
enum mica_status
mica_sqlite_statement(struct mica_sqlite *sqlite, uint64_t key,
                      void (*write)(struct mica_buffer *sql, const void *what),
                      const void *what, struct mica_error *error,
                      sqlite3_stmt **statement_out) MICA_MUST_USE;

// ---- Whole files (sqlite_file.c) -------------------------------------------------

enum mica_status mica_sqlite_place(void *self, struct mica_error *error,
                                   struct mica_store_place *place_out);
enum mica_status mica_sqlite_backup(void *self, const char *path,
                                    bool (*progress)(void *user, int64_t done,
                                                     int64_t total),
                                    void *user, struct mica_error *error);
enum mica_status mica_sqlite_check(void *self, struct mica_arena *arena,
                                   struct mica_error *error,
                                   struct mica_text *findings_out);

#endif
