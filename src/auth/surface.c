// SPDX-License-Identifier: Apache-2.0
//
// From decisions to HTTP responses. Of a request the header Authorization and the
// Origin are looked at, and the query never [AUTH-QUERY].
#include "auth/surface.h"

#include <string.h>

#include "base/ascii.h"
#include "platform/wall_clock.h"
#include "protocol/response_header.h"
#include "serve/refuse.h"

enum {
    BODY_BYTES = 4096
};

// The value of a header and how often it is there. Names are ASCII, whatever the
// locale.
static unsigned
header_find(const struct mica_http_request *request, const char *lowercasez,
            struct mica_text *value_out)
{
    unsigned count = 0;

    for (size_t i = 0; i < request->header_count; i++) {
        if (mica_ascii_is(request->headers[i].name, lowercasez) && count++ == 0)
            *value_out = request->headers[i].value;
    }
    return count;
}

void
mica_auth_turn_away(const struct mica_auth_refusal *refusal,
                    const struct mica_http_request *request,
                    struct mica_arena *arena,
                    struct mica_http_response *response_out)
{
    struct mica_buffer body;
    struct mica_text origin = {NULL, 0};

    memset(response_out, 0, sizeof *response_out);
    response_out->status = refusal->http_status;
    mica_buffer_init(&body, arena, BODY_BYTES);
    mica_problem_details_write(&body, request->base, refusal->http_status,
                               refusal->status, "%s", refusal->message);
    response_out->body = mica_buffer_as_text(&body);
    mica_response_add(response_out, "Content-Type",
                      MICA_LITERAL("application/problem+json"));
    mica_response_add(response_out, "Cache-Control", MICA_LITERAL("no-store"));
    if (refusal->challenge.len > 0)
        mica_response_add(response_out, "WWW-Authenticate", refusal->challenge);
    if (refusal->retry_after_s > 0) {
        mica_buffer_init(&body, arena, MICA_NUMBER_SIZE);
        mica_buffer_format(&body, "%u", refusal->retry_after_s);
        mica_response_add(response_out, "Retry-After",
                          mica_buffer_as_text(&body));
    }
    if (header_find(request, "origin", &origin) == 0)
        return;
    mica_response_add(response_out, "Access-Control-Allow-Origin", origin);
    mica_response_add(response_out, "Vary", MICA_LITERAL("Origin"));
    mica_response_add(response_out, "Access-Control-Expose-Headers",
                      MICA_LITERAL("WWW-Authenticate, Retry-After"));
}

bool
mica_auth_admit(struct mica_auth *auth, const struct mica_http_request *request,
                struct mica_text app, struct mica_arena *arena,
                struct mica_auth_principal *principal_out,
                struct mica_http_response *response_out,
                enum mica_status *status_out)
{
    struct mica_text value = {NULL, 0};
    struct mica_auth_refusal refusal;

    if (mica_text_is(request->method, "OPTIONS")) {
        memset(principal_out, 0, sizeof *principal_out);
        return true;
    }
    unsigned count = header_find(request, "authorization", &value);
    *status_out =
        mica_auth_check_at(auth, value, count, app, mica_wall_clock_ms(), 0,
                           arena, principal_out, &refusal);
    if (*status_out == MICA_OK)
        return true;
    mica_auth_turn_away(&refusal, request, arena, response_out);
    return false;
}

bool
mica_auth_permit(struct mica_auth *auth, const struct mica_principal *party,
                 struct mica_text needed,
                 const struct mica_http_request *request,
                 struct mica_arena *arena,
                 struct mica_http_response *response_out)
{
    struct mica_auth_refusal refusal;

    if (mica_auth_allows(party, needed))
        return true;
    mica_auth_refuse_scope(auth, needed, (struct mica_text){NULL, 0}, arena,
                           &refusal);
    mica_auth_turn_away(&refusal, request, arena, response_out);
    return false;
}

// ---- Metadata --------------------------------------------------------------------

// A page of any origin may read them, and ask first whether it may (its header
// MCP-Protocol-Version makes browsers ask).
static void
auth_describe(const struct mica_auth *auth, struct mica_text path,
              struct mica_text app, struct mica_arena *arena,
              struct mica_http_response *response)
{
    response->status = 200;
    response->body = app.len > 0 ? mica_auth_metadata_of(auth, app, arena)
                                 : mica_auth_metadata_at(auth, path, arena);
    if (response->body.len == 0)
        response->status = 503;
    mica_response_add(response, "Content-Type",
                      MICA_LITERAL("application/json"));
    mica_response_add(response, "Cache-Control",
                      MICA_LITERAL("public, max-age=300"));
}

static void
response_allow(struct mica_http_response *response)
{
    response->status = 204;
    mica_response_add(response, "Access-Control-Allow-Methods",
                      MICA_LITERAL("GET"));
    mica_response_add(response, "Access-Control-Allow-Headers",
                      MICA_LITERAL("MCP-Protocol-Version"));
    mica_response_add(response, "Access-Control-Max-Age", MICA_LITERAL("7200"));
}

bool
mica_auth_describe(const struct mica_auth *auth,
                   const struct mica_http_request *request,
                   struct mica_text app, struct mica_arena *arena,
                   struct mica_http_response *response_out)
{
    struct mica_buffer body;

    if (app.len == 0 && !mica_auth_serves(auth, request->path))
        return false;
    memset(response_out, 0, sizeof *response_out);
    mica_response_add(response_out, "Access-Control-Allow-Origin",
                      MICA_LITERAL("*"));
    if (mica_text_is(request->method, "GET") ||
        mica_text_is(request->method, "HEAD")) {
        auth_describe(auth, request->path, app, arena, response_out);
    } else if (mica_text_is(request->method, "OPTIONS")) {
        response_allow(response_out);
    } else {
        response_out->status = 405;
        mica_buffer_init(&body, arena, BODY_BYTES);
        mica_problem_details_write(
            &body, request->base, 405, MICA_E_METHOD,
            "the metadata answer GET, HEAD and OPTIONS only");
        response_out->body = mica_buffer_as_text(&body);
        mica_response_add(response_out, "Content-Type",
                          MICA_LITERAL("application/problem+json"));
        mica_response_add(response_out, "Allow",
                          MICA_LITERAL("GET, HEAD, OPTIONS"));
    }
    return true;
}
