// SPDX-License-Identifier: Apache-2.0
//
// Copies the log beside the file into the file (a checkpoint). SQLite would do that within
// a commit, every 1,000 pages, and wait for the disk while all other threads wait for the
// commit. Instead the thread whose commit made the log long copies it after the commit, on
// another connection, while other threads work.
#include "store/sqlite.h"

enum {
    COPY_PAGES = 4000, // 16 MiB: a page that many commits write is copied once
    MOST_PAGES = 16000 // from this length on a commit waits for the copy
};

// SQLite restarts the log after a complete copy, if no commit has appended to it meanwhile.
// Under steady load only a copy within a commit can do that.
static int
on_commit(void *data, sqlite3 *db, const char *name, int pages)
{
    struct mica_sqlite *sqlite = data;

    sqlite->log.pages = pages;
    // If the copy fails, the log stays and is copied later: nothing is lost.
    if (pages >= MOST_PAGES)
        (void)sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE,
                                        NULL, NULL);
    return SQLITE_OK;
}

void
mica_sqlite_watch_log(struct mica_sqlite *sqlite)
{
    (void)sqlite3_wal_hook(sqlite->db, on_commit, sqlite);
}

bool
mica_sqlite_log_is_long(struct mica_sqlite *sqlite)
{
    int copied = atomic_load(&sqlite->log.copied);

    if (sqlite->log.pages < copied) { // SQLite has restarted the log
        copied = 0;
        atomic_store(&sqlite->log.copied, 0);
    }
    return sqlite->log.pages - copied >= COPY_PAGES;
}

void
mica_sqlite_copy_log(struct mica_sqlite *sqlite)
{
    int pages = -1, code = SQLITE_OK;

    if (atomic_exchange(&sqlite->log.copying, true))
        return;
    if (sqlite->log.db == NULL)
        code = sqlite3_open_v2(sqlite->path, &sqlite->log.db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                                   SQLITE_OPEN_PRIVATECACHE,
                               NULL);
    if (code == SQLITE_OK)
        code = sqlite3_wal_checkpoint_v2(
            sqlite->log.db, NULL, SQLITE_CHECKPOINT_PASSIVE, &pages, NULL);
    // After a failure the next try is when the log is longer by COPY_PAGES.
    atomic_store(&sqlite->log.copied,
                 code == SQLITE_OK && pages > 0
                     ? pages
                     : atomic_load(&sqlite->log.copied) + COPY_PAGES);
    atomic_store(&sqlite->log.copying, false);
}

void
mica_sqlite_forget_log(struct mica_sqlite *sqlite)
{
    (void)sqlite3_close(sqlite->log.db);
    sqlite->log.db = NULL;
}
