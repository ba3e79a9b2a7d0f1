// SPDX-License-Identifier: Apache-2.0
//
// HTTP with server-sent events, the transport of revision 2024-11-05, for
// clients that know no other: a GET of /sse is the stream on which all replies
// come, and its first event says where to post. One such stream is one client;
// what is agreed on with it lasts as long as the stream, in this process.
#ifndef MICA_HTTP_SSE_TRANSPORT_H
#define MICA_HTTP_SSE_TRANSPORT_H

#include <microhttpd.h>

#include <mica/base.h>

struct mica_http_sse;
struct mica_http_sse_client; // one stream
struct mica_http;
struct mica_http_exchange;

enum mica_status mica_http_sse_open(struct mica_http *http,
                                    struct mica_error *error,
                                    struct mica_http_sse **transport_out)
    MICA_MUST_USE;

// Takes no new streams; each ends once all that was posted to it is answered.
void mica_http_sse_drain(struct mica_http_sse *transport);

// Ends them all and cancels what runs; then, when nothing of it runs.
void mica_http_sse_end(struct mica_http_sse *transport);
void mica_http_sse_close(struct mica_http_sse **transport);

// Answers a request to one of its two paths, on the I/O thread.
enum MHD_Result mica_http_sse_answer(struct mica_http_exchange *exchange);

// ---- Turns of calls that clients were asked for, on a worker ------------------------

struct mica_message;
struct mica_kept_call;

// A turn of that call begins: the client whose it is, which stays for as long; NULL
// when it is that of none here.
struct mica_http_sse_client *
mica_http_sse_turn_begin(struct mica_http_sse *transport,
                         const struct mica_kept_call *kept);
void mica_http_sse_turn_notify(struct mica_http_sse_client *client,
                               struct mica_text notification);

// The turn is over, and has come to what `ended` says; NULL: it is tried again.
void mica_http_sse_turn_end(struct mica_http_sse_client *client,
                            struct mica_message *ended);

// Questions that were sent, and calls that wait now. Of NULL: none.
struct mica_http_sse_counts {
    size_t asked, waiting;
};
struct mica_http_sse_counts
mica_http_sse_counts(struct mica_http_sse *transport);

#endif
