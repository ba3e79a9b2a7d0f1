// SPDX-License-Identifier: Apache-2.0
//
// How a request ends: what the log and the metrics say of it, and whoever holds
// it last gives it back.
#include "http/http.h"

#include "serve/operation.h"
#include "serve/time.h"

const char *
mica_http_response_name(enum mica_link_end ending,
                        enum MHD_RequestTerminationCode code)
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

// Whoever knows the id of a call may answer its questions: a log is for more people
// than that.
static struct mica_text
path_to_tell(struct mica_text path)
{
    if (mica_text_starts(path, "/api/calls/"))
        return MICA_LITERAL("/api/calls/{id}");
    return mica_text_starts(path, "/calls/") ? MICA_LITERAL("/calls/{id}")
                                             : path;
}

void
mica_exchange_note(const struct mica_http_exchange *exchange,
                   const char *response)
{
    const struct mica_http *http = exchange->http;
    const struct mica_message *message = &exchange->message;
    struct mica_log_entry entry;

    if (http->log == NULL && http->metrics == NULL)
        return;
    entry = (struct mica_log_entry){
        .method = exchange->request.method,
        .path = path_to_tell(exchange->request.path),
        .code = exchange->code,
        .response = response,
        .status = exchange->status,
        .duration_ns = mica_time_ns() - exchange->started_ns,
        .bytes_in = exchange->body.len + exchange->discarded,
        .bytes_out = exchange->reply_bytes,
    };

    if (exchange->is_message) {
        // What a request about a task names is the task.
        if (!mica_text_starts(message->method, "tasks/"))
            entry.tool = message->name;
        entry.version = mica_operation_version(message);
        if (message->surface == NULL)
            entry.rpc = message->method;
        entry.trace = message->trace;
        if (entry.code == NULL)
            entry.code = message->error_code;
    }
    if (http->log != NULL)
        mica_log_request(http->log, &entry);
    if (http->metrics != NULL)
        count_request(exchange, &entry);
}

static void
end_request(void *state, enum MHD_RequestTerminationCode code)
{
    enum mica_request_kind *kind = state;
    struct mica_http_exchange *exchange = state;

    if (kind == NULL)
        return;
    if (*kind != MICA_REQUEST_ANSWERS) {
        mica_reader_completed((void *)kind, code);
        return;
    }
    if (exchange->state == MICA_EXCHANGE_HEAD) { // its headers never came
        mica_exchange_move(exchange, MICA_EXCHANGE_SENT);
        mica_exchange_give(exchange);
        return;
    }
    if (exchange->stream != NULL)
        mica_call_stream_left(exchange);
    if (exchange->state == MICA_EXCHANGE_STREAM)
        mica_stream_done(exchange->http, exchange->link, exchange->stream);
    exchange->response = mica_http_response_name(exchange->ending, code);
    mica_exchange_set_deadline(exchange); // of the next request
    mica_exchange_move(exchange, MICA_EXCHANGE_SENT);
    mica_exchange_release(exchange);
}

void
mica_http_completed(void *data, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code)
{
    struct mica_link *link = mica_http_link(connection);

    (void)data;
    end_request(*state, code);
    *state = NULL;
    if (link != NULL)
        mica_guard_completed(&link->guard, code);
}

void
mica_exchange_hold(struct mica_http_exchange *exchange)
{
    atomic_fetch_add_explicit(&exchange->holds, 1, memory_order_relaxed);
}

void
mica_exchange_end(struct mica_http_exchange *exchange)
{
    mica_sse_drop(exchange->stream);
    mica_sse_drop(exchange->opened); // the connection went before it was queued
    exchange->stream = exchange->opened = NULL;
    if (exchange->is_message)
        mica_message_end(&exchange->message);
    exchange->is_message = false;
    mica_exchange_give(exchange);
}

// By the last of them: only then nobody writes what the log reads.
void
mica_exchange_release(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;

    if (atomic_fetch_sub_explicit(&exchange->holds, 1, memory_order_acq_rel) !=
        1)
        return;
    if (exchange->reader != NULL) {
        mica_reader_take(exchange);
        return;
    }
    if (exchange->stream != NULL)
        exchange->reply_bytes = mica_sse_bytes(exchange->stream);
    mica_exchange_note(exchange, exchange->response);
    mica_exchange_end(exchange);
    atomic_fetch_sub_explicit(&http->active, 1, memory_order_release);
}
