// SPDX-License-Identifier: Apache-2.0
//
// Proof that a process which shares a store is alive: it locks one byte of the file
// <store>-nodes, and the system releases the lock when the process ends, however it ends.
// The number of a node contains the random position of its byte and a token of the file: if
// the file was deleted and made again, an absent lock in the new file proves nothing.
//
// The locks belong to the open file description (F_OFD_SETLK). Unlike POSIX locks, closing
// another descriptor of the file does not release them, and two stores of one process have
// separate locks. A forked child without exec keeps its parent's lock: then other processes
// believe that a dead parent is alive, and its leases expire.
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite.h"

enum {
    TRIES = 16 // random bytes to try, as other processes may have locked some
};

// A token of the file: 31 bits. While a process has the file open, no other file has its
// inode.
static int64_t
token_of(const struct stat *st)
{
    const uint64_t identity[2] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    unsigned char hash[crypto_generichash_BYTES_MIN];
    uint32_t token = 0;

    (void)crypto_generichash(hash, sizeof hash, (const unsigned char *)identity,
                             sizeof identity, NULL, 0);
    for (unsigned i = 0; i < sizeof token; i++)
        token = token << 8 | hash[i];
    return (int64_t)(token >> 1);
}

// Returns false if it cannot open the file. Without `make` the file must exist.
static bool
open_lock_file(struct mica_sqlite *sqlite, bool make)
{
    char path[MICA_STORE_PATH_SIZE + 8];
    int length = snprintf(path, sizeof path, "%s-nodes", sqlite->path);

    if (sqlite->lock_file >= 0)
        return true;
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    sqlite->lock_file = open(
        path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (make ? O_CREAT : 0), 0600);
    return sqlite->lock_file >= 0;
}

static struct flock
lock_of(int64_t node)
{
    return (struct flock){.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(node & UINT32_MAX),
                          .l_len = 1};
}

static int64_t
lock_some_byte(struct mica_sqlite *sqlite)
{
    struct stat st;

    if (!open_lock_file(sqlite, true) || fstat(sqlite->lock_file, &st) != 0 ||
        !S_ISREG(st.st_mode))
        return 0;
    for (int i = 0; i < TRIES; i++) {
        int64_t node = token_of(&st) << 32 | (int64_t)randombytes_random();
        struct flock lock = lock_of(node);
        if (node != 0 && fcntl(sqlite->lock_file, F_OFD_SETLK, &lock) == 0)
            return node;
        if (errno != EAGAIN && errno != EACCES)
            return 0;
    }
    return 0;
}

int64_t
mica_sqlite_node(void *self)
{
    struct mica_sqlite *sqlite = self;
    int64_t node;

    pthread_mutex_lock(&sqlite->node_lock);
    if (sqlite->node == 0)
        sqlite->node = lock_some_byte(sqlite);
    node = sqlite->node;
    pthread_mutex_unlock(&sqlite->node_lock);
    return node;
}

enum mica_status
mica_sqlite_add_node(struct mica_sqlite *sqlite, struct mica_error *error)
{
    int64_t node = mica_sqlite_node(sqlite);
    char sql[160];

    if (node == 0)
        return MICA_OK;
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO nodes (id, since) VALUES (%lld, 1000 * "
                   "CAST(strftime('%%s', 'now') AS INTEGER))"
                   " ON CONFLICT DO NOTHING",
                   (long long)node);
    return mica_sqlite_run(sqlite, sql, "write to", error);
}

static bool
is_unlocked(struct mica_sqlite *sqlite, int64_t node)
{
    struct flock lock = lock_of(node);
    struct stat st;

    return node != sqlite->node && open_lock_file(sqlite, false) &&
           fstat(sqlite->lock_file, &st) == 0 && token_of(&st) == node >> 32 &&
           fcntl(sqlite->lock_file, F_OFD_GETLK, &lock) == 0 &&
           lock.l_type == F_UNLCK;
}

bool
mica_sqlite_is_dead(void *self, int64_t node)
{
    struct mica_sqlite *sqlite = self;
    bool dead;

    if (node == 0)
        return false;
    pthread_mutex_lock(&sqlite->node_lock);
    dead = is_unlocked(sqlite, node);
    pthread_mutex_unlock(&sqlite->node_lock);
    return dead;
}

// The lock of the whole file (flock) is independent of those of its bytes.
static enum mica_status
lock_whole_file(struct mica_sqlite *sqlite, struct mica_error *error)
{
    if (open_lock_file(sqlite, true) &&
        flock(sqlite->lock_file, LOCK_EX | LOCK_NB) == 0)
        return MICA_OK;
    if (sqlite->lock_file >= 0 && errno == EWOULDBLOCK)
        return mica_error_set(error, MICA_E_BUSY, "",
                              "Another process moves calls into %s just now; "
                              "try again when it has finished.",
                              sqlite->path);
    return mica_error_set(error, MICA_E_IO, "",
                          "cannot lock %s-nodes, which keeps two processes "
                          "from moving the same calls: %s",
                          sqlite->path, strerror(errno));
}

enum mica_status
mica_sqlite_lock_takeover(void *self, struct mica_error *error)
{
    struct mica_sqlite *sqlite = self;
    enum mica_status status;

    pthread_mutex_lock(&sqlite->node_lock);
    status = lock_whole_file(sqlite, error);
    pthread_mutex_unlock(&sqlite->node_lock);
    return status;
}

void
mica_sqlite_unlock_takeover(void *self)
{
    const struct mica_sqlite *sqlite = self;

    (void)flock(sqlite->lock_file, LOCK_UN);
}

// Removes the row of this process, if that needs no wait; otherwise the next process removes
// it, and releases the claims that this one could not release (mica_store_reap).
void
mica_sqlite_close_node(struct mica_sqlite *sqlite)
{
    char sql[256];

    if (sqlite->node != 0) {
        sqlite->busy_ms = 0;
        (void)snprintf(sql, sizeof sql,
                       "DELETE FROM nodes WHERE id = %lld AND NOT EXISTS "
                       "(SELECT 1 FROM claims JOIN calls ON number = call "
                       "WHERE holder = nodes.id AND claims.fence > calls.fence "
                       "AND ended = 0)",
                       (long long)sqlite->node);
        (void)sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL);
    }
    if (sqlite->lock_file >= 0)
        (void)close(sqlite->lock_file);
}
