// SPDX-License-Identifier: Apache-2.0
//
// A call whose handler tells something before it ends: its answer is a stream.
//
// A call begins like any other, its connection suspended. What it tells first
// makes the answer a stream; until then it can still be refused with a status of
// its own. From there on connection and worker hold the exchange together, and the
// last of them gives it back.
#include "http/http.h"
#include "platform/clock.h"
#include "serve/refuse.h"
#include "server/message_surface.h"

enum {
    CALL_STREAM_BYTES = 1 << 20, // of notifications that wait
    PATIENCE_MS = 2000,          // that a handler waits for a slow reader
    FRAME_BYTES = 16,            // around the data of an event
};

static const struct mica_text none = {NULL, 0};

// On the worker: has the I/O thread answer with a stream.
static bool
open_stream(struct mica_http_exchange *exchange)
{
    exchange->stream = mica_sse_new(CALL_STREAM_BYTES);
    if (exchange->stream == NULL)
        return false;
    mica_exchange_keep(exchange);
    mica_exchange_hold(exchange);
    exchange->patience_ms = PATIENCE_MS;
    mica_exchange_move(exchange, MICA_EXCHANGE_STEP);
    return true;
}

// MCP gives the data of an event, another surface the event itself.
static bool
call_offer(struct mica_http_exchange *exchange, struct mica_text notification)
{
    return exchange->message.context.surface == NULL
               ? mica_sse_offer(exchange->stream, notification)
               : mica_sse_write(exchange->stream, notification);
}

// A reader that is slow holds its call up for a while, then it misses something:
// progress and log messages can be missed, the result cannot.
static void
call_pass_on(struct mica_http_exchange *exchange, struct mica_text notification)
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
    call_pass_on(exchange, notification);
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

// The connection is done with the request, perhaps before its call is.
void
mica_call_stream_left(struct mica_http_exchange *exchange)
{
    struct mica_message *message = &exchange->message;
    bool ended = mica_sse_state(exchange->stream) == MICA_SSE_ENDED;

    // Before the exchange goes: the watcher points into it.
    exchange->ending = mica_watch_resume(exchange->http->watch, exchange->link);
    // MCP: cancellation: closing the stream cancels, on the stateless revision.
    if (!ended && mica_revision_features(message->context.revision)->stateless)
        atomic_store(&message->execution.cancelled, true);
    mica_sse_hang_up(exchange->stream);
}

// The last event of another surface has a name, which says what its data is.
static void
name_last(struct mica_http_exchange *exchange, const char *namez)
{
    char room[64];
    struct mica_buffer line = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_buffer_format(&line, "event: %s\n", namez);
    (void)mica_sse_write(exchange->stream, mica_buffer_as_text(&line));
}

// Cancelled: if the client still reads, it was for the time it took.
static void
end_late(struct mica_http_exchange *exchange)
{
    static const char why[] =
        "the call took longer than this server waits; ask for less";
    char room[1024];
    struct mica_buffer refusal = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    if (exchange->message.context.surface != NULL) {
        name_last(exchange, "problem");
        mica_problem_details_write(&refusal, exchange->request.base, 504,
                                   MICA_E_TIMEOUT, "%s", why);
    } else {
        mica_refuse_write(&refusal, exchange->message.request.id,
                          MICA_REFUSE_INTERNAL, MICA_E_TIMEOUT, "%s", why);
    }
    mica_sse_send(exchange->stream, none, mica_buffer_as_text(&refusal), 0);
    mica_sse_end(exchange->stream);
}

void
mica_call_stream_end(struct mica_http_exchange *exchange)
{
    const struct mica_message *message = &exchange->message;

    if (message->step == MICA_STEP_REPLY) {
        if (message->context.surface != NULL)
            name_last(exchange, message->context.surface->last_event(message));
        mica_sse_end_with(exchange->stream,
                          mica_buffer_as_text(&message->reply.text));
    } else {
        end_late(exchange);
    }
    mica_exchange_release(exchange);
}
