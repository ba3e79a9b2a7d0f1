// SPDX-License-Identifier: Apache-2.0
//
// Browsers that sign in (auth/login.h): the routes /login, /login/callback and /logout,
// and the cookie of a login in place of a bearer token. What waits for the issuer runs
// on the login thread, while the connection is suspended (MICA_EXCHANGE_LOGIN).
//
//   COOKIE-1  A cookie counts on routes with MICA_ROUTE_COOKIE: pages, REST, and the
//             messages of the host page (/host/rpc), never /mcp.
//   COOKIE-2  A request with a header Authorization is one of a client; its cookie is not
//             read.
//   COOKIE-3  A request with the cookie that may change something comes from a page of
//             this site, or is refused.
#ifndef MICA_HTTP_LOGIN_H
#define MICA_HTTP_LOGIN_H

#include <microhttpd.h>

#include <mica/base.h>

struct mica_http;
struct mica_http_exchange;
struct mica_http_response;

enum {
    MICA_LOGIN_QUEUE = 64 // of requests that wait for the login thread
};

// Whether browsers can sign in.
bool mica_login_offered(const struct mica_http *http);

// Decides about a request by its cookie. False: it has none that counts, and is to be
// admitted as any other. True: it is let in, or refused (`auth_refusal`), or its
// token is renewed after its body was read (`stale`).
bool mica_login_admit(struct mica_http_exchange *exchange) MICA_MUST_USE;

// Its parts. The first finds the login of `exchange->login` and decides as above; false:
// no such login. The second refuses the request with a response that it copies.
bool mica_login_known(struct mica_http_exchange *exchange) MICA_MUST_USE;
void mica_login_turn_away(struct mica_http_exchange *exchange,
                          const struct mica_http_response *response,
                          enum mica_status status);

// Suspends a request that is `stale` until its token was renewed; and answers it then.
enum MHD_Result mica_login_wait(struct mica_http_exchange *exchange);
enum MHD_Result mica_login_renewed(struct mica_http_exchange *exchange);

// The address of /login for a person who is to come back to the page that was asked
// for, as an attribute has it; empty where people cannot sign in.
struct mica_text mica_login_address(struct mica_http_exchange *exchange);

// Of the table of routes.
enum MHD_Result mica_answer_login(struct mica_http_exchange *exchange);
enum MHD_Result mica_answer_callback(struct mica_http_exchange *exchange);
enum MHD_Result mica_answer_logout(struct mica_http_exchange *exchange);

#endif
