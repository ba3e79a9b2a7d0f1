// SPDX-License-Identifier: Apache-2.0
//
// The program's side: reads the keys, loads mica-model.so and hands calls on. A program
// without a provider maps none of its libraries.
#include <stdlib.h>
#include <string.h>

#include "build/program_module.h"
#include "model/model_key.h"
#include "model/model_module.h"

struct mica_models {
    const struct mica_model_module *module;
    struct mica_model_state *state;
    struct mica_text names[MICA_MODEL_PROVIDERS];
    char bytes[MICA_MODEL_PROVIDERS][MICA_MODEL_NAME_BYTES + 1]; // of the names
    size_t count;
};

// The keys of all providers while the module is opened.
struct key_room {
    struct mica_text keys[MICA_MODEL_PROVIDERS];
    char bytes[MICA_MODEL_PROVIDERS][MICA_MODEL_KEY_SIZE];
};

static enum mica_status
keys_read(const struct mica_models_options *options, struct key_room *room,
          struct mica_error *error)
{
    for (size_t i = 0; i < options->count; i++) {
        enum mica_status status = mica_model_key_read(
            &options->providers[i], error, room->bytes[i], &room->keys[i]);
        if (status != MICA_OK) {
            mica_error_prefix(error, "provider %s", options->providers[i].name);
            return status;
        }
    }
    return MICA_OK;
}

static enum mica_status
models_open(struct mica_models *models,
            const struct mica_models_options *options, struct mica_error *error)
{
    const struct mica_program_module wanted = {.file = "mica-model.so",
                                               .user = "providers need",
                                               .packages = "libcurl4",
                                               .symbol = MICA_MODEL_SYMBOL,
                                               .path =
                                                   mica_text(options->module)};
    struct key_room *room = calloc(1, sizeof *room);
    const void *module = NULL;
    enum mica_status status;

    if (room == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "There is no memory.");
    status = keys_read(options, room, error);
    if (status == MICA_OK)
        status = mica_program_module_load(&wanted, error, &module);
    if (status == MICA_OK) {
        models->module = module;
        status =
            models->module->open(options, room->keys, error, &models->state);
    }
    explicit_bzero(room, sizeof *room);
    free(room);
    return status;
}

// The options were checked: names have their length.
static void
names_copy(struct mica_models *models,
           const struct mica_models_options *options)
{
    models->count = options->count;
    for (size_t i = 0; i < options->count; i++) {
        strncpy(models->bytes[i], options->providers[i].name,
                MICA_MODEL_NAME_BYTES);
        models->names[i] = mica_text(models->bytes[i]);
    }
}

enum mica_status
mica_models_open(const struct mica_models_options *options,
                 struct mica_error *error, struct mica_models **models_out)
{
    struct mica_models *models;
    enum mica_status status;

    MICA_TRY(mica_models_check(options, error));
    models = calloc(1, sizeof *models);
    if (models == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "There is no memory.");
    names_copy(models, options);
    status = models_open(models, options, error);
    if (status == MICA_OK)
        *models_out = models;
    else
        free(models);
    return status;
}

void
mica_models_close(struct mica_models **models)
{
    if (*models == NULL)
        return;
    (*models)->module->close(&(*models)->state);
    free(*models);
    *models = NULL;
}

enum mica_status
mica_model_call(struct mica_models *models,
                const struct mica_model_request *request,
                struct mica_error *error, uint64_t *id_out)
{
    return models->module->call(models->state, request, error, id_out);
}

void
mica_model_cancel(struct mica_models *models, uint64_t id)
{
    models->module->cancel(models->state, id);
}

const struct mica_text *
mica_models_names(const struct mica_models *models, size_t *count_out)
{
    *count_out = models->count;
    return models->names;
}

struct mica_model_counts
mica_models_counts(const struct mica_models *models)
{
    return models->module->counts(models->state);
}
