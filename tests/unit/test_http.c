// SPDX-License-Identifier: Apache-2.0
//
// The server over HTTP, with real sockets: what a client may send, how long it
// may take, what happens when it goes, and how the server ends.
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
    atomic_int port;
} host;

static void
listens(void *user, unsigned port)
{
    (void)user;
    atomic_store(&host.port, (int)port);
}

static void *
serve(void *data)
{
    (void)data;
    host.status =
        mica_server_serve_http(host.server, &host.options, &host.error);
    return NULL;
}

static void
start_with(struct mica_http_options options)
{
    host.server = fixture_open(64 * 1024);
    host.options = options;
    host.options.listen = "127.0.0.1:0";
    host.options.ready = listens;
    if (options.workers == 0)
        host.options.workers = 2;
    ck_assert_int_eq(pthread_create(&host.thread, NULL, serve, NULL), 0);
    fixture_await(&host.port, 1);
}

static void
start(void)
{
    start_with((struct mica_http_options){.quiet = true});
}

static void
signal_end(void)
{
    ck_assert_int_eq(kill(getpid(), SIGTERM), 0);
}

static void
await_end(void)
{
    pthread_join(host.thread, NULL);
    ck_assert_msg(host.status == MICA_OK, "%s", host.error.message);
    mica_server_close(&host.server);
}

static void
stop(void)
{
    signal_end();
    await_end();
}

// ---- A client --------------------------------------------------------------------

static int
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

static void
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

static void
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

static size_t
body_length(const char *head)
{
    const char *at = strcasestr(head, "\r\nContent-Length: ");

    return at != NULL ? strtoul(at + 18, NULL, 10) : 0;
}

static bool
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

static bool
hear(int fd, struct response *response)
{
    return hear_within(fd, response, 5000);
}

static bool
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

static void
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
static void
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

// ---- Ordinary requests -------------------------------------------------------------

START_TEST(several_calls_go_over_one_connection)
{
    static struct response r;

    start();
    int fd = dial();
    for (int i = 0; i < 5; i++) {
        ask_tool(fd, "7", "echo", "{\"a\":[1,2]}");
        ck_assert(hear(fd, &r));
        ck_assert_uint_eq(r.status, 200);
        ck_assert_ptr_nonnull(strstr(r.text, "Content-Type: application/json"));
        ck_assert_ptr_nonnull(strstr(r.body, "\"structuredContent\":{\"a\":"));
    }
    close(fd);
    stop();
}
END_TEST

START_TEST(requests_sent_ahead_are_answered_in_order)
{
    static struct response r;

    start();
    int fd = dial();
    for (int i = 0; i < 20; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "%d", i);
        ask_tool(fd, id, i % 2 == 0 ? "echo" : "missing", "{}");
    }
    for (int i = 0; i < 20; i++) {
        char wanted[32];
        (void)snprintf(wanted, sizeof wanted, "\"id\":%d,", i);
        ck_assert(hear(fd, &r));
        ck_assert_msg(strstr(r.body, wanted) != NULL, "%s", r.body);
    }
    close(fd);
    stop();
}
END_TEST

START_TEST(a_large_result_arrives_whole)
{
    enum {
        BYTES = 3 << 20
    };
    char *text = calloc(1, BYTES);
    size_t length = 0;
    ssize_t got;

    start();
    int fd = dial();
    const char *body = fixture_call("1", "large", "{}");
    char head[10000];
    (void)snprintf(head, sizeof head,
                   "POST /mcp HTTP/1.1\r\nConnection: close\r\n" HEAD
                   "Mcp-Name: large\r\nContent-Length: %zu\r\n\r\n%s",
                   strlen(body), body);
    say(fd, head);
    while ((got = recv(fd, text + length, BYTES - 1 - length, 0)) > 0)
        length += (size_t)got;
    char *end = strstr(text, "\r\n\r\n");
    ck_assert_ptr_nonnull(end);
    ck_assert_uint_eq(length, (size_t)(end + 4 - text) + body_length(text));
    ck_assert_uint_gt(length, 2u << 20); // as text and as structured content
    free(text);
    close(fd);
    stop();
}
END_TEST

START_TEST(two_hundred_connections_are_all_answered)
{
    enum {
        COUNT = 200
    };
    static struct response r;
    static int fds[COUNT];

    start();
    for (int i = 0; i < COUNT; i++) {
        fds[i] = dial();
        ck_assert_int_ge(fds[i], 0);
    }
    for (int round = 0; round < 3; round++) {
        // Fewer at a time than may wait for a worker.
        for (int i = 0; i < COUNT; i += 40) {
            for (int j = i; j < i + 40; j++)
                ask_tool(fds[j], "1", "echo", "{}");
            for (int j = i; j < i + 40; j++) {
                ck_assert(hear(fds[j], &r));
                ck_assert_uint_eq(r.status, 200);
            }
        }
    }
    for (int i = 0; i < COUNT; i++)
        close(fds[i]);
    stop();
}
END_TEST

START_TEST(connections_beyond_the_limit_wait_for_their_turn)
{
    static struct response r;
    int fds[4];

    start_with((struct mica_http_options){.quiet = true, .connections = 4});
    for (int i = 0; i < 4; i++) {
        fds[i] = dial();
        say(fds[i], "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        ck_assert(hear(fds[i], &r));
    }
    int late = dial();
    say(late, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ck_assert(!hear_within(late, &r, 200));
    close(fds[0]);
    ck_assert(hear(late, &r));
    for (int i = 1; i < 4; i++)
        close(fds[i]);
    close(late);
    stop();
}
END_TEST

// ---- Routes and headers --------------------------------------------------------------

// One request on a connection of its own.
static void
once(const char *request, struct response *r)
{
    int fd = dial();

    say(fd, request);
    ck_assert_msg(hear(fd, r), "no response to %s", request);
    close(fd);
}

START_TEST(every_route_refuses_other_hosts_and_origins)
{
    static const char *const routes[] = {
        "GET /healthz", "GET /",        "GET /other", "POST /mcp",
        "GET /mcp",     "OPTIONS /mcp", "DELETE /mcp"};
    static struct response r;
    char text[512];

    start();
    for (size_t i = 0; i < MICA_COUNT(routes); i++) {
        (void)snprintf(text, sizeof text,
                       "%s HTTP/1.1\r\nHost: evil.example\r\n\r\n", routes[i]);
        once(text, &r);
        ck_assert_uint_eq(r.status, 403);
        ck_assert_ptr_nonnull(strstr(r.body, "--allow-host"));
        ck_assert_ptr_nonnull(strstr(r.body, "FORBIDDEN"));
        (void)snprintf(text, sizeof text,
                       "%s HTTP/1.1\r\nHost: localhost\r\n"
                       "Origin: https://evil.example\r\n\r\n",
                       routes[i]);
        once(text, &r);
        ck_assert_uint_eq(r.status, 403);
        ck_assert_ptr_nonnull(strstr(r.body, "--allow-origin"));
    }
    stop();
}
END_TEST

START_TEST(other_paths_are_404_and_other_methods_405)
{
    static struct response r;

    start();
    once("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 404);
    ck_assert_ptr_nonnull(strstr(r.text, "application/problem+json"));
    ck_assert_ptr_nonnull(strstr(r.body, "\"code\":\"NOT_FOUND\""));
    once("DELETE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 405);
    ck_assert_ptr_nonnull(strstr(r.text, "Allow: GET, HEAD"));
    once("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 405);
    ck_assert_ptr_nonnull(strstr(r.text, "Allow: POST"));
    stop();
}
END_TEST

START_TEST(the_front_page_escapes_and_may_load_nothing)
{
    static struct response r;

    start();
    once("GET / HTTP/1.1\r\nHost: localhost:1234\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(strstr(r.text, "default-src 'none'"));
    ck_assert_ptr_nonnull(
        strstr(r.body, "fixture &lt;&amp;&gt; &quot;x&quot;"));
    ck_assert_ptr_null(strstr(r.body, "<&>"));
    ck_assert_ptr_nonnull(strstr(r.body, "http://localhost:1234/mcp"));
    ck_assert_ptr_nonnull(strstr(r.body, "<code>hold</code>"));
    stop();
}
END_TEST

START_TEST(a_head_that_is_too_large_or_doubled_is_refused)
{
    static struct response r;
    static char text[80 * 1024];
    size_t length;

    start();
    length = (size_t)snprintf(
        text, sizeof text, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ");
    memset(text + length, 'a', 60 * 1024);
    memcpy(text + length + 60 * 1024, "\r\n\r\n", 5);
    int fd = dial();
    say(fd, text);
    if (hear(fd, &r)) // or the connection is closed
        ck_assert_uint_eq(r.status, 431);
    close(fd);

    length = (size_t)snprintf(text, sizeof text,
                              "GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
    for (int i = 0; i < 70; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "X-%d: 1\r\n", i);
    (void)snprintf(text + length, sizeof text - length, "\r\n");
    once(text, &r);
    ck_assert_uint_eq(r.status, 431);

    once("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
         &r);
    ck_assert_uint_eq(r.status, 400);
    once("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
         "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         &r);
    ck_assert_uint_eq(r.status, 400);
    once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 200);
    stop();
}
END_TEST

// ---- Bodies ------------------------------------------------------------------------

START_TEST(a_body_that_is_too_large_is_refused_and_the_client_hears_it)
{
    enum {
        BYTES = 200 * 1024
    };
    static struct response r;
    static char body[BYTES];
    char head[512];

    start();
    memset(body, 'a', sizeof body);
    int fd = dial();
    (void)snprintf(head, sizeof head,
                   "POST /mcp HTTP/1.1\r\n" HEAD "Content-Length: %d\r\n\r\n",
                   BYTES);
    say(fd, head);
    say_bytes(fd, body, sizeof body);
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 413);
    ck_assert_ptr_nonnull(strstr(r.body, "LIMIT_EXCEEDED"));
    ask_tool(fd, "1", "echo", "{}"); // the same connection goes on
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    close(fd);

    // Without announcing its length.
    fd = dial();
    say(fd, "POST /mcp HTTP/1.1\r\n" HEAD "Transfer-Encoding: chunked\r\n\r\n");
    (void)snprintf(head, sizeof head, "%x\r\n", BYTES);
    say(fd, head);
    say_bytes(fd, body, sizeof body);
    say(fd, "\r\n0\r\n\r\n");
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 413);
    close(fd);

    // A client that asks first is told before it sends.
    fd = dial();
    (void)snprintf(head, sizeof head,
                   "POST /mcp HTTP/1.1\r\n" HEAD
                   "Expect: 100-continue\r\nContent-Length: %d\r\n\r\n",
                   BYTES);
    say(fd, head);
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 413);
    close(fd);
    stop();
}
END_TEST

START_TEST(a_body_may_come_in_pieces)
{
    static struct response r;
    const char *body;

    start();
    int fd = dial();
    body = fixture_call("1", "echo", "{\"slow\":true}");
    char head[512];
    (void)snprintf(head, sizeof head,
                   "POST /mcp HTTP/1.1\r\n" HEAD
                   "Mcp-Name: echo\r\nContent-Length: %zu\r\n\r\n",
                   strlen(body));
    say(fd, head);
    for (size_t i = 0; body[i] != '\0'; i++) {
        say_bytes(fd, body + i, 1);
        if (i % 16 == 0)
            fixture_sleep(1);
    }
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(strstr(r.body, "{\"slow\":true}"));
    close(fd);
    stop();
}
END_TEST

// ---- Time ------------------------------------------------------------------------------

START_TEST(a_request_that_trickles_in_is_cut_off)
{
    // The other client keeps its bytes coming, but in the head.
    const char *head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                       "Content-Length: 1000\r\n\r\n";

    start_with((struct mica_http_options){.quiet = true, .idle_timeout_s = 1});
    int body = dial(), line = dial(), closed = 0;
    say(body, head);
    say(line, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ");
    for (int i = 0; i < 100 && closed < 2; i++) {
        closed = (is_closed(body, 0) ? 1 : 0) + (is_closed(line, 0) ? 1 : 0);
        say(body, " ");
        say(line, "a");
        fixture_sleep(100);
    }
    ck_assert_int_eq(closed, 2);
    close(body);
    close(line);
    stop();
}
END_TEST

START_TEST(an_idle_connection_is_closed)
{
    start_with((struct mica_http_options){.quiet = true, .idle_timeout_s = 1});
    int fd = dial();
    ck_assert(is_closed(fd, 5000));
    close(fd);
    stop();
}
END_TEST

START_TEST(a_call_that_takes_longer_than_the_server_waits_is_ended)
{
    static struct response r;

    start_with((struct mica_http_options){.quiet = true, .idle_timeout_s = 1});
    int fd = dial();
    ask_tool(fd, "\"x\"", "hold", "{}");
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 504);
    ck_assert_ptr_nonnull(strstr(r.body, "\"id\":\"x\""));
    ck_assert_ptr_nonnull(strstr(r.body, "TIMEOUT"));
    ck_assert_int_eq(atomic_load(&seen->cancelled), 1);
    close(fd);
    stop();
}
END_TEST

// ---- Clients that go -------------------------------------------------------------------

START_TEST(a_modern_client_that_goes_cancels_its_call)
{
    start();
    int fd = dial();
    ask_tool(fd, "1", "hold", "{}");
    fixture_await(&seen->started, 1);
    close(fd);
    fixture_await(&seen->cancelled, 1);
    stop();
}
END_TEST

START_TEST(a_half_closed_connection_cancels_its_call)
{
    start();
    int fd = dial();
    ask_tool(fd, "1", "hold", "{}");
    fixture_await(&seen->started, 1);
    shutdown(fd, SHUT_WR);
    fixture_await(&seen->cancelled, 1);
    ck_assert(is_closed(fd, 5000));
    close(fd);
    stop();
}
END_TEST

START_TEST(a_client_that_goes_before_a_worker_is_free_costs_nothing)
{
    int fds[3];

    start_with((struct mica_http_options){.quiet = true, .workers = 1});
    for (int i = 0; i < 3; i++) {
        fds[i] = dial();
        ask_tool(fds[i], "1", i == 0 ? "hold" : "deaf", "{}");
        if (i == 0)
            fixture_await(&seen->started, 1);
    }
    fixture_sleep(50);
    close(fds[1]);
    close(fds[2]);
    fixture_sleep(50);
    atomic_store(&seen->release, true);
    fixture_await(&seen->finished, 1);
    close(fds[0]);
    stop();
    ck_assert_int_eq(atomic_load(&seen->started), 1); // "deaf" never ran
}
END_TEST

START_TEST(a_legacy_client_that_goes_does_not_cancel)
{
    start();
    int fd = dial();
    ask_legacy(fd, "hold");
    fixture_await(&seen->started, 1);
    close(fd);
    fixture_sleep(100);
    ck_assert_int_eq(atomic_load(&seen->cancelled), 0);
    atomic_store(&seen->release, true);
    fixture_await(&seen->finished, 1);
    stop();
}
END_TEST

START_TEST(clients_that_come_and_go_leave_nothing_behind)
{
    static struct response r;

    start();
    for (int i = 0; i < 300; i++) {
        int fd = dial();
        ask_tool(fd, "1", "hold", "{}");
        if (i % 3 == 0)
            fixture_sleep(1);
        close(fd);
    }
    once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 200);
    for (int i = 0; i < 500; i++) {
        once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
        if (strstr(r.body, "\"requests\":1,\"tasks\":0") != NULL)
            break;
        fixture_sleep(10);
    }
    ck_assert_ptr_nonnull(strstr(r.body, "\"requests\":1,\"tasks\":0"));
    stop();
}
END_TEST

// ---- Too much --------------------------------------------------------------------------

START_TEST(a_full_queue_refuses_and_recovers)
{
    enum {
        COUNT = 80
    }; // one worker, 64 waiting
    static struct response r;
    static int fds[COUNT];
    int busy = 0, good = 0;

    start_with((struct mica_http_options){.quiet = true, .workers = 1});
    for (int i = 0; i < COUNT; i++) {
        fds[i] = dial();
        ask_tool(fds[i], "5", "hold", "{}");
        if (i == 0)
            fixture_await(&seen->started, 1);
    }
    once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 200); // health is not behind the queue
    fixture_sleep(200);
    atomic_store(&seen->release, true);
    for (int i = 0; i < COUNT; i++) {
        ck_assert(hear(fds[i], &r));
        if (r.status == 503) {
            ck_assert_ptr_nonnull(strstr(r.text, "Retry-After: 1"));
            ck_assert_ptr_nonnull(strstr(r.body, "\"code\":\"BUSY\""));
            ck_assert_ptr_nonnull(strstr(r.body, "\"id\":5"));
            busy++;
        } else {
            ck_assert_uint_eq(r.status, 200);
            good++;
        }
        close(fds[i]);
    }
    ck_assert_int_eq(good, 65);
    ck_assert_int_eq(busy, COUNT - 65);
    stop();
}
END_TEST

// ---- The end ---------------------------------------------------------------------------

START_TEST(told_to_end_it_answers_what_runs_and_takes_no_more)
{
    static struct response r;

    start();
    int fd = dial(), idle = dial();
    ask_tool(fd, "1", "hold", "{}");
    fixture_await(&seen->started, 1);
    signal_end();
    for (int i = 0; i < 500; i++) { // until it has stopped listening
        int late = dial();
        if (late < 0)
            break;
        close(late);
        fixture_sleep(10);
    }
    ck_assert_int_lt(dial(), 0);
    atomic_store(&seen->release, true);
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(strstr(r.text, "Connection: close"));
    await_end();
    ck_assert(is_closed(idle, 1000));
    ck_assert_int_eq(atomic_load(&seen->cancelled), 0);
    close(fd);
    close(idle);
}
END_TEST

START_TEST(told_twice_it_cancels_what_runs)
{
    start();
    int fd = dial();
    ask_tool(fd, "1", "hold", "{}");
    fixture_await(&seen->started, 1);
    signal_end();
    fixture_sleep(100);
    signal_end();
    await_end();
    ck_assert_int_eq(atomic_load(&seen->cancelled), 1);
    close(fd);
}
END_TEST

START_TEST(a_handler_that_does_not_end_is_reported)
{
    start();
    int fd = dial();
    ask_tool(fd, "1", "deaf", "{}");
    fixture_await(&seen->started, 1);
    signal_end();
    fixture_sleep(100);
    signal_end();
    pthread_join(host.thread, NULL);
    ck_assert_int_eq(host.status, MICA_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(host.error.message, "mica_cancelled"));
    close(fd);
    // What is left must not be closed: the process ends here.
}
END_TEST

// ---- Starting --------------------------------------------------------------------------

static enum mica_status
try_serve(const char *listen, bool consent, const char *const *names,
          struct mica_error *error)
{
    struct mica_server *server = fixture_open(0);
    struct mica_http_options options = {.listen = listen,
                                        .public_address = consent,
                                        .allowed_hosts = names,
                                        .quiet = true};
    enum mica_status status = mica_server_serve_http(server, &options, error);

    mica_server_close(&server);
    return status;
}

START_TEST(an_address_that_others_reach_needs_consent_and_a_name)
{
    static const char *const names[] = {"mica.example", NULL};
    static const char *const addresses[] = {"0.0.0.0:0", "[::]:0",
                                            "192.0.2.1:80"};
    struct mica_error error;

    for (size_t i = 0; i < MICA_COUNT(addresses); i++) {
        ck_assert_int_eq(try_serve(addresses[i], false, names, &error),
                         MICA_E_USAGE);
        ck_assert_int_eq(try_serve(addresses[i], true, NULL, &error),
                         MICA_E_USAGE);
        ck_assert_ptr_nonnull(strstr(error.message, "--public"));
        ck_assert_ptr_nonnull(strstr(error.message, "--allow-host"));
    }
}
END_TEST

START_TEST(an_address_that_is_none_is_refused_with_an_example)
{
    static const char *const addresses[] = {"",
                                            "8080",
                                            ":8080",
                                            "127.0.0.1",
                                            "host:80",
                                            "[::1:80",
                                            "::1:80",
                                            "127.0.0.1:",
                                            "1.2.3.4:99999",
                                            "127.0.0.1:8 0",
                                            "[]:80",
                                            "127.0.0.1:-1"};
    struct mica_error error;

    for (size_t i = 0; i < MICA_COUNT(addresses); i++) {
        ck_assert_msg(try_serve(addresses[i], true, NULL, &error) ==
                          MICA_E_USAGE,
                      "%s", addresses[i]);
        ck_assert_ptr_nonnull(strstr(error.message, "127.0.0.1:8080"));
    }
}
END_TEST

START_TEST(a_port_that_is_taken_is_an_error)
{
    struct mica_error error;
    char listen[32];

    start();
    (void)snprintf(listen, sizeof listen, "127.0.0.1:%d",
                   atomic_load(&host.port));
    ck_assert_int_eq(try_serve(listen, false, NULL, &error), MICA_E_IO);
    ck_assert_ptr_nonnull(strstr(error.message, "another port"));
    stop();
}
END_TEST

// ---- The log ---------------------------------------------------------------------------

START_TEST(the_log_has_a_line_per_request_and_no_secret)
{
    static struct response r;
    static char text[64 * 1024];
    int pipes[2], saved = dup(STDERR_FILENO);
    size_t length = 0;
    ssize_t got;

    ck_assert_int_eq(pipe(pipes), 0);
    ck_assert_int_ge(dup2(pipes[1], STDERR_FILENO), 0);
    close(pipes[1]);
    start_with((struct mica_http_options){.quiet = false});
    int fd = dial();
    ask_tool(fd, "1", "echo", "{\"password\":\"hunter2\"}");
    ck_assert(hear(fd, &r));
    close(fd);
    once("GET /a\"b?token=hunter2 HTTP/1.1\r\nHost: localhost\r\n"
         "Authorization: Bearer hunter2\r\n\r\n",
         &r);
    stop();
    ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
    while ((got = read(pipes[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    ck_assert_ptr_null(strstr(text, "hunter2"));
    ck_assert_ptr_null(strstr(text, "password"));

    struct mica_arena arena;
    struct mica_json line;
    size_t lines = 0;
    mica_arena_init(&arena, 1 << 20);
    for (char *at = strtok(text, "\n"); at != NULL; at = strtok(NULL, "\n")) {
        lines++;
        ck_assert_int_eq(
            mica_json_read(&arena, mica_text(at), NULL, NULL, &line), MICA_OK);
        UNIT_TEXT_EQ(mica_json_get_text(&line, "outcome"), "ok");
        if (lines == 1) {
            UNIT_TEXT_EQ(mica_json_get_text(&line, "rpc"), "tools/call");
            UNIT_TEXT_EQ(mica_json_get_text(&line, "tool"), "echo");
            UNIT_TEXT_EQ(mica_json_get_text(&line, "version"), "2026-07-28");
        } else {
            UNIT_TEXT_EQ(mica_json_get_text(&line, "path"), "/a\"b");
            UNIT_TEXT_EQ(mica_json_get(&line, "status")->text, "404");
        }
    }
    ck_assert_uint_eq(lines, 2);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("http", several_calls_go_over_one_connection,
          requests_sent_ahead_are_answered_in_order,
          a_large_result_arrives_whole,
          two_hundred_connections_are_all_answered,
          connections_beyond_the_limit_wait_for_their_turn,
          every_route_refuses_other_hosts_and_origins,
          other_paths_are_404_and_other_methods_405,
          the_front_page_escapes_and_may_load_nothing,
          a_head_that_is_too_large_or_doubled_is_refused,
          a_body_that_is_too_large_is_refused_and_the_client_hears_it,
          a_body_may_come_in_pieces, a_request_that_trickles_in_is_cut_off,
          an_idle_connection_is_closed,
          a_call_that_takes_longer_than_the_server_waits_is_ended,
          a_modern_client_that_goes_cancels_its_call,
          a_half_closed_connection_cancels_its_call,
          a_client_that_goes_before_a_worker_is_free_costs_nothing,
          a_legacy_client_that_goes_does_not_cancel,
          clients_that_come_and_go_leave_nothing_behind,
          a_full_queue_refuses_and_recovers,
          told_to_end_it_answers_what_runs_and_takes_no_more,
          told_twice_it_cancels_what_runs,
          a_handler_that_does_not_end_is_reported,
          an_address_that_others_reach_needs_consent_and_a_name,
          an_address_that_is_none_is_refused_with_an_example,
          a_port_that_is_taken_is_an_error,
          the_log_has_a_line_per_request_and_no_secret)
