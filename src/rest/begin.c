// SPDX-License-Identifier: Apache-2.0
//
// A request on its way to what it names: who may come, the media types, the path.
#include <string.h>

#include "protocol/accept.h"
#include "rest/request.h"

// ---- Headers --------------------------------------------------------------------

// What the call tells on its way is wanted, too: then the reply becomes a stream
// as soon as it tells something.
static void
take_stream(struct mica_message *message, unsigned accepted)
{
    message->request.takes_stream =
        (accepted & MICA_MEDIA_STREAM) != 0 &&
        mica_text_is(message->request.http->method, "POST");
    if (!message->request.takes_stream)
        return;
    message->request.progress_token = MICA_LITERAL("0");
    message->context.logs = true;
    message->context.log_level = MICA_LOG_INFO;
}

static bool
check_media(struct mica_message *message)
{
    const struct mica_http_request *request = message->request.http;
    static const unsigned json =
        MICA_MEDIA_JSON | MICA_MEDIA_PROBLEM | MICA_MEDIA_ANY;
    struct mica_text type = {NULL, 0}, coding = {NULL, 0};
    unsigned accepted = mica_accept_request(request);

    // Lenient: a client that lists nothing is served.
    if (accepted != 0 && (accepted & json) == 0) {
        mica_rest_refuse(message, 406, MICA_E_ACCEPT, "",
                         "Replies are application/json, and refusals "
                         "application/problem+json; let Accept list them");
        return false;
    }
    take_stream(message, accepted);
    if (request->body.len == 0)
        return true;
    if (!mica_header_find(request, "content-type", &type) ||
        !mica_ascii_is(mica_header_bare(type), "application/json")) {
        mica_rest_refuse(message, 415, MICA_E_MEDIA, "",
                         "The body must be JSON, and Content-Type say "
                         "application/json");
        return false;
    }
    if (mica_header_find(request, "content-encoding", &coding) &&
        !mica_ascii_is(coding, "identity")) {
        mica_rest_refuse(message, 415, MICA_E_MEDIA, "",
                         "The body must come as it is, without a "
                         "Content-Encoding");
        return false;
    }
    if (request->body.len > message->server->options.message_bytes) {
        mica_rest_refuse(message, 413, MICA_E_LIMIT, "",
                         "The body is larger than %zu bytes",
                         message->server->options.message_bytes);
        return false;
    }
    return true;
}

// A structured field (RFC 8941), a string; the quotes may be left out.
static bool
take_key(struct mica_message *message, struct mica_rest *rest)
{
    const struct mica_http_request *request = message->request.http;
    struct mica_text key;
    unsigned count = 0;
    bool valid;

    if (!mica_header_find(request, "idempotency-key", &key))
        return true;
    for (size_t i = 0; i < request->header_count; i++)
        count += mica_ascii_is(request->headers[i].name, "idempotency-key");
    if (key.len >= 2 && key.ptr[0] == '"' && key.ptr[key.len - 1] == '"')
        key = mica_text_slice(key, 1, key.len - 1);
    valid = count == 1 && key.len > 0 && key.len <= MICA_REST_KEY_BYTES;
    for (size_t i = 0; i < key.len && valid; i++)
        valid = key.ptr[i] > ' ' && key.ptr[i] < 0x7f && key.ptr[i] != '"' &&
                key.ptr[i] != '\\';
    if (!valid)
        mica_rest_refuse(message, 400, MICA_E_FORMAT, "",
                         "Idempotency-Key must be there once and have 1 to %d "
                         "printable ASCII characters",
                         MICA_REST_KEY_BYTES);
    rest->idempotency_key = key;
    return valid;
}

// A program of today answers what it is asked; one that does not says so.
static bool
take_asks(struct mica_message *message)
{
    struct mica_text asks;
    bool fits = true;

    message->context.capabilities = mica_client_all();
    if (mica_header_find(message->request.http, "mica-asks", &asks))
        fits = mica_client_named(asks, &message->context.capabilities);
    if (message->relayer != NULL)
        message->context.capabilities |= MICA_VIEWS;
    message->context.uses_provider =
        message->server->model_provider != NULL &&
        (message->server->model_provider->generate != NULL ||
         mica_server_provides(message->server) != 0);
    if (message->context.uses_provider)
        message->context.capabilities |= MICA_SAMPLING;
    if (fits)
        return true;
    mica_rest_refuse(message, 400, MICA_E_CHOICE, "",
                     "Mica-Asks lists what this client answers: elicitation, "
                     "elicitation.url, sampling, sampling.tools, roots; or "
                     "none");
    return false;
}

// ---- Paths ----------------------------------------------------------------------

// Takes "/name" off the path, up to the next slash.
static struct mica_text
take_segment(struct mica_text *path)
{
    struct mica_text segment;
    size_t end = 1;

    while (end < path->len && path->ptr[end] != '/')
        end++;
    segment = mica_text_slice(*path, 1, end);
    *path = mica_text_slice(*path, end, path->len);
    return segment;
}

static void
content_missing(struct mica_message *message)
{
    mica_message_refuse(message, MICA_E_NOT_FOUND,
                        "There is nothing at this path; GET %s lists the "
                        "tools, and %s describes all paths",
                        mica_rest_address(message, "/api"),
                        mica_rest_address(message, "/openapi.json"));
}

static void
message_route(struct mica_message *message, struct mica_text path)
{
    struct mica_text first = take_segment(&path), second = {NULL, 0};

    if (path.len > 1)
        second = take_segment(&path);
    if ((path.len > 0 && (second.len > 0 || !mica_text_is(path, "/"))) ||
        (first.len == 0 && second.len > 0)) {
        content_missing(message);
        return;
    }
    if (first.len == 0)
        mica_rest_catalog(message);
    else if (second.len == 0)
        mica_rest_tool(message, first);
    else if (mica_text_is(first, "calls"))
        mica_rest_call(message, second);
    else if (mica_text_is(first, "errors"))
        mica_rest_error_page(message, second);
    else
        content_missing(message);
}

// Checks the base path of a program that has a server of its own, as it will stand in
// headers. The path of an endpoint stands behind it.
static bool
take_base(struct mica_message *message, struct mica_rest *rest)
{
    struct mica_text base = message->request.http->base;

    if (message->request.endpoint.len > 0 ? mica_added_path_fits(base)
                                          : mica_base_path_fits(base)) {
        rest->base = base;
        return true;
    }
    mica_rest_refuse(message, 500, MICA_E_USAGE, "",
                     "The base path that this server was given does not fit; "
                     "its program must write it like /tools/x");
    return false;
}

void
mica_rest_begin(struct mica_message *message,
                const struct mica_http_allowed *allowed,
                const struct mica_http_request *request)
{
    struct mica_rest *rest = mica_arena_zero(message->arena, 1, sizeof *rest);

    message->context.surface = &mica_rest_surface;
    message->context.surface_data = rest;
    if (rest == NULL) {
        message->request.http = request;
        mica_message_refuse(message, MICA_E_LIMIT, "No memory");
        return;
    }
    rest->method = request->method;
    rest->reads = mica_text_is(request->method, "GET") ||
                  mica_text_is(request->method, "HEAD");
    message->request.http = request;
    if (!take_base(message, rest) ||
        !mica_message_check_source(message, allowed, request) ||
        !check_media(message) || !take_key(message, rest) ||
        !take_asks(message))
        return;
    if (mica_text_is(request->path, "/openapi.json"))
        mica_rest_openapi(message);
    else if (mica_text_is(request->path, "/api") ||
             mica_text_starts(request->path, "/api/"))
        message_route(message, mica_text_slice(request->path, sizeof "/api" - 1,
                                               request->path.len));
    else
        content_missing(message);
}
