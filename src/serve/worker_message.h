// SPDX-License-Identifier: Apache-2.0
//
// Runs a message in a job of a worker: one that waits for a model leaves the worker and
// comes back (PARK-1 in server/calls/parked.h).
#ifndef MICA_SERVE_WORKER_MESSAGE_H
#define MICA_SERVE_WORKER_MESSAGE_H

#include "serve/workers.h"
#include "server/server.h"

// mica_message_execute. Returns false if the message waits: the job ends without touching
// it. `wake` then queues a job by mica_workers_return that calls this again.
bool mica_worker_execute(struct mica_workers *workers,
                         struct mica_message *message,
                         void (*wake)(struct mica_message *message));

// mica_message_resume, the same. The job that follows calls mica_worker_execute.
bool mica_worker_resume(struct mica_workers *workers,
                        struct mica_message *message,
                        const struct mica_resume_cause *why,
                        void (*wake)(struct mica_message *message));

#endif
