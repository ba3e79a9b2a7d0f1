// SPDX-License-Identifier: Apache-2.0
//
// What a service of tools/lib has kept, for tests of its tools.
#ifndef TESTS_TOOLS_ROWS_H
#define TESTS_TOOLS_ROWS_H

#include <mica/test.h>

#include <sqlite3.h>
#include <stdio.h>

// The number that a statement finds in the database of a service; -1 without one.
static inline int
rows(struct mica_mock *mock, const char *service, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    char path[4096];
    sqlite3 *db = NULL;
    int number = -1;

    (void)snprintf(path, sizeof path, "%s/%s/%s.db", mica_mock_folder(mock),
                   service, service);
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int(statement, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return number;
}

#endif
