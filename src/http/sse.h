// SPDX-License-Identifier: Apache-2.0
//
// One response of type text/event-stream: events come in from any thread, and
// libmicrohttpd takes them out on the I/O thread of the connection, which sleeps
// (suspended) while there are none. A stream that is not read fast enough is
// bounded, and ends. The thing is small: thousands may be open.
#ifndef MICA_HTTP_SSE_H
#define MICA_HTTP_SSE_H

#include <stdatomic.h>

#include <microhttpd.h>

#include <mica/base.h>

struct mica_sse;

// A stream that nobody reads yet; at most `max_bytes` wait in it.
// Owner: two references, one of who sends and one of the connection, which
// libmicrohttpd gives back when the connection ends. NULL for want of memory.
struct mica_sse *mica_sse_new(size_t max_bytes);
void mica_sse_drop(struct mica_sse *sse);

// The response to queue on `connection`, once, on its I/O thread. Takes the
// connection's reference.
struct MHD_Response *mica_sse_response(struct mica_sse *sse,
                                       struct MHD_Connection *connection);

// Adds an event: `data` on one line; `id` and `retry_ms` when not empty or 0. An
// empty `data` with an `id` is a priming event (an explicit empty data line).
// False when nobody reads any more or more than max_bytes would wait; then the
// stream has ended.
bool mica_sse_send(struct mica_sse *sse, struct mica_text id,
                   struct mica_text data, unsigned retry_ms);

// A comment line, which keeps what is in between from closing an idle stream.
bool mica_sse_keep_alive(struct mica_sse *sse);

// Nothing more will be sent: the response ends behind what waits.
void mica_sse_end(struct mica_sse *sse);

// False once the client is gone or the stream has ended.
bool mica_sse_is_open(const struct mica_sse *sse);

#endif
