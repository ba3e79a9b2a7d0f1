// SPDX-License-Identifier: Apache-2.0
//
// Checks that the files of a store still have the names under which they were opened. SQLite
// continues to write into a file that was removed or replaced, so what a server confirms
// would disappear with its process. A removed log is worse: two processes without a common
// log damage the file. SQLite itself removes the log only when no process has the store open.
#include <stdio.h>
#include <sys/stat.h>

#include "store/sqlite.h"

// Returns false if no file has the name, or the name is too long.
static bool
find_file(const char *path, const char *suffix,
          struct mica_sqlite_file_id *id_out)
{
    char name[MICA_STORE_PATH_SIZE + 8];
    struct stat st;
    int length = snprintf(name, sizeof name, "%s%s", path, suffix);

    if (length < 0 || (size_t)length >= sizeof name || stat(name, &st) != 0)
        return false;
    *id_out = (struct mica_sqlite_file_id){st.st_dev, st.st_ino};
    return true;
}

static bool
is_same(const char *path, const char *suffix,
        const struct mica_sqlite_file_id *before)
{
    struct mica_sqlite_file_id now;

    return find_file(path, suffix, &now) && now.device == before->device &&
           now.inode == before->inode;
}

void
mica_sqlite_note_files(struct mica_sqlite *sqlite)
{
    sqlite->knows_files = find_file(sqlite->path, "", &sqlite->file_id) &&
                          find_file(sqlite->path, "-wal", &sqlite->log_id);
}

enum mica_status
mica_sqlite_check_files(const struct mica_sqlite *sqlite,
                        struct mica_error *error)
{
    if (!sqlite->knows_files ||
        (is_same(sqlite->path, "", &sqlite->file_id) &&
         is_same(sqlite->path, "-wal", &sqlite->log_id)))
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "%s, or its log %s-wal, was removed or replaced "
                          "while this process had it open, so nothing more is "
                          "written. Stop all servers of this store, and start "
                          "them again.",
                          sqlite->path, sqlite->path);
}
