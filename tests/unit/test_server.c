// SPDX-License-Identifier: Apache-2.0
//
// The MCP core on a pipe, message by message: envelopes, ids, the two eras on
// one line, and what each method answers. Results of tools are in
// test_server_call.c, HTTP in test_server_http.c, memory in test_server_memory.c.
#include "test_server.h"

#define ASK(id, method)       "{" V2 ",'id':" id ",'method':'" method "'}"
#define STATELESS(id, method) STATELESS_WITH(id, method, "")
#define STATELESS_WITH(id, method, more) \
    "{" V2 ",'id':" id ",'method':'" method "','params':{" META more "}}"

// ---- Envelopes -----------------------------------------------------------------

// [BASE-ID]
START_TEST(an_id_comes_back_byte_for_byte)
{
    static const char *const ids[] = {
        "1",
        "0",
        "-7",
        "9007199254740993",
        "123456789012345678901234567890",
        "'a'",
        "''",
        "'a \\'quoted\\' id'",
        "'\\u0041\\n'",
        "'\xc3\xa9\xf0\x9f\x8d\x8b'",
    };
    const char *want;

    for (size_t i = 0; i < MICA_COUNT(ids); i++) {
        line(quoted(STATELESS("%s", "server/discover"), ids[i]));
        ck_at("/id", ids[i]);
        ck_at("/result/resultType", "'complete'");
        want = quoted("{" V2 ",'id':%s,", ids[i]);
        ck_assert_int_eq(strncmp(harness.reply, want, strlen(want)), 0);
    }
}
END_TEST

START_TEST(an_error_carries_the_id_too)
{
    line(quoted(STATELESS("'x7'", "no/such")));
    ck_error("-32601", "NOT_FOUND", "'x7'");
    line(quoted("{'id':8,'method':'server/discover','params':{" META "}}"));
    ck_error("-32600", "WRONG_TYPE", "8");
    line(quoted("{" V2 ",'id':9,'method':1}"));
    ck_error("-32600", "WRONG_TYPE", "9");
}
END_TEST

// [BASE-ID]
START_TEST(an_id_of_another_kind_is_refused_and_left_out)
{
    static const char *const ids[] = {"null",  "true", "1.5",  "1e3", "1.0",
                                      "['a']", "{}",   "-0.0", "1E0"};

    for (size_t i = 0; i < MICA_COUNT(ids); i++) {
        line(quoted(ASK("%s", "ping"), ids[i]));
        ck_error("-32600", "WRONG_TYPE", "(absent)");
    }
}
END_TEST

START_TEST(an_id_has_at_most_256_bytes)
{
    char id[300];

    memset(id, 'i', sizeof id);
    line(quoted(STATELESS("'%.254s'", "server/discover"), id));
    ck_at("/result/resultType", "'complete'");
    line(quoted(STATELESS("'%.255s'", "server/discover"), id));
    ck_error("-32600", "WRONG_TYPE", "(absent)");
    ck_says("/error/message", "256");
}
END_TEST

// [BASE-ENVELOPE]
START_TEST(what_is_no_json_is_a_parse_error)
{
    static const struct {
        const char *textz, *idz;
    } cases[] = {
        {"{", "(absent)"},
        {"", "(absent)"},
        {"   ", "(absent)"},
        {"nonsense", "(absent)"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", "1"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", "1"},
        {"{'jsonrpc':'2.0'}", "(absent)"},
        {"{\"jsonrpc\":\"2.0\",\"id\":01,\"method\":\"ping\"}", "(absent)"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "1"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}", "1"},
        {"\xef\xbb\xbf{}", "(absent)"},
        {"\x01\x02\x03", "(absent)"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        line(cases[i].textz);
        ck_error("-32700", "INVALID_JSON", cases[i].idz);
        ck_says("/error/message", "byte");
    }
    line_bytes("{}\0{}", 5);
    ck_error("-32700", "INVALID_JSON", "(absent)");
}
END_TEST

START_TEST(a_name_given_twice_is_refused)
{
    line(quoted("{" V2 ",'id':1,'method':'a','method':'b'}"));
    ck_error("-32700", "DUPLICATE_FIELD", "1");
}
END_TEST

START_TEST(depth_is_bounded)
{
    char deep[101] = "";

    memset(deep, '[', 100);
    line(quoted("{" V2 ",'id':1,'method':'x','p':%s", deep));
    ck_error("-32700", "LIMIT_EXCEEDED", "1");
}
END_TEST

// [BASE-ENVELOPE]
START_TEST(what_is_no_request_is_refused)
{
    static const char *const texts[] = {
        "[]",
        "[{'jsonrpc':'2.0','id':1,'method':'ping'}]",
        "null",
        "1",
        "'ping'",
        "{}",
        "{'jsonrpc':'2.0'}",
        "{'jsonrpc':2.0,'method':'ping'}",
        "{'jsonrpc':'1.0','method':'ping'}",
        "{'jsonrpc':'2.0','method':null}",
        "{'jsonrpc':'2.0','method':['ping']}",
        "{'jsonrpc':'2.0','method':'ping','params':[]}",
        "{'jsonrpc':'2.0','method':'ping','params':null}",
        "{'jsonrpc':'2.0','method':'ping','params':'x'}",
    };

    for (size_t i = 0; i < MICA_COUNT(texts); i++) {
        line(quoted("%s", texts[i]));
        ck_error("-32600", "WRONG_TYPE", "(absent)");
    }
    line("[]");
    ck_says("/error/message", "batch");
}
END_TEST

START_TEST(a_response_is_never_answered)
{
    static const char *const texts[] = {
        "{'jsonrpc':'2.0','id':1,'result':{}}",
        "{'jsonrpc':'2.0','id':'a','error':{'code':1,'message':'m'}}",
        // About a message whose id could not be read. Answering these would
        // have two programs send errors to each other for ever.
        "{'jsonrpc':'2.0','error':{'code':-32700,'message':'m'}}",
        "{'jsonrpc':'2.0','id':null,'error':{'code':1,'message':'m'}}",
    };

    for (size_t i = 0; i < MICA_COUNT(texts); i++)
        ck_assert_str_eq(line(quoted("%s", texts[i])), "");
}
END_TEST

// ---- Notifications -------------------------------------------------------------

START_TEST(a_notification_is_never_answered)
{
    static const char *const texts[] = {
        "{'jsonrpc':'2.0','method':'notifications/initialized'}",
        "{'jsonrpc':'2.0','method':'notifications/no-such'}",
        "{'jsonrpc':'2.0','method':'ping'}",
        "{'jsonrpc':'2.0','method':'tools/call','params':{" META
        ",'name':'count'}}",
    };

    shake_hands("2025-11-25");
    for (size_t i = 0; i < MICA_COUNT(texts); i++) {
        ck_assert_str_eq(line(quoted("%s", texts[i])), "");
        ck_assert_int_eq(harness.message.step, MICA_STEP_SILENT);
    }
    ck_assert_int_eq(count_runs, 0);
}
END_TEST

// [STDIO-CANCEL]
START_TEST(a_cancellation_names_its_request_by_type_and_value)
{
    line(quoted("{" V2 ",'method':'notifications/cancelled','params':{"
                "'requestId':12,'reason':'bored'}}"));
    ck_assert_int_eq(harness.message.step, MICA_STEP_CANCEL);
    ck_assert(mica_text_is(harness.message.request.cancel_id, "12"));
    line(quoted("{" V2 ",'method':'notifications/cancelled','params':{"
                "'requestId':'12'}}"));
    ck_assert_int_eq(harness.message.step, MICA_STEP_CANCEL);
    ck_assert(mica_text_is(harness.message.request.cancel_id, "\"12\""));
}
END_TEST

START_TEST(a_malformed_cancellation_is_ignored)
{
    line(quoted("{" V2 ",'method':'notifications/cancelled'}"));
    ck_assert_int_eq(harness.message.step, MICA_STEP_SILENT);
    line(quoted("{" V2 ",'method':'notifications/cancelled','params':{}}"));
    ck_assert_int_eq(harness.message.step, MICA_STEP_SILENT);
}
END_TEST

// ---- The eras ------------------------------------------------------------------

START_TEST(before_the_handshake_a_request_without_version_is_told_so)
{
    static const char *const methods[] = {"ping", "tools/list", "tools/call",
                                          "server/discover", "no/such"};

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        line(quoted(ASK("1", "%s"), methods[i]));
        ck_error("-32602", "MISSING_FIELD", "1");
        ck_says("/error/message", "protocolVersion");
        ck_says("/error/message", "initialize");
    }
}
END_TEST

// [INIT-VERSION]
START_TEST(a_handshake_agrees_on_the_revision_asked_for)
{
    static const char *const pairs[][2] = {
        {"2024-11-05", "'2024-11-05'"}, {"2025-03-26", "'2025-03-26'"},
        {"2025-06-18", "'2025-06-18'"}, {"2025-11-25", "'2025-11-25'"},
        {"2026-07-28", "'2025-11-25'"}, {"2099-01-01", "'2025-11-25'"},
        {"", "'2025-11-25'"},
    };

    for (size_t i = 0; i < MICA_COUNT(pairs); i++) {
        memset(&harness.state, 0, sizeof harness.state);
        line(quoted("{" V2 ",'id':1,'method':'initialize','params':{"
                    "'protocolVersion':'%s','capabilities':{},'clientInfo':{"
                    "'name':'c','version':'1'},'_meta':{'progressToken':1}}}",
                    pairs[i][0]));
        ck_at("/result/protocolVersion", pairs[i][1]);
        ck_assert(harness.state.initialized);
    }
}
END_TEST

START_TEST(a_handshake_says_what_the_revision_has_words_for)
{
    shake_hands("2024-11-05");
    ck_reply(
        "{'jsonrpc':'2.0','id':0,'result':{'protocolVersion':"
        "'2024-11-05','capabilities':{'tools':{},'logging':{}},'serverInfo':{"
        "'name':'test','version':'1.2.3'},'instructions':'Ask nicely.'}}");
    shake_hands("2025-06-18");
    ck_at("/result/serverInfo",
          "{'name':'test','title':'A test','version':'1.2.3'}");
    shake_hands("2025-11-25");
    ck_at("/result/serverInfo",
          "{'name':'test','title':'A test','version':'1.2.3','description':"
          "'For the tests.','websiteUrl':'https://example.org'}");
    ck_at("/result/resultType", "(absent)");
    ck_at("/result/_meta", "(absent)");
}
END_TEST

START_TEST(a_handshake_needs_a_version)
{
    line(quoted(ASK("1", "initialize")));
    ck_error("-32602", "MISSING_FIELD", "1");
    line(quoted("{" V2 ",'id':2,'method':'initialize','params':{"
                "'protocolVersion':20251125}}"));
    ck_error("-32602", "MISSING_FIELD", "2");
    ck_assert(!harness.state.initialized);
    line(quoted(ASK("3", "ping")));
    ck_error("-32602", "MISSING_FIELD", "3");
}
END_TEST

// [STDIO-BOTH] [BASE-STATELESS]
START_TEST(both_eras_take_turns_on_one_line)
{
    line(quoted(STATELESS("1", "server/discover")));
    ck_at("/result/resultType", "'complete'");
    ck_assert(!harness.state.initialized);
    shake_hands("2025-06-18");
    line(quoted(ASK("2", "ping")));
    ck_reply("{'jsonrpc':'2.0','id':2,'result':{}}");
    line(quoted(STATELESS("3", "server/discover")));
    ck_at("/result/resultType", "'complete'");
    line(quoted(ASK("4", "tools/list")));
    ck_at("/result/resultType", "(absent)");
    ck_at("/result/ttlMs", "(absent)");
    ck_at("/result/_meta", "(absent)");
    line(quoted(STATELESS("5", "tools/list")));
    ck_at("/result/ttlMs", "60000");
    line(quoted(ASK("6", "ping")));
    ck_reply("{'jsonrpc':'2.0','id':6,'result':{}}");
}
END_TEST

// [BASE-METHOD]
START_TEST(each_era_knows_only_its_own_methods)
{
    line(quoted(STATELESS("1", "ping")));
    ck_error("-32601", "NOT_FOUND", "1");
    line(quoted(
        STATELESS_WITH("2", "initialize", ",'protocolVersion':'2025-11-25'")));
    ck_error("-32601", "NOT_FOUND", "2");
    ck_assert(!harness.state.initialized);
    shake_hands("2025-11-25");
    line(quoted(ASK("3", "server/discover")));
    ck_error("-32601", "NOT_FOUND", "3");
    line(quoted(ASK("4", "tools/LIST")));
    ck_error("-32601", "NOT_FOUND", "4");
    ck_says("/error/message", "2025-11-25");
}
END_TEST

START_TEST(a_progress_token_alone_does_not_make_a_request_stateless)
{
    shake_hands("2025-11-25");
    line(quoted("{" V2 ",'id':1,'method':'ping','params':{'_meta':{"
                "'progressToken':7}}}"));
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{}}");
}
END_TEST

// ---- Version and capabilities of a stateless request -----------------------------

// [BASE-META]
START_TEST(a_stateless_request_names_version_and_capabilities)
{
    static const char *const metas[] = {
        "'" P_ "protocolVersion':'2026-07-28'",
        "'" P_ "clientCapabilities':{}",
        "'" P_ "protocolVersion':20260728,'" P_ "clientCapabilities':{}",
        "'" P_ "protocolVersion':null,'" P_ "clientCapabilities':{}",
        "'" P_ "protocolVersion':'2026-07-28','" P_ "clientCapabilities':[]",
        "'" P_ "protocolVersion':'2026-07-28','" P_ "clientCapabilities':null",
    };

    shake_hands("2025-11-25");
    for (size_t i = 0; i < MICA_COUNT(metas); i++) {
        line(quoted("{" V2 ",'id':5,'method':'tools/list','params':{'_meta':{"
                    "%s}}}",
                    metas[i]));
        ck_error("-32602", "MISSING_FIELD", "5");
    }
}
END_TEST

// [BASE-VERSION]
START_TEST(an_unknown_version_is_told_which_are_known)
{
    static const char *const versions[] = {"'2099-12-31'", "'2025-11-25'", "''",
                                           "'v1'", "'2026-07-28 '"};

    for (size_t i = 0; i < MICA_COUNT(versions); i++) {
        line(quoted("{" V2 ",'id':6,'method':'tools/list','params':{'_meta':{"
                    "'" P_ "protocolVersion':%s,'" P_
                    "clientCapabilities':{}}}}",
                    versions[i]));
        ck_error("-32022", "UNKNOWN_FIELD", "6");
        ck_at("/error/data/requested", versions[i]);
        ck_at("/error/data/supported", "['2026-07-28']");
    }
}
END_TEST

START_TEST(a_very_long_version_is_cut_in_the_error)
{
    char version[4001] = "";

    memset(version, '\\', 4000);
    line(quoted("{" V2 ",'id':6,'method':'tools/list','params':{'_meta':{'" P_
                "protocolVersion':'%s','" P_ "clientCapabilities':{}}}}",
                version));
    ck_error("-32022", "UNKNOWN_FIELD", "6");
    ck_says("/error/data/requested", "…");
    ck_assert_uint_lt(strlen(harness.reply), 2000);
}
END_TEST

// ---- Methods ---------------------------------------------------------------------

// [DISCOVER] [BASE-RESULTTYPE] [CACHE-HINTS]
START_TEST(discover_says_all_of_the_server)
{
    line(quoted(STATELESS("1", "server/discover")));
    ck_reply(
        "{'jsonrpc':'2.0','id':1,'result':{'resultType':'complete',"
        "'supportedVersions':['2026-07-28'],'capabilities':{'tools':{},'logging':{}},"
        "'instructions':'Ask nicely.','ttlMs':60000,'cacheScope':'public',"
        "'_meta':{'io.modelcontextprotocol/serverInfo':{'name':'test',"
        "'title':'A test','version':'1.2.3','description':"
        "'For the tests.','websiteUrl':'https://example.org'}}}}");
}
END_TEST

START_TEST(the_list_keeps_the_order_of_adding)
{
    char *first;

    line(quoted(STATELESS("1", "tools/list")));
    ck_at("/result/tools/0/name", "'echo'");
    ck_at("/result/tools/1/name", "'blocks'");
    ck_at("/result/tools/7/name", "'count'");
    ck_at("/result/tools/8", "(absent)");
    ck_at("/result/cacheScope", "'public'");
    ck_at("/result/nextCursor", "(absent)");
    first = strdup(harness.reply);
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(line(quoted(STATELESS("1", "tools/list"))), first);
    free(first);
}
END_TEST

START_TEST(every_hint_is_said_outright)
{
    line(quoted(STATELESS("1", "tools/list")));
    ck_at("/result/tools/0/annotations",
          "{'readOnlyHint':true,'destructiveHint':false,"
          "'idempotentHint':true,'openWorldHint':false}");
    ck_at("/result/tools/1/annotations",
          "{'readOnlyHint':false,'destructiveHint':true,"
          "'idempotentHint':false,'openWorldHint':true}");
    ck_at("/result/tools/0/inputSchema", ANY_OBJECT);
}
END_TEST

START_TEST(the_oldest_revision_has_no_annotations)
{
    shake_hands("2024-11-05");
    line(quoted(ASK("1", "tools/list")));
    ck_at("/result/tools/0",
          "{'name':'echo','description':'A tool for the tests.',"
          "'inputSchema':{'type':'object'}}");
    shake_hands("2025-03-26");
    line(quoted(ASK("1", "tools/list")));
    ck_at("/result/tools/0/annotations/readOnlyHint", "true");
}
END_TEST

// [LIST-CURSOR]
START_TEST(no_cursor_was_ever_given_out)
{
    line(quoted(STATELESS_WITH("1", "tools/list", ",'cursor':''")));
    ck_error("-32602", "NOT_FOUND", "1");
    shake_hands("2025-11-25");
    line(quoted("{" V2 ",'id':2,'method':'tools/list','params':{'cursor':"
                "'bm8='}}"));
    ck_error("-32602", "NOT_FOUND", "2");
}
END_TEST

START_TEST(unknown_params_are_ignored)
{
    line(quoted("{" V2 ",'id':1,'method':'tools/list','more':1,'params':{" META
                ",'task':{},'x':[1]}}"));
    ck_at("/result/resultType", "'complete'");
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("mcp");
    TCase *envelope = add_case(suite, "envelopes");
    TCase *era = add_case(suite, "eras");
    TCase *method = add_case(suite, "methods");

    tcase_add_test(envelope, an_id_comes_back_byte_for_byte);
    tcase_add_test(envelope, an_error_carries_the_id_too);
    tcase_add_test(envelope, an_id_of_another_kind_is_refused_and_left_out);
    tcase_add_test(envelope, an_id_has_at_most_256_bytes);
    tcase_add_test(envelope, what_is_no_json_is_a_parse_error);
    tcase_add_test(envelope, a_name_given_twice_is_refused);
    tcase_add_test(envelope, depth_is_bounded);
    tcase_add_test(envelope, what_is_no_request_is_refused);
    tcase_add_test(envelope, a_response_is_never_answered);
    tcase_add_test(envelope, a_notification_is_never_answered);
    tcase_add_test(envelope,
                   a_cancellation_names_its_request_by_type_and_value);
    tcase_add_test(envelope, a_malformed_cancellation_is_ignored);
    tcase_add_test(era,
                   before_the_handshake_a_request_without_version_is_told_so);
    tcase_add_test(era, a_handshake_agrees_on_the_revision_asked_for);
    tcase_add_test(era, a_handshake_says_what_the_revision_has_words_for);
    tcase_add_test(era, a_handshake_needs_a_version);
    tcase_add_test(era, both_eras_take_turns_on_one_line);
    tcase_add_test(era, each_era_knows_only_its_own_methods);
    tcase_add_test(era,
                   a_progress_token_alone_does_not_make_a_request_stateless);
    tcase_add_test(era, a_stateless_request_names_version_and_capabilities);
    tcase_add_test(era, an_unknown_version_is_told_which_are_known);
    tcase_add_test(era, a_very_long_version_is_cut_in_the_error);
    tcase_add_test(method, discover_says_all_of_the_server);
    tcase_add_test(method, the_list_keeps_the_order_of_adding);
    tcase_add_test(method, every_hint_is_said_outright);
    tcase_add_test(method, the_oldest_revision_has_no_annotations);
    tcase_add_test(method, no_cursor_was_ever_given_out);
    tcase_add_test(method, unknown_params_are_ignored);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
