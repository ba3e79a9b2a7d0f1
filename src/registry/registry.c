// SPDX-License-Identifier: Apache-2.0
//
// The present catalogue and its changes.
#include "registry/registry.h"

#include "registry/service.h"

bool
mica_registry_init(struct mica_registry *registry, struct mica_text version)
{
    registry->version = version;
    registry->catalog = mica_catalog_new();
    atomic_flag_clear(&registry->gate);
    atomic_init(&registry->seen, false);
    atomic_init(&registry->declared, 0);
    atomic_init(&registry->services, NULL);
    return registry->catalog != NULL;
}

void
mica_registry_fini(struct mica_registry *registry)
{
    mica_catalog_drop(registry->catalog);
    mica_services_close(registry);
}

void
mica_registry_tell(struct mica_registry *registry,
                   const struct mica_change *change)
{
    if (registry->changed != NULL)
        registry->changed(registry->changed_data, change);
}

// ---- The catalogue -----------------------------------------------------------

// A few instructions at a time, so that spinning is cheaper than any lock.
static void
gate_enter(struct mica_registry *registry)
{
    while (atomic_flag_test_and_set_explicit(&registry->gate,
                                             memory_order_acquire)) {
    }
}

static void
gate_leave(struct mica_registry *registry)
{
    atomic_flag_clear_explicit(&registry->gate, memory_order_release);
}

struct mica_catalog *
mica_registry_catalog(struct mica_registry *registry)
{
    struct mica_catalog *catalog;

    gate_enter(registry);
    catalog = registry->catalog;
    mica_catalog_hold(catalog);
    gate_leave(registry);
    return catalog;
}

size_t
mica_registry_count(struct mica_registry *registry, enum mica_offer offer)
{
    size_t count;

    gate_enter(registry);
    count = registry->catalog->shelves[offer].count;
    gate_leave(registry);
    return count;
}

// Puts `next` in the place of `present`, which the caller holds. False when it
// is not the present one any more.
static bool
catalog_swap(struct mica_registry *registry, struct mica_catalog *present,
             struct mica_catalog *next)
{
    bool same;

    gate_enter(registry);
    same = registry->catalog == present;
    if (same)
        registry->catalog = next;
    gate_leave(registry);
    if (same)
        mica_catalog_drop(present); // the server's own hold
    return same;
}

static void
offer_announce(struct mica_registry *registry, enum mica_offer offer)
{
    static const enum mica_change_kind kinds[MICA_OFFER_COUNT] = {
        [MICA_OFFER_TOOL] = MICA_CHANGED_TOOLS,
        [MICA_OFFER_RESOURCE] = MICA_CHANGED_RESOURCES,
        [MICA_OFFER_TEMPLATE] = MICA_CHANGED_RESOURCES,
        [MICA_OFFER_PROMPT] = MICA_CHANGED_PROMPTS};
    struct mica_change change = {.kind = kinds[offer]};

    mica_registry_tell(registry, &change);
}

void
mica_registry_declare(struct mica_registry *registry, unsigned declared)
{
    if ((atomic_load(&registry->declared) & declared) != declared)
        atomic_fetch_or(&registry->declared, declared);
}

static unsigned
declared_by(const struct mica_definition *definition)
{
    static const unsigned kinds[MICA_OFFER_COUNT] = {
        [MICA_OFFER_TOOL] = MICA_DECLARED_TOOLS,
        [MICA_OFFER_RESOURCE] = MICA_DECLARED_RESOURCES,
        [MICA_OFFER_TEMPLATE] = MICA_DECLARED_RESOURCES,
        [MICA_OFFER_PROMPT] = MICA_DECLARED_PROMPTS};
    unsigned declared = kinds[definition->offer];

    if (definition->completes)
        declared |= MICA_DECLARED_COMPLETIONS;
    if (definition->logs)
        declared |= MICA_DECLARED_LOGGING;
    if (definition->task != MICA_TASK_NEVER)
        declared |= MICA_DECLARED_TASKS;
    return declared;
}

static enum mica_status
no_memory(const struct mica_definition *definition, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "", "no memory for one more %s",
                          mica_offer_noun(definition->offer));
}

// In the place of `present`, unless another change came between (MICA_E_BUSY).
static enum mica_status
definition_put_beside(struct mica_registry *registry,
                      struct mica_catalog *present,
                      const struct mica_definition *old,
                      struct mica_definition *definition,
                      struct mica_error *error)
{
    struct mica_catalog *next = mica_catalog_copy(present, old, definition);
    enum mica_status status = MICA_OK;

    if (next == NULL || (old == NULL && !mica_catalog_add(next, definition)))
        status = no_memory(definition, error);
    else if (!catalog_swap(registry, present, next))
        status = MICA_E_BUSY;
    if (status != MICA_OK)
        mica_catalog_drop(next);
    return status;
}

static enum mica_status
definition_put(struct mica_registry *registry,
               struct mica_definition *definition, bool replace,
               struct mica_error *error)
{
    struct mica_catalog *present = mica_registry_catalog(registry);
    struct mica_definition *old =
        mica_catalog_find(present, definition->offer, definition->key);
    enum mica_status status = MICA_OK;

    if (old != NULL && !replace)
        status = mica_error_set(
            error, MICA_E_EXISTS, "",
            "there is a %s '%.*s' already: give one of them another name",
            mica_offer_noun(definition->offer), MICA_ARG(old->key));
    else if (old != NULL || atomic_load(&registry->seen))
        status =
            definition_put_beside(registry, present, old, definition, error);
    else if (!mica_catalog_add(present,
                               definition)) // no other thread looks yet
        status = no_memory(definition, error);
    mica_catalog_drop(present);
    return status;
}

static enum mica_status
definition_offer(struct mica_registry *registry,
                 struct mica_definition *definition, bool replace,
                 struct mica_error *error)
{
    enum mica_offer kind = definition->offer;
    unsigned declared = declared_by(definition);
    enum mica_status status = mica_definition_check(definition, error);

    if (status == MICA_OK) {
        do
            status = definition_put(registry, definition, replace, error);
        while (status == MICA_E_BUSY);
    }
    mica_definition_drop(definition);
    if (status == MICA_OK) {
        mica_registry_declare(registry, declared);
        offer_announce(registry, kind);
    }
    return status;
}

enum mica_status
mica_registry_define(struct mica_registry *registry,
                     struct mica_definition *definition,
                     struct mica_error *error)
{
    return definition_offer(registry, definition, false, error);
}

enum mica_status
mica_registry_redefine(struct mica_registry *registry,
                       struct mica_definition *definition,
                       struct mica_error *error)
{
    return definition_offer(registry, definition, true, error);
}

static enum mica_status
definition_take_back(struct mica_registry *registry, enum mica_offer kind,
                     struct mica_text key, struct mica_error *error)
{
    struct mica_catalog *present = mica_registry_catalog(registry),
                        *next = NULL;
    struct mica_definition *old = mica_catalog_find(present, kind, key);
    enum mica_status status = MICA_OK;

    if (old == NULL)
        status = mica_error_set(error, MICA_E_NOT_FOUND, "",
                                "there is no %s '%.*s' to remove",
                                mica_offer_noun(kind), MICA_ARG(key));
    else if ((next = mica_catalog_copy(present, old, NULL)) == NULL)
        status =
            mica_error_set(error, MICA_E_LIMIT, "", "no memory to remove a %s",
                           mica_offer_noun(kind));
    else if (!catalog_swap(registry, present, next))
        status = MICA_E_BUSY;
    if (status != MICA_OK)
        mica_catalog_drop(next);
    mica_catalog_drop(present);
    return status;
}

enum mica_status
mica_registry_remove(struct mica_registry *registry, enum mica_offer offer,
                     struct mica_text key, struct mica_error *error)
{
    enum mica_status status;

    do
        status = definition_take_back(registry, offer, key, error);
    while (status == MICA_E_BUSY);
    if (status == MICA_OK)
        offer_announce(registry, offer);
    return status;
}

// ---- Versions --------------------------------------------------------------------

struct mica_text
mica_registry_version_of(const struct mica_registry *registry,
                         const struct mica_definition *definition)
{
    if (definition->version.len > 0)
        return definition->version;
    return definition->sha256.len > 0 ? definition->sha256 : registry->version;
}

struct mica_definition *
mica_registry_version(struct mica_registry *registry, struct mica_text name,
                      struct mica_text version)
{
    struct mica_catalog *catalog = mica_registry_catalog(registry);
    struct mica_definition *found =
        mica_catalog_find(catalog, MICA_OFFER_TOOL, name);

    if (found != NULL &&
        mica_text_equal(mica_registry_version_of(registry, found), version))
        mica_definition_hold(found);
    else
        found = NULL;
    mica_catalog_drop(catalog);
    if (found == NULL && registry->older != NULL)
        found = registry->older(registry->older_data, name, version);
    return found;
}

bool
mica_registry_has_tool(struct mica_registry *registry, struct mica_text name)
{
    struct mica_catalog *now = mica_registry_catalog(registry);
    bool there = mica_catalog_find(now, MICA_OFFER_TOOL, name) != NULL;

    mica_catalog_drop(now);
    return there;
}

bool
mica_registry_runs(struct mica_registry *registry, enum mica_offer offer,
                   struct mica_text target, struct mica_text version, bool now)
{
    struct mica_catalog *catalog = mica_registry_catalog(registry);
    const struct mica_definition *found =
        mica_catalog_find(catalog, offer, target);
    bool runs =
        found != NULL &&
        mica_text_equal(mica_registry_version_of(registry, found), version);
    struct mica_definition *older;

    mica_catalog_drop(catalog);
    if (runs || now || offer != MICA_OFFER_TOOL || registry->older == NULL)
        return runs;
    older = registry->older(registry->older_data, target, version);
    if (older == NULL)
        return false;
    mica_definition_drop(older);
    return true;
}
