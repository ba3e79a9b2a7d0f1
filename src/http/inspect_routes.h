// SPDX-License-Identifier: Apache-2.0
//
// Routes of the Inspector (mica dev), for a browser on this machine and for pages of
// this server alone. Others get 403 with FORBIDDEN.
#ifndef MICA_HTTP_INSPECT_ROUTES_H
#define MICA_HTTP_INSPECT_ROUTES_H

#include <microhttpd.h>

struct mica_http;
struct mica_http_exchange;

// "/inspect": the page.
enum MHD_Result mica_inspect_page(struct mica_http_exchange *exchange);

// "/inspect/exchanges": what clients have asked, without bodies; "?after=CHANGE" only
// what is newer. "/inspect/exchanges/NUMBER": one exchange with its bodies.
enum MHD_Result mica_inspect_exchanges(struct mica_http_exchange *exchange);

// "/inspect/events": a stream with the same as the event "exchanges", at its beginning
// and whenever something is newer.
enum MHD_Result mica_inspect_events(struct mica_http_exchange *exchange);

// Ends all such streams.
void mica_inspect_events_end(struct mica_http *http);

#endif
