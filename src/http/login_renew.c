// SPDX-License-Identifier: Apache-2.0
//
// A request whose login has an expired token: the login thread gets a new one from the
// issuer while the connection is suspended; then the request is admitted again.
#include "http/app_caller.h"
#include "http/http.h"
#include "http/http_login.h"
#include "serve/stored_sessions.h"

// On the login thread.
static void
login_renew(void *data)
{
    struct mica_http_exchange *exchange = data;
    struct mica_error error;

    if (mica_login_refresh(exchange->http->auth, exchange->login,
                           mica_session_store_now(), &exchange->arena,
                           &error) == MICA_OK) {
        mica_exchange_resume(exchange, MICA_EXCHANGE_STEP);
        return;
    }
    exchange->refused = 503;
    exchange->why =
        mica_arena_text(&exchange->arena, mica_text(error.message)).ptr;
    if (exchange->why == NULL)
        exchange->why = "the issuer cannot be reached; try again";
    mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
}

enum MHD_Result
mica_login_wait(struct mica_http_exchange *exchange)
{
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_LOGIN, login_renew,
                                 false))
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    return MHD_YES;
}

enum MHD_Result
mica_login_renewed(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;
    enum mica_status status;

    exchange->stale = false;
    if (!mica_login_known(exchange)) { // the issuer has ended it
        exchange->login = (struct mica_text){NULL, 0};
        if (!mica_exchange_is_anonymous(exchange) &&
            !mica_auth_admit(exchange->http->auth, &exchange->request,
                             mica_exchange_app(exchange), &exchange->arena,
                             &exchange->principal, &response, &status))
            mica_login_turn_away(exchange, &response, status);
    }
    if (exchange->auth_refusal != NULL)
        return mica_exchange_send(exchange, exchange->auth_refusal);
    if (exchange->refused != 0 || exchange->stale)
        return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                    "the token of this login is being renewed; "
                                    "try again");
    return mica_route_answer(exchange);
}
