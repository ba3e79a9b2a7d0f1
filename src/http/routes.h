// SPDX-License-Identifier: Apache-2.0
//
// The table of routes: which function answers which path. Host and Origin, sizes, tokens,
// the log and the metrics are the same for all routes; a row has what differs.
#ifndef MICA_HTTP_ROUTES_H
#define MICA_HTTP_ROUTES_H

#include <microhttpd.h>

#include <mica/base.h>

struct mica_http;
struct mica_http_exchange;
struct mica_server;

// The paths of a route besides its own.
enum {
    MICA_ROUTE_UNDER = 1,       // all paths below it
    MICA_ROUTE_OF_ENDPOINT = 2, // the same paths below each endpoint
    MICA_ROUTE_OF_SANDBOX = 4,  // under the names of sandboxes (sandbox_page.h)
    MICA_ROUTE_OF_APP = 8,   // below each endpoint of a source, and only there
    MICA_ROUTE_OF_HOST = 16, // at a host name of an app, and only there
    MICA_ROUTE_AT_HOST = 32, // there, too
    MICA_ROUTE_NOT_AT_HOST = 64 // below an app, but not at its host name
};

// Who may use a route where `auth` is on.
enum mica_route_entry {
    MICA_ROUTE_TOKEN,  // clients with an access token
    MICA_ROUTE_COOKIE, // these, and browsers in which a person is signed in
    MICA_ROUTE_STYLE,  // files of pages: anyone, if people can sign in
    MICA_ROUTE_OPEN    // anyone
};

struct mica_route {
    const char *path; // the whole path; NULL: `serves` alone decides
    size_t length;    // of that
    unsigned reach;   // MICA_ROUTE_…, or-ed
    enum mica_route_entry entry;
    bool speaks_mcp;  // a refusal is an error of JSON-RPC
    bool speaks_apps; // a refusal has the form of the API of apps (app_api.h)
    const char *surface; // as the Inspector names it; NULL: not shown there
    const char *methods; // as in Allow; NULL: `answer` checks the method
    // Does this server have the route? NULL: always.
    bool (*serves)(const struct mica_http *http, struct mica_text path);
    enum MHD_Result (*answer)(struct mica_http_exchange *exchange);
};

// The path of row 0, 1, …; empty if `serves` alone decides; NULL after the last.
const char *mica_route_path(size_t row);

// Sets the route and the endpoint of a request by its path. For an endpoint, moves the
// endpoint's path from the path to the base path of the request. A path without a route
// gets one that answers 404. OPTIONS is answered by the server itself, whatever endpoint is
// there. Returns false for want of memory.
bool mica_route_find(struct mica_http_exchange *exchange) MICA_MUST_USE;

// The server answers paths with and without the base path. Checks that no own path and
// no endpoint begins with the base path, so that each request has one meaning. From here
// on the registry refuses such endpoints (mica_registry_reserve). Errors: MICA_E_USAGE.
enum mica_status mica_route_check_base(struct mica_server *server,
                                       struct mica_text base,
                                       struct mica_error *error) MICA_MUST_USE;

// Answers a request that was read whole, by its route; with 405 if the route has no such
// method. On the I/O thread.
enum MHD_Result mica_route_answer(struct mica_http_exchange *exchange);

// Answer a request of MCP, and one of REST (message_answer.c).
enum MHD_Result mica_answer_message(struct mica_http_exchange *exchange);
enum MHD_Result mica_answer_rest(struct mica_http_exchange *exchange);

// Do the next step of a request of MCP: _begun for one whose message has begun, with
// its deliveries to other requests first; _step after those.
enum MHD_Result mica_answer_begun(struct mica_http_exchange *exchange);
enum MHD_Result mica_answer_step(struct mica_http_exchange *exchange);

#endif
