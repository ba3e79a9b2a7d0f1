// SPDX-License-Identifier: Apache-2.0
//
// A server over HTTP on a thread of the test, and a client of plain sockets.
#ifndef MICA_TESTS_HTTP_HOST_H
#define MICA_TESTS_HTTP_HOST_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "fixture.h"

// ---- The server, on a thread of the test -----------------------------------------

static struct {
    struct mica_server *server;
    struct mica_http_options options;
    struct mica_error error;
    enum mica_status status;
    pthread_t thread;
    atomic_int port;   // 0 until it listens
    atomic_bool ended; // `status` and `error` say how
} host;

static inline void
listens(void *user, unsigned port)
{
    (void)user;
    atomic_store(&host.port, (int)port);
}

static inline void *
serve(void *data)
{
    (void)data;
    host.status =
        mica_server_serve_http(host.server, &host.options, &host.error);
    atomic_store(&host.ended, true);
    return NULL;
}

// Starts the server in host.server. False when it ended instead of listening:
// then its thread is joined, and host.status and host.error say why.
static inline bool
server_listens(struct mica_http_options options)
{
    atomic_store(&host.port, 0);
    atomic_store(&host.ended, false);
    host.options = options;
    host.options.listen = "127.0.0.1:0";
    host.options.ready = listens;
    if (options.drain_s == 0)
        host.options.drain_s = -1; // few tests wait for that
    if (options.workers == 0)
        host.options.workers = 2;
    ck_assert_int_eq(pthread_create(&host.thread, NULL, serve, NULL), 0);
    UNIT_AWAIT(atomic_load(&host.port) > 0 || atomic_load(&host.ended));
    if (atomic_load(&host.port) > 0)
        return true;
    pthread_join(host.thread, NULL);
    return false;
}

// The server in host.server.
static inline void
start_server(struct mica_http_options options)
{
    ck_assert_msg(server_listens(options), "the server ended: %s",
                  host.error.message);
}

static inline void
start_with(struct mica_http_options options)
{
    host.server = fixture_open(64 * 1024);
    start_server(options);
}

static inline void
start(void)
{
    start_with((struct mica_http_options){.quiet = true});
}

static inline void
signal_end(void)
{
    ck_assert_int_eq(kill(getpid(), SIGTERM), 0);
}

static inline void
await_end(void)
{
    pthread_join(host.thread, NULL);
    ck_assert_msg(host.status == MICA_OK, "%s", host.error.message);
    mica_server_close(&host.server);
}

static inline void
stop(void)
{
    signal_end();
    await_end();
}

// ---- A client --------------------------------------------------------------------

static inline int
dial(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_port = htons((uint16_t)atomic_load(&host.port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static inline void
say_bytes(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = send(fd, bytes, size, MSG_NOSIGNAL);
        if (put < 0)
            return; // the test looks at what comes back
        bytes += put;
        size -= (size_t)put;
    }
}

static inline void
say(int fd, const char *text)
{
    say_bytes(fd, text, strlen(text));
}

// Reads one response: its head and the body that Content-Length announces. NULL
// when the connection ends first, or after `wait_ms`.
struct response {
    unsigned status;
    char text[64 * 1024]; // head and body, NUL-terminated
    const char *body;
};

static inline size_t
body_length(const char *head)
{
    const char *at = strcasestr(head, "\r\nContent-Length: ");

    if (strstr(head, " 304 ") == head + 8) // of what is not sent again
        return 0;
    return at != NULL ? strtoul(at + 18, NULL, 10) : 0;
}

static inline bool
hear_within(int fd, struct response *response, int wait_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    size_t length = 0;

    memset(response, 0, sizeof *response);
    for (;;) {
        char *end = strstr(response->text, "\r\n\r\n");
        if (end != NULL && length >= (size_t)(end + 4 - response->text) +
                                         body_length(response->text)) {
            response->body = end + 4;
            response->status = (unsigned)strtoul(response->text + 9, NULL, 10);
            return true;
        }
        if (length + 1 >= sizeof response->text || poll(&wait, 1, wait_ms) != 1)
            return false;
        ssize_t got =
            recv(fd, response->text + length,
                 end == NULL ? 1 // never into the next response
                             : (size_t)(end + 4 - response->text) +
                                   body_length(response->text) - length,
                 0);
        if (got <= 0)
            return false;
        length += (size_t)got;
    }
}

static inline bool
hear(int fd, struct response *response)
{
    return hear_within(fd, response, UNIT_PATIENCE_MS);
}

static inline bool
is_closed(int fd, int wait_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char byte;

    return poll(&wait, 1, wait_ms) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

#define HEAD                                                \
    "Host: localhost\r\nContent-Type: application/json\r\n" \
    "MCP-Protocol-Version: 2026-07-28\r\n"                  \
    "Mcp-Method: tools/call\r\n"

static inline void
ask_tool(int fd, const char *id, const char *tool, const char *arguments)
{
    const char *body = fixture_call(id, tool, arguments);
    char text[10000];

    (void)snprintf(text, sizeof text,
                   "POST /mcp HTTP/1.1\r\n" HEAD
                   "Mcp-Name: %s\r\nContent-Length: %zu\r\n\r\n%s",
                   tool, strlen(body), body);
    say(fd, text);
}

// A legacy call: no _meta, no headers of the protocol.
static inline void
ask_legacy(int fd, const char *tool)
{
    char body[512], text[1024];

    (void)snprintf(body, sizeof body,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                   "\"params\":{\"name\":\"%s\",\"arguments\":{}}}",
                   tool);
    (void)snprintf(text, sizeof text,
                   "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                   "application/json\r\nContent-Length: %zu\r\n\r\n%s",
                   strlen(body), body);
    say(fd, text);
}

// One request on a connection of its own.
static inline void
once(const char *request, struct response *r)
{
    int fd = dial();

    say(fd, request);
    ck_assert_msg(hear(fd, r), "no response to %s", request);
    close(fd);
}

// What a connection has received so far, ended by a zero byte.
struct heard {
    char text[256 * 1024];
    size_t length;
};

// Receives until `text` is there. False when it did not come within 8 s of the
// bytes before, or the connection ended.
static inline bool
hears(int fd, struct heard *heard, const char *text)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    while (strstr(heard->text, text) == NULL) {
        ssize_t got;
        if (heard->length + 1 >= sizeof heard->text ||
            poll(&wait, 1, UNIT_PATIENCE_MS) != 1)
            return false;
        got = recv(fd, heard->text + heard->length,
                   sizeof heard->text - 1 - heard->length, 0);
        if (got <= 0)
            return false;
        heard->length += (size_t)got;
        heard->text[heard->length] = '\0';
    }
    return true;
}

// The end of an event and of the piece that it came in: nothing of it is still to come.
#define WHOLE_EVENT "\n\n\r\n"

// Nothing comes on the connection for so long.
static inline bool
is_quiet(int fd, int ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    return poll(&wait, 1, ms) == 0;
}

#endif
