// SPDX-License-Identifier: Apache-2.0
//
// The MCP core over HTTP: every step of the pipeline with its error, the order
// of the steps, header values, who may come, and the legacy era without
// sessions.
#include "test_server.h"

#define ASK(id, method) "{" V2 ",'id':" id ",'method':'" method "'}"
#define LIST(id) \
    "{" V2 ",'id':" id ",'method':'tools/list','params':{" META "}}"
#define CALL(id, name)                                          \
    "{" V2 ",'id':" id ",'method':'tools/call','params':{" META \
    ",'name':" name ",'arguments':{'a':1}}}"

static void
stateless_list(void)
{
    stateless("tools/list", NULL, quoted(LIST("1")));
}

static void
stateless_call(const char *name_header)
{
    stateless("tools/call", name_header, quoted(CALL("1", "'echo'")));
}

// ---- What works ----------------------------------------------------------------

START_TEST(a_right_request_gets_json)
{
    stateless_call("echo");
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/structuredContent", "{'a':1}");
    ck_assert_str_eq(response_header("Content-Type"), "application/json");
    ck_assert_str_eq(response_header("Access-Control-Allow-Origin"),
                     "(absent)");
    ck_assert_uint_eq(harness.response.body.len, strlen(harness.reply));
}
END_TEST

START_TEST(names_of_headers_have_no_case)
{
    request("POST", quoted(CALL("1", "'echo'")));
    without("Host");
    again("HOST", "LocalHost:1");
    without("Content-Type");
    again("content-TYPE", " Application/JSON ; charset=utf-8");
    again("mcp-protocol-VERSION", "2026-07-28");
    again("MCP-METHOD", "tools/call");
    again("mcp-name", "echo");
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/structuredContent", "{'a':1}");
}
END_TEST

START_TEST(white_space_around_a_value_does_not_count)
{
    stateless("tools/call", NULL, quoted(CALL("1", "'echo'")));
    header("MCP-Protocol-Version", " \t2026-07-28 ");
    header("Mcp-Method", "\ttools/call  ");
    again("Mcp-Name", "  echo\t");
    ck_assert_uint_eq(send_request(), 200);
}
END_TEST

START_TEST(client_info_session_and_last_event_are_ignored)
{
    stateless_list();
    again("Mcp-Session-Id", "abc");
    again("Last-Event-ID", "7");
    again("Mcp-Param-Region", "x");
    ck_assert_uint_eq(send_request(), 200);
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
}
END_TEST

// ---- Steps 1 to 7 ----------------------------------------------------------------

// [HTTP-ORIGIN]
START_TEST(step_1_strangers_are_forbidden_on_every_method)
{
    static const char *const methods[] = {"POST", "GET", "DELETE", "OPTIONS"};

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        request(methods[i], quoted(LIST("1")));
        header("Host", "evil.example");
        ck_assert_uint_eq(send_request(), 403);
        ck_error("-32600", "FORBIDDEN", "(absent)");
        ck_says("/error/message", "--allow-host");
        request(methods[i], quoted(LIST("1")));
        header("Origin", "http://evil.example");
        ck_assert_uint_eq(send_request(), 403);
        ck_says("/error/message", "--allow-origin");
        ck_assert_str_eq(response_header("Access-Control-Allow-Origin"),
                         "(absent)");
    }
    request("POST", quoted(LIST("1")));
    without("Host");
    ck_assert_uint_eq(send_request(), 403);
}
END_TEST

// [HTTP-GET]
START_TEST(step_2_only_posts_are_served)
{
    static const char *const methods[] = {"GET",  "DELETE", "PUT",
                                          "HEAD", "PATCH",  "post"};

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        request(methods[i], "");
        ck_assert_uint_eq(send_request(), 405);
        ck_assert(strstr(response_header("Allow"), "POST") != NULL);
        again("MCP-Protocol-Version", "2026-07-28");
        ck_assert_uint_eq(send_request(), 405);
    }
}
END_TEST

START_TEST(step_4_the_body_is_json_and_json_is_accepted)
{
    stateless_list();
    header("Content-Type", "text/plain");
    ck_assert_uint_eq(send_request(), 415);
    without("Content-Type");
    ck_assert_uint_eq(send_request(), 415);
    stateless_list();
    header("Accept", "text/html");
    ck_assert_uint_eq(send_request(), 406);
    header("Accept", "*/*");
    ck_assert_uint_eq(send_request(), 200);
    header("Accept", "Application/JSON, Text/Event-Stream");
    ck_assert_uint_eq(send_request(), 200);
    header("Accept", "text/event-stream");
    ck_assert_uint_eq(send_request(), 200);
    header("Accept", "application/*;q=0.5");
    ck_assert_uint_eq(send_request(), 200);
}
END_TEST

// RFC 9110, 5.3: a list may come in several lines, which combine.
START_TEST(step_4_accept_may_come_in_several_lines)
{
    stateless_list();
    again("Accept", "application/json");
    again("Accept", "text/html");
    ck_assert_uint_eq(send_request(), 200);
    header("Accept", "text/event-stream");
    again("Accept", "application/json");
    again("Accept", "");
    ck_assert_uint_eq(send_request(), 200);
    ck_assert(harness.message.request.takes_stream);
    header("Accept", "text/html");
    again("Accept", "image/png");
    ck_assert_uint_eq(send_request(), 406);
    header("Accept", "");
    again("Accept", "image/png");
    ck_assert_uint_eq(send_request(), 406);
    header("Accept", "application/json");
    again("Accept", "text/html");
    ck_assert_uint_eq(send_request(), 200);
    ck_assert(!harness.message.request.takes_stream);
}
END_TEST

START_TEST(step_5_what_is_no_json_is_400)
{
    stateless("tools/list", NULL, "{nonsense");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32700", "INVALID_JSON", "(absent)");
}
END_TEST

START_TEST(step_6_what_is_no_request_is_400)
{
    stateless("tools/list", NULL, "[]");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32600", "WRONG_TYPE", "(absent)");
    stateless("tools/list", NULL, quoted("{" V2 ",'id':null,'method':'x'}"));
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32600", "WRONG_TYPE", "(absent)");
}
END_TEST

// [HTTP-ACCEPTED]
START_TEST(step_7_notifications_are_202_and_responses_400)
{
    stateless("notifications/cancelled", NULL,
              quoted("{" V2 ",'method':'notifications/cancelled','params':{"
                     "'requestId':1}}"));
    ck_assert_uint_eq(send_request(), 202);
    ck_assert_str_eq(harness.reply, "");
    ck_assert_uint_eq(harness.response.body.len, 0);
    ck_assert_str_eq(response_header("Content-Type"), "(absent)");
    request("POST", quoted("{" V2 ",'method':'notifications/initialized'}"));
    ck_assert_uint_eq(send_request(), 202);
    request("POST", quoted("{" V2 ",'id':1,'result':{}}"));
    ck_assert_uint_eq(send_request(), 400);
    // Not echoed: the id is the client's answer, not its question.
    ck_at("/error/code", "-32600");
}
END_TEST

// ---- Steps 8 to 15 ---------------------------------------------------------------

// [HTTP-VERSION]
START_TEST(step_8_the_version_header_is_needed)
{
    stateless_list();
    without("MCP-Protocol-Version");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1");
    ck_says("/error/message", "MCP-Protocol-Version");
}
END_TEST

START_TEST(step_9_the_body_names_version_and_capabilities)
{
    stateless("tools/list", NULL, quoted(ASK("1", "tools/list")));
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32602", "MISSING_FIELD", "1");
    stateless("tools/list", NULL,
              quoted("{" V2
                     ",'id':1,'method':'tools/list','params':{'_meta':{'" P_
                     "protocolVersion':'2026-07-28'}}}"));
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32602", "MISSING_FIELD", "1");
    stateless("tools/list", NULL,
              quoted("{" V2
                     ",'id':1,'method':'tools/list','params':{'_meta':{'" P_
                     "clientCapabilities':{}}}}"));
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32602", "MISSING_FIELD", "1");
}
END_TEST

// [HTTP-VERSION]
START_TEST(step_10_header_and_body_name_the_same_version)
{
    static const char *const versions[] = {"2025-11-25", "2099-01-01", "",
                                           "2026-07-29"};

    for (size_t i = 0; i < MICA_COUNT(versions); i++) {
        stateless_list();
        header("MCP-Protocol-Version", versions[i]);
        ck_assert_uint_eq(send_request(), 400);
        ck_error("-32020", "BAD_FORMAT", "1");
    }
}
END_TEST

START_TEST(step_11_an_agreed_version_may_still_be_unknown)
{
    static const char *const versions[] = {"2099-01-01", "2025-11-25"};

    for (size_t i = 0; i < MICA_COUNT(versions); i++) {
        stateless("tools/list", NULL,
                  quoted("{" V2
                         ",'id':1,'method':'tools/list','params':{'_meta':"
                         "{'" P_ "protocolVersion':'%s','" P_
                         "clientCapabilities':{}}}}",
                         versions[i]));
        header("MCP-Protocol-Version", versions[i]);
        ck_assert_uint_eq(send_request(), 400);
        ck_error("-32022", "UNKNOWN_FIELD", "1");
        ck_at("/error/data/supported", "['2026-07-28']");
        ck_at("/error/data/requested", quoted("'%s'", versions[i]));
    }
}
END_TEST

// [HTTP-METHOD]
START_TEST(step_12_the_method_header_equals_the_method)
{
    static const char *const methods[] = {"TOOLS/LIST", "tools/call", "",
                                          "tools/list/"};

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        stateless_list();
        header("Mcp-Method", methods[i]);
        ck_assert_uint_eq(send_request(), 400);
        ck_error("-32020", "BAD_FORMAT", "1");
        ck_says("/error/message", "Mcp-Method");
    }
    stateless_list();
    without("Mcp-Method");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1");
}
END_TEST

// [HTTP-STATUS]
START_TEST(step_13_an_unknown_method_is_404_without_a_name)
{
    static const char *const methods[] = {"tasks/result", "ping", "initialize",
                                          "logging/setLevel", "resources/list"};

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        stateless(methods[i], NULL,
                  quoted("{" V2 ",'id':1,'method':'%s','params':{" META "}}",
                         methods[i]));
        ck_assert_uint_eq(send_request(), 404);
        ck_error("-32601", "NOT_FOUND", "1");
        ck_says("/error/message", methods[i]);
    }
}
END_TEST

// [HTTP-NAME]
START_TEST(step_14_the_name_header_equals_the_name)
{
    static const char *const names[] = {"ECHO",
                                        "fail",
                                        "",
                                        "echo2",
                                        "ech\xc3\xb6",
                                        "=?base64?ZWNobw=?=",
                                        "=?base64?ZWNobw?=",
                                        "=?base64?ZWN!obw==?=",
                                        "=?base64?ZWNobx==?=",
                                        "=?base64?/w==?=",
                                        "=?BASE64?ZWNobw==?=",
                                        "=?base64?ZWNobw==",
                                        "ZWNobw==?=",
                                        "ec\x7fho",
                                        "ec\x01ho",
                                        "=?base64?\?="};

    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        stateless_call(names[i]);
        ck_assert_uint_eq(send_request(), 400);
        ck_error("-32020", "BAD_FORMAT", "1");
        ck_says("/error/message", "Mcp-Name");
    }
    stateless_call(NULL);
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1");
}
END_TEST

// [HTTP-SENTINEL]
START_TEST(a_name_may_come_encoded)
{
    stateless_call("=?base64?ZWNobw==?=");
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/structuredContent", "{'a':1}");
    // A name that only looks encoded is literal, here that of no tool.
    stateless("tools/call", "=?base64?abc",
              quoted(CALL("1", "'=?base64?abc'")));
    ck_assert_uint_eq(send_request(), 200);
    ck_error("-32602", "NOT_FOUND", "1");
    stateless("tools/call", "=?base64?w6kg8J+Niw==?=",
              quoted(CALL("1", "'\xc3\xa9 \xf0\x9f\x8d\x8b'")));
    ck_assert_uint_eq(send_request(), 200);
    ck_error("-32602", "NOT_FOUND", "1");
    ck_says("/error/message", "\xf0\x9f\x8d\x8b");
}
END_TEST

START_TEST(a_header_given_twice_is_a_mismatch)
{
    static const char *const names[] = {"MCP-Protocol-Version", "Mcp-Method",
                                        "Mcp-Name"};
    static const char *const values[] = {"2026-07-28", "tools/call", "echo"};

    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        stateless_call("echo");
        again(names[i], values[i]);
        ck_assert_uint_eq(send_request(), 400);
        ck_error("-32020", "BAD_FORMAT", "1");
    }
}
END_TEST

START_TEST(two_hosts_or_origins_are_forbidden)
{
    stateless_list();
    again("Host", "localhost");
    ck_assert_uint_eq(send_request(), 403);
    stateless_list();
    again("Origin", "http://evil.example");
    again("Origin", "http://localhost");
    ck_assert_uint_eq(send_request(), 403);
}
END_TEST

START_TEST(step_15_wrong_params_are_200)
{
    stateless("tools/call", "x", quoted(CALL("1", "7")));
    ck_assert_uint_eq(send_request(), 200);
    ck_error("-32602", "MISSING_FIELD", "1");
    stateless("tools/call", "no-such", quoted(CALL("1", "'no-such'")));
    ck_assert_uint_eq(send_request(), 200);
    ck_error("-32602", "NOT_FOUND", "1");
}
END_TEST

// Everything is wrong at once; each repair uncovers the next step's error.
START_TEST(the_steps_come_in_their_order)
{
    request("GET", "{nonsense");
    header("Host", "evil.example");
    header("Content-Type", "text/plain");
    ck_assert_uint_eq(send_request(), 403);
    header("Host", "localhost");
    ck_assert_uint_eq(send_request(), 405);
    harness.request.method = MICA_LITERAL("POST");
    ck_assert_uint_eq(send_request(), 415);
    header("Content-Type", "application/json");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32700", "INVALID_JSON", "(absent)");
#define MORE "'method':'no/such','params':{'_meta':{"
    harness.request.body =
        mica_text(quoted("{'id':1," MORE "'" P_ "clientCapabilities':{}}}}"));
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32600", "WRONG_TYPE", "1");
    harness.request.body = mica_text(
        quoted("{" V2 ",'id':1," MORE "'" P_ "clientCapabilities':{}}}}"));
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1"); // no version header
    header("MCP-Protocol-Version", "2099-01-02");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32602", "MISSING_FIELD", "1"); // no version in the body
    harness.request.body = mica_text(quoted("{" V2 ",'id':1," MORE "'" P_
                                            "protocolVersion':'2099-01-01','" P_
                                            "clientCapabilities':{}}}}"));
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1"); // they differ
    header("MCP-Protocol-Version", "2099-01-01");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32022", "UNKNOWN_FIELD", "1");
    header("MCP-Protocol-Version", "2026-07-28");
    harness.request.body = mica_text(
        quoted("{" V2 ",'id':1,'method':'no/such','params':{" META "}}"));
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1"); // no method header
    header("Mcp-Method", "no/such");
    ck_assert_uint_eq(send_request(), 404);
    harness.request.body = mica_text(quoted(CALL("1", "'no-such'")));
    header("Mcp-Method", "tools/call");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1"); // no name header
    header("Mcp-Name", "no-such");
    ck_assert_uint_eq(send_request(), 200);
    ck_error("-32602", "NOT_FOUND", "1");
    header("Mcp-Name", "echo");
    harness.request.body = mica_text(quoted(CALL("1", "'echo'")));
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/resultType", "'complete'");
}
END_TEST

// ---- Who may come ------------------------------------------------------------------

START_TEST(only_loopback_names_are_hosts_by_themselves)
{
    static const char *const yes[] = {
        "localhost",   "LOCALHOST", "localhost:8080", "127.0.0.1",
        "127.0.0.1:1", "[::1]",     "[::1]:8080",     " localhost "};
    static const char *const no[] = {"",
                                     "evil.example",
                                     "localhost.evil.example",
                                     "127.0.0.2",
                                     "127.0.0.1.evil",
                                     "::1",
                                     "[::2]",
                                     "[::1",
                                     "[::1]evil.example",
                                     "localhost:",
                                     "localhost:80@evil",
                                     "localhost:8080:evil",
                                     "0.0.0.0",
                                     "localhost evil",
                                     "evil@localhost",
                                     "[::1]:80x",
                                     "127.1",
                                     "2130706433",
                                     ":8080",
                                     "localhost:8080/evil"};

    for (size_t i = 0; i < MICA_COUNT(yes); i++)
        ck_assert_msg(mica_http_host_allowed(NULL, mica_text(yes[i])), "%s",
                      yes[i]);
    for (size_t i = 0; i < MICA_COUNT(no); i++)
        ck_assert_msg(!mica_http_host_allowed(NULL, mica_text(no[i])), "%s",
                      no[i]);
}
END_TEST

START_TEST(an_origin_is_a_scheme_and_an_allowed_host)
{
    static const char *const yes[] = {"http://localhost", "https://localhost",
                                      "http://127.0.0.1:3000",
                                      "http://[::1]:8080"};
    static const char *const no[] = {"null",
                                     "",
                                     "localhost",
                                     "http://",
                                     "http://evil.example",
                                     "http://localhost.evil.example",
                                     "http://localhost:80@evil.example",
                                     "http://evil.example/http://localhost",
                                     "file://localhost",
                                     "http://localhost/",
                                     "http:/localhost",
                                     "chrome-extension://abc"};

    for (size_t i = 0; i < MICA_COUNT(yes); i++)
        ck_assert_msg(mica_http_origin_allowed(NULL, mica_text(yes[i])), "%s",
                      yes[i]);
    for (size_t i = 0; i < MICA_COUNT(no); i++)
        ck_assert_msg(!mica_http_origin_allowed(NULL, mica_text(no[i])), "%s",
                      no[i]);
}
END_TEST

START_TEST(more_hosts_and_origins_can_be_allowed)
{
    static const char *const hosts[] = {"mica.example", "other.example:81",
                                        NULL};
    static const char *const origins[] = {"https://app.example", NULL};
    const struct mica_http_allowed allowed = {hosts, origins};

    ck_assert(mica_http_host_allowed(&allowed, MICA_LITERAL("Mica.Example")));
    ck_assert(mica_http_host_allowed(&allowed, MICA_LITERAL("mica.example:9")));
    ck_assert(
        mica_http_host_allowed(&allowed, MICA_LITERAL("other.example:81")));
    ck_assert(
        !mica_http_host_allowed(&allowed, MICA_LITERAL("other.example:82")));
    ck_assert(!mica_http_host_allowed(&allowed, MICA_LITERAL("example")));
    ck_assert(mica_http_origin_allowed(&allowed,
                                       MICA_LITERAL("https://app.example")));
    ck_assert(mica_http_origin_allowed(&allowed,
                                       MICA_LITERAL("https://mica.example")));
    ck_assert(!mica_http_origin_allowed(&allowed,
                                        MICA_LITERAL("http://app.example")));
    ck_assert(!mica_http_origin_allowed(
        &allowed, MICA_LITERAL("https://app.example:81")));
}
END_TEST

START_TEST(everyone_can_be_allowed_in_so_many_words)
{
    static const char *const no_hosts[] = {
        "",     "user@host", "a\r\nb", "a b",   "a\"b",     "a#b", "a?b",
        "a/b",  "a\\b",      "<b>",    "a:b",   "\xc3\xa4", "a:",  ":1",
        "[::1", "[::1]x",    "a\tb",   "a\x7f", "host:1:1"};
    static const char *const all[] = {"*", NULL};
    const struct mica_http_allowed allowed = {all, all};

    ck_assert(mica_http_host_allowed(&allowed, MICA_LITERAL("any.example:1")));
    // The target of a request may name what is no host: nothing allows that.
    for (size_t i = 0; i < MICA_COUNT(no_hosts); i++)
        ck_assert_msg(!mica_http_host_allowed(&allowed, mica_text(no_hosts[i])),
                      "%s", no_hosts[i]);
    for (unsigned byte = 1; byte < 256; byte++) {
        static const char others[] = "-._~!$&'()*+,;=%[]";
        const char host[3] = {'a', (char)byte, 'b'};
        bool is_one =
            (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
            (byte >= 'a' && byte <= 'z') || strchr(others, (int)byte) != NULL;
        ck_assert_int_eq(
            mica_http_host_allowed(&allowed, (struct mica_text){host, 3}),
            is_one);
    }
    ck_assert(!mica_http_host_allowed(&allowed, (struct mica_text){"a\0b", 3}));
    ck_assert(mica_http_origin_allowed(&allowed, MICA_LITERAL("https://x.y")));
}
END_TEST

START_TEST(a_page_without_an_origin_cannot_be_allowed)
{
    static const char *const all[] = {"*", "null", "NULL", NULL};
    const struct mica_http_allowed allowed = {all, all};

    ck_assert(!mica_http_origin_allowed(&allowed, MICA_LITERAL("null")));
    ck_assert(!mica_http_origin_allowed(&allowed, MICA_LITERAL("Null")));
    ck_assert(!mica_http_origin_allowed(&allowed, MICA_LITERAL(" null\t")));
}
END_TEST

START_TEST(a_page_of_an_allowed_origin_may_ask_and_read)
{
    request("OPTIONS", "");
    again("Origin", "http://localhost:3000");
    again("Access-Control-Request-Method", "POST");
    ck_assert_uint_eq(send_request(), 204);
    ck_assert_str_eq(response_header("Access-Control-Allow-Origin"),
                     "http://localhost:3000");
    ck_assert_str_eq(response_header("Vary"), "Origin");
    ck_assert(strstr(response_header("Access-Control-Allow-Headers"),
                     "Mcp-Method") != NULL);
    stateless_list();
    again("Origin", "http://localhost:3000");
    ck_assert_uint_eq(send_request(), 200);
    ck_assert_str_eq(response_header("Access-Control-Allow-Origin"),
                     "http://localhost:3000");
    stateless("no/such", NULL, quoted(LIST("1")));
    again("Origin", "http://localhost:3000");
    ck_assert_uint_eq(send_request(), 400);
    ck_assert_str_eq(response_header("Access-Control-Allow-Origin"),
                     "http://localhost:3000");
}
END_TEST

static const char *
preflight(void)
{
    ck_assert_uint_eq(send_request(), 204);
    return response_header("Access-Control-Allow-Headers");
}

// Their names are those of the tools: they cannot be listed beforehand.
START_TEST(a_page_may_send_the_headers_of_any_parameter)
{
    char name[3000];

    request("OPTIONS", "");
    again("Origin", "http://localhost:3000");
    ck_assert_ptr_null(strstr(preflight(), "Param"));
    ck_assert_ptr_nonnull(strstr(preflight(), "traceparent"));
    again("Access-Control-Request-Headers",
          "content-type,mcp-param-region , mcp-name,mcp-param-,mcp-param-a b,"
          "x-other,mcp-parameter");
    again("Access-Control-Request-Headers", "Mcp-Param-Zone_2,,mcp-param-a/b");
    ck_assert_ptr_nonnull(strstr(preflight(), "Content-Type, "));
    ck_assert_ptr_nonnull(
        strstr(preflight(), ", mcp-param-region, Mcp-Param-Zone_2"));
    ck_assert_ptr_null(strstr(preflight(), "mcp-param-,"));
    ck_assert_ptr_null(strstr(preflight(), "mcp-param-a"));
    ck_assert_ptr_null(strstr(preflight(), "other"));
    ck_assert_ptr_null(strstr(preflight(), "parameter"));
    // As many as a response has room for.
    memset(name, 'x', sizeof name - 1);
    memcpy(name, "mcp-param-", 10);
    name[sizeof name - 1] = '\0';
    header("Access-Control-Request-Headers", name);
    again("Access-Control-Request-Headers", name);
    again("Access-Control-Request-Headers", "mcp-param-small");
    ck_assert_uint_lt(strlen(preflight()), 4096);
    ck_assert_ptr_nonnull(strstr(preflight(), name));
    ck_assert_ptr_nonnull(strstr(preflight(), ", mcp-param-small"));
    header("Origin", "http://evil.example");
    ck_assert_uint_eq(send_request(), 403);
    ck_assert_str_eq(response_header("Access-Control-Allow-Headers"),
                     "(absent)");
}
END_TEST

// ---- Legacy, without sessions ---------------------------------------------------------

START_TEST(a_legacy_request_stands_for_itself)
{
    request("POST", quoted(ASK("1", "ping")));
    ck_assert_uint_eq(send_request(), 200);
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{}}");
    again("Mcp-Session-Id", "anything");
    again("MCP-Protocol-Version", "2025-11-25");
    ck_assert_uint_eq(send_request(), 200);
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{}}");
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
}
END_TEST

START_TEST(a_legacy_handshake_works_with_any_version_header)
{
    static const char *const headers[] = {NULL, "2025-11-25", "2025-03-26",
                                          "2099-01-01"};

    for (size_t i = 0; i < MICA_COUNT(headers); i++) {
        request("POST", quoted("{" V2 ",'id':1,'method':'initialize','params':{"
                               "'protocolVersion':'2025-06-18'}}"));
        if (headers[i] != NULL)
            again("MCP-Protocol-Version", headers[i]);
        ck_assert_uint_eq(send_request(), 200);
        ck_at("/result/protocolVersion", "'2025-06-18'");
    }
}
END_TEST

START_TEST(the_oldest_revision_is_for_pipes_only)
{
    request("POST", quoted("{" V2 ",'id':1,'method':'initialize','params':{"
                           "'protocolVersion':'2024-11-05'}}"));
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/protocolVersion", "'2025-11-25'");
}
END_TEST

START_TEST(the_version_header_tells_a_legacy_revision)
{
    request("POST", quoted(ASK("1", "tools/list")));
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/tools/0/annotations/readOnlyHint", "true");
    ck_at("/result/resultType", "(absent)");
    ck_assert_int_eq(harness.message.context.revision,
                     MICA_REVISION_2025_03_26);
    again("MCP-Protocol-Version", "2025-06-18");
    ck_assert_uint_eq(send_request(), 200);
    ck_assert_int_eq(harness.message.context.revision,
                     MICA_REVISION_2025_06_18);
    header("MCP-Protocol-Version", "garbage");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32022", "UNKNOWN_FIELD", "1");
    ck_at("/error/data/requested", "'garbage'");
}
END_TEST

START_TEST(a_legacy_unknown_method_is_200)
{
    request("POST", quoted(ASK("1", "no/such")));
    ck_assert_uint_eq(send_request(), 200);
    ck_error("-32601", "NOT_FOUND", "1");
}
END_TEST

START_TEST(a_stateless_header_makes_a_request_stateless)
{
    request("POST", quoted(ASK("1", "ping")));
    again("MCP-Protocol-Version", "2026-07-28");
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32602", "MISSING_FIELD", "1");
}
END_TEST

static void
add_pipeline(TCase *group)
{
    tcase_add_test(group, a_right_request_gets_json);
    tcase_add_test(group, names_of_headers_have_no_case);
    tcase_add_test(group, white_space_around_a_value_does_not_count);
    tcase_add_test(group, client_info_session_and_last_event_are_ignored);
    tcase_add_test(group, step_1_strangers_are_forbidden_on_every_method);
    tcase_add_test(group, step_2_only_posts_are_served);
    tcase_add_test(group, step_4_the_body_is_json_and_json_is_accepted);
    tcase_add_test(group, step_4_accept_may_come_in_several_lines);
    tcase_add_test(group, step_5_what_is_no_json_is_400);
    tcase_add_test(group, step_6_what_is_no_request_is_400);
    tcase_add_test(group, step_7_notifications_are_202_and_responses_400);
    tcase_add_test(group, step_8_the_version_header_is_needed);
    tcase_add_test(group, step_9_the_body_names_version_and_capabilities);
    tcase_add_test(group, step_10_header_and_body_name_the_same_version);
    tcase_add_test(group, step_11_an_agreed_version_may_still_be_unknown);
    tcase_add_test(group, step_12_the_method_header_equals_the_method);
    tcase_add_test(group, step_13_an_unknown_method_is_404_without_a_name);
    tcase_add_test(group, step_14_the_name_header_equals_the_name);
    tcase_add_test(group, a_name_may_come_encoded);
    tcase_add_test(group, a_header_given_twice_is_a_mismatch);
    tcase_add_test(group, two_hosts_or_origins_are_forbidden);
    tcase_add_test(group, step_15_wrong_params_are_200);
    tcase_add_test(group, the_steps_come_in_their_order);
}

int
main(void)
{
    Suite *suite = suite_create("mcp over http");
    TCase *who = add_case(suite, "who");
    TCase *legacy = add_case(suite, "legacy");

    add_pipeline(add_case(suite, "pipeline"));
    tcase_add_test(who, only_loopback_names_are_hosts_by_themselves);
    tcase_add_test(who, an_origin_is_a_scheme_and_an_allowed_host);
    tcase_add_test(who, more_hosts_and_origins_can_be_allowed);
    tcase_add_test(who, everyone_can_be_allowed_in_so_many_words);
    tcase_add_test(who, a_page_without_an_origin_cannot_be_allowed);
    tcase_add_test(who, a_page_of_an_allowed_origin_may_ask_and_read);
    tcase_add_test(who, a_page_may_send_the_headers_of_any_parameter);
    tcase_add_test(legacy, a_legacy_request_stands_for_itself);
    tcase_add_test(legacy, a_legacy_handshake_works_with_any_version_header);
    tcase_add_test(legacy, the_oldest_revision_is_for_pipes_only);
    tcase_add_test(legacy, the_version_header_tells_a_legacy_revision);
    tcase_add_test(legacy, a_legacy_unknown_method_is_200);
    tcase_add_test(legacy, a_stateless_header_makes_a_request_stateless);
    return run_suite(suite);
}
