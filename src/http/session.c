// SPDX-License-Identifier: Apache-2.0
//
// A request of a session, on its way through the server: a GET that becomes a
// stream, a call whose answer is a stream or waits for a worker, and what a
// DELETE or a cancellation does to others. The sessions are in legacy.c.
#include "http/http.h"
#include "http/legacy.h"
#include "mcp/message.h"

void
mica_session_effects(struct mica_http_exchange *exchange)
{
    struct mica_legacy *legacy = exchange->http->legacy;
    const struct mica_message *message = &exchange->message;

    if (message->http_status == 204 &&
        mica_text_is(exchange->request.method, "DELETE"))
        mica_legacy_ended(legacy, message);
    if (mica_message_cancels(message, 0).len > 0)
        mica_legacy_cancel(legacy, message);
}

enum MHD_Result
mica_session_stream(struct mica_http_exchange *exchange)
{
    struct mica_sse *sse =
        mica_legacy_stream(exchange->http->legacy, &exchange->message);
    enum MHD_Result result;

    if (sse == NULL)
        return mica_exchange_reply(exchange);
    exchange->message.http_status = 200;
    result = mica_exchange_stream(exchange, sse);
    mica_sse_drop(sse);
    return result;
}

// ---- Calls -------------------------------------------------------------------------

// On a worker, and perhaps without a connection.
static void
work(void *data)
{
    struct mica_http_exchange *exchange = data;
    struct mica_message *message = &exchange->message;
    struct mica_text reply = {NULL, 0};

    mica_message_work(message);
    if (message->step == MICA_STEP_REPLY)
        reply = mica_buffer_as_text(&message->reply);
    mica_run_end(exchange->http->legacy, &exchange->run, reply);
    mica_exchange_release(exchange);
}

static void
emit(struct mica_message *message, struct mica_text notification)
{
    struct mica_http_exchange *exchange = message->emit_data;

    mica_run_emit(exchange->http->legacy, &exchange->run, notification);
}

static bool
close_stream(struct mica_message *message)
{
    struct mica_http_exchange *exchange = message->emit_data;

    return mica_run_close_stream(exchange->http->legacy, &exchange->run);
}

// A stream when there is something to tell on the way or to come back for.
static bool
wants_stream(const struct mica_message *message)
{
    return message->takes_stream &&
           (mica_wire_features(message->wire)->priming ||
            mica_message_tells(message));
}

// What libmicrohttpd's memory holds and is needed when the connection has gone.
static void
keep(struct mica_http_exchange *exchange)
{
    struct mica_text *id = &exchange->message.session.id;

    mica_exchange_keep(exchange);
    *id = mica_arena_text(&exchange->arena, *id);
}

enum MHD_Result
mica_session_run(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    struct mica_message *message = &exchange->message;
    bool streams = wants_stream(message);
    enum MHD_Result result;
    struct mica_sse *sse;

    if (!mica_run_begin(http->legacy, &exchange->run, message, streams, &sse))
        return mica_exchange_refuse(exchange, 503, MICA_E_LIMIT,
                                    "no room for one more stream; try again");
    exchange->is_run = true;
    if (!streams)
        return mica_exchange_work(exchange);
    keep(exchange);
    message->emit = emit;
    message->emit_data = exchange;
    message->close_stream = close_stream;
    exchange->task = (struct mica_task){.run = work, .data = exchange};
    mica_exchange_hold(exchange);
    if (!mica_workers_push(http->workers, &exchange->task, 0)) {
        mica_run_end(http->legacy, &exchange->run, (struct mica_text){NULL, 0});
        mica_exchange_release(exchange);
        mica_sse_drop(sse);
        return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                    "too many calls are waiting; try again");
    }
    result = mica_exchange_stream(exchange, sse);
    mica_sse_drop(sse);
    return result;
}
