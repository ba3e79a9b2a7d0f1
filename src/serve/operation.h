// SPDX-License-Identifier: Apache-2.0
//
// What a message was, for the metrics: the same on every transport, and only
// names of this server, as a stranger must not make labels.
#ifndef MICA_SERVE_OPERATION_H
#define MICA_SERVE_OPERATION_H

#include "serve/metrics.h"
#include "server/server.h"

// The revision of MCP that a message is of, or the name of another surface.
struct mica_text mica_operation_version(const struct mica_message *message);

// A message that has ended, before mica_message_end; `code` is that of its
// failure, or NULL. A message without a method (a batch, an unreadable one) is not counted.
void mica_operation_message(struct mica_metrics *metrics,
                            const struct mica_message *message,
                            const char *code, const char *transport,
                            uint64_t duration_ns);

// A subscriptions/listen that has ended, whose message is long gone.
void mica_operation_subscription(struct mica_metrics *metrics,
                                 enum mica_revision revision,
                                 const char *transport, uint64_t duration_ns);

#endif
