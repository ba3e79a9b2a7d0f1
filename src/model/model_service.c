// SPDX-License-Identifier: Apache-2.0
//
// See model_service.h.
#include "model/model_service.h"

#include "server/server.h"

static void
service_close(void *service)
{
    struct mica_models *models = service;

    mica_models_close(&models);
}

enum mica_status
mica_server_use_models(struct mica_server *server,
                       const struct mica_models_options *options,
                       struct mica_error *error)
{
    struct mica_models *models;
    enum mica_status status;

    MICA_TRY(mica_models_open(options, error, &models));
    status = mica_registry_keep_service(&server->registry, MICA_MODEL_SERVICE,
                                        models, service_close, error);
    if (status != MICA_OK)
        mica_models_close(&models);
    return status;
}

struct mica_models *
mica_server_models(struct mica_server *server)
{
    return mica_registry_service(&server->registry, NULL, MICA_MODEL_SERVICE);
}

struct mica_model_counts
mica_server_model_counts(struct mica_server *server)
{
    struct mica_models *models = mica_server_models(server);

    return models != NULL ? mica_models_counts(models)
                          : (struct mica_model_counts){.calls = 0};
}
