// SPDX-License-Identifier: Apache-2.0
//
// Reads each file in one transaction, so that its numbers are of one moment.
#include "keep/keep_list.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keep/keep_database.h"

// ---- One database ------------------------------------------------------------------

static int
read_count(sqlite3 *database, const char *sql, int64_t now, int64_t *count_out)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);

    if (code != SQLITE_OK)
        return code;
    if (sqlite3_bind_parameter_count(statement) > 0)
        (void)sqlite3_bind_int64(statement, 1, now);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *count_out = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

// A process makes the file right now, or died before it had made the tables (keep_file.c).
static bool
is_new(sqlite3 *database)
{
    int64_t application = 1, tables = 1;

    return read_count(database, "PRAGMA application_id", 0, &application) ==
               SQLITE_OK &&
           read_count(database, "SELECT count(*) FROM sqlite_schema", 0,
                      &tables) == SQLITE_OK &&
           application == 0 && tables == 0;
}

static int
read_counts(sqlite3 *database, int64_t now, struct mica_keep_listed *listed)
{
    int64_t application = 0, format = 0, page = 0;
    const struct {
        const char *sql;
        int64_t *count;
    } counts[] = {
        {"PRAGMA application_id", &application},
        {"PRAGMA user_version", &format},
        {"PRAGMA page_size", &page},
        {"PRAGMA page_count", &listed->bytes},
        {"PRAGMA freelist_count", &listed->free_bytes},
        {"SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
         " AND name NOT GLOB 'mica_*' AND name NOT GLOB 'sqlite_*'",
         &listed->tables},
        {"SELECT count(*) FROM mica_entries", &listed->entries},
        // A file of format 1 has no such column, and no entry that expires.
        {"SELECT count(*) FROM mica_entries WHERE expires <= ?1",
         &listed->expired}};

    if (is_new(database))
        return SQLITE_OK;
    for (size_t i = 0; i < MICA_COUNT(counts); i++) {
        int code;
        if (counts[i].count == &listed->expired && format < MICA_KEEP_FORMAT)
            continue;
        code = read_count(database, counts[i].sql, now, counts[i].count);
        if (code != SQLITE_OK)
            return code;
        if (i == 0 && application != MICA_KEEP_APPLICATION)
            return SQLITE_NOTADB;
    }
    listed->entries -= listed->expired;
    listed->bytes *= page;
    listed->free_bytes *= page;
    return SQLITE_OK;
}

static enum mica_status
list_one(const char *folder, int64_t now, struct mica_error *error,
         struct mica_keep_listed *listed)
{
    char path[PATH_MAX];
    sqlite3 *database = NULL;
    int code = SQLITE_CANTOPEN;

    if (snprintf(path, sizeof path, "%s/%s.db", folder, listed->name) <
        (int)sizeof path)
        code =
            sqlite3_open_v2(path, &database,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(database, MICA_KEEP_BUSY_MS);
    if (code == SQLITE_OK)
        code = sqlite3_exec(database, "PRAGMA query_only = ON; BEGIN", NULL,
                            NULL, NULL);
    if (code == SQLITE_OK)
        code = read_counts(database, now, listed);
    (void)sqlite3_close(database); // ends the transaction
    if (code == SQLITE_OK)
        return MICA_OK;
    return mica_error_set(
        error, (code & 0xFF) == SQLITE_BUSY ? MICA_E_KEEP_BUSY : MICA_E_KEEP,
        "", "cannot read %s/%s.db (%s)", folder, listed->name,
        sqlite3_errstr(code));
}

// ---- All of a folder ---------------------------------------------------------------

static int
is_database(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 3 && strcmp(entry->d_name + length - 3, ".db") == 0;
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum mica_status
list_all(const char *folder, int64_t now, struct dirent **entries, size_t count,
         struct mica_arena *arena, struct mica_error *error,
         struct mica_keep_listed *listed)
{
    for (size_t i = 0; i < count; i++) {
        struct mica_text file = mica_text(entries[i]->d_name);
        listed[i].name =
            mica_arena_text(arena, mica_text_slice(file, 0, file.len - 3)).ptr;
        if (listed[i].name == NULL)
            return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
        MICA_TRY(list_one(folder, now, error, &listed[i]));
    }
    return MICA_OK;
}

enum mica_status
mica_keep_list_databases(const char *folder, int64_t now,
                         struct mica_arena *arena, struct mica_error *error,
                         const struct mica_keep_listed **listed_out,
                         size_t *count_out)
{
    struct mica_keep_listed *listed;
    struct dirent **entries = NULL;
    int found = scandir(folder, &entries, is_database, by_name);
    enum mica_status status = MICA_OK;
    size_t count = found > 0 ? (size_t)found : 0;

    *count_out = 0;
    *listed_out = NULL;
    if (found < 0 && errno != ENOENT)
        return mica_error_set(error, MICA_E_KEEP, "", "cannot read %s: %s",
                              folder, strerror(errno));
    listed = mica_arena_zero(arena, count + 1, sizeof *listed);
    status = listed != NULL
                 ? list_all(folder, now, entries, count, arena, error, listed)
                 : mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    if (status != MICA_OK)
        return status;
    *listed_out = listed;
    *count_out = count;
    return MICA_OK;
}
