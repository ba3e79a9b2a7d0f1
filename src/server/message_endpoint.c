// SPDX-License-Identifier: Apache-2.0
//
// What a message takes from its endpoint: the value as it was at the first look, held
// until the message ends.
#include "server/message.h"

#include "base/assert.h"

static void
take_main(struct mica_message *message)
{
    struct mica_registry *registry = &message->server->registry;

    if (!atomic_load_explicit(&registry->seen, memory_order_relaxed))
        atomic_store(&registry->seen, true);
    message->endpoint = mica_registry_main(registry);
}

bool
mica_message_enter(struct mica_message *message)
{
    struct mica_text key = message->request.endpoint;

    if (key.len == 0 || message->endpoint != NULL)
        return true;
    message->endpoint = mica_registry_endpoint(&message->server->registry, key);
    return message->endpoint != NULL;
}

void
mica_message_look_again(struct mica_message *message)
{
    MICA_DCHECK(message->execution.target == NULL);
    mica_endpoint_drop(message->endpoint);
    message->endpoint = NULL;
}

const struct mica_endpoint *
mica_message_endpoint(struct mica_message *message)
{
    if (!mica_message_enter(message))
        message->endpoint = mica_registry_gone(&message->server->registry);
    else if (message->endpoint == NULL)
        take_main(message);
    return message->endpoint;
}

struct mica_caller
mica_message_caller(const struct mica_message *message)
{
    return (struct mica_caller){message->context.principal,
                                message->request.endpoint};
}

const struct mica_catalog *
mica_message_catalog(struct mica_message *message)
{
    return mica_message_endpoint(message)->catalog;
}

bool
mica_message_expects(const struct mica_message *message, struct mica_text name,
                     size_t *ready_out, size_t *all_out)
{
    const struct mica_coming *coming = message->server->coming;

    // Other endpoints than that of /mcp are whole when they are published.
    return coming != NULL && message->request.endpoint.len == 0 &&
           coming->expects(coming->data, name, ready_out, all_out);
}
