// SPDX-License-Identifier: Apache-2.0
//
// Alternatives that one member tells apart, as {"type":"circle",…} does: found
// once all nodes are there, so that a value is tried only where it may fit.
#include "schema/compile.h"

enum {
    MOST = 64 // alternatives, a bit each
};

static bool requires(const struct mica_schema_node *node, struct mica_text name)
{
    const struct mica_json *list = node->members->required_list;
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (mica_text_equal(list->items[i].text, name))
            return true;
    return false;
}

// The strings that a node requires of its member of that name, or NULL.
static const struct mica_schema_choices *
strings_of(const struct mica_schema_node *node, struct mica_text name)
{
    if (node->members == NULL || !requires(node, name))
        return NULL;
    int64_t found = mica_schema_find(&node->members->table, name);
    const struct mica_schema_node *property =
        found >= 0 ? node->members->properties[found].node : NULL;
    const struct mica_schema_choices *choices =
        property != NULL ? property->choices : NULL;
    return choices != NULL && choices->kinds == 1 << MICA_JSON_STRING ? choices
                                                                      : NULL;
}

// How many strings all alternatives allow there together; 0 unless each names
// some.
static size_t
count_strings(const struct mica_schema_step *step, struct mica_text name)
{
    size_t sum = 0;
    for (size_t i = 0; i < step->count; i++) {
        const struct mica_schema_choices *choices =
            strings_of(step->nodes[i], name);
        if (choices == NULL)
            return 0;
        sum += choices->count;
    }
    return sum;
}

static enum mica_status
add_selector(struct mica_schema_compiler *compiler,
             struct mica_schema_step *step, struct mica_text name, size_t count)
{
    struct mica_schema_selector *selector =
        mica_arena_zero(compiler->arena, 1, sizeof *selector);
    uint64_t *masks = mica_arena_zero(compiler->arena, count, sizeof *masks);
    if (selector == NULL || masks == NULL ||
        !mica_schema_table_init(&selector->table, compiler->arena, count))
        return mica_schema_no_memory(compiler);
    selector->name = name;
    selector->masks = masks;
    for (size_t i = 0; i < step->count; i++) {
        const struct mica_schema_choices *choices =
            strings_of(step->nodes[i], name);
        for (size_t k = 0; choices != NULL && k < choices->count; k++) {
            uint32_t index =
                mica_schema_table_add(&selector->table, choices->items[k].text,
                                      selector->table.count);
            masks[index] |= UINT64_C(1) << i;
        }
    }
    step->selector = selector;
    return MICA_OK;
}

// The first member that tells the alternatives apart.
static enum mica_status
select_for(struct mica_schema_compiler *compiler, struct mica_schema_step *step)
{
    const struct mica_schema_members *first = step->nodes[0]->members;
    const struct mica_json *list = first != NULL ? first->required_list : NULL;
    for (size_t i = 0; list != NULL && i < list->count && i < MOST; i++) {
        size_t count = count_strings(step, list->items[i].text);
        if (count > 0)
            return add_selector(compiler, step, list->items[i].text, count);
    }
    return MICA_OK;
}

enum mica_status
mica_schema_add_selectors(struct mica_schema_compiler *compiler)
{
    for (struct mica_schema_node *node = compiler->nodes; node != NULL;
         node = node->next) {
        for (size_t i = 0; i < node->step_count; i++) {
            struct mica_schema_step *step = &node->steps[i];
            if ((step->op == MICA_SCHEMA_OP_ANY ||
                 step->op == MICA_SCHEMA_OP_ONE) &&
                step->count > 1 && step->count <= MOST)
                MICA_TRY(select_for(compiler, step));
        }
    }
    return MICA_OK;
}
