// SPDX-License-Identifier: Apache-2.0
//
// The endpoint of a message: the one that its adapter has found, or a snapshot from its first
// use; held until the message ends.
#include "server/message.h"

#include "base/assert.h"
#include "server/call_rules.h"

static void
hold_main(struct mica_message *message)
{
    struct mica_registry *registry = &message->server->registry;

    if (!atomic_load_explicit(&registry->seen, memory_order_relaxed))
        atomic_store(&registry->seen, true);
    message->endpoint = mica_registry_main(registry);
}

void
mica_message_route(struct mica_message *message, struct mica_endpoint *endpoint)
{
    MICA_DCHECK(message->endpoint == NULL);
    mica_endpoint_hold(endpoint);
    message->endpoint = endpoint;
    message->request.endpoint = endpoint->key;
}

bool
mica_message_enter(struct mica_message *message)
{
    struct mica_text key = message->request.endpoint;

    if (key.len == 0 || message->endpoint != NULL)
        return true;
    message->endpoint =
        mica_registry_endpoint_load(&message->server->registry, key);
    return message->endpoint != NULL;
}

void
mica_message_refresh_endpoint(struct mica_message *message)
{
    MICA_DCHECK(message->execution.target == NULL);
    mica_endpoint_drop(message->endpoint);
    message->endpoint = NULL;
    mica_catalog_drop(message->view);
    message->view = NULL;
}

const struct mica_endpoint *
mica_message_endpoint(struct mica_message *message)
{
    if (!mica_message_enter(message))
        message->endpoint = mica_registry_gone(&message->server->registry);
    else if (message->endpoint == NULL)
        hold_main(message);
    return message->endpoint;
}

struct mica_caller
mica_message_caller(const struct mica_message *message)
{
    return (struct mica_caller){message->context.principal,
                                message->request.endpoint};
}

// ---- The caller's catalog ----------------------------------------------------------

struct mica_catalog *
mica_rules_view(struct mica_server *server,
                const struct mica_principal *principal,
                struct mica_catalog *catalog)
{
    const struct mica_rules *rules = server->rules;
    struct mica_catalog *view;

    if (rules == NULL)
        return catalog;
    view = rules->view(rules->data, principal, catalog);
    mica_catalog_drop(catalog);
    if (view != NULL)
        return view;
    // Without memory for the view the caller may use nothing.
    view = server->registry.gone->catalog;
    mica_catalog_hold(view);
    return view;
}

const struct mica_catalog *
mica_message_offered(struct mica_message *message)
{
    return mica_message_endpoint(message)->catalog;
}

// An endpoint of a source has its resources only while a message is about them.
static bool
needs_resources(const struct mica_message *message,
                const struct mica_endpoint *endpoint)
{
    return endpoint->source != NULL &&
           mica_text_starts(message->request.method, "resources/");
}

// Does the endpoint have tools that only some callers may use?
static bool
is_narrowed(const struct mica_endpoint *endpoint)
{
    return endpoint->source != NULL && endpoint->source->view != NULL;
}

// Holds what the endpoint offers this caller for message->view. Without memory for the
// resources they seem to be missing; without memory for the view of a narrowed endpoint the
// caller may use nothing.
static struct mica_catalog *
hold_offered(struct mica_message *message, const struct mica_endpoint *endpoint)
{
    const struct mica_principal *principal = message->context.principal;
    struct mica_catalog *catalog = NULL;

    if (needs_resources(message, endpoint))
        catalog = endpoint->source->resources(endpoint, principal,
                                              message->request.uri);
    if (catalog == NULL && is_narrowed(endpoint)) {
        catalog = endpoint->source->view(endpoint, principal);
        endpoint = message->server->registry.gone;
    }
    if (catalog == NULL) {
        catalog = endpoint->catalog;
        mica_catalog_hold(catalog);
    }
    return catalog;
}

// [RULES-2]
const struct mica_catalog *
mica_message_catalog(struct mica_message *message)
{
    const struct mica_endpoint *endpoint = mica_message_endpoint(message);

    if (message->server->rules == NULL && !is_narrowed(endpoint) &&
        !needs_resources(message, endpoint))
        return endpoint->catalog;
    if (message->view == NULL)
        message->view =
            mica_rules_view(message->server, message->context.principal,
                            hold_offered(message, endpoint));
    return message->view;
}

bool
mica_message_may_continue(struct mica_message *message,
                          struct mica_text version)
{
    const struct mica_endpoint *endpoint = mica_message_endpoint(message);

    return !is_narrowed(endpoint) ||
           endpoint->source->admits(endpoint, message->context.principal,
                                    version);
}

bool
mica_message_expects(const struct mica_message *message, struct mica_text name,
                     size_t *ready_out, size_t *all_out)
{
    const struct mica_coming *coming = message->server->coming;

    // Only /mcp can be published before all its tools are built.
    return coming != NULL && message->request.endpoint.len == 0 &&
           coming->expects(coming->data, name, ready_out, all_out);
}
