// SPDX-License-Identifier: Apache-2.0
//
// An exchange on another thread: the I/O thread suspends the connection and hands the
// exchange to a worker, to the store thread or to the login thread, which hands it back.
#include "http/http.h"
#include "http/inspect_capture.h"

#include "platform/clock.h"
#include "serve/worker_message.h"

void
mica_http_start_turns(struct mica_http *http)
{
    struct mica_error error;
    enum mica_status status = mica_turn_queue_start(http->turn_queue, &error);

    (void)status; // if the store does not open, the call that needs it fails
}

void
mica_exchange_resume(struct mica_http_exchange *exchange,
                     enum mica_exchange_state state)
{
    exchange->link_end =
        mica_watch_resume(exchange->http->watch, exchange->link);
    mica_exchange_move(exchange, state);
    MHD_resume_connection(exchange->connection);
}

void
mica_exchange_suspend(struct mica_http_exchange *exchange,
                      enum mica_exchange_state state, bool hangup)
{
    const struct mica_http *http = exchange->http;

    mica_inspect_name(exchange);
    mica_exchange_move(exchange, state);
    mica_watch_suspend(http->watch, exchange->link,
                       &exchange->message.execution.cancelled, hangup,
                       mica_clock_coarse_ms() + http->idle_ms);
    MHD_suspend_connection(exchange->connection);
}

// Queues a suspended exchange for the thread that its state names. Returns false if
// the queue is full; the exchange is then refused.
static bool
exchange_push(struct mica_http_exchange *exchange, void (*run)(void *exchange))
{
    struct mica_http *http = exchange->http;
    struct mica_workers *workers =
        exchange->state == MICA_EXCHANGE_STORE   ? http->store_thread
        : exchange->state == MICA_EXCHANGE_LOGIN ? http->login_thread
                                                 : http->workers;

    exchange->job = (struct mica_worker_job){.run = run, .data = exchange};
    if (mica_workers_push(workers, &exchange->job, 0))
        return true;
    exchange->refused = 503;
    exchange->why = "too many calls are waiting; try again";
    return false;
}

bool
mica_exchange_hand_over(struct mica_http_exchange *exchange,
                        enum mica_exchange_state state,
                        void (*run)(void *exchange), bool hangup)
{
    // The order matters: a worker may be done before the second call returns.
    mica_exchange_suspend(exchange, state, hangup);
    return exchange_push(exchange, run);
}

static void exchange_work(void *data);

// The model that the message waited for has answered: a worker continues it.
static void
exchange_wake(struct mica_message *message)
{
    struct mica_http_exchange *exchange = mica_exchange_of(message);

    exchange->job =
        (struct mica_worker_job){.run = exchange_work, .data = exchange};
    mica_workers_return(exchange->http->workers, &exchange->job);
}

// On a worker.
static void
exchange_work(void *data)
{
    struct mica_http_exchange *exchange = data;

    if (exchange->message.execution.resumable != NULL)
        mica_http_start_turns(exchange->http);
    if (!mica_worker_execute(exchange->http->workers, &exchange->message,
                             exchange_wake))
        return;
    if (exchange->stream != NULL) {
        mica_call_stream_end(exchange);
        return;
    }
    if (exchange->session_turn != MICA_SESSION_NOTHING)
        mica_session_turn_end_call(exchange->http->sessions, &exchange->turn,
                                   (struct mica_text){NULL, 0});
    mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
}

enum MHD_Result
mica_exchange_work(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    // A client of the stateless revision cancels by closing the connection; one of a
    // session revision does not (MCP: cancellation) [HTTP-DISCONNECT] [CANCEL-LEGACY].
    bool hangup =
        mica_revision_features(exchange->message.context.revision)->stateless;

    if (exchange->session_turn == MICA_SESSION_NOTHING)
        mica_call_stream_prepare(exchange);
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_WORK, exchange_work,
                                 hangup)) {
        if (exchange->session_turn != MICA_SESSION_NOTHING)
            mica_session_turn_end_call(http->sessions, &exchange->turn,
                                       (struct mica_text){NULL, 0});
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    }
    return MHD_YES;
}

// Runs on the store thread and hands any handler to a worker. A disconnect does not
// cancel it.
static void
exchange_deferred(void *data)
{
    struct mica_http_exchange *exchange = data;
    struct mica_message *message = &exchange->message;

    if (!mica_message_execute_inline(message)) {
        mica_call_stream_prepare(exchange);
        mica_exchange_move(exchange, MICA_EXCHANGE_WORK);
        if (exchange_push(exchange, exchange_work))
            return;
    }
    if (message->step == MICA_STEP_LISTEN) // the I/O thread begins the stream
        mica_session_changes_open_feed(exchange->http->sessions);
    mica_exchange_resume(exchange, message->step == MICA_STEP_LISTEN
                                       ? MICA_EXCHANGE_STEP
                                       : MICA_EXCHANGE_REPLY);
}

enum MHD_Result
mica_exchange_run_deferred(struct mica_http_exchange *exchange)
{
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_STORE,
                                 exchange_deferred, false))
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    return MHD_YES;
}
