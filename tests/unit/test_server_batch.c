// SPDX-License-Identifier: Apache-2.0
//
// Batches in the MCP core, in a session, without sessions and on a pipe.
#include "test_server_session.h"

#define BATCH_OF_ALL                                                           \
    "[" PING("1") ",{" V2 ",'method':'notifications/initialized'}"             \
                  ",{" V2                                                      \
                  ",'id':'two','method':'tools/call','params':{'name':'echo'," \
                  "'arguments':{'a':2}}},{" V2 ",'id':3,'result':{}},"         \
                  "{" V2 ",'id':4,'method':'nothing'},7]"

static void
ck_batch_of_all(void)
{
    ck_at("/0/id", "1");
    ck_at("/0/result", "{}");
    ck_at("/1/id", "'two'");
    ck_says("/1/result/content/0/text", "{\\\"a\\\":2}");
    ck_at("/2/id", "4");
    ck_at("/2/error/code", "-32601");
    ck_at("/3/error/code", "-32600");
    ck_assert_str_eq(at("/3/id"), "(absent)");
    ck_assert_str_eq(at("/4"), "(absent)");
}

// An array is not one JSON-RPC response, so it is read here.
static void
take_array(void)
{
    struct mica_text reply = mica_buffer_as_text(&harness.message.reply.text);
    struct mica_error error;

    mica_arena_reset(&harness.last_arena);
    memset(&harness.last, 0, sizeof harness.last);
    free(harness.reply);
    harness.reply = calloc(1, reply.len + 1);
    ck_assert_ptr_nonnull(harness.reply);
    if (reply.len > 0)
        memcpy(harness.reply, reply.ptr, reply.len);
    if (harness.message.step == MICA_STEP_REPLY &&
        mica_json_read(&harness.last_arena, mica_text(harness.reply), NULL,
                       &error, &harness.last) != MICA_OK)
        ck_abort_msg("not JSON: %s", harness.reply);
}

// The HTTP status. `inline_too` tries on the spot before it works.
static unsigned
ask_batch(bool inline_too)
{
    mica_arena_reset(&harness.arena);
    mica_message_init(&harness.message, harness.server, &harness.arena);
    mica_message_http(&harness.message, allowed_by_test, &harness.request);
    if (harness.message.step == MICA_STEP_WORK &&
        (!inline_too || !mica_message_execute_inline(&harness.message)))
        mica_message_execute(&harness.message);
    ck_assert_int_ne(harness.message.step, MICA_STEP_WORK);
    take_array();
    mica_message_end(&harness.message);
    return harness.message.reply.http_status;
}

START_TEST(each_request_of_a_batch_is_answered)
{
    begin("2025-03-26");
    for (int i = 0; i < 2; i++) {
        post("session-1", BATCH_OF_ALL);
        ck_assert_uint_eq(ask_batch(i == 1), 200);
        ck_batch_of_all();
    }
    harness.server->sessions = NULL; // an absent header means that revision
    post(NULL, BATCH_OF_ALL);
    ck_assert_uint_eq(ask_batch(true), 200);
    ck_batch_of_all();
}
END_TEST

START_TEST(a_batch_that_asks_nothing_is_202)
{
    begin("2025-03-26");
    post("session-1", "[{" V2 ",'method':'notifications/initialized'},"
                      "{" V2 ",'id':1,'result':{}},"
                      "{" V2 ",'method':'notifications/cancelled','params':{"
                      "'requestId':5}},"
                      "{" V2 ",'method':'notifications/cancelled','params':{"
                      "'requestId':'6'}}]");
    mica_arena_reset(&harness.arena);
    mica_message_init(&harness.message, harness.server, &harness.arena);
    mica_message_http(&harness.message, allowed_by_test, &harness.request);
    ck_assert_int_eq(harness.message.step, MICA_STEP_SILENT);
    ck_assert_uint_eq(harness.message.reply.http_status, 202);
    ck_assert(mica_text_is(mica_message_cancels(&harness.message, 0), "5"));
    ck_assert(mica_text_is(mica_message_cancels(&harness.message, 1), "\"6\""));
    ck_assert_uint_eq(mica_message_cancels(&harness.message, 2).len, 0);
    mica_message_end(&harness.message);
}
END_TEST

START_TEST(a_handshake_and_the_stateless_have_no_place_in_a_batch)
{
    begin("2025-03-26");
    post("session-1",
         "[" HELLO("2025-03-26") ",{" V2 ",'id':2,'method':'tools/list',"
                                 "'params':{" META "}}]");
    ck_assert_uint_eq(ask_batch(true), 200);
    ck_at("/0/error/code", "-32600");
    ck_at("/1/error/code", "-32600");
    ck_assert_uint_eq(session_store.count, 1);
}
END_TEST

// [SESSION-BATCH]
START_TEST(other_revisions_have_no_batches)
{
    begin("2025-06-18");
    begin("2025-11-25");
    post("session-1", "[" PING("1") "]");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "WRONG_TYPE", "(absent)");
    post("session-2", "[" PING("1") "]");
    ck_assert_uint_eq(ask(), 400);
    post(NULL, "[" PING("1") "]");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "MISSING_FIELD", "(absent)");
    post(NULL, "[" PING("1") "]");
    again("MCP-Protocol-Version", "2026-07-28");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "WRONG_TYPE", "(absent)");
}
END_TEST

START_TEST(a_batch_has_one_to_a_hundred_messages)
{
    static char body[8000];
    size_t used;

    begin("2025-03-26");
    post("session-1", "[]");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "WRONG_TYPE", "(absent)");
    for (unsigned count = 100; count <= 101; count++) {
        used = (size_t)snprintf(body, sizeof body, "[");
        for (unsigned i = 0; i < count; i++)
            used += (size_t)snprintf(
                body + used, sizeof body - used, "%s%s", i > 0 ? "," : "",
                quoted("{" V2 ",'id':%u,'method':'ping'}", i));
        (void)snprintf(body + used, sizeof body - used, "]");
        post("session-1", "");
        harness.request.body = mica_text(body);
        if (count == 100) {
            ck_assert_uint_eq(ask_batch(true), 200);
            ck_at("/99/id", "99");
        } else {
            ck_assert_uint_eq(ask(), 400);
            ck_error("-32600", "LIMIT_EXCEEDED", "(absent)");
        }
    }
}
END_TEST

START_TEST(a_part_of_a_batch_can_be_cancelled)
{
    begin("2025-03-26");
    post("session-1",
         "[{" V2 ",'id':1,'method':'tools/call','params':{'name':'count'}},"
         "{" V2 ",'id':'1','method':'tools/call','params':{'name':'count'}}]");
    mica_arena_reset(&harness.arena);
    mica_message_init(&harness.message, harness.server, &harness.arena);
    mica_message_http(&harness.message, allowed_by_test, &harness.request);
    ck_assert_int_eq(harness.message.step, MICA_STEP_WORK);
    ck_assert(!mica_message_cancel(&harness.message, MICA_LITERAL("2")));
    ck_assert(mica_message_cancel(&harness.message, MICA_LITERAL("\"1\"")));
    mica_message_execute(&harness.message);
    take_array();
    ck_at("/0/id", "1");
    ck_assert_str_eq(at("/1"), "(absent)");
    ck_assert_int_eq(count_runs, 1);
    mica_message_end(&harness.message);
}
END_TEST

START_TEST(nobody_waits_for_any_part_of_a_batch)
{
    begin("2025-03-26");
    post("session-1",
         "[{" V2 ",'id':1,'method':'tools/call','params':{'name':'count'}},"
         "{" V2 ",'id':'1','method':'tools/call','params':{'name':'count'}}]");
    mica_arena_reset(&harness.arena);
    mica_message_init(&harness.message, harness.server, &harness.arena);
    mica_message_http(&harness.message, allowed_by_test, &harness.request);
    atomic_store(&harness.message.execution.cancelled, true);
    mica_message_execute(&harness.message);
    ck_assert_int_eq(harness.message.step, MICA_STEP_SILENT);
    ck_assert_int_eq(count_runs, 0);
    mica_message_end(&harness.message);
}
END_TEST

START_TEST(a_pipe_has_batches_too)
{
    const char *text = quoted("%s", BATCH_OF_ALL);

    ck_assert(strstr(line(quoted("[" PING("1") "]")), "-32600") != NULL);
    shake_hands("2025-03-26");
    mica_arena_reset(&harness.arena);
    mica_message_init(&harness.message, harness.server, &harness.arena);
    mica_message_line(&harness.message, &harness.state, mica_text(text));
    ck_assert_int_eq(harness.message.step, MICA_STEP_WORK);
    mica_message_execute(&harness.message);
    take_array();
    ck_batch_of_all();
    mica_message_end(&harness.message);
    shake_hands("2025-06-18");
    ck_assert(strstr(line(quoted("[" PING("1") "]")), "-32600") != NULL);
}
END_TEST

START_TEST(a_pipe_has_a_log_level)
{
    shake_hands("2025-06-18");
    line(quoted("{" V2 ",'id':1,'method':'logging/setLevel','params':{"
                "'level':'error'}}"));
    ck_reply("{" V2 ",'id':1,'result':{}}");
    line(quoted(PING("2")));
    ck_assert(harness.message.context.logs);
    ck_assert_int_eq(harness.message.context.log_level, MICA_LOG_ERROR);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("mcp batches");
    TCase *batches = add(suite, "batches");

    tcase_add_test(batches, each_request_of_a_batch_is_answered);
    tcase_add_test(batches, a_batch_that_asks_nothing_is_202);
    tcase_add_test(batches,
                   a_handshake_and_the_stateless_have_no_place_in_a_batch);
    tcase_add_test(batches, other_revisions_have_no_batches);
    tcase_add_test(batches, a_batch_has_one_to_a_hundred_messages);
    tcase_add_test(batches, a_part_of_a_batch_can_be_cancelled);
    tcase_add_test(batches, nobody_waits_for_any_part_of_a_batch);
    tcase_add_test(batches, a_pipe_has_batches_too);
    tcase_add_test(batches, a_pipe_has_a_log_level);
    return run_suite(suite);
}
