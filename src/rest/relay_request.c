// SPDX-License-Identifier: Apache-2.0
//
// Reads the arguments of http_request into a request: the path is resolved and must be mounted,
// the method and the names of headers must be in lists. Nothing that a view writes here says
// who it is: the caller is that of the tool's call.
#include <string.h>

#include <mica/json.h>

#include "base/ascii.h"
#include "protocol/header_value.h"
#include "rest/relay.h"
#include "rest/request_path.h"

static bool
is_among(struct mica_text name, const char *const *listz)
{
    for (; listz != NULL && *listz != NULL; listz++)
        if (mica_text_is(name, *listz))
            return true;
    return false;
}

// ---- The path -------------------------------------------------------------------

static const struct mica_mount *
mount_above(const struct mica_relay *relay, struct mica_text path)
{
    const struct mica_mount *found = NULL;

    for (size_t i = 0; i < relay->mount_count; i++) {
        const struct mica_mount *mount = relay->mounts[i];
        if (mica_request_path_is_below(path, mica_text(mount->path)) &&
            (found == NULL || strlen(mount->path) > strlen(found->path)))
            found = mount;
    }
    return found;
}

enum mica_status
mica_relay_route(const struct mica_relay *relay,
                 struct mica_relay_request *request, struct mica_error *error)
{
    struct mica_text path = request->http.path;

    request->mount = mount_above(relay, path);
    if (request->mount != NULL ||
        mica_request_path_is_below(path, MICA_LITERAL("/api")) ||
        mica_text_is(path, "/openapi.json"))
        return MICA_OK;
    path = mica_utf8_cut(path, 80);
    return mica_error_set(error, MICA_E_NOT_MOUNTED, "url",
                          "views do not reach %.*s; they reach /api, "
                          "/openapi.json and what the program mounts",
                          MICA_ARG(path));
}

// ---- The method -----------------------------------------------------------------

static enum mica_status
method_read(const struct mica_json *arguments, struct mica_error *error,
            struct mica_text *method_out)
{
    static const char *const methods[] = {"GET",   "HEAD",   "POST",    "PUT",
                                          "PATCH", "DELETE", "OPTIONS", NULL};
    struct mica_text method = mica_json_get_text(arguments, "method");

    if (method.ptr == NULL)
        method = MICA_LITERAL("GET");
    *method_out = method;
    if (is_among(method, methods))
        return MICA_OK;
    method = mica_utf8_cut(method, 40);
    return mica_error_set(error, MICA_E_METHOD, "method",
                          "\"%.*s\" is not carried; use GET, HEAD, POST, PUT, "
                          "PATCH, DELETE or OPTIONS",
                          MICA_ARG(method));
}

static bool
reads_only(struct mica_text method)
{
    return mica_text_is(method, "GET") || mica_text_is(method, "HEAD");
}

// ---- Headers --------------------------------------------------------------------

bool
mica_relay_is_never(struct mica_text name)
{
    static const char *const never[] = {"authorization",
                                        "connection",
                                        "content-encoding",
                                        "content-length",
                                        "cookie",
                                        "cookie2",
                                        "expect",
                                        "forwarded",
                                        "host",
                                        "keep-alive",
                                        "origin",
                                        "referer",
                                        "te",
                                        "trailer",
                                        "transfer-encoding",
                                        "upgrade",
                                        "via",
                                        NULL};
    static const char *const families[] = {"proxy-", "sec-", "x-forwarded-",
                                           "mcp-", NULL};

    for (const char *const *family = families; *family != NULL; family++)
        if (mica_text_starts(name, *family))
            return true;
    return is_among(name, never);
}

// What is always carried: none of it says who asks, or where the request comes from.
static bool
is_relayed(const struct mica_mount *mount, struct mica_text name)
{
    static const char *const always[] = {
        "accept",           "accept-language",
        "cache-control",    "content-language",
        "content-type",     "idempotency-key",
        "if-match",         "if-modified-since",
        "if-none-match",    "if-unmodified-since",
        "mica-asks",        "pragma",
        "prefer",           "traceparent",
        "x-requested-with", NULL};

    return is_among(name, always) ||
           (mount != NULL && is_among(name, mount->headers));
}

bool
mica_relay_add(struct mica_relay_request *request, struct mica_text name,
               struct mica_text value)
{
    if (request->http.header_count >= MICA_RELAY_HEADERS)
        return false;
    request->headers[request->http.header_count++] =
        (struct mica_header){name, value};
    request->http.headers = request->headers;
    return true;
}

void
mica_relay_limit_headers(struct mica_relay_request *request)
{
    size_t kept = 0;

    for (size_t i = 0; i < request->http.header_count; i++) {
        struct mica_header header = request->headers[i];
        if (is_relayed(request->mount, header.name))
            request->headers[kept++] = header;
    }
    request->http.header_count = kept;
}

static bool
is_value(struct mica_text value)
{
    for (size_t i = 0; i < value.len; i++)
        if ((value.ptr[i] < ' ' && value.ptr[i] != '\t') ||
            value.ptr[i] >= 0x7f)
            return false;
    return true;
}

static struct mica_text
name_lower(struct mica_text name, struct mica_arena *arena)
{
    char *lower = mica_arena_zero(arena, name.len + 1, 1); // with its NUL

    for (size_t i = 0; i < name.len && lower != NULL; i++)
        lower[i] = mica_ascii_lower(name.ptr[i]);
    return (struct mica_text){lower, name.len};
}

static enum mica_status
header_refuse(struct mica_error *error, struct mica_text name, const char *why)
{
    name = mica_utf8_cut(name, 80);
    return mica_error_set(error, MICA_E_HEADER, "headers",
                          "the header \"%.*s\" %s", MICA_ARG(name), why);
}

static enum mica_status
header_read(struct mica_relay_request *request,
            const struct mica_json_member *given, struct mica_arena *arena,
            struct mica_error *error)
{
    struct mica_text name = given->name, value = given->value.text, other;

    if (!mica_header_is_token(name))
        return header_refuse(error, name, "has a name that no header has");
    name = name_lower(name, arena);
    if (name.ptr == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "headers",
                              "no memory for the request");
    if (given->value.kind != MICA_JSON_STRING || !is_value(value))
        return header_refuse(error, name,
                             "has a value that is not printable ASCII on one "
                             "line");
    if (mica_relay_is_never(name))
        return header_refuse(error, name,
                             "is never carried: a request of a view has the "
                             "identity of its client");
    if (!is_relayed(request->mount, name))
        return header_refuse(error, name,
                             "is not carried; a mount names further headers "
                             "in .headers");
    if (mica_header_find(&request->http, name.ptr, &other))
        return header_refuse(error, name, "is there twice");
    if (!mica_relay_add(request, name, value))
        return mica_error_set(error, MICA_E_LIMIT, "headers",
                              "the request has more than %d headers",
                              MICA_RELAY_HEADERS);
    return MICA_OK;
}

static enum mica_status
headers_read(struct mica_relay_request *request,
             const struct mica_json *headers, struct mica_arena *arena,
             struct mica_error *error)
{
    size_t bytes = 0;

    for (size_t i = 0; headers != NULL && i < headers->count; i++) {
        const struct mica_json_member *given = &headers->members[i];
        bytes += given->name.len + given->value.text.len;
        if (bytes > MICA_RELAY_HEADER_BYTES)
            return mica_error_set(error, MICA_E_LIMIT, "headers",
                                  "the headers have more than %d bytes",
                                  MICA_RELAY_HEADER_BYTES);
        MICA_TRY(header_read(request, given, arena, error));
    }
    return MICA_OK;
}

// ---- The body -------------------------------------------------------------------

// A form has a boundary that the view cannot know, so its type replaces the view's.
static void
type_set(struct mica_relay_request *request, struct mica_text type)
{
    for (size_t i = 0; i < request->http.header_count; i++)
        if (mica_text_is(request->headers[i].name, "content-type")) {
            request->headers[i].value = type;
            return;
        }
    (void)mica_relay_add(request, MICA_LITERAL("content-type"), type);
}

static enum mica_status
body_read(struct mica_relay_request *request, const struct mica_json *arguments,
          struct mica_arena *arena, struct mica_error *error)
{
    struct mica_text type, given;
    bool is_form;

    MICA_TRY(mica_relay_body(arguments, arena, error, &request->http.body,
                             &type, &is_form));
    if (reads_only(request->http.method) && request->http.body.len > 0)
        return mica_error_set(error, MICA_E_FORMAT, "body",
                              "a request with GET or HEAD has no body");
    if (type.len > 0 &&
        (is_form || !mica_header_find(&request->http, "content-type", &given)))
        type_set(request, type);
    return MICA_OK;
}

// ---- All of it --------------------------------------------------------------------

static enum mica_relay_redirect
redirect_of(const struct mica_json *arguments)
{
    struct mica_text redirect = mica_json_get_text(arguments, "redirect");

    if (mica_text_is(redirect, "error"))
        return MICA_REDIRECT_ERROR;
    return mica_text_is(redirect, "manual") ? MICA_REDIRECT_MANUAL
                                            : MICA_REDIRECT_FOLLOW;
}

enum mica_status
mica_relay_read(const struct mica_relay *relay,
                const struct mica_json *arguments, struct mica_arena *arena,
                struct mica_error *error,
                struct mica_relay_request *request_out)
{
    struct mica_request_path path;

    memset(request_out, 0, sizeof *request_out);
    MICA_TRY(mica_request_path_read(arena, mica_json_get_text(arguments, "url"),
                                    error, &path));
    request_out->http.path = path.path;
    request_out->http.query = path.query;
    request_out->redirect = redirect_of(arguments);
    MICA_TRY(mica_relay_route(relay, request_out, error));
    MICA_TRY(method_read(arguments, error, &request_out->http.method));
    MICA_TRY(headers_read(request_out, mica_json_get(arguments, "headers"),
                          arena, error));
    MICA_TRY(body_read(request_out, arguments, arena, error));
    if (arena->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the request");
    return MICA_OK;
}
