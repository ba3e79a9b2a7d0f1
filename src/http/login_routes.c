// SPDX-License-Identifier: Apache-2.0
//
// /login, /login/callback and /logout. The I/O thread reads the request; the login
// thread asks the issuer and writes the response; the I/O thread sends it.
#include "http/http_login.h"

#include <string.h>

#include "http/http.h"
#include "http/http_refusal.h"
#include "page/site.h"
#include "protocol/response_header.h"
#include "serve/stored_sessions.h"

enum {
    COOKIE_BYTES = 512,
    VALUE_BYTES = 4000, // of a header
    CODE_BYTES = 4096,  // of a code of the issuer
    WORD_BYTES = 2048,  // of its other parameters
    PAGE_BYTES = 1 << 20
};

// ---- Responses ---------------------------------------------------------------------------

static struct mica_http_response *
response_make(struct mica_http_exchange *exchange, unsigned status)
{
    struct mica_http_response *response =
        mica_arena_zero(&exchange->arena, 1, sizeof *response);

    if (response == NULL)
        return NULL;
    response->status = status;
    mica_response_add(response, "Cache-Control", MICA_LITERAL("no-store"));
    mica_response_add(response, "Referrer-Policy", MICA_LITERAL("no-referrer"));
    return response;
}

// A cookie that scripts cannot read and other sites do not send along, but for a person
// who follows a link. Empty `id`: it goes.
static void
add_cookie(struct mica_http_exchange *exchange,
           struct mica_http_response *response, struct mica_text name,
           struct mica_text id, int64_t age_s)
{
    const struct mica_login_site *site = mica_login_site(exchange->http->auth);
    struct mica_buffer cookie;

    mica_buffer_init(&cookie, &exchange->arena, COOKIE_BYTES);
    mica_buffer_format(&cookie, "%.*s=%.*s; Path=%.*s", MICA_ARG(name),
                       MICA_ARG(id), MICA_ARG(site->base));
    if (site->base.len == 0)
        mica_buffer_char(&cookie, '/');
    if (age_s >= 0)
        mica_buffer_format(&cookie, "; Max-Age=%lld", (long long)age_s);
    mica_buffer_format(&cookie, "; HttpOnly; SameSite=Lax%s",
                       site->secure ? "; Secure" : "");
    mica_response_add(response, "Set-Cookie", mica_buffer_as_text(&cookie));
}

static enum MHD_Result
send_problem(struct mica_http_exchange *exchange, unsigned http_status,
             enum mica_status status, const char *why)
{
    struct mica_http_response response;

    mica_page_problem(exchange, http_status, status, &response, "%s", why);
    exchange->code = mica_status_code(status);
    return mica_exchange_send(exchange, &response);
}

// On the login thread: the request ends with this error.
static void
exchange_fail(struct mica_http_exchange *exchange,
              const struct mica_error *error)
{
    struct mica_http_response *response =
        mica_arena_alloc(&exchange->arena, sizeof *response);

    if (response == NULL)
        return;
    mica_page_problem(exchange, (unsigned)mica_status_http(error->status),
                      error->status, response, "%s", error->message);
    exchange->code = mica_status_code(error->status);
    exchange->made = response;
}

// On the login thread: hands back what it has written.
static void
exchange_return(struct mica_http_exchange *exchange)
{
    if (exchange->made == NULL) {
        exchange->refused = 503;
        exchange->why = "there is no memory for an answer; try again";
    }
    mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
}

static enum MHD_Result
hand_over(struct mica_http_exchange *exchange, void (*run)(void *exchange))
{
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_LOGIN, run, false))
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    return MHD_YES;
}

// ---- To the issuer -------------------------------------------------------------------------

static void
login_begin(void *data)
{
    struct mica_http_exchange *exchange = data;
    const struct mica_text party = {(const char *)exchange->party.bytes,
                                    sizeof exchange->party.bytes};
    struct mica_http_response *response;
    struct mica_error error;
    struct mica_text url, id, target;

    // It was read once before, on the I/O thread.
    if (!mica_login_query_find(exchange->request.query, "to",
                               MICA_LOGIN_TARGET_BYTES, &exchange->arena,
                               &target) ||
        target.len == 0)
        target = MICA_LITERAL("/");
    if (mica_login_begin(exchange->http->auth, party, target,
                         mica_session_store_now(), &exchange->arena, &error,
                         &url, &id) != MICA_OK) {
        exchange_fail(exchange, &error);
    } else if ((response = response_make(exchange, 303)) != NULL) {
        mica_response_add(response, "Location", url);
        add_cookie(exchange, response,
                   mica_login_site(exchange->http->auth)->pending_cookie, id,
                   MICA_LOGIN_PENDING_S);
        exchange->made = response;
    }
    exchange_return(exchange);
}

enum MHD_Result
mica_answer_login(struct mica_http_exchange *exchange)
{
    struct mica_text target;

    if (!mica_login_query_find(exchange->request.query, "to",
                               MICA_LOGIN_TARGET_BYTES, &exchange->arena,
                               &target) ||
        (target.len > 0 && !mica_login_target_valid(target)))
        return send_problem(exchange, 400, MICA_E_FORMAT,
                            "the page to return to (to) is no path of this "
                            "server: it begins with one slash, and names no "
                            "other host; sign in without it");
    (void)mica_exchange_find_party(exchange); // without one: that of all zeros
    return hand_over(exchange, login_begin);
}

// ---- Back ----------------------------------------------------------------------------------

static bool
reply_read(struct mica_http_exchange *exchange, struct mica_login_reply *out)
{
    const struct {
        const char *namez;
        size_t most;
        struct mica_text *text_out;
    } parts[] = {{"code", CODE_BYTES, &out->code},
                 {"state", WORD_BYTES, &out->state},
                 {"iss", WORD_BYTES, &out->issuer},
                 {"error", WORD_BYTES, &out->error}};
    bool good = true;

    for (size_t i = 0; i < MICA_COUNT(parts); i++)
        good = good && mica_login_query_find(
                           exchange->request.query, parts[i].namez,
                           parts[i].most, &exchange->arena, parts[i].text_out);
    return good &&
           mica_login_cookie_find(
               &exchange->request,
               mica_login_site(exchange->http->auth)->pending_cookie, &out->id);
}

// Sends the browser to the page that it came from, signed in.
static void
answer_signed_in(struct mica_http_exchange *exchange, struct mica_text id,
                 struct mica_text target)
{
    const struct mica_login_site *site = mica_login_site(exchange->http->auth);
    struct mica_http_response *response = response_make(exchange, 303);
    struct mica_buffer location;

    if (response == NULL)
        return;
    mica_buffer_init(&location, &exchange->arena, VALUE_BYTES);
    mica_buffer_text(&location, site->origin);
    mica_buffer_text(&location, site->base);
    mica_buffer_text(&location, target);
    mica_response_add(response, "Location", mica_buffer_as_text(&location));
    add_cookie(exchange, response, site->cookie, id, -1);
    add_cookie(exchange, response, site->pending_cookie,
               (struct mica_text){NULL, 0}, 0);
    exchange->made = response;
}

static void
login_finish(void *data)
{
    struct mica_http_exchange *exchange = data;
    struct mica_login_reply reply = {.id = {NULL, 0}};
    struct mica_text id, target;
    struct mica_error error;

    if (!reply_read(exchange, &reply))
        reply.id = (struct mica_text){NULL, 0}; // then it is of no sign-in
    if (mica_login_finish(exchange->http->auth, &reply,
                          mica_session_store_now(), &exchange->arena, &error,
                          &id, &target) == MICA_OK)
        answer_signed_in(exchange, id, target);
    else
        exchange_fail(exchange, &error);
    exchange_return(exchange);
}

enum MHD_Result
mica_answer_callback(struct mica_http_exchange *exchange)
{
    return hand_over(exchange, login_finish);
}

// ---- Out -----------------------------------------------------------------------------------

// Writes the page. If the issuer has a session of its own, the header Refresh sends the
// browser there.
static void
answer_signed_out(struct mica_http_exchange *exchange, struct mica_text url)
{
    const struct mica_login_site *login = mica_login_site(exchange->http->auth);
    struct mica_http_response *response = response_make(exchange, 200);
    struct mica_buffer page, policy, refresh;
    struct mica_site site;

    if (response == NULL)
        return;
    exchange->person = (struct mica_text){NULL, 0};
    site = mica_web_site(exchange);
    mica_buffer_init(&page, &exchange->arena, PAGE_BYTES);
    mica_buffer_init(&policy, &exchange->arena, PAGE_BYTES);
    mica_page_signed_out(&site, mica_login_address(exchange), url, &page);
    mica_page_policy(&policy);
    mica_response_add(response, "Content-Type",
                      MICA_LITERAL("text/html; charset=utf-8"));
    mica_response_add(response, "Content-Security-Policy",
                      mica_buffer_as_text(&policy));
    mica_response_add(response, "X-Content-Type-Options",
                      MICA_LITERAL("nosniff"));
    add_cookie(exchange, response, login->cookie, (struct mica_text){NULL, 0},
               0);
    if (url.len > 0) {
        mica_buffer_init(&refresh, &exchange->arena, VALUE_BYTES + 16);
        mica_buffer_text(&refresh, MICA_LITERAL("0; url="));
        mica_buffer_text(&refresh, url);
        mica_response_add(response, "Refresh", mica_buffer_as_text(&refresh));
    }
    response->body = mica_buffer_as_text(&page);
    if (!page.overflow && !policy.overflow)
        exchange->made = response;
}

static void
login_end(void *data)
{
    struct mica_http_exchange *exchange = data;
    struct mica_text url = {NULL, 0};

    if (exchange->login.len > 0)
        mica_login_end(exchange->http->auth, exchange->login,
                       mica_session_store_now(), &exchange->arena, &url);
    answer_signed_out(exchange, url);
    exchange_return(exchange);
}

enum MHD_Result
mica_answer_logout(struct mica_http_exchange *exchange)
{
    const struct mica_login_site *site = mica_login_site(exchange->http->auth);

    if (!mica_login_same_site(&exchange->request, site->origin))
        return send_problem(exchange, 403, MICA_E_CROSS_SITE,
                            "only a page of this server signs out "
                            "(Origin, Sec-Fetch-Site)");
    if (!mica_login_cookie_find(&exchange->request, site->cookie,
                                &exchange->login))
        exchange->login = (struct mica_text){NULL, 0};
    return hand_over(exchange, login_end);
}
