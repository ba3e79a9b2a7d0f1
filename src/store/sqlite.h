// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of the SQLite back end: one connection to one file, and the messages
// of its failures.
#ifndef MICA_STORE_SQLITE_H
#define MICA_STORE_SQLITE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <sqlite3.h>

#include "store/backend.h"
#include "store/timed_lock.h"

enum {
    MICA_SQLITE_TEXTS =
        512 // entries of a hash table of prepared statements; never full
};

// A prepared statement; the address of its text identifies it.
struct mica_sqlite_text {
    const char *sql;
    sqlite3_stmt *statement;
    uint64_t used; // bits of the values that its text uses
};

// The statements that begin and end transactions. They are prepared when the store opens: a
// transaction must end also when there is no memory to prepare anything.
enum mica_sqlite_bracket {
    MICA_SQLITE_BEGIN_READ,
    MICA_SQLITE_BEGIN_WRITE,
    MICA_SQLITE_COMMIT,
    MICA_SQLITE_ROLLBACK,
    MICA_SQLITE_BRACKETS
};

// The log of commits beside the file (sqlite_log.c).
struct mica_sqlite_log {
    int pages;           // length after the last commit here; with the lock
    atomic_int copied;   // pages that are copied, as far as this process knows
    atomic_bool copying; // a thread copies, and uses `db`
    sqlite3 *db;         // opened when a thread first copies the log
};

// Identifies a file, whatever its name.
struct mica_sqlite_file_id {
    dev_t device;
    ino_t inode;
};

struct mica_sqlite {
    struct mica_timed_lock timed_lock; // guards the connection
    sqlite3 *db;
    char *path; // absolute; NULL: in memory
    unsigned busy_ms;
    uint64_t busy_since;              // when the wait for other processes began
    uint64_t waits_ended, waits_vain; // waits for other processes
    sqlite3_stmt *brackets[MICA_SQLITE_BRACKETS];
    struct mica_sqlite_text texts[MICA_SQLITE_TEXTS];
    unsigned text_count;
    pthread_mutex_t node_lock; // guards the next two
    int lock_file;             // -1: not open
    int64_t node;              // of this process; 0: not locked yet
    bool has_node;             // its row is written; with the lock
    struct mica_sqlite_log log;
    struct mica_sqlite_file_id file_id, log_id; // when they were opened
    bool knows_files;
};

// Sets `error` for the last failure on `sqlite->db`, which has the code `code`; `doing`
// names the action ("write to").
enum mica_status mica_sqlite_failed(const struct mica_sqlite *sqlite, int code,
                                    const char *doing,
                                    struct mica_error *error);

// Runs SQL text that returns no rows.
enum mica_status mica_sqlite_run(struct mica_sqlite *sqlite, const char *sql,
                                 const char *doing, struct mica_error *error)
    MICA_MUST_USE;

// The number in the first column of the first row.
enum mica_status mica_sqlite_number(struct mica_sqlite *sqlite, const char *sql,
                                    struct mica_error *error,
                                    int64_t *number_out) MICA_MUST_USE;

// Opens `path`, which exists (NULL: a database in memory), and waits for other processes for
// at most busy_ms. Owner: the caller, until mica_sqlite_disconnect, also on failure.
enum mica_status mica_sqlite_connect(struct mica_sqlite *sqlite,
                                     const char *path, unsigned busy_ms,
                                     struct mica_error *error) MICA_MUST_USE;
void mica_sqlite_disconnect(struct mica_sqlite *sqlite);

// Begins or commits a transaction.
enum mica_status mica_sqlite_step(struct mica_sqlite *sqlite,
                                  enum mica_sqlite_bracket bracket,
                                  struct mica_error *error) MICA_MUST_USE;

// Rolls back the transaction if one is open: some failures end it by themselves.
void mica_sqlite_undo(struct mica_sqlite *sqlite);

// Checks that the file belongs to mica and is sound (`pages_trusted` of
// mica_store_options), brings it to this version, and sets up the connection
// (sqlite_open.c).
enum mica_status mica_sqlite_prepare(struct mica_sqlite *sqlite,
                                     bool pages_trusted,
                                     struct mica_error *error) MICA_MUST_USE;

// ---- The names of its files (sqlite_place.c) ----------------------------------------

// Notes which files are open: the store's file and its log.
void mica_sqlite_note_files(struct mica_sqlite *sqlite);

// Checks that those files still have their names. Errors: MICA_E_IO (another file has a
// name, or none has).
enum mica_status mica_sqlite_check_files(const struct mica_sqlite *sqlite,
                                         struct mica_error *error)
    MICA_MUST_USE;

// ---- The log of commits (sqlite_log.c) ------------------------------------------

// From now on SQLite itself copies the log only when it is very long.
void mica_sqlite_watch_log(struct mica_sqlite *sqlite);

// With the lock held: has the log grown so much since the last copy that this thread should
// copy it after it has released the lock?
bool mica_sqlite_log_is_long(struct mica_sqlite *sqlite);

// Copies the log into the file. Without the lock held. Returns at once if another thread
// copies.
void mica_sqlite_copy_log(struct mica_sqlite *sqlite);
void mica_sqlite_forget_log(struct mica_sqlite *sqlite);

// ---- Nodes (sqlite_node.c) ------------------------------------------------------

int64_t mica_sqlite_node(void *self);
bool mica_sqlite_is_dead(void *self, int64_t node);

// Adds the row of this process to `nodes`, in its first transaction that writes: it tells
// other processes that this one has the store open.
enum mica_status mica_sqlite_add_node(struct mica_sqlite *sqlite,
                                      struct mica_error *error) MICA_MUST_USE;
void mica_sqlite_close_node(struct mica_sqlite *sqlite);
enum mica_status mica_sqlite_lock_takeover(void *self,
                                           struct mica_error *error);
void mica_sqlite_unlock_takeover(void *self);

// Migrates the tables to `version`.
enum mica_status mica_sqlite_migrate(struct mica_sqlite *sqlite, int version,
                                     struct mica_error *error) MICA_MUST_USE;

// ---- Operations (sqlite_operation.c) ----------------------------------------------

enum mica_status mica_sqlite_run_parts(void *self,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *error,
                                       unsigned *refusal_out);
void mica_sqlite_forget_texts(struct mica_sqlite *sqlite);

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
