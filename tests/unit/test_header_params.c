// SPDX-License-Identifier: Apache-2.0
//
// What a call needs beside its arguments: headers that repeat some of them
// (x-mcp-header), and a client with the capabilities that the tool requires.
#include "test_server.h"

// ---- x-mcp-header at registration ------------------------------------------------

static enum mica_status
register_schema(const char *schema, struct mica_error *error)
{
    struct mica_tool tool = {.name = "routed",
                             .description = "A tool for the tests.",
                             .input_schema = quoted("%s", schema),
                             .json_handler = tool_echo};

    return mica_server_add_tool(harness.server, &tool, NULL, error);
}

// [HTTP-ANNOTATION]
START_TEST(an_annotation_that_clients_would_refuse_is_refused)
{
    static const struct {
        const char *schema, *says;
    } cases[] = {
        {"{'type':'object','properties':{'a':{'type':'string',"
         "'x-mcp-header':''}}}",
         "can end the name of a header"},
        {"{'type':'object','properties':{'a':{'type':'string',"
         "'x-mcp-header':'a b'}}}",
         "can end the name of a header"},
        {"{'type':'object','properties':{'a':{'type':'string',"
         "'x-mcp-header':'a\\u0000'}}}",
         "can end the name of a header"},
        {"{'type':'object','properties':{'a':{'type':'string',"
         "'x-mcp-header':1}}}",
         "can end the name of a header"},
        {"{'type':'object','properties':{'a':{'type':'number',"
         "'x-mcp-header':'A'}}}",
         "string, integer or boolean"},
        {"{'type':'object','properties':{'a':{'type':['string','null'],"
         "'x-mcp-header':'A'}}}",
         "string, integer or boolean"},
        {"{'type':'object','properties':{'a':{'x-mcp-header':'A'}}}",
         "string, integer or boolean"},
        {"{'type':'object','properties':{'a':{'type':'string',"
         "'x-mcp-header':'A'},'b':{'type':'object','properties':{'c':"
         "{'type':'string','x-mcp-header':'a'}}}}}",
         "twice"},
        {"{'type':'object','x-mcp-header':'A','properties':{'a':{'allOf':["
         "{'type':'string','x-mcp-header':'A'}]}}}",
         "\"properties\" alone"},
        {"{'type':'object','properties':{'a':{'type':'array','items':"
         "{'type':'string','x-mcp-header':'A'}}}}",
         "\"properties\" alone"},
        {"{'type':'object','properties':{'a':{'$ref':'#/$defs/a'}},'$defs':"
         "{'a':{'type':'string','x-mcp-header':'A'}}}",
         "\"properties\" alone"},
        {"{'type':'object','if':{'properties':{'a':{'type':'string',"
         "'x-mcp-header':'A'}}}}",
         "\"properties\" alone"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_error error;
        ck_assert_int_eq(register_schema(cases[i].schema, &error),
                         MICA_E_USAGE);
        ck_assert_msg(strstr(error.message, cases[i].says) != NULL, "%s: %s",
                      cases[i].schema, error.message);
    }
}
END_TEST

// ---- x-mcp-header at a call --------------------------------------------------------

static void
add_routed(void)
{
    struct mica_error error;

    ck_assert_msg(
        register_schema("{'type':'object','properties':{"
                        "'region':{'type':'string','x-mcp-header':'Region'},"
                        "'limit':{'type':'integer','x-mcp-header':'Limit'},"
                        "'deep':{'type':'object','properties':{'a/b':"
                        "{'type':'boolean','x-mcp-header':'Dry-Run'}}}}}",
                        &error) == MICA_OK,
        "%s", error.message);
}

static void
call_routed(const char *arguments)
{
    stateless("tools/call", "routed",
              quoted("{" V2 ",'id':7,'method':'tools/call','params':{" META
                     ",'name':'routed','arguments':%s}}",
                     arguments));
}

static void
ck_mismatch(const char *header)
{
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "7");
    ck_says("/error/message", header);
}

START_TEST(headers_that_repeat_their_arguments_pass)
{
    add_routed();
    call_routed("{'region':'eu','limit':42,'deep':{'a/b':true}}");
    again("mcp-param-REGION", "  eu ");
    again("Mcp-Param-Limit", "42.0");
    again("Mcp-Param-Dry-Run", "true");
    again("Mcp-Param-Other", "ignored");
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/structuredContent/region", "'eu'");
}
END_TEST

START_TEST(a_value_outside_ascii_is_encoded)
{
    add_routed();
    call_routed("{'region':'日本'}");
    again("Mcp-Param-Region", "=?base64?5pel5pys?=");
    ck_assert_uint_eq(send_request(), 200);
    call_routed("{'region':'日本'}");
    again("Mcp-Param-Region", "=?base64?5pel5pys");
    ck_mismatch("Mcp-Param-Region");
    call_routed("{'region':'Hello'}");
    again("Mcp-Param-Region", "=?base64?SGVsbG8?=");
    ck_mismatch("malformed");
}
END_TEST

START_TEST(an_absent_argument_has_no_header)
{
    add_routed();
    call_routed("{'region':null}");
    ck_assert_uint_eq(send_request(), 200);
    call_routed("{}");
    again("Mcp-Param-Region", "eu");
    ck_mismatch("without its argument");
}
END_TEST

// [HTTP-PARAM]
START_TEST(a_header_that_differs_is_refused)
{
    add_routed();
    call_routed("{'region':'eu'}");
    ck_mismatch("missing");
    call_routed("{'region':'eu'}");
    again("Mcp-Param-Region", "EU");
    ck_mismatch("differs");
    call_routed("{'limit':42}");
    again("Mcp-Param-Limit", "43");
    ck_mismatch("differs");
    call_routed("{'deep':{'a/b':false}}");
    again("Mcp-Param-Dry-Run", "False");
    ck_mismatch("differs");
    call_routed("{'region':'eu'}");
    again("Mcp-Param-Region", "eu");
    again("mcp-param-region", "eu");
    ck_mismatch("twice");
}
END_TEST

START_TEST(a_pipe_has_no_such_headers)
{
    add_routed();
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{" META
                ",'name':'routed','arguments':{'region':'eu'}}}"));
    ck_at("/result/structuredContent", "{'region':'eu'}");
}
END_TEST

// ---- Capabilities ------------------------------------------------------------------

static void
add_needy(unsigned requires)
{
    struct mica_tool tool = {.name = "needy",
                             .description = "A tool for the tests.",
                             .input_schema = ANY_OBJECT,
                             .json_handler = tool_count,
                             .requires = requires};

    ck_assert_int_eq(
        mica_server_add_tool(harness.server, &tool, &count_runs, NULL),
        MICA_OK);
}

static void
call_needy(const char *capabilities)
{
    stateless("tools/call", "needy",
              quoted("{" V2
                     ",'id':'x','method':'tools/call','params':{'_meta':{"
                     "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                     "'io.modelcontextprotocol/clientCapabilities':%s},"
                     "'name':'needy'}}",
                     capabilities));
}

// [BASE-CAPABILITY]
START_TEST(a_client_without_what_a_tool_needs_is_told_what)
{
    static const struct {
        unsigned requires;
        const char *has, *lacks;
    } cases[] = {
        {MICA_SAMPLING, "{}", "{'sampling':{}}"},
        {MICA_SAMPLING | MICA_ROOTS, "{'elicitation':{}}",
         "{'sampling':{},'roots':{}}"},
        {MICA_ELICITATION | MICA_ELICITATION_URL, "{'elicitation':{}}",
         "{'elicitation':{'url':{}}}"},
        {MICA_ELICITATION, "{'elicitation':{'url':{}}}", "{'elicitation':{}}"},
        {MICA_SAMPLING | MICA_SAMPLING_TOOLS, "{'sampling':{}}",
         "{'sampling':{'tools':{}}}"},
        {MICA_ROOTS, "{'roots':true}", "{'roots':{}}"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        add_needy(cases[i].requires);
        call_needy(cases[i].has);
        ck_assert_uint_eq(send_request(), 400);
        ck_error("-32021", "CAPABILITY_MISSING", "'x'");
        ck_at("/error/data/requiredCapabilities", cases[i].lacks);
        ck_assert_int_eq(count_runs, 0);
        ck_assert_int_eq(mica_server_remove(harness.server,
                                            MICA_DEFINITION_TOOL, "needy",
                                            NULL),
                         MICA_OK);
    }
}
END_TEST

START_TEST(a_client_that_has_it_is_served)
{
    add_needy(MICA_ELICITATION | MICA_ELICITATION_URL | MICA_SAMPLING);
    call_needy("{'elicitation':{'form':{},'url':{}},'sampling':{}}");
    ck_assert_uint_eq(send_request(), 200);
    ck_assert_int_eq(count_runs, 1);
}
END_TEST

START_TEST(a_client_of_the_handshake_reads_it_as_a_result)
{
    add_needy(MICA_SAMPLING);
    shake_hands("2025-11-25");
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{"
                "'name':'needy'}}"));
    ck_at("/result/isError", "true");
    ck_says("/result/content/0/text", "CAPABILITY_MISSING: ");
    ck_assert_int_eq(count_runs, 0);
    line(quoted("{" V2 ",'id':0,'method':'initialize','params':{"
                "'protocolVersion':'2025-11-25','capabilities':"
                "{'sampling':{}}}}"));
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{"
                "'name':'needy'}}"));
    ck_at("/result/isError", "(absent)");
    ck_assert_int_eq(count_runs, 1);
}
END_TEST

static void
list_for(const char *capabilities)
{
    stateless("tools/list", NULL,
              quoted("{" V2
                     ",'id':'x','method':'tools/list','params':{'_meta':{"
                     "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                     "'io.modelcontextprotocol/clientCapabilities':%s}}}",
                     capabilities));
    ck_assert_uint_eq(send_request(), 200);
}

START_TEST(a_tool_is_listed_for_those_who_can_use_it)
{
    add_needy(MICA_SAMPLING);
    list_for("{}");
    ck_at("/result/tools/8", "(absent)");
    ck_at("/result/cacheScope", "'private'");
    list_for("{'sampling':{}}");
    ck_at("/result/tools/8/name", "'needy'");
    ck_at("/result/tools/8/_meta/mica~1requiredCapabilities",
          "{'sampling':{}}");
}
END_TEST

START_TEST(a_session_lists_what_its_client_can_use)
{
    add_needy(MICA_SAMPLING);
    shake_hands("2025-11-25");
    line(quoted("{" V2 ",'id':1,'method':'tools/list'}"));
    ck_at("/result/tools/8", "(absent)");
    line(quoted("{" V2 ",'id':0,'method':'initialize','params':{"
                "'protocolVersion':'2025-11-25','capabilities':"
                "{'sampling':{}}}}"));
    line(quoted("{" V2 ",'id':1,'method':'tools/list'}"));
    ck_at("/result/tools/8/name", "'needy'");
}
END_TEST

// A revision has no capability that came after it, whatever its client says.
START_TEST(a_revision_knows_what_it_can_be_asked_for)
{
    static const struct {
        const char *version, *has;
        unsigned requires;
        bool listed;
    } cases[] = {
        {"2025-03-26", "{'elicitation':{}}", MICA_ELICITATION, false},
        {"2025-03-26", "{'sampling':{}}", MICA_SAMPLING, true},
        {"2025-06-18", "{'elicitation':{}}", MICA_ELICITATION, true},
        {"2025-06-18", "{'elicitation':{'url':{}}}", MICA_ELICITATION, true},
        {"2025-06-18", "{'elicitation':{'url':{}}}", MICA_ELICITATION_URL,
         false},
        {"2025-11-25", "{'elicitation':{'url':{}}}", MICA_ELICITATION_URL,
         true},
        {"2025-11-25", "{'elicitation':{'url':{}}}", MICA_ELICITATION, false},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        add_needy(cases[i].requires);
        line(quoted("{" V2 ",'id':0,'method':'initialize','params':{"
                    "'protocolVersion':'%s','capabilities':%s}}",
                    cases[i].version, cases[i].has));
        line(quoted("{" V2 ",'id':1,'method':'tools/list'}"));
        ck_at("/result/tools/8/name", cases[i].listed ? "'needy'" : "(absent)");
        ck_assert_int_eq(mica_server_remove(harness.server,
                                            MICA_DEFINITION_TOOL, "needy",
                                            NULL),
                         MICA_OK);
    }
}
END_TEST

START_TEST(a_switch_lists_every_tool_for_everybody)
{
    add_needy(MICA_SAMPLING);
    harness.server->registry.main->list_all = true;
    list_for("{}");
    ck_at("/result/tools/8/name", "'needy'");
    ck_at("/result/cacheScope", "'public'");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("what a call needs");
    TCase *annotations = add_case(suite, "annotations");
    TCase *headers = add_case(suite, "headers");
    TCase *capabilities = add_case(suite, "capabilities");

    tcase_add_test(annotations,
                   an_annotation_that_clients_would_refuse_is_refused);
    tcase_add_test(headers, headers_that_repeat_their_arguments_pass);
    tcase_add_test(headers, a_value_outside_ascii_is_encoded);
    tcase_add_test(headers, an_absent_argument_has_no_header);
    tcase_add_test(headers, a_header_that_differs_is_refused);
    tcase_add_test(headers, a_pipe_has_no_such_headers);
    tcase_add_test(capabilities,
                   a_client_without_what_a_tool_needs_is_told_what);
    tcase_add_test(capabilities, a_client_that_has_it_is_served);
    tcase_add_test(capabilities,
                   a_client_of_the_handshake_reads_it_as_a_result);
    tcase_add_test(capabilities, a_tool_is_listed_for_those_who_can_use_it);
    tcase_add_test(capabilities, a_session_lists_what_its_client_can_use);
    tcase_add_test(capabilities, a_revision_knows_what_it_can_be_asked_for);
    tcase_add_test(capabilities, a_switch_lists_every_tool_for_everybody);
    return run_suite(suite);
}
