// SPDX-License-Identifier: Apache-2.0
//
// An endpoint with the key and the path of a published app, which offers all that /mcp
// does, so that the transcripts of /mcp hold there word for word (tests/wire/run.py --apps).
// It follows /mcp: a tool that changes the lists publishes it anew.
#include <stdatomic.h>
#include <string.h>

#include <mica/endpoint.h>

#include "fixture.h"
#include "server/server.h"

#define PLACE_KEY "app/transcripts"

static atomic_bool place_is_there;

// Adds all definitions of one kind, but the resources of views, which tools bring.
static enum mica_status
place_share(struct mica_endpoint_draft *draft,
            const struct mica_catalog *catalog, enum mica_definition_kind kind,
            struct mica_error *error)
{
    const struct mica_definition_list *list = &catalog->lists[kind];
    enum mica_status status = MICA_OK;

    for (size_t i = 0; i < list->count && status == MICA_OK; i++) {
        const struct mica_definition *definition = list->items[i];
        char key[1024];
        if (kind == MICA_DEFINITION_RESOURCE && definition->view != NULL)
            continue;
        if (definition->key.len >= sizeof key)
            return mica_error_set(error, MICA_E_LIMIT, "", "a key is too long");
        memcpy(key, definition->key.ptr, definition->key.len);
        key[definition->key.len] = '\0';
        status = mica_endpoint_add_offered(draft, kind, key, error);
    }
    return status;
}

static enum mica_status
place_publish(struct mica_server *server, struct mica_error *error)
{
    static const struct mica_endpoint_options options = {
        .key = PLACE_KEY,
        .path = "/servers/transcripts",
        .name = "mica-conformance",
        .version = "1.0.0",
        .title = "The fixture of mica's conformance tests"};
    struct mica_endpoint_draft *draft;
    struct mica_catalog *catalog;
    enum mica_status status;

    MICA_TRY(mica_endpoint_begin(server, &options, error, &draft));
    catalog = mica_registry_catalog(&server->registry);
    status = MICA_OK;
    // Tools last: each brings the resource of its view, which /mcp lists behind the others.
    for (int kind = MICA_DEFINITION_COUNT - 1; kind >= 0 && status == MICA_OK;
         kind--)
        status =
            place_share(draft, catalog, (enum mica_definition_kind)kind, error);
    mica_catalog_drop(catalog);
    if (status == MICA_OK)
        return mica_endpoint_publish(&draft, error);
    mica_endpoint_discard(&draft);
    return status;
}

enum mica_status
fixture_add_place(struct mica_server *server, struct mica_error *error)
{
    atomic_store(&place_is_there, true);
    return place_publish(server, error);
}

void
fixture_resource_changed(struct mica_server *server, const char *uri)
{
    mica_server_resource_changed(server, uri);
    if (atomic_load(&place_is_there))
        mica_endpoint_resource_changed(server, PLACE_KEY, uri);
}

enum mica_status
fixture_tools_changed(struct mica_server *server, struct mica_error *error)
{
    return atomic_load(&place_is_there) ? place_publish(server, error)
                                        : MICA_OK;
}
