// SPDX-License-Identifier: Apache-2.0
//
// The table of routes. The first row that fits is taken, so what is asked for
// most stands first.
#include "http/routes.h"

#include <string.h>

#include "http/dev_events.h"
#include "http/http.h"
#include "http/http_pages.h"
#include "http/http_sse/http_sse.h"

// ---- What is not always there ---------------------------------------------------

static bool
serves_http_sse(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->http_sse != NULL;
}

static bool
serves_rest(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->rest;
}

static bool
serves_pages(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->pages;
}

static bool
serves_calls(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->pages && http->rest;
}

static bool
serves_sources(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->pages && http->server->development != NULL;
}

static bool
serves_metadata(const struct mica_http *http, struct mica_text path)
{
    return http->auth != NULL && mica_auth_serves(http->auth, path);
}

// ---- Small answers --------------------------------------------------------------

static enum MHD_Result
answer_metadata(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;
    bool served = mica_auth_describe(exchange->http->auth, &exchange->request,
                                     &exchange->arena, &response);

    return served ? mica_exchange_send(exchange, &response) : MHD_NO;
}

static enum MHD_Result
answer_health(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;

    mica_page_health(exchange, &response);
    return mica_exchange_send(exchange, &response);
}

static enum MHD_Result
answer_nothing(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;

    mica_page_problem(
        exchange, 404, MICA_E_NOT_FOUND, &response,
        "there is nothing at this path; the MCP endpoint is /mcp");
    return mica_exchange_send(exchange, &response);
}

// ---- The table ------------------------------------------------------------------

static const struct mica_route routes[] = {
    {.path = "/mcp", .speaks_mcp = true, .answer = mica_answer_message},
    {.path = "/api",
     .under = true,
     .serves = serves_rest,
     .answer = mica_answer_rest},
    {.path = "/openapi.json",
     .serves = serves_rest,
     .answer = mica_answer_rest},
    {.path = "/sse", .serves = serves_http_sse, .answer = mica_http_sse_answer},
    {.path = "/messages",
     .serves = serves_http_sse,
     .answer = mica_http_sse_answer},
    {.open = true, .serves = serves_metadata, .answer = answer_metadata},
    {.path = "/healthz",
     .open = true,
     .methods = "GET, HEAD",
     .answer = answer_health},
    {.path = "/",
     .serves = serves_pages,
     .methods = "GET, HEAD",
     .answer = mica_web_catalogue},
    {.path = "/tools",
     .under = true,
     .serves = serves_pages,
     .methods = "GET, HEAD",
     .answer = mica_web_tool},
    {.path = "/engines",
     .under = true,
     .serves = serves_pages,
     .methods = "GET, HEAD",
     .answer = mica_web_engine},
    {.path = "/calls",
     .under = true,
     .serves = serves_calls,
     .methods = "GET, HEAD",
     .answer = mica_web_call},
    {.path = "/web/form",
     .serves = serves_pages,
     .methods = "POST",
     .answer = mica_web_form},
    {.path = "/web",
     .under = true,
     .serves = serves_pages,
     .methods = "GET, HEAD",
     .answer = mica_web_asset},
    {.path = "/favicon.ico",
     .serves = serves_pages,
     .methods = "GET, HEAD",
     .answer = mica_web_icon},
    {.path = "/sw.js",
     .serves = serves_pages,
     .methods = "GET, HEAD",
     .answer = mica_web_worker},
    {.path = "/dev/state",
     .serves = serves_sources,
     .methods = "GET, HEAD",
     .answer = mica_follow_state},
    {.path = "/dev/events",
     .serves = serves_sources,
     .methods = "GET",
     .answer = mica_follow_answer},
};

static const struct mica_route nothing = {.answer = answer_nothing};

static bool
fits(const struct mica_route *route, struct mica_text path)
{
    size_t length;

    if (route->path == NULL)
        return true;
    length = strlen(route->path);
    if (path.len < length || memcmp(path.ptr, route->path, length) != 0)
        return false;
    return path.len == length || (route->under && path.ptr[length] == '/');
}

const struct mica_route *
mica_route_find(const struct mica_http *http, struct mica_text path)
{
    for (size_t i = 0; i < MICA_COUNT(routes); i++) {
        const struct mica_route *route = &routes[i];
        if (fits(route, path) &&
            (route->serves == NULL || route->serves(http, path)))
            return route;
    }
    return &nothing;
}

// ---- Methods --------------------------------------------------------------------

static bool
is_listed(struct mica_text method, const char *methods)
{
    struct mica_text list = mica_text(methods);

    for (size_t begin = 0; begin <= list.len;) {
        size_t end = begin;
        while (end < list.len && list.ptr[end] != ',')
            end++;
        if (mica_text_equal(mica_text_slice(list, begin, end), method))
            return true;
        begin = end + 2; // ", "
    }
    return false;
}

static enum MHD_Result
refuse_method(struct mica_http_exchange *exchange)
{
    const char *methods = exchange->route->methods;
    const char *comma = strchr(methods, ',');
    struct mica_http_response response;

    if (comma != NULL && strchr(comma + 1, ',') == NULL)
        mica_page_problem(exchange, 405, MICA_E_METHOD, &response,
                          "%.*s answers %.*s and%s only",
                          MICA_ARG(mica_exchange_path(exchange)),
                          (int)(comma - methods), methods, comma + 1);
    else
        mica_page_problem(exchange, 405, MICA_E_METHOD, &response,
                          "%.*s answers %s only",
                          MICA_ARG(mica_exchange_path(exchange)), methods);
    response.headers[response.header_count++] =
        (struct mica_header){MICA_LITERAL("Allow"), mica_text(methods)};
    return mica_exchange_send(exchange, &response);
}

enum MHD_Result
mica_route_answer(struct mica_http_exchange *exchange)
{
    const struct mica_route *route = exchange->route;

    if (route->methods != NULL &&
        !is_listed(exchange->request.method, route->methods))
        return refuse_method(exchange);
    return route->answer(exchange);
}
