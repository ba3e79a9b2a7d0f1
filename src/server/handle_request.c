// SPDX-License-Identifier: Apache-2.0
//
// Makes the HTTP response of a message. Also handles a whole request for a program with a
// web server of its own (mica_server_handle).
#include "protocol/base_path.h"
#include "protocol/response_header.h"
#include "server/message.h"
#include "server/message_surface.h"

#include <string.h>

#include "base/assert.h"
#include "server/call_rules.h"

// Retry-After, in seconds, for a client with too many sessions.
#define RETRY_S "60"

enum {
    CORS_BYTES = 4000 // of the list of allowed headers; an adapter sends it
};

static void
add_origin(const struct mica_message *message,
           struct mica_http_response *response)
{
    if (message->request.origin.len == 0)
        return;
    mica_response_add(response, "Access-Control-Allow-Origin",
                      message->request.origin);
    mica_response_add(response, "Vary", MICA_LITERAL("Origin"));
    if (message->context.surface != NULL)
        mica_response_add(response, "Access-Control-Expose-Headers",
                          MICA_LITERAL("ETag, Location, Retry-After, "
                                       "WWW-Authenticate"));
    else if (message->reply.begins || message->reply.lacks.len > 0 ||
             message->reply.http_status == 429)
        mica_response_add(
            response, "Access-Control-Expose-Headers",
            MICA_LITERAL("Mcp-Session-Id, Retry-After, WWW-Authenticate"));
}

// CORS: tools choose the names of Mcp-Param-… headers, so every such header that the
// browser asks about is allowed.
static void
add_params(const struct mica_http_request *request, struct mica_buffer *allowed)
{
    const struct mica_text prefix = MICA_LITERAL("mcp-param-");
    struct mica_text list, name;

    for (size_t i = 0; i < request->header_count; i++) {
        if (!mica_ascii_is(request->headers[i].name,
                           "access-control-request-headers"))
            continue;
        list = request->headers[i].value;
        while (mica_header_next(&list, &name)) {
            if (mica_ascii_is(mica_text_slice(name, 0, prefix.len),
                              prefix.ptr) &&
                mica_header_is_token(
                    mica_text_slice(name, prefix.len, name.len)) &&
                allowed->len + name.len + 2 <= allowed->max)
                mica_buffer_format(allowed, ", %.*s", MICA_ARG(name));
        }
    }
}

// CORS: the headers that a page may send.
static struct mica_text
allowed_headers(const struct mica_message *message)
{
    const struct mica_text always =
        MICA_LITERAL("Content-Type, Accept, Authorization, "
                     "MCP-Protocol-Version, Mcp-Method, Mcp-Name, "
                     "Mcp-Session-Id, Last-Event-ID, traceparent");
    const struct mica_text of_surface =
        MICA_LITERAL("Content-Type, Accept, Authorization, If-None-Match, "
                     "Idempotency-Key, Mica-Asks, traceparent");
    struct mica_buffer allowed;

    if (message->context.surface != NULL)
        return of_surface;
    mica_buffer_init(&allowed, message->arena, CORS_BYTES);
    mica_buffer_text(&allowed, always);
    add_params(message->request.http, &allowed);
    return allowed.overflow ? always : mica_buffer_as_text(&allowed);
}

// CORS: what a page of an allowed origin may send, and which headers it may read.
static void
add_cors(const struct mica_message *message,
         struct mica_http_response *response)
{
    // A page whose origin was refused may read nothing.
    if (message->reply.http_status == 403 && message->reply.lacks.len == 0)
        return;
    add_origin(message, response);
    // An origin came with a request, which the analyzer cannot know.
    if (message->request.http == NULL || message->request.origin.len == 0 ||
        !mica_text_is(message->request.http->method, "OPTIONS"))
        return;
    mica_response_add(response, "Access-Control-Allow-Methods",
                      MICA_LITERAL("POST, GET, DELETE"));
    mica_response_add(response, "Access-Control-Allow-Headers",
                      allowed_headers(message));
    mica_response_add(response, "Access-Control-Max-Age", MICA_LITERAL("7200"));
}

void
mica_message_response(const struct mica_message *message,
                      struct mica_http_response *response_out)
{
    memset(response_out, 0, sizeof *response_out);
    response_out->status = message->reply.http_status;
    if (message->context.surface != NULL) {
        message->context.surface->respond(message, response_out);
        add_cors(message, response_out);
        return;
    }
    if (message->step == MICA_STEP_REPLY) {
        response_out->body = mica_buffer_as_text(&message->reply.text);
        mica_response_add(response_out, "Content-Type",
                          MICA_LITERAL("application/json"));
    }
    // No cache keeps the reply to a POST. That to a GET is a refusal, which depends on
    // headers. A message of HTTP+SSE has no request.
    if (message->request.http == NULL ||
        !mica_text_is(message->request.http->method, "POST"))
        mica_response_add(response_out, "Cache-Control",
                          MICA_LITERAL("no-store"));
    if (message->reply.begins)
        mica_response_add(response_out, "Mcp-Session-Id",
                          message->context.session.id);
    if (message->reply.http_status == 429)
        mica_response_add(response_out, "Retry-After", MICA_LITERAL(RETRY_S));
    else if (message->reply.retry_s > 0)
        mica_response_add(
            response_out, "Retry-After",
            mica_retry_after(message->arena, message->reply.retry_s));
    if (message->reply.http_status == 405)
        mica_response_add(response_out, "Allow", MICA_LITERAL("POST, OPTIONS"));
    add_cors(message, response_out);
}

void
mica_message_stream_head(const struct mica_message *message,
                         struct mica_http_response *response_out)
{
    memset(response_out, 0, sizeof *response_out);
    response_out->status = 200;
    mica_response_add(response_out, "Content-Type",
                      MICA_LITERAL("text/event-stream"));
    mica_response_add(response_out, "Cache-Control", MICA_LITERAL("no-cache"));
    mica_response_add(response_out, "X-Accel-Buffering", MICA_LITERAL("no"));
    if (message->reply.begins)
        mica_response_add(response_out, "Mcp-Session-Id",
                          message->context.session.id);
    add_origin(message, response_out);
}

struct mica_message *
mica_message_make(struct mica_server *server, struct mica_arena *arena,
                  const struct mica_http_request *request)
{
    // In the arena, not on the stack: the reply may lie in the message itself.
    struct mica_message *message = mica_arena_alloc(arena, sizeof *message);

    if (message == NULL)
        return NULL;
    mica_message_init(message, server, arena);
    message->request.only_reply = true;
    message->context.principal = request->principal;
    return message;
}

// Is the request for the endpoint /mcp? A program may serve it at any path, until it has
// published another endpoint. Then a path below no endpoint is not /mcp: its endpoint may
// have been withdrawn.
static bool
is_of_main(struct mica_message *message, struct mica_text path)
{
    return !atomic_load(&message->server->registry.published) ||
           path.len == 0 || mica_text_is(path, "/mcp") ||
           mica_text_is(path, "/api") || mica_text_starts(path, "/api/") ||
           mica_text_is(path, "/openapi.json");
}

const struct mica_http_request *
mica_message_at_path(struct mica_message *message,
                     const struct mica_http_request *request)
{
    struct mica_http_request *own;
    struct mica_text below;
    struct mica_endpoint *endpoint = mica_registry_endpoint_above(
        &message->server->registry, request->path, &below);

    if (endpoint == NULL) {
        if (!is_of_main(message, request->path))
            message->request.endpoint = MICA_NO_ENDPOINT;
        return request;
    }
    own = mica_arena_alloc(message->arena, sizeof *own);
    if (own != NULL) {
        *own = *request;
        own->path = below;
        own->base =
            mica_base_path_below(message->arena, request->base, endpoint->path);
        mica_message_route(message, endpoint);
    }
    mica_endpoint_drop(endpoint);
    return message->arena->overflow ? NULL : own;
}

void
mica_message_embed(struct mica_server *server, struct mica_arena *arena,
                   const struct mica_http_allowed *allowed,
                   const struct mica_http_request *request,
                   mica_message_begin *begin,
                   struct mica_http_response *response_out)
{
    struct mica_message *message = mica_message_make(server, arena, request);

    memset(response_out, 0, sizeof *response_out);
    response_out->status = 503;
    if (message == NULL)
        return;
    request = mica_message_at_path(message, request);
    if (request == NULL)
        return;
    begin(message, allowed, request);
    if (message->step == MICA_STEP_WORK)
        mica_message_execute(message);
    mica_message_response(message, response_out);
    mica_rules_record(message);
    mica_message_end(message);
}

static void
embedded_begin(struct mica_message *message,
               const struct mica_http_allowed *allowed,
               const struct mica_http_request *request)
{
    mica_message_http(message, allowed, request);
    MICA_ASSERT(message->step != MICA_STEP_LISTEN); // not declared: only_reply
    if (message->step == MICA_STEP_STREAM)          // a stream needs an adapter
        mica_reply_error(message, 405, MICA_RPC_REQUEST, MICA_E_METHOD,
                         (struct mica_text){NULL, 0},
                         "There are no streams here; use POST");
}

void
mica_server_handle(struct mica_server *server, struct mica_arena *arena,
                   const struct mica_http_allowed *allowed,
                   const struct mica_http_request *request,
                   struct mica_http_response *response_out)
{
    mica_message_embed(server, arena, allowed, request, embedded_begin,
                       response_out);
}
