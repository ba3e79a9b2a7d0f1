// SPDX-License-Identifier: Apache-2.0
//
// How a request ends: what the log and the metrics say of it, and whoever holds
// it last gives it back.
#include "http/http.h"

#include "serve/operation.h"
#include "serve/time.h"

// What became of a response: log.h.
static const char *
response(enum mica_link_end ending, enum MHD_RequestTerminationCode code)
{
    if (ending == MICA_LINK_GONE)
        return "gone";
    if (ending == MICA_LINK_LATE)
        return "late";
    switch (code) {
    case MHD_REQUEST_TERMINATED_COMPLETED_OK:
        return "sent";
    case MHD_REQUEST_TERMINATED_CLIENT_ABORT:
    case MHD_REQUEST_TERMINATED_READ_ERROR:
        return "gone";
    case MHD_REQUEST_TERMINATED_TIMEOUT_REACHED:
        return "late";
    case MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN:
    case MHD_REQUEST_TERMINATED_WITH_ERROR:
        break;
    }
    return "closed";
}

static void
count_request(const struct mica_http_exchange *exchange,
              const struct mica_log_entry *entry)
{
    struct mica_metrics *metrics = exchange->http->metrics;

    mica_metrics_request(metrics, entry->status);
    if (entry->code != NULL)
        mica_metrics_refused(metrics, entry->code);
    if (exchange->is_message)
        mica_operation_message(metrics, &exchange->message, entry->code, "tcp",
                               entry->duration_ns);
}

// What a request was, for the log and the metrics.
static void
note_request(const struct mica_http_exchange *exchange, const char *response)
{
    const struct mica_http *http = exchange->http;
    const struct mica_message *message = &exchange->message;
    struct mica_log_entry entry = {
        .method = exchange->request.method,
        .path = exchange->request.path,
        .code = exchange->code,
        .response = response,
        .status = exchange->status,
        .duration_ns = mica_time_ns() - exchange->started_ns,
        .bytes_in = exchange->body.len + exchange->discarded,
        .bytes_out = exchange->reply_bytes,
    };

    if (exchange->is_message) {
        entry.rpc = message->method;
        entry.tool = message->name;
        entry.version = mica_text(mica_wire_features(message->wire)->version);
        entry.trace = message->trace;
        if (entry.code == NULL)
            entry.code = message->error_code;
    }
    if (http->log != NULL)
        mica_log_request(http->log, &entry);
    if (http->metrics != NULL)
        count_request(exchange, &entry);
}

// The same of a subscription, whose message is long gone.
static void
note_listener(const struct mica_listener *listener, const char *response)
{
    const struct mica_http *http = listener->http;
    struct mica_log_entry entry = {
        .method = MICA_LITERAL("POST"),
        .path = MICA_LITERAL("/mcp"),
        .rpc = MICA_LITERAL("subscriptions/listen"),
        .version = mica_text(mica_wire_features(listener->wire)->version),
        .trace = mica_text(listener->trace),
        .response = response,
        .status = 200,
        .duration_ns = mica_time_ns() - listener->started_ns,
        .bytes_in = listener->bytes_in,
        .bytes_out = mica_sse_bytes(listener->sse),
    };

    if (http->log != NULL)
        mica_log_request(http->log, &entry);
    if (http->metrics != NULL) {
        mica_metrics_request(http->metrics, entry.status);
        mica_operation_subscription(http->metrics, listener->wire, "tcp",
                                    entry.duration_ns);
    }
}

static void
listener_completed(struct mica_listener *listener,
                   enum MHD_RequestTerminationCode code)
{
    struct mica_http *http = listener->http;
    bool gone = mica_sse_state(listener->sse) != MICA_SSE_ENDED;

    mica_stream_done(http, listener->link, listener->sse);
    if (http->log != NULL || http->metrics != NULL)
        note_listener(listener,
                      response(gone ? MICA_LINK_GONE : MICA_LINK_OPEN, code));
    atomic_store_explicit(&listener->link->deadline_ms,
                          mica_http_deadline(http), memory_order_relaxed);
    mica_listener_close(listener);
}

void
mica_http_completed(void *data, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code)
{
    enum mica_request_kind *kind = *state;
    struct mica_http_exchange *exchange = *state;

    (void)data;
    (void)connection;
    *state = NULL;
    if (kind == NULL)
        return;
    if (*kind == MICA_REQUEST_LISTENS) {
        listener_completed((void *)kind, code);
        return;
    }
    if (exchange->tells)
        mica_call_stream_left(exchange);
    if (exchange->streams)
        mica_stream_done(exchange->http, exchange->link, exchange->stream);
    exchange->response = response(exchange->ending, code);
    mica_exchange_set_deadline(exchange); // of the next request
    mica_exchange_release(exchange);
}

void
mica_exchange_hold(struct mica_http_exchange *exchange)
{
    atomic_fetch_add_explicit(&exchange->holds, 1, memory_order_relaxed);
}

// By the last of them: only then nobody writes what the log reads.
void
mica_exchange_release(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;

    if (atomic_fetch_sub_explicit(&exchange->holds, 1, memory_order_acq_rel) !=
        1)
        return;
    if (exchange->stream != NULL)
        exchange->reply_bytes = mica_sse_bytes(exchange->stream);
    if (exchange->listener == NULL && !exchange->waits &&
        (http->log != NULL || http->metrics != NULL))
        note_request(exchange, exchange->response);
    mica_sse_drop(exchange->stream);
    if (exchange->is_message)
        mica_message_end(&exchange->message);
    mica_exchange_give(exchange);
    atomic_fetch_sub_explicit(&http->active, 1, memory_order_release);
}

// [ASK-LEGACY] It is logged as what it was until now; its turns that follow have
// lines of their own.
void
mica_exchange_wait(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;

    if (atomic_fetch_sub_explicit(&exchange->quiet, 1, memory_order_acq_rel) !=
            1 ||
        !exchange->waits)
        return;
    if (http->log != NULL || http->metrics != NULL)
        note_request(exchange, "asked");
    mica_message_end(&exchange->message);
    exchange->is_message = false;
    mica_arena_fini(&exchange->arena);
    mica_arena_init(&exchange->arena, http->server->options.call_bytes);
}
