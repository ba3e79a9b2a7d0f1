// SPDX-License-Identifier: Apache-2.0
//
// Lets the I/O threads stand still. libmicrohttpd calls nothing on an I/O thread but what
// belongs to a connection, so each thread is given a connection of its own: one end of a
// pair of sockets, whose beginning waits until the order is given. The other end is closed
// then, and libmicrohttpd ends the connection.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert.h"
#include "http/io_standstill.h"
#include "platform/clock.h"

enum {
    RETRY_MS = 10,
    DUPLICATES = 64 // attempts at a descriptor that selects its thread
};

void
mica_standstill_open(struct mica_standstill *standstill)
{
    pthread_condattr_t attributes;

    pthread_mutex_init(&standstill->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&standstill->moved, &attributes);
    pthread_condattr_destroy(&attributes);
}

void
mica_standstill_close(struct mica_standstill *standstill)
{
    pthread_cond_destroy(&standstill->moved);
    pthread_mutex_destroy(&standstill->lock);
}

// Moves `fd` to a number that is `index` modulo `count`: libmicrohttpd gives a connection
// to the thread that the number of its descriptor selects. Without such a number the
// connection goes to another thread.
static int
select_thread(int fd, unsigned index, unsigned count)
{
    for (int attempt = 0; attempt < DUPLICATES; attempt++) {
        unsigned above = ((unsigned)fd / count + 1) * count + index;
        int moved;

        if ((unsigned)fd % count == index)
            break;
        moved = fcntl(fd, F_DUPFD_CLOEXEC, (int)above);
        if (moved < 0)
            break;
        close(fd);
        fd = moved;
    }
    return fd;
}

// Gives a connection to an I/O thread. Returns its other end, which the caller closes, or
// -1: there was none to be had.
static int
call_thread(struct MHD_Daemon *daemon, unsigned index, unsigned count)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
                   ends) != 0)
        return -1;
    ends[1] = select_thread(ends[1], index, count);
    // It owns the descriptor from here on, even when it refuses.
    if (MHD_add_connection(daemon, ends[1], (struct sockaddr *)&address,
                           sizeof address) == MHD_YES)
        return ends[0];
    close(ends[0]);
    return -1;
}

// A thread with as many connections as it may have takes no other, and has taken the
// listener out of its set, or will soon: it is asked again for a while.
static int
call_until(struct MHD_Daemon *daemon, unsigned index, unsigned count,
           uint64_t until_ns)
{
    int end;

    while ((end = call_thread(daemon, index, count)) < 0 &&
           mica_clock_ns() < until_ns)
        (void)poll(NULL, 0, RETRY_MS);
    return end;
}

static void
wait_for_threads(struct mica_standstill *standstill, unsigned called)
{
    struct timespec until = mica_clock_after(MICA_STANDSTILL_MS);

    pthread_mutex_lock(&standstill->lock);
    while (standstill->arrived < called &&
           pthread_cond_timedwait(&standstill->moved, &standstill->lock,
                                  &until) == 0)
        ;
    pthread_mutex_unlock(&standstill->lock);
}

int
mica_standstill_quiesce(struct mica_standstill *standstill,
                        struct MHD_Daemon *daemon, unsigned io_threads)
{
    unsigned count = io_threads > 1 ? io_threads : 1, called = 0;
    uint64_t until = mica_clock_ns() + MICA_STANDSTILL_MS * UINT64_C(1000000);
    int ends[MICA_IO_THREADS], listener;

    MICA_ASSERT(count <= MICA_IO_THREADS);
    atomic_store(&standstill->state, MICA_STANDSTILL_BEGUN);
    for (unsigned i = 0; i < count; i++) {
        ends[called] = call_until(daemon, i, count, until);
        called += ends[called] >= 0;
    }
    if (called > 0)
        wait_for_threads(standstill, called);
    listener = MHD_quiesce_daemon(daemon);

    pthread_mutex_lock(&standstill->lock);
    atomic_store(&standstill->state, MICA_STANDSTILL_OVER);
    pthread_cond_broadcast(&standstill->moved);
    pthread_mutex_unlock(&standstill->lock);
    while (called > 0)
        close(ends[--called]);
    return listener;
}

bool
mica_standstill_takes(struct mica_standstill *standstill,
                      struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info;

    if (atomic_load_explicit(&standstill->state, memory_order_acquire) ==
        MICA_STANDSTILL_BEFORE)
        return false;
    info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (info == NULL || info->client_addr == NULL ||
        info->client_addr->sa_family != AF_UNIX)
        return false;
    pthread_mutex_lock(&standstill->lock);
    standstill->arrived++;
    pthread_cond_broadcast(&standstill->moved);
    while (atomic_load(&standstill->state) == MICA_STANDSTILL_BEGUN)
        pthread_cond_wait(&standstill->moved, &standstill->lock);
    pthread_mutex_unlock(&standstill->lock);
    return true;
}
