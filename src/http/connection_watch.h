// SPDX-License-Identifier: Apache-2.0
//
// A thread that watches over connections where libmicrohttpd does not look: it
// notices that a client has gone while its call runs on a worker or its stream
// is idle (the connection is suspended then), it ends what takes too long (a
// request that trickles in, a suspended call, a reply that is not read), and it
// keeps idle streams from being closed on the way.
//
// Invariants:
//  W1. A link's socket is open between mica_watch_add and mica_watch_remove.
//  W2. `cancelled` is only touched under the lock, between _suspend and
//      _resume; so it never points into a request that is gone.
//  W3. An event is believed only if it carries the link's present generation.
//  W4. A link holds its stream. Streams are called without the lock: theirs and
//      libmicrohttpd's are never taken inside it.
#ifndef MICA_HTTP_CONNECTION_WATCH_H
#define MICA_HTTP_CONNECTION_WATCH_H

#include <stdatomic.h>

#include "http/events/sse.h"
#include "http/http_guard.h"

struct mica_watch;

// Why a suspended call was cancelled.
enum mica_link_end {
    MICA_LINK_OPEN,
    MICA_LINK_GONE,
    MICA_LINK_LATE
};

// One connection.
struct mica_link {
    uint32_t index, generation;
    int fd;                       // -1: free
    _Atomic uint64_t deadline_ms; // of the coarse clock
    atomic_bool *cancelled;       // of the suspended call, or NULL
    bool hangup;                  // it is cancelled when the client has gone
    bool armed;                   // in the epoll
    uint64_t limit_ms;            // of the suspended call
    struct mica_sse *stream;      // that goes out on it, or NULL
    uint64_t next_keep_alive_ms;  // when it is kept alive next
    enum mica_link_end ending;
    struct mica_guard guard; // the I/O thread's
};

// Whose guard it is.
struct mica_link *mica_link_of_guard(const struct mica_guard *guard);

// For at most `connections`; deadlines are looked at every `tick_ms`.
enum mica_status mica_watch_open(size_t connections, unsigned tick_ms,
                                 struct mica_error *error,
                                 struct mica_watch **watch_out) MICA_MUST_USE;
void mica_watch_close(struct mica_watch **watch);

// NULL when there are too many.
struct mica_link *mica_watch_add(struct mica_watch *watch, int fd,
                                 uint64_t deadline_ms);
void mica_watch_remove(struct mica_watch *watch, struct mica_link *link);

// From here on `*cancelled` is set when the deadline passes and, with `hangup`,
// when the client closes its side. Until then the deadline shuts the socket.
void mica_watch_suspend(struct mica_watch *watch, struct mica_link *link,
                        atomic_bool *cancelled, bool hangup,
                        uint64_t deadline_ms);

// Ends that, and says whether it happened.
enum mica_link_end mica_watch_resume(struct mica_watch *watch,
                                     struct mica_link *link);

// From here on `sse`, which is sent on that connection, learns when the client
// has gone (mica_sse_hang_up), and is kept alive. A call that is suspended there
// stays watched as well: its deadline cancels it first, and shuts the socket
// when that has not helped for as long again.
void mica_watch_stream(struct mica_watch *watch, struct mica_link *link,
                       struct mica_sse *sse);

// Ends that.
void mica_watch_unstream(struct mica_watch *watch, struct mica_link *link);

// Much memory was given back: the thread soon returns it to the system.
void mica_watch_trim(struct mica_watch *watch);

// Half-closes the connections whose clients wait for nothing now and at the last look
// (mica_guard_half_close), and says how many connections there are.
size_t mica_watch_half_close(struct mica_watch *watch);

// Cancels every suspended call.
void mica_watch_cancel_all(struct mica_watch *watch);

#endif
