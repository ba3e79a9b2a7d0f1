// SPDX-License-Identifier: Apache-2.0
//
// Looks for the tool in what the rules let the caller have, and then for its build.
#include "server/calls/mapped_tool.h"

#include "server/call_rules.h"

bool
mica_message_maps_tools(struct mica_message *message)
{
    return mica_message_endpoint(message)->invokes == MICA_INVOKES_SERVER;
}

// The tool with that own name, in a catalog where rules may show it under another name.
static const struct mica_definition *
find_own(const struct mica_catalog *catalog, struct mica_text name)
{
    for (size_t i = 0; i < catalog->lists[MICA_DEFINITION_TOOL].count; i++) {
        const struct mica_definition *shown =
            catalog->lists[MICA_DEFINITION_TOOL].items[i];
        const struct mica_definition *own =
            shown->behind != NULL ? shown->behind : shown;
        if (mica_text_equal(own->name, name))
            return own;
    }
    return NULL;
}

struct mica_definition *
mica_mapped_tool_find(struct mica_message *message, struct mica_text name,
                      struct mica_text version)
{
    struct mica_registry *registry = &message->server->registry;
    struct mica_catalog *all = mica_registry_catalog(registry), *view;
    struct mica_definition *found = NULL;
    const struct mica_definition *offered;
    bool hidden;

    mica_catalog_hold(all);
    view = mica_rules_view(message->server, message->context.principal, all);
    offered = find_own(all, name);
    hidden = offered != NULL && find_own(view, name) == NULL;
    if (version.len == 0 && offered != NULL)
        version = mica_registry_version_of(registry, offered);
    // A tool that is not offered any more may still have the build.
    if (!hidden && version.len > 0)
        found = mica_message_build_at(message, (struct mica_text){NULL, 0},
                                      name, version);
    mica_catalog_drop(view);
    mica_catalog_drop(all);
    return found;
}
