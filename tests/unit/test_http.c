// SPDX-License-Identifier: Apache-2.0
//
// What a client may send over HTTP: requests, routes, heads and bodies. How long
// it may take and how things end is in test_http_end.c.
#include "http_host.h"

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
    once("PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
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
    ask_tool(fd, "1", "echo", "{}"); // the same connection continues
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
            unit_sleep(1);
    }
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(strstr(r.body, "{\"slow\":true}"));
    close(fd);
    stop();
}
END_TEST

// ---- REST ----------------------------------------------------------------------------

START_TEST(a_query_arrives_as_it_was_sent)
{
    static struct response r;

    start();
    once("GET /api?after=ec%68o HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_null(strstr(r.body, "\"name\":\"echo\""));
    once("GET /api?after=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 400);
    ck_assert_ptr_nonnull(strstr(r.body, "%zz"));
    // The next request of the connection has none.
    int fd = dial();
    for (int i = 0; i < 3; i++) {
        say(fd, i == 1 ? "GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n"
                       : "GET /api?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        ck_assert(hear(fd, &r));
        ck_assert_uint_eq(r.status, i == 1 ? 200 : 422);
    }
    close(fd);
    stop();
}
END_TEST

// The memory of a request is taken when its first line is there.
START_TEST(a_request_whose_headers_never_come_leaves_nothing)
{
    static struct response r;
    char large[9000];

    start();
    for (int i = 0; i < 20; i++) {
        int fd = dial();
        say(fd, "GET /api?a=1 HTTP/1.1\r\nHost: local");
        unit_sleep(2);
        close(fd);
    }
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    for (int i = 0; i < 3; i++) {
        int fd = dial();
        say(fd, "GET /api?a=1 HTTP/1.1\r\nX-Large: ");
        say(fd, large);
        say(fd, "\r\n\r\n");
        ck_assert(!hear(fd, &r) || r.status >= 400);
        close(fd);
    }
    once("GET /healthz?x HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(strstr(r.body, "\"requests\":1,"));
    stop();
}
END_TEST

START_TEST(a_call_of_rest_waits_for_a_worker)
{
    static struct response r;

    start();
    int fd = dial();
    say(fd, "POST /api/hold HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\nContent-Length: 2\r\n\r\n{}");
    fixture_await(&seen->started, 1);
    once("POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
         "application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
         &r);
    ck_assert_uint_eq(r.status, 200);
    ck_assert_str_eq(r.body, "{\"a\":1}");
    atomic_store(&seen->release, true);
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    close(fd);
    stop();
}
END_TEST

START_TEST(a_client_of_rest_that_goes_cancels_its_call)
{
    start();
    int fd = dial();
    say(fd, "POST /api/hold HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\nContent-Length: 2\r\n\r\n{}");
    fixture_await(&seen->started, 1);
    close(fd);
    fixture_await(&seen->cancelled, 1);
    stop();
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
          a_body_may_come_in_pieces, a_query_arrives_as_it_was_sent,
          a_request_whose_headers_never_come_leaves_nothing,
          a_call_of_rest_waits_for_a_worker,
          a_client_of_rest_that_goes_cancels_its_call)
