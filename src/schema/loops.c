// SPDX-License-Identifier: Apache-2.0
//
// A schema that applies itself to the value it is applied to, by way of
// references, allOf and their like, would never come to an end. Such circles are
// refused here; those that go through `$dynamicRef` depend on where one comes
// from, and meet the evaluator's limit of depth.
#include "schema/compile.h"

enum {
    UNSEEN,
    OPEN, // on the way from the start to here
    DONE
};

// A node on the way, and how many of its neighbors have been seen.
struct stop {
    struct mica_schema_node *node;
    size_t step, inside;
};

// The next node that is applied to the same value, or NULL behind the last.
static const struct mica_schema_node *
stop_neighbor(struct stop *stop)
{
    while (stop->step < stop->node->step_count) {
        const struct mica_schema_step *step = &stop->node->steps[stop->step];
        if (stop->inside == 0) {
            stop->inside = 1;
            if (step->node != NULL && step->op != MICA_SCHEMA_OP_DYNAMIC)
                return step->node;
        }
        while (stop->inside <= step->count) {
            const struct mica_schema_node *node =
                step->nodes[stop->inside++ - 1];
            if (node != NULL)
                return node;
        }
        stop->inside = 0;
        stop->step++;
    }
    return NULL;
}

static enum mica_status
schema_compiler_walk(struct mica_schema_compiler *compiler, struct stop *path,
                     struct mica_schema_node *start)
{
    size_t depth = 1;
    path[0] = (struct stop){start, 0, 0};
    start->state = OPEN;
    while (depth > 0) {
        struct mica_schema_node *next =
            (struct mica_schema_node *)(uintptr_t)stop_neighbor(
                &path[depth - 1]);
        if (next == NULL) {
            path[--depth].node->state = DONE;
        } else if (next != &mica_schema_anything && next->state == OPEN) {
            return mica_schema_refuse(
                compiler, next->resource, next->source, MICA_E_USAGE,
                "this schema applies itself to the same value again, which "
                "would never end; let references lead through properties or "
                "items");
        } else if (next != &mica_schema_anything && next->state == UNSEEN) {
            next->state = OPEN;
            path[depth++] = (struct stop){next, 0, 0};
        }
    }
    return MICA_OK;
}

enum mica_status
mica_schema_check_loops(struct mica_schema_compiler *compiler)
{
    size_t count = 0;
    for (struct mica_schema_node *node = compiler->nodes; node != NULL;
         node = node->next)
        count++;
    struct stop *path =
        mica_arena_alloc(compiler->temporary, (count + 1) * sizeof *path);
    if (path == NULL)
        return mica_schema_no_memory(compiler);
    for (struct mica_schema_node *node = compiler->nodes; node != NULL;
         node = node->next)
        if (node->state == UNSEEN && node->step_count > 0)
            MICA_TRY(schema_compiler_walk(compiler, path, node));
    return MICA_OK;
}
