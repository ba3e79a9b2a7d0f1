// SPDX-License-Identifier: Apache-2.0
//
// See keep_backup.h.
#include "keep/keep_backup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BACKUP_BUSY_MS = 5000
};

// ---- One database ------------------------------------------------------------------

static enum mica_status
backup_failed(sqlite3 *database, const char *path, int code,
              struct mica_error *error)
{
    return mica_error_set(
        error, (code & 0xFF) == SQLITE_BUSY ? MICA_E_KEEP_BUSY : MICA_E_KEEP,
        "", "cannot copy %s (%s)", path, sqlite3_errmsg(database));
}

static int
copy_pages(sqlite3 *from, sqlite3 *to)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");

    if (backup == NULL)
        return sqlite3_errcode(to);
    (void)sqlite3_backup_step(backup, -1); // all of them, in one transaction
    return sqlite3_backup_finish(backup);
}

static enum mica_status
copy_database(const char *from_path, const char *to_path,
              struct mica_error *error)
{
    sqlite3 *from = NULL, *to = NULL;
    enum mica_status status = MICA_OK;
    int file = open(to_path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    int code;

    if (file < 0)
        return mica_error_set(error, MICA_E_KEEP, "", "cannot make %s: %s",
                              to_path, strerror(errno));
    (void)close(file);
    code = sqlite3_open_v2(from_path, &from, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(from, BACKUP_BUSY_MS);
    if (code != SQLITE_OK)
        status = backup_failed(from, from_path, code, error);
    if (status == MICA_OK) {
        code = sqlite3_open_v2(to_path, &to, SQLITE_OPEN_READWRITE, NULL);
        if (code == SQLITE_OK)
            code = copy_pages(from, to);
        if (code != SQLITE_OK)
            status = backup_failed(to, to_path, code, error);
    }
    (void)sqlite3_close(to);
    (void)sqlite3_close(from);
    return status;
}

// ---- All of a folder ---------------------------------------------------------------

// In its order: calls `one` for each database until one fails.
static enum mica_status
each_database(const char *folder, const char *copy, struct mica_error *error,
              enum mica_status (*one)(const char *from, const char *to,
                                      struct mica_error *error),
              size_t *count_out)
{
    char from[PATH_MAX], to[PATH_MAX];
    DIR *listing = opendir(folder);
    enum mica_status status = MICA_OK;
    const struct dirent *entry;

    *count_out = 0;
    if (listing == NULL)
        return errno == ENOENT ? MICA_OK
                               : mica_error_set(error, MICA_E_KEEP, "",
                                                "cannot read %s: %s", folder,
                                                strerror(errno));
    while (status == MICA_OK && (entry = readdir(listing)) != NULL) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".db") != 0)
            continue;
        ++*count_out;
        if (snprintf(from, sizeof from, "%s/%s", folder, entry->d_name) >=
                (int)sizeof from ||
            snprintf(to, sizeof to, "%s/%s", copy, entry->d_name) >=
                (int)sizeof to)
            status =
                mica_error_set(error, MICA_E_KEEP, "",
                               "the path of %s is too long", entry->d_name);
        else
            status = one(from, to, error);
    }
    (void)closedir(listing);
    return status;
}

static enum mica_status
count_one(const char *from, const char *to, struct mica_error *error)
{
    (void)from, (void)to, (void)error;
    return MICA_OK;
}

static enum mica_status
remove_one(const char *from, const char *to, struct mica_error *error)
{
    (void)to, (void)error;
    (void)unlink(from);
    return MICA_OK;
}

enum mica_status
mica_keep_backup(const char *folder, const char *copy, struct mica_error *error,
                 size_t *count_out)
{
    enum mica_status status;
    size_t ignored;

    MICA_TRY(each_database(folder, copy, error, count_one, count_out));
    if (*count_out == 0)
        return MICA_OK;
    if (mkdir(copy, 0700) != 0)
        return mica_error_set(
            error, errno == EEXIST ? MICA_E_EXISTS : MICA_E_KEEP, "",
            "cannot make the folder %s: %s", copy, strerror(errno));
    status = each_database(folder, copy, error, copy_database, count_out);
    if (status == MICA_OK)
        return MICA_OK;
    (void)each_database(copy, copy, NULL, remove_one, &ignored);
    (void)rmdir(copy);
    return status;
}
