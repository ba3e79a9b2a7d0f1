// SPDX-License-Identifier: Apache-2.0
//
// Stops accepting connections while the I/O threads of libmicrohttpd stand still.
// MHD_quiesce_daemon removes the listener from the epoll set of each I/O thread, and so
// does the I/O thread itself once it sees the order. If the program's thread is quicker,
// the I/O thread finds nothing to remove, and the library aborts the process (0.9.75,
// MHD_epoll in daemon.c).
#ifndef MICA_HTTP_IO_STANDSTILL_H
#define MICA_HTTP_IO_STANDSTILL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <microhttpd.h>

enum {
    MICA_IO_THREADS = 256,    // of a daemon
    MICA_STANDSTILL_MS = 1000 // for which an I/O thread is waited for
};

enum mica_standstill_state {
    MICA_STANDSTILL_BEFORE, // no connection serves it
    MICA_STANDSTILL_BEGUN,  // I/O threads come to it and wait
    MICA_STANDSTILL_OVER    // they work again; a later one does not wait
};

struct mica_standstill {
    pthread_mutex_t lock; // protects the count, and moves of the state
    pthread_cond_t moved; // one of the two changed
    unsigned arrived;     // I/O threads that came
    _Atomic(enum mica_standstill_state) state;
};

// Owner: the caller closes it, once the daemon has stopped.
void mica_standstill_open(struct mica_standstill *standstill);
void mica_standstill_close(struct mica_standstill *standstill);

// Calls MHD_quiesce_daemon, once for a standstill, and returns the listener. The daemon has
// `io_threads` threads (0: 1; at most MICA_IO_THREADS). For one that has as many
// connections as it may, it waits up to MICA_STANDSTILL_MS. On a thread of the program.
int mica_standstill_quiesce(struct mica_standstill *standstill,
                            struct MHD_Daemon *daemon, unsigned io_threads);

// Called for each connection that begins, on its I/O thread. Returns true for one that
// only serves the standstill, after waiting for its end.
bool mica_standstill_takes(struct mica_standstill *standstill,
                           struct MHD_Connection *connection);

#endif
