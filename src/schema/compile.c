// SPDX-License-Identifier: Apache-2.0
//
// Compiling: a node for each schema that is reached from the root, one after the
// other from a list, so that long chains of references need no stack.
#include "schema/compile.h"

#include "schema/uri.h"

enum {
    SUBSCHEMAS = 100000,
    TEMPORARY_BYTES = 64 << 20,     // that many were seen to take 56
    PATTERN_WORK = 50 * 1000 * 1000 // a tenth of a second
};

const struct mica_schema_node mica_schema_anything = {.types = MICA_TYPES_ALL,
                                                      .flags = MICA_NODE_LEAF};

// ---- Failing ---------------------------------------------------------------

void
mica_schema_place(struct mica_buffer *pointer, const struct mica_json *root,
                  const struct mica_json *value)
{
    const char *target = value->raw.ptr;
    const struct mica_json *at = root;
    while (at->raw.ptr != target &&
           (at->kind == MICA_JSON_ARRAY || at->kind == MICA_JSON_OBJECT)) {
        // The last child that does not begin behind the target.
        bool array = at->kind == MICA_JSON_ARRAY;
        size_t from = 0, to = at->count;
        while (from < to) {
            size_t middle = (from + to) / 2;
            const struct mica_json *child =
                array ? &at->items[middle] : &at->members[middle].value;
            if (child->raw.ptr <= target)
                from = middle + 1;
            else
                to = middle;
        }
        if (from == 0)
            return;
        const struct mica_json *child =
            array ? &at->items[from - 1] : &at->members[from - 1].value;
        if (target >= child->raw.ptr + child->raw.len)
            return;
        if (array)
            mica_buffer_format(pointer, "/%zu", from - 1);
        else
            mica_json_pointer_add(pointer, at->members[from - 1].name);
        at = child;
    }
}

enum mica_status
mica_schema_refuse(struct mica_schema_compiler *compiler,
                   const struct mica_schema_resource *resource,
                   const struct mica_json *value, enum mica_status status,
                   const char *formatz, ...)
{
    char path[sizeof compiler->error->path];
    struct mica_buffer pointer = {
        .ptr = path, .capacity = sizeof path, .max = sizeof path - 1};
    va_list arguments;
    while (resource != NULL && resource->parent != NULL)
        resource = resource->parent;
    if (resource != NULL)
        mica_schema_place(&pointer, resource->root, value);
    path[pointer.len] = '\0';
    va_start(arguments, formatz);
    mica_error_vset(compiler->error, status, NULL, path, formatz, arguments);
    va_end(arguments);
    if (resource != NULL && resource->root != compiler->root)
        mica_error_prefix(compiler->error, "in the document %.*s",
                          MICA_ARG(resource->uri));
    return status;
}

enum mica_status
mica_schema_no_memory(struct mica_schema_compiler *compiler)
{
    return mica_error_set(compiler->error, MICA_E_LIMIT, "",
                          "the schema needs more memory than it may use");
}

// ---- Nodes -----------------------------------------------------------------

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
    MICA_TRY(new_node(compiler, spot, &spot->scoped));
    spot->scoped->steps = step;
    spot->scoped->step_count = 1;
    spot->scoped->flags = MICA_NODE_SCOPE;
    step->op = MICA_STEP_SCOPE;
    if (spot->resource->scope == NULL)
        MICA_TRY(make_scope(compiler, spot->resource));
    step->scope = spot->resource->scope;
    return own_node(compiler, spot, &step->node);
}

// A spot from which a reference continues only if it came from the same resource.
static bool
is_gate(const struct mica_schema_spot *spot)
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
// gates on the way are of the resource the chain was entered from. For others it
// ends at the first of them, so what comes before a gate leads no farther.
static void
shorten(struct mica_schema_spot *spot, struct mica_schema_spot *end)
{
    while (spot != end) {
        struct mica_schema_spot *stop = spot, *next = spot->leads;
        if (is_gate(spot)) {
            spot->leads = end;
            spot = next;
            continue;
        }
        while (stop != end && !is_gate(stop))
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
            (!is_gate(spot) || spot->resource == from))
            MICA_TRY(follow_only(compiler, spot, &next));
        if (next == NULL) {
            shorten(first, spot);
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
    if (!is_gate(spot) || spot->resource == from)
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

// ---- All of it -------------------------------------------------------------

static enum mica_status
fill_node(struct mica_schema_compiler *compiler,
          const struct mica_schema_spot *spot)
{
    static mica_schema_part *const parts[] = {
        mica_schema_compile_types,   mica_schema_compile_choices,
        mica_schema_compile_numbers, mica_schema_compile_texts,
        mica_schema_compile_steps,   mica_schema_compile_items,
        mica_schema_compile_members};
    struct mica_schema_node *node = spot->node;
    struct mica_schema_keys keys = {.spot = spot, .source = spot->value};
    if (spot->value->kind == MICA_JSON_FALSE) {
        node->types = 0;
        node->flags = MICA_NODE_LEAF;
        return MICA_OK;
    }
    for (size_t i = 0; i < spot->value->count; i++) {
        const struct mica_json_member *member = &spot->value->members[i];
        enum mica_schema_keyword keyword = mica_schema_keyword(member->name);
        if (keyword != MICA_KEY_COUNT &&
            (spot->resource->vocabularies &
             mica_schema_keyword_vocabulary(keyword)) != 0)
            keys.values[keyword] = &member->value;
    }
    for (size_t i = 0; i < MICA_COUNT(parts); i++)
        MICA_TRY(parts[i](compiler, &keys, node));
    if (node->items != NULL || node->members != NULL || node->step_count > 0)
        return MICA_OK;
    if (node->choices == NULL)
        node->flags |= MICA_NODE_LEAF;
    else if (node->choices->next == NULL && node->numbers == NULL &&
             node->texts == NULL && (node->choices->kinds & ~node->types) == 0)
        node->flags |= MICA_NODE_CHOICE;
    return MICA_OK;
}

static enum mica_status
compile(struct mica_schema_compiler *compiler, struct mica_text text,
        struct mica_schema *schema)
{
    struct mica_schema_spot *root;
    const struct mica_schema_options *options = compiler->options;
    struct mica_text fragment;
    struct mica_text uri =
        mica_uri_resolve(compiler->temporary, (struct mica_text){NULL, 0},
                         options->uri, &fragment);
    compiler->read =
        mica_arena_zero(compiler->temporary, options->document_count + 1, 1);
    if (compiler->read == NULL || uri.ptr == NULL)
        return mica_schema_no_memory(compiler);
    MICA_TRY(mica_schema_document_read(compiler, uri, text, &root));
    MICA_TRY(mica_schema_node_of(compiler, root, NULL, &schema->root));
    for (; compiler->first != NULL; compiler->first = compiler->first->next)
        MICA_TRY(fill_node(compiler, compiler->first->spot));
    schema->slot_count = compiler->slot_count;
    schema->regex_steps = compiler->regex_steps;
    MICA_TRY(mica_schema_check_loops(compiler));
    return mica_schema_add_selectors(compiler);
}

// The cap of what is needed only while compiling: it grows with the subschemas
// that the caller allows.
static size_t
temporary_bytes(size_t subschemas)
{
    size_t times = subschemas > 0 ? (subschemas - 1) / SUBSCHEMAS + 1 : 1;
    return times <= SIZE_MAX / TEMPORARY_BYTES ? times * TEMPORARY_BYTES
                                               : SIZE_MAX;
}

enum mica_status
mica_schema_compile(struct mica_arena *arena, struct mica_text text,
                    const struct mica_schema_options *options,
                    struct mica_error *error, struct mica_schema **schema_out)
{
    static const struct mica_schema_options defaults;
    struct mica_arena temporary;
    struct mica_error unseen = {.status = MICA_OK};
    if (options == NULL)
        options = &defaults;
    mica_arena_init(&temporary, temporary_bytes(options->subschemas));
    struct mica_schema_compiler compiler = {
        .arena = arena,
        .temporary = &temporary,
        .error = error != NULL ? error : &unseen,
        .options = options,
        .pattern_budget = PATTERN_WORK,
        .spot_limit =
            options->subschemas != 0 ? options->subschemas : SUBSCHEMAS};
    struct mica_schema *schema = mica_arena_zero(arena, 1, sizeof *schema);
    enum mica_status status = schema != NULL ? compile(&compiler, text, schema)
                                             : mica_schema_no_memory(&compiler);
    mica_arena_fini(&temporary);
    if (status == MICA_OK)
        *schema_out = schema;
    return status;
}
