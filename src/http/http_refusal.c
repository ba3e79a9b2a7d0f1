// SPDX-License-Identifier: Apache-2.0
//
// A refusal as a page: a person who opens an address reads plain text, and a program gets
// the problem document. Also the data of the server that all pages show.
#include "http/http_refusal.h"

#include "http/http.h"
#include "http/http_login.h"
#include "http/local_client.h"
#include "http/sandbox_name.h"
#include "protocol/accept.h"
#include "protocol/response_header.h"
#include "server/call_rules.h"
#include "server/message.h"

enum {
    PAGE_BYTES = 1 << 20
};

// ---- The server --------------------------------------------------------------------

// The relative address of "/" from the page: a "../" for each "/" in its path but the
// first. The path of an app is part of it.
static struct mica_text
root_of(struct mica_http_exchange *exchange)
{
    struct mica_text path = exchange->whole_path;
    struct mica_buffer root;

    if (exchange->own_host != NULL) // whose path is not part of the address
        path = exchange->request.path;
    mica_buffer_init(&root, &exchange->arena, 3 * path.len);
    for (size_t i = 1; i < path.len; i++)
        if (path.ptr[i] == '/')
            mica_buffer_text(&root, MICA_LITERAL("../"));
    return root.len > 0 ? mica_buffer_as_text(&root) : MICA_LITERAL("./");
}

// The first icon that the policy of pages allows.
static struct mica_text
icon_of(const struct mica_server_options *options)
{
    for (size_t i = 0; i < options->icon_count; i++) {
        struct mica_text src = mica_text(options->icons[i].src);
        if (mica_text_starts(src, "data:image/"))
            return src;
    }
    return (struct mica_text){NULL, 0};
}

// Only http and https: an address of another scheme could run a script.
static struct mica_text
website_of(const struct mica_server_options *options)
{
    struct mica_text url =
        mica_text(options->website_url != NULL ? options->website_url : "");
    return mica_text_starts(url, "https://") || mica_text_starts(url, "http://")
               ? url
               : (struct mica_text){NULL, 0};
}

struct mica_site
mica_web_site(struct mica_http_exchange *exchange)
{
    const struct mica_server_options *options =
        &exchange->http->server->options;

    const struct mica_development *development =
        exchange->http->server->development;
    const struct mica_http_request *request = &exchange->request;
    struct mica_text endpoint = {NULL, 0}, port;

    if (request->origin.len > 0)
        endpoint = mica_base_path_text(&exchange->arena, request->origin,
                                       "%.*s/mcp", MICA_ARG(request->base));
    struct mica_text logout = {NULL, 0};
    if (exchange->person.len > 0)
        logout = mica_base_path_text(
            &exchange->arena, mica_login_site(exchange->http->auth)->base,
            "/logout");
    // Read the revision before the catalog: a page may be newer than it says, never
    // older.
    return (struct mica_site){
        .develops = development != NULL,
        .revision =
            development != NULL ? development->revision(development->data) : 0,
        .namez = options->name,
        .versionz = options->version,
        .icon = icon_of(options),
        .website = website_of(options),
        .titlez = options->title != NULL ? options->title : options->name,
        .descriptionz = options->description,
        .host = exchange->host,
        .endpoint = endpoint,
        .base = request->base,
        .root = root_of(exchange),
        .person = exchange->person,
        .logout = logout,
        .rest = exchange->http->rest,
        .consolez = exchange->http->pages && exchange->own_host == NULL &&
                            mica_exchange_may_edit_apps(exchange)
                        ? "console"
                        : NULL,
        .host_pagez = exchange->http->pages && exchange->own_host == NULL &&
                              mica_sandbox_admits(exchange, &port)
                          ? "host"
                          : NULL};
}

struct mica_catalog *
mica_web_catalog_of(const struct mica_http_exchange *exchange)
{
    struct mica_server *server = exchange->http->server;

    return mica_rules_view(
        server,
        exchange->http->auth != NULL ? &exchange->principal.party : NULL,
        mica_registry_catalog(&server->registry));
}

// ---- Refusals ----------------------------------------------------------------------

// Does a browser open an address? Then Accept has both text/html and */*. Programs and
// scripts do not send both.
static bool
wants_page(const struct mica_http_exchange *exchange)
{
    const struct mica_http_request *request = &exchange->request;
    static const unsigned browser = MICA_MEDIA_HTML | MICA_MEDIA_ANY;

    // The frame of a view shows a refusal as it is: no frame shows a page of mica. A
    // page of the server has no place at the host name of an app [HOSTNAME-1].
    if (!exchange->http->pages || exchange->own_host != NULL ||
        (exchange->route != NULL &&
         (exchange->route->reach & MICA_ROUTE_OF_SANDBOX) != 0) ||
        !(mica_text_is(request->method, "GET") ||
          mica_text_is(request->method, "HEAD")))
        return false;
    return (mica_accept_request(request) & browser) == browser;
}

// Reads the code and the text of a refusal, from a problem document or an error of
// JSON-RPC. Returns false if it is neither.
static bool
refusal_read(struct mica_http_exchange *exchange,
             const struct mica_http_response *response,
             struct mica_page_refusal *refusal_out)
{
    struct mica_json value;
    const struct mica_json *error, *data;

    *refusal_out = (struct mica_page_refusal){
        .status = response->status, .path = mica_exchange_path(exchange)};
    if (response->status < 400 || response->body.len == 0 ||
        mica_json_read(&exchange->arena, response->body, NULL, NULL, &value) !=
            MICA_OK)
        return false;
    error = mica_json_get(&value, "error");
    data = error != NULL ? mica_json_get(error, "data") : &value;
    refusal_out->detail = error != NULL && error->kind == MICA_JSON_OBJECT
                              ? mica_json_get_text(error, "message")
                              : mica_json_get_text(&value, "detail");
    refusal_out->code = mica_json_get_text(data, "code");
    if (refusal_out->code.len == 0 && error != NULL) // of the contract of apps
        refusal_out->code = mica_json_get_text(error, "code");
    return refusal_out->detail.len > 0;
}

// Finds the tool whose name is most like the one after "/tools/", or NULL.
static const struct mica_definition *
nearest_tool(const struct mica_catalog *catalog, struct mica_text path)
{
    static const char folder[] = "/tools/";

    return mica_text_starts(path, folder)
               ? mica_catalog_nearest(
                     catalog, MICA_DEFINITION_TOOL,
                     mica_text_slice(path, sizeof folder - 1, path.len))
               : NULL;
}

void
mica_web_refuse(struct mica_http_exchange *exchange,
                struct mica_http_response *response)
{
    struct mica_page_refusal refusal;
    struct mica_catalog *catalog;
    struct mica_buffer page, policy;
    struct mica_site site;

    if (!wants_page(exchange) || !refusal_read(exchange, response, &refusal) ||
        response->header_count + 3 > MICA_COUNT(response->headers))
        return;
    site = mica_web_site(exchange);
    catalog = mica_web_catalog_of(exchange);
    if (refusal.status == 404) // a caller that may not look is told of no tool
        refusal.nearest = nearest_tool(catalog, exchange->request.path);
    if (exchange->person.len == 0)
        refusal.sign_in = mica_login_address(exchange);
    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    mica_page_refuse(&site, &refusal, &page);
    mica_catalog_drop(catalog);
    mica_buffer_init(&policy, &exchange->arena, PAGE_BYTES);
    mica_page_policy(&policy);
    if (page.overflow || policy.overflow)
        return; // leave the problem document
    response->body = mica_buffer_as_text(&page);
    for (size_t i = 0; i < response->header_count; i++)
        if (mica_text_is(response->headers[i].name, "Content-Type"))
            response->headers[i].value =
                MICA_LITERAL("text/html; charset=utf-8");
    mica_response_add(response, "Content-Security-Policy",
                      mica_buffer_as_text(&policy));
    mica_response_add(response, "Referrer-Policy",
                      exchange->person.len > 0 ? MICA_LITERAL("same-origin")
                                               : MICA_LITERAL("no-referrer"));
    mica_response_add(response, "Vary", MICA_LITERAL("Accept"));
}
