// SPDX-License-Identifier: Apache-2.0
//
// The connection's part of a stream that answers a request: small, as thousands may be
// open. The exchange, which has much memory, is recycled as soon as nothing runs for the
// request: at once if the stream only gets notifications, or when its call waits for its
// client. Later events come into the stream without the exchange.
#include "http/http.h"
#include "http/inspect_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "publish/published_apps.h"
#include "serve/operation.h"

enum {
    PATH_BYTES = 512 // of the log; what is longer is cut
};

// ---- Begin -------------------------------------------------------------------------

void
mica_reader_begin(struct mica_reader *reader, enum mica_request_kind kind,
                  struct mica_http_exchange *exchange, struct mica_sse *sse)
{
    struct mica_text trace = exchange->message.request.trace;

    memset(reader, 0, sizeof *reader);
    reader->kind = kind;
    reader->revision = exchange->message.context.revision;
    atomic_init(&reader->references, 2);
    reader->http = exchange->http;
    reader->link = exchange->link;
    reader->sse = sse;
    reader->method = exchange->request.method;
    reader->path = exchange->asked_path;
    reader->own_host = exchange->own_host;
    reader->started_ns = exchange->started_ns;
    reader->inspected = exchange->inspected;
    reader->bytes_in = exchange->body.len;
    if (trace.len > 0 && trace.len < sizeof reader->trace)
        memcpy(reader->trace, trace.ptr, trace.len);
}

struct mica_reader *
mica_reader_open(struct mica_http_exchange *exchange, struct mica_sse *sse)
{
    struct mica_reader *reader = malloc(sizeof *reader);

    if (reader == NULL) {
        mica_sse_hang_up(sse);
        return NULL;
    }
    mica_sse_hold(sse);
    mica_reader_begin(reader, MICA_REQUEST_READER, exchange, sse);
    return reader;
}

// ---- End ---------------------------------------------------------------------------

// With that of the app, at a host name of its own.
static struct mica_text
reader_path(const struct mica_reader *reader, char path[PATH_BYTES])
{
    if (reader->own_host == NULL)
        return reader->path;
    (void)snprintf(path, PATH_BYTES, MICA_APPS_PATH "/%.*s%.*s",
                   MICA_ARG(reader->own_host->slug), MICA_ARG(reader->path));
    return mica_text(path);
}

static void
reader_note(const struct mica_reader *reader)
{
    const struct mica_http *http = reader->http;
    bool listens = reader->kind == MICA_REQUEST_LISTENER;
    char path[PATH_BYTES];
    struct mica_log_entry entry = {
        .method = reader->method,
        .path = reader_path(reader, path),
        .version = mica_text(mica_revision_features(reader->revision)->version),
        .trace = mica_text(reader->trace),
        .response = reader->response,
        .status = 200,
        .duration_ns = mica_clock_ns() - reader->started_ns,
        .bytes_in = reader->bytes_in,
        .bytes_out = mica_sse_bytes(reader->sse),
    };

    if (listens)
        entry.rpc = MICA_LITERAL("subscriptions/listen");
    if (http->log != NULL)
        mica_log_request(http->log, &entry);
    if (http->metrics != NULL) {
        mica_metrics_request(http->metrics, entry.status);
        if (listens)
            mica_operation_subscription(http->metrics, reader->revision, "tcp",
                                        entry.duration_ns);
    }
}

static bool
is_idle(const struct mica_reader *reader)
{
    return reader->kind != MICA_REQUEST_READER;
}

// http->active does not count subscriptions: the server ends without waiting for them.
static void
reader_drop(struct mica_reader *reader)
{
    struct mica_http *http = reader->http;

    if (atomic_fetch_sub_explicit(&reader->references, 1,
                                  memory_order_acq_rel) != 1)
        return;
    mica_inspect_end(http, reader->inspected, reader->response,
                     reader->started_ns);
    if (reader->exchange != NULL) {
        reader->exchange->reply_bytes = mica_sse_bytes(reader->sse);
        mica_exchange_note(reader->exchange, reader->response);
        mica_exchange_end(reader->exchange);
    } else if (!reader->noted && (http->log != NULL || http->metrics != NULL)) {
        reader_note(reader);
    }
    if (!is_idle(reader))
        atomic_fetch_sub_explicit(&http->active, 1, memory_order_release);
    mica_sse_drop(reader->sse);
    free(reader);
}

// The log has one line for a call until it waits for its client, and one for each of
// its later turns. [ASK-LEGACY]
void
mica_reader_end_exchange(struct mica_http_exchange *exchange)
{
    struct mica_reader *reader = exchange->reader;

    if (exchange->session_turn == MICA_SESSION_TURN) {
        reader->exchange = exchange;
    } else {
        reader->noted = exchange->session_turn == MICA_SESSION_WAITS;
        if (reader->noted)
            mica_exchange_note(exchange, "asked");
        mica_exchange_end(exchange);
    }
    if (is_idle(reader))
        atomic_fetch_sub_explicit(&reader->http->active, 1,
                                  memory_order_release);
    reader_drop(reader);
}

void
mica_reader_completed(struct mica_reader *reader,
                      enum MHD_RequestTerminationCode code)
{
    struct mica_http *http = reader->http;
    bool ended = mica_sse_state(reader->sse) == MICA_SSE_ENDED;

    if (reader->streams)
        mica_stream_done(http, reader->link, reader->sse);
    else
        mica_sse_hang_up(reader->sse);
    reader->response =
        mica_http_response_name(ended ? MICA_LINK_OPEN : MICA_LINK_GONE, code);
    atomic_store_explicit(&reader->link->deadline_ms, mica_http_deadline(http),
                          memory_order_relaxed);
    if (reader->close != NULL)
        reader->close(reader);
    reader_drop(reader);
}
