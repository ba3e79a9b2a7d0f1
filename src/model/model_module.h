// SPDX-License-Identifier: Apache-2.0
//
// What mica-model.so gives to the program that loads it: one symbol, a struct of functions.
// Each is the function of model.h with the same name. Program and module are of one build;
// `version` lets the loader make sure.
#ifndef MICA_MODEL_MODEL_MODULE_H
#define MICA_MODEL_MODEL_MODULE_H

#include "model/model.h"

struct mica_model_state;

struct mica_model_module {
    const char *version; // MICA_VERSION
    // keys[i] is that of options->providers[i], empty without one.
    enum mica_status (*open)(const struct mica_models_options *options,
                             const struct mica_text *keys,
                             struct mica_error *error,
                             struct mica_model_state **state_out);
    void (*close)(struct mica_model_state **state);
    enum mica_status (*call)(struct mica_model_state *state,
                             const struct mica_model_request *request,
                             struct mica_error *error, uint64_t *id_out);
    void (*cancel)(struct mica_model_state *state, uint64_t id);
    struct mica_model_counts (*counts)(const struct mica_model_state *state);
};

// The number goes up when this struct, the options, the request, the answer or the counts
// change.
#define MICA_MODEL_SYMBOL "mica_model_module_2"
__attribute__((visibility(
    "default"))) extern const struct mica_model_module mica_model_module_2;

#endif
