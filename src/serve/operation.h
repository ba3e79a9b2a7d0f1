// SPDX-License-Identifier: Apache-2.0
//
// Counts messages in the metrics: in the same way on every transport, and only with names of
// this server, as a client must not make labels.
#ifndef MICA_SERVE_OPERATION_H
#define MICA_SERVE_OPERATION_H

#include "serve/metrics.h"
#include "server/server.h"

// The MCP revision of a message, or the name of another surface.
struct mica_text mica_operation_version(const struct mica_message *message);

// Counts a message that has ended; call it before mica_message_end. `code` is the code of its
// failure, or NULL. Does not count a message without a method (a batch, an invalid one).
void mica_operation_message(struct mica_metrics *metrics,
                            const struct mica_message *message,
                            const char *code, const char *transport,
                            uint64_t duration_ns);

// Counts a subscriptions/listen that has ended; its message was freed long ago.
void mica_operation_subscription(struct mica_metrics *metrics,
                                 enum mica_revision revision,
                                 const char *transport, uint64_t duration_ns);

#endif
