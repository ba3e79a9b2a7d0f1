// SPDX-License-Identifier: Apache-2.0
//
// Routes of pages that are open while their tools are written (mica dev).
#ifndef MICA_HTTP_DEV_EVENTS_H
#define MICA_HTTP_DEV_EVENTS_H

#include <microhttpd.h>

struct mica_http;
struct mica_http_exchange;

// "/dev/state": what came of each source that was saved, as JSON. "/dev/events": a
// stream with the event "changed" at its beginning and whenever that is another.
enum MHD_Result mica_dev_answer_state(struct mica_http_exchange *exchange);
enum MHD_Result mica_dev_answer_events(struct mica_http_exchange *exchange);

// Ends all such streams.
void mica_followers_end(struct mica_http *http);

#endif
