// SPDX-License-Identifier: Apache-2.0
//
// Streams of events over real sockets: what is sent arrives, in order, at once;
// a client that does not read is dropped; and the daemon can be stopped at any moment
// after the streams have ended.
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/events/event.h"
#include "http/events/sse.h"
#include "unit.h"

static const struct mica_text none = {NULL, 0};

// ---- The writer ------------------------------------------------------------------

static struct mica_text
written(struct mica_text id, struct mica_text data, unsigned retry_ms)
{
    static char room[4096];
    static struct mica_buffer buffer;

    buffer = (struct mica_buffer){
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    mica_event_write(&buffer, id, data, retry_ms);
    ck_assert(!buffer.overflow);
    return mica_buffer_as_text(&buffer);
}

#define WRITES(id_, data_, retry_, expected_)                    \
    do {                                                         \
        struct mica_text got_ =                                  \
            written(mica_text(id_), mica_text(data_), (retry_)); \
        ck_assert_msg(mica_text_is(got_, (expected_)), "%.*s",   \
                      MICA_ARG(got_));                           \
    } while (0)

START_TEST(an_event_is_its_fields_and_an_empty_line)
{
    WRITES("", "{\"a\":1}", 0, "data: {\"a\":1}\n\n");
    WRITES("4-1", "x", 0, "id: 4-1\ndata: x\n\n");
    WRITES("4-0", "", 1000, "id: 4-0\nretry: 1000\ndata: \n\n");
    WRITES("", "", 250, "retry: 250\n\n");
}
END_TEST

START_TEST(no_text_ends_its_event_or_begins_another)
{
    WRITES("", "a\n\ndata: b", 0, "data: a\ndata: \ndata: data: b\n\n");
    WRITES("", "a\r\nb\rc\n", 0, "data: a\ndata: b\ndata: c\ndata: \n\n");
    WRITES("1\nevent: x", "d", 0, "id: 1\ndata: d\n\n");
}
END_TEST

// ---- A server of streams -----------------------------------------------------------

enum {
    MOST = 64
};

static struct {
    struct MHD_Daemon *daemon;
    unsigned port;
    size_t max_bytes;
    atomic_size_t count, completed; // of streams
    struct mica_sse *streams[MOST];
} server;

static enum MHD_Result
answer(void *data, struct MHD_Connection *connection, const char *url,
       const char *method, const char *version, const char *upload,
       size_t *upload_size, void **state)
{
    static int begun;
    struct mica_sse *sse;
    struct MHD_Response *response;
    enum MHD_Result result;

    (void)data, (void)method, (void)version, (void)upload, (void)upload_size;
    if (*state == NULL) {
        *state = &begun;
        return MHD_YES;
    }
    sse = mica_sse_new(server.max_bytes);
    response = mica_sse_response(sse, connection);
    result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    if (strcmp(url, "/hello") == 0)
        mica_sse_send(sse, none, MICA_LITERAL("hello"), 0);
    server.streams[atomic_load(&server.count)] = sse;
    atomic_fetch_add(&server.count, 1);
    return result;
}

static void
completed(void *data, struct MHD_Connection *connection, void **state,
          enum MHD_RequestTerminationCode code)
{
    (void)data, (void)connection, (void)state, (void)code;
    atomic_fetch_add(&server.completed, 1);
}

static void
start(size_t max_bytes)
{
    const union MHD_DaemonInfo *info;

    server.max_bytes = max_bytes;
    server.daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO |
            MHD_ALLOW_SUSPEND_RESUME,
        0, NULL, NULL, answer, NULL, MHD_OPTION_NOTIFY_COMPLETED, completed,
        NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)8192, MHD_OPTION_END);
    ck_assert_ptr_nonnull(server.daemon);
    info = MHD_get_daemon_info(server.daemon, MHD_DAEMON_INFO_BIND_PORT);
    server.port = info->port;
}

// libmicrohttpd aborts the process if a connection is still suspended.
static void
stop(void)
{
    for (size_t i = 0; i < atomic_load(&server.count); i++)
        mica_sse_end(server.streams[i]);
    MHD_stop_daemon(server.daemon);
    for (size_t i = 0; i < atomic_load(&server.count); i++)
        mica_sse_drop(server.streams[i]);
}

static void
await(const atomic_size_t *counter, size_t least)
{
    UNIT_AWAIT(atomic_load(counter) >= least);
}

static int
dial(const char *path)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char request[128];
    int length = snprintf(request, sizeof request,
                          "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);

    address.sin_port = htons((uint16_t)server.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof address),
                     0);
    ck_assert_int_eq(send(fd, request, (size_t)length, MSG_NOSIGNAL), length);
    return fd;
}

// Reads until `text` has been seen; what came is in `seen`.
static char seen[1 << 16];

static bool
hears(int fd, const char *text)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    size_t length = 0;

    seen[0] = '\0';
    while (strstr(seen, text) == NULL) {
        if (poll(&wait, 1, UNIT_PATIENCE_MS) != 1 || length + 1 >= sizeof seen)
            return false;
        ssize_t got = recv(fd, seen + length, sizeof seen - 1 - length, 0);
        if (got <= 0)
            return false;
        length += (size_t)got;
        seen[length] = '\0';
    }
    return true;
}

// Reads to the end; how many bytes there were.
static size_t
drain(int fd)
{
    static char room[1 << 16];
    size_t total = 0;
    ssize_t got;

    while ((got = recv(fd, room, sizeof room, 0)) > 0)
        total += (size_t)got;
    return total;
}

static struct mica_sse *
stream(size_t number)
{
    await(&server.count, number + 1);
    return server.streams[number];
}

// ---- Sending -----------------------------------------------------------------------

START_TEST(what_is_sent_arrives_at_once)
{
    start(4096);
    int fd = dial("/hello");
    ck_assert(hears(fd, "data: hello\n\n"));
    for (int i = 0; i < 50; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "event number %d", i);
        ck_assert(mica_sse_send(stream(0), none, mica_text(text), 0));
        (void)snprintf(text, sizeof text, "event number %d\n\n", i);
        ck_assert_msg(hears(fd, text), "%s", seen);
    }
    mica_sse_end(stream(0));
    ck_assert(hears(fd, "0\r\n\r\n")); // the last chunk
    ck_assert(!mica_sse_is_open(stream(0)));
    ck_assert(!mica_sse_send(stream(0), none, MICA_LITERAL("late"), 0));
    close(fd);
    stop();
}
END_TEST

START_TEST(the_last_event_follows_what_waits_and_may_be_large)
{
    enum {
        BYTES = 3 << 20
    };
    char *large = malloc(BYTES);

    memset(large, 'a', BYTES);
    start(4096);
    int fd = dial("/hello");
    ck_assert(mica_sse_send(stream(0), none, MICA_LITERAL("first"), 0));
    mica_sse_end_with(stream(0), (struct mica_text){large, BYTES});
    shutdown(fd, SHUT_WR);
    ck_assert_uint_gt(drain(fd), BYTES);
    ck_assert_uint_eq(mica_sse_bytes(stream(0)),
                      strlen("data: hello\n\ndata: first\n\ndata: \n\n") +
                          BYTES);
    close(fd);
    stop();
    free(large);
}
END_TEST

START_TEST(a_keep_alive_is_a_comment)
{
    start(4096);
    int fd = dial("/hello");
    ck_assert(hears(fd, "hello\n\n"));
    mica_sse_keep_alive(stream(0));
    ck_assert(hears(fd, ":\n\n"));
    ck_assert(mica_sse_is_open(stream(0)));
    close(fd);
    stop();
}
END_TEST

// As fast as it can, waiting for room.
static void *
send_many(void *sse)
{
    for (int i = 0; i < 5000;) {
        if (mica_sse_await(sse, 64, 5000) &&
            mica_sse_offer(sse, MICA_LITERAL("*")))
            i++;
    }
    return NULL;
}

START_TEST(several_threads_send_into_one_stream)
{
    start(16 * 1024);
    int fd = dial("/");
    struct mica_sse *sse = stream(0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, send_many, sse), 0);
    static char room[4096];
    size_t lines = 0;

    while (lines < 4 * 5000) {
        ssize_t got = recv(fd, room, sizeof room, 0);
        ck_assert_int_gt(got, 0);
        for (ssize_t i = 0; i < got; i++)
            lines += room[i] == '*';
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(lines, 4 * 5000);
    close(fd);
    stop();
}
END_TEST

// ---- Clients that do not read, and clients that go --------------------------------------

START_TEST(a_client_that_never_reads_is_dropped_and_others_are_served)
{
    char text[1024];

    memset(text, 'x', sizeof text);
    start(64 * 1024);
    int deaf = dial("/");
    struct mica_sse *sse = stream(0);
    int fd = dial("/hello");
    size_t sent = 0;
    while (mica_sse_send(sse, none, (struct mica_text){text, sizeof text}, 0)) {
        sent++;
        ck_assert_uint_lt(sent, 100000); // the socket holds a few megabytes
    }
    ck_assert_int_eq(mica_sse_state(sse), MICA_SSE_FULL);
    ck_assert(hears(fd, "hello"));
    await(&server.completed, 1); // its connection is closed at once
    ck_assert(mica_sse_send(stream(1), none, MICA_LITERAL("on"), 0));
    ck_assert(hears(fd, "data: on"));
    close(deaf);
    close(fd);
    stop();
}
END_TEST

START_TEST(an_event_for_which_there_is_no_room_can_be_left_out)
{
    char text[1024];
    size_t taken = 0;

    memset(text, 'x', sizeof text);
    start(8 * 1024);
    int fd = dial("/");
    struct mica_sse *sse = stream(0);
    // Long enough that what the socket takes is with it: then there is no room.
    while (mica_sse_await(sse, sizeof text + 8, 2000)) {
        ck_assert(mica_sse_offer(sse, (struct mica_text){text, sizeof text}));
        taken++;
        ck_assert_uint_lt(taken, 100000);
    }
    ck_assert(!mica_sse_offer(sse, (struct mica_text){text, sizeof text}));
    ck_assert(mica_sse_is_open(sse));
    mica_sse_end_with(sse, MICA_LITERAL("the end"));
    shutdown(fd, SHUT_WR);
    ck_assert_uint_gt(drain(fd), taken * sizeof text);
    close(fd);
    stop();
}
END_TEST

START_TEST(a_hang_up_lets_a_suspended_connection_go)
{
    start(4096);
    int fd = dial("/hello");
    ck_assert(hears(fd, "hello"));
    mica_sse_hang_up(stream(0));
    await(&server.completed, 1);
    ck_assert_int_eq(mica_sse_state(stream(0)), MICA_SSE_GONE);
    ck_assert(!mica_sse_send(stream(0), none, MICA_LITERAL("x"), 0));
    close(fd);
    stop();
}
END_TEST

START_TEST(sending_to_a_client_that_reset_is_harmless)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    start(1 << 20);
    for (size_t i = 0; i < 20; i++) {
        int fd = dial("/");
        struct mica_sse *sse = stream(i);
        mica_sse_send(sse, none, MICA_LITERAL("one"), 0);
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(fd);
        for (int n = 0; n < 200; n++)
            mica_sse_send(sse, none, MICA_LITERAL("more"), 0);
        mica_sse_hang_up(sse); // as the watcher does
    }
    await(&server.completed, 20);
    stop();
}
END_TEST

START_TEST(streams_end_while_their_connections_sleep)
{
    int fds[MOST];

    start(4096);
    for (int i = 0; i < MOST; i++)
        fds[i] = dial("/hello");
    for (int i = 0; i < MOST; i++)
        ck_assert(hears(fds[i], "hello\n\n"));
    stop();
    for (int i = 0; i < MOST; i++) {
        (void)drain(fds[i]); // it ends
        close(fds[i]);
    }
}
END_TEST

UNIT_MAIN("sse", an_event_is_its_fields_and_an_empty_line,
          no_text_ends_its_event_or_begins_another,
          what_is_sent_arrives_at_once,
          the_last_event_follows_what_waits_and_may_be_large,
          a_keep_alive_is_a_comment, several_threads_send_into_one_stream,
          a_client_that_never_reads_is_dropped_and_others_are_served,
          an_event_for_which_there_is_no_room_can_be_left_out,
          a_hang_up_lets_a_suspended_connection_go,
          sending_to_a_client_that_reset_is_harmless,
          streams_end_while_their_connections_sleep)
