// SPDX-License-Identifier: Apache-2.0
//
// What people and browsers see of a published app: its page, its host page, and the document
// of its widget. The document comes from the origin that has the pages of the server, so its
// policy gives it an origin of its own.
#include <string.h>

#include "apps/widget.h"
#include "http/http.h"
#include "http/http_pages.h"
#include "http/http_refusal.h"
#include "page/app_page.h"
#include "protocol/response_header.h"
#include "publish/published_apps.h"
#include "rest/query.h"
#include "server/caller.h"
#include "store/store_collections.h"

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

// "slug/", from the page of the app; nothing where the page is the root of its host.
static const char *
folder_of(struct mica_http_exchange *exchange, struct mica_text slug)
{
    return exchange->own_host != NULL
               ? ""
               : mica_base_path_text(&exchange->arena, slug, "/").ptr;
}

// The name of the app or the collection.
static struct mica_text
name_of(struct mica_http_exchange *exchange)
{
    struct mica_published_collection collection;
    struct mica_published_app app;

    if (mica_published_collection_is(exchange->held)) {
        mica_published_collection_of(exchange->held, &collection);
        return collection.name;
    }
    mica_published_app_of(exchange->held, &app);
    return app.name;
}

// The site, with the address of the app below its root; at a host name of its own the app is
// the root.
static struct mica_site
app_site(struct mica_http_exchange *exchange)
{
    struct mica_site site = mica_web_site(exchange);
    struct mica_text own = exchange->held->path;

    if (exchange->own_host != NULL) {
        site.alonez = textz_of(exchange, name_of(exchange));
        return site;
    }
    site.below = mica_base_path_text(&exchange->arena,
                                     mica_text_slice(own, 1, own.len), "/");
    return site;
}

static struct mica_page_app
app_shown(struct mica_http_exchange *exchange)
{
    struct mica_published_app app;

    mica_published_app_of(exchange->held, &app);
    return (struct mica_page_app){.name = app.name,
                                  .description = app.description,
                                  .tool = app.tool->name,
                                  .tool_description = app.tool->description,
                                  .slugz = textz_of(exchange, app.slug),
                                  .folderz = folder_of(exchange, app.slug),
                                  .layoutz = app.layoutz};
}

struct page_members {
    struct mica_page_member items[MICA_STORE_COLLECTION_MEMBERS];
    size_t count;
};

static void
member_take(void *data, const struct mica_published_app *app)
{
    struct page_members *members = data;

    if (members->count < MICA_COUNT(members->items))
        members->items[members->count++] = (struct mica_page_member){
            app->name, app->slug, app->tool->name, app->tool->description};
}

// The page shows the apps that the person may call, as the list of tools does.
static void
collection_write(struct mica_http_exchange *exchange,
                 const struct mica_site *site, struct mica_buffer *page)
{
    const struct mica_principal *party = &exchange->principal.party;
    const struct mica_app_caller caller = {
        .has_token = mica_principal_is_known(party), .scopes = party->scopes};
    struct mica_published_collection collection;
    struct page_members members = {.count = 0};

    mica_published_collection_of(exchange->held, &collection);
    mica_published_collection_members(exchange->held, &caller, member_take,
                                      &members);
    const struct mica_page_collection shown = {
        .name = collection.name,
        .description = collection.description,
        .slugz = textz_of(exchange, collection.slug),
        .members = members.items,
        .member_count = members.count};
    mica_page_collection(site, &shown, page);
}

// Both pages have the same policy: frames of this server, each with an origin of its own.
static enum MHD_Result
send_app_page(struct mica_http_exchange *exchange,
              void (*write)(struct mica_http_exchange *exchange,
                            const struct mica_site *site,
                            struct mica_buffer *page))
{
    struct mica_site site = app_site(exchange);
    struct mica_buffer page, policy;

    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    mica_buffer_init(&policy, &exchange->arena, PAGE_BYTES);
    write(exchange, &site, &page);
    mica_page_app_policy(&policy);
    return mica_web_send_page(exchange, 200, &policy, &page);
}

static void
app_write(struct mica_http_exchange *exchange, const struct mica_site *site,
          struct mica_buffer *page)
{
    if (mica_published_collection_is(exchange->held)) {
        collection_write(exchange, site, page);
        return;
    }
    struct mica_page_app shown = app_shown(exchange);
    mica_page_app(site, &shown, page);
}

enum MHD_Result
mica_web_app(struct mica_http_exchange *exchange)
{
    return send_app_page(exchange, app_write);
}

// The host lists the tools itself: of a collection it needs the name alone.
static void
host_write(struct mica_http_exchange *exchange, const struct mica_site *site,
           struct mica_buffer *page)
{
    struct mica_published_collection collection;
    struct mica_page_app shown;

    if (mica_published_collection_is(exchange->held)) {
        mica_published_collection_of(exchange->held, &collection);
        shown = (struct mica_page_app){.name = collection.name,
                                       .slugz =
                                           textz_of(exchange, collection.slug)};
    } else {
        shown = app_shown(exchange);
    }
    mica_page_app_host(site, &shown, page);
}

enum MHD_Result
mica_web_app_host(struct mica_http_exchange *exchange)
{
    return send_app_page(exchange, host_write);
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
widget_response(struct mica_http_response *response, struct mica_text html)
{
    memset(response, 0, sizeof *response);
    response->status = 200;
    mica_response_add(response, "Content-Type",
                      mica_text(MICA_WIDGET_CONTENT_TYPE));
    mica_response_add(response, "Cache-Control", MICA_LITERAL("no-cache"));
    mica_response_add(response, "Content-Security-Policy",
                      mica_text(MICA_WIDGET_CSP));
    mica_response_add(response, "X-Content-Type-Options",
                      mica_text(MICA_WIDGET_CONTENT_TYPE_OPTIONS));
    mica_response_add(response, "Referrer-Policy",
                      mica_text(MICA_WIDGET_REFERRER_POLICY));
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

// Is the path that of the app's own layout? A collection has none: each of its widgets is at
// the address of its app.
static bool
is_own_layout(const struct mica_http_exchange *exchange)
{
    char storage[ADDRESS_BYTES];
    struct mica_buffer own = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    struct mica_published_app app;

    if (!mica_published_app_is(exchange->held))
        return false;
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
