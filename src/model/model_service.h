// SPDX-License-Identifier: Apache-2.0
//
// The models of a server: a service that other parts find by its name, and the model
// provider of its messages.
#ifndef MICA_MODEL_MODEL_SERVICE_H
#define MICA_MODEL_MODEL_SERVICE_H

#include "model/model.h"

struct mica_server;

#define MICA_MODEL_SERVICE "mica-model"

// Opens the models and gives them to the server, which closes them as it ends, and answers
// by them what its handlers ask a model. `samplingz` is the provider that also answers
// samplings for clients that have not declared them; NULL: none does. Before the server
// serves. Errors: as mica_models_open.
enum mica_status mica_server_use_models(
    struct mica_server *server, const struct mica_models_options *options,
    const char *samplingz, struct mica_error *error) MICA_MUST_USE;

// Which provider drafts apps from a sentence (publish/app_acts.h); NULL: none does. Without
// this call it is the one that samples, or the first. Only after mica_server_use_models,
// and before the server serves.
void mica_server_draft_models(struct mica_server *server, const char *namez);

// The name of that provider; empty: none. It lives as long as the server.
struct mica_text mica_server_model_drafter(struct mica_server *server);

// NULL: the server calls no models. From any thread.
struct mica_models *mica_server_models(struct mica_server *server);

// All zero for a server that calls no models. From any thread.
struct mica_model_counts mica_server_model_counts(struct mica_server *server);

#endif
