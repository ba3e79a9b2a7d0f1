// SPDX-License-Identifier: Apache-2.0
//
// Gives a server its fetcher, as a service that the core finds by its name.
#include "fetch/fetch_service.h"

#include <stdlib.h>

#include "server/server.h"

enum {
    POLICY_BYTES = 1 << 20
};

static void
fetcher_close(void *service)
{
    struct mica_fetch_service *fetch = service;

    mica_arena_fini(&fetch->arena);
    free(fetch);
}

enum mica_status
mica_server_use_fetch(struct mica_server *server,
                      const struct mica_fetch_options *options,
                      struct mica_error *error)
{
    struct mica_fetch_service *fetch = calloc(1, sizeof *fetch);
    enum mica_status status;

    if (fetch == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_arena_init(&fetch->arena, POLICY_BYTES);
    fetch->fetcher = (struct mica_fetcher){mica_fetch_send, fetch};
    status =
        mica_fetch_policy_make(options, &fetch->arena, error, &fetch->policy);
    if (status == MICA_OK)
        status = mica_registry_keep_service(
            &server->registry, MICA_FETCH_SERVICE, fetch, fetcher_close, error);
    if (status != MICA_OK)
        fetcher_close(fetch);
    return status;
}

struct mica_fetch_counts
mica_fetch_counts(struct mica_server *server)
{
    const struct mica_fetch_service *fetch =
        mica_registry_service(&server->registry, NULL, MICA_FETCH_SERVICE);

    if (fetch == NULL)
        return (struct mica_fetch_counts){.requests = 0};
    return (struct mica_fetch_counts){atomic_load(&fetch->requests),
                                      atomic_load(&fetch->refused),
                                      atomic_load(&fetch->failed)};
}
