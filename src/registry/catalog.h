// SPDX-License-Identifier: Apache-2.0
//
// A catalog: all definitions of an endpoint. It is immutable once a message can see it. A
// change makes a new catalog that shares the definitions; running calls continue with
// theirs. So no call holds a lock.
#ifndef MICA_REGISTRY_CATALOG_H
#define MICA_REGISTRY_CATALOG_H

#include <stdatomic.h>

#include "registry/definition.h"

// One kind of definitions, in the order they were added.
struct mica_definition_list {
    struct mica_definition **items;
    size_t count, capacity;
    uint32_t *index; // open-addressed by key; number in items + 1
    size_t index_size;
};

struct mica_catalog {
    struct mica_arena arena; // of the lists
    atomic_uint references;
    struct mica_definition_list lists[MICA_DEFINITION_COUNT];
};

struct mica_catalog *mica_catalog_new(void);
void mica_catalog_hold(struct mica_catalog *catalog);
void mica_catalog_drop(struct mica_catalog *catalog);

// Copies a catalog. The copy has `instead` in place of `but`, or lacks `but` if `instead`
// is NULL. Both may be NULL. Resources of views follow the tools of the copy.
struct mica_catalog *mica_catalog_copy(const struct mica_catalog *catalog,
                                       const struct mica_definition *but,
                                       struct mica_definition *instead);

// Adds a definition, whose key must be new; the catalog holds it too. A tool brings the
// resource of its view, unless another tool has brought one with that URI. Returns false
// for want of memory.
bool mica_catalog_add(struct mica_catalog *catalog,
                      struct mica_definition *definition);

// How many tools of the list are for models: a tool for views alone is not counted.
size_t mica_definitions_for_models(const struct mica_definition_list *tools);

struct mica_definition *mica_catalog_find(const struct mica_catalog *catalog,
                                          enum mica_definition_kind kind,
                                          struct mica_text key);

// The definition whose key is nearest to a wrong one, or NULL.
const struct mica_definition *
mica_catalog_nearest(const struct mica_catalog *catalog,
                     enum mica_definition_kind kind, struct mica_text key);

#endif
