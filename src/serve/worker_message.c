// SPDX-License-Identifier: Apache-2.0
//
// See worker_message.h.
#include "serve/worker_message.h"

// Can a handler of this server wait for a model?
static bool
has_models(const struct mica_message *message)
{
    const struct mica_model_provider *provider =
        message->server->model_provider;

    return provider != NULL && provider->begin != NULL;
}

bool
mica_worker_execute(struct mica_workers *workers, struct mica_message *message,
                    void (*wake)(struct mica_message *message))
{
    bool again = message->execution.parked != NULL;

    if (!again &&
        (message->execution.resumable == NULL || !has_models(message)))
        return mica_message_execute(message);
    if (!again) {
        message->execution.wake = wake;
        mica_workers_hold(workers);
    }
    if (!mica_message_execute(message))
        return false;
    mica_workers_release(workers);
    return true;
}

bool
mica_worker_resume(struct mica_workers *workers, struct mica_message *message,
                   const struct mica_resume_cause *why,
                   void (*wake)(struct mica_message *message))
{
    if (!has_models(message))
        return mica_message_resume(message, why);
    message->execution.wake = wake;
    mica_workers_hold(workers);
    if (!mica_message_resume(message, why))
        return false;
    mica_workers_release(workers);
    return true;
}
