// SPDX-License-Identifier: Apache-2.0
//
// A request of a session, on its way through the server: a GET that becomes a
// stream, a call whose answer is a stream or waits for a worker, and what a
// DELETE or a cancellation does to others. The sessions are in legacy.c.
#include "http/http.h"
#include "http/legacy.h"
#include "mcp/message.h"

// Each goes to its call, in whichever process that was begun.
static bool
take_answers(struct mica_http_exchange *exchange)
{
    struct mica_message *message = &exchange->message;
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    const struct mica_text session = {(const char *)key.bytes,
                                      sizeof key.bytes};
    const struct mica_answered *answer;

    for (size_t i = 0; (answer = mica_message_answered(message, i)) != NULL;
         i++) {
        if (!mica_runner_go_on(exchange->http->runner, answer, session))
            return false;
    }
    return true;
}

bool
mica_session_effects(struct mica_http_exchange *exchange)
{
    struct mica_legacy *legacy = exchange->http->legacy;
    const struct mica_message *message = &exchange->message;

    if (message->http_status == 204 &&
        mica_text_is(exchange->request.method, "DELETE"))
        mica_legacy_ended(legacy, message);
    if (mica_message_cancels(message, 0).len > 0)
        mica_legacy_cancel(legacy, message);
    return take_answers(exchange);
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

    if (message->round != NULL)
        mica_http_asks(exchange->http);
    mica_message_work(message);
    exchange->waits = mica_run_settle(exchange->http->legacy, &exchange->run);
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

// A stream when there is something to tell on the way, to ask, or to come back
// for.
static bool
wants_stream(const struct mica_message *message)
{
    return message->takes_stream &&
           (mica_wire_features(message->wire)->priming ||
            mica_message_tells(message) ||
            (message->round != NULL && message->client != 0));
}

// Where the call is kept, should it ask. Who cannot be reached cannot be asked.
static bool
place(struct mica_http_exchange *exchange, bool streams)
{
    struct mica_message *message = &exchange->message;
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);

    message->stream = exchange->run.stream;
    if (!streams || message->stream == 0)
        message->client = 0;
    message->session_key = mica_arena_text(
        &exchange->arena,
        (struct mica_text){(const char *)key.bytes, sizeof key.bytes});
    return message->session_key.ptr != NULL;
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
    if (!place(exchange, streams))
        message->round = NULL; // no memory: it will fail for that
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
