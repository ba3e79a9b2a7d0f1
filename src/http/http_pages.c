// SPDX-License-Identifier: Apache-2.0
//
// Routes for browsers: pages for people, the files of web/, and engines with their
// JavaScript fallbacks. A page is written for each request, as the catalog changes; all
// files that it loads have the hash of their bytes in their address, and are cached for
// ever.
#include "http/http_pages.h"

#include <string.h>

#include "http/app_api.h"
#include "http/http.h"
#include "http/http_refusal.h"
#include "http/local_client.h"
#include "http/sandbox_name.h"
#include "page/assets.h"
#include "page/engine.h"
#include "page/site.h"
#include "protocol/response_header.h"
#include "server/calls/calls_interface.h"
#include "server/message.h"

enum {
    PAGE_BYTES = 8 << 20,
    FORMS = 1000000 // that may have ids on one page
};

// ---- The request ---------------------------------------------------------------

// Does the address have this hash (?v=…), so that the bytes can be cached for ever?
static bool
is_named(const struct mica_http_exchange *exchange, const char *sha256)
{
    struct mica_text query = exchange->request.query;

    return query.len == 2 + MICA_PAGE_TAG && memcmp(query.ptr, "v=", 2) == 0 &&
           memcmp(query.ptr + 2, sha256, MICA_PAGE_TAG) == 0;
}

// ---- Responses ------------------------------------------------------------------

static void
response_begin(struct mica_http_response *response, unsigned status,
               const char *typez, const char *cachez)
{
    memset(response, 0, sizeof *response);
    response->status = status;
    mica_response_add(response, "Content-Type", mica_text(typez));
    mica_response_add(response, "Cache-Control", mica_text(cachez));
    mica_response_add(response, "X-Content-Type-Options",
                      MICA_LITERAL("nosniff"));
}

// Adds the policy of a page: what it may load and run.
static void
add_policy(struct mica_http_exchange *exchange,
           struct mica_http_response *response,
           const struct mica_buffer *policy)
{
    mica_response_add(response, "Content-Security-Policy",
                      mica_buffer_as_text(policy));
    // With no-referrer the form that signs out would have "Origin: null".
    mica_response_add(response, "Referrer-Policy",
                      exchange->person.len > 0 ? MICA_LITERAL("same-origin")
                                               : MICA_LITERAL("no-referrer"));
}

static enum MHD_Result
exchange_refuse(struct mica_http_exchange *exchange, unsigned status,
                const struct mica_error *error)
{
    struct mica_http_response response;

    mica_page_problem(exchange, status, error->status, &response, "%s",
                      error->message);
    return mica_exchange_send(exchange, &response);
}

static enum MHD_Result
no_file(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;

    mica_page_problem(exchange, 404, MICA_E_NOT_FOUND, &response,
                      "there is no file %.*s",
                      MICA_ARG(mica_exchange_path(exchange)));
    return mica_exchange_send(exchange, &response);
}

// A file with a hash. Its compressed form has another entity tag.
struct file {
    const char *typez;
    struct mica_text bytes;
    bool gzip, varies;
    const char *sha256;
    const struct mica_text *policy; // hashes of the parts of a page, or NULL
};

static enum MHD_Result
send_file(struct mica_http_exchange *exchange, const struct file *file)
{
    struct mica_http_response response;
    struct mica_buffer tag, policy;

    mica_buffer_init(&tag, &exchange->arena, 128);
    mica_buffer_format(&tag, "\"%.*s%s\"", 2 * MICA_PAGE_TAG, file->sha256,
                       file->gzip ? "-gzip" : "");
    response_begin(
        &response, 200, file->typez,
        is_named(exchange, file->sha256)
            // If the client needs a token for it, no shared cache may have it.
            ? exchange->http->auth != NULL
                  ? "private, max-age=31536000, immutable"
                  : "public, max-age=31536000, immutable"
            : "no-cache");
    mica_response_add(&response, "ETag", mica_buffer_as_text(&tag));
    if (file->varies)
        mica_response_add(&response, "Vary", MICA_LITERAL("Accept-Encoding"));
    if (file->gzip)
        mica_response_add(&response, "Content-Encoding", MICA_LITERAL("gzip"));
    if (file->policy != NULL) {
        mica_buffer_init(&policy, &exchange->arena, PAGE_BYTES);
        mica_page_sandbox(*file->policy, &policy);
        add_policy(exchange, &response, &policy);
    }
    response.body = file->bytes;
    // libmicrohttpd does not send the body of a 304, but its Content-Length.
    if (mica_header_names_tag(&exchange->request, mica_buffer_as_text(&tag),
                              true))
        response.status = 304;
    return mica_exchange_send(exchange, &response);
}

static enum MHD_Result
send_text(struct mica_http_exchange *exchange, const char *typez,
          const struct mica_buffer *text)
{
    struct mica_http_response response;

    if (text->overflow)
        return mica_exchange_refuse(exchange, 500, MICA_E_LIMIT,
                                    "this answer is larger than there is "
                                    "memory for");
    response_begin(&response, 200, typez, "no-cache");
    response.body = mica_buffer_as_text(text);
    return mica_exchange_send(exchange, &response);
}

enum MHD_Result
mica_web_send_page(struct mica_http_exchange *exchange, unsigned status,
                   const struct mica_buffer *policy,
                   const struct mica_buffer *page)
{
    struct mica_http_response response;

    if (page->overflow || policy->overflow)
        return mica_exchange_refuse(exchange, 500, MICA_E_LIMIT,
                                    "this page is larger than there is memory "
                                    "for");
    // A page that has a person's name is kept nowhere.
    response_begin(&response, status, "text/html; charset=utf-8",
                   exchange->person.len > 0 ? "no-store" : "no-cache");
    add_policy(exchange, &response, policy);
    // A page of another origin that opened this one cannot count its frames, or send its
    // tab elsewhere.
    mica_response_add(&response, "Cross-Origin-Opener-Policy",
                      MICA_LITERAL("same-origin"));
    response.body = mica_buffer_as_text(page);
    return mica_exchange_send(exchange, &response);
}

static enum MHD_Result
send_page(struct mica_http_exchange *exchange, unsigned status,
          const struct mica_buffer *page)
{
    struct mica_buffer policy;

    mica_buffer_init(&policy, &exchange->arena, PAGE_BYTES);
    mica_page_policy(&policy);
    return mica_web_send_page(exchange, status, &policy, page);
}

// ---- Pages ----------------------------------------------------------------------

// Answers 404: a page for a browser, a problem document for a program.
static enum MHD_Result
no_page(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;

    mica_page_problem(exchange, 404, MICA_E_NOT_FOUND, &response,
                      "there is no page %.*s",
                      MICA_ARG(mica_exchange_path(exchange)));
    return mica_exchange_send(exchange, &response);
}

enum MHD_Result
mica_web_catalog(struct mica_http_exchange *exchange)
{
    struct mica_site site = mica_web_site(exchange);
    struct mica_catalog *catalog = mica_web_catalog_of(exchange);
    struct mica_buffer page;

    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    mica_page_catalog(&site, catalog, &page);
    mica_catalog_drop(catalog);
    return send_page(exchange, 200, &page);
}

// Removes the ending from `*name`. Returns false if it does not end so.
static bool
strip_ending(struct mica_text *name, const char *endingz)
{
    size_t length = strlen(endingz);

    if (name->len <= length ||
        memcmp(name->ptr + name->len - length, endingz, length) != 0)
        return false;
    name->len -= length;
    return true;
}

// The rest of the path after that of the route and the "/".
static struct mica_text
exchange_below(const struct mica_http_exchange *exchange)
{
    struct mica_text path = exchange->request.path;
    size_t begin = strlen(exchange->route->path) + 1;

    return begin <= path.len ? mica_text_slice(path, begin, path.len)
                             : mica_text("");
}

static enum MHD_Result send_carried(struct mica_http_exchange *exchange,
                                    const struct mica_definition *engine,
                                    enum mica_carried_file which);

static enum MHD_Result
send_tool(struct mica_http_exchange *exchange,
          const struct mica_definition *tool)
{
    struct mica_site site = mica_web_site(exchange);
    struct mica_error error;
    struct mica_buffer page;

    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    if (tool == NULL)
        return no_page(exchange);
    if (mica_page_tool(&site, tool, &exchange->arena, &error, &page) != MICA_OK)
        return exchange_refuse(exchange, 500, &error);
    return send_page(exchange, 200, &page);
}

enum MHD_Result
mica_web_tool(struct mica_http_exchange *exchange)
{
    struct mica_catalog *catalog = mica_web_catalog_of(exchange);
    struct mica_text name = exchange_below(exchange);
    bool own = strip_ending(&name, "/page");
    const struct mica_definition *tool =
        mica_catalog_find(catalog, MICA_DEFINITION_TOOL, name);
    enum MHD_Result result =
        own && tool != NULL && tool->carried != NULL
            ? send_carried(exchange, tool, MICA_CARRIED_PAGE)
            : send_tool(exchange, own ? NULL : tool);

    mica_catalog_drop(catalog);
    return result;
}

// The page itself asks the server whether there is such a call.
enum MHD_Result
mica_web_call(struct mica_http_exchange *exchange)
{
    struct mica_site site = mica_web_site(exchange);
    struct mica_text id = exchange_below(exchange);
    struct mica_buffer page;

    // Whether the store has a call of that id says /api/calls/{id}, which the page asks.
    if (!mica_call_id_fits(id))
        return no_page(exchange);
    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    mica_page_call(&site, id, &page);
    return send_page(exchange, 200, &page);
}

enum MHD_Result
mica_web_inspect(struct mica_http_exchange *exchange)
{
    struct mica_site site = mica_web_site(exchange);
    struct mica_buffer page;

    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    mica_page_inspect(&site, &page);
    return send_page(exchange, 200, &page);
}

// Its frames are below localhost, which leads a browser to its own machine.
enum MHD_Result
mica_web_host(struct mica_http_exchange *exchange)
{
    struct mica_site site = mica_web_site(exchange);
    struct mica_buffer page, policy;
    struct mica_text port;

    if (!mica_sandbox_admits(exchange, &port))
        return mica_exchange_refuse(
            exchange, 403, MICA_E_FORBIDDEN,
            "the host page shows views in frames of this machine, so it opens "
            "as localhost or 127.0.0.1 alone; open it there, or through ssh "
            "-L with the same port");
    mica_buffer_init(&policy, &exchange->arena, PAGE_BYTES);
    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    mica_page_host_policy(port, &policy);
    mica_page_host(&site, &page);
    return mica_web_send_page(exchange, 200, &policy, &page);
}

// The console itself asks /api/apps for all that it shows, so it is where that is.
enum MHD_Result
mica_web_console(struct mica_http_exchange *exchange)
{
    struct mica_text below = exchange_below(exchange);
    struct mica_buffer page, policy;
    struct mica_site site;

    if (!mica_exchange_may_edit_apps(exchange))
        return mica_exchange_refuse(exchange, 404, MICA_E_APP,
                                    MICA_APP_API_UNREACHED);
    mica_buffer_init(&policy, &exchange->arena, PAGE_BYTES);
    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    if (mica_text_is(exchange->request.path, "/console")) {
        site = mica_web_site(exchange);
        mica_page_console_policy(&policy);
        mica_page_console(&site, &page);
    } else if (mica_text_is(below, "stage")) {
        mica_page_stage_policy(&policy);
        mica_page_stage(&page);
    } else {
        return no_page(exchange);
    }
    return mica_web_send_page(exchange, 200, &policy, &page);
}

// Reads ?n=N, the number of the form on its page; 0 without it.
static unsigned
form_number(struct mica_text query)
{
    int64_t number = 0;

    if (!mica_text_starts(query, "n=") ||
        !mica_integer_read(mica_text_slice(query, 2, query.len), &number) ||
        number < 0 || number > FORMS)
        return 0;
    return (unsigned)number;
}

enum MHD_Result
mica_web_form(struct mica_http_exchange *exchange)
{
    struct mica_error error;
    struct mica_buffer form;
    enum mica_status status;

    mica_buffer_init(&form, &exchange->arena, PAGE_BYTES);
    status = mica_page_form(mica_buffer_as_text(&exchange->body),
                            form_number(exchange->request.query),
                            &exchange->arena, &error, &form);
    if (status == MICA_OK && form.overflow)
        status = mica_error_set(&error, MICA_E_LIMIT, "",
                                "the form of that schema is larger than %d "
                                "bytes, or needs more memory than there is",
                                PAGE_BYTES);
    if (status != MICA_OK)
        return exchange_refuse(exchange, status == MICA_E_LIMIT ? 413 : 400,
                               &error);
    return send_page(exchange, 200, &form);
}

// ---- Files of web/ --------------------------------------------------------------

static enum MHD_Result
send_asset(struct mica_http_exchange *exchange, const struct mica_asset *asset)
{
    bool gzip = mica_header_accepts_coding(&exchange->request, "gzip");
    struct file file = {.gzip = gzip, .varies = true};

    if (asset == NULL)
        return no_file(exchange);
    file.typez = asset->type;
    file.bytes = gzip ? asset->gzip : asset->bytes;
    file.sha256 = asset->sha256;
    return send_file(exchange, &file);
}

enum MHD_Result
mica_web_asset(struct mica_http_exchange *exchange)
{
    struct mica_text name = exchange_below(exchange);
    const struct mica_asset *rules = mica_asset_find(&mica_rules_assets, name);

    return send_asset(exchange, rules != NULL
                                    ? rules
                                    : mica_asset_find(&mica_page_assets, name));
}

enum MHD_Result
mica_web_icon(struct mica_http_exchange *exchange)
{
    return send_asset(
        exchange, mica_asset_find(&mica_page_assets, MICA_LITERAL("icon.svg")));
}

enum MHD_Result
mica_web_worker(struct mica_http_exchange *exchange)
{
    return send_asset(
        exchange, mica_asset_find(&mica_page_assets, MICA_LITERAL("sw.js")));
}

// ---- Engines --------------------------------------------------------------------

static enum MHD_Result
send_module(struct mica_http_exchange *exchange,
            const struct mica_definition *engine)
{
    struct mica_page_engine page;
    struct mica_buffer text;

    mica_buffer_init(&text, &exchange->arena, PAGE_BYTES);
    mica_page_engine_of(engine, &page);
    mica_page_engine_module(&page, &text);
    return send_text(exchange, "text/javascript; charset=utf-8", &text);
}

static enum MHD_Result
send_types(struct mica_http_exchange *exchange,
           const struct mica_definition *engine)
{
    struct mica_page_engine page;
    struct mica_error error;
    struct mica_buffer text;

    mica_buffer_init(&text, &exchange->arena, PAGE_BYTES);
    mica_page_engine_of(engine, &page);
    if (mica_page_engine_types(&page, &exchange->arena, &error, &text) !=
        MICA_OK)
        return exchange_refuse(exchange, 500, &error);
    return send_text(exchange, "text/plain; charset=utf-8", &text);
}

static enum MHD_Result
send_carried(struct mica_http_exchange *exchange,
             const struct mica_definition *engine, enum mica_carried_file which)
{
    static const char *const types[] = {
        [MICA_CARRIED_MODULE] = "application/wasm",
        [MICA_CARRIED_FALLBACK] = "text/javascript; charset=utf-8",
        [MICA_CARRIED_PAGE] = "text/html; charset=utf-8",
        [MICA_CARRIED_VIEW] = "text/html; charset=utf-8"};
    bool gzip = mica_header_accepts_coding(&exchange->request, "gzip");
    struct mica_carried carried;
    struct mica_error error;
    struct file file = {.varies = true};
    char sha256[65];
    struct mica_text hash = engine->carried_sha256[which];

    if (hash.len != sizeof sha256 - 1)
        return no_file(exchange);
    if (engine->behind != NULL) // a view has the files of its engine
        engine = engine->behind;
    if (engine->carried(engine, which, gzip, &exchange->arena, &error,
                        &carried) != MICA_OK)
        return exchange_refuse(
            exchange, error.status == MICA_E_ACCEPT ? 406 : 404, &error);
    memcpy(sha256, hash.ptr, hash.len);
    sha256[hash.len] = '\0';
    file.typez = types[which];
    file.bytes = carried.bytes;
    file.gzip = carried.gzip;
    file.sha256 = sha256;
    if (which == MICA_CARRIED_PAGE)
        file.policy = &engine->page_policy;
    return send_file(exchange, &file);
}

static const struct ending {
    const char *text;
    enum mica_carried_file file;
    enum MHD_Result (*send)(struct mica_http_exchange *exchange,
                            const struct mica_definition *engine);
} endings[] = {{".twin.js", MICA_CARRIED_FALLBACK, NULL},
               {".wasm", MICA_CARRIED_MODULE, NULL},
               {".d.ts", MICA_CARRIED_MODULE, send_types},
               {".js", MICA_CARRIED_MODULE, send_module}};

static enum MHD_Result
send_engine(struct mica_http_exchange *exchange,
            const struct mica_catalog *catalog, struct mica_text name)
{
    for (size_t i = 0; i < MICA_COUNT(endings); i++) {
        const struct mica_definition *engine;
        if (!strip_ending(&name, endings[i].text))
            continue;
        engine = mica_catalog_find(catalog, MICA_DEFINITION_TOOL, name);
        if (engine == NULL || engine->carried == NULL)
            break;
        return endings[i].send != NULL
                   ? endings[i].send(exchange, engine)
                   : send_carried(exchange, engine, endings[i].file);
    }
    return no_file(exchange);
}

enum MHD_Result
mica_web_engine(struct mica_http_exchange *exchange)
{
    struct mica_text name = exchange_below(exchange);
    struct mica_catalog *catalog;
    enum MHD_Result result;

    if (name.len > 0 && name.ptr[0] == '_') // not the name of an engine
        return send_asset(exchange, mica_asset_find(&mica_engine_assets, name));
    catalog = mica_web_catalog_of(exchange);
    result = send_engine(exchange, catalog, name);
    mica_catalog_drop(catalog);
    return result;
}
