// SPDX-License-Identifier: Apache-2.0
//
// The health document, and problem documents. No I/O.
#include "http/http.h"

#include <string.h>

#include "base/assert.h"
#include "protocol/response_header.h"
#include "serve/refuse.h"

enum {
    PAGE_BYTES = 4 << 20
};

static void
response_begin(struct mica_http_response *response, unsigned status,
               const char *type)
{
    memset(response, 0, sizeof *response);
    response->status = status;
    mica_response_add(response, "Content-Type", mica_text(type));
    mica_response_add(response, "Cache-Control", MICA_LITERAL("no-store"));
    mica_response_add(response, "X-Content-Type-Options",
                      MICA_LITERAL("nosniff"));
}

struct mica_text
mica_exchange_path(struct mica_http_exchange *exchange)
{
    struct mica_text path = exchange->request.path;
    struct mica_buffer shown;

    path.len = mica_utf8_valid(path);
    if (path.len == 0 && exchange->request.base.len == 0)
        path =
            MICA_LITERAL("/"); // the page of an app at a host name of its own
    mica_buffer_init(&shown, &exchange->arena,
                     exchange->request.base.len + path.len);
    mica_base_path_add(&shown, exchange->request.base, "%.*s", MICA_ARG(path));
    return shown.overflow ? path : mica_buffer_as_text(&shown);
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
    mica_problem_details_write(&body, exchange->request.base, status, code,
                               "%s", error.message);
    if (body.overflow) { // the request has used all memory of the arena
        char *spare = exchange->message.reply.spare;
        body = (struct mica_buffer){
            .ptr = spare,
            .capacity = sizeof exchange->message.reply.spare,
            .max = sizeof exchange->message.reply.spare};
        mica_problem_details_write(&body, exchange->request.base, status, code,
                                   "ask for less");
        MICA_ASSERT(!body.overflow);
    }
    response_begin(response, status, "application/problem+json");
    response->body = mica_buffer_as_text(&body);
}

void
mica_page_health(struct mica_http_exchange *exchange,
                 struct mica_http_response *response)
{
    struct mica_http *http = exchange->http;
    const struct mica_server_options *options = &http->server->options;
    bool draining = atomic_load(&http->leaving);
    struct mica_json_writer writer;
    struct mica_buffer body;

    mica_buffer_init(&body, &exchange->arena, PAGE_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "status", mica_text(draining ? "draining" : "ok"));
    mica_json_field(&writer, "name", mica_text(options->name));
    mica_json_field(&writer, "version", mica_text(options->version));
    mica_json_name(&writer, "tools");
    mica_json_integer(&writer,
                      (int64_t)mica_registry_count(&http->server->registry,
                                                   MICA_DEFINITION_TOOL));
    mica_json_name(&writer, "requests"); // with this one
    mica_json_integer(&writer, (int64_t)atomic_load(&http->active));
    mica_json_name(&writer, "tasks");
    mica_json_integer(&writer, (int64_t)mica_workers_busy(http->workers));
    mica_json_close_object(&writer);
    response_begin(response, draining ? 503 : 200, "application/json");
    response->body = mica_buffer_as_text(&body);
}
