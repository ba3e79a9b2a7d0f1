// SPDX-License-Identifier: Apache-2.0
//
// What people and browsers see of a published app: its page, and the document of its widget.
// The document comes from the origin that has the pages of the server, so its policy gives
// it an origin of its own.
#include <string.h>

#include "apps/widget.h"
#include "http/http.h"
#include "http/http_pages.h"
#include "http/http_refusal.h"
#include "page/app_page.h"
#include "publish/published_apps.h"
#include "rest/query.h"

enum {
    PAGE_BYTES = 1 << 20,
    ADDRESS_BYTES = 256
};

// ---- The page ----------------------------------------------------------------------

// A text with a NUL behind it; "" for want of memory, which the arena remembers.
static const char *
textz_of(struct mica_http_exchange *exchange, struct mica_text text)
{
    const char *copy = mica_arena_text(&exchange->arena, text).ptr;

    return copy != NULL ? copy : "";
}

// "slug/", from the page of the app.
static const char *
folder_of(struct mica_http_exchange *exchange, struct mica_text slug)
{
    return mica_base_path_text(&exchange->arena, slug, "/").ptr;
}

enum MHD_Result
mica_web_app(struct mica_http_exchange *exchange)
{
    struct mica_site site = mica_web_site(exchange);
    struct mica_published_app app;
    struct mica_buffer page, policy;
    bool alone = exchange->own_host != NULL;

    mica_published_app_of(exchange->held, &app);
    if (alone)
        site.alonez = textz_of(exchange, app.name);
    else
        site.below = mica_base_path_text(
            &exchange->arena,
            mica_text_slice(exchange->whole_path, 1, exchange->whole_path.len),
            "/");
    const struct mica_page_app shown = {
        .name = app.name,
        .description = app.description,
        .tool = app.tool->name,
        .tool_description = app.tool->description,
        .slugz = textz_of(exchange, app.slug),
        .folderz = alone ? "" : folder_of(exchange, app.slug),
        .layoutz = app.layoutz};
    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    mica_buffer_init(&policy, &exchange->arena, PAGE_BYTES);
    mica_page_app(&site, &shown, &page);
    mica_page_app_policy(&policy);
    return mica_web_send_page(exchange, 200, &policy, &page);
}

// ---- The widget --------------------------------------------------------------------

// Does the query ask for the mock data (data=mock)?
static bool
wants_mock(struct mica_http_exchange *exchange)
{
    struct mica_query query;
    struct mica_error ignored;

    if (mica_query_read(&exchange->arena, exchange->request.query, &ignored,
                        &query) != MICA_OK)
        return false;
    for (size_t i = 0; i < query.count; i++) {
        if (mica_text_is(query.pairs[i].name, "data") &&
            mica_text_is(query.pairs[i].value, "mock"))
            return true;
    }
    return false;
}

static void
response_add(struct mica_http_response *response, const char *namez,
             const char *valuez)
{
    response->headers[response->header_count++] =
        (struct mica_header){mica_text(namez), mica_text(valuez)};
}

static void
widget_response(struct mica_http_response *response, struct mica_text html)
{
    memset(response, 0, sizeof *response);
    response->status = 200;
    response_add(response, "Content-Type", MICA_WIDGET_CONTENT_TYPE);
    response_add(response, "Cache-Control", "no-cache");
    response_add(response, "Content-Security-Policy", MICA_WIDGET_CSP);
    response_add(response, "X-Content-Type-Options",
                 MICA_WIDGET_CONTENT_TYPE_OPTIONS);
    response_add(response, "Referrer-Policy", MICA_WIDGET_REFERRER_POLICY);
    response->body = html;
}

// On the store thread.
static void
widget_read(void *data)
{
    struct mica_http_exchange *exchange = data;
    struct mica_http_response *response =
        mica_arena_alloc(&exchange->arena, sizeof *response);
    struct mica_error error;
    struct mica_text html;
    enum mica_status status = mica_published_app_widget(
        exchange->held, wants_mock(exchange), &exchange->arena, &error, &html);

    if (response == NULL) {
        exchange->refused = 503;
        exchange->why = "there is no memory for the document; try again";
    } else if (status == MICA_OK) {
        widget_response(response, html);
    } else {
        mica_page_problem(exchange, (unsigned)mica_status_http(status), status,
                          response, "%s", error.message);
        exchange->code = mica_status_code(status);
    }
    exchange->made = response;
    mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
}

// Is the path that of the app's own layout?
static bool
is_own_layout(const struct mica_http_exchange *exchange)
{
    char storage[ADDRESS_BYTES];
    struct mica_buffer own = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    struct mica_published_app app;

    mica_published_app_of(exchange->held, &app);
    mica_buffer_format(&own, "/ui/%s.html", app.layoutz);
    return mica_text_equal(exchange->request.path, mica_buffer_as_text(&own));
}

enum MHD_Result
mica_web_widget(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;

    if (!is_own_layout(exchange)) {
        mica_page_problem(exchange, 404, MICA_E_NOT_FOUND, &response,
                          "the app has no document %.*s",
                          MICA_ARG(mica_exchange_path(exchange)));
        return mica_exchange_send(exchange, &response);
    }
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_STORE, widget_read,
                                 false))
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    return MHD_YES;
}
