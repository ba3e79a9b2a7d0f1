// SPDX-License-Identifier: Apache-2.0
//
// Makes the labels of a series from a message.
#include "serve/operation.h"

#include "server/message_surface.h"

struct mica_text
mica_operation_version(const struct mica_message *message)
{
    return mica_text(
        message->context.surface != NULL
            ? message->context.surface->name
            : mica_revision_features(message->context.revision)->version);
}

void
mica_operation_message(struct mica_metrics *metrics,
                       const struct mica_message *message, const char *code,
                       const char *transport, uint64_t duration_ns)
{
    struct mica_operation operation = {.version =
                                           mica_operation_version(message),
                                       .endpoint = message->request.endpoint,
                                       .code = code,
                                       .transport = transport,
                                       .duration_ns = duration_ns};

    if (message->request.method.len == 0)
        return;
    if (message->reply.known)
        operation.method = message->request.method;
    if (message->execution.target != NULL &&
        message->execution.target->kind == MICA_DEFINITION_TOOL)
        operation.tool = message->execution.target->name;
    mica_metrics_operation(metrics, &operation);
}

void
mica_operation_subscription(struct mica_metrics *metrics,
                            enum mica_revision revision, const char *transport,
                            uint64_t duration_ns)
{
    struct mica_operation operation = {
        .method = MICA_LITERAL("subscriptions/listen"),
        .version = mica_text(mica_revision_features(revision)->version),
        .transport = transport,
        .duration_ns = duration_ns};

    mica_metrics_operation(metrics, &operation);
}
