// SPDX-License-Identifier: Apache-2.0
//
// HTTP+SSE, the transport of revision 2024-11-05, for clients that support no other: a
// GET of /sse opens a stream, whose first event names the path to post to, and which
// carries all replies. Each stream is a client of its own; its initialization and its
// subscriptions last as long as the stream, in this process.
#ifndef MICA_HTTP_SSE_TRANSPORT_H
#define MICA_HTTP_SSE_TRANSPORT_H

#include <microhttpd.h>

#include <mica/base.h>

struct mica_http_sse;
struct mica_http_sse_client; // one stream
struct mica_http;
struct mica_app_exposure;
struct mica_http_exchange;

enum mica_status mica_http_sse_open(struct mica_http *http,
                                    struct mica_error *error,
                                    struct mica_http_sse **transport_out)
    MICA_MUST_USE;

// Accepts no new streams; each ends once all its posted messages are answered.
void mica_http_sse_drain(struct mica_http_sse *transport);

// Ends all streams and cancels their messages. _close requires that none of them runs.
void mica_http_sse_end(struct mica_http_sse *transport);
// Ends the streams at the endpoint with that key (mica_registry_has_ended); with `now` only
// those whose callers it does not admit.
void mica_http_sse_end_at(struct mica_http_sse *transport,
                          struct mica_text endpoint,
                          const struct mica_app_exposure *now);
void mica_http_sse_close(struct mica_http_sse **transport);

// Answers a request to /sse or /messages, on the I/O thread.
enum MHD_Result mica_http_sse_answer(struct mica_http_exchange *exchange);

// ---- Background turns, on a worker --------------------------------------------------

struct mica_message;
struct mica_kept_call;

// Begins a turn of that call. Returns the client that began the call, which stays until
// the turn ends; NULL if it is no client of this process.
struct mica_http_sse_client *
mica_http_sse_turn_begin(struct mica_http_sse *transport,
                         const struct mica_kept_call *kept);
void mica_http_sse_turn_notify(struct mica_http_sse_client *client,
                               struct mica_text notification);

// Ends the turn, and sends the result in `ended`. NULL: the turn will be retried.
void mica_http_sse_turn_end(struct mica_http_sse_client *client,
                            struct mica_message *ended);

// Questions sent, and calls that wait now. `transport` may be NULL: both are 0.
struct mica_http_sse_counts {
    size_t asked, waiting;
};
struct mica_http_sse_counts
mica_http_sse_counts(struct mica_http_sse *transport);

#endif
