// SPDX-License-Identifier: Apache-2.0
//
// Requests of a session: a GET that opens a stream, a call that needs a worker, and what a
// request delivers to other requests: a DELETE ends the session, a cancellation
// cancels a call, and a response answers a question.
#include "http/http.h"
#include "http/sessions/session_table.h"
#include "serve/worker_message.h"
#include "server/message.h"

// ---- Deliveries to other requests ----------------------------------------------------

// One delivery is done, on any thread. After the last one the request continues.
static void
session_request_delivered(void *data, enum mica_status status)
{
    struct mica_http_exchange *exchange = data;
    enum mica_exchange_state state = MICA_EXCHANGE_STEP;

    if (status != MICA_OK)
        atomic_store(&exchange->delivery_failed, true);
    if (atomic_fetch_sub(&exchange->pending_deliveries, 1) != 1)
        return;
    if (atomic_load(&exchange->delivery_failed)) {
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
    session_request_delivered(exchange, MICA_OK);
}

static void
exchange_cancel(struct mica_http_exchange *exchange)
{
    exchange->job =
        (struct mica_worker_job){.run = cancel_waiting, .data = exchange};
    atomic_fetch_add(&exchange->pending_deliveries, 1);
    if (!mica_workers_push(exchange->http->store_thread, &exchange->job, 0))
        session_request_delivered(exchange, MICA_E_BUSY);
}

// Queues each answer for its call, in whichever process the call began.
static void
exchange_queue_answers(struct mica_http_exchange *exchange)
{
    struct mica_message *message = &exchange->message;
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);
    const struct mica_text session = {(const char *)key.bytes,
                                      sizeof key.bytes};
    const struct mica_answer_listener waits = {
        .notify = session_request_delivered, .data = exchange};
    const struct mica_resume_cause *one;

    for (size_t i = 0; (one = mica_message_answer_at(message, i)) != NULL;
         i++) {
        atomic_fetch_add(&exchange->pending_deliveries, 1);
        if (!mica_turn_queue_resume(exchange->http->turn_queue, one, session,
                                    &waits))
            session_request_delivered(exchange, MICA_E_BUSY);
    }
}

bool
mica_session_request_deliver(struct mica_http_exchange *exchange)
{
    struct mica_session_table *table = exchange->http->sessions;
    const struct mica_message *message = &exchange->message;
    bool cancels = mica_message_cancels(message, 0).len > 0;

    if (message->reply.http_status == 204 &&
        mica_text_is(exchange->request.method, "DELETE"))
        mica_session_table_end_session(table, message);
    if (cancels)
        mica_session_table_cancel(table, message);
    if (!cancels && mica_message_answer_at(message, 0) == NULL)
        return false;
    atomic_init(&exchange->delivery_failed, false);
    atomic_init(&exchange->pending_deliveries,
                1); // a guard count, released when every job is queued
    mica_exchange_suspend(exchange, MICA_EXCHANGE_STORE, false);
    if (cancels)
        exchange_cancel(exchange);
    exchange_queue_answers(exchange);
    session_request_delivered(exchange, MICA_OK);
    return true;
}

// ---- Streams -----------------------------------------------------------------------

// Opens the stream of a GET, on the store thread. Without a stream an error reply is
// ready.
static void
open_get_stream(void *data)
{
    struct mica_http_exchange *exchange = data;

    exchange->opened =
        mica_session_table_stream(exchange->http->sessions, &exchange->message);
    if (exchange->opened != NULL) {
        exchange->message.reply.http_status = 200;
        mica_exchange_check_stream(exchange);
    }
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

static void session_request_work(void *data);

// The model that the call waited for has answered: a worker continues it.
static void
session_request_wake(struct mica_message *message)
{
    struct mica_http_exchange *exchange = mica_exchange_of(message);

    exchange->job =
        (struct mica_worker_job){.run = session_request_work, .data = exchange};
    mica_workers_return(exchange->http->workers, &exchange->job);
}

// Runs the call on a worker. The connection may be closed.
static void
session_request_work(void *data)
{
    struct mica_http_exchange *exchange = data;
    struct mica_message *message = &exchange->message;

    if (message->execution.resumable != NULL)
        mica_http_start_turns(exchange->http);
    if (!mica_worker_execute(exchange->http->workers, message,
                             session_request_wake))
        return;
    if (mica_session_turn_end(exchange->http->sessions, &exchange->turn))
        exchange->session_turn = MICA_SESSION_WAITS;
    mica_exchange_release(exchange);
}

static void
message_emit(struct mica_message *message, struct mica_text notification)
{
    struct mica_http_exchange *exchange = message->reply.emit_data;

    mica_session_turn_emit(exchange->http->sessions, &exchange->turn,
                           notification);
}

static bool
close_stream(struct mica_message *message)
{
    struct mica_http_exchange *exchange = message->reply.emit_data;

    return mica_session_turn_close_stream(exchange->http->sessions,
                                          &exchange->turn);
}

// The reply is a stream if the client may resume it, or if the call may send
// notifications or questions.
static bool
wants_stream(const struct mica_message *message)
{
    return message->request.takes_stream &&
           (mica_revision_features(message->context.revision)->priming ||
            mica_message_wants_notices(message) ||
            (message->execution.resumable != NULL &&
             message->context.capabilities != 0));
}

// Tells the message the session and the stream of the call. A client without a
// resumable stream cannot be asked. Returns false for want of memory.
static bool
exchange_set_session(struct mica_http_exchange *exchange, bool streams)
{
    struct mica_message *message = &exchange->message;
    struct mica_store_session_key key =
        mica_store_session_key_of(message->context.session.id);

    message->context.stream = exchange->turn.stream;
    if (!streams || message->context.stream == 0)
        message->context.capabilities = 0;
    message->context.session_key = mica_arena_text(
        &exchange->arena,
        (struct mica_text){(const char *)key.bytes, sizeof key.bytes});
    return message->context.session_key.ptr != NULL;
}

// Copies the texts in libmicrohttpd's memory that are needed when the connection is
// closed.
static void
exchange_copy_all_texts(struct mica_http_exchange *exchange)
{
    struct mica_text *id = &exchange->message.context.session.id;

    mica_exchange_copy_texts(exchange);
    *id = mica_arena_text(&exchange->arena, *id);
}

// The call will not run: ends it, and its stream.
static void
abandon_call(struct mica_http_exchange *exchange)
{
    mica_message_abandon(&exchange->message);
    mica_session_turn_end_call(exchange->http->sessions, &exchange->turn,
                               (struct mica_text){NULL, 0});
    mica_sse_drop(exchange->opened);
    exchange->opened = NULL;
}

// A client that can be asked needs a resumable stream. Without one the handler would
// learn that it cannot ask, and end too early.
static bool
lacks_stream(const struct mica_http_exchange *exchange)
{
    const struct mica_message *message = &exchange->message;

    return exchange->turn.stream == 0 && message->execution.resumable != NULL &&
           message->context.capabilities != 0;
}

// Queues the call for a worker. Returns false with exchange->refused set, or with a
// reply ready because the call could not be stored.
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
    if (!exchange_set_session(exchange, true))
        message->execution.resumable =
            NULL; // the call fails for want of memory
    if (!mica_message_store_call(message))
        return false;
    mica_session_turn_send_priming_event(http->sessions, &exchange->turn);
    exchange->job =
        (struct mica_worker_job){.run = session_request_work, .data = exchange};
    mica_exchange_hold(exchange);
    if (mica_workers_push(http->workers, &exchange->job, 0))
        return true;
    mica_exchange_release(exchange);
    exchange->refused = 503;
    exchange->why = "too many calls are waiting; try again";
    return false;
}

// On the store thread. Stores the stream and the call before the client gets an event:
// if this process dies, a client with an event id finds its call, and a client without
// one calls again.
static void
open_call_stream(void *data)
{
    struct mica_http_exchange *exchange = data;
    enum mica_exchange_state state = MICA_EXCHANGE_STEP;

    mica_session_turn_open_stream(exchange->http->sessions, &exchange->turn);
    if (!send_to_worker(exchange)) {
        abandon_call(exchange);
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

    if (!mica_session_turn_begin(http->sessions, &exchange->turn, message,
                                 streams, &exchange->opened))
        return mica_exchange_refuse(exchange, 503, MICA_E_LIMIT,
                                    "no room for one more stream; try again");
    exchange->session_turn = MICA_SESSION_TURN;
    if (!streams) {
        if (!exchange_set_session(exchange, false))
            message->execution.resumable = NULL; // as above
        return mica_exchange_work(exchange);
    }
    exchange_copy_all_texts(exchange);
    message->reply.emit = message_emit;
    message->reply.emit_data = exchange;
    message->reply.close_stream = close_stream;
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_STORE,
                                 open_call_stream, false)) {
        abandon_call(exchange);
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    }
    return MHD_YES;
}
