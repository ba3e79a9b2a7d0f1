// SPDX-License-Identifier: Apache-2.0
//
// Gives a server its fetcher, as a service that the core finds by its name.
#include "fetch/fetch_service.h"
#include "fetch/fetch_reach.h"

#include <stdlib.h>
#include <string.h>

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

bool
mica_fetch_reaches(struct mica_server *server, const char *const *fetches)
{
    const struct mica_fetch_service *fetch =
        mica_registry_service(&server->registry, NULL, MICA_FETCH_SERVICE);
    const struct mica_fetch_policy *policy =
        fetch != NULL ? &fetch->policy : NULL;
    struct mica_error ignored;
    bool is_private;

    for (; policy != NULL && *fetches != NULL; fetches++) {
        if (strcmp(*fetches, "*") == 0 &&
            policy->allow_count + policy->private_count > 0)
            return true;
        if (mica_fetch_policy_find(policy, mica_text(*fetches), &ignored,
                                   &is_private) == MICA_OK)
            return true;
    }
    return false;
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
