// SPDX-License-Identifier: Apache-2.0
//
// Many calls at once that wait for a model, and meanwhile calls of another kind: how many
// of the former are answered a second, and how long the latter take.
//
//     bench-app-crowd PORT CALL PROBE COUNT SECONDS PAUSE_US [SPREAD_MS]
//
// CALL and PROBE are files with a whole HTTP request each. For SECONDS the probe is sent
// alone, one every PAUSE_US. Then COUNT connections send the call, all in the same moment,
// and again when all have their answer, until SECONDS have passed; with SPREAD_MS they
// begin one after the other in that time, and each sends the next call when it has its
// answer. The time of a probe counts from the moment at which it was to be sent, so one
// that waits for the one before it has waited.
//
// Prints calls a second, microseconds of the shortest and of the longest call, and of the
// probes percentiles 50 and 99 alone, and 50 and 99 meanwhile.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    ROOM = 32768, // of a reply
    REQUEST = 8192,
    MOST_TIMES = 1 << 20,
    PATIENCE_MS = 60000
};

struct connection {
    int socket;
    double sent;
    size_t size;
    char text[ROOM];
};

struct request {
    char text[REQUEST];
    size_t size;
};

static unsigned short port;
static struct request call, probe;
static double pause_us;
static atomic_int phase; // 0: alone, 1: meanwhile, 2: the end
static double *times[2];
static size_t counts[2];

static void
fail(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

static double
now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void
request_read(const char *path, struct request *request)
{
    FILE *file = fopen(path, "r");

    if (file == NULL)
        fail(path, strerror(errno));
    request->size = fread(request->text, 1, sizeof request->text, file);
    (void)fclose(file);
}

// ---- Connections -------------------------------------------------------------------

static void
connection_open(struct connection *connection)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;

    connection->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    connection->size = 0;
    if (connection->socket < 0 ||
        connect(connection->socket, (struct sockaddr *)&address,
                sizeof address) != 0)
        fail("connect", strerror(errno));
    setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static void
request_send(struct connection *connection, const struct request *request)
{
    connection->size = 0;
    connection->sent = now_us();
    if (send(connection->socket, request->text, request->size, MSG_NOSIGNAL) !=
        (ssize_t)request->size)
        fail("send", strerror(errno));
}

// Reads what there is. Is the reply whole? One that is no result ends the program.
static bool
reply_read(struct connection *connection)
{
    ssize_t got = recv(connection->socket, connection->text + connection->size,
                       ROOM - 1 - connection->size, 0);
    char *body, *length;

    if (got <= 0)
        fail("recv", got == 0 ? "closed" : strerror(errno));
    connection->size += (size_t)got;
    connection->text[connection->size] = '\0';
    body = strstr(connection->text, "\r\n\r\n");
    length = strstr(connection->text, "\r\nContent-Length: ");
    if (body == NULL)
        return false;
    if (length == NULL || length > body)
        fail("no length", connection->text);
    if (connection->size <
        (size_t)(body + 4 - connection->text) + strtoul(length + 18, NULL, 10))
        return false;
    if (strstr(body, "\"structuredContent\"") == NULL)
        fail("no result", connection->text);
    return true;
}

// ---- The probe ---------------------------------------------------------------------

static void
wait_until(double at)
{
    struct timespec time = {.tv_sec = (time_t)(at / 1e6)};

    time.tv_nsec = (long)((at - (double)time.tv_sec * 1e6) * 1e3);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0)
        ;
}

static void *
probe_run(void *data)
{
    static struct connection connection;
    double due = now_us();

    (void)data;
    connection_open(&connection);
    for (int at; (at = atomic_load(&phase)) < 2; due += pause_us) {
        wait_until(due);
        request_send(&connection, &probe);
        while (!reply_read(&connection))
            ;
        if (counts[at] < MOST_TIMES)
            times[at][counts[at]++] = now_us() - due;
    }
    close(connection.socket);
    return NULL;
}

// ---- The crowd ---------------------------------------------------------------------

struct crowd {
    struct connection *connections;
    size_t count, answered;
    int poll;
    double shortest, longest;
};

static void
crowd_open(struct crowd *crowd, size_t count)
{
    crowd->count = count;
    crowd->connections = calloc(count, sizeof *crowd->connections);
    crowd->poll = epoll_create1(EPOLL_CLOEXEC);
    crowd->shortest = 1e18;
    if (crowd->connections == NULL || crowd->poll < 0)
        fail("memory", strerror(errno));
    for (size_t i = 0; i < count; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};
        connection_open(&crowd->connections[i]);
        epoll_ctl(crowd->poll, EPOLL_CTL_ADD, crowd->connections[i].socket,
                  &event);
    }
}

// Reads what has come. With `again` each that has its answer sends the next call.
static void
crowd_read(struct crowd *crowd, int wait_ms, bool again)
{
    struct epoll_event events[64];
    int ready = epoll_wait(crowd->poll, events, 64, wait_ms);

    if (ready == 0 && wait_ms == PATIENCE_MS)
        fail("crowd", "no answer comes");
    for (int i = 0; i < ready; i++) {
        struct connection *one = &crowd->connections[events[i].data.u64];
        double took;
        if (!reply_read(one))
            continue;
        took = now_us() - one->sent;
        crowd->shortest = took < crowd->shortest ? took : crowd->shortest;
        crowd->longest = took > crowd->longest ? took : crowd->longest;
        crowd->answered++;
        if (again)
            request_send(one, &call);
    }
}

// All at once, round after round. Returns calls a second.
static double
crowd_at_once(struct crowd *crowd, double seconds)
{
    double begin = now_us();

    do {
        size_t before = crowd->answered;
        for (size_t i = 0; i < crowd->count; i++)
            request_send(&crowd->connections[i], &call);
        while (crowd->answered - before < crowd->count)
            crowd_read(crowd, PATIENCE_MS, false);
    } while (now_us() - begin < seconds * 1e6);
    return (double)crowd->answered / (now_us() - begin) * 1e6;
}

// All the time. Returns calls a second after all have begun.
static double
crowd_spread(struct crowd *crowd, double seconds, double spread_us)
{
    double begin = now_us(), measured;
    size_t sent = 0, before;

    while (sent < crowd->count) {
        double due = begin + spread_us * (double)sent / (double)crowd->count;
        if (now_us() >= due)
            request_send(&crowd->connections[sent++], &call);
        else
            crowd_read(crowd, 1, true);
    }
    measured = now_us();
    before = crowd->answered;
    while (now_us() - measured < seconds * 1e6)
        crowd_read(crowd, 100, true);
    return (double)(crowd->answered - before) / (now_us() - measured) * 1e6;
}

// ---- The report --------------------------------------------------------------------

static int
compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double
percentile(int at, size_t percent)
{
    if (counts[at] == 0)
        fail("probe", "no time was taken");
    qsort(times[at], counts[at], sizeof **times, compare_times);
    return times[at][counts[at] * percent / 100];
}

int
main(int argc, char **argv)
{
    struct crowd crowd = {.count = 0};
    double seconds, rate;
    pthread_t thread;

    if (argc < 7) {
        fprintf(stderr, "usage: bench-app-crowd PORT CALL PROBE COUNT SECONDS "
                        "PAUSE_US [SPREAD_MS]\n");
        return 2;
    }
    port = (unsigned short)atoi(argv[1]);
    request_read(argv[2], &call);
    request_read(argv[3], &probe);
    seconds = strtod(argv[5], NULL);
    pause_us = strtod(argv[6], NULL);
    for (int i = 0; i < 2; i++)
        times[i] = calloc(MOST_TIMES, sizeof **times);
    crowd_open(&crowd, strtoul(argv[4], NULL, 10));
    pthread_create(&thread, NULL, probe_run, NULL);
    wait_until(now_us() + seconds * 1e6);
    atomic_store(&phase, 1);
    rate = argc > 7 ? crowd_spread(&crowd, seconds, strtod(argv[7], NULL) * 1e3)
                    : crowd_at_once(&crowd, seconds);
    atomic_store(&phase, 2);
    pthread_join(thread, NULL);
    printf("%.2f %.0f %.0f %.0f %.0f %.0f %.0f\n", rate, crowd.shortest,
           crowd.longest, percentile(0, 50), percentile(0, 99),
           percentile(1, 50), percentile(1, 99));
    return 0;
}
