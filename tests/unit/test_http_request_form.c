// SPDX-License-Identifier: Apache-2.0
//
// http_request: which paths, methods, headers and bodies it takes, and what mounts do.
#include "test_http_request.h"

// ---- Paths -------------------------------------------------------------------------

START_TEST(a_path_is_resolved_before_it_is_compared)
{
    static const char *const same[] = {
        "/graphql/../api/add_up?a=1", "/api/./add_up?a=1",
        "/api/x/../add_up?a=1", "/a/b/../../api/add_up?a=1"};

    for (size_t i = 0; i < MICA_COUNT(same); i++) {
        carry(quoted("'url':'%s'", same[i]));
        ck_status(200);
        ck_at("/result/structuredContent/url", "'/api/add_up?a=1'");
    }
    ck_assert_int_eq(mounted.calls, 0);
}
END_TEST

START_TEST(what_could_be_read_in_two_ways_is_refused)
{
    static const char *const bad[] = {"",
                                      "api",
                                      "api/add_up",
                                      "?a=1",
                                      "https://example.org/api",
                                      "//example.org/api",
                                      "/\\\\example.org/api",
                                      "\\\\api",
                                      "http:/api",
                                      "javascript:alert(1)",
                                      "//user@host/api",
                                      "user:pw@host/api",
                                      "/api//add_up",
                                      "//",
                                      "/..",
                                      "/../api",
                                      "/api/../..",
                                      "/api/%2e%2e/x",
                                      "/api%2fadd_up",
                                      "/api/%2F",
                                      "/%2e/api",
                                      "/api/%2E%2E/graphql",
                                      "/api/%252e",
                                      "/api/%5c",
                                      "/api\\\\x",
                                      "/api/\\\\..\\\\x",
                                      "/api/%00",
                                      "/api/%0a",
                                      "/api/%7f",
                                      "/api/%20",
                                      "/api/%",
                                      "/api/%2",
                                      "/api/%gg",
                                      "/api/\\u0000",
                                      "/api/a b",
                                      "/api/\\u00e9",
                                      "/api#x",
                                      "/api?a=1#x",
                                      "/api?\\u0001",
                                      "/api\\tx"};
    char hundred[3 * 1024];

    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        carry(quoted("'url':'%s'", bad[i]));
        ck_refused("BAD_FORMAT");
    }
    memset(hundred, 'a', sizeof hundred);
    hundred[0] = '/';
    hundred[sizeof hundred - 1] = '\0';
    carry(quoted("'url':'%s'", hundred));
    ck_refused("LIMIT_EXCEEDED");
    ck_assert_int_eq(mounted.calls, 0);
}
END_TEST

START_TEST(beyond_what_is_mounted_there_is_nothing)
{
    static const char *const beyond[] = {"/",
                                         "/mcp",
                                         "/apis",
                                         "/API/add_up",
                                         "/openapi.json/x",
                                         "/tools",
                                         "/graphqlx",
                                         "/healthz",
                                         "/metrics",
                                         "/api/../mcp",
                                         "/graphql/../mcp",
                                         "/login",
                                         "/calls/x",
                                         "/%61pi/add_up"};

    for (size_t i = 0; i < MICA_COUNT(beyond); i++) {
        carry(quoted("'url':'%s'", beyond[i]));
        ck_refused("NOT_MOUNTED");
    }
    ck_assert_int_eq(mounted.calls, 0);
}
END_TEST

// ---- Methods and headers -------------------------------------------------------------

START_TEST(a_method_is_of_a_list)
{
    static const char *const bad[] = {
        "TRACE", "CONNECT", "get", "POST ", "GET\\r\\nHost: x", "PROPFIND", ""};

    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        carry(quoted("'url':'/graphql','method':'%s'", bad[i]));
        ck_refused("METHOD_NOT_ALLOWED");
    }
    ck_assert_int_eq(mounted.calls, 0);
    carry("'url':'/graphql','method':'PATCH','body':'x'");
    ck_assert(mica_text_is(mounted.method, "PATCH"));
    carry("'url':'/graphql','body':'x'");
    ck_refused("BAD_FORMAT"); // a GET has none
}
END_TEST

START_TEST(no_header_says_who_asks)
{
    static const char *const bad[] = {"Authorization",
                                      "authorization",
                                      "Cookie",
                                      "COOKIE",
                                      "Host",
                                      "Origin",
                                      "Referer",
                                      "Proxy-Authorization",
                                      "Sec-Fetch-Site",
                                      "Forwarded",
                                      "X-Forwarded-For",
                                      "Transfer-Encoding",
                                      "Content-Length",
                                      "Mcp-Session-Id",
                                      "Mcp-Method",
                                      "X-Other",
                                      "x-tenant\\r\\nCookie",
                                      "",
                                      "a b",
                                      "x:y"};

    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        carry(quoted("'url':'/graphql','headers':{'%s':'x'}", bad[i]));
        ck_refused("HEADER_REFUSED");
    }
    carry("'url':'/graphql','headers':{'X-Tenant':'a\\r\\nCookie: b'}");
    ck_refused("HEADER_REFUSED");
    carry("'url':'/graphql','headers':{'x-tenant':'a','X-Tenant':'b'}");
    ck_refused("HEADER_REFUSED");
    ck_assert_int_eq(mounted.calls, 0);
    carry("'url':'/graphql','headers':{'X-Tenant':'blue'}");
    ck_assert(mica_text_is(mounted.tenant, "blue"));
    carry("'url':'/api','headers':{'X-Tenant':'blue'}");
    ck_refused("HEADER_REFUSED"); // that of a mount alone
}
END_TEST

// ---- Bodies ------------------------------------------------------------------------

START_TEST(a_body_is_read_by_its_type)
{
    static const struct {
        const char *given, *body, *type;
    } bodies[] = {
        {"'body':'a\\nb'", "a\nb", "text/plain;charset=UTF-8"},
        {"'body':{'a':[1,2.50]}", "{\"a\":[1,2.50]}", "application/json"},
        {"'body':'{}','bodyType':'json'", "{}", "application/json"},
        {"'body':'','bodyType':'text'", "", "text/plain;charset=UTF-8"},
        {"'body':'x','bodyType':'none'", "", ""},
        {"'body':{'a b':'c&d','e':'\\u00e9'},'bodyType':'urlEncoded'",
         "a+b=c%26d&e=%C3%A9", "application/x-www-form-urlencoded"},
        {"'body':'aGk=','bodyType':'base64','headers':{'content-type':"
         "'image/png'}",
         "hi", "image/png"},
        {"'body':{'data':'aGk='},'bodyType':'base64'", "hi", ""},
        {"'body':[{'name':'a\\\"','value':'1'},{'name':'f','data':'aGk=',"
         "'filename':'x.txt','contentType':'text/plain'}],'bodyType':"
         "'formData','headers':{'content-type':'multipart/form-data; "
         "boundary=x'}",
         "------mica-form-00\r\nContent-Disposition: form-data; "
         "name=\"a%22\"\r\n\r\n1\r\n------mica-form-00\r\n"
         "Content-Disposition: form-data; name=\"f\"; "
         "filename=\"x.txt\"\r\nContent-Type: text/plain\r\n\r\nhi\r\n"
         "------mica-form-00--\r\n",
         "multipart/form-data; boundary=----mica-form-00"},
        {"'body':[{'name':'a','value':'----mica-form-00'}],'bodyType':"
         "'formData'",
         "------mica-form-01\r\nContent-Disposition: form-data; "
         "name=\"a\"\r\n\r\n----mica-form-00\r\n------mica-form-01--\r\n",
         "multipart/form-data; boundary=----mica-form-01"}};

    for (size_t i = 0; i < MICA_COUNT(bodies); i++) {
        carry(quoted("'url':'/graphql','method':'POST',%s", bodies[i].given));
        ck_status(200);
        ck_assert_msg(mica_text_is(mounted.body, bodies[i].body), "%s: %.*s",
                      bodies[i].given, MICA_ARG(mounted.body));
        ck_assert_msg(mica_text_is(mounted.type, bodies[i].type), "%s: %.*s",
                      bodies[i].given, MICA_ARG(mounted.type));
    }
}
END_TEST

START_TEST(a_body_of_another_form_is_refused)
{
    static const char *const bad[] = {
        "'body':{},'bodyType':'text'",
        "'body':1,'bodyType':'urlEncoded'",
        "'body':{'a':1},'bodyType':'urlEncoded'",
        "'body':[],'bodyType':'base64'",
        "'body':{},'bodyType':'formData'",
        "'body':[1],'bodyType':'formData'",
        "'body':[{'name':'a'}],'bodyType':'formData'",
        "'body':[{'name':'a','value':'x','data':''}],'bodyType':'formData'",
        "'body':[{'value':'x'}],'bodyType':'formData'"};

    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        carry(quoted("'url':'/graphql','method':'POST',%s", bad[i]));
        ck_refused("WRONG_TYPE");
    }
    carry("'url':'/graphql','method':'POST','body':'a','bodyType':'base64'");
    ck_refused("BAD_FORMAT");
    carry("'url':'/graphql','method':'POST','body':[{'name':'a','data':'',"
          "'contentType':'a\\r\\nb'}],'bodyType':'formData'");
    ck_refused("BAD_FORMAT");
    carry("'url':'/graphql','method':'POST','body':'a','bodyType':'other'");
    ck_at("/result/isError", "true");
    ck_assert_int_eq(mounted.calls, 0);
}
END_TEST

// ---- Mounts ------------------------------------------------------------------------

START_TEST(a_mount_answers_below_its_path)
{
    const struct mica_http_response made = {
        .status = 201,
        .headers = {{MICA_LITERAL("X-Made"), MICA_LITERAL("yes")},
                    {MICA_LITERAL("Set-Cookie"), MICA_LITERAL("a=b")},
                    {MICA_LITERAL("x-made"), MICA_LITERAL("twice")},
                    {MICA_LITERAL("Bad"), MICA_LITERAL("a\r\nb")}},
        .header_count = 4,
        .body = MICA_LITERAL("\xff\x00")};
    struct mica_error error;

    mounted.gives = made;
    carry("'url':'/graphql/deep/er?q=1','method':'POST','body':'x'");
    ck_status(201);
    ck_assert(mica_text_is(mounted.path, "/graphql/deep/er"));
    ck_assert(mica_text_is(mounted.query, "q=1"));
    ck_at("/result/structuredContent/headers", "{'x-made':'yes'}");
    ck_at("/result/structuredContent/bodyType", "'base64'");
    ck_at("/result/structuredContent/body", "'/wA='");
    ck_assert_int_eq(mica_server_mount(harness.server, &inner, &error),
                     MICA_OK);
    carry("'url':'/graphql/inner','headers':{'x-tenant':'a'}");
    ck_refused("HEADER_REFUSED"); // the longest path answers
}
END_TEST

START_TEST(a_mount_that_fails_fails_with_its_code)
{
    mounted.fails = MICA_FAILED;
    carry("'url':'/graphql'");
    ck_refused("NO_GRAPH");
    mounted.fails = MICA_OK;
    mounted.gives.status = 99;
    carry("'url':'/graphql'");
    ck_refused("USAGE");
}
END_TEST

START_TEST(a_redirection_leads_to_what_is_mounted)
{
    static const char *const beyond[] = {"https://example.org/", "//x/", "/mcp",
                                         "again", ""};
    static const char *const codes[] = {"BAD_FORMAT", "BAD_FORMAT",
                                        "NOT_MOUNTED", "BAD_FORMAT"};
    struct mica_http_response moved = {
        .status = 303,
        .headers = {{MICA_LITERAL("Location"),
                     MICA_LITERAL("/graphql/x/../again")}},
        .header_count = 1};

    mounted.gives = moved;
    carry("'url':'/graphql','method':'POST','body':'x'");
    ck_status(200);
    ck_body("/graphql/again");
    ck_at("/result/structuredContent/redirected", "true");
    ck_at("/result/structuredContent/url", "'/graphql/again'");
    ck_assert(mica_text_is(mounted.method, "GET"));
    ck_assert_uint_eq(mounted.body.len + mounted.type.len, 0);
    mounted.gives.status = 307;
    carry("'url':'/graphql','method':'POST','body':'x'");
    ck_assert(mica_text_is(mounted.method, "POST"));
    ck_assert(mica_text_is(mounted.body, "x"));
    carry("'url':'/graphql','redirect':'manual'");
    ck_status(307);
    ck_at("/result/structuredContent/headers/location",
          "'/graphql/x/../again'");
    carry("'url':'/graphql','redirect':'error'");
    ck_refused("BAD_FORMAT");
    for (size_t i = 0; beyond[i][0] != '\0'; i++) {
        mounted.gives.headers[0].value = mica_text(beyond[i]);
        carry("'url':'/graphql'");
        ck_at("/result/_meta/mica~1error/code", quoted("'%s'", codes[i]));
    }
    mounted.gives.headers[0].value = MICA_LITERAL("/graphql");
    mounted.calls = 0;
    carry("'url':'/graphql'");
    ck_refused("LIMIT_EXCEEDED");
    ck_assert_int_eq(mounted.calls, MICA_RELAY_REDIRECTS + 1);
    mounted.gives.headers[0].value = MICA_LITERAL("/api/add_up?a=4");
    carry("'url':'/graphql'");
    ck_body("{'sum':4,'tags':0}");
}
END_TEST

START_TEST(a_mount_that_is_wrong_is_refused)
{
    static const char *const paths[] = {
        "",    "/",       "graphql", "/api",  "/mcp/x",        "/a/", "/tools",
        "//a", "/a/../b", "/a b",    "/a%20", "/openapi.json", "/a?b"};
    static const char *const bad_headers[][2] = {
        {"Cookie", NULL}, {"cookie", NULL}, {"authorization", NULL},
        {"X-Up", NULL},   {"a b", NULL},    {"sec-x", NULL}};
    struct mica_mount mount = graphql;
    struct mica_error error;

    ck_assert_int_eq(mica_server_mount(harness.server, &mount, &error),
                     MICA_E_EXISTS);
    for (size_t i = 0; i < MICA_COUNT(paths); i++) {
        mount.path = paths[i];
        ck_assert_msg(mica_server_mount(harness.server, &mount, &error) ==
                          MICA_E_USAGE,
                      "%s", paths[i]);
    }
    mount.path = "/other";
    for (size_t i = 0; i < MICA_COUNT(bad_headers); i++) {
        mount.headers = bad_headers[i];
        ck_assert_msg(mica_server_mount(harness.server, &mount, &error) ==
                          MICA_E_USAGE,
                      "%s", bad_headers[i][0]);
    }
    mount.headers = NULL;
    mount.handle = NULL;
    ck_assert_int_eq(mica_server_mount(harness.server, &mount, &error),
                     MICA_E_USAGE);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("http_request_form");
    TCase *group;

    group = add_carrying(suite, "form");
    tcase_add_test(group, a_path_is_resolved_before_it_is_compared);
    tcase_add_test(group, what_could_be_read_in_two_ways_is_refused);
    tcase_add_test(group, beyond_what_is_mounted_there_is_nothing);
    tcase_add_test(group, a_method_is_of_a_list);
    tcase_add_test(group, no_header_says_who_asks);
    tcase_add_test(group, a_body_is_read_by_its_type);
    tcase_add_test(group, a_body_of_another_form_is_refused);
    tcase_add_test(group, a_mount_answers_below_its_path);
    tcase_add_test(group, a_mount_that_fails_fails_with_its_code);
    tcase_add_test(group, a_redirection_leads_to_what_is_mounted);
    tcase_add_test(group, a_mount_that_is_wrong_is_refused);
    return run_suite(suite);
}
