// SPDX-License-Identifier: Apache-2.0
//
// How SQLite runs the statements that a store has prepared: what grows with the number
// of rows has an index.
#ifndef MICA_TESTS_STORE_PLANS_H
#define MICA_TESTS_STORE_PLANS_H

#include <stdio.h>

#include "store/sqlite.h"
#include "store/store.h"
#include "unit.h"

// Tables, by the name that a statement gives them, which may be read from end to end.
static inline bool
plan_may_scan(const char *sql, const char *detail)
{
    static const char *const names[] = {
        "CONSTANT ROW", // no table
        "(subquery",    // what a query has found
        "b",            // the same: builds, one look into an index for each
        "d",            // calls that are due, at most a page
        "g",            // events that are removed, at most a page
        "o",            // the same
        "x",            // two numbers
        "f",            // apps, at most a page
        "p",            // one row; the same as f
        "t",            // slugs that are tried
        "tries",        // the same
        "y",        // rounds of one call; changes until the first that is young
        "counters", // twenty rows
        "keys",     // one a month
        "k",        // the same
        "nodes"     // one a process
    };

    // All is counted anew, which happens after a process has died; and a sweep looks
    // at all claims, one for each call that runs.
    if (strncmp(sql, "UPDATE counters SET value = CASE name", 37) == 0 ||
        strncmp(sql, "DELETE FROM claims WHERE NOT EXISTS", 35) == 0)
        return true;
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        size_t length = strlen(names[i]);
        if (strncmp(detail, names[i], length) == 0 &&
            (names[i][0] == '(' || detail[length] == '\0'))
            return true;
    }
    return false;
}

static inline void
plan_check(sqlite3 *db, const char *sql)
{
    static char text[16384];
    sqlite3_stmt *plan;

    ck_assert_int_lt(snprintf(text, sizeof text, "EXPLAIN QUERY PLAN %s", sql),
                     (int)sizeof text);
    ck_assert_int_eq(sqlite3_prepare_v2(db, text, -1, &plan, NULL), SQLITE_OK);
    while (sqlite3_step(plan) == SQLITE_ROW) {
        const char *detail = (const char *)sqlite3_column_text(plan, 3);
        if (strncmp(detail, "SCAN ", 5) == 0)
            UNIT_MUST(plan_may_scan(sql, detail + 5), "%s: %s", detail, sql);
    }
    (void)sqlite3_finalize(plan);
}

// All statements that have run so far.
static inline unsigned
plans_check(struct mica_store *store)
{
    struct mica_sqlite *sqlite = store->self;
    unsigned count = 0;

    for (unsigned i = 0; i < MICA_SQLITE_TEXTS; i++) {
        if (sqlite->texts[i].sql == NULL)
            continue;
        plan_check(sqlite->db, sqlite->texts[i].sql);
        count++;
    }
    return count;
}

#endif
