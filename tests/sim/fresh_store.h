// SPDX-License-Identifier: Apache-2.0
//
// A store in memory that is as if it had just been opened. To make one takes a
// millisecond, most of it for preparing statements; a simulation wants thousands, and so
// empties the one that it has.
#ifndef SIM_FRESH_STORE_H
#define SIM_FRESH_STORE_H

#include <check.h>
#include <stdio.h>

#include "store/session_cache.h"
#include "store/sqlite.h"
#include "store/store.h"

static inline void
sim_store_run(struct mica_store *store, const char *sql)
{
    struct mica_error error;

    ck_assert_msg(mica_sqlite_run(store->self, sql, "empty", &error) == MICA_OK,
                  "%s", error.message);
}

// Nothing uses the store.
static inline void
sim_store_empty(struct mica_store *store)
{
    struct mica_sqlite *sqlite = store->self;
    sqlite3_stmt *tables;
    char sql[128];

    sim_store_run(store, "BEGIN");
    ck_assert(sqlite3_prepare_v2(sqlite->db,
                                 "SELECT name FROM sqlite_master WHERE"
                                 " type = 'table' AND name <> 'counters'",
                                 -1, &tables, NULL) == SQLITE_OK);
    while (sqlite3_step(tables) == SQLITE_ROW) {
        (void)snprintf(sql, sizeof sql, "DELETE FROM %s",
                       (const char *)sqlite3_column_text(tables, 0));
        sim_store_run(store, sql);
    }
    (void)sqlite3_finalize(tables);
    sim_store_run(store, "UPDATE counters SET value = 0");
    sim_store_run(store, "COMMIT");
    sqlite->has_node = false;
    mica_store_totals_fini(store);
    memset(&store->totals, 0, sizeof store->totals);
    mica_store_totals_init(store);
    mica_session_cache_clear(store->sessions);
    store->released_count = 0;
}

#endif
