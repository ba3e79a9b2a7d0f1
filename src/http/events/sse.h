// SPDX-License-Identifier: Apache-2.0
//
// One response of type text/event-stream: events come in from any thread, and
// libmicrohttpd takes them out on the I/O thread of the connection, which sleeps
// (suspended) while the queue is empty. A stream that is not read fast enough is
// bounded, and ends. The thing is small: thousands may be open.
//
// Invariants:
//  E1. A connection is suspended by its own I/O thread, in the callback that
//      takes events out, and resumed once by the thread that puts something in: both
//      under the stream's lock, so none sleeps while something waits.
//  E2. `connection` is only touched under the lock and is NULL before the
//      response is queued and after libmicrohttpd has let go of it; so no
//      thread resumes a connection that is gone.
//  E3. Once a stream has ended its connection is never suspended again: the
//      daemon may be stopped.
// Locks: libmicrohttpd's own are taken inside the stream's, never around it.
#ifndef MICA_HTTP_EVENTS_SSE_H
#define MICA_HTTP_EVENTS_SSE_H

#include <stdatomic.h>

#include <microhttpd.h>

#include <mica/base.h>

struct mica_sse;

enum mica_sse_state {
    MICA_SSE_OPEN,
    MICA_SSE_ENDED, // by mica_sse_end
    MICA_SSE_GONE,  // the client has gone
    MICA_SSE_FULL   // it does not read what is sent
};

// A stream without a reader yet; at most `max_bytes` wait in it. NULL for want
// of memory. Owner: the caller has one reference, the response another.
struct mica_sse *mica_sse_new(size_t max_bytes);
void mica_sse_hold(struct mica_sse *sse);
void mica_sse_drop(struct mica_sse *sse); // NULL is allowed

// The response to queue on `connection`, once, on its I/O thread, without
// headers. Owner: MHD_destroy_response. NULL for want of memory.
struct MHD_Response *mica_sse_response(struct mica_sse *sse,
                                       struct MHD_Connection *connection);

// Adds an event: `id`, `data` and `retry_ms` as in http/events/event.h; an empty `data`
// with an `id` is a priming event. Copied. False when the reader has gone or
// more than max_bytes would wait; then the stream has ended.
bool mica_sse_send(struct mica_sse *sse, struct mica_text id,
                   struct mica_text data, unsigned retry_ms);

// The same with events, or the first lines of one, as they go out, for what
// mica_sse_send cannot say. What there is no room for is left out, and the stream
// stays open.
bool mica_sse_write(struct mica_sse *sse, struct mica_text events);

// The same as mica_sse_send, but an event for which there is no room is left out and the stream
// stays open. For what a client can do without.
bool mica_sse_offer(struct mica_sse *sse, struct mica_text data);

// Waits for `wait_ms` until there is room for `size` more bytes. False when
// there is no room then, or when the stream has ended. Not on an I/O thread.
bool mica_sse_await(struct mica_sse *sse, size_t size, unsigned wait_ms);

// A comment line, which keeps what is in between from closing an idle stream.
// Left out while something else waits.
void mica_sse_keep_alive(struct mica_sse *sse);

// Nothing more will be sent: the response ends behind what waits.
void mica_sse_end(struct mica_sse *sse);

// The same with one more event, which max_bytes does not bound. Borrowed until
// the response is done, when `data` is one line; that is what saves the copy.
void mica_sse_end_with(struct mica_sse *sse, struct mica_text data);

// The client has gone: whatever waits is thrown away, and the connection is let
// go.
void mica_sse_hang_up(struct mica_sse *sse);

enum mica_sse_state mica_sse_state(struct mica_sse *sse);

// False once the client is gone or the stream has ended.
bool mica_sse_is_open(struct mica_sse *sse);

// Bytes of the body that were handed to libmicrohttpd, and what that will be once
// all that waits has been: where an event that was just sent ends.
size_t mica_sse_bytes(struct mica_sse *sse);
size_t mica_sse_position(struct mica_sse *sse);

#endif
