// SPDX-License-Identifier: Apache-2.0
//
// A call that sends notifications: its reply is a stream.
//
// The call begins with a suspended connection, as all do. Its first notification makes
// the reply a stream; until then the call can be refused with a status of its own. From
// then on the connection and the worker each have a reference to the exchange.
#include "http/http.h"
#include "platform/clock.h"
#include "serve/refuse.h"
#include "server/message_surface.h"

enum {
    CALL_STREAM_BYTES = 1 << 20, // of queued notifications
    PATIENCE_MS = 2000,          // for which a call waits for a slow reader
    FRAME_BYTES = 16,            // around the data of an event
};

static const struct mica_text none = {NULL, 0};

// On the worker: makes the reply a stream, which the I/O thread will queue.
static bool
open_stream(struct mica_http_exchange *exchange)
{
    exchange->stream = mica_sse_new(CALL_STREAM_BYTES);
    if (exchange->stream == NULL)
        return false;
    mica_exchange_copy_texts(exchange);
    mica_exchange_hold(exchange);
    exchange->patience_ms = PATIENCE_MS;
    mica_exchange_move(exchange, MICA_EXCHANGE_STEP);
    return true;
}

// A notification of MCP is the data of an event, that of another surface a whole event.
static bool
call_offer(struct mica_http_exchange *exchange, struct mica_text notification)
{
    return exchange->message.context.surface == NULL
               ? mica_sse_offer(exchange->stream, notification)
               : mica_sse_write(exchange->stream, notification);
}

// A slow reader delays the call for PATIENCE_MS in all; then it misses notifications.
// It never misses the result.
static void
call_notify(struct mica_http_exchange *exchange, struct mica_text notification)
{
    uint64_t began, waited;
    bool sent = call_offer(exchange, notification);

    if (!sent && exchange->patience_ms > 0) {
        began = mica_clock_coarse_ms();
        sent = mica_sse_await(exchange->stream, notification.len + FRAME_BYTES,
                              exchange->patience_ms) &&
               call_offer(exchange, notification);
        waited = mica_clock_coarse_ms() - began;
        exchange->patience_ms -= waited < exchange->patience_ms
                                     ? (uint32_t)waited
                                     : exchange->patience_ms;
    }
    if (!sent)
        atomic_fetch_add(&exchange->http->counts.missed, 1);
}

static void
call_emit(struct mica_message *message, struct mica_text notification)
{
    struct mica_http_exchange *exchange = message->reply.emit_data;
    bool first = exchange->stream == NULL;

    if (first && !open_stream(exchange))
        return;
    call_notify(exchange, notification);
    if (first)
        MHD_resume_connection(exchange->connection);
}

void
mica_call_stream_prepare(struct mica_http_exchange *exchange)
{
    if (!exchange->message.request.takes_stream)
        return;
    exchange->message.reply.emit = call_emit;
    exchange->message.reply.emit_data = exchange;
}

// The connection is done with the request, perhaps before the call has ended.
void
mica_call_stream_disconnect(struct mica_http_exchange *exchange)
{
    struct mica_message *message = &exchange->message;
    bool ended = mica_sse_state(exchange->stream) == MICA_SSE_ENDED;

    // First, as the watcher points into the exchange.
    exchange->link_end =
        mica_watch_resume(exchange->http->watch, exchange->link);
    // MCP: cancellation: closing the stream cancels, on the stateless revision.
    if (!ended && mica_revision_features(message->context.revision)->stateless)
        atomic_store(&message->execution.cancelled, true);
    mica_sse_hang_up(exchange->stream);
}

static void
write_last_event_name(struct mica_http_exchange *exchange, const char *namez)
{
    char storage[64];
    struct mica_buffer line = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    mica_buffer_format(&line, "event: %s\n", namez);
    (void)mica_sse_write(exchange->stream, mica_buffer_as_text(&line));
}

// Writes the reply as the last event. Another surface than MCP names it.
static void
call_end_with_reply(struct mica_http_exchange *exchange)
{
    const struct mica_message *message = &exchange->message;

    if (message->context.surface != NULL)
        write_last_event_name(exchange,
                              message->context.surface->last_event(message));
    mica_sse_end_with(exchange->stream,
                      mica_buffer_as_text(&message->reply.text));
}

// The call was cancelled. A client that still reads learns that it took too long.
static void
call_end_late(struct mica_http_exchange *exchange)
{
    static const char why[] =
        "the call took longer than this server waits; ask for less";
    struct mica_message *message = &exchange->message;
    char storage[1024];
    struct mica_buffer refusal = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    if (message->context.surface != NULL) {
        message->context.surface->refuse(
            message, mica_status_code(MICA_E_TIMEOUT), none, mica_text(why));
        call_end_with_reply(exchange);
        return;
    }
    mica_refuse_write(&refusal, message->request.id, MICA_REFUSE_INTERNAL,
                      MICA_E_TIMEOUT, "%s", why);
    mica_sse_send(exchange->stream, none, mica_buffer_as_text(&refusal), 0);
    mica_sse_end(exchange->stream);
}

void
mica_call_stream_end(struct mica_http_exchange *exchange)
{
    if (exchange->message.step == MICA_STEP_REPLY)
        call_end_with_reply(exchange);
    else
        call_end_late(exchange);
    mica_exchange_release(exchange);
}
