// SPDX-License-Identifier: Apache-2.0
//
// The processes that hold something in a store. One that has ended, which a lock
// proves and no process id, holds nothing any more: what it has left is free at
// once, not when its leases have run out. The fence decides as ever.
#include <stdlib.h>

#include "store/calls.h"

enum {
    NODES = 1000, // that are looked at in one go
    UNKNOWN_MS =
        24 * 3600000 // a node whose lock is not to be found is forgotten
};

enum mica_status
mica_store_node(struct mica_store *within, int64_t now,
                struct mica_error *error, int64_t *node_out)
{
    struct mica_store_row row;
    enum mica_status status;
    bool is_new;

    *node_out = 0;
    if (within->backend->node == NULL)
        return MICA_OK;
    *node_out = within->backend->node(within->connection, &is_new);
    if (!is_new)
        return MICA_OK;
    row.values[MICA_NODE_ID].number = *node_out;
    row.values[MICA_NODE_SINCE].number = now;
    status = mica_store_insert(within, MICA_STORE_NODES, &row, error);
    return status == MICA_E_EXISTS ? MICA_OK : status;
}

bool
mica_store_is_dead(struct mica_store *within, int64_t node)
{
    return node != 0 && within->backend->is_dead != NULL &&
           within->backend->is_dead(within->connection, node);
}

// ---- Reaping ---------------------------------------------------------------------

struct reaping {
    int64_t node, now;
    struct mica_store_walk walk;
    struct mica_arena arena;           // of `held`
    struct mica_text held[SWEEP_ROWS]; // of one page of calls
    size_t count, freed;
};

// Those of one page that a node holds: there is no index of them, and all are looked
// at once for each process that dies.
static enum mica_status
find_held(struct mica_store *within, struct reaping *reaping,
          struct mica_error *error)
{
    struct mica_store_rows rows;

    MICA_TRY(mica_store_walk_on(within, &reaping->walk,
                                MICA_COLUMN(MICA_CALL_HOLDER) |
                                    MICA_COLUMN(MICA_CALL_LEASE),
                                SWEEP_ROWS, error, &rows));
    reaping->count = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const union mica_store_value *values = rows.items[i].values;
        if (values[MICA_CALL_HOLDER].number == reaping->node &&
            values[MICA_CALL_LEASE].number > reaping->now)
            reaping->held[reaping->count++] =
                mica_arena_text(&reaping->arena, values[MICA_CALL_ID].text);
    }
    if (!reaping->arena.overflow)
        return MICA_OK;
    return mica_store_no_calls_memory(error);
}

// The lease ends now, as if it had run out: the claim that follows counts it.
static enum mica_status
free_held(struct mica_store *within, struct reaping *reaping,
          struct mica_error *error)
{
    for (size_t i = 0; i < reaping->count; i++) {
        struct mica_store_row row;
        bool found;
        MICA_TRY(
            mica_store_call_row(within, reaping->held[i], error, &found, &row));
        if (!found || mica_store_call_ended(&row) ||
            row.values[MICA_CALL_HOLDER].number != reaping->node ||
            row.values[MICA_CALL_LEASE].number <= reaping->now)
            continue;
        row.values[MICA_CALL_LEASE].number = reaping->now;
        MICA_TRY(mica_store_call_update(within, &row,
                                        MICA_COLUMN(MICA_CALL_LEASE), error));
        reaping->freed++;
    }
    return MICA_OK;
}

// What a dead node holds is read first, so that writers do not wait for that.
static enum mica_status
free_calls(struct mica_store *store, struct reaping *reaping,
           struct mica_error *error)
{
    struct mica_store within;

    while (reaping->walk.more) {
        mica_arena_reset(&reaping->arena);
        MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
        MICA_TRY(mica_store_leave(&within, find_held(&within, reaping, error),
                                  error));
        if (reaping->count == 0)
            continue;
        MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
        MICA_TRY(mica_store_leave(&within, free_held(&within, reaping, error),
                                  error));
    }
    return MICA_OK;
}

static enum mica_status
forget(struct mica_store *store, int64_t node, struct mica_error *error)
{
    struct mica_store_row row;
    struct mica_store within;
    size_t removed;

    row.values[MICA_NODE_ID].number = node;
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(
        &within,
        mica_store_remove(&within, MICA_STORE_NODES, 1, &row, error, &removed),
        error);
}

static enum mica_status
reap(struct mica_store *store, int64_t node, int64_t now,
     struct mica_error *error, size_t *freed)
{
    struct reaping *reaping = calloc(1, sizeof *reaping);
    enum mica_status status;

    if (reaping == NULL)
        return mica_store_no_calls_memory(error);
    reaping->node = node;
    reaping->now = now;
    reaping->walk =
        mica_store_walk_begin(MICA_CALLS_BY_CREATED, MICA_CALL_CREATED, 0);
    mica_arena_init(&reaping->arena, SCRATCH_BYTES);
    status = free_calls(store, reaping, error);
    *freed += reaping->freed;
    mica_arena_fini(&reaping->arena);
    free(reaping);
    return status;
}

struct gone {
    int64_t node;
    bool dead; // for certain
};

// Those that have ended, and those that nobody could judge for a day.
static size_t
find_gone(struct mica_store *within, int64_t now,
          const struct mica_store_rows *nodes, struct gone *gone)
{
    int64_t mine = within->backend->node(within->connection, NULL);
    size_t count = 0;

    for (size_t i = 0; i < nodes->count; i++) {
        int64_t node = nodes->items[i].values[MICA_NODE_ID].number;
        bool dead = node != mine && mica_store_is_dead(within, node);
        if (dead ||
            (node >> 32 != mine >> 32 &&
             nodes->items[i].values[MICA_NODE_SINCE].number < now - UNKNOWN_MS))
            gone[count++] = (struct gone){node, dead};
    }
    return count;
}

static enum mica_status
look_at_nodes(struct mica_store *store, int64_t now, struct mica_error *error,
              struct gone gone[NODES], size_t *count_out)
{
    const struct mica_store_range range = {.table = MICA_STORE_NODES,
                                           .limit = NODES};
    struct mica_store_rows nodes;
    struct mica_store within;
    enum mica_status status;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    status = mica_store_scan(&within, &range, NULL, error, &nodes);
    if (status == MICA_OK)
        *count_out = find_gone(&within, now, &nodes, gone);
    return mica_store_leave(&within, status, error);
}

enum mica_status
mica_store_reap(struct mica_store *store, int64_t now, struct mica_error *error,
                size_t *freed_out)
{
    struct gone gone[NODES];
    size_t count = 0;

    *freed_out = 0;
    if (store->backend->is_dead == NULL)
        return MICA_OK;
    MICA_TRY(look_at_nodes(store, now, error, gone, &count));
    for (size_t i = 0; i < count; i++) {
        // One that cannot be judged may live: what it holds is its own until the
        // leases are over.
        if (gone[i].dead)
            MICA_TRY(reap(store, gone[i].node, now, error, freed_out));
        MICA_TRY(forget(store, gone[i].node, error));
    }
    return MICA_OK;
}
