// SPDX-License-Identifier: Apache-2.0
//
// What a browser or a probe sees: health, a front page that says what this is
// and how to use it, and problem documents. No I/O; everything that comes from
// outside is escaped, and the page may load and run nothing.
#include "http/http.h"

#include <string.h>

#include "serve/refuse.h"

enum {
    PAGE_BYTES = 4 << 20
};

static void
add_header(struct mica_http_response *response, const char *name,
           const char *value)
{
    response->headers[response->header_count++] =
        (struct mica_header){mica_text(name), mica_text(value)};
}

static void
begin(struct mica_http_response *response, unsigned status, const char *type)
{
    memset(response, 0, sizeof *response);
    response->status = status;
    add_header(response, "Content-Type", type);
    add_header(response, "Cache-Control", "no-store");
    add_header(response, "X-Content-Type-Options", "nosniff");
}

void
mica_page_problem(struct mica_http_exchange *exchange, unsigned status,
                  enum mica_status code, struct mica_http_response *response,
                  const char *formatz, ...)
{
    struct mica_error error;
    struct mica_buffer body;
    va_list arguments;

    va_start(arguments, formatz);
    (void)mica_error_vset(&error, code, NULL, "", formatz, arguments);
    va_end(arguments);
    mica_buffer_init(&body, &exchange->arena, PAGE_BYTES);
    mica_problem_write(&body, status, code, "%s", error.message);
    begin(response, status, "application/problem+json");
    response->body = mica_buffer_as_text(&body);
}

void
mica_page_health(struct mica_http_exchange *exchange,
                 struct mica_http_response *response)
{
    struct mica_http *http = exchange->http;
    const struct mica_server_options *options = &http->server->options;
    bool draining = atomic_load(&http->draining);
    struct mica_json_writer writer;
    struct mica_buffer body;

    mica_buffer_init(&body, &exchange->arena, PAGE_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "status", mica_text(draining ? "draining" : "ok"));
    mica_json_field(&writer, "name", mica_text(options->name));
    mica_json_field(&writer, "version", mica_text(options->version));
    mica_json_name(&writer, "tools");
    mica_json_integer(
        &writer, (int64_t)mica_server_count(http->server, MICA_OFFER_TOOL));
    mica_json_name(&writer, "requests"); // this one among them
    mica_json_integer(&writer, (int64_t)atomic_load(&http->active));
    mica_json_name(&writer, "tasks");
    mica_json_integer(&writer, (int64_t)mica_workers_busy(http->workers));
    mica_json_close_object(&writer);
    begin(response, draining ? 503 : 200, "application/json");
    response->body = mica_buffer_as_text(&body);
}

// ---- The front page --------------------------------------------------------------

static void
html(struct mica_buffer *page, struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '&':
            mica_buffer_text(page, MICA_LITERAL("&amp;"));
            break;
        case '<':
            mica_buffer_text(page, MICA_LITERAL("&lt;"));
            break;
        case '>':
            mica_buffer_text(page, MICA_LITERAL("&gt;"));
            break;
        case '"':
            mica_buffer_text(page, MICA_LITERAL("&quot;"));
            break;
        case '\'':
            mica_buffer_text(page, MICA_LITERAL("&#39;"));
            break;
        default:
            mica_buffer_char(page, text.ptr[i]);
        }
    }
}

static void
raw(struct mica_buffer *page, const char *text)
{
    mica_buffer_text(page, mica_text(text));
}

// A key of a configuration file: letters that no program stumbles over.
static void
write_key(struct mica_buffer *text, const char *name)
{
    for (size_t i = 0; name[i] != '\0'; i++) {
        char c = name[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '-' || c == '_';
        mica_buffer_char(text, plain ? c : '-');
    }
}

static void
write_configuration(struct mica_http_exchange *exchange,
                    struct mica_buffer *page)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &exchange->arena, PAGE_BYTES);
    raw(&text, "{\n  \"mcpServers\": {\n    \"");
    write_key(&text, exchange->http->server->options.name);
    raw(&text, "\": {\n      \"type\": \"http\",\n      \"url\": \"http://");
    // The host that the client used has been checked, and gets it here.
    mica_json_escape(&text, exchange->host);
    raw(&text, "/mcp\"\n    }\n  }\n}\n");
    raw(page, "<pre>");
    html(page, mica_buffer_as_text(&text));
    raw(page, "</pre>\n");
}

static void
write_tools(struct mica_server *server, struct mica_buffer *page)
{
    struct mica_catalog *catalog = mica_server_catalog(server);
    const struct mica_shelf *tools = &catalog->shelves[MICA_OFFER_TOOL];

    mica_buffer_format(page, "<h2>Tools (%zu)</h2>\n<dl>\n", tools->count);
    for (size_t i = 0; i < tools->count; i++) {
        raw(page, "<dt><code>");
        html(page, tools->items[i]->name);
        raw(page, "</code></dt>\n<dd>");
        html(page, tools->items[i]->description);
        raw(page, "</dd>\n");
    }
    raw(page, "</dl>\n");
    mica_catalog_drop(catalog);
}

void
mica_page_front(struct mica_http_exchange *exchange,
                struct mica_http_response *response)
{
    const struct mica_server_options *options =
        &exchange->http->server->options;
    const char *title = options->title != NULL ? options->title : options->name;
    struct mica_buffer page;

    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    raw(&page, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
               "<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width\">\n"
               "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    html(&page, mica_text(title));
    raw(&page, "</title>\n</head>\n<body>\n<main>\n<h1>");
    html(&page, mica_text(title));
    raw(&page, "</h1>\n");
    if (options->description != NULL) {
        raw(&page, "<p>");
        html(&page, mica_text(options->description));
        raw(&page, "</p>\n");
    }
    raw(&page, "<p>This is a server of the Model Context Protocol (MCP). Its "
               "endpoint is <code>/mcp</code>; <code>/healthz</code> says how "
               "it is. A client is configured like this:</p>\n");
    write_configuration(exchange, &page);
    write_tools(exchange->http->server, &page);
    raw(&page, "</main>\n</body>\n</html>\n");
    begin(response, 200, "text/html; charset=utf-8");
    add_header(response, "Content-Security-Policy",
               "default-src 'none'; base-uri 'none'; form-action 'none'; "
               "frame-ancestors 'none'");
    add_header(response, "Referrer-Policy", "no-referrer");
    response->body = mica_buffer_as_text(&page);
}
