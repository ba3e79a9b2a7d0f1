// SPDX-License-Identifier: Apache-2.0
//
// See model_service.h.
#include "model/model_service.h"

#include <stdlib.h>
#include <string.h>

#include "model/model_asks.h"

struct model_service {
    struct mica_models *models;
    struct mica_model_asks asks;
    char fallback[MICA_MODEL_NAME_BYTES + 1];
    char drafter[MICA_MODEL_NAME_BYTES + 1]; // or empty
};

// The calls end before what they would answer goes.
static void
service_close(void *data)
{
    struct model_service *service = data;

    mica_models_close(&service->models);
    mica_model_asks_fini(&service->asks);
    free(service);
}

enum mica_status
mica_server_use_models(struct mica_server *server,
                       const struct mica_models_options *options,
                       const char *samplingz, struct mica_error *error)
{
    struct model_service *service = calloc(1, sizeof *service);
    const char *fallback;
    enum mica_status status;

    if (service == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    status = mica_models_open(options, error, &service->models);
    if (status != MICA_OK) {
        free(service);
        return status;
    }
    fallback = samplingz != NULL ? samplingz : options->providers[0].name;
    strncpy(service->fallback, fallback, sizeof service->fallback - 1);
    strncpy(service->drafter, fallback, sizeof service->drafter - 1);
    mica_model_asks_init(&service->asks, service->models,
                         mica_text(service->fallback), samplingz != NULL);
    status = mica_registry_keep_service(&server->registry, MICA_MODEL_SERVICE,
                                        service, service_close, error);
    if (status == MICA_OK)
        server->model_provider = &service->asks.provider;
    else
        service_close(service);
    return status;
}

static struct model_service *
service_find(struct mica_server *server)
{
    return mica_registry_service(&server->registry, NULL, MICA_MODEL_SERVICE);
}

void
mica_server_draft_models(struct mica_server *server, const char *namez)
{
    struct model_service *service = service_find(server);

    if (service == NULL)
        return;
    memset(service->drafter, 0, sizeof service->drafter);
    if (namez != NULL)
        strncpy(service->drafter, namez, sizeof service->drafter - 1);
}

struct mica_text
mica_server_model_drafter(struct mica_server *server)
{
    const struct model_service *service = service_find(server);

    return service != NULL ? mica_text(service->drafter)
                           : (struct mica_text){NULL, 0};
}

struct mica_models *
mica_server_models(struct mica_server *server)
{
    const struct model_service *service = service_find(server);

    return service != NULL ? service->models : NULL;
}

struct mica_model_counts
mica_server_model_counts(struct mica_server *server)
{
    struct mica_models *models = mica_server_models(server);

    return models != NULL ? mica_models_counts(models)
                          : (struct mica_model_counts){.calls = 0};
}
