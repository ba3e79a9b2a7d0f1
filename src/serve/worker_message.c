// SPDX-License-Identifier: Apache-2.0
//
// See worker_message.h.
#include "serve/worker_message.h"

bool
mica_worker_execute(struct mica_workers *workers, struct mica_message *message,
                    void (*wake)(struct mica_message *message))
{
    bool again = message->execution.parked != NULL;

    if (!again && (message->execution.resumable == NULL ||
                   !mica_server_asks_models(message->server)))
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
    if (!mica_server_asks_models(message->server))
        return mica_message_resume(message, why);
    message->execution.wake = wake;
    mica_workers_hold(workers);
    if (!mica_message_resume(message, why))
        return false;
    mica_workers_release(workers);
    return true;
}
