// SPDX-License-Identifier: Apache-2.0
//
// Runs on the I/O thread. The policy is a header, as the document of a view could remove
// a <meta>; the view's frame inherits it.
#include "http/sandbox_page.h"

#include <string.h>

#include "http/http.h"
#include "http/sandbox_name.h"
#include "page/assets.h"
#include "protocol/header_value.h"
#include "protocol/response_header.h"
#include "rest/query.h"
#include "view/csp.h"

enum {
    PAGE_BYTES = 64 << 10,
    HEADER_BYTES = MICA_CSP_BYTES + 256,
    ORIGINS = MICA_HTTP_HOSTS + 2
};

// ---- The policy ------------------------------------------------------------------

// What the query says.
struct sandbox_query {
    struct mica_csp csp; // csp=JSON: what the view declares
    struct mica_text
        view; // of a proxy: the name where the document of its view is
    struct mica_text proxy; // of such a document: the name of its proxy
};

static enum mica_status
read_label(struct mica_text value, struct mica_error *error,
           struct mica_text *label_out)
{
    if (!mica_sandbox_is_label(value))
        return mica_error_set(error, MICA_E_FORMAT, NULL,
                              "view and proxy are names of sandboxes: %d to %d "
                              "of a-z, 0-9 and -",
                              MICA_SANDBOX_LABEL_LEAST,
                              MICA_SANDBOX_LABEL_MOST);
    *label_out = value;
    return MICA_OK;
}

static enum mica_status
read_query(struct mica_http_exchange *exchange, struct mica_error *error,
           struct sandbox_query *query_out)
{
    struct mica_arena *arena = &exchange->arena;
    struct mica_query query;

    memset(query_out, 0, sizeof *query_out);
    MICA_TRY(mica_query_read(arena, exchange->request.query, error, &query));
    for (size_t i = 0; i < query.count; i++) {
        struct mica_text name = query.pairs[i].name;
        struct mica_text value = query.pairs[i].value;
        if (mica_text_is(name, "csp"))
            MICA_TRY(mica_csp_read(arena, value, error, &query_out->csp));
        else if (mica_text_is(name, "view"))
            MICA_TRY(read_label(value, error, &query_out->view));
        else if (mica_text_is(name, "proxy"))
            MICA_TRY(read_label(value, error, &query_out->proxy));
    }
    return MICA_OK;
}

// What views must not reach: this server, under each name that it answers to.
static size_t
own_origins(struct mica_http_exchange *exchange, struct mica_text port,
            struct mica_text origins[ORIGINS])
{
    const struct mica_http *http = exchange->http;
    static const struct mica_text none = {NULL, 0};
    size_t count = 0;

    origins[count++] = mica_base_path_text(
        &exchange->arena, none, "http://127.0.0.1%.*s", MICA_ARG(port));
    if (http->base.origin.len > 0)
        origins[count++] = http->base.origin;
    for (size_t i = 0; http->hosts[i] != NULL && count < ORIGINS; i++)
        origins[count++] = mica_base_path_text(&exchange->arena, none,
                                               "https://%s", http->hosts[i]);
    return count;
}

// Where the document is: below "localhost" on an origin of its own, or at the server's.
enum place {
    PLACE_LOCALHOST,
    PLACE_SERVER
};

// The policy of a proxy whose view has a name of its own: it shows that one frame.
static void
write_proxy_policy(const struct sandbox_query *query, struct mica_text port,
                   struct mica_buffer *out)
{
    mica_buffer_format(out,
                       "default-src 'none'; script-src 'unsafe-inline'; "
                       "style-src 'unsafe-inline'; frame-src "
                       "http://%.*s.localhost%.*s; base-uri 'none'; "
                       "form-action 'none'",
                       MICA_ARG(query->view), MICA_ARG(port));
}

// A second policy: which pages may embed the sandbox.
static void
write_ancestors(const struct sandbox_query *query, enum place place,
                struct mica_text port, struct mica_buffer *out)
{
    if (place == PLACE_SERVER) {
        mica_buffer_text(out, MICA_LITERAL(", frame-ancestors 'self'"));
        return;
    }
    mica_buffer_format(
        out, ", frame-ancestors http://localhost%.*s http://127.0.0.1%.*s",
        MICA_ARG(port), MICA_ARG(port));
    if (query->proxy.len > 0)
        mica_buffer_format(out, " http://%.*s.localhost%.*s",
                           MICA_ARG(query->proxy), MICA_ARG(port));
}

static enum mica_status
write_policy(struct mica_http_exchange *exchange, enum place place,
             const struct sandbox_query *query, struct mica_buffer *out,
             struct mica_error *error)
{
    struct mica_text origins[ORIGINS];
    struct mica_csp_host host = {.origins = origins,
                                 .development = place == PLACE_LOCALHOST};
    struct mica_text name = mica_header_trim(exchange->host);
    struct mica_text port = mica_sandbox_split_port(&name);

    host.origin_count = own_origins(exchange, port, origins);
    if (place ==
        PLACE_SERVER) // frames of the document have no more than it has
        mica_buffer_text(out,
                         MICA_LITERAL("sandbox allow-scripts allow-forms; "));
    if (place == PLACE_LOCALHOST && query->view.len > 0)
        write_proxy_policy(query, port, out);
    else
        MICA_TRY(mica_csp_write(&query->csp, &host, out, error));
    write_ancestors(query, place, port, out);
    if (out->overflow || exchange->arena.overflow)
        return mica_error_set(error, MICA_E_LIMIT, NULL,
                              "there is no memory for the policy");
    return MICA_OK;
}

// ---- The document ----------------------------------------------------------------

static struct mica_text
sandbox_asset(const char *namez)
{
    return mica_asset_find(&mica_sandbox_assets, mica_text(namez))->bytes;
}

// The document, with the script in its place.
static void
write_page(const char *scriptz, struct mica_buffer *out)
{
    static const struct mica_text place = {"@SCRIPT@", 8};
    struct mica_text page = sandbox_asset("proxy.html");
    size_t at = 0;

    while (at + place.len < page.len &&
           memcmp(page.ptr + at, place.ptr, place.len) != 0)
        at++;
    mica_buffer_text(out, mica_text_slice(page, 0, at));
    mica_buffer_text(out, sandbox_asset(scriptz));
    mica_buffer_text(out, mica_text_slice(page, at + place.len, page.len));
}

static enum MHD_Result
sandbox_send(struct mica_http_exchange *exchange, enum place place)
{
    struct mica_http_response response = {.status = 200};
    struct mica_buffer policy, page;
    struct sandbox_query query;
    struct mica_error error;

    mica_buffer_init(&policy, &exchange->arena, HEADER_BYTES);
    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    if (read_query(exchange, &error, &query) != MICA_OK ||
        write_policy(exchange, place, &query, &policy, &error) != MICA_OK) {
        mica_page_problem(exchange, 400, error.status, &response, "%s",
                          error.message);
        return mica_exchange_send(exchange, &response);
    }
    write_page(place == PLACE_LOCALHOST && query.proxy.len > 0 ? "view_place.js"
                                                               : "proxy.js",
               &page);
    mica_response_add(&response, "Content-Type",
                      MICA_LITERAL("text/html; charset=utf-8"));
    mica_response_add(&response, "Cache-Control", MICA_LITERAL("no-store"));
    mica_response_add(&response, "X-Content-Type-Options",
                      MICA_LITERAL("nosniff"));
    mica_response_add(&response, "Referrer-Policy",
                      MICA_LITERAL("no-referrer"));
    mica_response_add(&response, "Content-Security-Policy",
                      mica_buffer_as_text(&policy));
    response.body = mica_buffer_as_text(&page);
    return mica_exchange_send(exchange, &response);
}

static enum MHD_Result
answer_sandbox(struct mica_http_exchange *exchange)
{
    return sandbox_send(exchange, PLACE_LOCALHOST);
}

enum MHD_Result
mica_sandbox_answer_below(struct mica_http_exchange *exchange)
{
    return sandbox_send(exchange, PLACE_SERVER);
}

static enum MHD_Result
answer_missing(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;

    mica_page_problem(exchange, 404, MICA_E_NOT_FOUND, &response,
                      "there is nothing at this path: names below localhost "
                      "serve the frames of views, at /sandbox, and no more");
    return mica_exchange_send(exchange, &response);
}

// ---- Routes ----------------------------------------------------------------------

void
mica_sandbox_enter(struct mica_http_exchange *exchange)
{
    static const struct mica_route sandbox = {.path = "/sandbox",
                                              .length = 8,
                                              .reach = MICA_ROUTE_OF_SANDBOX,
                                              .entry = MICA_ROUTE_OPEN,
                                              .methods = "GET, HEAD",
                                              .answer = answer_sandbox};
    static const struct mica_route missing = {.reach = MICA_ROUTE_OF_SANDBOX,
                                              .entry = MICA_ROUTE_OPEN,
                                              .answer = answer_missing};

    if (exchange->http->host_page == MICA_HOST_PAGE_OFF ||
        exchange->own_host != NULL ||
        !mica_sandbox_is_name(mica_exchange_requested_host(exchange)))
        return;
    exchange->route =
        mica_text_is(exchange->whole_path, sandbox.path) ? &sandbox : &missing;
    exchange->endpoint = (struct mica_text){NULL, 0};
    exchange->place = MICA_PLACE_FOUND; // no app is below such a name
}
