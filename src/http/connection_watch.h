// SPDX-License-Identifier: Apache-2.0
//
// The connection watcher: a thread that does what libmicrohttpd does not do for its
// connections. It detects that a client disconnected while its connection is suspended
// (its call runs on a worker, or its stream is idle). It ends slow requests, calls past
// their deadline, and replies that are not read. It keeps idle streams alive.
//
// Invariants:
//  WATCH-1. A link's socket is open between mica_watch_add and mica_watch_remove.
//  WATCH-2. `cancelled` is used only under the lock, between _suspend and _resume; so it
//           never points into a request that has ended.
//  WATCH-3. An event of epoll counts only if it has the current generation of the link.
//  WATCH-4. A link has a reference to its stream. Functions of streams are called without
//           the lock: the locks of streams and of libmicrohttpd are never locked inside
//           it.
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
    _Atomic uint64_t deadline_ms; // on the coarse clock
    atomic_bool *cancelled;       // of the suspended call, or NULL
    bool hangup;                  // a disconnect cancels the call
    bool armed;                   // epoll reports a disconnect
    uint64_t limit_ms;            // of the suspended call
    struct mica_sse *stream;      // sent on this connection, or NULL
    uint64_t next_keep_alive_ms;  // of the stream
    enum mica_link_end ending;
    struct mica_guard guard; // used by the I/O thread
};

// The link of a guard.
struct mica_link *mica_link_of_guard(const struct mica_guard *guard);

// Watches at most `connections`, and checks the deadlines every `tick_ms`.
enum mica_status mica_watch_open(size_t connections, unsigned tick_ms,
                                 struct mica_error *error,
                                 struct mica_watch **watch_out) MICA_MUST_USE;
void mica_watch_close(struct mica_watch **watch);

// Returns NULL if there are too many.
struct mica_link *mica_watch_add(struct mica_watch *watch, int fd,
                                 uint64_t deadline_ms);
void mica_watch_remove(struct mica_watch *watch, struct mica_link *link);

// From here on the watcher sets `*cancelled` at the deadline and, with `hangup`, when
// the client disconnects. Without a suspended call the watcher shuts the socket at the
// deadline.
void mica_watch_suspend(struct mica_watch *watch, struct mica_link *link,
                        atomic_bool *cancelled, bool hangup,
                        uint64_t deadline_ms);

// Ends that. Returns whether and why the call was cancelled.
enum mica_link_end mica_watch_resume(struct mica_watch *watch,
                                     struct mica_link *link);

// From here on the watcher keeps `sse`, which is sent on that connection, alive, and
// calls mica_sse_hang_up when the client disconnects. If a call is suspended there, its
// deadline cancels the call first; after the same time again it shuts the socket.
void mica_watch_stream(struct mica_watch *watch, struct mica_link *link,
                       struct mica_sse *sse);

// Ends that.
void mica_watch_unstream(struct mica_watch *watch, struct mica_link *link);

// Has the watcher return freed memory to the system, soon.
void mica_watch_trim(struct mica_watch *watch);

// Half-closes the connections that are quiet now and were at the last call
// (mica_guard_half_close). Returns how many connections there are.
size_t mica_watch_half_close(struct mica_watch *watch);

// Cancels every suspended call.
void mica_watch_cancel_all(struct mica_watch *watch);

#endif
