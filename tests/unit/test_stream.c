// SPDX-License-Identifier: Apache-2.0
//
// Answers over HTTP that are streams: calls that tell something on the way, and
// subscriptions/listen; clients that go, that never read, and many at once.
#include "http_host.h"
#include "platform/clock.h"

// Events.
#ifdef UNIT_SANITIZED
#    define A_MILLION "100000"
#else
#    define A_MILLION "1000000"
#endif

// ---- Tools that tell ------------------------------------------------------------------

static double
number(const struct mica_json *in, const char *name, double otherwise)
{
    const struct mica_json *value = mica_json_get(in, name);

    if (value != NULL)
        (void)mica_number_read(value->text, &otherwise);
    return otherwise;
}

// {"count": how many, "ms": between them, "hold": wait for release at the end,
// "fail": and fail, "of": what the first progress is divided by}
static enum mica_status
tell(struct mica_call *call, const struct mica_json *in,
     struct mica_json_writer *out)
{
    double count = number(in, "count", 3), ms = number(in, "ms", 0);

    atomic_fetch_add(&seen->started, 1);
    mica_log(call, MICA_LOG_DEBUG, "begins");
    if (mica_json_get(in, "of") != NULL) {
        mica_progress(call, 0 / number(in, "of", 1), 2, "no number");
        mica_progress(call, 1 / number(in, "of", 1), 2, "above all");
        mica_progress(call, 0.5, 2 / number(in, "of", 1), "of no end");
    }
    for (int i = 1; i <= (int)count && !mica_cancelled(call); i++) {
        mica_progress(call, i, count, "step %d", i);
        if (ms > 0)
            unit_sleep((unsigned)ms);
    }
    while (mica_json_get(in, "hold") != NULL && !atomic_load(&seen->release) &&
           !mica_cancelled(call))
        unit_sleep(2);
    mica_log(call, MICA_LOG_WARNING, "ends");
    if (mica_json_get(in, "fail") != NULL)
        return mica_fail(call, "NO_LUCK", "/fail", "it was to fail");
    atomic_fetch_add(mica_cancelled(call) ? &seen->cancelled : &seen->finished,
                     1);
    mica_json_open_object(out);
    mica_json_field(out, "state", MICA_LITERAL("told"));
    mica_json_close_object(out);
    return MICA_OK;
}

static enum mica_status
read_page(struct mica_call *call)
{
    mica_add_resource_text(call, NULL, NULL, MICA_LITERAL("page"), NULL);
    return MICA_OK;
}

MICA_RESOURCE(page, read_page, .uri = "test://page", .description = "A page.");

static const struct mica_tool tool_tell = {.name = "tell",
                                           .description = "Tells.",
                                           .input_schema =
                                               "{\"type\":\"object\"}",
                                           .json_handler = tell};

static void
begin_with(struct mica_http_options options)
{
    struct mica_error error;

    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(
        mica_server_add_tool(host.server, &tool_tell, NULL, &error), MICA_OK);
    ck_assert_msg(mica_server_add_resource(host.server, &mica_resource_page,
                                           NULL, &error) == MICA_OK,
                  "%s", error.message);
    start_server(options);
}

static void
begin(void)
{
    begin_with((struct mica_http_options){.quiet = true});
}

// ---- A client that reads streams -------------------------------------------------------

#define META                                                  \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" \
    "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}"

static void
post(int fd, const char *method, const char *name, const char *accept,
     const char *body)
{
    char text[8192];

    (void)snprintf(text, sizeof text,
                   "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                   "application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                   "Mcp-Method: %s\r\n%s%s%sAccept: %s\r\n"
                   "Content-Length: %zu\r\n\r\n%s",
                   method, name != NULL ? "Mcp-Name: " : "",
                   name != NULL ? name : "", name != NULL ? "\r\n" : "", accept,
                   strlen(body), body);
    say(fd, text);
}

#define BOTH "application/json, text/event-stream"

static void
call_tell(int fd, const char *meta, const char *arguments, const char *accept)
{
    char body[2048];

    (void)snprintf(body, sizeof body,
                   "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
                   "\"params\":{" META "%s},\"name\":\"tell\",\"arguments\":%s}"
                   "}",
                   meta, arguments);
    post(fd, "tools/call", "tell", accept, body);
}

#define TOKEN ",\"progressToken\":\"p\""

static void
call_listen(int fd, const char *id, const char *wanted)
{
    char body[2048];

    (void)snprintf(body, sizeof body,
                   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":"
                   "\"subscriptions/listen\",\"params\":{" META
                   "},\"notifications\":%s}}",
                   id, wanted);
    post(fd, "subscriptions/listen", NULL, BOTH, body);
}

// The same over REST.
static void
post_tell(int fd, const char *arguments, const char *accept)
{
    char text[2048];

    (void)snprintf(text, sizeof text,
                   "POST /api/tell HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Type: application/json\r\nAccept: %s\r\n"
                   "Content-Length: %zu\r\n\r\n%s",
                   accept, strlen(arguments), arguments);
    say(fd, text);
}

static size_t
count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

static struct heard h, other;

// ---- Calls -----------------------------------------------------------------------------

// [HTTP-SSE]
START_TEST(what_a_call_tells_arrives_before_it_ends)
{
    begin();
    int fd = dial();
    call_tell(fd, TOKEN, "{\"count\":2,\"hold\":1}", BOTH);
    ck_assert(hears(fd, &h, "\"progress\":2"));
    ck_assert_ptr_nonnull(strstr(h.text, "Content-Type: text/event-stream"));
    ck_assert_ptr_nonnull(strstr(h.text, "Cache-Control: no-cache"));
    ck_assert_ptr_nonnull(strstr(h.text, "X-Accel-Buffering: no"));
    ck_assert_ptr_nonnull(strstr(
        h.text, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress"
                "\",\"params\":{\"progressToken\":\"p\",\"progress\":1,"
                "\"total\":2,\"message\":\"step 1\"}}\n\n"));
    ck_assert_ptr_null(strstr(h.text, "\"result\""));
    atomic_store(&seen->release, true);
    ck_assert(hears(fd, &h, "0\r\n\r\n"));
    ck_assert_ptr_nonnull(strstr(h.text, "\"id\":7,\"result\":"));
    ck_assert_ptr_null(strstr(h.text, "notifications/message")); // not asked
    close(fd);
    stop();
}
END_TEST

START_TEST(over_rest_it_is_told_in_events_of_their_own)
{
    begin();
    int fd = dial();
    post_tell(fd, "{\"count\":2,\"hold\":1}", BOTH);
    ck_assert(hears(fd, &h, "event: progress\ndata: {\"progress\":2,"));
    ck_assert_ptr_nonnull(strstr(h.text, "Content-Type: text/event-stream"));
    ck_assert_ptr_nonnull(
        strstr(h.text, "event: progress\ndata: {\"progress\":1,\"total\":2,"
                       "\"message\":\"step 1\"}\n\n"));
    ck_assert_ptr_null(strstr(h.text, "event: result"));
    atomic_store(&seen->release, true);
    ck_assert(hears(fd, &h, "0\r\n\r\n"));
    ck_assert_ptr_nonnull(
        strstr(h.text, "event: log\ndata: {\"level\":\"warning\",\"tool\":"
                       "\"tell\",\"message\":\"ends\"}\n\n"));
    ck_assert_ptr_null(strstr(h.text, "begins")); // of the level "debug"
    // In pieces: it is lent to the stream.
    ck_assert_ptr_nonnull(strstr(h.text, "event: result\n"));
    ck_assert_ptr_nonnull(strstr(h.text, "{\"state\":\"told\"}"));
    ck_assert_ptr_null(strstr(h.text, "jsonrpc"));
    close(fd);
    stop();
}
END_TEST

// A tool divides by what a client sends: that ends no server.
START_TEST(progress_that_json_cannot_say_is_not_sent)
{
    begin();
    int fd = dial();
    call_tell(fd, TOKEN, "{\"count\":1,\"of\":0}", BOTH);
    ck_assert(hears(fd, &h, "0\r\n\r\n"));
    ck_assert_ptr_nonnull(
        strstr(h.text, "\"progress\":0.5,\"message\":\"of no end\"}"));
    ck_assert_ptr_nonnull(strstr(h.text, "\"progress\":1,\"total\":1,"));
    ck_assert_uint_eq(count_of(h.text, "notifications/progress"), 2);
    ck_assert_ptr_nonnull(strstr(h.text, "\"id\":7,\"result\":"));
    close(fd);
    fd = dial();
    post_tell(fd, "{\"count\":1,\"of\":0}", BOTH);
    ck_assert(hears(fd, &other, "0\r\n\r\n"));
    ck_assert_uint_eq(count_of(other.text, "event: progress"), 2);
    ck_assert_ptr_nonnull(strstr(other.text, "event: result\n"));
    close(fd);
    stop();
}
END_TEST

START_TEST(over_rest_a_stream_ends_with_a_problem_when_the_call_fails)
{
    begin();
    int fd = dial();
    post_tell(fd, "{\"fail\":1}", BOTH);
    ck_assert(hears(fd, &h, "0\r\n\r\n"));
    ck_assert_ptr_nonnull(strstr(h.text, "event: problem\n"));
    ck_assert_ptr_nonnull(strstr(h.text, "\"code\":\"NO_LUCK\""));
    ck_assert_ptr_nonnull(strstr(h.text, "\"pointer\":\"/fail\""));
    close(fd);
    stop();
}
END_TEST

START_TEST(over_rest_who_takes_only_json_gets_json)
{
    static struct response r;

    begin();
    int fd = dial();
    post_tell(fd, "{}", "application/json");
    ck_assert(hear(fd, &r));
    ck_assert_str_eq(r.body, "{\"state\":\"told\"}");
    post_tell(fd, "{}", "text/event-stream");
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 406); // a refusal is no stream
    close(fd);
    stop();
}
END_TEST

START_TEST(over_rest_who_goes_away_cancels_the_call)
{
    begin();
    int fd = dial();
    post_tell(fd, "{\"count\":1,\"hold\":1}", BOTH);
    ck_assert(hears(fd, &h, "step 1"));
    close(fd);
    fixture_await(&seen->cancelled, 1);
    stop();
}
END_TEST

// ---- Sources that are edited -----------------------------------------------------

static int64_t
revision(void *data)
{
    (void)data;
    return 3;
}

static void
write_state(void *data, struct mica_buffer *out)
{
    (void)data;
    mica_buffer_text(out, MICA_LITERAL("{\"revision\":3,\"tools\":[]}"));
}

static void
get(int fd, const char *path)
{
    char text[256];

    (void)snprintf(text, sizeof text,
                   "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    say(fd, text);
}

START_TEST(open_pages_are_told_when_a_source_is_saved)
{
    static const struct mica_development development = {.revision = revision,
                                                        .write = write_state};
    const struct mica_change change = {.kind = MICA_CHANGED_SOURCES};
    static struct response r;

    begin();
    int fd = dial(), asking = dial();
    get(asking, "/dev/events");
    ck_assert(hear(asking, &r));
    ck_assert_uint_eq(r.status, 404); // not under mica dev
    host.server->development = &development;
    get(asking, "/dev/state");
    ck_assert(hear(asking, &r));
    ck_assert_str_eq(r.body, "{\"revision\":3,\"tools\":[]}");
    get(asking, "/");
    ck_assert(hear(asking, &r));
    ck_assert_ptr_nonnull(strstr(r.body, "<html lang=\"en\" data-dev=\"3\">"));
    get(fd, "/dev/events");
    ck_assert(hears(fd, &h, "event: changed\n")); // look at what there is
    ck_assert(hears(fd, &h, WHOLE_EVENT));
    ck_assert(is_quiet(fd, 50));
    host.server->registry.changed(host.server->registry.changed_data, &change);
    ck_assert(hears(fd, &other, "event: changed\n"));
    stop(); // ends it
    ck_assert(hears(fd, &other, "0\r\n\r\n"));
    close(asking);
    close(fd);
}
END_TEST

START_TEST(a_connection_serves_another_request_after_a_stream)
{
    begin();
    int fd = dial();
    for (int i = 0; i < 5; i++) {
        memset(&h, 0, sizeof h);
        call_tell(fd, TOKEN, "{}", BOTH);
        ck_assert(hears(fd, &h, "0\r\n\r\n"));
        ck_assert_uint_eq(count_of(h.text, "notifications/progress"), 3);
    }
    close(fd);
    stop();
}
END_TEST

START_TEST(log_messages_come_from_the_level_that_was_asked_for)
{
    begin();
    int fd = dial();
    call_tell(fd, ",\"io.modelcontextprotocol/logLevel\":\"info\"", "{}", BOTH);
    ck_assert(hears(fd, &h, "0\r\n\r\n"));
    ck_assert_ptr_nonnull(strstr(
        h.text, "\"method\":\"notifications/message\",\"params\":{\"level\":"
                "\"warning\",\"logger\":\"tell\",\"data\":\"ends\"}"));
    ck_assert_ptr_null(strstr(h.text, "begins"));
    ck_assert_ptr_null(strstr(h.text, "notifications/progress"));
    close(fd);
    stop();
}
END_TEST

START_TEST(who_takes_only_json_gets_json_and_nothing_else)
{
    static struct response r;

    begin();
    int fd = dial();
    call_tell(fd, TOKEN, "{}", "application/json");
    ck_assert(hear(fd, &r));
    ck_assert_ptr_nonnull(strstr(r.text, "Content-Type: application/json"));
    ck_assert_ptr_null(strstr(r.body, "notifications/"));
    memset(&h, 0, sizeof h);
    call_tell(fd, TOKEN, "{}", "*/*");
    ck_assert(hears(fd, &h, "0\r\n\r\n"));
    ck_assert_uint_eq(count_of(h.text, "notifications/progress"), 3);
    close(fd);
    stop();
}
END_TEST

START_TEST(calls_that_tell_run_in_parallel)
{
    enum {
        COUNT = 16
    };
    int fds[COUNT];

    begin_with((struct mica_http_options){.quiet = true, .workers = 4});
    for (int i = 0; i < COUNT; i++) {
        fds[i] = dial();
        call_tell(fds[i], TOKEN, "{\"count\":20,\"ms\":1}", BOTH);
    }
    for (int i = 0; i < COUNT; i++) {
        memset(&h, 0, sizeof h);
        ck_assert(hears(fds[i], &h, "0\r\n\r\n"));
        ck_assert_uint_eq(count_of(h.text, "notifications/progress"), 20);
        ck_assert_uint_eq(count_of(h.text, "\"result\""), 1);
        close(fds[i]);
    }
    stop();
}
END_TEST

// [HTTP-DISCONNECT]
START_TEST(closing_the_stream_cancels_a_stateless_call)
{
    begin();
    int fd = dial();
    call_tell(fd, TOKEN, "{\"hold\":1}", BOTH);
    ck_assert(hears(fd, &h, "\"progress\":3"));
    close(fd);
    fixture_await(&seen->cancelled, 1);
    stop();
}
END_TEST

START_TEST(a_reset_in_the_middle_of_many_events_is_harmless)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    begin();
    for (int i = 1; i <= 10; i++) {
        int fd = dial();
        call_tell(fd, TOKEN, "{\"count\":" A_MILLION "}", BOTH);
        memset(&h, 0, sizeof h);
        ck_assert(hears(fd, &h, "\"progress\":3"));
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(fd);
        fixture_await(&seen->cancelled, i);
    }
    stop();
}
END_TEST

// [CANCEL-LEGACY]
START_TEST(closing_the_stream_does_not_cancel_a_legacy_call)
{
    char text[1024];
    const char *body =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"_meta\":{\"progressToken\":4},\"name\":\"tell\",\"arguments\":{"
        "\"hold\":1}}}";

    begin_with((struct mica_http_options){.quiet = true, .sessions_off = true});
    int fd = dial();
    (void)snprintf(text, sizeof text,
                   "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                   "application/json\r\nMCP-Protocol-Version: 2025-11-25\r\n"
                   "Accept: " BOTH "\r\nContent-Length: %zu\r\n\r\n%s",
                   strlen(body), body);
    say(fd, text);
    ck_assert(hears(fd, &h, "\"progressToken\":4,\"progress\":3"));
    close(fd);
    unit_sleep(100);
    ck_assert_int_eq(atomic_load(&seen->cancelled), 0);
    atomic_store(&seen->release, true);
    fixture_await(&seen->finished, 1);
    stop();
}
END_TEST

// The handler is held up for two seconds, then continues without its reader.
START_TEST(a_million_events_for_a_client_that_does_not_read_take_no_memory)
{
    static struct response r;

    begin();
    int deaf = dial();
    call_tell(deaf, TOKEN, "{\"count\":" A_MILLION "}", BOTH);
    fixture_await(&seen->started, 1);
    int fd = dial();
    ask_tool(fd, "1", "echo", "{}");
    ck_assert(hear(fd, &r)); // others are served
    fixture_await(&seen->finished, 1);
    // Late, but there: the result.
    static char room[1 << 16], tail[(1 << 17) + 1];
    size_t length = 0;
    bool done = false;
    while (!done) {
        ssize_t got = recv(deaf, room, sizeof room, 0);
        ck_assert_int_gt(got, 0);
        if (length > sizeof room) {
            memmove(tail, tail + length - 64, 64);
            length = 64;
        }
        memcpy(tail + length, room, (size_t)got);
        length += (size_t)got;
        tail[length] = '\0';
        done = strstr(tail, "\"result\"") != NULL;
    }
    close(deaf);
    close(fd);
    stop();
}
END_TEST

START_TEST(a_call_that_tells_too_long_ends_with_an_error_event)
{
    begin_with((struct mica_http_options){.quiet = true, .idle_timeout_s = 1});
    int fd = dial();
    call_tell(fd, TOKEN, "{\"hold\":1}", BOTH);
    ck_assert(hears(fd, &h, "0\r\n\r\n"));
    ck_assert_ptr_nonnull(strstr(h.text, "TIMEOUT"));
    ck_assert_ptr_nonnull(strstr(h.text, "\"id\":7"));
    close(fd);
    stop();
}
END_TEST

START_TEST(draining_lets_a_stream_end_by_itself)
{
    begin();
    int fd = dial();
    call_tell(fd, TOKEN, "{\"hold\":1}", BOTH);
    ck_assert(hears(fd, &h, "\"progress\":3"));
    signal_end();
    unit_sleep(50);
    atomic_store(&seen->release, true);
    ck_assert(hears(fd, &h, "0\r\n\r\n"));
    ck_assert_ptr_nonnull(strstr(h.text, "\"result\""));
    close(fd);
    await_end();
}
END_TEST

// ---- Subscriptions -----------------------------------------------------------------------

static void
change_tools(void)
{
    static const struct mica_tool more = {.name = "more",
                                          .description = "More.",
                                          .input_schema =
                                              "{\"type\":\"object\"}",
                                          .json_handler = tell};
    struct mica_error error;

    ck_assert_msg(mica_server_add_tool(host.server, &more, NULL, &error) ==
                      MICA_OK,
                  "%s", error.message);
    ck_assert_int_eq(
        mica_server_remove(host.server, MICA_DEFINITION_TOOL, "more", &error),
        MICA_OK);
}

// [LISTEN-ACK]
START_TEST(a_subscription_is_acknowledged_with_what_there_is)
{
    begin();
    int fd = dial();
    call_listen(fd, "\"s-1\"",
                "{\"toolsListChanged\":true,\"promptsListChanged\":true,"
                "\"resourcesListChanged\":false,\"resourceSubscriptions\":"
                "[\"test://page\"]}");
    ck_assert(hears(fd, &h, "acknowledged"));
    ck_assert(hears(fd, &h, "\n\n"));
    ck_assert_ptr_nonnull(strstr(
        h.text,
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
        "acknowledged\",\"params\":{\"notifications\":{\"toolsListChanged\":"
        "true,\"resourceSubscriptions\":[\"test://page\"]},\"_meta\":{\"io."
        "modelcontextprotocol/subscriptionId\":\"s-1\"}}}\n\n"));
    ck_assert_ptr_nonnull(strstr(h.text, "Content-Type: text/event-stream"));
    close(fd);
    stop();
}
END_TEST

// [LISTEN-FILTER]
START_TEST(a_subscription_is_told_what_it_asked_for_and_no_more)
{
    begin();
    int tools = dial(), pages = dial();
    call_listen(tools, "1", "{\"toolsListChanged\":true}");
    call_listen(pages, "2", "{\"resourceSubscriptions\":[\"test://page\"]}");
    ck_assert(hears(tools, &h, "acknowledged"));
    ck_assert(hears(pages, &other, "acknowledged"));
    ck_assert(hears(pages, &other, WHOLE_EVENT));
    change_tools();
    ck_assert(hears(tools, &h,
                    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                    "tools/list_changed\",\"params\":{\"_meta\":{\"io."
                    "modelcontextprotocol/subscriptionId\":1}}}" WHOLE_EVENT));
    ck_assert(is_quiet(pages, 50));
    mica_server_resource_changed(host.server, "test://page/2");
    mica_server_resource_changed(host.server, "test://pages");
    ck_assert(hears(pages, &other,
                    "notifications/resources/updated\",\"params\":{\"uri\":"
                    "\"test://page/2\",\"_meta\":{\"io.modelcontextprotocol/"
                    "subscriptionId\":2}}}\n\n"));
    ck_assert_ptr_null(strstr(other.text, "test://pages"));
    ck_assert(is_quiet(tools, 50));
    close(tools);
    close(pages);
    stop();
}
END_TEST

START_TEST(a_burst_of_changes_is_told_as_few)
{
    begin();
    int fd = dial();
    call_listen(fd, "1", "{\"toolsListChanged\":true}");
    ck_assert(hears(fd, &h, "acknowledged"));
    int64_t began = mica_clock_ms();
    for (int i = 0; i < 500; i++)
        change_tools();
    ck_assert(hears(fd, &h, "tools/list_changed"));
    unit_sleep(100);
    (void)recv(fd, h.text + h.length, sizeof h.text - 1 - h.length,
               MSG_DONTWAIT);
    // Those of 5 ms are told together; a busy machine takes long for the thousand.
    ck_assert_uint_lt(count_of(h.text, "tools/list_changed"),
                      (size_t)(10 + (mica_clock_ms() - began) / 5));
    close(fd);
    stop();
}
END_TEST

START_TEST(a_subscription_ends_with_a_result_when_the_server_does)
{
    begin();
    int fd = dial();
    call_listen(fd, "5", "{\"toolsListChanged\":true}");
    ck_assert(hears(fd, &h, "acknowledged"));
    signal_end();
    ck_assert(hears(fd, &h, "0\r\n\r\n"));
    ck_assert_ptr_nonnull(strstr(h.text, "\"id\":5,\"result\":{\"resultType\":"
                                         "\"complete\",\"_meta\":{"));
    ck_assert_ptr_nonnull(
        strstr(h.text, "\"io.modelcontextprotocol/subscriptionId\":5}}}\n\n"));
    await_end();
    close(fd);
}
END_TEST

START_TEST(a_wrong_filter_is_refused_before_the_stream_begins)
{
    static const char *const wrong[] = {"3", "{\"toolsListChanged\":1}",
                                        "{\"resourceSubscriptions\":\"x\"}",
                                        "{\"resourceSubscriptions\":[4]}"};
    static struct response r;

    begin();
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        int fd = dial();
        call_listen(fd, "1", wrong[i]);
        ck_assert(hear(fd, &r));
        ck_assert_msg(strstr(r.body, "-32602") != NULL, "%s", r.body);
        close(fd);
    }
    int fd = dial();
    call_listen(fd, "1", "{\"taskIds\":[\"a\"]}");
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 400);
    ck_assert_ptr_nonnull(strstr(r.body, "-32021"));
    close(fd);
    fd = dial();
    post(fd, "subscriptions/listen", NULL, "application/json",
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\","
         "\"params\":{" META "},\"notifications\":{}}}");
    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 406);
    close(fd);
    stop();
}
END_TEST

START_TEST(a_thousand_subscriptions_are_told_and_let_go)
{
    enum {
        COUNT = 1000
    };
    static struct response r;
    static int fds[COUNT];

    begin_with((struct mica_http_options){.quiet = true, .connections = 1010});
    for (int i = 0; i < COUNT; i++) {
        fds[i] = dial();
        ck_assert_int_ge(fds[i], 0);
        call_listen(fds[i], "1", "{\"toolsListChanged\":true}");
    }
    for (int i = 0; i < COUNT; i++) {
        memset(h.text, 0, 1024);
        h.length = 0;
        ck_assert(hears(fds[i], &h, "acknowledged"));
        ck_assert(hears(fds[i], &h, "}}}\n\n"));
    }
    for (int i = 0; i < 10; i++)
        close(fds[i]); // without a word
    change_tools();
    for (int i = 10; i < COUNT; i++) {
        memset(h.text, 0, 1024);
        h.length = 0;
        ck_assert(hears(fds[i], &h, "list_changed"));
    }
    int fd = dial();
    ask_tool(fd, "1", "echo", "{}");
    ck_assert(hear(fd, &r)); // others are served
    close(fd);
    stop();
    for (int i = 10; i < COUNT; i++)
        close(fds[i]);
}
END_TEST

// The reader is told last of all (it came first), so that what it has heard was
// sent to the other as well.
START_TEST(subscribers_that_never_read_are_dropped_and_others_are_told)
{
    enum {
        ROUNDS = 100,
        URIS = 150
    };
    static char room[1 << 16];
    struct pollfd wait = {.events = POLLIN};
    char uri[1001];
    size_t total = 0;
    ssize_t got = 1;

    begin();
    int fd = dial(), deaf = dial();
    call_listen(fd, "2", "{\"resourceSubscriptions\":[\"test://\"]}");
    ck_assert(hears(fd, &h, "acknowledged"));
    call_listen(deaf, "1", "{\"resourceSubscriptions\":[\"test://\"]}");
    ck_assert(hears(deaf, &other, "acknowledged"));
    memset(uri, 'x', sizeof uri);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 1; i <= URIS; i++) {
            int length = snprintf(uri, sizeof uri, "test://%d/%d/", round, i);
            uri[length] = 'x';
            uri[sizeof uri - 1] = '\0';
            mica_server_resource_changed(host.server, uri);
        }
        memset(&h, 0, sizeof h);
        (void)snprintf(uri, sizeof uri, "test://%d/%d/", round, URIS);
        ck_assert(hears(fd, &h, uri));
        uri[strlen(uri)] = 'x';
    }
    wait.fd = deaf;
    while (got > 0 && poll(&wait, 1, UNIT_PATIENCE_MS) == 1) {
        got = recv(deaf, room, sizeof room, 0);
        total += got > 0 ? (size_t)got : 0;
    }
    ck_assert_int_le(got, 0); // it was closed, before all was sent
    ck_assert_uint_lt(total, ROUNDS * URIS * sizeof uri);
    close(deaf);
    close(fd);
    stop();
}
END_TEST

UNIT_MAIN("stream", what_a_call_tells_arrives_before_it_ends,
          over_rest_it_is_told_in_events_of_their_own,
          progress_that_json_cannot_say_is_not_sent,
          over_rest_a_stream_ends_with_a_problem_when_the_call_fails,
          over_rest_who_takes_only_json_gets_json,
          over_rest_who_goes_away_cancels_the_call,
          open_pages_are_told_when_a_source_is_saved,
          a_connection_serves_another_request_after_a_stream,
          log_messages_come_from_the_level_that_was_asked_for,
          who_takes_only_json_gets_json_and_nothing_else,
          calls_that_tell_run_in_parallel,
          closing_the_stream_cancels_a_stateless_call,
          a_reset_in_the_middle_of_many_events_is_harmless,
          closing_the_stream_does_not_cancel_a_legacy_call,
          a_million_events_for_a_client_that_does_not_read_take_no_memory,
          a_call_that_tells_too_long_ends_with_an_error_event,
          draining_lets_a_stream_end_by_itself,
          a_subscription_is_acknowledged_with_what_there_is,
          a_subscription_is_told_what_it_asked_for_and_no_more,
          a_burst_of_changes_is_told_as_few,
          a_subscription_ends_with_a_result_when_the_server_does,
          a_wrong_filter_is_refused_before_the_stream_begins,
          a_thousand_subscriptions_are_told_and_let_go,
          subscribers_that_never_read_are_dropped_and_others_are_told)
