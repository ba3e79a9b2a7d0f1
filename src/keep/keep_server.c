// SPDX-License-Identifier: Apache-2.0
//
// Gives a server the databases of its tools, as a service that the core finds by its
// name.
#include "keep/keep_service.h"
#include "server/server.h"

enum mica_status
mica_server_use_keep(struct mica_server *server,
                     const struct mica_keep_options *options,
                     struct mica_error *error)
{
    struct mica_keep_service *service;
    enum mica_status status;

    MICA_TRY(mica_keep_service_open(options, error, &service));
    status =
        mica_registry_keep_service(&server->registry, MICA_KEEP_SERVICE,
                                   service, mica_keep_service_close, error);
    if (status != MICA_OK)
        mica_keep_service_close(service);
    return status;
}

struct mica_keep_counts
mica_keep_counts(struct mica_server *server)
{
    const struct mica_keep_service *service =
        mica_registry_service(&server->registry, NULL, MICA_KEEP_SERVICE);

    if (service == NULL)
        return (struct mica_keep_counts){.steps = 0};
    return (struct mica_keep_counts){
        atomic_load(&service->steps), atomic_load(&service->replayed),
        atomic_load(&service->failed), atomic_load(&service->expired)};
}
