// SPDX-License-Identifier: Apache-2.0
//
// Which path is answered by what: one table. Host and Origin, sizes, tokens, the
// log and the metrics are the same for all of them; what differs is in a row.
#ifndef MICA_HTTP_ROUTES_H
#define MICA_HTTP_ROUTES_H

#include <microhttpd.h>

#include <mica/base.h>

struct mica_http;
struct mica_http_exchange;
struct mica_server;

// Which paths a route has beside its own.
enum {
    MICA_ROUTE_UNDER = 1,      // what lies under it
    MICA_ROUTE_OF_ENDPOINT = 2 // the same below the path of each endpoint
};

struct mica_route {
    const char *path;    // the whole path; NULL: `serves` alone decides
    size_t length;       // of that
    unsigned reach;      // MICA_ROUTE_…, or-ed
    bool open;           // answers those, too, who do not say who they are
    bool speaks_mcp;     // a refusal by the adapter is one of JSON-RPC
    const char *methods; // as Allow lists them; NULL: `answer` sees to it
    // Is it there now? NULL: always.
    bool (*serves)(const struct mica_http *http, struct mica_text path);
    enum MHD_Result (*answer)(struct mica_http_exchange *exchange);
};

// The path of row 0, 1, …; empty where `serves` alone decides; NULL behind the last.
const char *mica_route_path(size_t row);

// Sets route and endpoint of a request by its path. Below an endpoint the path is what
// follows that of the endpoint, which joins the base of the request's addresses.
// Where nothing is, the route says so. False for want of memory.
bool mica_route_find(struct mica_http_exchange *exchange) MICA_MUST_USE;

// Can requests for the server's own paths, and for its endpoints, be told from those
// behind the base path, as both are answered? From here on no endpoint is published that
// cannot (mica_registry_reserve). Errors: MICA_E_USAGE.
enum mica_status mica_route_check_base(struct mica_server *server,
                                       struct mica_text base,
                                       struct mica_error *error) MICA_MUST_USE;

// Answers a request that has been read whole, by its route: also when the route has
// no such method. On the I/O thread.
enum MHD_Result mica_route_answer(struct mica_http_exchange *exchange);

// A request of MCP and one of REST, for the table (message_answer.c).
enum MHD_Result mica_answer_message(struct mica_http_exchange *exchange);
enum MHD_Result mica_answer_rest(struct mica_http_exchange *exchange);

// The next step of a request of MCP that was resumed.
// The next step of a message that has begun: what it does to others first, once.
enum MHD_Result mica_answer_begun(struct mica_http_exchange *exchange);
enum MHD_Result mica_answer_step(struct mica_http_exchange *exchange);

#endif
