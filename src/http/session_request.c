// SPDX-License-Identifier: Apache-2.0
//
// A request of a session, on its way through the server: a GET that becomes a
// stream, a call whose answer is a stream or waits for a worker, and what a
// DELETE or a cancellation does to others. The sessions are in
// sessions/session_table.c.
#include "http/http.h"
#include "http/sessions/session_table.h"
#include "server/message.h"

// ---- What a request does to others ---------------------------------------------------

// From any thread; the last continues the request.
static void
session_request_settled(void *data, enum mica_status status)
{
    struct mica_http_exchange *exchange = data;
    enum mica_exchange_state state = MICA_EXCHANGE_STEP;

    if (status != MICA_OK)
        atomic_store(&exchange->unkept, true);
    if (atomic_fetch_sub(&exchange->unsettled, 1) != 1)
        return;
    if (atomic_load(&exchange->unkept)) {
        exchange->refused = 503;
        exchange->why = "that could not be kept; send it again";
        state = MICA_EXCHANGE_REPLY;
    }
    mica_exchange_resume(exchange, state);
}

// On the store thread.
static void
cancel_waiting(void *data)
{
    struct mica_http_exchange *exchange = data;

    mica_session_table_cancel_waiting(exchange->http->sessions,
                                      &exchange->message);
    session_request_settled(exchange, MICA_OK);
}

static void
exchange_cancel(struct mica_http_exchange *exchange)
{
    exchange->task =
        (struct mica_worker_job){.run = cancel_waiting, .data = exchange};
    atomic_fetch_add(&exchange->unsettled, 1);
    if (!mica_workers_push(exchange->http->store_thread, &exchange->task, 0))
        session_request_settled(exchange, MICA_E_BUSY);
}

// Each goes to its call, in whichever process that was begun.
static void
exchange_answer(struct mica_http_exchange *exchange)
{
    struct mica_message *message = &exchange->message;
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);
    const struct mica_text session = {(const char *)key.bytes,
                                      sizeof key.bytes};
    const struct mica_settled waits = {.tell = session_request_settled,
                                       .data = exchange};
    const struct mica_resume_cause *one;

    for (size_t i = 0; (one = mica_message_answered(message, i)) != NULL; i++) {
        atomic_fetch_add(&exchange->unsettled, 1);
        if (!mica_turn_queue_resume(exchange->http->turn_queue, one, session,
                                    &waits))
            session_request_settled(exchange, MICA_E_BUSY);
    }
}

bool
mica_session_request_effects(struct mica_http_exchange *exchange)
{
    struct mica_session_table *table = exchange->http->sessions;
    const struct mica_message *message = &exchange->message;
    bool cancels = mica_message_cancels(message, 0).len > 0;

    if (message->reply.http_status == 204 &&
        mica_text_is(exchange->request.method, "DELETE"))
        mica_session_table_end_session(table, message);
    if (cancels)
        mica_session_table_cancel(table, message);
    if (!cancels && mica_message_answered(message, 0) == NULL)
        return false;
    atomic_init(&exchange->unkept, false);
    atomic_init(&exchange->unsettled, 1); // until all is on its way
    mica_exchange_suspend(exchange, MICA_EXCHANGE_STORE, false);
    if (cancels)
        exchange_cancel(exchange);
    exchange_answer(exchange);
    session_request_settled(exchange, MICA_OK);
    return true;
}

// ---- Streams -----------------------------------------------------------------------

// On the store thread. Without a stream an error reply is ready.
static void
open_get_stream(void *data)
{
    struct mica_http_exchange *exchange = data;

    exchange->opened =
        mica_session_table_stream(exchange->http->sessions, &exchange->message);
    if (exchange->opened != NULL)
        exchange->message.reply.http_status = 200;
    mica_exchange_resume(exchange, exchange->opened != NULL
                                       ? MICA_EXCHANGE_STEP
                                       : MICA_EXCHANGE_REPLY);
}

enum MHD_Result
mica_session_request_stream(struct mica_http_exchange *exchange)
{
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_STORE, open_get_stream,
                                 false))
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    return MHD_YES;
}

// ---- Calls -------------------------------------------------------------------------

// On a worker, and perhaps without a connection.
static void
session_request_work(void *data)
{
    struct mica_http_exchange *exchange = data;
    struct mica_message *message = &exchange->message;

    if (message->execution.round != NULL)
        mica_http_asks(exchange->http);
    mica_message_execute(message);
    if (mica_session_call_end_turn(exchange->http->sessions, &exchange->call))
        exchange->session = MICA_SESSION_WAITS;
    mica_exchange_release(exchange);
}

static void
message_emit(struct mica_message *message, struct mica_text notification)
{
    struct mica_http_exchange *exchange = message->reply.emit_data;

    mica_session_call_emit(exchange->http->sessions, &exchange->call,
                           notification);
}

static bool
close_stream(struct mica_message *message)
{
    struct mica_http_exchange *exchange = message->reply.emit_data;

    return mica_session_call_close_stream(exchange->http->sessions,
                                          &exchange->call);
}

// A stream when there is something to tell on the way, to ask, or to come back
// for.
static bool
wants_stream(const struct mica_message *message)
{
    return message->request.takes_stream &&
           (mica_revision_features(message->context.revision)->priming ||
            mica_message_wants_events(message) ||
            (message->execution.round != NULL && message->context.client != 0));
}

// Where the call is kept, should it ask. Who cannot be reached cannot be asked.
static bool
exchange_place(struct mica_http_exchange *exchange, bool streams)
{
    struct mica_message *message = &exchange->message;
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);

    message->context.stream = exchange->call.stream;
    if (!streams || message->context.stream == 0)
        message->context.client = 0;
    message->context.session_key = mica_arena_text(
        &exchange->arena,
        (struct mica_text){(const char *)key.bytes, sizeof key.bytes});
    return message->context.session_key.ptr != NULL;
}

// What libmicrohttpd's memory holds and is needed when the connection has gone.
static void
exchange_keep(struct mica_http_exchange *exchange)
{
    struct mica_text *id = &exchange->message.context.session.id;

    mica_exchange_keep(exchange);
    *id = mica_arena_text(&exchange->arena, *id);
}

// The call will not run: nothing of it stays.
static void
drop_call(struct mica_http_exchange *exchange)
{
    mica_message_abandon(&exchange->message);
    mica_session_call_end(exchange->http->sessions, &exchange->call,
                          (struct mica_text){NULL, 0});
    mica_sse_drop(exchange->opened);
    exchange->opened = NULL;
}

// Who could be asked has to be reached, also when his connection breaks: a handler
// that is told that its client cannot be asked would end too early.
static bool
lacks_stream(const struct mica_http_exchange *exchange)
{
    const struct mica_message *message = &exchange->message;

    return exchange->call.stream == 0 && message->execution.round != NULL &&
           message->context.client != 0;
}

// False: it is refused, or could not be kept and a reply is ready.
static bool
send_to_worker(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    struct mica_message *message = &exchange->message;

    if (lacks_stream(exchange)) {
        exchange->refused = 503;
        exchange->why = "the stream of the answer cannot be kept; try again";
        return false;
    }
    if (!exchange_place(exchange, true))
        message->execution.round = NULL; // no memory: it will fail for that
    if (!mica_message_store_call(message))
        return false;
    mica_session_call_send_priming_event(http->sessions, &exchange->call);
    exchange->task =
        (struct mica_worker_job){.run = session_request_work, .data = exchange};
    mica_exchange_hold(exchange);
    if (mica_workers_push(http->workers, &exchange->task, 0))
        return true;
    mica_exchange_release(exchange);
    exchange->refused = 503;
    exchange->why = "too many calls are waiting; try again";
    return false;
}

// On the store thread. What is kept is kept before its client hears of it: whenever this
// process dies, who has an id finds its call, and who has none calls again.
static void
open_stream(void *data)
{
    struct mica_http_exchange *exchange = data;
    enum mica_exchange_state state = MICA_EXCHANGE_STEP;

    mica_session_call_open_stream(exchange->http->sessions, &exchange->call);
    if (!send_to_worker(exchange)) {
        drop_call(exchange);
        state = MICA_EXCHANGE_REPLY;
    }
    mica_exchange_resume(exchange, state);
}

enum MHD_Result
mica_session_request_opened(struct mica_http_exchange *exchange)
{
    struct mica_sse *sse = exchange->opened;
    enum MHD_Result result;

    exchange->opened = NULL;
    result = mica_exchange_stream(exchange, sse);
    mica_sse_drop(sse);
    return result;
}

enum MHD_Result
mica_session_request_call(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    struct mica_message *message = &exchange->message;
    bool streams = wants_stream(message);

    if (!mica_session_call_begin(http->sessions, &exchange->call, message,
                                 streams, &exchange->opened))
        return mica_exchange_refuse(exchange, 503, MICA_E_LIMIT,
                                    "no room for one more stream; try again");
    exchange->session = MICA_SESSION_CALL;
    if (!streams) {
        if (!exchange_place(exchange, false))
            message->execution.round = NULL; // as above
        return mica_exchange_work(exchange);
    }
    exchange_keep(exchange);
    message->reply.emit = message_emit;
    message->reply.emit_data = exchange;
    message->reply.close_stream = close_stream;
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_STORE, open_stream,
                                 false)) {
        drop_call(exchange);
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    }
    return MHD_YES;
}
