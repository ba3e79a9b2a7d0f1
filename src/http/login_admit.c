// SPDX-License-Identifier: Apache-2.0
//
// A cookie in place of a bearer token: whose login it names, and whether a page of this
// site sent the request.
#include "http/http_login.h"

#include <string.h>

#include "base/ascii.h"
#include "base/url.h"
#include "http/http.h"
#include "serve/stored_sessions.h"

enum {
    TARGET_BYTES = 4 * MICA_LOGIN_TARGET_BYTES,
    ADDRESS_BYTES = 2 * TARGET_BYTES // encoded once more
};

bool
mica_login_offered(const struct mica_http *http)
{
    return http->login_thread != NULL;
}

// ---- Refusals --------------------------------------------------------------------------

void
mica_login_turn_away(struct mica_http_exchange *exchange,
                     const struct mica_http_response *response,
                     enum mica_status status)
{
    struct mica_http_response *answer =
        mica_arena_alloc(&exchange->arena, sizeof *answer);

    exchange->refused = response->status;
    exchange->why = "there is no memory for an answer";
    if (answer == NULL)
        return;
    *answer = *response;
    exchange->auth_refusal = answer;
    exchange->code = mica_status_code(status);
}

static void
refuse_forged(struct mica_http_exchange *exchange)
{
    const struct mica_login_site *site = mica_login_site(exchange->http->auth);
    struct mica_http_response response;

    mica_page_problem(exchange, 403, MICA_E_CROSS_SITE, &response,
                      "this request has the cookie of a login and may change "
                      "something, but it does not come from a page of %.*s "
                      "(Origin, Sec-Fetch-Site); send it from there, or with "
                      "an access token",
                      MICA_ARG(site->origin));
    mica_login_turn_away(exchange, &response, MICA_E_CROSS_SITE);
}

// ---- Who asks --------------------------------------------------------------------------

static bool
has_header(const struct mica_http_request *request, const char *lowercasez)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (mica_ascii_is(request->headers[i].name, lowercasez))
            return true;
    return false;
}

static bool
is_safe(struct mica_text method)
{
    return mica_text_is(method, "GET") || mica_text_is(method, "HEAD");
}

bool
mica_login_known(struct mica_http_exchange *exchange)
{
    struct mica_auth *auth = exchange->http->auth;
    struct mica_http_response response;
    struct mica_auth_refusal refusal;

    switch (mica_login_check(auth, exchange->login, mica_session_store_now(),
                             &exchange->arena, &exchange->principal,
                             &exchange->person, &refusal)) {
    case MICA_LOGIN_NONE:
        return false;
    case MICA_LOGIN_OPEN:
        return true;
    case MICA_LOGIN_STALE:
        exchange->stale = true;
        return true;
    case MICA_LOGIN_REFUSED:
        break;
    }
    mica_auth_turn_away(&refusal, &exchange->request, &exchange->arena,
                        &response);
    mica_login_turn_away(exchange, &response, refusal.status);
    return true;
}

bool
mica_login_admit(struct mica_http_exchange *exchange)
{
    const struct mica_http_request *request = &exchange->request;
    const struct mica_login_site *site;
    struct mica_text id;

    if (exchange->route->entry != MICA_ROUTE_COOKIE ||
        exchange->own_host != NULL || // [HOSTNAME-3]
        !mica_login_offered(exchange->http) ||
        has_header(request, "authorization") || // COOKIE-2
        mica_text_is(request->method, "OPTIONS"))
        return false;
    site = mica_login_site(exchange->http->auth);
    if (!mica_login_cookie_find(request, site->cookie, &id))
        return false;
    exchange->login = id;
    if (!mica_login_known(exchange))
        return false;
    if (exchange->refused == 0 && !is_safe(request->method) &&
        !mica_login_same_site(request, site->origin)) // COOKIE-3
        refuse_forged(exchange);
    return true;
}

// ---- To come back ----------------------------------------------------------------------

// The path and query that were asked for, as an address has them: what the path was
// decoded from is gone, so it is encoded anew.
static struct mica_text
target_of(struct mica_http_exchange *exchange)
{
    const struct mica_http_request *request = &exchange->request;
    struct mica_text path = exchange->whole_path;
    struct mica_buffer out;

    mica_buffer_init(&out, &exchange->arena, TARGET_BYTES);
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '/')
            mica_buffer_char(&out, '/');
        else
            mica_url_encode(&out, mica_text_slice(path, i, i + 1));
    }
    if (request->query.len > 0) {
        mica_buffer_char(&out, '?');
        mica_buffer_text(&out, request->query);
    }
    return !out.overflow && mica_login_target_valid(mica_buffer_as_text(&out))
               ? mica_buffer_as_text(&out)
               : MICA_LITERAL("/");
}

struct mica_text
mica_login_address(struct mica_http_exchange *exchange)
{
    const struct mica_login_site *site;
    struct mica_buffer out;

    if (!mica_login_offered(exchange->http))
        return (struct mica_text){NULL, 0};
    site = mica_login_site(exchange->http->auth);
    mica_buffer_init(&out, &exchange->arena, ADDRESS_BYTES);
    mica_buffer_text(&out, site->base);
    mica_buffer_text(&out, MICA_LITERAL("/login?to="));
    mica_url_encode(&out, target_of(exchange));
    return out.overflow ? (struct mica_text){NULL, 0}
                        : mica_buffer_as_text(&out);
}
