// SPDX-License-Identifier: Apache-2.0
//
// Prepares message->execution.call: what a handler can reach while it runs, from the
// request, the endpoint and the client.
#include "server/message.h"

// The flag that the adapter sets when the client leaves. The items of a batch share the
// flag of the batch, and a request that http_request carries has that of its call.
static atomic_bool *
cancelled_flag(struct mica_message *message)
{
    if (message->relayer != NULL)
        message = message->relayer;
    return message->whole != NULL ? &message->whole->execution.cancelled
                                  : &message->execution.cancelled;
}

bool
mica_message_is_cancelled(struct mica_message *message)
{
    return atomic_load_explicit(&message->execution.cancelled,
                                memory_order_relaxed) ||
           atomic_load_explicit(cancelled_flag(message), memory_order_relaxed);
}

void
mica_message_prepare(struct mica_message *message, uint32_t budget_ms)
{
    const struct mica_runnable *runnable = message->execution.runnable;
    struct mica_call *call = &message->execution.call;

    mica_call_init(call, message->arena);
    call->user = runnable->user;
    call->cancelled = cancelled_flag(message);
    call->principal = message->context.principal;
    call->owner = message;
    call->client = message->context.capabilities;
    if (message->request.progress_token.len > 0)
        call->wanted |= 1U << MICA_NOTICE_PROGRESS;
    call->uri = message->request.uri;
    call->mime_type = message->execution.target->mime_type;
    // A session and a batch store a reply as text.
    call->takes_streamed =
        (message->request.takes & MICA_TAKES_STREAMED) != 0 &&
        message->context.session.id.len == 0 && message->whole == NULL &&
        message->context.surface == NULL;
    call->budget_ms = budget_ms;
    call->output_bytes = message->server->options.call_bytes / 4;
    mica_message_connect_notices(message);
}
