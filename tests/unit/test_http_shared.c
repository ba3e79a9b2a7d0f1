// SPDX-License-Identifier: Apache-2.0
//
// A store that several processes share: what one of them says on a stream of a
// session or did not live to say, what it could not keep, and what it leaves to
// the others.
#include <mica/tool.h>

#include "call/journal.h"
#include "call/turn.h"
#include "http_session.h"
#include "store/store_calls.h"
#include "store/store_streams.h"

// What came on a connection.
static struct heard stream;

// ---- A server, and a client that can be asked --------------------------------------------

struct sure {
    bool yes;
};
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Is it so?"));

static enum mica_status
confirm(struct mica_call *call, const struct mica_nothing *in,
        struct mica_nothing *out)
{
    struct sure sure;

    (void)in;
    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure), "Sure?"));
    mica_add_text(call, MICA_LITERAL("confirmed"), NULL);
    return MICA_OK;
}
MICA_TOOL(confirm, mica_nothing, mica_nothing, confirm, .description = "Asks.");

static void
start_asking_with(unsigned workers)
{
    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(mica_server_add_tool(host.server, &mica_tool_confirm, NULL,
                                          &host.error),
                     MICA_OK);
    start_shared_with((struct mica_http_options){.workers = workers},
                      "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                      "\"params\":{\"protocolVersion\":\"2025-11-25\","
                      "\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{"
                      "\"name\":\"c\",\"version\":\"1\"}}}");
}

static void
start_asking(void)
{
    start_asking_with(2);
}

static void
stop_asking(void)
{
    stop();
    remove_shared();
}

// For request 7, by another process.
static int64_t
open_elsewhere(void)
{
    int64_t number;

    ck_assert_int_eq(mica_store_stream_open(store, &key, MICA_LITERAL("7"),
                                            now(), 60000, &host.error, &number),
                     MICA_OK);
    return number;
}

// ---- What others say -----------------------------------------------------------------------

// A process that hung finds out late that another has gone on with its call.
START_TEST(what_others_said_on_a_stream_comes_before_what_follows)
{
    const char *reported, *result;
    int64_t sequence;
    int fd;

    start_asking();
    fd = ask("POST", "/mcp", session, "", CALL("hold"));
    ck_assert(hears(fd, &stream, "id: 1-0\n"));
    fixture_await(&seen->started, 1);
    ck_assert_int_eq(mica_store_event_append(store, &key, 1, now(),
                                             mica_text("{\"told\":1}"),
                                             &host.error, &sequence),
                     MICA_OK);
    atomic_store(&seen->release, true);
    ck_assert(ends(fd, &stream));
    reported = strstr(stream.text, "id: 1-1\ndata: {\"told\":1}");
    result =
        strstr(stream.text, "id: 1-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":7");
    ck_assert_ptr_nonnull(reported);
    ck_assert_ptr_nonnull(result);
    ck_assert(reported < result);
    stop_asking();
}
END_TEST

// ---- What cannot be kept -------------------------------------------------------------------

START_TEST(a_call_that_may_ask_does_not_begin_without_its_stream)
{
    start_asking();
    for (int i = 0; i < 64; i++) // as many as a session may have
        (void)open_elsewhere();
    post(CALL("confirm"), 503);
    stop_asking();
}
END_TEST

enum {
    QUEUED = 256, // for one worker
    STREAMS = 32  // of a session, of which it may have 64
};

START_TEST(a_call_for_which_no_worker_has_a_place_is_refused)
{
    static int fds[QUEUED + 1];
    static struct response heard;
    int refused;

    start_asking_with(1);
    for (int i = 0; i <= QUEUED; i++) {
        if (i > 0 && i % STREAMS == 0)
            begin_session();
        fds[i] = ask("POST", "/mcp", session, "", CALL("hold"));
    }
    fixture_await(&seen->started, 1);
    unit_sleep(1000); // until the others are queued
    refused = ask("POST", "/mcp", session, "", CALL("hold"));
    ck_assert(hear(refused, &heard));
    ck_assert_uint_eq(heard.status, 503);
    ck_assert_ptr_nonnull(strstr(heard.body, "too many calls are waiting"));
    close(refused);
    atomic_store(&seen->release, true);
    for (int i = 0; i <= QUEUED; i++)
        close(fds[i]);
    stop_asking();
}
END_TEST

// ---- What a process did not live to ask --------------------------------------------------

#define ASKED "AAAAAAAAAAAAAAAAAAAAAA"

// One open question.
static struct mica_text
journal_of(struct mica_arena *arena)
{
    static struct mica_journal journal;
    const struct mica_entry question = {.kind = MICA_ENTRY_ASK,
                                        .number = MICA_ASK_FORM,
                                        .time = now(),
                                        .due = now() + 60000,
                                        .key = MICA_LITERAL("sure")};

    mica_journal_init(&journal, arena);
    ck_assert_int_eq(mica_journal_add(&journal, &question, &host.error),
                     MICA_OK);
    return mica_buffer_as_text(&journal.bytes);
}

// A call that answers on the stream has waited for a while.
static void
ask_elsewhere(int64_t number)
{
    const struct mica_text none = {NULL, 0};
    struct mica_arena arena;
    struct mica_kept_call call = {
        .id = mica_text(ASKED),
        .mode = MICA_CALL_SESSION,
        .target = MICA_LITERAL("confirm"),
        .version = MICA_LITERAL("1"),
        .arguments = MICA_LITERAL("{}"),
        .context = MICA_LITERAL("{\"id\":7}"),
        .session = {(const char *)key.bytes, sizeof key.bytes},
        .stream = number,
        .created = now(),
        .state = MICA_CALL_WORKING,
        .due = INT64_MAX,
        .expires = now() + 60000};

    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_store_call_create(store, &call, none, now() - 5000,
                                            60000, &arena, &host.error),
                     MICA_OK);
    call.state = MICA_CALL_WAITING;
    call.journal = journal_of(&arena);
    call.asks = MICA_LITERAL("{\"sure\":{\"method\":\"elicitation/create\","
                             "\"params\":{\"message\":\"Sure?\"}}}");
    ck_assert_int_eq(mica_store_call_commit(store, &call, none, none,
                                            now() - 5000, 0, &host.error),
                     MICA_OK);
    mica_arena_fini(&arena);
}

START_TEST(a_question_that_its_process_did_not_live_to_ask_is_asked)
{
    const char *question;
    int fd;

    start_asking();
    ck_assert_int_eq(open_elsewhere(), 1);
    fd = ask("GET", "/mcp", session, "Last-Event-ID: 1-0\r\n", "");
    ck_assert(hears(fd, &stream, "200 OK"));
    ask_elsewhere(1);
    ck_assert(hears(fd, &stream, "id: 1-1\ndata: "));
    ck_assert(hears(fd, &stream, "\"message\":\"Sure?\""));
    ck_assert(hears(fd, &stream, "}" WHOLE_EVENT)); // to its end
    question = strstr(stream.text, "\"id\":\"" ASKED ".0\"");
    ck_assert_ptr_nonnull(question);
    // Once, however often a caller looks.
    ck_assert(is_quiet(fd, 6000));
    close(fd);
    stop_asking();
}
END_TEST

UNIT_MAIN("http shared", what_others_said_on_a_stream_comes_before_what_follows,
          a_call_that_may_ask_does_not_begin_without_its_stream,
          a_call_for_which_no_worker_has_a_place_is_refused,
          a_question_that_its_process_did_not_live_to_ask_is_asked)
