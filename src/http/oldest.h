// SPDX-License-Identifier: Apache-2.0
//
// HTTP with server-sent events, the transport of revision 2024-11-05, for
// clients that know no other: a GET of /sse is the stream on which all replies
// come, and its first event says where to post. One such stream is one client;
// what is agreed on with it lasts as long as the stream, in this process.
#ifndef MICA_HTTP_OLDEST_H
#define MICA_HTTP_OLDEST_H

#include <microhttpd.h>

#include <mica/base.h>

struct mica_oldest;
struct mica_client; // one stream
struct mica_http;
struct mica_http_exchange;

// A message of such a client that a worker has. In the exchange.
struct mica_posted {
    struct mica_posted *next;
    struct mica_client *client;
    struct mica_http_exchange *exchange;
};

enum mica_status mica_oldest_open(struct mica_http *http,
                                  struct mica_error *error,
                                  struct mica_oldest **oldest_out)
    MICA_MUST_USE;

// Takes no new streams; each ends once all that was posted to it is answered.
void mica_oldest_drain(struct mica_oldest *oldest);

// Ends them all and cancels what runs; then, when nothing of it runs.
void mica_oldest_end(struct mica_oldest *oldest);
void mica_oldest_close(struct mica_oldest **oldest);

// Answers a request to one of its two paths, on the I/O thread.
enum MHD_Result mica_oldest_answer(struct mica_http_exchange *exchange);

#endif
