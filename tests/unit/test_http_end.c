// SPDX-License-Identifier: Apache-2.0
//
// How long things over HTTP may take and how they end: slow clients, clients
// that go, a full queue, draining; how the server starts, and its log.
#include <mica/tool.h>

#include "http_host.h"
#include "scrape.h"

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
        unit_sleep(100);
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
    ck_assert(is_closed(fd, UNIT_PATIENCE_MS));
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

START_TEST(a_stateless_client_that_goes_cancels_its_call)
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
    ck_assert(is_closed(fd, UNIT_PATIENCE_MS));
    close(fd);
    stop();
}
END_TEST

START_TEST(a_client_that_goes_before_a_worker_is_free_costs_nothing)
{
    static struct response r;
    int fds[3];

    start_with((struct mica_http_options){.quiet = true, .workers = 1});
    for (int i = 0; i < 3; i++) {
        fds[i] = dial();
        ask_tool(fds[i], "1", i == 0 ? "hold" : "deaf", "{}");
        if (i == 0)
            fixture_await(&seen->started, 1);
    }
    // The three, and the one that looks: then both wait for the worker.
    UNIT_AWAIT((once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r),
                strstr(r.body, "\"requests\":4,") != NULL));
    close(fds[1]);
    close(fds[2]);
    unit_sleep(1000); // until it is seen that they have gone
    atomic_store(&seen->release, true);
    fixture_await(&seen->finished, 1);
    close(fds[0]);
    stop();
    ck_assert_int_eq(atomic_load(&seen->started), 1); // "deaf" never ran
}
END_TEST

START_TEST(a_legacy_client_that_goes_does_not_cancel)
{
    start_with((struct mica_http_options){.quiet = true, .sessions_off = true});
    int fd = dial();
    ask_legacy(fd, "hold");
    fixture_await(&seen->started, 1);
    close(fd);
    unit_sleep(100);
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
            unit_sleep(1);
        close(fd);
    }
    once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    ck_assert_uint_eq(r.status, 200);
    UNIT_AWAIT((once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r),
                strstr(r.body, "\"requests\":1,\"tasks\":0") != NULL));
    stop();
}
END_TEST

// ---- Too much --------------------------------------------------------------------------

START_TEST(a_full_queue_refuses_and_recovers)
{
    enum {
        GOOD = 257, // one with the worker, 256 waiting
        COUNT = GOOD + 15
    };
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
    unit_sleep(200);
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
    ck_assert_int_eq(good, GOOD);
    ck_assert_int_eq(busy, COUNT - GOOD);
    stop();
}
END_TEST

// ---- The end ---------------------------------------------------------------------------

static bool
takes_no_more(void)
{
    int late = dial();

    if (late >= 0)
        close(late);
    return late < 0;
}

START_TEST(told_to_end_it_answers_what_runs_and_takes_no_more)
{
    static struct response r;

    start();
    int fd = dial(), idle = dial();
    ask_tool(fd, "1", "hold", "{}");
    fixture_await(&seen->started, 1);
    signal_end();
    UNIT_AWAIT(takes_no_more());
    atomic_store(&seen->release, true);
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(strstr(r.text, "Connection: close"));
    await_end();
    ck_assert(is_closed(idle, UNIT_PATIENCE_MS));
    ck_assert_int_eq(atomic_load(&seen->cancelled), 0);
    close(fd);
    close(idle);
}
END_TEST

// A connection that was used, and is kept.
static int
dial_and_ask(void)
{
    static struct response r;
    int fd = dial();

    say(fd, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_null(strstr(r.text, "Connection: close"));
    return fd;
}

// The thread that serves looks for the signal now and then.
static void
await_draining(void)
{
    static struct response r;

    UNIT_AWAIT((once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &r),
                r.status == 503));
}

static void
hear_draining(int fd)
{
    static struct response r;

    say(fd, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 503);
    ck_assert_ptr_nonnull(strstr(r.body, "\"status\":\"draining\""));
    ck_assert_ptr_nonnull(strstr(r.text, "Connection: close"));
    ck_assert(is_closed(fd, UNIT_PATIENCE_MS));
    close(fd);
}

// [GUARD-4]
START_TEST(told_to_end_it_answers_further_requests_and_resets_nothing)
{
    static struct response r;
    char byte;

    start_with((struct mica_http_options){.quiet = true, .drain_s = 4});
    int kept = dial_and_ask(), quiet = dial_and_ask(), slow = dial();
    ask_tool(slow, "1", "hold", "{}");
    fixture_await(&seen->started, 1);
    signal_end();
    await_draining();
    hear_draining(kept);
    hear_draining(dial());
    int fresh = dial();
    ask_tool(fresh, "2", "add", "{\"a\":1,\"b\":2}");
    ck_assert(hear(fresh, &r));
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(strstr(r.text, "Connection: close"));
    // Once the listener is closed, a connection without a request is half-closed, and what
    // still comes there is read: no reset.
    ck_assert_int_eq(recv(quiet, &byte, 1, 0), 0);
    ck_assert_int_lt(dial(), 0);
    for (int i = 0; i < 10; i++) {
        say(quiet, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        unit_sleep(20);
        ck_assert_int_eq(recv(quiet, &byte, 1, 0), 0);
    }
    // Meanwhile a call that runs keeps its connection.
    atomic_store(&seen->release, true);
    ck_assert(hear(slow, &r));
    ck_assert_uint_eq(r.status, 200);
    close(fresh);
    close(slow);
    close(quiet); // the server waits for that
    await_end();
}
END_TEST

START_TEST(an_interrupt_leaves_the_draining_out)
{
    start_with((struct mica_http_options){.quiet = true, .drain_s = 3600});
    int fd = dial_and_ask();
    ck_assert_int_eq(kill(getpid(), SIGINT), 0);
    await_end();
    ck_assert(is_closed(fd, UNIT_PATIENCE_MS));
    close(fd);
}
END_TEST

START_TEST(a_second_signal_ends_the_draining)
{
    start_with((struct mica_http_options){.quiet = true, .drain_s = 3600});
    int fd = dial_and_ask();
    signal_end();
    await_draining();
    hear_draining(fd);
    stop();
}
END_TEST

START_TEST(told_twice_it_cancels_what_runs)
{
    start();
    int fd = dial();
    ask_tool(fd, "1", "hold", "{}");
    fixture_await(&seen->started, 1);
    signal_end();
    unit_sleep(100);
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
    unit_sleep(100);
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
    ck_assert_int_eq(try_serve(listen, false, NULL, &error), MICA_E_ADDRESS);
    ck_assert_ptr_nonnull(strstr(error.message, "another port"));
    stop();
}
END_TEST

// ---- The log ---------------------------------------------------------------------------

#define ABOUT_A_TASK                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/get\",\"params\":{" \
    "\"taskId\":\"hunter2\",\"_meta\":{"                                  \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","         \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{"    \
    "\"io.modelcontextprotocol/tasks\":{}}}}}}"

static enum mica_status
goes_on(struct mica_call *call, const struct mica_nothing *in,
        struct mica_nothing *out)
{
    (void)in;
    (void)out;
    mica_add_text(call, MICA_LITERAL("done"), NULL);
    return MICA_OK;
}
MICA_TOOL(goes_on, mica_nothing, mica_nothing, goes_on,
          .description = "Is a task.", .task = MICA_TASK_REQUIRED);

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
    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(mica_server_add_tool(host.server, &mica_tool_goes_on, NULL,
                                          &host.error),
                     MICA_OK);
    start_server((struct mica_http_options){.quiet = false, .store = "memory"});
    int fd = dial();
    ask_tool(fd, "1", "echo", "{\"password\":\"hunter2\"}");
    ck_assert(hear(fd, &r));
    close(fd);
    once("GET /a\"b?token=hunter2 HTTP/1.1\r\nHost: localhost\r\n"
         "Authorization: Bearer hunter2\r\n\r\n",
         &r);
    once("GET /api/calls/hunter2?round=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
         &r);
    once("POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
         "application/json\r\nContent-Length: 15\r\n\r\n{\"a\":\"hunter2\"}",
         &r);
    ck_assert_uint_eq(r.status, 200);
    once("GET /calls/hunter2 HTTP/1.1\r\nHost: localhost\r\n\r\n", &r);
    once("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
         "application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"
         "Mcp-Method: tasks/get\r\nMcp-Name: hunter2\r\n"
         "Content-Length: 237\r\n\r\n" ABOUT_A_TASK,
         &r);
    ck_assert_uint_eq(r.status, 200);
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
        UNIT_TEXT_EQ(mica_json_get_text(&line, "response"), "sent");
        if (lines == 1) {
            UNIT_TEXT_EQ(mica_json_get_text(&line, "rpc"), "tools/call");
            UNIT_TEXT_EQ(mica_json_get_text(&line, "tool"), "echo");
            UNIT_TEXT_EQ(mica_json_get_text(&line, "version"), "2026-07-28");
        } else if (lines == 2) {
            UNIT_TEXT_EQ(mica_json_get_text(&line, "path"), "/a\"b");
            UNIT_TEXT_EQ(mica_json_get(&line, "status")->text, "404");
        } else if (lines == 3) {
            UNIT_TEXT_EQ(mica_json_get_text(&line, "path"), "/api/calls/{id}");
            UNIT_TEXT_EQ(mica_json_get_text(&line, "code"), "NOT_FOUND");
        } else if (lines == 5) {
            UNIT_TEXT_EQ(mica_json_get_text(&line, "path"), "/calls/{id}");
        } else if (lines == 6) {
            UNIT_TEXT_EQ(mica_json_get_text(&line, "rpc"), "tasks/get");
            ck_assert_ptr_null(mica_json_get(&line, "tool"));
        } else {
            UNIT_TEXT_EQ(mica_json_get_text(&line, "path"), "/api/echo");
            UNIT_TEXT_EQ(mica_json_get_text(&line, "tool"), "echo");
            UNIT_TEXT_EQ(mica_json_get_text(&line, "version"), "rest");
            ck_assert_ptr_null(mica_json_get(&line, "rpc"));
        }
    }
    ck_assert_uint_eq(lines, 6);
    mica_arena_fini(&arena);
}
END_TEST

// Fails with the code of its argument, mica's own or a tool's.
static enum mica_status
fail_with(struct mica_call *call, const struct mica_json *in,
          struct mica_json_writer *out)
{
    const char *code =
        mica_format(call, "%.*s", MICA_ARG(mica_json_get_text(in, "code"))).ptr;

    (void)out;
    return mica_fail(call, code, "", "no");
}

static const struct mica_tool tool_fail_with = {.name = "fail-with",
                                                .description = "For tests.",
                                                .input_schema =
                                                    "{\"type\":\"object\"}",
                                                .json_handler = fail_with};

// Both surfaces: what the tool says, by its code.
static void
fail_over_both(const char *code)
{
    static struct response r;
    char arguments[64], request[256];
    int fd = dial();

    (void)snprintf(arguments, sizeof arguments, "{\"code\":\"%s\"}", code);
    ask_tool(fd, "1", "fail-with", arguments);
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(strstr(r.body, code));
    close(fd);
    (void)snprintf(request, sizeof request,
                   "POST /api/fail-with HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Type: application/json\r\n"
                   "Content-Length: %zu\r\n\r\n%s",
                   strlen(arguments), arguments);
    once(request, &r);
    ck_assert_uint_eq(r.status, 422);
    ck_assert_ptr_nonnull(strstr(r.body, code));
}

// Reads what the log has of each call: its code.
static void
ck_logged_codes(char *text, const char *const *codes, size_t count)
{
    struct mica_arena arena;
    size_t lines = 0;

    mica_arena_init(&arena, 1 << 20);
    for (char *at = strtok(text, "\n"); at != NULL; at = strtok(NULL, "\n")) {
        struct mica_json line;
        ck_assert_int_eq(
            mica_json_read(&arena, mica_text(at), NULL, NULL, &line), MICA_OK);
        ck_assert_uint_lt(lines, count);
        UNIT_TEXT_EQ(mica_json_get_text(&line, "tool"), "fail-with");
        UNIT_TEXT_EQ(mica_json_get_text(&line, "code"), codes[lines++]);
    }
    ck_assert_uint_eq(lines, count);
    mica_arena_fini(&arena);
}

// An operator who sees UNAUTHORIZED or BUSY looks for a fault of the server.
START_TEST(a_code_that_reads_like_one_of_micas_is_logged_and_counted_as_failed)
{
    static const char *const codes[] = {"FAILED",    "FAILED",   "FAILED",
                                        "FAILED",    "FAILED",   "FAILED",
                                        "TOO_ROUND", "TOO_ROUND"};
    static char text[64 * 1024];
    int pipes[2], saved = dup(STDERR_FILENO);
    size_t length = 0;
    const char *page;
    ssize_t got;

    ck_assert_int_eq(pipe(pipes), 0);
    ck_assert_int_ge(dup2(pipes[1], STDERR_FILENO), 0);
    close(pipes[1]);
    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(
        mica_server_add_tool(host.server, &tool_fail_with, NULL, &host.error),
        MICA_OK);
    start_server(
        (struct mica_http_options){.metrics = SCRAPE_ANY, .store = "memory"});
    fail_over_both("UNAUTHORIZED");
    fail_over_both("CALL_BUSY");
    fail_over_both("OK");
    fail_over_both("TOO_ROUND");
    page = scrape_port(scraped_port((unsigned)atomic_load(&host.port)));
    ck_page_shows(page, "\nmica_refused_total{code=\"FAILED\"} 6\n");
    ck_page_shows(page, "network_transport=\"tcp\",error_type=\"FAILED\"} 3\n");
    ck_page_shows(page,
                  "network_transport=\"tcp\",error_type=\"TOO_ROUND\"} 1\n");
    ck_assert_ptr_null(strstr(page, "UNAUTHORIZED"));
    ck_assert_ptr_null(strstr(page, "CALL_BUSY"));
    ck_assert_ptr_null(strstr(page, "\"OK\""));
    stop();
    ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
    while ((got = read(pipes[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    ck_logged_codes(text, codes, MICA_COUNT(codes));
}
END_TEST

UNIT_MAIN("http_end", a_request_that_trickles_in_is_cut_off,
          an_idle_connection_is_closed,
          a_call_that_takes_longer_than_the_server_waits_is_ended,
          a_stateless_client_that_goes_cancels_its_call,
          a_half_closed_connection_cancels_its_call,
          a_client_that_goes_before_a_worker_is_free_costs_nothing,
          a_legacy_client_that_goes_does_not_cancel,
          clients_that_come_and_go_leave_nothing_behind,
          a_full_queue_refuses_and_recovers,
          told_to_end_it_answers_what_runs_and_takes_no_more,
          told_to_end_it_answers_further_requests_and_resets_nothing,
          an_interrupt_leaves_the_draining_out,
          a_second_signal_ends_the_draining, told_twice_it_cancels_what_runs,
          a_handler_that_does_not_end_is_reported,
          an_address_that_others_reach_needs_consent_and_a_name,
          an_address_that_is_none_is_refused_with_an_example,
          a_port_that_is_taken_is_an_error,
          the_log_has_a_line_per_request_and_no_secret,
          a_code_that_reads_like_one_of_micas_is_logged_and_counted_as_failed)
