// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the store in a file share: the store, its file as bytes, and
// SQL of the test's own.
#ifndef MICA_TESTS_STORE_FILE_H
#define MICA_TESTS_STORE_FILE_H

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "store/schema.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "test_store.h"

static struct mica_store *store;

static inline enum mica_status
try_open(const char *name, const struct mica_store_options *options)
{
    return mica_store_open(store_spec("sqlite", name), options, &error, &store);
}

static inline void
end_test(void)
{
    if (store != NULL)
        store_must_be_sound(store);
    mica_store_close(&store);
    store_remove_folder();
}

static inline unsigned
mode_of(const char *name)
{
    struct stat st;

    ck_assert_int_eq(stat(store_file(name), &st), 0);
    return st.st_mode & 0777;
}

static inline void
write_file(const char *name, const void *bytes, size_t size)
{
    int file = open(store_file(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, bytes, size), (ssize_t)size);
    close(file);
}

static inline size_t
read_file(const char *name, char *bytes, size_t size)
{
    int file = open(store_file(name), O_RDONLY);

    ck_assert_int_ge(file, 0);
    ssize_t got = read(file, bytes, size);
    close(file);
    ck_assert_int_ge(got, 0);
    return (size_t)got;
}

// Runs SQL on the file by itself.
static inline void
run_sql(const char *name, const char *sql)
{
    sqlite3 *db;
    char *problem = NULL;

    ck_assert_int_eq(sqlite3_open(store_file(name), &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &problem) != SQLITE_OK)
        ck_abort_msg("%s: %s", sql, problem);
    sqlite3_close(db);
}

// It is refused with `words`, and is the same afterwards.
static inline void
must_stay(const char *name, const char *words)
{
    static char before[1 << 20], after[1 << 20];
    size_t size = read_file(name, before, sizeof before);

    REFUSED(try_open(name, NULL), MICA_E_IO);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
    ck_assert_uint_eq(read_file(name, after, sizeof after), size);
    ck_assert_mem_eq(before, after, size);
}

#endif
