// SPDX-License-Identifier: Apache-2.0
//
// Daemons of libmicrohttpd that stop accepting while clients come: what the process
// survives, and whom the standstill waits for.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "http/io_standstill.h"
#include "platform/clock.h"
#include "unit.h"

enum {
    ROUNDS = 5,
    PAUSE_US = 20000,
    CONNECTIONS = 64
};

struct bench {
    struct mica_standstill standstill;
    struct MHD_Daemon *daemon;
    uint16_t port;
    atomic_int taken, others;
    atomic_bool stops; // the clients
};

static pthread_t program; // the thread that stops accepting

// libmicrohttpd's calls come here. The program's thread pauses where it has given the
// order and has not removed the listener yet. An I/O thread that runs then sees the order,
// and removes the listener too; it pauses for longer, so that there is nothing left.
__attribute__((visibility("default"))) int
epoll_ctl(int set, int what, int fd, struct epoll_event *event)
{
    if (what == EPOLL_CTL_DEL)
        usleep(pthread_equal(pthread_self(), program) ? PAUSE_US
                                                      : 2 * PAUSE_US);
    return (int)syscall(SYS_epoll_ctl, set, what, fd, event);
}

static enum MHD_Result
answer(void *data, struct MHD_Connection *connection, const char *url,
       const char *method, const char *version, const char *upload,
       size_t *upload_size, void **request)
{
    (void)data;
    (void)connection;
    (void)url;
    (void)method;
    (void)version;
    (void)upload;
    (void)upload_size;
    (void)request;
    return MHD_NO;
}

static void
connected(void *data, struct MHD_Connection *connection, void **link,
          enum MHD_ConnectionNotificationCode code)
{
    struct bench *bench = data;

    (void)link;
    if (code != MHD_CONNECTION_NOTIFY_STARTED)
        return;
    if (mica_standstill_takes(&bench->standstill, connection))
        atomic_fetch_add(&bench->taken, 1);
    else
        atomic_fetch_add(&bench->others, 1);
}

static void
open_daemon(struct bench *bench, unsigned io_threads)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener =
        socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct MHD_OptionItem more[] = {
        {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)io_threads, NULL},
        {MHD_OPTION_END, 0, NULL}};

    if (io_threads < 2)
        more[0].option = MHD_OPTION_END;
    *bench = (struct bench){.daemon = NULL};
    program = pthread_self();
    mica_standstill_open(&bench->standstill);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, length), 0);
    ck_assert_int_eq(listen(listener, 128), 0);
    getsockname(listener, (struct sockaddr *)&address, &length);
    bench->port = ntohs(address.sin_port);
    bench->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO |
            MHD_ALLOW_SUSPEND_RESUME,
        0, NULL, NULL, answer, NULL, MHD_OPTION_LISTEN_SOCKET, listener,
        MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, MHD_OPTION_NOTIFY_CONNECTION,
        connected, bench, MHD_OPTION_ARRAY, more, MHD_OPTION_END);
    ck_assert_ptr_nonnull(bench->daemon);
}

static void
close_daemon(struct bench *bench, int listener)
{
    MHD_stop_daemon(bench->daemon);
    mica_standstill_close(&bench->standstill);
    close(listener);
}

// The descriptor of a connection, or -1. A full backlog is not waited for.
static int
connect_to(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons(port)};
    struct timeval most = {.tv_usec = 50000};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

// Comes and goes until it may not, and so keeps the I/O threads awake.
static void *
visit(void *data)
{
    struct bench *bench = data;

    while (!atomic_load(&bench->stops)) {
        int fd = connect_to(bench->port);

        if (fd >= 0)
            close(fd);
    }
    return NULL;
}

static void
stop_while_clients_come(unsigned io_threads)
{
    struct bench bench;
    pthread_t clients[2];
    int listener;

    open_daemon(&bench, io_threads);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&clients[i], NULL, visit, &bench), 0);
    while (atomic_load(&bench.others) < 8)
        unit_sleep(1);
    listener =
        mica_standstill_quiesce(&bench.standstill, bench.daemon, io_threads);
    ck_assert_int_ge(listener, 0);
    shutdown(listener, SHUT_RDWR);
    atomic_store(&bench.stops, true);
    for (int i = 0; i < 2; i++)
        pthread_join(clients[i], NULL);
    close_daemon(&bench, listener);
    ck_assert_int_le(atomic_load(&bench.taken),
                     io_threads > 1 ? (int)io_threads : 1);
}

START_TEST(a_thread_that_works_stands_still_first)
{
    for (int i = 0; i < ROUNDS; i++)
        stop_while_clients_come(1);
}
END_TEST

START_TEST(so_does_each_thread_of_a_pool)
{
    for (int i = 0; i < ROUNDS; i++)
        stop_while_clients_come(3);
}
END_TEST

START_TEST(each_thread_is_called_once)
{
    struct bench bench;
    int listener;

    open_daemon(&bench, 5);
    listener = mica_standstill_quiesce(&bench.standstill, bench.daemon, 5);
    UNIT_AWAIT(atomic_load(&bench.taken) >= 5);
    ck_assert_int_eq(atomic_load(&bench.taken), 5);
    ck_assert_int_eq(atomic_load(&bench.others), 0);
    shutdown(listener, SHUT_RDWR);
    ck_assert_int_eq(connect_to(bench.port), -1);
    close_daemon(&bench, listener);
}
END_TEST

START_TEST(a_daemon_without_room_is_told_all_the_same)
{
    struct bench bench;
    int fds[CONNECTIONS], listener;
    uint64_t begun;

    open_daemon(&bench, 1);
    for (int i = 0; i < CONNECTIONS; i++)
        fds[i] = connect_to(bench.port);
    UNIT_AWAIT(atomic_load(&bench.others) >= CONNECTIONS);
    ck_assert_int_eq(atomic_load(&bench.others), CONNECTIONS);
    begun = mica_clock_ns();
    listener = mica_standstill_quiesce(&bench.standstill, bench.daemon, 1);
    ck_assert_int_ge(listener, 0);
    ck_assert_uint_lt(mica_clock_ns() - begun,
                      (MICA_STANDSTILL_MS + UNIT_PATIENCE_MS) * 1000000ull);
    ck_assert_int_eq(atomic_load(&bench.taken), 0);
    for (int i = 0; i < CONNECTIONS; i++)
        close(fds[i]);
    close_daemon(&bench, listener);
}
END_TEST

UNIT_MAIN("io_standstill", a_thread_that_works_stands_still_first,
          so_does_each_thread_of_a_pool, each_thread_is_called_once,
          a_daemon_without_room_is_told_all_the_same)
