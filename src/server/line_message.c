// SPDX-License-Identifier: Apache-2.0
//
// Begins a message that is one line of stdin. A request that names its revision is
// stateless. Any other request belongs to the handshake of this connection. A client may
// mix both.
#include "server/message.h"

static void
copy_line_state(struct mica_message *message,
                const struct mica_line_state *state)
{
    message->context.revision = state->revision;
    message->context.capabilities = state->capabilities;
    message->context.logs = state->logs;
    message->context.log_level = state->log_level;
}

static void
handshake_request(struct mica_message *message, struct mica_line_state *state,
                  const struct mica_envelope *envelope)
{
    struct mica_problem problem;

    if (mica_text_is(message->request.method, "initialize")) {
        message->context.revision = MICA_REVISION_2025_11_25;
        mica_message_dispatch(message);
        if (message->reply.rpc_error == 0) {
            state->initialized = true;
            state->revision = message->context.revision;
            state->logs = true; // until logging/setLevel
            state->log_level = MICA_LOG_INFO;
            state->capabilities = mica_client_read(
                mica_json_get(message->request.params, "capabilities"),
                message->context.revision);
        }
        return;
    }
    if (!state->initialized) {
        // Clients probe for the stateless revision, and wait for a reply.
        if (!mica_message_read_client(message, envelope, &problem))
            mica_reply_problem(message, &problem);
        return;
    }
    copy_line_state(message, state);
    mica_message_dispatch(message);
}

static void
stateless_request(struct mica_message *message,
                  const struct mica_envelope *envelope)
{
    struct mica_problem problem;

    if (mica_message_read_client(message, envelope, &problem) &&
        mica_revision_stateless(envelope->version->text, message->arena,
                                &message->context.revision, &problem))
        mica_message_dispatch(message);
    else
        mica_reply_problem(message, &problem);
}

static void
line_batch(struct mica_message *message, const struct mica_line_state *state,
           const struct mica_json *root)
{
    if (state->initialized)
        copy_line_state(message, state);
    mica_batch_begin(message, root);
}

// [STDIO-BOTH]
void
mica_message_line(struct mica_message *message, struct mica_line_state *state,
                  struct mica_text line)
{
    struct mica_envelope envelope;

    message->request.line = state;
    message->context.sessions = state->sessions;
    if (!mica_message_read(message, line, &envelope) ||
        !mica_message_may_enter(message))
        return;
    if (envelope.kind == MICA_BATCH)
        line_batch(message, state, envelope.root);
    else if (envelope.kind == MICA_RESPONSE)
        mica_message_read_response(message, envelope.root);
    else if (envelope.kind == MICA_NOTIFICATION)
        mica_message_notification(message);
    else if (mica_envelope_is_stateless(&envelope))
        stateless_request(message, &envelope);
    else
        handshake_request(message, state, &envelope);
}
