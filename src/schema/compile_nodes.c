// SPDX-License-Identifier: Apache-2.0
//
// The node of a schema that a keyword or a reference leads to. A new one is filled later
// (compile.c). Links of references are passed once, then shortened.
#include "schema/compile.h"

const struct mica_schema_node mica_schema_anything = {.types = MICA_TYPES_ALL,
                                                      .flags = MICA_NODE_LEAF};

static enum mica_status
new_node(struct mica_schema_compiler *compiler,
         const struct mica_schema_spot *spot,
         struct mica_schema_node **node_out)
{
    struct mica_schema_node *node =
        mica_arena_zero(compiler->arena, 1, sizeof *node);
    if (node == NULL)
        return mica_schema_no_memory(compiler);
    node->types = MICA_TYPES_ALL;
    node->source = spot->value;
    node->resource = spot->resource;
    node->next = compiler->nodes;
    compiler->nodes = node;
    *node_out = node;
    return MICA_OK;
}

static enum mica_status
put_off(struct mica_schema_compiler *compiler, struct mica_schema_spot *spot)
{
    struct mica_schema_work *work =
        mica_arena_alloc(compiler->temporary, sizeof *work);
    if (work == NULL)
        return mica_schema_no_memory(compiler);
    *work = (struct mica_schema_work){spot, NULL};
    if (compiler->last != NULL)
        compiler->last->next = work;
    else
        compiler->first = work;
    compiler->last = work;
    return MICA_OK;
}

// The node of this very schema, whose resource has been entered.
static enum mica_status
own_node(struct mica_schema_compiler *compiler, struct mica_schema_spot *spot,
         const struct mica_schema_node **node_out)
{
    if (spot->node == NULL) {
        MICA_TRY(new_node(compiler, spot, &spot->node));
        MICA_TRY(put_off(compiler, spot));
    }
    *node_out = spot->node;
    return MICA_OK;
}

// The reference of a schema that is nothing but one, or NULL.
static const struct mica_json *
only_reference(const struct mica_schema_spot *spot)
{
    const struct mica_json *reference = NULL;
    if (spot->value->kind != MICA_JSON_OBJECT || spot->identified)
        return NULL;
    for (size_t i = 0; i < spot->value->count; i++) {
        switch ((int)mica_schema_keyword(spot->value->members[i].name)) {
        case MICA_KEY_REF:
            reference = &spot->value->members[i].value;
            break;
        case MICA_KEY_COUNT:
        case MICA_KEY_ANCHOR:
        case MICA_KEY_DEFS:
        case MICA_KEY_DEFINITIONS:
            break;
        default:
            return NULL;
        }
    }
    return reference;
}

// The dynamic anchors of a resource with their nodes.
static enum mica_status
make_scope(struct mica_schema_compiler *compiler,
           struct mica_schema_resource *resource)
{
    size_t count = 0;
    for (const struct mica_schema_anchor *anchor = resource->dynamic_anchors;
         anchor != NULL; anchor = anchor->next)
        count++;
    struct mica_schema_scope *scope =
        mica_arena_alloc(compiler->arena, sizeof *scope);
    if (scope == NULL)
        return mica_schema_no_memory(compiler);
    resource->scope = scope;
    scope->count = count;
    scope->nodes = mica_arena_alloc(compiler->arena, count * sizeof(void *));
    scope->slots =
        mica_arena_alloc(compiler->arena, count * sizeof *scope->slots);
    if (scope->nodes == NULL || scope->slots == NULL)
        return mica_schema_no_memory(compiler);
    size_t i = 0;
    for (const struct mica_schema_anchor *anchor = resource->dynamic_anchors;
         anchor != NULL; anchor = anchor->next, i++) {
        const struct mica_schema_keys keys = {.spot = anchor->spot};
        MICA_TRY(mica_schema_slot_of(compiler, &keys, anchor->name,
                                     &scope->slots[i]));
        MICA_TRY(own_node(compiler, anchor->spot, &scope->nodes[i]));
    }
    return MICA_OK;
}

// A node that enters the resource of the spot and then is the spot's.
static enum mica_status
make_scoped(struct mica_schema_compiler *compiler,
            struct mica_schema_spot *spot)
{
    struct mica_schema_step *step =
        mica_arena_zero(compiler->arena, 1, sizeof *step);
    if (step == NULL)
        return mica_schema_no_memory(compiler);
    enum mica_status status = new_node(compiler, spot, &spot->scoped);
    if (spot->scoped == NULL)
        return status;
    spot->scoped->steps = step;
    spot->scoped->step_count = 1;
    spot->scoped->flags = MICA_NODE_SCOPE;
    step->op = MICA_SCHEMA_OP_SCOPE;
    if (spot->resource->scope == NULL)
        MICA_TRY(make_scope(compiler, spot->resource));
    step->scope = spot->resource->scope;
    return own_node(compiler, spot, &step->node);
}

// A spot from which a reference continues only if it came from the same resource.
static bool
is_boundary(const struct mica_schema_spot *spot)
{
    return spot->resource->dynamic_anchors != NULL;
}

// Where a spot leads that is nothing but a reference; NULL when it is more.
static enum mica_status
follow_only(struct mica_schema_compiler *compiler,
            struct mica_schema_spot *spot, struct mica_schema_spot **next_out)
{
    struct mica_text anchor;
    *next_out = spot->leads;
    if (spot->leads != NULL || spot->node != NULL)
        return MICA_OK;
    const struct mica_json *reference = only_reference(spot);
    if (reference == NULL)
        return MICA_OK;
    MICA_TRY(mica_schema_follow(compiler, spot->resource, reference,
                                &spot->leads, &anchor));
    *next_out = spot->leads;
    return MICA_OK;
}

// Makes the links of a chain that was followed from `spot` to `end` lead there at
// once: however many references enter it, each link is passed a few times. The
// boundaries between are of the resource the chain was entered from. For others it
// ends at the first of them, so what comes before a boundary leads no farther.
static void
schema_spot_shorten(struct mica_schema_spot *spot, struct mica_schema_spot *end)
{
    while (spot != end) {
        struct mica_schema_spot *stop = spot, *next = spot->leads;
        if (is_boundary(spot)) {
            spot->leads = end;
            spot = next;
            continue;
        }
        while (stop != end && !is_boundary(stop))
            stop = stop->leads;
        for (; spot != stop; spot = next) {
            next = spot->leads;
            spot->leads = stop;
        }
    }
}

static bool
allows_anything(const struct mica_schema_spot *spot)
{
    return spot->value->kind == MICA_JSON_TRUE ||
           (spot->value->kind == MICA_JSON_OBJECT && spot->value->count == 0);
}

// The spot at the end of a chain of references, as it is for one that comes from
// the resource `from`.
static enum mica_status
find_end(struct mica_schema_compiler *compiler, struct mica_schema_spot *spot,
         const struct mica_schema_resource *from,
         struct mica_schema_spot **end_out)
{
    struct mica_schema_spot *first = spot;
    for (size_t hops = 0; hops <= compiler->spot_count; hops++) {
        struct mica_schema_spot *next = NULL;
        if (!allows_anything(spot) &&
            (!is_boundary(spot) || spot->resource == from))
            MICA_TRY(follow_only(compiler, spot, &next));
        if (next == NULL) {
            schema_spot_shorten(first, spot);
            *end_out = spot;
            return MICA_OK;
        }
        spot = next;
    }
    return mica_schema_refuse(compiler, first->resource, first->value,
                              MICA_E_USAGE,
                              "this $ref leads back to itself, so it says "
                              "nothing about any value");
}

enum mica_status
mica_schema_node_of(struct mica_schema_compiler *compiler,
                    struct mica_schema_spot *spot,
                    const struct mica_schema_resource *from,
                    const struct mica_schema_node **node_out)
{
    MICA_TRY(find_end(compiler, spot, from, &spot));
    *node_out = &mica_schema_anything;
    if (allows_anything(spot))
        return MICA_OK;
    if (!is_boundary(spot) || spot->resource == from)
        return own_node(compiler, spot, node_out);
    if (spot->scoped == NULL)
        MICA_TRY(make_scoped(compiler, spot));
    *node_out = spot->scoped;
    return MICA_OK;
}

enum mica_status
mica_schema_child(struct mica_schema_compiler *compiler,
                  const struct mica_schema_keys *keys,
                  const struct mica_json *value,
                  const struct mica_schema_node **node_out)
{
    struct mica_schema_spot *spot = mica_schema_spot_find(compiler, value);
    if (spot == NULL)
        return mica_schema_refuse(compiler, keys->spot->resource, value,
                                  MICA_E_USAGE,
                                  "a schema is expected here: an object, true "
                                  "or false, not a JSON %s",
                                  mica_json_kind_name(value->kind));
    return mica_schema_node_of(compiler, spot, keys->spot->resource, node_out);
}

enum mica_status
mica_schema_children(struct mica_schema_compiler *compiler,
                     const struct mica_schema_keys *keys,
                     enum mica_schema_keyword keyword,
                     const struct mica_schema_node *const **nodes_out)
{
    const struct mica_json *list = keys->values[keyword];
    if (list->kind != MICA_JSON_ARRAY || list->count == 0)
        return mica_schema_refuse(compiler, keys->spot->resource, list,
                                  MICA_E_USAGE,
                                  "%s must be an array of at least one schema",
                                  mica_schema_keyword_name(keyword));
    const struct mica_schema_node **nodes =
        mica_arena_alloc(compiler->arena, list->count * sizeof(void *));
    if (nodes == NULL)
        return mica_schema_no_memory(compiler);
    for (size_t i = 0; i < list->count; i++)
        MICA_TRY(mica_schema_child(compiler, keys, &list->items[i], &nodes[i]));
    *nodes_out = nodes;
    return MICA_OK;
}

enum mica_status
mica_schema_slot_of(struct mica_schema_compiler *compiler,
                    const struct mica_schema_keys *keys, struct mica_text name,
                    uint32_t *slot_out)
{
    size_t slot = 0;
    while (slot < compiler->slot_count &&
           !mica_text_equal(compiler->slot_names[slot], name))
        slot++;
    if (slot == MICA_SCHEMA_SLOTS)
        return mica_schema_refuse(
            compiler, keys->spot->resource, keys->spot->value, MICA_E_LIMIT,
            "the schemas have more than %d names of $dynamicAnchor",
            MICA_SCHEMA_SLOTS);
    if (slot == compiler->slot_count)
        compiler->slot_names[compiler->slot_count++] = name;
    *slot_out = (uint32_t)slot;
    return MICA_OK;
}
