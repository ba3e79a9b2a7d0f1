// SPDX-License-Identifier: Apache-2.0
//
// The public functions of mica/server.h that add and remove definitions.
#include "server/server.h"

enum mica_status
mica_server_add_tool(struct mica_server *server, const struct mica_tool *tool,
                     void *user, struct mica_error *error)
{
    struct mica_registry *registry = &server->registry;
    struct mica_definition *definition;
    enum mica_status status;

    MICA_TRY(mica_definition_of_tool(tool, user, NULL, error, &definition));
    status = mica_registry_open_services(registry, definition, error);
    if (status != MICA_OK) {
        mica_definition_drop(definition);
        return status;
    }
    return mica_registry_define(registry, definition, error);
}

enum mica_status
mica_server_add_engine(struct mica_server *server,
                       const struct mica_engine *engine,
                       struct mica_error *error)
{
    struct mica_definition *definition;

    MICA_TRY(mica_definition_of_linked_engine(engine, error, &definition));
    return mica_registry_define(&server->registry, definition, error);
}

enum mica_status
mica_server_add_resource(struct mica_server *server,
                         const struct mica_resource *resource, void *user,
                         struct mica_error *error)
{
    struct mica_definition *definition;

    MICA_TRY(mica_definition_of_resource(resource, user, error, &definition));
    return mica_registry_define(&server->registry, definition, error);
}

enum mica_status
mica_server_add_prompt(struct mica_server *server,
                       const struct mica_prompt *prompt, void *user,
                       struct mica_error *error)
{
    struct mica_definition *definition;

    MICA_TRY(mica_definition_of_prompt(prompt, user, error, &definition));
    return mica_registry_define(&server->registry, definition, error);
}

enum mica_status
mica_server_add_service(struct mica_server *server, const char *namez,
                        void *service, struct mica_error *error)
{
    return mica_registry_give_service(&server->registry, namez, service, error);
}

enum mica_status
mica_server_remove(struct mica_server *server, enum mica_definition_kind kind,
                   const char *key, struct mica_error *error)
{
    return mica_registry_remove(&server->registry, kind, mica_text(key), error);
}

void
mica_server_resource_changed(struct mica_server *server, const char *uri)
{
    struct mica_change change = {.kind = MICA_CHANGED_CONTENTS,
                                 .uri = mica_text(uri)};

    mica_registry_tell(&server->registry, &change);
}
