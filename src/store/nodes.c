// SPDX-License-Identifier: Apache-2.0
//
// The processes that hold something in a store. One that has ended, which a lock
// proves and no process id, holds nothing any more: what it has left is free at
// once, not when its leases have run out. The fence decides as ever.
#include "store/calls.h"

enum {
    NODES = 1000,             // that are looked at in one go
    UNKNOWN_MS = 24 * 3600000 // a node whose lock nobody can find is forgotten
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

static enum mica_status
find_nodes(struct mica_store *within, struct mica_arena *arena,
           struct mica_error *error, struct mica_store_rows *nodes_out)
{
    const struct mica_store_range range = {.table = MICA_STORE_NODES,
                                           .limit = NODES};

    return mica_store_scan(within, &range, arena, error, nodes_out);
}

// The calls that a node holds. There is no index of them: this is read once for
// each process that dies.
static enum mica_status
find_held(struct mica_store *within, int64_t node, int64_t now,
          struct mica_arena *arena, struct mica_error *error,
          struct mica_store_rows *rows_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CALLS,
                                     .index = MICA_CALLS_BY_CREATED,
                                     .equal = 1,
                                     .columns = MICA_COLUMN(MICA_CALL_ID),
                                     .limit = SWEEP_ROWS,
                                     .condition_count = 2};

    range.values[0].number = 0;
    range.conditions[0] = (struct mica_store_condition){
        MICA_CALL_HOLDER, MICA_IS_EQUAL, {.number = node}};
    range.conditions[1] = (struct mica_store_condition){
        MICA_CALL_LEASE, MICA_IS_AT_LEAST, {.number = now + 1}};
    return mica_store_scan(within, &range, arena, error, rows_out);
}

struct reaping {
    int64_t node, now;
    struct mica_store_rows held;
    size_t freed;
};

// The lease ends now, as if it had run out: the claim that follows counts it.
static enum mica_status
free_held(struct mica_store *within, struct reaping *reaping,
          struct mica_error *error)
{
    for (size_t i = 0; i < reaping->held.count; i++) {
        struct mica_store_row row;
        bool found;
        MICA_TRY(mica_store_call_row(
            within, reaping->held.items[i].values[MICA_CALL_ID].text, error,
            &found, &row));
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

static enum mica_status
bury(struct mica_store *within, struct reaping *reaping,
     struct mica_error *error)
{
    struct mica_store_row node;
    size_t removed;

    MICA_TRY(free_held(within, reaping, error));
    if (reaping->held.count == SWEEP_ROWS)
        return MICA_OK; // there may be more
    node.values[MICA_NODE_ID].number = reaping->node;
    return mica_store_remove(within, MICA_STORE_NODES, 1, &node, error,
                             &removed);
}

// What a dead node holds is read first, so that writers do not wait for that.
static enum mica_status
reap(struct mica_store *store, int64_t node, int64_t now,
     struct mica_arena *arena, struct mica_error *error, size_t *freed)
{
    struct reaping reaping = {.node = node, .now = now};
    struct mica_store within;

    do {
        MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
        MICA_TRY(mica_store_leave(
            &within, find_held(&within, node, now, arena, error, &reaping.held),
            error));
        MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
        MICA_TRY(
            mica_store_leave(&within, bury(&within, &reaping, error), error));
    } while (reaping.held.count == SWEEP_ROWS);
    *freed += reaping.freed;
    return MICA_OK;
}

// Of those nodes the ones that have ended, or are not known to live for a day.
static void
keep_dead(struct mica_store *within, int64_t now, struct mica_store_rows *nodes)
{
    int64_t mine = within->backend->node(within->connection, NULL);
    size_t kept = 0;

    for (size_t i = 0; i < nodes->count; i++) {
        const union mica_store_value *values = nodes->items[i].values;
        if (values[MICA_NODE_ID].number == mine)
            continue;
        if (mica_store_is_dead(within, values[MICA_NODE_ID].number) ||
            (values[MICA_NODE_ID].number >> 32 != mine >> 32 &&
             values[MICA_NODE_SINCE].number < now - UNKNOWN_MS))
            nodes->items[kept++] = nodes->items[i];
    }
    nodes->count = kept;
}

enum mica_status
mica_store_reap(struct mica_store *store, int64_t now, struct mica_error *error,
                size_t *freed_out)
{
    struct mica_store_rows nodes;
    struct mica_store within;
    struct mica_arena arena;
    enum mica_status status;

    *freed_out = 0;
    if (store->backend->is_dead == NULL)
        return MICA_OK;
    mica_arena_init(&arena, SCRATCH_BYTES);
    status = mica_store_enter(store, MICA_STORE_READ, error, &within);
    if (status == MICA_OK) {
        status = find_nodes(&within, &arena, error, &nodes);
        if (status == MICA_OK)
            keep_dead(&within, now, &nodes);
        status = mica_store_leave(&within, status, error);
    }
    for (size_t i = 0; status == MICA_OK && i < nodes.count; i++)
        status = reap(store, nodes.items[i].values[MICA_NODE_ID].number, now,
                      &arena, error, freed_out);
    mica_arena_fini(&arena);
    return status;
}
