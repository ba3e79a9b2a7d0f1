// SPDX-License-Identifier: Apache-2.0
//
// Writes a request into the log and the metrics.
#include "http/http.h"

#include "platform/clock.h"
#include "serve/operation.h"

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
    if (exchange->stage != MICA_MESSAGE_NONE)
        mica_operation_message(metrics, &exchange->message, entry->code, "tcp",
                               entry->duration_ns);
}

// The path of the request, with that of its endpoint. The log hides the ids of calls: a
// client that knows the id may answer the questions of the call, and more people read the
// log.
static struct mica_text
path_for_log(const struct mica_http_exchange *exchange)
{
    struct mica_text path = exchange->request.path;

    if (mica_text_starts(path, "/api/calls/"))
        return MICA_LITERAL("/api/calls/{id}");
    if (mica_text_starts(path, "/calls/"))
        return MICA_LITERAL("/calls/{id}");
    return exchange->whole_path.len > 0 ? exchange->whole_path : path;
}

// The reply to HEAD has a length without a body; 204 and 304 have neither.
static bool
sends_body(const struct mica_http_exchange *exchange)
{
    return !mica_text_is(exchange->request.method, "HEAD") &&
           exchange->status != MHD_HTTP_NOT_MODIFIED &&
           exchange->status != MHD_HTTP_NO_CONTENT;
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
        .path = path_for_log(exchange),
        .base = exchange->asked_base,
        .endpoint = exchange->endpoint,
        .code = exchange->code,
        .response = response,
        .status = exchange->status,
        .duration_ns = mica_clock_ns() - exchange->started_ns,
        .bytes_in = exchange->body.len + exchange->discarded,
        .bytes_out = sends_body(exchange) ? exchange->reply_bytes : 0,
    };

    if (exchange->stage != MICA_MESSAGE_NONE) {
        // A request about a task names the task, not a tool.
        if (!mica_text_starts(message->request.method, "tasks/"))
            entry.tool = message->request.name;
        entry.version = mica_operation_version(message);
        if (message->context.surface == NULL)
            entry.rpc = message->request.method;
        entry.trace = message->request.trace;
        if (entry.code == NULL)
            entry.code = message->reply.error_code;
    }
    if (http->log != NULL)
        mica_log_request(http->log, &entry);
    if (http->metrics != NULL)
        count_request(exchange, &entry);
}
