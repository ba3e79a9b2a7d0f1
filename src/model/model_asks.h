// SPDX-License-Identifier: Apache-2.0
//
// The models of a server as its model provider: what a handler asks a model
// (call/model_ask.h, mica_sample) becomes a call, and its answer the answer of the question.
#ifndef MICA_MODEL_MODEL_ASKS_H
#define MICA_MODEL_MODEL_ASKS_H

#include <pthread.h>

#include "model/model.h"
#include "server/server.h"

struct mica_model_asks {
    struct mica_models *models; // borrowed
    // The provider of a question that names none: the one that samples for clients without
    // a model, or the first one.
    struct mica_text fallback;
    pthread_mutex_t lock;
    pthread_cond_t answered;
    struct mica_model_provider
        provider; // for the server; `samples` as was opened
};

// `samples`: answer samplings of clients that have not declared them.
void mica_model_asks_init(struct mica_model_asks *asks,
                          struct mica_models *models, struct mica_text fallback,
                          bool samples);
void mica_model_asks_fini(struct mica_model_asks *asks);

#endif
