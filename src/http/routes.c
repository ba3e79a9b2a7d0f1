// SPDX-License-Identifier: Apache-2.0
//
// The table of routes. The first row that matches counts, so the most frequent ones come
// first.
#include "http/routes.h"

#include <string.h>

#include "http/app_api.h"
#include "http/app_caller.h"
#include "http/dev_events.h"
#include "http/http.h"
#include "http/http_login.h"
#include "http/http_pages.h"
#include "http/http_sse/http_sse.h"
#include "http/inspect_routes.h"
#include "http/local_client.h"
#include "http/sandbox_page.h"
#include "protocol/base_path.h"
#include "protocol/response_header.h"
#include "publish/published_apps.h"

// ---- Optional routes ------------------------------------------------------------

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
serves_inspection(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->inspection != NULL;
}

static bool
serves_host_page(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->pages && http->host_page != MICA_HOST_PAGE_OFF;
}

static bool
serves_console(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->pages && http->app_api != NULL;
}

static bool
serves_base(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->pages && http->base.stripped.len > 0;
}

static bool
serves_login(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return mica_login_offered(http);
}

static bool
serves_metadata(const struct mica_http *http, struct mica_text path)
{
    return http->auth != NULL && mica_auth_serves(http->auth, path);
}

static bool
serves_app_metadata(const struct mica_http *http, struct mica_text path)
{
    (void)path;
    return http->auth != NULL;
}

// ---- Small answers --------------------------------------------------------------

static enum MHD_Result
answer_metadata(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;
    bool served = mica_auth_describe(exchange->http->auth, &exchange->request,
                                     exchange->own_host != NULL
                                         ? exchange->own_host->origin
                                         : (struct mica_text){NULL, 0},
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
    struct mica_text mcp =
        mica_base_path_text(&exchange->arena, exchange->request.base, "/mcp");

    mica_page_problem(exchange, 404, MICA_E_NOT_FOUND, &response,
                      "there is nothing at this path; the MCP endpoint is %.*s",
                      MICA_ARG(mcp));
    return mica_exchange_send(exchange, &response);
}

// Redirects the base path without a slash to that with one: without it the relative
// addresses of the front page would be wrong.
static enum MHD_Result
answer_base(struct mica_http_exchange *exchange)
{
    const struct mica_http_request *request = &exchange->request;
    struct mica_text location = mica_base_path_text(
        &exchange->arena, request->base, "/%s%.*s",
        request->query.len > 0 ? "?" : "", MICA_ARG(request->query));
    struct mica_http_response response;

    memset(&response, 0, sizeof response);
    response.status = 307;
    mica_response_add(&response, "Location", location);
    mica_response_add(&response, "Cache-Control", MICA_LITERAL("no-store"));
    return mica_exchange_send(exchange, &response);
}

// ---- The table ------------------------------------------------------------------

#define PATH(pathz) .path = (pathz), .length = sizeof(pathz) - 1

static const struct mica_route routes[] = {
    {PATH("/mcp"), .reach = MICA_ROUTE_OF_ENDPOINT, .speaks_mcp = true,
     .surface = "mcp", .answer = mica_answer_message},
    {PATH("/api/apps"), .reach = MICA_ROUTE_UNDER, .entry = MICA_ROUTE_COOKIE,
     .speaks_apps = true, .answer = mica_answer_apps},
    {PATH("/api/collections"), .reach = MICA_ROUTE_UNDER,
     .entry = MICA_ROUTE_COOKIE, .speaks_apps = true,
     .answer = mica_answer_apps},
    {PATH("/api"), .reach = MICA_ROUTE_UNDER | MICA_ROUTE_OF_ENDPOINT,
     .entry = MICA_ROUTE_COOKIE, .serves = serves_rest, .surface = "rest",
     .answer = mica_answer_rest},
    {PATH("/openapi.json"), .reach = MICA_ROUTE_OF_ENDPOINT,
     .entry = MICA_ROUTE_COOKIE, .serves = serves_rest, .surface = "rest",
     .answer = mica_answer_rest},
    {PATH("/ui"), .reach = MICA_ROUTE_UNDER | MICA_ROUTE_OF_APP,
     .entry = MICA_ROUTE_COOKIE, .methods = "GET, HEAD",
     .answer = mica_web_widget},
    {.path = "", // of the app itself
     .reach = MICA_ROUTE_OF_APP,
     .entry = MICA_ROUTE_COOKIE,
     .serves = serves_pages,
     .methods = "GET, HEAD",
     .answer = mica_web_app},
    {PATH("/host"), .reach = MICA_ROUTE_OF_APP | MICA_ROUTE_NOT_AT_HOST,
     .entry = MICA_ROUTE_COOKIE, .serves = serves_pages, .methods = "GET, HEAD",
     .answer = mica_web_app_host},
    {PATH("/host/rpc"), .reach = MICA_ROUTE_OF_APP | MICA_ROUTE_NOT_AT_HOST,
     .entry = MICA_ROUTE_COOKIE, .serves = serves_pages, .methods = "POST",
     .speaks_mcp = true, .surface = "mcp", .answer = mica_answer_message},
    {PATH("/host/form"), .reach = MICA_ROUTE_OF_APP | MICA_ROUTE_NOT_AT_HOST,
     .entry = MICA_ROUTE_COOKIE, .serves = serves_pages, .methods = "POST",
     .answer = mica_web_form},
    {PATH("/host/sandbox"), .reach = MICA_ROUTE_OF_APP | MICA_ROUTE_NOT_AT_HOST,
     .entry = MICA_ROUTE_COOKIE, .serves = serves_pages, .methods = "GET, HEAD",
     .answer = mica_sandbox_answer_below},
    {PATH("/sse"), .reach = MICA_ROUTE_OF_ENDPOINT, .serves = serves_http_sse,
     .surface = "sse", .answer = mica_http_sse_answer},
    {PATH("/messages"), .reach = MICA_ROUTE_OF_ENDPOINT,
     .serves = serves_http_sse, .surface = "sse",
     .answer = mica_http_sse_answer},
    {.entry = MICA_ROUTE_OPEN,
     .serves = serves_metadata,
     .answer = answer_metadata},
    {PATH("/.well-known/oauth-protected-resource"), .reach = MICA_ROUTE_OF_HOST,
     .entry = MICA_ROUTE_OPEN, .serves = serves_app_metadata,
     .answer = answer_metadata},
    {PATH("/.well-known/oauth-protected-resource/mcp"),
     .reach = MICA_ROUTE_OF_HOST, .entry = MICA_ROUTE_OPEN,
     .serves = serves_app_metadata, .answer = answer_metadata},
    {PATH("/healthz"), .entry = MICA_ROUTE_OPEN, .methods = "GET, HEAD",
     .answer = answer_health},
    {PATH("/"), .entry = MICA_ROUTE_COOKIE, .serves = serves_pages,
     .methods = "GET, HEAD", .answer = mica_web_catalog},
    {PATH("/tools"), .reach = MICA_ROUTE_UNDER, .serves = serves_pages,
     .entry = MICA_ROUTE_COOKIE, .methods = "GET, HEAD",
     .answer = mica_web_tool},
    {PATH("/engines"), .reach = MICA_ROUTE_UNDER, .serves = serves_pages,
     .entry = MICA_ROUTE_COOKIE, .methods = "GET, HEAD",
     .answer = mica_web_engine},
    {PATH("/calls"), .reach = MICA_ROUTE_UNDER, .serves = serves_calls,
     .entry = MICA_ROUTE_COOKIE, .methods = "GET, HEAD",
     .answer = mica_web_call},
    {PATH("/web/form"), .entry = MICA_ROUTE_COOKIE, .serves = serves_pages,
     .methods = "POST", .answer = mica_web_form},
    {PATH("/web"), .reach = MICA_ROUTE_UNDER | MICA_ROUTE_AT_HOST,
     .serves = serves_pages, .entry = MICA_ROUTE_STYLE, .methods = "GET, HEAD",
     .answer = mica_web_asset},
    {PATH("/favicon.ico"), .reach = MICA_ROUTE_AT_HOST, .serves = serves_pages,
     .entry = MICA_ROUTE_STYLE, .methods = "GET, HEAD",
     .answer = mica_web_icon},
    {PATH("/sw.js"), .serves = serves_pages, .entry = MICA_ROUTE_STYLE,
     .methods = "GET, HEAD", .answer = mica_web_worker},
    {PATH("/login"), .entry = MICA_ROUTE_OPEN, .serves = serves_login,
     .methods = "GET", .answer = mica_answer_login},
    {PATH("/login/callback"), .entry = MICA_ROUTE_OPEN, .serves = serves_login,
     .methods = "GET", .answer = mica_answer_callback},
    {PATH("/logout"), .entry = MICA_ROUTE_OPEN, .serves = serves_login,
     .methods = "POST", .answer = mica_answer_logout},
    {.path = "", // the base path itself
     .entry = MICA_ROUTE_COOKIE,
     .serves = serves_base,
     .methods = "GET, HEAD",
     .answer = answer_base},
    {PATH("/dev/state"), .entry = MICA_ROUTE_COOKIE, .serves = serves_sources,
     .methods = "GET, HEAD", .answer = mica_dev_answer_state},
    {PATH("/dev/events"), .entry = MICA_ROUTE_COOKIE, .serves = serves_sources,
     .methods = "GET", .answer = mica_dev_answer_events},
    {PATH("/host"), .entry = MICA_ROUTE_COOKIE, .serves = serves_host_page,
     .methods = "GET, HEAD", .answer = mica_web_host},
    {PATH("/host/rpc"), .entry = MICA_ROUTE_COOKIE, .serves = serves_host_page,
     .methods = "POST", .speaks_mcp = true, .surface = "mcp",
     .answer = mica_answer_message},
    {PATH("/console"), .reach = MICA_ROUTE_UNDER, .entry = MICA_ROUTE_COOKIE,
     .serves = serves_console, .methods = "GET, HEAD",
     .answer = mica_web_console},
    {PATH("/inspect"), .entry = MICA_ROUTE_COOKIE, .serves = serves_inspection,
     .methods = "GET, HEAD", .answer = mica_inspect_page},
    {PATH("/inspect/exchanges"), .reach = MICA_ROUTE_UNDER,
     .entry = MICA_ROUTE_COOKIE, .serves = serves_inspection,
     .methods = "GET, HEAD", .answer = mica_inspect_exchanges},
    {PATH("/inspect/events"), .entry = MICA_ROUTE_COOKIE,
     .serves = serves_inspection, .methods = "GET",
     .answer = mica_inspect_events},
};

static const struct mica_route nothing = {.entry = MICA_ROUTE_COOKIE,
                                          .answer = answer_nothing};

static bool
route_fits(const struct mica_route *route, struct mica_text path)
{
    size_t length = route->length;

    if (route->path == NULL)
        return true;
    if (path.len < length || memcmp(path.ptr, route->path, length) != 0)
        return false;
    return path.len == length ||
           ((route->reach & MICA_ROUTE_UNDER) != 0 && path.ptr[length] == '/');
}

// Below what a path lies, in terms of `reach`: OF_SERVER is the server itself.
enum scope {
    OF_SERVER = 0,
    OF_ENDPOINT = MICA_ROUTE_OF_ENDPOINT,
    OF_APP = MICA_ROUTE_OF_ENDPOINT | MICA_ROUTE_OF_APP,
    OF_HOST = MICA_ROUTE_OF_HOST | MICA_ROUTE_AT_HOST
};

// Is it a route of the server itself?
static bool
route_is_own(const struct mica_route *route)
{
    return (route->reach & (MICA_ROUTE_OF_APP | MICA_ROUTE_OF_HOST)) == 0;
}

static bool
route_is_in(const struct mica_route *route, enum scope scope)
{
    return scope == OF_SERVER ? route_is_own(route)
                              : (route->reach & (unsigned)scope) != 0;
}

// Finds the first route that matches, or NULL.
static const struct mica_route *
route_find(const struct mica_http *http, struct mica_text path,
           enum scope scope)
{
    for (size_t i = 0; i < MICA_COUNT(routes); i++) {
        const struct mica_route *route = &routes[i];
        if (route_fits(route, path) && route_is_in(route, scope) &&
            (route->serves == NULL || route->serves(http, path)))
            return route;
    }
    return NULL;
}

// Moves the path of an endpoint from the path of the request to its base path; at a host
// name of its own the endpoint is the root.
static void
move_to_base(struct mica_http_exchange *exchange, struct mica_text own,
             struct mica_text below)
{
    if (exchange->own_host == NULL)
        exchange->request.base =
            mica_base_path_below(&exchange->arena, exchange->request.base, own);
    exchange->request.path = below;
}

// Asks the source for an endpoint that is not in the registry. A path below it that no
// route has is nothing, whether the endpoint is there or not.
static void
find_at_source(struct mica_http_exchange *exchange)
{
    const struct mica_registry *registry = &exchange->http->server->registry;
    struct mica_text path = exchange->whole_path, own, below;
    const struct mica_route *route;
    enum mica_source_finding finding;

    if (registry->source == NULL)
        return;
    finding = registry->source->look(registry->source_data, path, &own);
    if (finding == MICA_SOURCE_OTHER)
        return;
    below = mica_text_slice(path, own.len, path.len);
    route = route_find(exchange->http, below, OF_APP);
    if (route == NULL)
        return;
    exchange->route = route;
    exchange->place =
        finding == MICA_SOURCE_ABSENT ? MICA_PLACE_ABSENT : MICA_PLACE_UNLOADED;
    exchange->own_path = own;
    move_to_base(exchange, own, below);
}

// Goes to an endpoint of the registry, if it has a route for the path below it.
static void
find_below(struct mica_http_exchange *exchange, struct mica_endpoint *endpoint,
           struct mica_text below)
{
    const struct mica_route *route = route_find(
        exchange->http, below, endpoint->source != NULL ? OF_APP : OF_ENDPOINT);

    // [HOSTNAME-1]: a program may have an endpoint below the path of an app.
    if (route == NULL ||
        (exchange->own_host != NULL &&
         endpoint->path.len !=
             sizeof MICA_APPS_PATH + exchange->own_host->slug.len)) {
        mica_endpoint_drop(endpoint);
        return;
    }
    exchange->route = route;
    exchange->held = endpoint;
    exchange->endpoint = endpoint->key;
    move_to_base(exchange, endpoint->path, below);
}

// Browsers ask without a token whether they may ask (OPTIONS). What they hear must tell
// neither which endpoints there are nor whose scopes they need, so it is that of the server
// itself, and the source is not asked.
static void
forget_endpoint(struct mica_http_exchange *exchange)
{
    mica_endpoint_drop(exchange->held);
    exchange->held = NULL;
    exchange->endpoint = (struct mica_text){NULL, 0};
    exchange->place = MICA_PLACE_FOUND;
}

static void
find_in_registry(struct mica_http_exchange *exchange)
{
    struct mica_text below;
    struct mica_endpoint *endpoint = mica_registry_endpoint_above(
        &exchange->http->server->registry, exchange->whole_path, &below);

    if (endpoint != NULL)
        find_below(exchange, endpoint, below);
}

// The path of the app of the host name, and below it the path that was asked for: of the
// page of the app that is nothing. Empty for want of memory.
static struct mica_text
path_at_host(struct mica_http_exchange *exchange, struct mica_text below)
{
    return mica_base_path_text(&exchange->arena, mica_text(MICA_APPS_PATH "/"),
                               "%.*s%.*s", MICA_ARG(exchange->own_host->slug),
                               MICA_ARG(below));
}

// Resolves a request at a host name of an app below the path of that app [HOSTNAME-1]. What
// is nothing there needs no token, so that it tells nothing of the server.
static void
find_at_host(struct mica_http_exchange *exchange)
{
    static const struct mica_route missing = {.entry = MICA_ROUTE_OPEN,
                                              .answer = answer_nothing};
    struct mica_text path = exchange->request.path, below = path;
    const struct mica_route *route;

    exchange->route = route_find(exchange->http, path, OF_HOST);
    if (exchange->route != NULL)
        return;
    if (mica_text_is(path, "/"))
        below.len = 0;
    exchange->route = &nothing;
    route = route_find(exchange->http, below, OF_APP);
    // Without a slash first the path would continue the slug, which is then another one.
    if (mica_text_starts(path, "/") && route != NULL &&
        (route->reach & MICA_ROUTE_NOT_AT_HOST) == 0) {
        exchange->whole_path = path_at_host(exchange, below);
        find_in_registry(exchange);
        if (exchange->route == &nothing)
            find_at_source(exchange);
    }
    if (exchange->route == &nothing)
        exchange->route = &missing;
}

// Searches the server's own paths first, so that no endpoint hides one of them.
static void
find_at_server(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;

    exchange->route = route_find(http, exchange->request.path, OF_SERVER);
    if (exchange->route != NULL)
        return;
    exchange->route = &nothing;
    mica_app_api_enter(http, exchange->request.path);
    find_in_registry(exchange);
    if (exchange->route == &nothing)
        find_at_source(exchange);
}

bool
mica_route_find(struct mica_http_exchange *exchange)
{
    struct mica_http_request *request = &exchange->request;

    exchange->endpoint = (struct mica_text){NULL, 0};
    exchange->whole_path = exchange->asked_path = request->path;
    if (exchange->own_host != NULL)
        find_at_host(exchange);
    else
        find_at_server(exchange);
    if (mica_text_is(request->method, "OPTIONS"))
        forget_endpoint(exchange);
    return !exchange->arena.overflow;
}

const char *
mica_route_path(size_t row)
{
    if (row >= MICA_COUNT(routes))
        return NULL;
    return routes[row].path != NULL && route_is_own(&routes[row])
               ? routes[row].path
               : "";
}

// ---- The base path --------------------------------------------------------------

// The first segment of a path, with the slash before it.
static struct mica_text
first_segment(struct mica_text path)
{
    size_t end = 1;

    while (end < path.len && path.ptr[end] != '/')
        end++;
    return mica_text_slice(path, 0, end);
}

static bool
is_own(struct mica_text segment)
{
    if (mica_text_is(segment, "/.well-known") ||
        mica_text_is(segment, MICA_BUILDER_PATH))
        return true;
    for (size_t i = 0; i < MICA_COUNT(routes); i++) {
        if (routes[i].path != NULL && routes[i].path[0] != '\0' &&
            route_is_own(&routes[i]) &&
            mica_text_equal(segment, first_segment(mica_text(routes[i].path))))
            return true;
    }
    return false;
}

static enum mica_status
refuse_base(struct mica_text base, struct mica_text own, const char *what,
            struct mica_error *error)
{
    return mica_error_set(error, MICA_E_USAGE, "",
                          "the base path \"%.*s\" lies at %.*s, %s; requests "
                          "for the two could not be told apart, so take "
                          "another one",
                          MICA_ARG(base), MICA_ARG(own), what);
}

// Refuses a base path at one of the server's own paths. /tools and /api have the names of
// tools below them: such a base path is refused only if a tool has its name.
static enum mica_status
check_own(struct mica_server *server, struct mica_text base,
          struct mica_error *error)
{
    struct mica_text first = first_segment(base), rest, second;
    struct mica_catalog *catalog;
    bool named;

    if (base.len == 0 || !is_own(first))
        return MICA_OK;
    rest = mica_text_slice(base, first.len, base.len);
    second = first_segment(rest);
    if (rest.len == 0 ||
        !(mica_text_is(first, "/tools") || mica_text_is(first, "/api")) ||
        mica_text_is(second, "/apps") || mica_text_is(second, "/calls") ||
        mica_text_is(second, "/errors"))
        return refuse_base(base, first, "which is the server's own", error);
    catalog = mica_registry_catalog(&server->registry);
    named = mica_catalog_find(catalog, MICA_DEFINITION_TOOL,
                              mica_text_slice(second, 1, second.len)) != NULL;
    mica_catalog_drop(catalog);
    return named ? refuse_base(base, base, "which is a tool's", error)
                 : MICA_OK;
}

enum mica_status
mica_route_check_base(struct mica_server *server, struct mica_text base,
                      struct mica_error *error)
{
    MICA_TRY(check_own(server, base, error));
    MICA_TRY(mica_registry_reserve(&server->registry, base, error));
    // Below it no app could be served. A base path below that hides the app of one slug,
    // which the registry refuses when it is loaded.
    if (!mica_text_is(base, MICA_APPS_PATH))
        return MICA_OK;
    mica_registry_release(&server->registry);
    return refuse_base(base, base, "where published apps are", error);
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
    mica_response_add(&response, "Allow", mica_text(methods));
    return mica_exchange_send(exchange, &response);
}

enum MHD_Result
mica_route_answer(struct mica_http_exchange *exchange)
{
    const struct mica_route *route = exchange->route;
    enum MHD_Result result;

    if (exchange->place != MICA_PLACE_FOUND)
        return mica_exchange_load(exchange);
    if (!mica_exchange_may_use(exchange, &result))
        return result;
    if (mica_text_is(exchange->endpoint, MICA_BUILDER_KEY) &&
        !mica_exchange_may_edit_apps(exchange))
        return mica_exchange_refuse(exchange, 404, MICA_E_APP,
                                    MICA_APP_API_UNREACHED);
    if (route->methods != NULL &&
        !is_listed(exchange->request.method, route->methods))
        return refuse_method(exchange);
    if (!mica_app_api_admits(exchange))
        return mica_exchange_refuse(exchange, 403, MICA_E_CROSS_SITE,
                                    "only pages of this server, and programs, "
                                    "change apps (Origin, Sec-Fetch-Site)");
    return route->answer(exchange);
}
