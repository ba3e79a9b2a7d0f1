// SPDX-License-Identifier: Apache-2.0
//
// What of an exchange enters the Inspector's ring, and when. Each change is published on
// the bus, whose thread tells the open pages (inspect_routes.c).
//
// Locks: a stream calls stream_read outside its own lock; the ring's is the innermost.
#include "http/inspect_capture.h"

#include <string.h>

#include "http/http.h"
#include "http/inspection.h"
#include "platform/clock.h"
#include "protocol/header_value.h"
#include "serve/operation.h"
#include "serve/stored_sessions.h"

static void
inspect_publish(struct mica_http *http)
{
    const struct mica_change change = {.kind = MICA_CHANGED_EXCHANGES};

    mica_bus_publish(http->bus, &change);
}

void
mica_inspect_begin(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    const struct mica_http_request *request = &exchange->request;
    struct mica_inspected_request entry;

    if (http->inspection == NULL || exchange->route->surface == NULL)
        return;
    entry = (struct mica_inspected_request){
        .surface = exchange->route->surface,
        .at_ms = mica_session_store_now(),
        .verb = request->method,
        .path = exchange->whole_path,
        .query = request->query,
        .headers = request->headers,
        .header_count = request->header_count,
        .body = mica_buffer_as_text(&exchange->body),
    };
    exchange->inspected = mica_inspection_begin(http->inspection, &entry);
    inspect_publish(http);
}

void
mica_inspect_name(struct mica_http_exchange *exchange)
{
    const struct mica_message *message = &exchange->message;
    const char *code = exchange->code != NULL ? exchange->code : "";
    struct mica_inspected_message named;

    if (exchange->inspected == 0)
        return;
    named = (struct mica_inspected_message){.code = mica_text(code)};
    if (exchange->stage != MICA_MESSAGE_NONE) {
        named.name = message->request.name;
        if (exchange->code == NULL && message->reply.error_code != NULL)
            named.code = mica_text(message->reply.error_code);
        if (message->context.surface == NULL)
            named.method = message->request.method;
        if (named.method.len > 0 || message->context.session.id.len > 0)
            named.version = mica_operation_version(message);
    }
    mica_inspection_name(exchange->http->inspection, exchange->inspected,
                         &named);
    inspect_publish(exchange->http);
}

static struct mica_text
header_of(const struct mica_http_response *response, const char *lowercasez)
{
    for (size_t i = 0; i < response->header_count; i++)
        if (mica_ascii_is(response->headers[i].name, lowercasez))
            return response->headers[i].value;
    return (struct mica_text){NULL, 0};
}

// A stream begins, and 202 is sent, while another thread has the message.
void
mica_inspect_reply(struct mica_http_exchange *exchange,
                   const struct mica_http_response *response)
{
    struct mica_inspection *inspection = exchange->http->inspection;
    struct mica_inspected_reply reply = {
        .status = response->status,
        .type = header_of(response, "content-type"),
        .body = response->body,
        .bytes = exchange->reply_bytes};

    if (exchange->inspected == 0)
        return;
    if (exchange->stage == MICA_MESSAGE_NONE)
        mica_inspect_name(exchange);
    mica_inspection_session(inspection, exchange->inspected,
                            header_of(response, "mcp-session-id"));
    mica_inspection_reply(inspection, exchange->inspected, &reply);
    inspect_publish(exchange->http);
}

static void
stream_read(void *data, uint64_t number, struct mica_text bytes)
{
    struct mica_http *http = data;

    mica_inspection_add(http->inspection, number, bytes);
    inspect_publish(http);
}

// INSPECT-2: the first event of a stream of 2024-11-05 has the id of its session.
static void
http_sse_read(void *data, uint64_t number, struct mica_text bytes)
{
    static const char word[] = "session=";
    const char *id = mica_text_starts(bytes, "event: endpoint\n")
                         ? memmem(bytes.ptr, bytes.len, word, sizeof word - 1)
                         : NULL;
    const char *end = bytes.ptr + bytes.len, *line;
    struct mica_http *http = data;
    size_t kept;

    if (id == NULL) {
        stream_read(data, number, bytes);
        return;
    }
    id += sizeof word - 1;
    line = memchr(id, '\n', (size_t)(end - id));
    line = line != NULL ? line : end;
    kept = (size_t)(id - bytes.ptr) + MICA_INSPECTION_SESSION;
    if (kept > (size_t)(line - bytes.ptr))
        kept = (size_t)(line - bytes.ptr);
    mica_inspection_add(http->inspection, number,
                        mica_text_slice(bytes, 0, kept));
    mica_inspection_add(http->inspection, number, MICA_LITERAL("…"));
    stream_read(data, number, (struct mica_text){line, (size_t)(end - line)});
}

void
mica_inspect_stream(struct mica_http_exchange *exchange, struct mica_sse *sse)
{
    bool is_http_sse;

    if (exchange->inspected == 0)
        return;
    is_http_sse = strcmp(exchange->route->surface, "sse") == 0;
    mica_sse_tap(sse, &(struct mica_sse_tap){.read = is_http_sse ? http_sse_read
                                                                 : stream_read,
                                             .data = exchange->http,
                                             .number = exchange->inspected});
}

void
mica_inspect_session(struct mica_http_exchange *exchange, struct mica_text id)
{
    if (exchange->inspected != 0)
        mica_inspection_session(exchange->http->inspection, exchange->inspected,
                                id);
}

void
mica_inspect_message(struct mica_http_exchange *exchange,
                     struct mica_text reply)
{
    if (exchange->inspected == 0)
        return;
    mica_inspection_add(exchange->http->inspection, exchange->inspected, reply);
    inspect_publish(exchange->http);
}

void
mica_inspect_end(struct mica_http *http, uint64_t number, const char *outcome,
                 uint64_t started_ns)
{
    if (number == 0)
        return;
    mica_inspection_end(http->inspection, number, outcome,
                        mica_clock_ns() - started_ns);
    inspect_publish(http);
}
