// SPDX-License-Identifier: Apache-2.0
//
// The back end in SQLite as one struct of functions: in a file, or in memory.
#include <stdlib.h>

#include "store/backend.h"
#include "store/path.h"
#include "store/sqlite.h"

// ---- Opening and closing -------------------------------------------------------

static void
close_sqlite(void *self)
{
    struct mica_sqlite *sqlite = self;

    mica_sqlite_close_node(sqlite);
    mica_sqlite_forget_texts(sqlite);
    mica_sqlite_disconnect(sqlite);
    pthread_mutex_destroy(&sqlite->node_lock);
    mica_timed_lock_fini(&sqlite->timed_lock);
    free(sqlite);
}

enum mica_status
mica_store_sqlite_open(const char *path,
                       const struct mica_store_options *limits,
                       struct mica_error *error, void **self_out)
{
    struct mica_sqlite *sqlite;
    enum mica_status status;

    if (path != NULL)
        MICA_TRY(mica_store_make_file(path, limits->must_exist, error));
    sqlite = calloc(1, sizeof *sqlite);
    if (sqlite == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "No memory is left.");
    sqlite->lock_file = -1;
    pthread_mutex_init(&sqlite->node_lock, NULL);
    mica_timed_lock_init(&sqlite->timed_lock, limits->busy_ms);
    status = mica_sqlite_connect(sqlite, path, limits->busy_ms, error);
    if (status == MICA_OK)
        status = mica_sqlite_prepare(sqlite, limits->pages_trusted, error);
    if (status != MICA_OK) {
        close_sqlite(sqlite);
        return status;
    }
    *self_out = sqlite;
    return MICA_OK;
}

const struct mica_store_backend mica_store_memory = {
    .name = "memory",
    .close = close_sqlite,
    .run = mica_sqlite_run_parts,
    .place = mica_sqlite_place,
};

const struct mica_store_backend mica_store_sqlite = {
    .name = "sqlite",
    .close = close_sqlite,
    .run = mica_sqlite_run_parts,
    .node = mica_sqlite_node,
    .is_dead = mica_sqlite_is_dead,
    .lock_takeover = mica_sqlite_lock_takeover,
    .unlock_takeover = mica_sqlite_unlock_takeover,
    .place = mica_sqlite_place,
    .backup = mica_sqlite_backup,
    .check = mica_sqlite_check,
};
