// SPDX-License-Identifier: Apache-2.0
//
// One SQLite file of a service: opened with its tables, used in transactions. One
// connection behind a lock; tools that wait for people are not in such a hurry
// that they would need more.
//
//     const struct database_value values[] = {database_text(key)};
//     MICA_TRY(database_begin(database, error));
//     return database_end(database,
//                         database_run(database, "DELETE …", values, 1, NULL,
//                                      error),
//                         error);
//
// Threads: any number at once.
#ifndef TOOLS_DATABASE_H
#define TOOLS_DATABASE_H

#include <mica/server.h>

struct database;

// Opens $folder/$file, and runs `tables`, which must not mind tables that are
// there. Errors: MICA_E_IO, MICA_E_LIMIT.
enum mica_status database_open(const char *folder, const char *file,
                               const char *tables, struct mica_error *error,
                               void **database_out) MICA_MUST_USE;

// What a service definition closes with.
void database_close(void *database);

// What stands for ?1, ?2, … of a statement.
struct database_value {
    bool is_number;
    int64_t number;
    struct mica_text text; // borrowed for the run
};
struct database_value database_text(struct mica_text text);
struct database_value database_number(int64_t number);

// No other process changes anything between the two. The end keeps what was done if
// `status` is MICA_OK, and undoes it otherwise; it returns `status`, or why
// nothing could be kept. Errors: MICA_E_IO.
enum mica_status database_begin(struct database *database,
                                struct mica_error *error) MICA_MUST_USE;
enum mica_status database_end(struct database *database,
                              enum mica_status status, struct mica_error *error)
    MICA_MUST_USE;

// Runs one statement between begin and end. The first column of its first row
// goes to *number_out, which stays as it was when there is no row; NULL: it is
// not wanted. Errors: MICA_E_IO.
enum mica_status database_run(struct database *database, const char *sql,
                              const struct database_value *values, int count,
                              int64_t *number_out, struct mica_error *error)
    MICA_MUST_USE;

#endif
