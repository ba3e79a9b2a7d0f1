// SPDX-License-Identifier: Apache-2.0
//
// Streams of sessions and of the oldest transport over HTTP, when the server
// ends, when a stream cannot be kept, and when anything may have changed.
#include <mica/tool.h>

#include "http_session.h"
#include "platform/clock.h"
#include "scrape.h"
#include "serve/stored_calls.h"
#include "store/store_streams.h"

// ---- A client that reads streams -------------------------------------------------------

// What came on a connection; kept from one look to the next.
static struct heard first, second;

// ---- Sessions --------------------------------------------------------------------------

// A call whose client went away and came back for the rest.
static int
come_back(void)
{
    int fd = ask("POST", "/mcp", session, "", CALL("hold"));

    ck_assert(hears(fd, &first, "id: 1-0\n"));
    fixture_await(&seen->started, 1);
    close(fd);
    fd = ask("GET", "/mcp", session, "Last-Event-ID: 1-0\r\n", "");
    ck_assert(hears(fd, &second, "200 OK"));
    return fd;
}

// Waits until the server takes no connections.
static void
await_drain(void)
{
    int fd;

    for (int i = 0; i < 500 && (fd = dial()) >= 0; i++) {
        close(fd);
        unit_sleep(10);
    }
    unit_sleep(100);
}

static void
start_sessions(void)
{
    start_with((struct mica_http_options){
        .quiet = true, .store = "memory", .http_sse = true});
}

START_TEST(a_resumed_stream_gets_its_result_from_a_server_that_ends)
{
    start_sessions();
    begin_session();
    int fd = come_back();
    signal_end();
    await_drain();
    atomic_store(&seen->release, true);
    ck_assert(hears(fd, &second, "\"id\":7,\"result\""));
    ck_assert(ends(fd, &second));
    await_end();
    ck_assert_int_eq(atomic_load(&seen->cancelled), 0);
}
END_TEST

START_TEST(streams_on_which_nothing_follows_do_not_hold_up_the_end)
{
    uint64_t began;

    start_sessions();
    begin_session();
    int own = ask("GET", "/mcp", session, "", "");
    int oldest = ask("GET", "/sse", NULL, "", "");
    ck_assert(hears(own, &first, "200 OK"));
    ck_assert(hears(oldest, &second, "endpoint"));
    began = mica_clock_coarse_ms();
    signal_end();
    ck_assert(ends(own, &first));
    ck_assert(ends(oldest, &second));
    await_end();
    ck_assert_uint_lt(mica_clock_coarse_ms() - began, 9900); // it would be 10 s
}
END_TEST

// ---- A store that others share ---------------------------------------------------------

// For request 7, which another process runs, until so long from now.
static int64_t
open_for(int64_t lease_ms)
{
    int64_t stream;

    ck_assert_int_eq(mica_store_stream_open(store, &key, MICA_LITERAL("7"),
                                            now(), lease_ms, &host.error,
                                            &stream),
                     MICA_OK);
    return stream;
}

static int64_t
open_elsewhere(void)
{
    return open_for(60000);
}

// A call that answers on the stream, is kept, and has ended `ago_ms` ago.
static void
end_elsewhere(const char *id, int64_t stream, int64_t ago_ms)
{
    struct mica_kept_call call = {
        .id = mica_text(id),
        .mode = MICA_CALL_SESSION,
        .target = MICA_LITERAL("booked"),
        .version = MICA_LITERAL("1"),
        .arguments = MICA_LITERAL("{}"),
        .context = MICA_LITERAL("{\"id\":7}"),
        .session = {(const char *)key.bytes, sizeof key.bytes},
        .stream = stream,
        .created = now(),
        .state = MICA_CALL_WORKING,
        .due = INT64_MAX,
        .expires = now() + 60000};
    const struct mica_text none = {NULL, 0};
    struct mica_arena arena;

    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_store_call_create(store, &call, none, now() - ago_ms,
                                            60000, &arena, &host.error),
                     MICA_OK);
    call.state = MICA_CALL_COMPLETED;
    call.reply = MICA_LITERAL("\"result\":{\"content\":[]}");
    ck_assert_int_eq(mica_store_call_commit(store, &call, none, none,
                                            now() - ago_ms, 0, &host.error),
                     MICA_OK);
    mica_arena_fini(&arena);
}

START_TEST(a_stream_of_a_call_elsewhere_does_not_hold_up_the_end)
{
    uint64_t began;
    int64_t sequence;

    start_shared(0);
    ck_assert_int_eq(open_elsewhere(), 1);
    ck_assert_int_eq(mica_store_event_append(store, &key, 1, now(),
                                             mica_text("{\"told\":1}"),
                                             &host.error, &sequence),
                     MICA_OK);
    int fd = ask("GET", "/mcp", session, "Last-Event-ID: 1-0\r\n", "");
    ck_assert(hears(fd, &first, "{\"told\":1}"));
    began = mica_clock_coarse_ms();
    signal_end();
    ck_assert(ends(fd, &first));
    await_end();
    ck_assert_uint_lt(mica_clock_coarse_ms() - began, 9900); // it would be 10 s
    remove_shared();
}
END_TEST

START_TEST(a_stream_whose_process_has_died_ends_with_an_error)
{
    static struct heard again;
    int64_t began;

    start_shared(0);
    began = now();
    ck_assert_int_eq(open_for(1500), 1);
    int fd = ask("GET", "/mcp", session, "Last-Event-ID: 1-0\r\n", "");
    ck_assert(hears(fd, &first, "\"id\":7,\"error\""));
    ck_assert_int_ge(now() - began, 1500);
    ck_assert(ends(fd, &first));
    ck_assert_ptr_nonnull(strstr(first.text, "INTERRUPTED"));
    // A client that comes again gets the same reply at once.
    fd = ask("GET", "/mcp", session, "Last-Event-ID: 1-0\r\n", "");
    ck_assert(ends(fd, &again));
    ck_assert_ptr_nonnull(strstr(again.text, "\"id\":7,\"error\""));
    stop();
    remove_shared();
}
END_TEST

START_TEST(an_end_that_its_process_did_not_live_to_tell_is_told)
{
    start_shared(0);
    ck_assert_int_eq(open_for(-5000), 1);
    end_elsewhere("AAAAAAAAAAAAAAAAAAAAAA", 1, 5000);
    int fd = ask("GET", "/mcp", session, "Last-Event-ID: 1-0\r\n", "");
    ck_assert(ends(fd, &first));
    ck_assert_ptr_nonnull(
        strstr(first.text, "\"id\":7,\"result\":{\"content\":[]}"));
    ck_assert_ptr_null(strstr(first.text, "INTERRUPTED"));
    stop();
    remove_shared();
}
END_TEST

START_TEST(a_stream_whose_call_was_deleted_ends_with_an_error)
{
    start_shared(0);
    ck_assert_int_eq(open_for(-5000), 1);
    end_elsewhere("AAAAAAAAAAAAAAAAAAAAAA", 1, 0);
    ck_assert_int_eq(mica_store_call_delete(store,
                                            mica_text("AAAAAAAAAAAAAAAAAAAAAA"),
                                            now(), &host.error),
                     MICA_OK);
    int fd = ask("GET", "/mcp", session, "Last-Event-ID: 1-0\r\n", "");
    ck_assert(ends(fd, &first));
    ck_assert_ptr_nonnull(strstr(first.text, "\"id\":7,\"error\""));
    stop();
    remove_shared();
}
END_TEST

// Until when a process serves the first stream, as other processes see it.
static int64_t
lease_of_first(void)
{
    struct mica_store_events events;
    struct mica_arena arena;

    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_store_event_replay(store, &key, 1, 0, 0, now(),
                                             &arena, &host.error, &events),
                     MICA_OK);
    mica_arena_fini(&arena);
    return events.lease;
}

START_TEST(a_call_that_runs_says_so_to_others)
{
    int64_t lease;

    start_shared(0);
    int fd = ask("POST", "/mcp", session, "", CALL("hold"));
    ck_assert(hears(fd, &first, "id: 1-0\n"));
    lease = lease_of_first();
    ck_assert_int_gt(lease, now());
    UNIT_AWAIT(lease_of_first() > lease + 5000);
    atomic_store(&seen->release, true);
    ck_assert(hears(fd, &first, "\"id\":7,\"result\""));
    close(fd);
    stop();
    remove_shared();
}
END_TEST

// A call whose stream is not kept, as the session has all it may have.
static int
call_without_a_stream(unsigned idle_s)
{
    int fd;

    start_shared(idle_s);
    for (int i = 0; i < 64; i++)
        (void)open_elsewhere();
    fd = ask("POST", "/mcp", session, "", CALL("hold"));
    fixture_await(&seen->started, 1);
    return fd;
}

START_TEST(a_call_without_a_stream_that_is_kept_has_a_deadline)
{
    int fd = call_without_a_stream(1);

    ck_assert(ends(fd, &first));
    ck_assert_ptr_null(strstr(first.text, "id: "));
    ck_assert_ptr_nonnull(strstr(first.text, "\"id\":7,\"error\""));
    ck_assert_ptr_nonnull(strstr(first.text, "TIMEOUT"));
    ck_assert_int_eq(atomic_load(&seen->cancelled), 1);
    stop();
    remove_shared();
}
END_TEST

START_TEST(a_call_that_nobody_can_come_back_for_ends_by_its_deadline)
{
    int fd = call_without_a_stream(5);

    ck_assert(hears(fd, &first, "200 OK"));
    close(fd);
    // MCP: to go away is not to cancel. The deadline is far.
    unit_sleep(200);
    ck_assert_int_eq(atomic_load(&seen->cancelled), 0);
    fixture_await(&seen->cancelled, 1);
    stop();
    remove_shared();
}
END_TEST

START_TEST(a_call_that_can_be_resumed_outlasts_the_wait_of_others)
{
    start_shared(1);
    int fd = ask("POST", "/mcp", session, "", CALL("hold"));
    ck_assert(hears(fd, &first, "id: 1-0\n"));
    fixture_await(&seen->started, 1);
    unit_sleep(3500);
    ck_assert_int_eq(atomic_load(&seen->cancelled), 0);
    atomic_store(&seen->release, true);
    ck_assert(hears(fd, &first, "\"id\":7,\"result\""));
    close(fd);
    stop();
    remove_shared();
}
END_TEST

// ---- Calls that ask --------------------------------------------------------------------

struct sure {
    bool yes;
};
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Is it so?"));

// A turn that asks is held up when it next looks at the time: before it is kept.
static _Thread_local bool asks;
static atomic_bool held;
static atomic_int holds;

static int64_t
held_time(void *data)
{
    (void)data;
    if (asks && atomic_load(&held))
        atomic_fetch_add(&holds, 1);
    while (asks && atomic_load(&held))
        unit_sleep(2);
    return mica_platform_real.now_ms(mica_platform_real.data);
}

static enum mica_status
confirm(struct mica_call *call, const struct mica_nothing *in,
        struct mica_nothing *out)
{
    struct sure sure;
    const struct mica_ask one[] = {
        {.form = MICA_FORM(sure, &sure), .message = MICA_LITERAL("Sure?")}};

    enum mica_status status = mica_ask_all(call, one, 1);

    (void)in;
    (void)out;
    asks = status != MICA_OK;
    if (status == MICA_OK)
        mica_add_text(call, MICA_LITERAL("confirmed"), NULL);
    return status;
}
MICA_TOOL(confirm, mica_nothing, mica_nothing, confirm, .description = "Asks.");
MICA_TOOL(hurry, mica_nothing, mica_nothing, confirm,
          .description = "Asks, and does not wait long.", .limit_ms = 200);

// It is kept from its beginning.
MICA_TOOL(careful, mica_nothing, mica_nothing, confirm,
          .description = "Has steps.", .steps = MICA_STEPS("a"));

// The calls of the server, of which commits lose their lease.
static struct mica_calls real_calls, wrapped_calls;
static atomic_int losses;
static atomic_bool loses_questions; // and not only ends

static enum mica_status
commit_or_lose(void *data, struct mica_kept_call *call,
               struct mica_text answers, struct mica_text round_reply,
               bool release, struct mica_error *error)
{
    if (atomic_load(&losses) > 0 &&
        (mica_call_has_ended(call) || atomic_load(&loses_questions))) {
        atomic_fetch_sub(&losses, 1);
        real_calls.release(data, call);
        return mica_error_set(error, MICA_E_CALL_BUSY, "", "lost");
    }
    return real_calls.commit(data, call, answers, round_reply, release, error);
}

// A new call takes long to be given its id, which is before it is kept.
static void
random_late(void *data, void *bytes, size_t size)
{
    (void)data;
    unit_sleep(100);
    mica_platform_real.random(mica_platform_real.data, bytes, size);
}

static struct mica_platform held_platform;
static unsigned metrics_port;

// With a session whose client can be asked.
static void
start_asking(void)
{
    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(mica_server_add_tool(host.server, &mica_tool_confirm, NULL,
                                          &host.error),
                     MICA_OK);
    ck_assert_int_eq(
        mica_server_add_tool(host.server, &mica_tool_hurry, NULL, &host.error),
        MICA_OK);
    ck_assert_int_eq(mica_server_add_tool(host.server, &mica_tool_careful, NULL,
                                          &host.error),
                     MICA_OK);
    ck_assert_int_eq(mica_store_open("memory", NULL, &host.error, &store),
                     MICA_OK);
    ck_assert_int_eq(mica_server_use_store(host.server, store, &host.error),
                     MICA_OK);
    real_calls = wrapped_calls = *host.server->calls;
    wrapped_calls.commit = commit_or_lose;
    host.server->calls = &wrapped_calls;
    held_platform = mica_platform_real;
    held_platform.now_ms = held_time;
    held_platform.random = random_late;
    host.server->platform = &held_platform;
    start_server(
        (struct mica_http_options){.quiet = true, .metrics = SCRAPE_ANY});
    metrics_port = scraped_port((unsigned)atomic_load(&host.port));
    begin_session_with(
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{"
        "\"elicitation\":{}},\"clientInfo\":{\"name\":\"c\","
        "\"version\":\"1\"}}}");
}

static void
stop_asking(void)
{
    stop();
    mica_store_close(&store);
}

// Answers the question that was heard.
static void
accept_question(void)
{
    const char *at = strstr(first.text, "\"method\":\"elicitation/create\"");
    char body[256];

    ck_assert_ptr_nonnull(at);
    while (strncmp(at, "\"id\":\"", 6) != 0)
        at--;
    (void)snprintf(body, sizeof body,
                   "{\"jsonrpc\":\"2.0\",\"id\":\"%.*s\",\"result\":{"
                   "\"action\":\"accept\",\"content\":{\"yes\":true}}}",
                   (int)strcspn(at + 6, "\""), at + 6);
    post(body, 202);
}

START_TEST(a_turn_that_lost_its_lease_is_left_before_it_is_tried_again)
{
    start_asking();
    int fd = ask("POST", "/mcp", session, "", CALL("confirm"));
    ck_assert(hears(fd, &first, "\"method\":\"elicitation/create\""));
    atomic_store(&losses, 2);
    accept_question();
    ck_assert(hears(fd, &first, "confirmed"));
    ck_assert(ends(fd, &first));
    ck_assert_int_eq(atomic_load(&losses), 0);
    const char *page = NULL;
    UNIT_AWAIT((page = scrape_port(metrics_port),
                strstr(page, "\nmica_call_turns 0\n") != NULL));
    ck_assert_ptr_nonnull(strstr(page, "\nmica_session_calls 0\n"));
    ck_assert_ptr_nonnull(strstr(page, "\nmica_call_answers_total 1\n"));
    stop_asking();
}
END_TEST

// Of one that is not tried again here: the store offers its call anew.
START_TEST(a_late_turn_that_lost_its_lease_leaves_the_stream_open)
{
    start_asking();
    atomic_store(&losses, 1);
    int fd = ask("POST", "/mcp", session, "", CALL("hurry"));
    ck_assert(hears(fd, &first, "\"id\":7,"));
    ck_assert_ptr_nonnull(strstr(first.text, "TIMEOUT"));
    ck_assert(ends(fd, &first));
    ck_assert_int_eq(atomic_load(&losses), 0);
    stop_asking();
}
END_TEST

// The process that has claimed the call meanwhile, or finds it, asks on its stream.
START_TEST(a_first_turn_that_lost_its_lease_leaves_the_call_to_others)
{
    start_asking();
    atomic_store(&loses_questions, true);
    atomic_store(&losses, 1);
    int fd = ask("POST", "/mcp", session, "", CALL("confirm"));
    ck_assert(hears(fd, &first, "\"method\":\"elicitation/create\""));
    ck_assert_int_eq(atomic_load(&losses), 0);
    accept_question();
    ck_assert(hears(fd, &first, "confirmed"));
    ck_assert(ends(fd, &first));
    ck_assert_ptr_null(strstr(first.text, "\"error\""));
    stop_asking();
}
END_TEST

START_TEST(a_call_that_is_given_up_while_its_question_is_kept_ends)
{
    start_asking();
    atomic_store(&held, true);
    int fd = ask("POST", "/mcp", session, "", CALL("confirm"));
    fixture_await(&holds, 1);
    post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
         "\"params\":{\"requestId\":7}}",
         202);
    atomic_store(&held, false);
    ck_assert(ends(fd, &first));
    ck_assert_ptr_null(strstr(first.text, "\"id\":7"));
    stop_asking();
}
END_TEST

// So a process may die at any moment: a client that knows an id to come back with
// finds the call, and one that knows none calls again.
START_TEST(a_call_is_kept_before_its_client_knows_where_to_come_back)
{
    struct mica_store_answering answering;
    struct mica_arena arena;

    start_asking();
    key = mica_store_session_key_of(mica_text(session));
    mica_arena_init(&arena, 1 << 20);
    int fd = ask("POST", "/mcp", session, "", CALL("careful"));
    ck_assert(hears(fd, &first, "id: 1-0\n"));
    ck_assert_int_eq(
        mica_store_answering(store, &key, 1, &arena, &host.error, &answering),
        MICA_OK);
    ck_assert_uint_eq(answering.count, 1);
    ck_assert(hears(fd, &first, "\"method\":\"elicitation/create\""));
    accept_question();
    ck_assert(hears(fd, &first, "confirmed"));
    ck_assert(ends(fd, &first));
    mica_arena_fini(&arena);
    stop_asking();
}
END_TEST

// The request id of an event is its client's choice, so it may look like another
// session's question.
START_TEST(who_comes_back_is_asked_no_question_of_another_session)
{
    char event[128];
    const char *at;
    int64_t sequence;

    start_asking();
    int asked = ask("POST", "/mcp", session, "", CALL("confirm"));
    ck_assert(hears(asked, &first, "\"method\":\"elicitation/create\""));
    at = strstr(first.text, "{\"jsonrpc\":\"2.0\",\"id\":\"");
    ck_assert_ptr_nonnull(at);
    (void)snprintf(event, sizeof event,
                   "{\"jsonrpc\":\"2.0\",\"id\":\"%.22s.9\",\"result\":{}}",
                   at + 23);
    begin_session();
    key = mica_store_session_key_of(mica_text(session));
    ck_assert_int_eq(open_elsewhere(), 1);
    ck_assert_int_eq(mica_store_event_append(store, &key, 1, now(),
                                             mica_text(event), &host.error,
                                             &sequence),
                     MICA_OK);
    int other = ask("GET", "/mcp", session, "Last-Event-ID: 1-0\r\n", "");
    ck_assert(hears(other, &second, ".9\",\"result\""));
    ck_assert_int_eq(mica_store_event_append(store, &key, 1, now(),
                                             mica_text("{\"told\":2}"),
                                             &host.error, &sequence),
                     MICA_OK);
    ck_assert(hears(other, &second, "{\"told\":2}"));
    ck_assert_ptr_null(strstr(second.text, "elicitation/create"));
    close(other);
    close(asked);
    stop_asking();
}
END_TEST

// ---- The oldest transport --------------------------------------------------------------

static char messages[128];

static int
open_oldest(struct heard *heard)
{
    int fd = ask("GET", "/sse", NULL, "", "");
    const char *at;

    ck_assert(hears(fd, heard, "data: /messages?session="));
    at = strstr(heard->text, "data: /messages");
    ck_assert(hears(fd, heard, "\n\n"));
    (void)snprintf(messages, sizeof messages, "%.*s",
                   (int)strcspn(at + 6, "\r\n"), at + 6);
    return fd;
}

static void
tell(const char *body)
{
    static struct response r;
    int fd = ask("POST", messages, NULL, "", body);

    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 202);
    close(fd);
}

START_TEST(the_oldest_transport_gets_its_results_from_a_server_that_ends)
{
    start_sessions();
    int fd = open_oldest(&first);
    tell(HELLO("2024-11-05"));
    ck_assert(hears(fd, &first, "\"id\":0,\"result\""));
    tell(CALL("hold"));
    fixture_await(&seen->started, 1);
    signal_end();
    await_drain();
    atomic_store(&seen->release, true);
    ck_assert(hears(fd, &first, "\"id\":7,\"result\""));
    ck_assert(ends(fd, &first));
    await_end();
    ck_assert_int_eq(atomic_load(&seen->cancelled), 0);
}
END_TEST

START_TEST(told_twice_it_cancels_calls_of_either)
{
    start_sessions();
    begin_session();
    int fd = open_oldest(&first), resumed;
    tell(HELLO("2024-11-05"));
    tell(CALL("hold"));
    fixture_await(&seen->started, 1);
    memset(&second, 0, sizeof second);
    resumed = ask("POST", "/mcp", session, "", CALL("hold"));
    ck_assert(hears(resumed, &second, "id: 1-0\n"));
    fixture_await(&seen->started, 2);
    signal_end();
    await_drain();
    ck_assert_int_eq(atomic_load(&seen->cancelled), 0);
    signal_end();
    await_end();
    ck_assert_int_eq(atomic_load(&seen->cancelled), 2);
    ck_assert(ends(fd, &first));
    ck_assert(ends(resumed, &second));
}
END_TEST

static enum mica_status
read_page(struct mica_call *call)
{
    mica_add_resource_text(call, NULL, NULL, MICA_LITERAL("page"), NULL);
    return MICA_OK;
}

MICA_RESOURCE(page, read_page, .uri = "test://page", .description = "A page.");

#define SUBSCRIBE(uri)                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"resources/subscribe\"," \
    "\"params\":{\"uri\":\"" uri "\"}}"

static void
start_with_page(void)
{
    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(mica_server_add_resource(host.server, &mica_resource_page,
                                              NULL, &host.error),
                     MICA_OK);
    start_server((struct mica_http_options){
        .quiet = true, .store = "memory", .http_sse = true});
}

START_TEST(a_session_is_told_once_of_what_is_below_its_subscriptions)
{
    static const char *const uris[] = {
        SUBSCRIBE("test://page"), SUBSCRIBE("test://page/"),
        SUBSCRIBE("test://page/part"), SUBSCRIBE("test://pag")};
    static struct response r;
    const char *once_more;

    start_with_page();
    begin_session();
    for (size_t i = 0; i < MICA_COUNT(uris); i++) {
        int post = ask("POST", "/mcp", session, "", uris[i]);
        ck_assert(hear(post, &r));
        ck_assert_ptr_nonnull(strstr(r.body, "\"result\""));
        close(post);
    }
    int fd = ask("GET", "/mcp", session, "", "");
    ck_assert(hears(fd, &first, "200 OK"));
    mica_server_resource_changed(host.server, "test://another");
    mica_server_resource_changed(host.server, "test://page/part");
    ck_assert(hears(fd, &first, "{\"uri\":\"test://page/part\"}"));
    mica_server_resource_changed(host.server, "test://page?query");
    ck_assert(hears(fd, &first, "{\"uri\":\"test://page?query\"}"));
    ck_assert_ptr_null(strstr(first.text, "test://another"));
    once_more = strstr(first.text, "test://page/part") + 16;
    ck_assert_ptr_null(strstr(once_more, "test://page/part"));
    close(fd);
    stop();
}
END_TEST

START_TEST(the_oldest_transport_is_told_what_may_have_changed)
{
    start_with_page();
    int fd = open_oldest(&first);
    tell(HELLO("2024-11-05"));
    tell("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    tell(SUBSCRIBE("test://page"));
    ck_assert(hears(fd, &first, "\"id\":8,\"result\""));
    mica_server_resource_changed(host.server, "test://another");
    mica_server_resource_changed(host.server, "test://page/part");
    ck_assert(hears(fd, &first, "{\"uri\":\"test://page/part\"}"));
    mica_server_resource_changed(host.server, ""); // any of them
    ck_assert(hears(fd, &first, "{\"uri\":\"test://page\"}"));
    ck_assert_ptr_null(strstr(first.text, "test://another"));
    ck_assert_ptr_null(strstr(first.text, "{\"uri\":\"\"}"));
    close(fd);
    stop();
}
END_TEST

UNIT_MAIN("http sessions",
          a_resumed_stream_gets_its_result_from_a_server_that_ends,
          streams_on_which_nothing_follows_do_not_hold_up_the_end,
          a_stream_of_a_call_elsewhere_does_not_hold_up_the_end,
          a_stream_whose_process_has_died_ends_with_an_error,
          an_end_that_its_process_did_not_live_to_tell_is_told,
          a_stream_whose_call_was_deleted_ends_with_an_error,
          a_call_that_runs_says_so_to_others,
          a_call_without_a_stream_that_is_kept_has_a_deadline,
          a_call_that_nobody_can_come_back_for_ends_by_its_deadline,
          a_call_that_can_be_resumed_outlasts_the_wait_of_others,
          a_turn_that_lost_its_lease_is_left_before_it_is_tried_again,
          a_late_turn_that_lost_its_lease_leaves_the_stream_open,
          a_first_turn_that_lost_its_lease_leaves_the_call_to_others,
          a_call_that_is_given_up_while_its_question_is_kept_ends,
          a_call_is_kept_before_its_client_knows_where_to_come_back,
          who_comes_back_is_asked_no_question_of_another_session,
          the_oldest_transport_gets_its_results_from_a_server_that_ends,
          told_twice_it_cancels_calls_of_either,
          a_session_is_told_once_of_what_is_below_its_subscriptions,
          the_oldest_transport_is_told_what_may_have_changed)
