// SPDX-License-Identifier: Apache-2.0
//
// Refusals that are made for every route, in the form of the API of apps.
#include "http/app_refusal.h"

#include <string.h>

#include "apps/app_error.h"
#include "base/ascii.h"
#include "http/app_caller.h"
#include "http/http.h"

enum {
    REFUSAL_BYTES = 16 * 1024
};

bool
mica_exchange_speaks_apps(const struct mica_http_exchange *exchange)
{
    const struct mica_route *route = exchange->route;

    return route->speaks_apps ||
           (route->surface != NULL && strcmp(route->surface, "rest") == 0 &&
            mica_exchange_app(exchange).len > 0);
}

// [API-3] The document is mica's own, so it can be read.
void
mica_app_refusal_reword(struct mica_http_exchange *exchange,
                        struct mica_http_response *response)
{
    struct mica_app_error error = {.status = MICA_E_INTERNAL};
    struct mica_json_writer writer;
    struct mica_json document;
    struct mica_buffer body;

    if (mica_json_read(&exchange->arena, response->body, NULL, NULL,
                       &document) != MICA_OK)
        return;
    error.codez =
        mica_arena_text(&exchange->arena, mica_json_get_text(&document, "code"))
            .ptr;
    error.message = mica_json_get_text(&document, "detail");
    mica_buffer_init(&body, &exchange->arena, REFUSAL_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_app_error_write_body(&writer, &error);
    if (body.overflow)
        return;
    response->body = mica_buffer_as_text(&body);
    for (size_t i = 0; i < response->header_count; i++)
        if (mica_ascii_is(response->headers[i].name, "content-type"))
            response->headers[i].value = MICA_LITERAL("application/json");
}
