// SPDX-License-Identifier: Apache-2.0
//
// What a schema asks of the items of an array, and the schemas that it applies to
// the same value: references, allOf, anyOf, oneOf, not, if, dependentSchemas.
#include "schema/compile.h"

// ---- Items -----------------------------------------------------------------

static enum mica_status
compile_contains(struct mica_schema_compiler *compiler,
                 const struct mica_schema_keys *keys,
                 struct mica_schema_items *items)
{
    if (keys->values[MICA_KEY_CONTAINS] == NULL)
        return MICA_OK;
    items->contains_least = 1;
    items->contains_most = SIZE_MAX;
    MICA_TRY(mica_schema_compile_count(compiler, keys, MICA_KEY_MIN_CONTAINS,
                                       &items->contains_least));
    MICA_TRY(mica_schema_compile_count(compiler, keys, MICA_KEY_MAX_CONTAINS,
                                       &items->contains_most));
    return mica_schema_child(compiler, keys, keys->values[MICA_KEY_CONTAINS],
                             &items->contains);
}

static enum mica_status
compile_rest(struct mica_schema_compiler *compiler,
             const struct mica_schema_keys *keys, struct mica_schema_node *node,
             struct mica_schema_items *items)
{
    const struct mica_json *prefix = keys->values[MICA_KEY_PREFIX_ITEMS];
    const struct mica_json *rest = keys->values[MICA_KEY_ITEMS];
    const struct mica_json *left = keys->values[MICA_KEY_UNEVALUATED_ITEMS];
    items->rest_keywordz = "items";
    if (prefix != NULL) {
        MICA_TRY(mica_schema_children(compiler, keys, MICA_KEY_PREFIX_ITEMS,
                                      &items->prefix));
        items->prefix_count = prefix->count;
    }
    if (rest != NULL && rest->kind == MICA_JSON_ARRAY)
        return mica_schema_refuse(compiler, keys->spot->resource, rest,
                                  MICA_E_USAGE,
                                  "items must be a schema; a list of schemas "
                                  "is called prefixItems since 2020-12");
    if (rest != NULL)
        return mica_schema_child(compiler, keys, rest, &items->rest);
    if (left == NULL)
        return MICA_OK;
    if (node->step_count == 0 && items->contains == NULL) {
        items->rest_keywordz = "unevaluatedItems";
        return mica_schema_child(compiler, keys, left, &items->rest);
    }
    node->flags |= MICA_NODE_TRACKS;
    return mica_schema_child(compiler, keys, left, &items->unevaluated);
}

enum mica_status
mica_schema_compile_items(struct mica_schema_compiler *compiler,
                          const struct mica_schema_keys *keys,
                          struct mica_schema_node *node)
{
    const struct mica_json *unique = keys->values[MICA_KEY_UNIQUE_ITEMS];
    struct mica_schema_items items = {.most = SIZE_MAX};
    MICA_TRY(mica_schema_compile_count(compiler, keys, MICA_KEY_MIN_ITEMS,
                                       &items.least));
    MICA_TRY(mica_schema_compile_count(compiler, keys, MICA_KEY_MAX_ITEMS,
                                       &items.most));
    if (unique != NULL && unique->kind != MICA_JSON_TRUE &&
        unique->kind != MICA_JSON_FALSE)
        return mica_schema_refuse(compiler, keys->spot->resource, unique,
                                  MICA_E_USAGE,
                                  "uniqueItems must be true or false");
    items.unique = unique != NULL && unique->kind == MICA_JSON_TRUE;
    MICA_TRY(compile_contains(compiler, keys, &items));
    MICA_TRY(compile_rest(compiler, keys, node, &items));
    if (items.least == 0 && items.most == SIZE_MAX && !items.unique &&
        items.prefix == NULL && items.rest == NULL && items.contains == NULL &&
        items.unevaluated == NULL)
        return MICA_OK;
    struct mica_schema_items *kept =
        mica_arena_alloc(compiler->arena, sizeof *kept);
    if (kept == NULL)
        return mica_schema_no_memory(compiler);
    *kept = items;
    node->items = kept;
    return MICA_OK;
}

// ---- Steps -----------------------------------------------------------------

// Steps being added; there is room for all.
struct steps {
    struct mica_schema_step *at;
    size_t count;
};

static struct mica_schema_step *
steps_add(struct steps *steps, enum mica_schema_op op)
{
    struct mica_schema_step *step = &steps->at[steps->count++];
    step->op = op;
    return step;
}

static enum mica_status
add_references(struct mica_schema_compiler *compiler,
               const struct mica_schema_keys *keys, struct steps *steps)
{
    static const enum mica_schema_keyword keywords[] = {MICA_KEY_REF,
                                                        MICA_KEY_DYNAMIC_REF};
    struct mica_schema_resource *resource = keys->spot->resource;
    for (size_t i = 0; i < MICA_COUNT(keywords); i++) {
        const struct mica_json *reference = keys->values[keywords[i]];
        struct mica_schema_spot *target;
        struct mica_text anchor;
        if (reference == NULL)
            continue;
        MICA_TRY(mica_schema_follow(compiler, resource, reference, &target,
                                    &anchor));
        struct mica_schema_step *step = steps_add(steps, MICA_SCHEMA_OP_REF);
        MICA_TRY(mica_schema_node_of(compiler, target, resource, &step->node));
        if (keywords[i] == MICA_KEY_REF || anchor.ptr == NULL)
            continue;
        step->op = MICA_SCHEMA_OP_DYNAMIC;
        MICA_TRY(mica_schema_slot_of(compiler, keys, anchor, &step->slot));
    }
    return MICA_OK;
}

static enum mica_status
add_lists(struct mica_schema_compiler *compiler,
          const struct mica_schema_keys *keys, struct steps *steps)
{
    static const struct {
        enum mica_schema_keyword keyword;
        enum mica_schema_op op;
    } lists[] = {{MICA_KEY_ALL_OF, MICA_SCHEMA_OP_REF},
                 {MICA_KEY_ANY_OF, MICA_SCHEMA_OP_ANY},
                 {MICA_KEY_ONE_OF, MICA_SCHEMA_OP_ONE}};
    for (size_t i = 0; i < MICA_COUNT(lists); i++) {
        const struct mica_json *list = keys->values[lists[i].keyword];
        const struct mica_schema_node *const *nodes;
        if (list == NULL)
            continue;
        MICA_TRY(
            mica_schema_children(compiler, keys, lists[i].keyword, &nodes));
        if (lists[i].op == MICA_SCHEMA_OP_REF) {
            for (size_t k = 0; k < list->count; k++)
                steps_add(steps, MICA_SCHEMA_OP_REF)->node = nodes[k];
            continue;
        }
        struct mica_schema_step *step = steps_add(steps, lists[i].op);
        step->nodes = nodes;
        step->count = (uint32_t)list->count;
    }
    return MICA_OK;
}

static enum mica_status
add_conditions(struct mica_schema_compiler *compiler,
               const struct mica_schema_keys *keys, struct steps *steps)
{
    const struct mica_json *branches[] = {keys->values[MICA_KEY_THEN],
                                          keys->values[MICA_KEY_ELSE]};
    if (keys->values[MICA_KEY_NOT] != NULL)
        MICA_TRY(
            mica_schema_child(compiler, keys, keys->values[MICA_KEY_NOT],
                              &steps_add(steps, MICA_SCHEMA_OP_NOT)->node));
    if (keys->values[MICA_KEY_IF] == NULL)
        return MICA_OK;
    struct mica_schema_step *step = steps_add(steps, MICA_SCHEMA_OP_IF);
    const struct mica_schema_node **nodes =
        mica_arena_zero(compiler->arena, MICA_COUNT(branches), sizeof(void *));
    if (nodes == NULL)
        return mica_schema_no_memory(compiler);
    step->nodes = nodes;
    step->count = MICA_COUNT(branches);
    for (size_t i = 0; i < MICA_COUNT(branches); i++)
        if (branches[i] != NULL)
            MICA_TRY(mica_schema_child(compiler, keys, branches[i], &nodes[i]));
    return mica_schema_child(compiler, keys, keys->values[MICA_KEY_IF],
                             &step->node);
}

static enum mica_status
add_dependents(struct mica_schema_compiler *compiler,
               const struct mica_schema_keys *keys,
               enum mica_schema_keyword keyword, struct steps *steps)
{
    const struct mica_json *map = keys->values[keyword];
    if (map != NULL && map->kind != MICA_JSON_OBJECT)
        return mica_schema_refuse(compiler, keys->spot->resource, map,
                                  MICA_E_USAGE,
                                  "%s must be an object of schemas",
                                  mica_schema_keyword_name(keyword));
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        if (keyword == MICA_KEY_DEPENDENCIES &&
            map->members[i].value.kind == MICA_JSON_ARRAY)
            continue;
        struct mica_schema_step *step =
            steps_add(steps, MICA_SCHEMA_OP_DEPENDENT);
        step->name = map->members[i].name;
        MICA_TRY(mica_schema_child(compiler, keys, &map->members[i].value,
                                   &step->node));
    }
    return MICA_OK;
}

// How many steps there will be, or a few more: most schemas have none, and
// should take no memory for any.
static size_t
count_steps(const struct mica_schema_keys *keys)
{
    static const enum mica_schema_keyword single[] = {
        MICA_KEY_REF,    MICA_KEY_DYNAMIC_REF, MICA_KEY_ANY_OF,
        MICA_KEY_ONE_OF, MICA_KEY_NOT,         MICA_KEY_IF};
    static const enum mica_schema_keyword many[] = {
        MICA_KEY_ALL_OF, MICA_KEY_DEPENDENT_SCHEMAS, MICA_KEY_DEPENDENCIES};
    size_t count = 0;
    for (size_t i = 0; i < MICA_COUNT(single); i++)
        count += keys->values[single[i]] != NULL ? 1 : 0;
    // One of the wrong kind is refused on the way, so it has to get there.
    for (size_t i = 0; i < MICA_COUNT(many); i++)
        if (keys->values[many[i]] != NULL)
            count += keys->values[many[i]]->count + 1;
    return count;
}

enum mica_status
mica_schema_compile_steps(struct mica_schema_compiler *compiler,
                          const struct mica_schema_keys *keys,
                          struct mica_schema_node *node)
{
    size_t most = count_steps(keys);
    if (most == 0)
        return MICA_OK;
    struct steps steps = {
        mica_arena_zero(compiler->temporary, most, sizeof *steps.at), 0};
    if (steps.at == NULL)
        return mica_schema_no_memory(compiler);
    MICA_TRY(add_references(compiler, keys, &steps));
    MICA_TRY(add_lists(compiler, keys, &steps));
    MICA_TRY(add_conditions(compiler, keys, &steps));
    MICA_TRY(
        add_dependents(compiler, keys, MICA_KEY_DEPENDENT_SCHEMAS, &steps));
    MICA_TRY(add_dependents(compiler, keys, MICA_KEY_DEPENDENCIES, &steps));
    if (steps.count == 0)
        return MICA_OK;
    struct mica_schema_step *kept =
        mica_arena_alloc(compiler->arena, steps.count * sizeof *kept);
    if (kept == NULL)
        return mica_schema_no_memory(compiler);
    memcpy(kept, steps.at, steps.count * sizeof *kept);
    node->steps = kept;
    node->step_count = (uint32_t)steps.count;
    return MICA_OK;
}
