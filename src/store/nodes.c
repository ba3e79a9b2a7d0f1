// SPDX-License-Identifier: Apache-2.0
//
// Nodes: the processes that have a store open. When a lock proves that a process has ended
// (a process id proves nothing), this frees its claims at once, before their leases expire.
// The fence still decides which commit counts.
#include <stdlib.h>

#include "store/store.h"

enum {
    NODES = 1000, // that one call checks
    UNKNOWN_MS =
        24 * 3600000 // after which a node in another lock file is removed
};

// ---- This process ----------------------------------------------------------------

int64_t
mica_store_node(struct mica_store *store)
{
    return store->backend->node != NULL ? store->backend->node(store->self) : 0;
}

bool
mica_store_is_dead(struct mica_store *store, int64_t node)
{
    return node != 0 && store->backend->is_dead != NULL &&
           store->backend->is_dead(store->self, node);
}

// ---- Other processes -------------------------------------------------------------

static const struct mica_store_operation nodes_list = {
    .name = "nodes",
    .takes = "n",
    .steps = {{.sql = "SELECT id, since FROM nodes ORDER BY id LIMIT ?1",
               .gives = "nn"}}};

// Ends the leases of a node now, as if they had expired: the next claim counts the loss.
// ?1 node, ?2 now
static const struct mica_store_operation node_reap = {
    .name = "node_reap",
    .writes = true,
    .takes = "nn",
    .steps = {{.sql = "UPDATE claims SET lease = ?2, wakes = ?2"
                      " WHERE holder = ?1 AND lease > ?2 AND fence >"
                      " (SELECT c.fence FROM calls AS c"
                      " WHERE c.number = claims.call AND c.ended = 0)"},
              {.sql = "DELETE FROM nodes WHERE id = ?1"},
              {.sql = "INSERT INTO counters (name, value)"
                      " VALUES ('doubtful', 1) ON CONFLICT (name)"
                      " DO UPDATE SET value = 1"}}};

// Removes a node. Its claims hold until their leases expire.
static const struct mica_store_operation node_forget = {
    .name = "node_forget",
    .writes = true,
    .takes = "n",
    .steps = {{.sql = "DELETE FROM nodes WHERE id = ?1"}}};

static enum mica_status
read_nodes(struct mica_store *store, struct mica_arena *arena,
           struct mica_error *error, struct mica_store_given *nodes_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(NODES)};
    unsigned refusal;

    return mica_store_do(store, &nodes_list, values, nodes_out, arena, error,
                         &refusal);
}

static enum mica_status
node_reap_dead(struct mica_store *store, int64_t node, int64_t now,
               struct mica_error *error, size_t *freed)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(node),
                                             MICA_STORE_NUMBER(now)};
    struct mica_store_given given[3] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(
        mica_store_do(store, &node_reap, values, given, NULL, error, &refusal));
    *freed += given[0].changed;
    return MICA_OK;
}

// Reaps a node that has ended. Removes a node after a day if its lock is in another file,
// so that its death cannot be proved.
static enum mica_status
node_check(struct mica_store *store, int64_t node, int64_t since, int64_t now,
           struct mica_error *error, size_t *freed)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(node)};
    int64_t mine = mica_store_node(store);
    unsigned refusal;

    if (node == mine)
        return MICA_OK;
    if (mica_store_is_dead(store, node))
        return node_reap_dead(store, node, now, error, freed);
    if (node >> 32 == mine >> 32 || since >= now - UNKNOWN_MS)
        return MICA_OK;
    return mica_store_do(store, &node_forget, values, NULL, NULL, error,
                         &refusal);
}

bool
mica_store_is_alone(struct mica_store *store, bool *died_out)
{
    struct mica_store_given nodes[1] = {{.count = 0}};
    int64_t mine = mica_store_node(store);
    struct mica_error error;
    struct mica_arena arena;
    bool alone = true;

    *died_out = false;
    if (store->backend->is_dead == NULL)
        return true;
    mica_arena_init(&arena, 1 << 20);
    if (read_nodes(store, &arena, &error, nodes) != MICA_OK)
        alone = false;
    for (size_t i = 0; i < nodes[0].count && alone; i++) {
        int64_t node = mica_store_given_row(&nodes[0], i)[0].number;
        bool dead = node != mine && mica_store_is_dead(store, node);
        *died_out |= dead;
        alone = dead || node == mine;
    }
    mica_arena_fini(&arena);
    return alone;
}

enum mica_status
mica_store_reap(struct mica_store *store, int64_t now, struct mica_error *error,
                size_t *freed_out)
{
    struct mica_store_given nodes[1] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;

    *freed_out = 0;
    if (store->backend->is_dead == NULL)
        return MICA_OK;
    mica_arena_init(&arena, 1 << 20);
    status = read_nodes(store, &arena, error, nodes);
    for (size_t i = 0; i < nodes[0].count && status == MICA_OK; i++) {
        const union mica_store_value *row = mica_store_given_row(&nodes[0], i);
        status = node_check(store, row[0].number, row[1].number, now, error,
                            freed_out);
    }
    mica_arena_fini(&arena);
    return status;
}
