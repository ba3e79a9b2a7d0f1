// SPDX-License-Identifier: Apache-2.0
//
// Queues responses for libmicrohttpd: a reply, a refusal in the form of its route, or
// a stream, each with its status and headers.
#include "apps/app_error.h"
#include "http/app_caller.h"
#include "http/app_refusal.h"
#include "http/http.h"
#include "http/http_refusal.h"
#include "http/inspect_capture.h"

#include <string.h>

#include "platform/clock.h"
#include "protocol/header_value.h"
#include "protocol/id_scan.h"
#include "protocol/problem.h"
#include "protocol/response_header.h"
#include "serve/refuse.h"
#include "serve/stored_sessions.h"

enum {
    HEADER_TEXT = 4096, // longest name or value that mica writes
    STATUS_BYTES =
        192, // of what libmicrohttpd adds to a head: status, date, framing
    REFUSAL_BYTES = 16 * 1024
};

static bool
add_header(struct MHD_Response *reply, struct mica_text name,
           struct mica_text value)
{
    char namez[HEADER_TEXT], valuez[HEADER_TEXT];

    if (name.len >= sizeof namez || value.len >= sizeof valuez)
        return false;
    memcpy(namez, name.ptr, name.len);
    namez[name.len] = '\0';
    memcpy(valuez, value.ptr, value.len);
    valuez[value.len] = '\0';
    return MHD_add_response_header(reply, namez, valuez) == MHD_YES;
}

static bool
is_leaving(const struct mica_http_exchange *exchange)
{
    return atomic_load_explicit(&exchange->http->leaving, memory_order_relaxed);
}

// libmicrohttpd writes the head of a reply into the memory that the head of the request
// has left. If that does not suffice, it closes the connection without a reply, and a
// proxy takes the server for dead.
static bool
head_fits(const struct mica_http_exchange *exchange,
          const struct mica_http_response *response)
{
    size_t bytes = STATUS_BYTES;

    for (size_t i = 0; i < response->header_count; i++) {
        const struct mica_header *header = &response->headers[i];
        if (header->name.len >= HEADER_TEXT || header->value.len >= HEADER_TEXT)
            return false;
        bytes += header->name.len + header->value.len + 4; // ": ", CR LF
    }
    return bytes <= exchange->reply_room;
}

// Replaces a reply whose head does not fit. The refusal repeats nothing.
static struct MHD_Response *
refuse_head(struct mica_http_exchange *exchange, struct MHD_Response *reply,
            struct mica_http_response *refusal_out)
{
    MHD_destroy_response(reply);
    mica_page_problem(exchange, 431, MICA_E_LIMIT, refusal_out,
                      "the headers of the reply repeat parts of this request "
                      "and are longer than this server has room for; send a "
                      "shorter address, and fewer or shorter header fields");
    exchange->code = mica_status_code(MICA_E_LIMIT);
    exchange->reply_bytes = refusal_out->body.len;
    return MHD_create_response_from_buffer(
        refusal_out->body.len, (void *)(uintptr_t)refusal_out->body.ptr,
        MHD_RESPMEM_PERSISTENT);
}

// Queues `reply` with the headers and status of `response`. Owner: `reply` passes to
// this function.
enum MHD_Result
mica_exchange_queue(struct mica_http_exchange *exchange,
                    struct MHD_Response *reply,
                    const struct mica_http_response *response)
{
    enum MHD_Result result = MHD_YES;
    struct mica_http_response refusal;

    if (exchange->state != MICA_EXCHANGE_STREAM &&
        exchange->state != MICA_EXCHANGE_REPLY)
        mica_exchange_move(exchange, MICA_EXCHANGE_REPLY);
    if (reply != NULL && !head_fits(exchange, response)) {
        reply = refuse_head(exchange, reply, &refusal);
        response = &refusal;
    }
    if (reply == NULL)
        return MHD_NO;
    for (size_t i = 0; i < response->header_count && result == MHD_YES; i++) {
        if (!add_header(reply, response->headers[i].name,
                        response->headers[i].value))
            result = MHD_NO;
    }
    if (result == MHD_YES && (exchange->closes || is_leaving(exchange))) {
        mica_guard_mark_last_answer(&exchange->link->guard);
        result = MHD_add_response_header(reply, "Connection", "close");
    }
    if (result == MHD_YES)
        result =
            MHD_queue_response(exchange->connection, response->status, reply);
    MHD_destroy_response(reply);
    exchange->status = response->status;
    mica_inspect_reply(exchange, response);
    return result;
}

enum MHD_Result
mica_exchange_send(struct mica_http_exchange *exchange,
                   const struct mica_http_response *response)
{
    struct mica_http_response shown = *response;
    struct MHD_Response *reply;

    if (response->status >= 400)
        mica_web_refuse(exchange, &shown);
    reply = MHD_create_response_from_buffer(
        shown.body.len,
        // libmicrohttpd does not change it; its parameter only lacks the const.
        (void *)(uintptr_t)shown.body.ptr, MHD_RESPMEM_PERSISTENT);
    exchange->reply_bytes = shown.body.len;
    mica_exchange_set_deadline(exchange);
    return mica_exchange_queue(exchange, reply, &shown);
}

// A stream has no deadline but the expiry of the token that opened it, if one did: a client
// with a newer token opens another stream.
static uint64_t
stream_deadline(const struct mica_http_exchange *exchange)
{
    int64_t left;

    if (!mica_principal_is_known(&exchange->principal.party))
        return UINT64_MAX;
    left = exchange->principal.expires_ms - mica_session_store_now();
    return mica_clock_coarse_ms() + (left > 0 ? (uint64_t)left : 0);
}

static enum MHD_Result
send_stream(struct mica_http_exchange *exchange, struct mica_sse *sse)
{
    struct mica_http_response response;
    struct MHD_Response *reply;

    mica_inspect_stream(exchange, sse);
    reply = mica_stream_begin(exchange->http, exchange->link, sse,
                              exchange->connection);
    if (reply == NULL)
        return MHD_NO;
    mica_exchange_move(exchange, MICA_EXCHANGE_STREAM);
    mica_message_stream_head(&exchange->message, &response);
    return mica_exchange_queue(exchange, reply, &response);
}

enum MHD_Result
mica_exchange_stream(struct mica_http_exchange *exchange, struct mica_sse *sse)
{
    enum MHD_Result result;

    if (exchange->reader == NULL) // a subscription has one already
        exchange->reader = mica_reader_open(exchange, sse);
    if (exchange->reader == NULL)
        return MHD_NO;
    atomic_store_explicit(&exchange->link->deadline_ms,
                          stream_deadline(exchange), memory_order_relaxed);
    result = send_stream(exchange, sse);
    exchange->reader->streams = exchange->state == MICA_EXCHANGE_STREAM;
    return result;
}

// The deadline of the connection stays that of the call.
enum MHD_Result
mica_exchange_stream_call(struct mica_http_exchange *exchange)
{
    return send_stream(exchange, exchange->stream);
}

// RFC 6750, 3: a refusal for missing scopes names them.
static void
add_challenge(struct mica_http_exchange *exchange,
              struct mica_http_response *response)
{
    struct mica_auth_refusal refusal;

    mica_auth_refuse_scope(exchange->http->auth, exchange->message.reply.lacks,
                           mica_exchange_app(exchange), &exchange->arena,
                           &refusal);
    mica_response_add(response, "WWW-Authenticate", refusal.challenge);
}

enum MHD_Result
mica_exchange_reply(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;
    struct MHD_Response *streamed;

    mica_inspect_name(exchange);
    mica_message_response(&exchange->message, &response);
    if (exchange->message.reply.lacks.len > 0 && response.status == 403 &&
        exchange->http->auth != NULL)
        add_challenge(exchange, &response);
    if (exchange->message.reply.streamed_at == 0)
        return mica_exchange_send(exchange, &response);
    streamed = mica_streamed_response(exchange, &response);
    // Its middle is read while it is sent: only the beginning is in memory.
    response.body =
        mica_text_slice(response.body, 0, exchange->message.reply.streamed_at);
    return mica_exchange_queue(exchange, streamed, &response);
}

// Lets a page of an allowed origin read why it was refused, and when to try again.
static void
add_origin(struct mica_http_exchange *exchange,
           struct mica_http_response *response)
{
    struct mica_text origin = mica_text(MHD_lookup_connection_value(
        exchange->connection, MHD_HEADER_KIND, "Origin"));

    if (origin.len == 0 || response->status == 403 ||
        !mica_http_origin_allowed(mica_exchange_allowed(exchange), origin))
        return;
    mica_response_add(response, "Access-Control-Allow-Origin", origin);
    mica_response_add(response, "Vary", MICA_LITERAL("Origin"));
    mica_response_add(response, "Access-Control-Expose-Headers",
                      MICA_LITERAL("Retry-After"));
}

// Writes the refusal in the form of the contract of apps: as an error of JSON-RPC, with the
// id of the request if its text has one, or as {"error":…}.
static void
write_absent(struct mica_http_exchange *exchange, struct mica_buffer *body)
{
    const struct mica_app_error error = {
        .status = MICA_E_APP,
        .message = MICA_LITERAL("There is no published app at this address")};
    struct mica_id_scan scan = {.state = 0};
    struct mica_json_writer writer;
    struct mica_buffer data;

    mica_json_writer_init(&writer, body);
    if (!exchange->route->speaks_mcp) {
        mica_app_error_write_body(&writer, &error);
        return;
    }
    mica_buffer_init(&data, &exchange->arena, REFUSAL_BYTES);
    mica_app_error_write_data(&data, &error);
    mica_id_scan(&scan, mica_buffer_as_text(&exchange->body));
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    if (mica_id_scan_found(&scan).len > 0) {
        mica_json_name(&writer, "id");
        mica_json_raw(&writer, mica_id_scan_found(&scan));
    }
    mica_problem_write(&writer,
                       (enum mica_rpc_error)mica_status_json_rpc(MICA_E_APP),
                       mica_status_code(MICA_E_APP), mica_buffer_as_text(&data),
                       error.message);
    mica_json_close_object(&writer);
}

enum MHD_Result
mica_exchange_refuse_absent(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;
    struct mica_buffer body;

    mica_page_problem(exchange, 404, MICA_E_APP, &response, "%s",
                      "there is no such app");
    mica_buffer_init(&body, &exchange->arena, REFUSAL_BYTES);
    write_absent(exchange, &body);
    if (!body.overflow) {
        response.headers[0].value = MICA_LITERAL("application/json");
        response.body = mica_buffer_as_text(&body);
    }
    add_origin(exchange, &response);
    exchange->code = mica_status_code(MICA_E_APP);
    mica_inspect_name(exchange);
    return mica_exchange_send(exchange, &response);
}

// Refuses in the form of the route: JSON-RPC for MCP, otherwise a problem document.
enum MHD_Result
mica_exchange_refuse(struct mica_http_exchange *exchange, unsigned status,
                     enum mica_status code, const char *why)
{
    struct mica_http_response response;
    struct mica_text id = {NULL, 0};
    struct mica_buffer body;

    mica_page_problem(exchange, status, code, &response, "%s", why);
    if (exchange->route->speaks_mcp) {
        if (exchange->stage != MICA_MESSAGE_NONE)
            id = exchange->message.request.id;
        mica_buffer_init(&body, &exchange->arena, REFUSAL_BYTES);
        mica_refuse_write(&body, id,
                          status < 500 ? MICA_REFUSE_REQUEST
                                       : MICA_REFUSE_INTERNAL,
                          code, "%s", why);
        response.headers[0].value = MICA_LITERAL("application/json");
        response.body = mica_buffer_as_text(&body);
    }
    if (mica_exchange_speaks_apps(exchange))
        mica_app_refusal_reword(exchange, &response);
    if (status == 503)
        mica_response_add(&response, "Retry-After", MICA_LITERAL("1"));
    add_origin(exchange, &response);
    exchange->code = mica_status_code(code);
    mica_inspect_name(exchange);
    return mica_exchange_send(exchange, &response);
}
