// SPDX-License-Identifier: Apache-2.0
//
// Calls of sessions that wait for their clients, many at once: while one waits
// its connection has a stream and nothing else of the request, whichever way its
// client reads that.
#include <mica/tool.h>

#include "http_session.h"
#include "scrape.h"

enum {
    CALLS = 200
};

// ---- A tool that asks ------------------------------------------------------------------

struct sure {
    bool yes;
};
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Is it so?"));

static enum mica_status
confirm(struct mica_call *call, const struct mica_nothing *in, struct sure *out)
{
    (void)in;
    return mica_elicit(call, MICA_FORM(sure, out), "Sure?");
}
MICA_TOOL(confirm, mica_nothing, sure, confirm, .description = "Asks.");

static enum mica_status
hold(struct mica_call *call, const struct mica_nothing *in, struct sure *out)
{
    struct sure sure;
    enum mica_status status =
        mica_elicit(call, MICA_FORM(sure, &sure), "Sure?");

    (void)in;
    if (status != MICA_OK)
        return status;
    atomic_fetch_add(&seen->started, 1);
    while (!atomic_load(&seen->release) && !mica_cancelled(call))
        unit_sleep(2);
    out->yes = sure.yes;
    return MICA_OK;
}
MICA_TOOL(confirm_and_hold, mica_nothing, sure, hold,
          .description = "Asks, and takes its time.");

// ---- The server ------------------------------------------------------------------------

static unsigned metrics_port;

static void
start_waiting(bool quiet)
{
    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(mica_server_add_tool(host.server, &mica_tool_confirm, NULL,
                                          &host.error),
                     MICA_OK);
    ck_assert_int_eq(mica_server_add_tool(host.server,
                                          &mica_tool_confirm_and_hold, NULL,
                                          &host.error),
                     MICA_OK);
    start_server((struct mica_http_options){.quiet = quiet,
                                            .store = "memory",
                                            .metrics = SCRAPE_ANY,
                                            .http_sse = true});
    metrics_port = scraped_port((unsigned)atomic_load(&host.port));
}

// Until the metrics show that line.
static void
await_shown(const char *name, int value)
{
    char line[128];

    (void)snprintf(line, sizeof line, "\n%s %d\n", name, value);
    UNIT_AWAIT(strstr(scrape_port(metrics_port), line) != NULL);
}

// ---- Its clients -----------------------------------------------------------------------

struct client {
    int fd;
    char session[64], question[32];
};

static struct client clients[CALLS];
static struct heard heard;

static void
begin_asking(struct client *client)
{
    begin_session_with(
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{"
        "\"elicitation\":{}},\"clientInfo\":{\"name\":\"c\","
        "\"version\":\"1\"}}}");
    memcpy(client->session, session, sizeof session);
}

// On the client's connection; whatever came there before is read.
static void
hear_question(struct client *client)
{
    const char *at;

    memset(&heard, 0, sizeof heard);
    ck_assert(hears(client->fd, &heard, "\"required\":[\"yes\"]}}}\n\n"));
    at = strstr(heard.text, "{\"jsonrpc\":\"2.0\",\"id\":\"");
    ck_assert_ptr_nonnull(at);
    (void)snprintf(client->question, sizeof client->question, "%.*s",
                   (int)strcspn(at + 23, "\""), at + 23);
}

static void
begin_call(struct client *client, const char *call)
{
    begin_asking(client);
    client->fd = ask("POST", "/mcp", client->session, "", call);
    hear_question(client);
}

static void
accept_question(const struct client *client)
{
    char body[256];

    memcpy(session, client->session, sizeof session);
    (void)snprintf(body, sizeof body,
                   "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{"
                   "\"action\":\"accept\",\"content\":{\"yes\":true}}}",
                   client->question);
    post(body, 202);
}

static void
hear_result(const struct client *client)
{
    memset(&heard, 0, sizeof heard);
    ck_assert(ends(client->fd, &heard));
    ck_assert_ptr_nonnull(strstr(heard.text, "\"id\":7,\"result\""));
    ck_assert_ptr_nonnull(strstr(heard.text, "{\"yes\":true}"));
}

// ---- What they hold --------------------------------------------------------------------

START_TEST(many_calls_that_wait_hold_no_exchange)
{
    start_waiting(true);
    for (int i = 0; i < CALLS; i++)
        begin_call(&clients[i], CALL("confirm"));
    await_shown("mica_session_calls_waiting", CALLS);
    await_shown("mica_http_exchanges", 0);
    // Their requests have not ended, and the end of the server waits for them.
    await_shown("mica_http_requests_active", CALLS);
    await_shown("mica_streams", CALLS);
    for (int i = 0; i < CALLS; i++)
        accept_question(&clients[i]);
    for (int i = 0; i < CALLS; i++)
        hear_result(&clients[i]);
    await_shown("mica_session_calls_waiting", 0);
    await_shown("mica_http_exchanges", 0);
    await_shown("mica_http_requests_active", 0);
    await_shown("mica_streams", 0);
    stop();
}
END_TEST

START_TEST(streams_that_are_only_read_hold_no_exchange)
{
    struct client *client = &clients[0];
    int own, oldest;

    start_waiting(true);
    begin_call(client, CALL("confirm"));
    close(client->fd);
    client->fd =
        ask("GET", "/mcp", client->session, "Last-Event-ID: 1-0\r\n", "");
    hear_question(client);
    own = ask("GET", "/mcp", client->session, "", "");
    memset(&heard, 0, sizeof heard);
    ck_assert(hears(own, &heard, "200 OK"));
    oldest = ask("GET", "/sse", NULL, "", "");
    memset(&heard, 0, sizeof heard);
    ck_assert(hears(oldest, &heard, "data: /messages"));
    await_shown("mica_streams", 3);
    await_shown("mica_http_exchanges", 0);
    await_shown("mica_http_requests_active", 3);
    accept_question(client);
    hear_result(client);
    close(own);
    close(oldest);
    await_shown("mica_streams", 0);
    await_shown("mica_http_requests_active", 0);
    stop();
}
END_TEST

START_TEST(a_client_that_goes_while_its_call_waits_leaves_nothing_behind)
{
    struct client *client = &clients[0];

    start_waiting(true);
    for (int i = 0; i < 20; i++) {
        begin_call(client, CALL("confirm"));
        close(client->fd);
    }
    await_shown("mica_streams", 0);
    await_shown("mica_http_exchanges", 0);
    await_shown("mica_http_requests_active", 0);
    await_shown("mica_session_calls_waiting", 0);
    await_shown("mica_calls_open", 20);
    stop();
}
END_TEST

START_TEST(a_call_that_has_waited_and_is_given_up_ends_its_stream)
{
    struct client *client = &clients[0];

    start_waiting(true);
    begin_call(client, CALL("confirm"));
    post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
         "\"params\":{\"requestId\":7}}",
         202);
    ck_assert(ends(client->fd, &heard));
    ck_assert_ptr_null(strstr(heard.text, "\"id\":7"));
    await_shown("mica_http_requests_active", 0);
    stop();
}
END_TEST

// ---- When the server ends --------------------------------------------------------------

START_TEST(a_call_that_goes_on_gets_its_result_from_a_server_that_ends)
{
    struct client *client = &clients[0], *other = &clients[1];

    start_waiting(true);
    begin_call(client, CALL("confirm_and_hold"));
    begin_call(other, CALL("confirm"));
    accept_question(client);
    fixture_await(&seen->started, 1);
    signal_end();
    // One that waits for its client is not waited for; its stream ends.
    ck_assert(ends(other->fd, &heard));
    ck_assert_ptr_null(strstr(heard.text, "\"result\""));
    atomic_store(&seen->release, true);
    hear_result(client);
    await_end();
}
END_TEST

// ---- The log ---------------------------------------------------------------------------

// The lines of the log whose path is /mcp and whose `name` is `value`.
static size_t
count_lines(const char *log, const char *name, const char *value)
{
    struct mica_json line;
    struct mica_arena arena;
    size_t count = 0;

    mica_arena_init(&arena, 1 << 20);
    for (const char *at = log; *at != '\0'; at += strcspn(at, "\n") + 1) {
        struct mica_text text = {at, strcspn(at, "\n")};
        ck_assert_int_eq(mica_json_read(&arena, text, NULL, NULL, &line),
                         MICA_OK);
        if (mica_text_is(mica_json_get_text(&line, name), value))
            count++;
    }
    mica_arena_fini(&arena);
    return count;
}

START_TEST(a_call_that_waits_is_logged_once_and_so_is_each_stream)
{
    static char log[64 * 1024];
    struct client *client = &clients[0];
    int pipes[2], saved = dup(STDERR_FILENO), own;
    size_t length = 0;
    ssize_t got;

    ck_assert_int_eq(pipe(pipes), 0);
    ck_assert_int_ge(dup2(pipes[1], STDERR_FILENO), 0);
    close(pipes[1]);
    start_waiting(false);
    begin_call(client, CALL("confirm"));
    own = ask("GET", "/mcp", client->session, "", "");
    memset(&heard, 0, sizeof heard);
    ck_assert(hears(own, &heard, "200 OK"));
    await_shown("mica_http_exchanges", 0);
    accept_question(client);
    hear_result(client);
    close(own);
    await_shown("mica_streams", 0);
    stop();
    ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
    while ((got = read(pipes[0], log + length, sizeof log - 1 - length)) > 0)
        length += (size_t)got;
    // The request until it waited, and the turn that ended its call.
    ck_assert_uint_eq(count_lines(log, "response", "asked"), 1);
    ck_assert_uint_eq(count_lines(log, "tool", "confirm"), 2);
    ck_assert_uint_eq(count_lines(log, "method", "GET"), 1);
    ck_assert_uint_eq(count_lines(log, "response", "gone"), 1);
}
END_TEST

UNIT_MAIN("http waiting", many_calls_that_wait_hold_no_exchange,
          streams_that_are_only_read_hold_no_exchange,
          a_client_that_goes_while_its_call_waits_leaves_nothing_behind,
          a_call_that_has_waited_and_is_given_up_ends_its_stream,
          a_call_that_goes_on_gets_its_result_from_a_server_that_ends,
          a_call_that_waits_is_logged_once_and_so_is_each_stream)
