// SPDX-License-Identifier: Apache-2.0
//
// What the files of the SQLite back end share: one connection to one file, and
// how its failures are told.
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
        512 // of statements that are kept prepared, and some room
};

// A statement that was prepared, known by the address of its text.
struct mica_sqlite_text {
    const char *sql;
    sqlite3_stmt *statement;
    uint64_t used; // which values
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
    int pages;           // behind the last commit here; with the lock
    atomic_int copied;   // of them, as far as this process knows
    atomic_bool copying; // one thread does, and has `db`
    sqlite3 *db;         // opened when the log is first copied
};

// Which file has a name.
struct mica_sqlite_file_id {
    dev_t device;
    ino_t inode;
};

struct mica_sqlite {
    struct mica_timed_lock timed_lock; // around the connection
    sqlite3 *db;
    char *path; // absolute; NULL: in memory
    unsigned busy_ms;
    uint64_t busy_since;              // when the wait for others began
    uint64_t waits_ended, waits_vain; // for other processes
    sqlite3_stmt *frames[MICA_SQLITE_FRAMES];
    struct mica_sqlite_text texts[MICA_SQLITE_TEXTS];
    unsigned text_count;
    pthread_mutex_t node_lock; // of these two
    int lock_file;             // -1: not open
    int64_t node;              // of this process; 0: not locked yet
    bool has_node;             // its row is written; with the lock
    struct mica_sqlite_log log;
    struct mica_sqlite_file_id file_id, log_id; // when they were opened
    bool knows_files;
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

// Opens `path`, which is there (NULL: a database in memory), and waits for others as `busy_ms` says. Owner:
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

// ---- Its files by their names (sqlite_place.c) --------------------------------------

// When the file and its log are open.
void mica_sqlite_note_files(struct mica_sqlite *sqlite);

// Errors: MICA_E_IO: another file has one of their names, or none has.
enum mica_status mica_sqlite_check_files(const struct mica_sqlite *sqlite,
                                         struct mica_error *error)
    MICA_MUST_USE;

// ---- The log of commits (sqlite_log.c) ------------------------------------------

// From here on SQLite copies the log by itself only when it is very long.
void mica_sqlite_watch_log(struct mica_sqlite *sqlite);

// With the lock: whether the log has grown since it was copied last, so that the thread that
// has left the lock should copy it.
bool mica_sqlite_log_is_long(struct mica_sqlite *sqlite);

// Without the lock. Returns at once when another thread is at it.
void mica_sqlite_copy_log(struct mica_sqlite *sqlite);
void mica_sqlite_forget_log(struct mica_sqlite *sqlite);

// ---- Nodes (sqlite_node.c) ------------------------------------------------------

int64_t mica_sqlite_node(void *self);
bool mica_sqlite_is_dead(void *self, int64_t node);

// In the first transaction that writes: the row by which others see that this process
// has the store open.
enum mica_status mica_sqlite_add_node(struct mica_sqlite *sqlite,
                                      struct mica_error *error) MICA_MUST_USE;
void mica_sqlite_close_node(struct mica_sqlite *sqlite);
enum mica_status mica_sqlite_lock_takeover(void *self,
                                           struct mica_error *error);
void mica_sqlite_unlock_takeover(void *self);

// Brings the tables from their version up to `version`.
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
