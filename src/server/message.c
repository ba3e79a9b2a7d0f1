// SPDX-License-Identifier: Apache-2.0
//
// One message: its life, and what its envelope says. What is special to a transport
// is in line_message.c and http_message.c.
#include "server/message.h"

#include <string.h>

#include "server/message_surface.h"

enum {
    ERROR_BYTES = 4096 // of an error reply
};

void
mica_message_init(struct mica_message *message, struct mica_server *server,
                  struct mica_arena *arena)
{
    memset(message, 0, sizeof *message);
    message->server = server;
    message->arena = arena;
    message->http_status = 200;
    message->revision = MICA_REVISION_2026_07_28;
    atomic_init(&message->cancelled, false);
    mica_buffer_init(&message->reply, arena, server->options.call_bytes);
    // Room for any error reply, also when the arena is spent by then.
    (void)mica_buffer_reserve(&message->reply, ERROR_BYTES);
}

void
mica_message_end(struct mica_message *message)
{
    struct mica_batch *batch = message->batch;

    for (size_t i = 0; batch != NULL && i < batch->count; i++)
        mica_message_end(&batch->items[i]);
    message->batch = NULL;
    if (message->call.late != NULL)
        message->call.late->close(message->call.late);
    message->call.late = NULL;
    for (; message->held != NULL; message->held = message->held->next)
        mica_definition_drop(message->held->definition);
    mica_catalog_drop(message->catalog);
    message->catalog = NULL;
    message->target = NULL;
}

struct mica_definition *
mica_message_build(struct mica_message *message, struct mica_text name,
                   struct mica_text version)
{
    struct mica_held *held = mica_arena_zero(message->arena, 1, sizeof *held);

    if (held == NULL)
        return NULL;
    held->definition =
        mica_registry_version(&message->server->registry, name, version);
    if (held->definition == NULL)
        return NULL;
    held->next = message->held;
    message->held = held;
    return held->definition;
}

const struct mica_catalog *
mica_message_catalog(struct mica_message *message)
{
    if (message->catalog == NULL) {
        if (!atomic_load_explicit(&message->server->registry.seen,
                                  memory_order_relaxed))
            atomic_store(&message->server->registry.seen, true);
        message->catalog = mica_registry_catalog(&message->server->registry);
    }
    return message->catalog;
}

// ---- Reading -----------------------------------------------------------------

static void
take_envelope(struct mica_message *message,
              const struct mica_envelope *envelope)
{
    message->method = envelope->method;
    message->id = envelope->id;
    message->params = envelope->params;
    message->progress_token = envelope->progress_token;
    if (envelope->trace.len > 0) // more than what a header says
        message->trace = envelope->trace;
}

bool
mica_message_shape(struct mica_message *message, const struct mica_json *root,
                   struct mica_envelope *envelope)
{
    struct mica_problem problem;
    bool read = mica_envelope_of(root, envelope, &problem);

    take_envelope(message, envelope);
    if (!read)
        mica_reply_problem(message, &problem);
    return read;
}

bool
mica_message_read(struct mica_message *message, struct mica_text text,
                  struct mica_envelope *envelope)
{
    struct mica_json_limits limits = {
        .bytes = message->server->options.message_bytes};
    struct mica_problem problem;
    bool read =
        mica_envelope_read(text, &limits, message->arena, envelope, &problem);

    take_envelope(message, envelope);
    // On a pipe the id alone says which request failed; over HTTP the response
    // itself does.
    if (!read && envelope->root == NULL && message->line != NULL)
        message->id = mica_envelope_scan_id(text, message->arena);
    if (!read)
        mica_reply_problem(message, &problem);
    return read;
}

void
mica_message_notification(struct mica_message *message)
{
    const struct mica_json *id = mica_json_get(message->params, "requestId");

    mica_reply_silent(message, 202);
    if (!mica_text_is(message->method, "notifications/cancelled") || id == NULL)
        return; // unknown, finished or malformed: ignored without a word
    message->step = MICA_STEP_CANCEL;
    message->cancel_id = id->raw;
}

bool
mica_message_take_client(struct mica_message *message,
                         const struct mica_envelope *envelope,
                         struct mica_problem *problem)
{
    struct mica_client_state client;

    if (!mica_envelope_client(envelope, &client, problem))
        return false;
    message->client = client.capabilities;
    message->logs = client.logs;
    message->log_level = client.log_level;
    return true;
}

bool
mica_message_version(struct mica_message *message, struct mica_text version)
{
    struct mica_problem problem;

    if (mica_revision_stateless(version, message->arena, &message->revision,
                                &problem))
        return true;
    mica_reply_problem(message, &problem);
    return false;
}
