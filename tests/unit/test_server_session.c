// SPDX-License-Identifier: Apache-2.0
//
// The rules of sessions in the MCP core: who may speak in which, what ids and
// revisions mean, and what happens when the session store fails.
#include "test_server_session.h"

static const struct mica_principal alice = {.subject = {"alice", 5}};
static const struct mica_principal bob = {.subject = {"bob", 3}};

// ---- Beginning -----------------------------------------------------------------

// [SESSION-ID]
START_TEST(a_handshake_begins_a_session)
{
    post(NULL, HELLO("2025-06-18"));
    ck_assert_uint_eq(ask(), 200);
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "session-1");
    ck_assert_int_eq(session_store.sessions[0].revision,
                     MICA_REVISION_2025_06_18);
    ck_assert_str_eq(session_store.sessions[0].capabilities, "{\"roots\":{}}");
    ck_assert_str_eq(session_store.sessions[0].client_info, "{\"name\":\"c\"}");
    post("session-1", PING("2"));
    ck_assert_uint_eq(ask(), 200);
    ck_at("/result", "{}");
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
    post("session-1", "{" V2 ",'method':'notifications/initialized'}");
    ck_assert_uint_eq(ask(), 202);
}
END_TEST

START_TEST(a_handshake_that_fails_begins_none)
{
    post(NULL, "{" V2 ",'id':1,'method':'initialize'}");
    ck_assert_uint_eq(ask(), 200);
    ck_error("-32602", "MISSING_FIELD", "1");
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
    ck_assert_uint_eq(session_store.count, 0);
}
END_TEST

START_TEST(a_handshake_inside_a_session_is_400)
{
    begin("2025-11-25");
    post("session-1", HELLO("2025-11-25"));
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "ALREADY_EXISTS", "1");
    ck_assert_uint_eq(session_store.count, 1);
}
END_TEST

START_TEST(a_stateless_request_ignores_sessions)
{
    begin("2025-11-25");
    session_store.calls = 0;
    stateless(
        "tools/list", NULL,
        quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    again("Mcp-Session-Id", "stolen");
    ck_assert_uint_eq(ask(), 200);
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
    ck_assert_uint_eq(session_store.calls, 0);
    // And initialize in its clothes is a method it has not.
    stateless(
        "initialize", NULL,
        quoted("{" V2 ",'id':1,'method':'initialize','params':{" META "}}"));
    ck_assert_uint_eq(ask(), 404);
    ck_error("-32601", "NOT_FOUND", "1");
}
END_TEST

// ---- Whose ---------------------------------------------------------------------

START_TEST(without_an_id_it_is_400_and_no_stateless_code)
{
    post(NULL, PING("1"));
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "MISSING_FIELD", "1");
    ck_says("/error/message", "initialize");
    post(NULL, "{" V2 ",'method':'notifications/initialized'}");
    ck_assert_uint_eq(ask(), 400);
    post(NULL, "{" V2 ",'id':1,'result':{}}");
    ck_assert_uint_eq(ask(), 400);
    request("GET", "");
    again("Accept", "text/event-stream");
    ck_assert_uint_eq(ask(), 400);
    request("DELETE", "");
    ck_assert_uint_eq(ask(), 400);
    // A revision of neither era: the answer that clients of both understand.
    post(NULL, PING("1"));
    again("MCP-Protocol-Version", "1999-01-01");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32022", "UNKNOWN_FIELD", "1");
}
END_TEST

// No caller may learn whether there is or was such a session.
static void
ck_nobody(const char *id)
{
    static const char *const methods[] = {"POST", "GET", "DELETE"};
    char *first = NULL;

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        request(methods[i], quoted("%s", PING("1")));
        again("Mcp-Session-Id", id);
        again("Accept", "text/event-stream, application/json");
        ck_assert_uint_eq(ask(), 404);
        ck_error("-32600", "NOT_FOUND", i == 0 ? "1" : "(absent)");
        ck_assert_ptr_null(strstr(harness.reply, "secret"));
        if (first == NULL)
            first = strdup(at("/error/message"));
        ck_assert_str_eq(at("/error/message"), first);
    }
    free(first);
}

// [SESSION-GONE]
START_TEST(an_unknown_id_is_404)
{
    begin("2025-11-25");
    ck_nobody("session-2");
    ck_nobody("session-1 x");
    ck_nobody("session-\xc3\xa9");
    ck_nobody("");
}
END_TEST

START_TEST(an_id_too_long_is_not_looked_for)
{
    static char id[300];

    memset(id, 'a', sizeof id - 1);
    begin("2025-11-25");
    session_store.calls = 0;
    ck_nobody(id);
    ck_assert_uint_eq(session_store.calls, 0);
}
END_TEST

// [SESSION-BOUND]
START_TEST(a_session_is_its_principals_alone)
{
    asker = &alice;
    begin("2025-11-25");
    post("session-1", PING("1"));
    ck_assert_uint_eq(ask(), 200);
    asker = &bob;
    ck_nobody("session-1");
    asker = NULL;
    ck_nobody("session-1");
    asker = &alice;
    ck_assert(session_store.sessions[0].live);
    post("session-1", PING("1"));
    ck_assert_uint_eq(ask(), 200);
}
END_TEST

START_TEST(an_ended_session_is_404)
{
    begin("2025-11-25");
    request("DELETE", "");
    again("Mcp-Session-Id", "session-1");
    ck_assert_uint_eq(ask(), 204);
    ck_assert_str_eq(harness.reply, "");
    ck_nobody("session-1");
}
END_TEST

START_TEST(an_id_given_twice_is_400)
{
    begin("2025-11-25");
    post("session-1", PING("1"));
    again("mcp-session-id", "session-1");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "BAD_FORMAT", "1");
}
END_TEST

// ---- Revisions -----------------------------------------------------------------

START_TEST(what_was_agreed_counts_and_not_the_header)
{
    static const char *const fine[] = {"2025-03-26", "2025-06-18",
                                       "2025-11-25"};

    begin("2025-03-26");
    for (size_t i = 0; i < MICA_COUNT(fine); i++) {
        post("session-1", "{" V2 ",'id':1,'method':'tools/call','params':{"
                          "'name':'echo','arguments':{'a':1}}}");
        again("MCP-Protocol-Version", fine[i]);
        ck_assert_uint_eq(ask(), 200);
        ck_assert_str_eq(at("/result/structuredContent"), "(absent)");
    }
    post("session-1", PING("1"));
    again("MCP-Protocol-Version", "garbage");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "UNKNOWN_FIELD", "1");
    // A request that names the stateless revision is of that one.
    post("session-1", PING("1"));
    again("MCP-Protocol-Version", "2026-07-28");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32602", "MISSING_FIELD", "1");
}
END_TEST

START_TEST(get_and_delete_are_not_for_the_stateless_revision)
{
    static const char *const methods[] = {"GET", "DELETE", "PUT"};

    begin("2025-11-25");
    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        request(methods[i], "");
        again("Mcp-Session-Id", "session-1");
        if (i < 2)
            again("MCP-Protocol-Version", "2026-07-28");
        ck_assert_uint_eq(ask(), 405);
        ck_assert(strstr(response_header("Allow"), "POST") != NULL);
    }
    ck_assert(session_store.sessions[0].live);
}
END_TEST

// ---- GET -----------------------------------------------------------------------

START_TEST(a_get_opens_a_stream)
{
    begin("2025-11-25");
    request("GET", "");
    again("Mcp-Session-Id", "session-1");
    again("Accept", "application/json");
    ck_assert_uint_eq(ask(), 406);
    header("Accept", "text/event-stream");
    ck_assert_uint_eq(ask(), 0);
    ck_assert_int_eq(harness.message.step, MICA_STEP_STREAM);
    ck_assert(!harness.message.request.resumes);
    ck_assert(mica_text_is(harness.message.context.session.id, "session-1"));
    again("Last-Event-ID", "1-2");
    ck_assert_uint_eq(ask(), 0);
    ck_assert(harness.message.request.resumes);
    ck_assert(mica_text_is(harness.message.request.last_event_id, "1-2"));
}
END_TEST

// ---- Answers -------------------------------------------------------------------

START_TEST(the_id_of_a_question_has_one_form)
{
    static const struct {
        const char *number;
        bool known;
    } rows[] = {{"0", true},
                {"10", true},
                {"00", false},
                {"01", false},
                {"1.0", false},
                {"1e0", false},
                {"1e1", false},
                {"-0", false},
                {"+1", false},
                {" 1", false},
                {"1 ", false},
                {"", false},
                {"99999999999999999999", false}};

    begin("2025-11-25");
    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        post("session-1",
             quoted("{" V2 ",'id':'0123456789012345678901.%s','result':{}}",
                    rows[i].number));
        ck_assert_uint_eq(ask(), 202);
        ck_assert_msg((harness.message.execution.answered.call.len > 0) ==
                          rows[i].known,
                      "\"%s\"", rows[i].number);
    }
}
END_TEST

// ---- Methods -------------------------------------------------------------------

START_TEST(a_log_level_is_the_sessions)
{
    begin("2025-11-25");
    begin("2025-11-25");
    post("session-1", "{" V2 ",'id':1,'method':'logging/setLevel','params':{"
                      "'level':'warning'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_reply("{" V2 ",'id':1,'result':{}}");
    post("session-1", PING("1"));
    ck_assert_uint_eq(ask(), 200);
    ck_assert(harness.message.context.logs);
    ck_assert_int_eq(harness.message.context.log_level, MICA_LOG_WARNING);
    post("session-2", PING("1"));
    ck_assert_uint_eq(ask(), 200);
    ck_assert(!harness.message.context.logs);
    post("session-2", "{" V2 ",'id':1,'method':'logging/setLevel','params':{"
                      "'level':'loud'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_error("-32602", "NOT_A_CHOICE", "1");
}
END_TEST

START_TEST(a_subscription_is_the_sessions)
{
    begin("2025-11-25");
    post("session-1", "{" V2 ",'id':'a','method':'resources/subscribe',"
                      "'params':{'uri':'test://x'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_reply("{" V2 ",'id':'a','result':{}}");
    ck_assert_str_eq(session_store.sessions[0].uri, "test://x");
    post("session-1", "{" V2 ",'id':'a','method':'resources/unsubscribe',"
                      "'params':{'uri':'test://x'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_reply("{" V2 ",'id':'a','result':{}}");
    ck_assert_str_eq(session_store.sessions[0].uri, "");
    post("session-1", "{" V2 ",'id':'a','method':'resources/subscribe'}");
    ck_assert_uint_eq(ask(), 200);
    ck_error("-32602", "MISSING_FIELD", "\"a\"");
    post("session-1", "{" V2 ",'id':'a','method':'resources/subscribe',"
                      "'params':{'uri':'test://x\\u0000y'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_error("-32602", "LIMIT_EXCEEDED", "\"a\"");
    ck_assert_str_eq(session_store.sessions[0].uri, "");
}
END_TEST

START_TEST(without_sessions_there_is_nothing_to_remember)
{
    static const char *const methods[] = {
        "logging/setLevel", "resources/subscribe", "resources/unsubscribe"};

    harness.server->sessions = NULL;
    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        request("POST", quoted("{" V2 ",'id':1,'method':'%s','params':{"
                               "'level':'info','uri':'test://x'}}",
                               methods[i]));
        ck_assert_uint_eq(ask(), 200);
        ck_error("-32601", "NOT_FOUND", "1");
    }
}
END_TEST

START_TEST(a_cancellation_is_taken_inside_a_session)
{
    begin("2025-11-25");
    post("session-1", "{" V2 ",'method':'notifications/cancelled','params':{"
                      "'requestId':'7'}}");
    ck_assert_uint_eq(ask(), 202);
    ck_assert_int_eq(harness.message.step, MICA_STEP_CANCEL);
    ck_assert(mica_text_is(mica_message_cancels(&harness.message, 0), "\"7\""));
    ck_assert_uint_eq(mica_message_cancels(&harness.message, 1).len, 0);
    // Over HTTP the stateless revision cancels by closing.
    post(NULL, "{" V2 ",'method':'notifications/cancelled','params':{"
               "'requestId':'7'}}");
    again("MCP-Protocol-Version", "2026-07-28");
    ck_assert_uint_eq(ask(), 202);
    ck_assert_int_eq(harness.message.step, MICA_STEP_SILENT);
}
END_TEST

// ---- A session store that fails ---------------------------------------------------------

START_TEST(each_failure_of_the_session_store_has_a_code)
{
    static const struct {
        enum mica_status status;
        unsigned http;
        const char *code;
    } failures[] = {{MICA_E_BUSY, 503, "BUSY"},
                    {MICA_E_IO, 500, "IO_ERROR"},
                    {MICA_E_LIMIT, 503, "LIMIT_EXCEEDED"}};
    static const char *const bodies[] = {PING("1"), HELLO("2025-11-25"),
                                         "{" V2
                                         ",'id':1,'method':'tools/list'}"};

    begin("2025-11-25");
    for (size_t i = 0; i < MICA_COUNT(failures); i++) {
        session_store.failure = failures[i].status;
        for (size_t j = 0; j < MICA_COUNT(bodies); j++) {
            post(j == 1 ? NULL : "session-1", bodies[j]);
            ck_assert_uint_eq(ask(), failures[i].http);
            ck_error("-32603", failures[i].code, "1");
            ck_says("/error/message", "the session store failed");
            ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
        }
        request("DELETE", "");
        again("Mcp-Session-Id", "session-1");
        ck_assert_uint_eq(ask(), failures[i].http);
        session_store.failure = MICA_OK;
        post("session-1", PING("1"));
        ck_assert_uint_eq(ask(), 200);
    }
}
END_TEST

// Found, and then it fails.
static enum mica_status
find_then_fail(void *data, struct mica_text id,
               const struct mica_caller *caller, struct mica_arena *arena,
               struct mica_error *error, struct mica_session *session_out)
{
    enum mica_status status =
        find_kept(data, id, caller, arena, error, session_out);

    session_store.failure = MICA_E_IO;
    return status;
}

START_TEST(a_failure_behind_the_door_has_a_code)
{
    static const char *const bodies[] = {
        "{" V2 ",'id':1,'method':'logging/setLevel','params':{'level':'info'}}",
        "{" V2 ",'id':1,'method':'resources/subscribe','params':{'uri':'a'}}",
        "{" V2
        ",'id':1,'method':'resources/unsubscribe','params':{'uri':'a'}}"};
    struct mica_sessions failing_ones = sessions;

    begin("2025-11-25");
    failing_ones.find = find_then_fail;
    harness.server->sessions = &failing_ones;
    for (size_t i = 0; i < MICA_COUNT(bodies); i++) {
        session_store.failure = MICA_OK;
        post("session-1", bodies[i]);
        ck_assert_uint_eq(ask(), 500);
        ck_error("-32603", "IO_ERROR", "1");
    }
    session_store.failure = MICA_OK;
    request("DELETE", "");
    again("Mcp-Session-Id", "session-1");
    ck_assert_uint_eq(ask(), 500);
    ck_assert(session_store.sessions[0].live);
}
END_TEST

static enum mica_status
full(void *data, const struct mica_session *session, struct mica_text uri,
     bool on, struct mica_error *error)
{
    (void)data, (void)session, (void)uri, (void)on;
    return mica_error_set(error, MICA_E_LIMIT, "", "enough of them");
}

START_TEST(too_many_subscriptions_are_the_clients_matter)
{
    struct mica_sessions failing_ones = sessions;

    begin("2025-11-25");
    failing_ones.subscribe = full;
    harness.server->sessions = &failing_ones;
    post("session-1", "{" V2 ",'id':1,'method':'resources/subscribe',"
                      "'params':{'uri':'a'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_error("-32602", "LIMIT_EXCEEDED", "1");
}
END_TEST

static void
add_sessions(TCase *group)
{
    tcase_add_test(group, a_handshake_begins_a_session);
    tcase_add_test(group, a_handshake_that_fails_begins_none);
    tcase_add_test(group, a_handshake_inside_a_session_is_400);
    tcase_add_test(group, a_stateless_request_ignores_sessions);
    tcase_add_test(group, without_an_id_it_is_400_and_no_stateless_code);
    tcase_add_test(group, an_unknown_id_is_404);
    tcase_add_test(group, an_id_too_long_is_not_looked_for);
    tcase_add_test(group, a_session_is_its_principals_alone);
    tcase_add_test(group, an_ended_session_is_404);
    tcase_add_test(group, an_id_given_twice_is_400);
    tcase_add_test(group, what_was_agreed_counts_and_not_the_header);
    tcase_add_test(group, get_and_delete_are_not_for_the_stateless_revision);
    tcase_add_test(group, a_get_opens_a_stream);
    tcase_add_test(group, the_id_of_a_question_has_one_form);
    tcase_add_test(group, a_log_level_is_the_sessions);
    tcase_add_test(group, a_subscription_is_the_sessions);
    tcase_add_test(group, without_sessions_there_is_nothing_to_remember);
    tcase_add_test(group, a_cancellation_is_taken_inside_a_session);
    tcase_add_test(group, each_failure_of_the_session_store_has_a_code);
    tcase_add_test(group, a_failure_behind_the_door_has_a_code);
    tcase_add_test(group, too_many_subscriptions_are_the_clients_matter);
}

int
main(void)
{
    Suite *suite = suite_create("mcp sessions");

    add_sessions(add(suite, "sessions"));
    return run_suite(suite);
}
