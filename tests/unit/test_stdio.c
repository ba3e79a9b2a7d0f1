// SPDX-License-Identifier: Apache-2.0
//
// The server over stdin and stdout, with real pipes: the test holds the other
// ends. Wire-level transcripts are in tests/wire; here is what they cannot see.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <mica/tool.h>

#include "fixture.h"
#include "scrape.h"
#include "store_latch.h"

enum {
    MESSAGE_BYTES = 64 * 1024
};

// ---- The server, on a thread of the test ------------------------------------------

static struct {
    struct mica_server *server;
    struct mica_stdio_options options;
    struct mica_error error;
    enum mica_status status;
    pthread_t thread;
    int in, out; // our ends
    int saved_in, saved_out;
    char text[4 << 20]; // what was heard and not yet taken
    size_t length;
    atomic_int serving;
} host;

static void *
serve(void *data)
{
    (void)data;
    atomic_store(&host.serving, 1);
    host.status =
        mica_server_serve_stdio(host.server, &host.options, &host.error);
    return NULL;
}

static void
take_descriptors(void)
{
    int in[2], out[2];

    ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    host.saved_in = dup(STDIN_FILENO);
    host.saved_out = dup(STDOUT_FILENO);
    (void)fflush(stdout);
    ck_assert_int_ge(dup2(in[0], STDIN_FILENO), 0);
    ck_assert_int_ge(dup2(out[1], STDOUT_FILENO), 0);
    close(in[0]);
    close(out[1]);
    host.in = in[1];
    host.out = out[0];
}

static void
start_with(const struct mica_tool *tool)
{
    (void)signal(SIGPIPE, SIG_IGN);
    take_descriptors();
    host.server = fixture_open(tool != NULL ? 4 << 20 : MESSAGE_BYTES);
    if (tool != NULL)
        ck_assert_int_eq(
            mica_server_add_tool(host.server, tool, NULL, &host.error),
            MICA_OK);
    ck_assert_int_eq(pthread_create(&host.thread, NULL, serve, NULL), 0);
}

static void
start(void)
{
    start_with(NULL);
}

// Puts the descriptors back, so that what the server held is closed.
static void
join(void)
{
    pthread_join(host.thread, NULL);
    (void)dup2(host.saved_in, STDIN_FILENO);
    (void)dup2(host.saved_out, STDOUT_FILENO);
}

static void
end_input(void)
{
    close(host.in);
    host.in = -1;
}

static void
stop(void)
{
    if (host.in >= 0)
        end_input();
    join();
    ck_assert_msg(host.status == MICA_OK, "%s", host.error.message);
    mica_server_close(&host.server);
}

// ---- A client ----------------------------------------------------------------------

static void
say_bytes(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(host.in, bytes, size);
        ck_assert_int_gt(put, 0);
        bytes += put;
        size -= (size_t)put;
    }
}

static void
say(const char *text)
{
    say_bytes(text, strlen(text));
}

static void
ask(const char *id, const char *tool, const char *arguments)
{
    say(fixture_call(id, tool, arguments));
    say("\n");
}

// The next line, or NULL after `wait_ms` or at the end. Valid until the next.
static const char *
hear_within(int wait_ms)
{
    static char line[3 << 20];
    struct pollfd wait = {.fd = host.out, .events = POLLIN};

    for (;;) {
        char *end = memchr(host.text, '\n', host.length);
        if (end != NULL) {
            size_t size = (size_t)(end - host.text);
            ck_assert_uint_lt(size, sizeof line);
            memcpy(line, host.text, size);
            line[size] = '\0';
            host.length -= size + 1;
            memmove(host.text, end + 1, host.length);
            return line;
        }
        if (poll(&wait, 1, wait_ms) != 1)
            return NULL;
        ssize_t got = read(host.out, host.text + host.length,
                           sizeof host.text - host.length);
        if (got <= 0)
            return NULL;
        host.length += (size_t)got;
    }
}

static const char *
hear(void)
{
    const char *line = hear_within(UNIT_PATIENCE_MS);

    ck_assert_msg(line != NULL, "no reply");
    return line;
}

// ---- Lines -------------------------------------------------------------------------

// [STDIO-LINE]
START_TEST(a_line_is_answered_by_a_line)
{
    start();
    ask("\"one\"", "echo", "{\"text\":\"a\\nb\"}");
    const char *reply = hear();
    ck_assert_ptr_nonnull(strstr(reply, "\"id\":\"one\""));
    ck_assert_ptr_nonnull(strstr(reply, "\"text\":\"a\\nb\""));
    stop();
}
END_TEST

START_TEST(a_line_may_come_byte_by_byte)
{
    const char *text;

    start();
    text = fixture_call("1", "echo", "{}");
    for (size_t i = 0; text[i] != '\0'; i++)
        say_bytes(text + i, 1);
    ck_assert_ptr_null(hear_within(50));
    say("\r\n");
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":1"));
    stop();
}
END_TEST

START_TEST(garbage_is_answered_and_does_no_harm)
{
    start();
    say("\n  \n\r\n{\"jsonrpc\"\nnot json\n[1,2]\n\"x\"\n");
    for (int i = 0; i < 4; i++)
        ck_assert_ptr_nonnull(strstr(hear(), "\"error\""));
    say_bytes("\0\0\xff\n", 4);
    ck_assert_ptr_nonnull(strstr(hear(), "\"error\""));
    ask("2", "echo", "{}");
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":2"));
    stop();
}
END_TEST

START_TEST(a_line_that_is_too_long_is_skipped_and_reported_once)
{
    static char piece[MESSAGE_BYTES];

    start();
    memset(piece, 'a', sizeof piece);
    for (int i = 0; i < 40; i++)
        say_bytes(piece, sizeof piece);
    say("\n");
    ask("2", "echo", "{}");
    const char *reply = hear();
    ck_assert_ptr_nonnull(strstr(reply, "LIMIT_EXCEEDED"));
    ck_assert_ptr_null(strstr(reply, "\"id\""));
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":2"));
    stop();
}
END_TEST

START_TEST(the_last_line_needs_no_end)
{
    start();
    say(fixture_call("1", "echo", "{}"));
    end_input();
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":1"));
    stop();
}
END_TEST

START_TEST(thousands_of_lines_sent_ahead_are_all_answered)
{
    enum {
        COUNT = 3000,
        AHEAD = 100
    };
    static bool heard[COUNT];
    int asked = 0;

    start();
    for (int answered = 0; answered < COUNT; answered++) {
        for (; asked < COUNT && asked < answered + AHEAD; asked++) {
            char id[16];
            (void)snprintf(id, sizeof id, "%d", asked);
            ask(id, asked % 3 == 0 ? "missing" : "echo", "{\"a\":1}");
        }
        const char *at = strstr(hear(), "\"id\":");
        ck_assert_ptr_nonnull(at);
        long id = strtol(at + 5, NULL, 10);
        ck_assert(id >= 0 && id < COUNT && !heard[id]);
        heard[id] = true;
    }
    stop();
}
END_TEST

START_TEST(large_results_arrive_whole)
{
    start();
    ask("1", "large", "{}");
    ask("2", "large", "{}");
    ck_assert_uint_gt(strlen(hear()), 2u << 20);
    ck_assert_uint_gt(strlen(hear()), 2u << 20);
    stop();
}
END_TEST

// ---- Calls that take time ------------------------------------------------------------

START_TEST(a_slow_call_does_not_hold_up_a_fast_one)
{
    start();
    ask("1", "hold", "{}");
    fixture_await(&seen->started, 1);
    ask("2", "echo", "{}");
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":2"));
    atomic_store(&seen->release, true);
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":1"));
    stop();
}
END_TEST

START_TEST(a_cancelled_call_stops_and_is_not_answered)
{
    start();
    ask("1", "hold", "{}");
    ask("\"1\"", "hold", "{}");
    fixture_await(&seen->started, 2);
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":1}}\n");
    fixture_await(&seen->cancelled, 1);
    ck_assert_ptr_null(hear_within(50));
    atomic_store(&seen->release, true);
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":\"1\""));
    stop();
    ck_assert_ptr_null(hear_within(UNIT_PATIENCE_MS)); // to its end
}
END_TEST

START_TEST(a_cancelled_call_that_waits_never_begins)
{
    start();
    for (int i = 0; i < 4; i++)
        ask("0", "hold", "{}");
    fixture_await(&seen->started, 4);
    ask("7", "hold", "{}");
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":7}}\n");
    ask("8", "missing", "{}"); // behind it: the cancellation has been read
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":8"));
    atomic_store(&seen->release, true);
    for (int i = 0; i < 4; i++)
        ck_assert_ptr_nonnull(strstr(hear(), "\"id\":0"));
    stop();
    ck_assert_ptr_null(hear_within(UNIT_PATIENCE_MS)); // to its end
    ck_assert_int_eq(atomic_load(&seen->started), 4);
}
END_TEST

struct sure {
    bool yes;
};
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Is it so?"));

static enum mica_status
confirm(struct mica_call *call, const struct mica_nothing *in,
        struct mica_nothing *out)
{
    struct sure sure;
    const struct mica_ask one[] = {
        {.form = MICA_FORM(sure, &sure), .message = MICA_LITERAL("Sure?")}};

    (void)in;
    (void)out;
    return mica_ask_all(call, one, 1);
}
MICA_TOOL(confirm, mica_nothing, mica_nothing, confirm, .description = "Asks.");

#define SHAKE                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"  \
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":" \
    "{}},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n"             \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
#define LEGACY(id, tool)                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":" \
    "{\"name\":\"" tool "\",\"arguments\":{}}}\n"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}\n"

// What stands between them is long enough for the worker to be done, in one read.
START_TEST(a_call_cancelled_before_its_question_is_written_asks_nothing)
{
    static char text[60000];
    char *at = text;

    start_with(&mica_tool_confirm);
    say(SHAKE);
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":0"));
    at = stpcpy(at, LEGACY("7", "confirm"));
    while (at < text + sizeof text - 512)
        at = stpcpy(at, PING("1"));
    (void)stpcpy(at, "{\"jsonrpc\":\"2.0\",\"method\":"
                     "\"notifications/cancelled\",\"params\":{"
                     "\"requestId\":7}}\n");
    say(text);
    say(PING("2"));
    for (const char *line = hear(); strstr(line, "\"id\":2") == NULL;
         line = hear())
        ck_assert_ptr_nonnull(strstr(line, "\"id\":1,"));
    stop();
    ck_assert_ptr_null(hear_within(UNIT_PATIENCE_MS)); // to its end
}
END_TEST

START_TEST(an_answer_that_is_too_large_is_an_error_of_its_client)
{
    static char large[(1 << 20) + 1];
    char id[64];
    const char *line;

    start_with(&mica_tool_confirm);
    say(SHAKE);
    (void)hear();
    say(LEGACY("7", "confirm"));
    line = strstr(hear(), "\"id\":\"");
    ck_assert_ptr_nonnull(line);
    (void)snprintf(id, sizeof id, "%.*s", (int)strcspn(line + 6, "\""),
                   line + 6);
    say("{\"jsonrpc\":\"2.0\",\"id\":\"");
    say(id);
    say("\",\"result\":{\"action\":\"accept\",\"content\":{\"yes\":\"");
    memset(large, 'x', sizeof large - 1);
    say(large);
    say("\"}}}\n");
    line = hear();
    ck_assert_ptr_nonnull(strstr(line, "\"id\":7,"));
    ck_assert_ptr_nonnull(strstr(line, "larger than a call can keep"));
    stop();
}
END_TEST

START_TEST(more_calls_than_can_wait_are_refused)
{
    enum {
        COUNT = 4 + 1024 + 1
    };

    start();
    for (int i = 0; i < COUNT; i++)
        ask("5", "hold", "{}");
    const char *reply = hear();
    ck_assert_ptr_nonnull(strstr(reply, "\"code\":\"BUSY\""));
    ck_assert_ptr_nonnull(strstr(reply, "\"id\":5"));
    atomic_store(&seen->release, true);
    for (int i = 1; i < COUNT; i++)
        ck_assert_ptr_nonnull(strstr(hear(), "\"result\""));
    stop();
}
END_TEST

// ---- Stray output --------------------------------------------------------------------

// [STDIO-STDOUT]
START_TEST(nothing_a_handler_writes_or_reads_touches_the_protocol)
{
    int pipes[2], saved = dup(STDERR_FILENO);
    char text[256] = "";

    ck_assert_int_eq(pipe(pipes), 0);
    ck_assert_int_ge(dup2(pipes[1], STDERR_FILENO), 0);
    start();
    ask("1", "print", "{}");
    const char *reply = hear();
    ck_assert_msg(strstr(reply, "{\"wrote\":6,\"read\":0}") != NULL, "%s",
                  reply);
    ask("2", "echo", "{}");
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":2"));
    ck_assert_int_gt(read(pipes[0], text, sizeof text - 1), 0);
    ck_assert_ptr_nonnull(strstr(text, "stray"));
    stop();
    ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
}
END_TEST

// ---- The end -------------------------------------------------------------------------

START_TEST(at_the_end_of_input_what_runs_is_answered)
{
    start();
    ask("1", "hold", "{}");
    fixture_await(&seen->started, 1);
    end_input();
    ck_assert_ptr_null(hear_within(100));
    atomic_store(&seen->release, true);
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":1"));
    stop();
}
END_TEST

START_TEST(a_signal_cancels_what_runs_and_ends)
{
    start();
    ask("1", "hold", "{}");
    fixture_await(&seen->started, 1);
    ck_assert_int_eq(kill(getpid(), SIGTERM), 0);
    join();
    ck_assert_int_eq(host.status, MICA_OK);
    ck_assert_int_eq(atomic_load(&seen->cancelled), 1);
    mica_server_close(&host.server);
}
END_TEST

START_TEST(when_nobody_reads_any_more_it_ends)
{
    start();
    ask("1", "hold", "{}");
    fixture_await(&seen->started, 1);
    close(host.out);
    ask("2", "missing", "{}");
    join();
    ck_assert_int_eq(host.status, MICA_OK);
    ck_assert_int_eq(atomic_load(&seen->cancelled), 1);
    mica_server_close(&host.server);
}
END_TEST

START_TEST(a_reader_that_stops_does_not_keep_it_from_ending)
{
    start();
    ask("1", "large", "{}"); // far more than a pipe holds
    struct pollfd wait = {.fd = host.out, .events = POLLIN};
    ck_assert_int_eq(poll(&wait, 1, UNIT_PATIENCE_MS), 1); // it takes signals
    unit_sleep(100);                                       // the pipe is full
    ck_assert_int_eq(kill(getpid(), SIGTERM), 0);
    join();
    ck_assert_int_eq(host.status, MICA_OK);
    mica_server_close(&host.server);
}
END_TEST

START_TEST(a_handler_that_does_not_end_is_reported)
{
    start();
    ask("1", "deaf", "{}");
    fixture_await(&seen->started, 1);
    ck_assert_int_eq(kill(getpid(), SIGTERM), 0);
    pthread_join(host.thread, NULL);
    ck_assert_int_eq(host.status, MICA_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(host.error.message, "mica_cancelled"));
    // What is left must not be closed: the process ends here.
}
END_TEST

// The parent of a server: starts it, says so, asks it something, and waits to be killed.
static void
be_parent(int report)
{
    int in[2];

    if (pipe(in) != 0)
        _exit(1);
    pid_t child = fork();
    if (child == 0) {
        // Our own copy of in[1] stays open: there will be no end of input.
        (void)dup2(in[0], STDIN_FILENO);
        (void)dup2(report, STDOUT_FILENO);
        struct mica_server *server = fixture_open(0);
        struct mica_error error;
        _exit(mica_server_serve_stdio(server, NULL, &error) == MICA_OK ? 0 : 1);
    }
    if (write(report, &child, sizeof child) != sizeof child ||
        dprintf(in[1], "%s\n", fixture_call("1", "missing", "{}")) < 0)
        _exit(1);
    for (;;)
        pause();
}

START_TEST(it_ends_with_its_parent)
{
    int report[2];
    pid_t parent, server;

    ck_assert_int_eq(pipe(report), 0);
    parent = fork();
    if (parent == 0)
        be_parent(report[1]);
    ck_assert_int_eq(read(report[0], &server, sizeof server), sizeof server);
    char byte = '\0';
    while (byte != '\n') // once it answers, it knows its parent
        ck_assert_int_eq(read(report[0], &byte, 1), 1);
    ck_assert_int_eq(kill(server, 0), 0);
    ck_assert_int_eq(kill(parent, SIGKILL), 0);
    ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
    // The write end of this pipe is open as long as the server lives.
    close(report[1]);
    struct pollfd wait = {.fd = report[0], .events = POLLIN};
    ck_assert_int_eq(poll(&wait, 1, UNIT_PATIENCE_MS), 1);
    ck_assert_int_eq(read(report[0], &byte, 1), 0);
}
END_TEST

// ---- What is counted -------------------------------------------------------------

#define CALLS(tool)                                                        \
    "mcp_server_operation_duration_seconds_count{mcp_method_name=\"tools/" \
    "call\"" tool ",mcp_protocol_version=\"2026-07-28\","                  \
    "network_transport=\"pipe\""

static unsigned
start_counting(void)
{
    host.options.metrics = SCRAPE_ANY;
    start();
    ask("0", "missing", "{}"); // then it listens
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":0"));
    return scraped_port(0);
}

START_TEST(calls_and_refusals_are_counted)
{
    static char piece[MESSAGE_BYTES + 2];
    unsigned port = start_counting();
    const char *page;

    for (int i = 0; i < 3; i++) {
        ask("1", "echo", "{}");
        (void)hear();
    }
    ask("2", "hold", "{}");
    fixture_await(&seen->started, 1);
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":2}}\nnot json\n");
    (void)hear();
    fixture_await(&seen->cancelled, 1);
    memset(piece, 'a', sizeof piece);
    say_bytes(piece, sizeof piece);
    say("\n");
    (void)hear();
    ask("3", "echo", "{}"); // behind it all
    (void)hear();
    page = scrape_port(port);
    ck_page_shows(page, CALLS(",gen_ai_tool_name=\"echo\"") "} 4\n");
    ck_page_shows(page, CALLS("") ",error_type=\"NOT_FOUND\"} 1\n");
    ck_page_shows(page, "mica_refused_total{code=\"NOT_FOUND\"} 1\n");
    ck_page_shows(page, "mica_refused_total{code=\"INVALID_JSON\"} 1\n");
    ck_page_shows(page, "mica_refused_total{code=\"LIMIT_EXCEEDED\"} 1\n");
    ck_page_shows(page, "\nmica_stdio_lines_total 8\n");
    ck_page_shows(page, "\nmica_stdio_lines_skipped_total 1\n");
    ck_page_shows(page, "\nmica_notifications_missed_total 0\n");
    ck_assert_ptr_null(strstr(page, "mica_http"));
    UNIT_AWAIT((page = scrape_port(port), // until the worker is back
                strstr(page, "error_type=\"CANCELLED\"} 1\n") != NULL));
    ck_page_shows(
        page,
        CALLS(",gen_ai_tool_name=\"hold\"") ",error_type=\"CANCELLED\"} 1\n");
    ck_page_shows(page, "\nmica_tasks 0\n");
    stop();
}
END_TEST

START_TEST(subscriptions_are_counted)
{
    unsigned port = start_counting();
    const char *page;

    say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\","
        "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
        "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}},"
        "\"notifications\":{\"toolsListChanged\":true}}}\n");
    ck_assert_ptr_nonnull(strstr(hear(), "acknowledged"));
    page = scrape_port(port);
    ck_page_shows(page, "\nmica_subscriptions 1\n");
    ck_page_shows(page, "\nmica_subscriptions_refused_total 0\n");
    ck_assert_ptr_null(strstr(page, "subscriptions/listen\""));
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":1}}\n");
    ask("2", "echo", "{}");
    (void)hear();
    page = scrape_port(port);
    ck_page_shows(page, "\nmica_subscriptions 0\n");
    ck_page_shows(page, "mcp_server_operation_duration_seconds_count{"
                        "mcp_method_name=\"subscriptions/listen\","
                        "mcp_protocol_version=\"2026-07-28\","
                        "network_transport=\"pipe\"} 1\n");
    stop();
}
END_TEST

// Far more than a pipe and all that waits for it hold.
static enum mica_status
tell_much(struct mica_call *call, const struct mica_json *in,
          struct mica_json_writer *out)
{
    static char text[60000];

    (void)in;
    (void)out;
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 60; i++)
        mica_notify(call, "%s", text);
    return MICA_OK;
}

START_TEST(notifications_that_nobody_reads_are_counted)
{
    static const struct mica_tool tool = {.name = "tell",
                                          .description = "Says much.",
                                          .input_schema =
                                              "{\"type\":\"object\"}",
                                          .json_handler = tell_much};
    unsigned port = start_counting();
    const char *page = "";

    ck_assert_int_eq(
        mica_server_add_tool(host.server, &tool, NULL, &host.error), MICA_OK);
    say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"tell\",\"arguments\":{},\"_meta\":{\"progressToken\":1,"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n");
    UNIT_AWAIT((page = scrape_port(port), // it waits for two seconds first
                strstr(page, "mica_notifications_missed_total 0\n") == NULL &&
                    strstr(page, "mica_tasks 0\n") != NULL));
    while (strstr(hear(), "\"result\"") == NULL) {
    }
    stop();
}
END_TEST

START_TEST(an_address_that_is_taken_is_said)
{
    static char where[32];
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, size), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    (void)snprintf(where, sizeof where, "127.0.0.1:%u",
                   ntohs(address.sin_port));
    host.options.metrics = where;
    start();
    join();
    ck_assert_int_eq(host.status, MICA_E_ADDRESS);
    ck_assert_ptr_nonnull(strstr(host.error.message, where));
    mica_server_close(&host.server);
    close(fd);
}
END_TEST

// A request about a task, of a client that knows tasks.
static void
ask_task(unsigned id, const char *method)
{
    char line[1024];

    (void)snprintf(
        line, sizeof line,
        "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":{"
        "\"taskId\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},"
        "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}}}\n",
        id, method);
    say(line);
}

MICA_TOOL(job, mica_nothing, mica_nothing, confirm,
          .description = "Asks, as a task.", .task = MICA_TASK_REQUIRED);

// And what needs it keeps its order.
START_TEST(who_needs_no_store_does_not_wait_for_it)
{
    struct mica_store *store;
    const char *reply;

    ck_assert_int_eq(mica_store_open("memory", NULL, &host.error, &store),
                     MICA_OK);
    take_descriptors();
    host.server = fixture_open(MESSAGE_BYTES);
    ck_assert_int_eq(
        mica_server_add_tool(host.server, &mica_tool_job, NULL, &host.error),
        MICA_OK);
    ck_assert_int_eq(mica_server_use_store(host.server, store, &host.error),
                     MICA_OK);
    ck_assert_int_eq(pthread_create(&host.thread, NULL, serve, NULL), 0);
    store_latch_set(true);
    ask_task(2, "tasks/get");
    ask_task(3, "tasks/cancel");
    ask_task(4, "tasks/get");
    UNIT_AWAIT(store_latch_waiting() > 0);
    for (unsigned i = 0; i < 300; i++) {
        ask("5", "echo", "{}");
        reply = hear();
        ck_assert_msg(strstr(reply, "\"id\":5,") != NULL, "%s", reply);
    }
    store_latch_set(false);
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":2,"));
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":3,"));
    ck_assert_ptr_nonnull(strstr(hear(), "\"id\":4,"));
    stop();
    mica_store_close(&store);
}
END_TEST

UNIT_MAIN("stdio", a_line_is_answered_by_a_line, a_line_may_come_byte_by_byte,
          garbage_is_answered_and_does_no_harm,
          a_line_that_is_too_long_is_skipped_and_reported_once,
          the_last_line_needs_no_end,
          thousands_of_lines_sent_ahead_are_all_answered,
          large_results_arrive_whole, a_slow_call_does_not_hold_up_a_fast_one,
          a_cancelled_call_stops_and_is_not_answered,
          a_cancelled_call_that_waits_never_begins,
          a_call_cancelled_before_its_question_is_written_asks_nothing,
          an_answer_that_is_too_large_is_an_error_of_its_client,
          more_calls_than_can_wait_are_refused,
          nothing_a_handler_writes_or_reads_touches_the_protocol,
          at_the_end_of_input_what_runs_is_answered,
          a_signal_cancels_what_runs_and_ends,
          when_nobody_reads_any_more_it_ends,
          a_reader_that_stops_does_not_keep_it_from_ending,
          a_handler_that_does_not_end_is_reported, it_ends_with_its_parent,
          calls_and_refusals_are_counted, subscriptions_are_counted,
          notifications_that_nobody_reads_are_counted,
          an_address_that_is_taken_is_said,
          who_needs_no_store_does_not_wait_for_it)
