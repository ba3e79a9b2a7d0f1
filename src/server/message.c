// SPDX-License-Identifier: Apache-2.0
//
// A message: its begin and end, and its envelope. line_message.c and http_message.c have
// what differs between transports.
#include "server/message.h"

#include <string.h>

#include "base/assert.h"
#include "server/message_surface.h"
#include "server/sealer.h"

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
    message->reply.http_status = 200;
    message->context.revision = MICA_REVISION_2026_07_28;
    atomic_init(&message->execution.cancelled, false);
    mica_buffer_init(&message->reply.text, arena, server->options.call_bytes);
    // Reserve memory for any error reply, in case the arena is used up by then.
    (void)mica_buffer_reserve(&message->reply.text, ERROR_BYTES);
}

bool
mica_message_may_wait(struct mica_message *message)
{
    struct mica_message *whole =
        message->whole != NULL ? message->whole : message;

    if ((whole->request.takes & MICA_TAKES_STORE) == 0)
        return true;
    whole->step = message->step = MICA_STEP_STORE;
    return false;
}

bool
mica_message_sealer_ready(struct mica_message *message, struct mica_text text)
{
    const struct mica_server *server = message->server;
    const struct mica_sealer *sealer = server->sealer;
    int64_t now = server->now != NULL ? server->now() : 0;

    return sealer == NULL || sealer->ready == NULL ||
           sealer->ready(sealer->user, now, text) ||
           mica_message_may_wait(message);
}

void
mica_message_end(struct mica_message *message)
{
    struct mica_batch *batch = message->batch;

    // Otherwise the call would stay claimed, or a running handler would lose its memory.
    MICA_DCHECK(message->execution.state != MICA_EXECUTION_CLAIMED &&
                message->execution.state != MICA_EXECUTION_RUNNING);
    for (size_t i = 0; batch != NULL && i < batch->count; i++)
        mica_message_end(&batch->items[i]);
    message->batch = NULL;
    if (message->execution.call.streamed != NULL)
        message->execution.call.streamed->close(
            message->execution.call.streamed);
    message->execution.call.streamed = NULL;
    for (struct mica_definition_ref *ref = message->execution.definition_refs;
         ref != NULL; ref = ref->next)
        mica_definition_drop(ref->definition);
    message->execution.definition_refs = NULL;
    mica_endpoint_drop(message->endpoint);
    message->endpoint = NULL;
    mica_catalog_drop(message->view);
    message->view = NULL;
    message->execution.target = NULL;
}

bool
mica_message_hold(struct mica_message *message,
                  struct mica_definition *definition)
{
    struct mica_definition_ref *ref =
        mica_arena_zero(message->arena, 1, sizeof *ref);

    if (ref == NULL)
        return false;
    mica_definition_hold(definition);
    ref->definition = definition;
    ref->next = message->execution.definition_refs;
    message->execution.definition_refs = ref;
    return true;
}

struct mica_definition *
mica_message_build_at(struct mica_message *message, struct mica_text key,
                      struct mica_text name, struct mica_text version)
{
    struct mica_definition_ref *ref =
        mica_arena_zero(message->arena, 1, sizeof *ref);

    if (ref == NULL)
        return NULL;
    ref->definition =
        mica_registry_version(&message->server->registry, key, name, version);
    if (ref->definition == NULL)
        return NULL;
    ref->next = message->execution.definition_refs;
    message->execution.definition_refs = ref;
    return ref->definition;
}

struct mica_definition *
mica_message_build(struct mica_message *message, struct mica_text name,
                   struct mica_text version)
{
    return mica_message_build_at(message, message->request.endpoint, name,
                                 version);
}

// ---- Reading -----------------------------------------------------------------

static void
copy_envelope(struct mica_message *message,
              const struct mica_envelope *envelope)
{
    message->request.method = envelope->method;
    message->request.id = envelope->id;
    message->request.params = envelope->params;
    message->request.progress_token = envelope->progress_token;
    if (envelope->trace.len > 0) // it precedes the header
        message->request.trace = envelope->trace;
}

bool
mica_message_read_item(struct mica_message *message,
                       const struct mica_json *root,
                       struct mica_envelope *envelope)
{
    struct mica_problem problem;
    bool read = mica_envelope_of(root, envelope, &problem);

    copy_envelope(message, envelope);
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

    copy_envelope(message, envelope);
    // On a pipe only the id tells the client which request failed.
    if (!read && envelope->root == NULL && message->request.line != NULL)
        message->request.id = mica_envelope_scan_id(text, message->arena);
    if (!read)
        mica_reply_problem(message, &problem);
    return read;
}

void
mica_message_notification(struct mica_message *message)
{
    const struct mica_json *id =
        mica_json_get(message->request.params, "requestId");

    mica_reply_silent(message, 202);
    if (!mica_text_is(message->request.method, "notifications/cancelled") ||
        id == NULL)
        return; // unknown, finished or malformed: ignored
    message->step = MICA_STEP_CANCEL;
    message->request.cancel_id = id->raw;
}

bool
mica_message_read_client(struct mica_message *message,
                         const struct mica_envelope *envelope,
                         struct mica_problem *problem)
{
    struct mica_client_state client;

    if (!mica_envelope_client(envelope, &client, problem))
        return false;
    message->context.capabilities = client.capabilities;
    message->context.logs = client.logs;
    message->context.log_level = client.log_level;
    return true;
}

bool
mica_message_set_revision(struct mica_message *message,
                          struct mica_text version)
{
    struct mica_problem problem;

    if (mica_revision_stateless(version, message->arena,
                                &message->context.revision, &problem))
        return true;
    mica_reply_problem(message, &problem);
    return false;
}
