// SPDX-License-Identifier: Apache-2.0
//
// Catalogs and definitions: reference counts, ordered lists, and an index by key. A copy
// of a catalog shares the definitions.
#include "registry/catalog.h"

#include <string.h>

#include "base/hash.h"

enum {
    DEFINITION_BYTES = 16 << 20, // all texts of one definition
    FIRST_ITEMS = 4,
    CATALOG_BYTES = 64 << 20, // all lists of one catalog
    NEAREST_LENGTH = 128      // longer keys are not compared
};

static const struct {
    const char *noun, *list;
} words[MICA_DEFINITION_COUNT] = {
    [MICA_DEFINITION_TOOL] = {"tool", "tools/list"},
    [MICA_DEFINITION_RESOURCE] = {"resource", "resources/list"},
    [MICA_DEFINITION_TEMPLATE] = {"resource template",
                                  "resources/templates/list"},
    [MICA_DEFINITION_PROMPT] = {"prompt", "prompts/list"},
};

const char *
mica_definition_kind_noun(enum mica_definition_kind kind)
{
    return words[kind].noun;
}

const char *
mica_definition_list_method(enum mica_definition_kind kind)
{
    return words[kind].list;
}

// ---- Definitions -----------------------------------------------------------------

struct mica_definition *
mica_definition_new(enum mica_definition_kind kind)
{
    struct mica_arena arena;
    struct mica_definition *definition;

    mica_arena_init_small(&arena, DEFINITION_BYTES);
    definition = mica_arena_zero(&arena, 1, sizeof *definition);
    if (definition == NULL) {
        mica_arena_fini(&arena);
        return NULL;
    }
    definition->arena = arena;
    definition->kind = kind;
    atomic_init(&definition->references, 1);
    return definition;
}

void
mica_definition_hold(struct mica_definition *definition)
{
    atomic_fetch_add_explicit(&definition->references, 1, memory_order_relaxed);
}

void
mica_definition_drop(struct mica_definition *definition)
{
    struct mica_definition *resource;
    struct mica_arena arena;

    if (definition == NULL ||
        atomic_fetch_sub_explicit(&definition->references, 1,
                                  memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0;
         (resource = mica_definition_resource_at(definition, i)) != NULL; i++)
        mica_definition_drop(resource);
    if (definition->release != NULL)
        definition->release(definition);
    // The definition lies in its own arena: copy the arena before freeing it.
    arena = definition->arena;
    mica_arena_fini(&arena);
}

static void
drop_behind(struct mica_definition *self)
{
    mica_definition_drop(self->behind);
}

struct mica_definition *
mica_definition_named(struct mica_definition *definition, struct mica_text name)
{
    struct mica_definition *named = mica_definition_new(definition->kind);
    struct mica_definition *resource;
    size_t own = offsetof(struct mica_definition, kind); // arena and references

    if (named == NULL)
        return NULL;
    // The texts are shared: the new definition holds the old one.
    memcpy((char *)named + own, (const char *)definition + own,
           sizeof *definition - own);
    named->release = drop_behind;
    named->behind = definition;
    mica_definition_hold(definition);
    for (size_t i = 0;
         (resource = mica_definition_resource_at(named, i)) != NULL; i++)
        mica_definition_hold(resource);
    named->key = named->name = mica_arena_text(&named->arena, name);
    if (named->key.ptr != NULL)
        return named;
    mica_definition_drop(named);
    return NULL;
}

// ---- Lists -----------------------------------------------------------------------

// The operator chooses the keys, so a client cannot make collisions; its search for any
// key probes at most one cluster.
static void
index_add(struct mica_definition_list *list, size_t number)
{
    size_t mask = list->index_size - 1;
    size_t slot = mica_hash_text(list->items[number]->key) & mask;

    while (list->index[slot] != 0)
        slot = (slot + 1) & mask;
    list->index[slot] = (uint32_t)number + 1;
}

// Allocates arrays for `capacity` items, a power of two; the index is at most half full.
// The old arrays stay in the arena: all of them together are no larger than the new ones.
static bool
catalog_resize(struct mica_catalog *catalog, struct mica_definition_list *list,
               size_t capacity)
{
    struct mica_definition **items = mica_arena_zero(
        &catalog->arena, capacity, sizeof(struct mica_definition *));
    uint32_t *index =
        mica_arena_zero(&catalog->arena, capacity * 2, sizeof *index);

    if (items == NULL || index == NULL)
        return false;
    if (list->count > 0)
        memcpy(items, list->items,
               list->count * sizeof(struct mica_definition *));
    list->items = items;
    list->capacity = capacity;
    list->index = index;
    list->index_size = capacity * 2;
    for (size_t i = 0; i < list->count; i++)
        index_add(list, i);
    return true;
}

static bool
catalog_append(struct mica_catalog *catalog, struct mica_definition *definition)
{
    struct mica_definition_list *list = &catalog->lists[definition->kind];

    if (list->count == list->capacity &&
        !catalog_resize(catalog, list,
                        list->capacity > 0 ? list->capacity * 2 : FIRST_ITEMS))
        return false;
    mica_definition_hold(definition);
    list->items[list->count] = definition;
    index_add(list, list->count);
    list->count++;
    return true;
}

// Appends the resources of the tool's views, but those whose URI the catalog has.
static bool
catalog_append_views(struct mica_catalog *catalog,
                     const struct mica_definition *tool)
{
    struct mica_definition *resource;

    for (size_t i = 0;
         (resource = mica_definition_resource_at(tool, i)) != NULL; i++) {
        if (mica_catalog_find(catalog, MICA_DEFINITION_RESOURCE,
                              resource->key) == NULL &&
            !catalog_append(catalog, resource))
            return false;
    }
    return true;
}

bool
mica_catalog_add(struct mica_catalog *catalog,
                 struct mica_definition *definition)
{
    return catalog_append(catalog, definition) &&
           catalog_append_views(catalog, definition);
}

struct mica_catalog *
mica_catalog_new(void)
{
    struct mica_arena arena;
    struct mica_catalog *catalog;

    mica_arena_init_small(&arena, CATALOG_BYTES);
    catalog = mica_arena_zero(&arena, 1, sizeof *catalog);
    if (catalog == NULL) {
        mica_arena_fini(&arena);
        return NULL;
    }
    catalog->arena = arena;
    atomic_init(&catalog->references, 1);
    return catalog;
}

void
mica_catalog_hold(struct mica_catalog *catalog)
{
    atomic_fetch_add_explicit(&catalog->references, 1, memory_order_relaxed);
}

void
mica_catalog_drop(struct mica_catalog *catalog)
{
    struct mica_arena arena;

    if (catalog == NULL || atomic_fetch_sub_explicit(&catalog->references, 1,
                                                     memory_order_acq_rel) != 1)
        return;
    for (unsigned kind = 0; kind < MICA_DEFINITION_COUNT; kind++) {
        for (size_t i = 0; i < catalog->lists[kind].count; i++)
            mica_definition_drop(catalog->lists[kind].items[i]);
    }
    arena = catalog->arena;
    mica_arena_fini(&arena);
}

// The resource with that URI of a view of the catalog's tools; NULL: no tool has it now.
static struct mica_definition *
view_of_tools(const struct mica_catalog *catalog, struct mica_text uri)
{
    const struct mica_definition_list *tools =
        &catalog->lists[MICA_DEFINITION_TOOL];

    for (size_t i = 0; i < tools->count; i++) {
        struct mica_definition *resource;
        for (size_t j = 0;
             (resource = mica_definition_resource_at(tools->items[i], j)) !=
             NULL;
             j++) {
            if (mica_text_equal(resource->key, uri))
                return resource;
        }
    }
    return NULL;
}

// Tools are copied before resources, so that views keep their places in the list.
static bool
copy_list(struct mica_catalog *copy, const struct mica_definition_list *from,
          const struct mica_definition *but, struct mica_definition *instead)
{
    for (size_t i = 0; i < from->count; i++) {
        struct mica_definition *item =
            from->items[i] == but ? instead : from->items[i];
        if (item != NULL && mica_definition_is_view(item) &&
            !item->view->for_all)
            item = view_of_tools(copy, item->key);
        if (item != NULL && !catalog_append(copy, item))
            return false;
    }
    return true;
}

static bool
copy_lists(struct mica_catalog *copy, const struct mica_catalog *catalog,
           const struct mica_definition *but, struct mica_definition *instead)
{
    const struct mica_definition_list *tools =
        &copy->lists[MICA_DEFINITION_TOOL];

    for (unsigned kind = 0; kind < MICA_DEFINITION_COUNT; kind++) {
        if (!copy_list(copy, &catalog->lists[kind], but, instead))
            return false;
    }
    for (size_t i = 0; i < tools->count; i++) {
        if (!catalog_append_views(copy, tools->items[i]))
            return false;
    }
    return true;
}

struct mica_catalog *
mica_catalog_copy(const struct mica_catalog *catalog,
                  const struct mica_definition *but,
                  struct mica_definition *instead)
{
    struct mica_catalog *copy = mica_catalog_new();

    if (copy != NULL && !copy_lists(copy, catalog, but, instead)) {
        mica_catalog_drop(copy);
        copy = NULL;
    }
    return copy;
}

// The kind of a stored call comes from a store. A store that is damaged, or that a newer
// version wrote, may hold a number that stands for no kind; it has an empty list.
static const struct mica_definition_list *
catalog_list(const struct mica_catalog *catalog, enum mica_definition_kind kind)
{
    static const struct mica_definition_list nothing = {.count = 0};

    return (size_t)kind < MICA_DEFINITION_COUNT ? &catalog->lists[kind]
                                                : &nothing;
}

struct mica_definition *
mica_catalog_find(const struct mica_catalog *catalog,
                  enum mica_definition_kind kind, struct mica_text key)
{
    const struct mica_definition_list *list = catalog_list(catalog, kind);
    size_t mask = list->index_size - 1;

    if (list->index_size == 0)
        return NULL;
    for (size_t slot = mica_hash_text(key) & mask; list->index[slot] != 0;
         slot = (slot + 1) & mask) {
        struct mica_definition *item = list->items[list->index[slot] - 1];
        if (mica_text_equal(item->key, key))
            return item;
    }
    return NULL;
}

const struct mica_definition *
mica_catalog_nearest(const struct mica_catalog *catalog,
                     enum mica_definition_kind kind, struct mica_text key)
{
    const struct mica_definition_list *list = catalog_list(catalog, kind);
    const struct mica_definition *best = NULL;
    size_t limit = key.len / 3 + 1, best_distance = limit + 1;

    if (key.len > NEAREST_LENGTH)
        return NULL;
    for (size_t i = 0; i < list->count; i++) {
        size_t distance = mica_text_distance(list->items[i]->key, key, limit);
        if (distance < best_distance) {
            best = list->items[i];
            best_distance = distance;
        }
    }
    return best;
}

size_t
mica_definitions_for_models(const struct mica_definition_list *tools)
{
    size_t count = 0;

    for (size_t i = 0; i < tools->count; i++)
        count += mica_definition_for_models(tools->items[i]);
    return count;
}
