// SPDX-License-Identifier: Apache-2.0
//
// One response of type text/event-stream: any thread queues events, and libmicrohttpd
// reads them on the I/O thread of the connection, which is suspended while the queue is
// empty. The queue is bounded: a stream whose client reads too slowly ends. A stream is
// small, as thousands may be open.
//
// Invariants:
//  SSE-1. Its I/O thread suspends the connection, in the callback that reads events. The
//         thread that queues an event resumes it once. Both hold the stream's lock, so no
//         connection is suspended while events wait.
//  SSE-2. `connection` is used only under the lock. It is NULL before the response is
//         queued and after libmicrohttpd is done with it, so that no thread resumes a
//         connection that has ended.
//  SSE-3. Once a stream has ended its connection is never suspended again, so that the
//         daemon can stop.
// Lock order: the stream's lock before those of libmicrohttpd.
#ifndef MICA_HTTP_EVENTS_SSE_H
#define MICA_HTTP_EVENTS_SSE_H

#include <stdatomic.h>

#include <microhttpd.h>

#include <mica/base.h>

struct mica_sse;

enum mica_sse_state {
    MICA_SSE_OPEN,
    MICA_SSE_ENDED, // by mica_sse_end
    MICA_SSE_GONE,  // the client disconnected
    MICA_SSE_FULL   // the client reads too slowly
};

// A stream without a reader yet, whose queue holds at most `max_bytes`. NULL for want
// of memory. Owner: the caller has one reference, the response will have another.
struct mica_sse *mica_sse_new(size_t max_bytes);
void mica_sse_hold(struct mica_sse *sse);
void mica_sse_drop(struct mica_sse *sse); // NULL is allowed

// The response to queue on `connection`, once, on its I/O thread, without
// headers. Owner: MHD_destroy_response. NULL for want of memory.
struct MHD_Response *mica_sse_response(struct mica_sse *sse,
                                       struct MHD_Connection *connection);

// Sees the bytes that are sent: the stream calls `read` with each piece, on the I/O
// thread of the connection, without the stream's lock. A caller sets it before
// mica_sse_response; `data` outlives the response.
struct mica_sse_tap {
    void (*read)(void *data, uint64_t number, struct mica_text bytes);
    void *data;
    uint64_t number; // for `read`
};
void mica_sse_tap(struct mica_sse *sse, const struct mica_sse_tap *tap);

// Queues a copy of an event: `id`, `data` and `retry_ms` as in http/events/event.h; an
// `id` without `data` is a priming event. Returns false if the client has disconnected,
// or if more than max_bytes would wait; then the stream has ended.
bool mica_sse_send(struct mica_sse *sse, struct mica_text id,
                   struct mica_text data, unsigned retry_ms);

// Queues bytes of the format: events, or the first lines of one. Returns false if they
// exceed max_bytes; they are dropped, and the stream stays open.
bool mica_sse_write(struct mica_sse *sse, struct mica_text events);

// As mica_sse_send, but an event that exceeds max_bytes is dropped and the stream stays
// open: for events that a client may miss.
bool mica_sse_offer(struct mica_sse *sse, struct mica_text data);

// Waits at most `wait_ms` until the queue can hold `size` more bytes. Returns false if
// it cannot, or if the stream has ended. Not on an I/O thread.
bool mica_sse_await(struct mica_sse *sse, size_t size, unsigned wait_ms);

// Queues a comment, so that no proxy closes the idle stream; not while events wait.
void mica_sse_keep_alive(struct mica_sse *sse);

// Ends the response after the queued events.
void mica_sse_end(struct mica_sse *sse);

// The same with one more event, which max_bytes does not bound. If `data` is one line,
// it is not copied: the caller keeps it until the response is done.
void mica_sse_end_with(struct mica_sse *sse, struct mica_text data);

// The client disconnected: discards the queue and resumes the connection, so that
// libmicrohttpd closes it.
void mica_sse_hang_up(struct mica_sse *sse);

enum mica_sse_state mica_sse_state(struct mica_sse *sse);

// Returns false once the client has disconnected or the stream has ended.
bool mica_sse_is_open(struct mica_sse *sse);

// Bytes of the body that libmicrohttpd has read; and how many that will be when it has
// read the queue: the position at which the last event ends.
size_t mica_sse_bytes(struct mica_sse *sse);
size_t mica_sse_position(struct mica_sse *sse);

#endif
