// SPDX-License-Identifier: Apache-2.0
//
// The tool http_request, with which hosts carry the HTTP requests of their views
// (include/mica/mount.h). REST answers in this process, by the code that answers a request
// over HTTP, with the caller, endpoint and rules of the message that calls the tool; a mount's
// handler answers the rest. No socket is opened.
#include <string.h>

#include <mica/json.h>

#include "protocol/base_path.h"
#include "rest/relay.h"
#include "rest/request_path.h"
#include "rest/rest.h"
#include "server/call_rules.h"
#include "server/message.h"
#include "server/message_surface.h"

// ---- Answering ------------------------------------------------------------------

// Every text of the response, in `arena`.
static void
response_copy(struct mica_arena *arena, struct mica_http_response *response)
{
    response->body = mica_arena_text(arena, response->body);
    for (size_t i = 0; i < response->header_count; i++) {
        response->headers[i].name =
            mica_arena_text(arena, response->headers[i].name);
        response->headers[i].value =
            mica_arena_text(arena, response->headers[i].value);
    }
}

// REST has memory of its own, as a request over HTTP has. Its Host is one that is allowed
// everywhere: no socket, and so no browser, has sent it.
static void
rest_answer(struct mica_call *call, struct mica_message *relayer,
            struct mica_relay_request *request,
            struct mica_http_response *response_out)
{
    struct mica_http_request http = request->http;
    struct mica_message *message;
    struct mica_arena arena;

    request->headers[http.header_count++] =
        (struct mica_header){MICA_LITERAL("host"), MICA_LITERAL("localhost")};
    http.headers = request->headers;
    mica_arena_init(&arena, relayer->server->options.call_bytes);
    message = mica_message_make(relayer->server, &arena, &http);
    response_out->status = 503;
    if (message != NULL) {
        message->relayer = relayer;
        message->context.principal = relayer->context.principal;
        message->context.party = relayer->context.party;
        message->request.endpoint = relayer->request.endpoint;
        if (relayer->endpoint != NULL)
            mica_message_route(message, relayer->endpoint);
        mica_rest_begin(message, NULL, &http);
        if (message->step == MICA_STEP_WORK)
            mica_message_execute(message);
        mica_message_response(message, response_out);
        mica_rules_record(message);
        response_copy(call->arena, response_out);
        mica_message_end(message);
    }
    mica_arena_fini(&arena);
}

static enum mica_status
mount_answer(struct mica_call *call, struct mica_message *relayer,
             struct mica_relay_request *request,
             struct mica_http_response *response_out)
{
    const struct mica_mount *mount = request->mount;
    enum mica_status status;

    if (mount->scope != NULL &&
        !mica_scopes_suffice(relayer, mica_text(mount->scope)))
        return mica_error_set(&call->error, MICA_E_SCOPE, "url",
                              "%s takes an access token with the scopes "
                              "\"%s\"",
                              mount->path, mount->scope);
    request->http.principal = mica_principal(call);
    call->error_is_from_operation = false; // what fails now is the handler's
    status = mount->handle(call, mount->context, &request->http, response_out);
    if (status != MICA_OK)
        return status;
    call->error_is_from_operation = true;
    if (response_out->header_count > MICA_COUNT(response_out->headers))
        return mica_error_set(&call->error, MICA_E_USAGE, "",
                              "the mount %s gave more headers than a response "
                              "has",
                              mount->path);
    return MICA_OK;
}

static enum mica_status
request_answer(struct mica_call *call, struct mica_message *relayer,
               struct mica_relay_request *request,
               struct mica_http_response *response_out)
{
    memset(response_out, 0, sizeof *response_out);
    if (request->mount != NULL)
        return mount_answer(call, relayer, request, response_out);
    rest_answer(call, relayer, request, response_out);
    return MICA_OK;
}

// ---- Redirections ---------------------------------------------------------------

// What a browser does (Fetch, HTTP-redirect fetch): 303, and 301 and 302 of a POST, become a
// GET without a body.
static void
method_redirect(struct mica_relay_request *request, unsigned status)
{
    bool posted = mica_text_is(request->http.method, "POST");
    bool reads = mica_text_is(request->http.method, "GET") ||
                 mica_text_is(request->http.method, "HEAD");
    size_t kept = 0;

    if (!((status == 301 || status == 302) && posted) &&
        !(status == 303 && !reads))
        return;
    request->http.method = MICA_LITERAL("GET");
    request->http.body.len = 0;
    for (size_t i = 0; i < request->http.header_count; i++) {
        struct mica_header header = request->headers[i];
        if (!mica_text_starts(header.name, "content-"))
            request->headers[kept++] = header;
    }
    request->http.header_count = kept;
}

// The Location is resolved and checked like the address that the view gave. Headers that only
// the mount before it reads go no further.
static enum mica_status
redirect_follow(const struct mica_relay *relay, struct mica_call *call,
                struct mica_relay_request *request, struct mica_text location,
                unsigned status)
{
    struct mica_request_path path;

    MICA_TRY(
        mica_request_path_read(call->arena, location, &call->error, &path));
    request->http.path = path.path;
    request->http.query = path.query;
    MICA_TRY(mica_relay_route(relay, request, &call->error));
    request->redirected = true;
    method_redirect(request, status);
    mica_relay_limit_headers(request);
    return MICA_OK;
}

static enum mica_status
request_send(const struct mica_relay *relay, struct mica_call *call,
             struct mica_message *relayer, struct mica_relay_request *request,
             struct mica_http_response *response_out)
{
    for (unsigned hops = 0;; hops++) {
        struct mica_text location;
        MICA_TRY(request_answer(call, relayer, request, response_out));
        location = mica_relay_location(response_out);
        if (location.len == 0 || request->redirect == MICA_REDIRECT_MANUAL)
            return MICA_OK;
        if (request->redirect == MICA_REDIRECT_ERROR)
            return mica_error_set(&call->error, MICA_E_FORMAT, "redirect",
                                  "the response redirects, which the view did "
                                  "not want");
        if (hops == MICA_RELAY_REDIRECTS)
            return mica_error_set(&call->error, MICA_E_LIMIT, "redirect",
                                  "the response redirects more than %d times",
                                  MICA_RELAY_REDIRECTS);
        MICA_TRY(redirect_follow(relay, call, request, location,
                                 response_out->status));
    }
}

// ---- The tool -------------------------------------------------------------------

static enum mica_status
rate_check(struct mica_relay *relay, struct mica_message *relayer,
           struct mica_error *error)
{
    const struct mica_platform *platform = relay->server->platform;
    const struct mica_caller caller = mica_message_caller(relayer);
    uint32_t wait_ms = 0;

    if (platform != NULL) // without a clock the operator's program counts
        wait_ms =
            mica_relay_wait(&relay->buckets, &caller, relayer->context.party,
                            platform->now_ms(platform->data));
    if (wait_ms == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_RATE, "",
                          "the views of this client send more than %d requests "
                          "a second; try again in %u ms",
                          MICA_RELAY_RATE, wait_ms);
}

static enum mica_status
run_http_request(struct mica_call *call, const struct mica_json *in,
                 struct mica_json_writer *out)
{
    struct mica_relay *relay = mica_user(call);
    struct mica_message *relayer = call->owner;
    struct mica_relay_request request;
    struct mica_http_response response;

    call->error_is_from_operation = true;
    if (relayer == NULL)
        return mica_error_set(&call->error, MICA_E_VIEW_ONLY, "",
                              "http_request carries requests of views; a tool "
                              "calls another with mica_invoke");
    MICA_TRY(rate_check(relay, relayer, &call->error));
    MICA_TRY(mica_relay_read(relay, in, call->arena, &call->error, &request));
    MICA_TRY(request_send(relay, call, relayer, &request, &response));
    return mica_relay_write(call, &request, &response, out);
}

#define BODY_TYPES                                                       \
    "{\"enum\":[\"none\",\"json\",\"text\",\"formData\",\"urlEncoded\"," \
    "\"base64\"]"

static const char input_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"method\":{\"type\":\"string\"},"
    "\"url\":{\"type\":\"string\",\"description\":\"A path of this server with "
    "its query, like /api/NAME?a=1.\"},"
    "\"headers\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
    "\"string\"}},"
    "\"body\":{},"
    "\"bodyType\":" BODY_TYPES ",\"description\":\"How the body is read.\"},"
    "\"redirect\":{\"enum\":[\"follow\",\"error\",\"manual\"]},"
    "\"cache\":{\"type\":\"string\"},"
    "\"credentials\":{\"type\":\"string\"},"
    "\"timeoutMs\":{\"type\":\"integer\",\"minimum\":1}},"
    "\"required\":[\"url\"]}";

static const char output_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"status\":{\"type\":\"integer\"},"
    "\"headers\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
    "\"string\"}},"
    "\"body\":{},"
    "\"bodyType\":" BODY_TYPES "},"
    "\"url\":{\"type\":\"string\"},"
    "\"redirected\":{\"type\":\"boolean\"},"
    "\"ok\":{\"type\":\"boolean\"}},"
    "\"required\":[\"status\"]}";

static const struct mica_tool http_request = {
    .name = "http_request",
    .title = "HTTP request of a view",
    .description = "Carries an HTTP request of a view to the REST API of this "
                   "server, and to what its program mounts.",
    .input_schema = input_schema,
    .output_schema = output_schema,
    .json_handler = run_http_request,
    .audience = MICA_APP,
    // As much as any tool or mount behind it.
    .hints = MICA_DESTRUCTIVE | MICA_OPEN_WORLD};

static struct mica_relay *
relay_of(struct mica_server *server, struct mica_error *error)
{
    if (server->relay == NULL) {
        server->relay =
            mica_arena_zero(&server->arena, 1, sizeof *server->relay);
        if (server->relay != NULL)
            server->relay->server = server;
        else
            mica_error_set(error, MICA_E_LIMIT, "", "no memory for a mount");
    }
    return server->relay;
}

enum mica_status
mica_server_use_http_request(struct mica_server *server,
                             struct mica_error *error)
{
    struct mica_relay *relay = relay_of(server, error);
    struct mica_definition *definition;

    if (relay == NULL)
        return MICA_E_LIMIT;
    if (relay->offered)
        return MICA_OK;
    MICA_TRY(mica_definition_of_tool(&http_request, relay, NULL, error,
                                     &definition));
    definition->view->for_requests = true;
    MICA_TRY(mica_registry_define(&server->registry, definition, error));
    relay->offered = true;
    return MICA_OK;
}

// ---- Mounts ---------------------------------------------------------------------

// The path is as a request has it after it was resolved, and the server answers nothing below
// its first segment.
static enum mica_status
mount_check_path(const struct mica_mount *mount, struct mica_error *error)
{
    struct mica_text path = mica_text(mount->path != NULL ? mount->path : "");
    size_t end = 1;

    while (end < path.len && path.ptr[end] != '/')
        end++;
    if (path.len < 2 || !mica_base_path_fits(path))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the path of a mount is like /graphql: slashes "
                              "and A-Z a-z 0-9 - . _ ~, at most %d bytes; set "
                              ".path of struct mica_mount",
                              MICA_MOUNT_PATH_BYTES);
    if (mica_server_reserves(mica_text_slice(path, 1, end)))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the server itself answers below \"%.*s\"; let "
                              "the path of the mount begin otherwise",
                              (int)end, path.ptr);
    return MICA_OK;
}

static enum mica_status
mount_check_headers(const struct mica_mount *mount, struct mica_error *error)
{
    size_t count = 0;

    for (; mount->headers != NULL && mount->headers[count] != NULL; count++) {
        struct mica_text name = mica_text(mount->headers[count]);
        bool fits = mica_header_is_token(name) && !mica_relay_is_never(name);
        for (size_t i = 0; i < name.len && fits; i++)
            fits = name.ptr[i] < 'A' || name.ptr[i] > 'Z';
        if (!fits || count == MICA_MOUNT_HEADERS)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "the mount %s has the header \"%.*s\" in "
                                  ".headers: at most %d names in lower case, "
                                  "and none that says who asks",
                                  mount->path, MICA_ARG(name),
                                  MICA_MOUNT_HEADERS);
    }
    return MICA_OK;
}

enum mica_status
mica_server_mount(struct mica_server *server, const struct mica_mount *mount,
                  struct mica_error *error)
{
    struct mica_relay *relay = relay_of(server, error);

    if (relay == NULL)
        return MICA_E_LIMIT;
    MICA_TRY(mount_check_path(mount, error));
    if (mount->handle == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the mount %s has no .handle", mount->path);
    MICA_TRY(mount_check_headers(mount, error));
    for (size_t i = 0; i < relay->mount_count; i++)
        if (strcmp(relay->mounts[i]->path, mount->path) == 0)
            return mica_error_set(error, MICA_E_EXISTS, "",
                                  "%s is mounted already", mount->path);
    if (relay->mount_count == MICA_MOUNTS)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "a server has at most %d mounts", MICA_MOUNTS);
    MICA_TRY(mica_server_use_http_request(server, error));
    relay->mounts[relay->mount_count++] = mount;
    return MICA_OK;
}
