// SPDX-License-Identifier: Apache-2.0
//
// Routes of `mica dev`, for pages that show the state of the tool sources.
#ifndef MICA_HTTP_DEV_EVENTS_H
#define MICA_HTTP_DEV_EVENTS_H

#include <microhttpd.h>

struct mica_http;
struct mica_http_exchange;

// "/dev/state": the build state of each source, as JSON. "/dev/events": a stream, which
// gets the event "changed" at its beginning and whenever that state changes.
enum MHD_Result mica_dev_answer_state(struct mica_http_exchange *exchange);
enum MHD_Result mica_dev_answer_events(struct mica_http_exchange *exchange);

// Ends all streams of "/dev/events".
void mica_followers_end(struct mica_http *http);

#endif
