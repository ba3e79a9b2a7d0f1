// SPDX-License-Identifier: Apache-2.0
//
// The builds of tools that calls began with: the current one, or an older one.
#include "registry/registry.h"

struct mica_text
mica_registry_version_of(const struct mica_registry *registry,
                         const struct mica_definition *definition)
{
    if (definition->version.len > 0)
        return definition->version;
    return definition->sha256.len > 0 ? definition->sha256 : registry->version;
}

// Finds a definition in the current catalog of an endpoint, and holds it; or NULL. With
// `may_load` the endpoint may be loaded from its source.
static struct mica_definition *
find_current(struct mica_registry *registry, struct mica_text key,
             enum mica_definition_kind kind, struct mica_text target,
             bool may_load)
{
    struct mica_endpoint *endpoint =
        may_load ? mica_registry_endpoint_load(registry, key)
                 : mica_registry_endpoint(registry, key);
    struct mica_definition *found = NULL;

    if (endpoint != NULL)
        found = mica_catalog_find(endpoint->catalog, kind, target);
    if (found != NULL)
        mica_definition_hold(found);
    mica_endpoint_drop(endpoint);
    return found;
}

// Finds an older build of a tool. None if the endpoint was withdrawn: its calls do not
// continue.
static struct mica_definition *
find_older(struct mica_registry *registry, struct mica_text key,
           struct mica_text name, struct mica_text version)
{
    struct mica_endpoint *endpoint = mica_registry_endpoint(registry, key);
    bool there = endpoint != NULL;
    bool is_of_source = there && endpoint->source != NULL;

    mica_endpoint_drop(endpoint);
    if (is_of_source)
        return registry->source->older(registry->source_data, key, name,
                                       version);
    return there && registry->older != NULL
               ? registry->older(registry->older_data, name, version)
               : NULL;
}

struct mica_definition *
mica_registry_version(struct mica_registry *registry, struct mica_text key,
                      struct mica_text name, struct mica_text version)
{
    struct mica_definition *found =
        find_current(registry, key, MICA_DEFINITION_TOOL, name, true);

    if (found != NULL &&
        mica_text_equal(mica_registry_version_of(registry, found), version))
        return found;
    mica_definition_drop(found);
    return find_older(registry, key, name, version);
}

bool
mica_registry_has_tool(struct mica_registry *registry, struct mica_text key,
                       struct mica_text name)
{
    struct mica_definition *found =
        find_current(registry, key, MICA_DEFINITION_TOOL, name, false);

    mica_definition_drop(found);
    return found != NULL;
}

bool
mica_registry_runs(struct mica_registry *registry,
                   const struct mica_call_build *build, bool offered_only)
{
    struct mica_definition *found = find_current(
        registry, build->endpoint, build->kind, build->target, !offered_only);
    bool runs = found != NULL &&
                mica_text_equal(mica_registry_version_of(registry, found),
                                build->version);

    if (!runs && !offered_only && build->kind == MICA_DEFINITION_TOOL) {
        mica_definition_drop(found);
        found = find_older(registry, build->endpoint, build->target,
                           build->version);
        runs = found != NULL;
    }
    mica_definition_drop(found);
    return runs;
}
