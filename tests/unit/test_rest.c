// SPDX-License-Identifier: Apache-2.0
//
// One call over REST: POST and GET, what is refused and how, tags and caches, the
// catalog, and who may come.
#include "test_rest.h"

// ---- POST -----------------------------------------------------------------------

START_TEST(a_posted_call_is_answered_with_its_result)
{
    ck_assert_uint_eq(post("/api/add_up", "{'a':1,'b':2}"), 200);
    ck_reply("{'sum':3,'tags':0}");
    ck_assert_str_eq(response_header("Content-Type"), "application/json");
    ck_assert_str_eq(response_header("X-Content-Type-Options"), "nosniff");
    ck_assert_str_eq(response_header("Cache-Control"), "no-store");
    ck_assert_str_eq(response_header("ETag"), "(absent)");
}
END_TEST

START_TEST(what_the_tool_refuses_is_a_problem_with_its_place)
{
    post("/api/add_up", "{'a':'x'}");
    ck_problem(422, "WRONG_TYPE", "'/a'");
    ck_at("/type", "'/api/errors/WRONG_TYPE'");
    post("/api/add_up", "{'b':1}");
    ck_problem(422, "MISSING_FIELD", "'/a'");
    post("/api/add_up", "{'a':1,'c':1}");
    ck_problem(422, "UNKNOWN_FIELD", "'/c'");
    post("/api/add_up", "{'a':1e10}");
    ck_problem(422, "OUT_OF_RANGE", "'/a'");
    ck_assert_str_eq(response_header("Cache-Control"), "no-store");
}
END_TEST

START_TEST(a_code_of_the_tools_own_stays_its_own)
{
    post("/api/add_up", "{'a':13}");
    ck_problem(422, "UNLUCKY", "'/a'");
    ck_at("/type", "'/api/errors/FAILED'");
    ck_at("/detail", "'a is 13; take another'");
    post("/api/fail", "{}");
    ck_problem(422, "TOO_ROUND", "'/shape/0'");
}
END_TEST

START_TEST(a_tool_cannot_speak_with_the_codes_of_mica)
{
    char body[32], code[64];

    for (int i = 0; i < MICA_STATUS_COUNT; i++) {
        (void)snprintf(body, sizeof body, "{'a':%d}", 1000 + i);
        post("/api/add_up", body);
        (void)snprintf(code, sizeof code, "%s",
                       mica_status_code((enum mica_status)i));
        ck_assert_uint_eq(harness.response.status, 422);
        ck_assert_str_eq(at("/code"), quoted("'%s'", code));
        ck_at("/type", "'/api/errors/FAILED'");
        ck_at("/status", "422");
    }
}
END_TEST

START_TEST(a_result_that_is_marked_as_an_error_is_one)
{
    post("/api/marked", "{}");
    ck_problem(422, "FAILED", "(absent)");
    ck_at("/detail", "'it went wrong'");
}
END_TEST

START_TEST(a_result_may_be_any_json)
{
    ck_assert_uint_eq(post("/api/array", "{}"), 200);
    ck_reply("[1,2,3]");
    ck_assert_uint_eq(post("/api/echo", "{'deep':{'er':[null,true]}}"), 200);
    ck_reply("{'deep':{'er':[null,true]}}");
}
END_TEST

START_TEST(blocks_of_content_stand_for_a_result_that_is_none)
{
    ck_assert_uint_eq(post("/api/large", "{'size':3}"), 200);
    ck_reply("{'content':[{'type':'text','text':'xxx'}]}");
    ck_assert_uint_eq(post("/api/blocks", "{}"), 200);
    ck_reply("{'kinds':'six'}");
    ck_assert_uint_eq(post("/api/silent", "{}"), 200);
    ck_reply("{'content':[]}");
}
END_TEST

START_TEST(a_body_may_be_left_out)
{
    ck_assert_uint_eq(post("/api/echo", ""), 200);
    ck_reply("{}");
    post("/api/add_up", "");
    ck_problem(422, "MISSING_FIELD", "'/a'");
}
END_TEST

START_TEST(a_body_that_is_no_object_is_refused)
{
    static const char *const engines[] = {"/api/add_up", "/api/echo"};

    for (size_t i = 0; i < MICA_COUNT(engines); i++) {
        post(engines[i], "{'a':");
        ck_problem(400, "INVALID_JSON", "(absent)");
        post(engines[i], "{'a':1,'a':2}");
        ck_problem(400, "DUPLICATE_FIELD", "(absent)");
        post(engines[i], "[1]");
        ck_assert_uint_eq(harness.response.status, 422);
        ck_at("/code", "'WRONG_TYPE'");
        post(engines[i], "{'a':1} x");
        ck_problem(400, "INVALID_JSON", "(absent)");
    }
}
END_TEST

START_TEST(a_body_that_is_too_large_is_refused)
{
    static char body[5 << 20];

    memset(body, ' ', sizeof body - 1);
    rest("POST", "/api/echo", "{}");
    harness.request.body = (struct mica_text){body, sizeof body - 1};
    ck_assert_uint_eq(ask(), 413);
    ck_at("/code", "'LIMIT_EXCEEDED'");
}
END_TEST

START_TEST(a_result_that_is_too_large_is_refused)
{
    post("/api/large", "{'size':33000000}");
    ck_problem(413, "LIMIT_EXCEEDED", "(absent)");
}
END_TEST

START_TEST(a_post_has_no_query)
{
    post("/api/add_up?a=1", "{'a':1}");
    ck_problem(422, "UNKNOWN_FIELD", "(absent)");
}
END_TEST

// ---- Media types ------------------------------------------------------------------

START_TEST(a_body_must_say_that_it_is_json)
{
    static const char *const wrong[] = {"text/plain", "application/xml",
                                        "application/jsonx", ""};
    static const char *const right[] = {"application/json", "APPLICATION/JSON",
                                        "application/json;charset=utf-8",
                                        " application/json ; charset=utf-8"};

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        rest("POST", "/api/echo", "{}");
        header("Content-Type", wrong[i]);
        ck_assert_uint_eq(ask(), 415);
    }
    rest("POST", "/api/echo", "{}");
    without("Content-Type");
    ck_assert_uint_eq(ask(), 415);
    for (size_t i = 0; i < MICA_COUNT(right); i++) {
        rest("POST", "/api/echo", "{}");
        header("Content-Type", right[i]);
        ck_assert_uint_eq(ask(), 200);
    }
}
END_TEST

START_TEST(a_client_must_accept_json)
{
    static const char *const wrong[] = {"text/html", "image/png, text/*"};
    static const char *const right[] = {
        "*/*", "application/*", "text/html, application/json;q=0.5",
        "application/problem+json",
        "text/html,application/xhtml+xml,*/*;q=0.8"};

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        rest("GET", "/api/add_up?a=1", "");
        header("Accept", wrong[i]);
        ck_assert_uint_eq(ask(), 406);
    }
    for (size_t i = 0; i < MICA_COUNT(right); i++) {
        rest("GET", "/api/add_up?a=1", "");
        header("Accept", right[i]);
        ck_assert_uint_eq(ask(), 200);
    }
}
END_TEST

// ---- Paths and methods ------------------------------------------------------------

START_TEST(an_unknown_tool_is_not_found_and_the_nearest_is_named)
{
    post("/api/ad_up", "{}");
    ck_problem(404, "NOT_FOUND", "(absent)");
    ck_says("/detail", "did you mean \\\"add_up\\\"");
    get("/api/zzzzzzzzzz");
    ck_problem(404, "NOT_FOUND", "(absent)");
    ck_says("/detail", "GET /api names all");
}
END_TEST

START_TEST(paths_that_are_none_are_not_found)
{
    static const char *const paths[] = {"/api/add_up/more",
                                        "/api/add_up/more/still",
                                        "/api/calls/a/b",
                                        "/api//x",
                                        "/api/errors/NO_SUCH_CODE",
                                        "/api/errors/BUSY/",
                                        "/apix",
                                        "/"};

    for (size_t i = 0; i < MICA_COUNT(paths); i++)
        ck_assert_msg(get(paths[i]) == 404, "%s", paths[i]);
}
END_TEST

START_TEST(other_methods_are_refused_with_those_that_are_not)
{
    static const char *const methods[] = {"PUT", "DELETE", "PATCH", "post"};

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        rest(methods[i], "/api/add_up", "");
        ck_assert_uint_eq(ask(), 405);
        ck_assert_str_eq(response_header("Allow"), "GET, HEAD, POST, OPTIONS");
        rest(methods[i], "/api/echo", "");
        ck_assert_uint_eq(ask(), 405);
        ck_assert_str_eq(response_header("Allow"), "POST, OPTIONS");
        rest(methods[i], "/api", "");
        ck_assert_uint_eq(ask(), 405);
        ck_assert_str_eq(response_header("Allow"), "GET, HEAD, OPTIONS");
        rest(methods[i], "/openapi.json", "");
        ck_assert_uint_eq(ask(), 405);
        rest(methods[i], "/api/errors/BUSY", "");
        ck_assert_uint_eq(ask(), 405);
    }
}
END_TEST

START_TEST(only_engines_answer_a_get)
{
    ck_assert_uint_eq(get("/api/echo?a=1"), 405);
    ck_says("/detail", "GET is for engines");
    ck_assert_uint_eq(get("/api/add_up?a=1"), 200);
}
END_TEST

START_TEST(options_say_what_there_is)
{
    rest("OPTIONS", "/api/add_up", "");
    ck_assert_uint_eq(ask(), 204);
    ck_assert_str_eq(response_header("Allow"), "GET, HEAD, POST, OPTIONS");
    rest("OPTIONS", "/api/calls/x", "");
    ck_assert_uint_eq(ask(), 204);
    ck_assert_str_eq(response_header("Allow"),
                     "GET, HEAD, POST, DELETE, OPTIONS");
}
END_TEST

// ---- GET --------------------------------------------------------------------------

START_TEST(a_query_is_typed_by_the_schema)
{
    ck_assert_uint_eq(get("/api/add_up?a=1&b=2.50"), 200);
    ck_reply("{'sum':3.5,'tags':0}");
    get("/api/add_up?a=1e2&tags=x&tags=y%2Cz");
    ck_reply("{'sum':100,'tags':2}");
    get("/api/add_up?a=-1&tags=x,y,z");
    ck_reply("{'sum':-1,'tags':3}");
    get("/api/add_up?a=0&tags=%5B%22x%2Cy%22%5D");
    ck_reply("{'sum':0,'tags':1}");
}
END_TEST

START_TEST(a_query_that_does_not_fit_is_refused_with_its_place)
{
    get("/api/add_up?a=one");
    ck_problem(422, "WRONG_TYPE", "'/a'");
    get("/api/add_up?a=");
    ck_problem(422, "WRONG_TYPE", "'/a'");
    get("/api/add_up?a=1&aa=2");
    ck_problem(422, "UNKNOWN_FIELD", "'/aa'");
    ck_says("/detail", "did you mean");
    get("/api/add_up?a=1&a=2");
    ck_problem(400, "DUPLICATE_FIELD", "'/a'");
    get("/api/add_up");
    ck_problem(422, "MISSING_FIELD", "'/a'");
    get("/api/add_up?a=99999999999");
    ck_problem(422, "OUT_OF_RANGE", "'/a'");
}
END_TEST

START_TEST(a_query_that_is_none_is_refused)
{
    get("/api/add_up?a=%4");
    ck_problem(400, "BAD_FORMAT", "(absent)");
    get("/api/add_up?a=1&tags=%ff");
    ck_problem(400, "BAD_FORMAT", "(absent)");
    get("/api/add_up?=1");
    ck_problem(400, "BAD_FORMAT", "(absent)");
}
END_TEST

START_TEST(a_query_that_is_too_long_is_refused)
{
    static char target[8192] = "/api/add_up?a=1";
    size_t length = strlen(target);

    for (int i = 0; i < 200; i++)
        length += (size_t)snprintf(target + length, sizeof target - length,
                                   "&tags=%d", i);
    ck_assert_uint_eq(get(target), 414);
    ck_at("/code", "'LIMIT_EXCEEDED'");
    memset(target + length, 'x', 5000);
    ck_assert_uint_eq(get(target), 414);
}
END_TEST

START_TEST(a_head_is_a_get_without_its_body)
{
    rest("HEAD", "/api/add_up?a=1", "");
    ck_assert_uint_eq(ask(), 200); // the adapter leaves the body out
    ck_assert_str_ne(response_header("ETag"), "(absent)");
}
END_TEST

// ---- Tags and caches ----------------------------------------------------------------

static const char *
tag_of(const char *target)
{
    static char tags[4][64];
    static unsigned turn;
    char *tag = tags[turn++ % 4];

    ck_assert_uint_eq(get(target), 200);
    snprintf(tag, sizeof tags[0], "%s", response_header("ETag"));
    ck_assert(tag[0] == '"');
    return tag;
}

START_TEST(a_tag_is_of_engine_and_input)
{
    const char *tag = tag_of("/api/add_up?a=1&b=2");

    ck_assert_str_eq(tag, tag_of("/api/add_up?b=2.0&a=1e0"));
    ck_assert_str_ne(tag, tag_of("/api/add_up?a=1&b=3"));
    add_engine(
        "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100");
    ck_assert_str_ne(tag, tag_of("/api/add_up?a=1&b=2"));
    ck_assert_str_eq(response_header("Cache-Control"), "public, no-cache");
    ck_assert_str_eq(response_header("Vary"), "Origin");
}
END_TEST

START_TEST(what_is_unchanged_is_not_computed_again)
{
    static const char *const forms[] = {"%s", "W/%s", "\"x\", %s", "%s, \"x\""};
    const char *tag = tag_of("/api/add_up?a=1");
    char value[256];

    for (size_t i = 0; i < MICA_COUNT(forms); i++) {
        const char *at_tag = strstr(forms[i], "%s");
        snprintf(value, sizeof value, "%.*s%s%s", (int)(at_tag - forms[i]),
                 forms[i], tag, at_tag + 2);
        sums = 0;
        rest("GET", "/api/add_up?a=1", "");
        header("If-None-Match", value);
        ck_assert_uint_eq(ask(), 304);
        ck_assert_int_eq(sums, 0);
        ck_assert_uint_eq(harness.response.body.len, 0);
        ck_assert_str_eq(response_header("ETag"), tag);
    }
    rest("GET", "/api/add_up?a=2", "");
    header("If-None-Match", tag);
    ck_assert_uint_eq(ask(), 200);
}
END_TEST

START_TEST(any_tag_matches_a_result_and_no_failure)
{
    rest("GET", "/api/add_up?a=1", "");
    header("If-None-Match", "*");
    ck_assert_uint_eq(ask(), 304);
    rest("GET", "/api/add_up?a=13", "");
    header("If-None-Match", "*");
    ck_assert_uint_eq(ask(), 422);
    ck_assert_str_eq(response_header("ETag"), "(absent)");
    ck_assert_str_eq(response_header("Cache-Control"), "no-store");
    // What a POST comes to is no representation: it has its answer.
    rest("POST", "/api/add_up", quoted("{'a':1}"));
    header("If-None-Match", "*");
    ck_assert_uint_eq(ask(), 200);
    ck_at("/sum", "1");
}
END_TEST

START_TEST(a_body_comes_as_it_is)
{
    rest("POST", "/api/add_up", quoted("{'a':1}"));
    header("Content-Encoding", "gzip");
    ck_assert_uint_eq(ask(), 415);
    rest("POST", "/api/add_up", quoted("{'a':1}"));
    header("Content-Encoding", "identity");
    ck_assert_uint_eq(ask(), 200);
}
END_TEST

// RFC 9110, 12.4.2.
START_TEST(what_has_no_weight_is_not_wanted)
{
    rest("GET", "/api/add_up?a=1", "");
    header("Accept", "application/json;q=0");
    ck_assert_uint_eq(ask(), 406);
    rest("GET", "/api/add_up?a=1", "");
    header("Accept", "text/html, */*;x=y; q=0.001");
    ck_assert_uint_eq(ask(), 200);
}
END_TEST

START_TEST(an_address_that_names_the_build_is_good_for_ever)
{
    ck_assert_uint_eq(get("/api/add_up?a=1&@sha256=0011223344556677"), 200);
    ck_assert_str_eq(response_header("Cache-Control"),
                     "public, max-age=31536000, immutable");
    ck_assert_uint_eq(get("/api/add_up?a=1&%40sha256=" SHA256), 200);
    get("/api/add_up?a=1&@sha256=0011223344556678");
    ck_problem(404, "NOT_FOUND", "(absent)");
    get("/api/add_up?a=1&@sha256=0011");
    ck_problem(404, "NOT_FOUND", "(absent)");
    get("/api/add_up?a=1&@sha256=" SHA256 "00");
    ck_problem(404, "NOT_FOUND", "(absent)");
}
END_TEST

START_TEST(what_needs_a_token_is_for_its_owner)
{
    asks_as = &someone;
    ck_assert_uint_eq(get("/api/add_up?a=1"), 200);
    ck_assert_str_eq(response_header("Cache-Control"), "private, no-cache");
    get("/api/add_up?a=1&@sha256=0011223344556677");
    ck_assert_str_eq(response_header("Cache-Control"),
                     "private, max-age=31536000, immutable");
}
END_TEST

// ---- Who may come -------------------------------------------------------------------

START_TEST(strangers_are_forbidden)
{
    rest("GET", "/api/add_up?a=1", "");
    header("Host", "evil.example");
    ck_assert_uint_eq(ask(), 403);
    ck_at("/code", "'FORBIDDEN'");
    rest("GET", "/api", "");
    header("Origin", "https://evil.example");
    ck_assert_uint_eq(ask(), 403);
    ck_assert_str_eq(response_header("Access-Control-Allow-Origin"),
                     "(absent)");
}
END_TEST

START_TEST(pages_of_an_allowed_origin_may_read)
{
    static const char *const origins[] = {"https://app.example", NULL};
    const struct mica_http_allowed allowed = {.origins = origins};

    allowed_by_test = &allowed;
    rest("GET", "/api/add_up?a=1", "");
    header("Origin", "https://app.example");
    ck_assert_uint_eq(ask(), 200);
    ck_assert_str_eq(response_header("Access-Control-Allow-Origin"),
                     "https://app.example");
    ck_assert_str_eq(response_header("Vary"), "Origin");
    ck_assert(strstr(response_header("Access-Control-Expose-Headers"),
                     "Location") != NULL);
    rest("OPTIONS", "/api/add_up", "");
    header("Origin", "https://app.example");
    again("Access-Control-Request-Method", "POST");
    ck_assert_uint_eq(ask(), 204);
    ck_assert(strstr(response_header("Access-Control-Allow-Methods"),
                     "DELETE") != NULL);
    ck_assert(strstr(response_header("Access-Control-Allow-Headers"),
                     "Idempotency-Key") != NULL);
    // A refusal can be read as well.
    rest("GET", "/api/add_up?a=x", "");
    header("Origin", "https://app.example");
    ck_assert_uint_eq(ask(), 422);
    ck_assert_str_eq(response_header("Access-Control-Allow-Origin"),
                     "https://app.example");
    allowed_by_test = NULL;
}
END_TEST

START_TEST(a_tool_with_a_scope_is_for_who_has_it)
{
    struct mica_tool scoped = mica_tool_add_up;
    struct mica_definition *definition;
    struct mica_error error;

    scoped.name = "scoped";
    scoped.scope = "a b";
    ck_assert_int_eq(
        mica_definition_of_tool(&scoped, NULL, NULL, &error, &definition),
        MICA_OK);
    definition->sha256 = MICA_LITERAL(SHA256);
    definition->runnable.inline_first = true;
    ck_assert_int_eq(
        mica_registry_define(&harness.server->registry, definition, &error),
        MICA_OK);
    asks_as = &someone;
    post("/api/scoped", "{'a':1}");
    ck_problem(403, "INSUFFICIENT_SCOPE", "(absent)");
    // Nor does such a client learn whether something has changed.
    rest("GET", "/api/scoped?a=1", "");
    header("If-None-Match", "*");
    ck_assert_uint_eq(ask(), 403);
    someone.scopes = MICA_LITERAL("b c a");
    ck_assert_uint_eq(post("/api/scoped", "{'a':1}"), 200);
}
END_TEST

// ---- Documents ----------------------------------------------------------------------

START_TEST(the_catalog_names_every_tool)
{
    const char *tag;

    ck_assert_uint_eq(get("/api"), 200);
    ck_at("/total", "9");
    ck_at("/tools/8/name", "'add_up'");
    ck_at("/tools/8/title", "'Adds up'");
    ck_at("/tools/8/category", "'math'");
    ck_at("/tools/8/pure", "true");
    ck_at("/tools/8/sha256", "'" SHA256 "'");
    ck_at("/tools/8/links/call", "'/api/add_up'");
    ck_at("/tools/0/pure", "false");
    ck_at("/tools/0/sha256", "(absent)");
    ck_at("/links/describedby", "'/openapi.json'");
    ck_at("/links/next", "(absent)");
    tag = tag_of("/api/");
    rest("GET", "/api", "");
    header("If-None-Match", tag);
    ck_assert_uint_eq(ask(), 304);
}
END_TEST

START_TEST(a_tool_for_views_alone_is_none_of_rest)
{
    struct mica_tool tool = mica_tool_add_up;
    struct mica_error error;

    tool.name = "turn_page";
    tool.audience = MICA_APP;
    ck_assert_int_eq(mica_server_add_tool(harness.server, &tool, NULL, &error),
                     MICA_OK);
    sums = 0;
    ck_assert_uint_eq(post("/api/turn_page", "{'a':1}"), 403);
    ck_problem(403, "VIEW_ONLY", "(absent)");
    ck_assert_int_eq(sums, 0);
    ck_assert_uint_eq(get("/api/turn_page?a=1"), 403);
    ck_assert_uint_eq(get("/api"), 200);
    ck_at("/total", "9");
    ck_assert_ptr_null(strstr(harness.reply, "turn_page"));
    ck_assert_uint_eq(get("/openapi.json"), 200);
    ck_assert_ptr_nonnull(strstr(harness.reply, "add_up"));
    ck_assert_ptr_null(strstr(harness.reply, "turn_page"));
}
END_TEST

START_TEST(the_catalog_has_pages)
{
    size_t seen = 0;
    char next[128] = "/api";

    harness.server->registry.main->page_items = 4;
    while (next[0] != '\0') {
        ck_assert_uint_eq(get(next), 200);
        seen += mica_json_get(&harness.last, "tools")->count;
        ck_assert_uint_le(mica_json_get(&harness.last, "tools")->count, 4);
        next[0] = '\0';
        if (strcmp(at("/links/next"), "(absent)") != 0)
            snprintf(next, sizeof next, "%.*s",
                     (int)strlen(at("/links/next")) - 2, at("/links/next") + 1);
    }
    ck_assert_uint_eq(seen, 9);
    get("/api?after=unknown");
    ck_problem(404, "NOT_FOUND", "(absent)");
    get("/api?before=echo");
    ck_problem(422, "UNKNOWN_FIELD", "(absent)");
    get("/api?after=echo&after=fail");
    ck_problem(422, "UNKNOWN_FIELD", "(absent)");
    get("/api?%");
    ck_problem(400, "BAD_FORMAT", "(absent)");
}
END_TEST

START_TEST(each_code_is_explained)
{
    for (int i = 0; i < MICA_STATUS_COUNT; i++) {
        char target[64];
        snprintf(target, sizeof target, "/api/errors/%s",
                 mica_status_code((enum mica_status)i));
        ck_assert_uint_eq(get(target), 200);
        ck_assert_str_eq(at("/status"),
                         quoted("%d", mica_status_http((enum mica_status)i)));
        ck_assert_str_ne(at("/title"), "(absent)");
    }
    get("/api/errors/BUSY");
    ck_at("/retryable", "true");
}
END_TEST

// ---- Headers of a call ---------------------------------------------------------------

// One failure in both forms; details that an app made stand as they are.
START_TEST(a_failure_of_an_app_has_the_form_of_its_contract)
{
    const struct {
        struct mica_problem_details problem;
        const char *expected;
    } rows[] = {
        {{.code = MICA_LITERAL("OUT_OF_RANGE"),
          .detail = MICA_LITERAL("/a is \"0\""),
          .pointer = MICA_LITERAL("/a"),
          .more = MICA_LITERAL("\"retryable\":true")},
         "{\"type\":\"/x/api/errors/OUT_OF_RANGE\",\"title\":\"a value lies "
         "outside its bounds\",\"status\":422,\"detail\":\"/a is \\\"0\\\"\","
         "\"code\":\"OUT_OF_RANGE\",\"pointer\":\"/a\",\"retryable\":true}"},
        {{.form = MICA_PROBLEM_OF_APP,
          .code = MICA_LITERAL("OUT_OF_RANGE"),
          .detail = MICA_LITERAL("/a is \"0\""),
          .pointer = MICA_LITERAL("/a"),
          .more = MICA_LITERAL("\"retryable\":true")},
         "{\"error\":{\"code\":\"OUT_OF_RANGE\",\"message\":\"/a is \\\"0\\\"\","
         "\"details\":{\"path\":\"/a\",\"retryable\":true}}}"},
        {{.form = MICA_PROBLEM_OF_APP,
          .code = MICA_LITERAL("TIMEOUT"),
          .detail = MICA_LITERAL("late"),
          .pointer = MICA_LITERAL("/a"),
          .details = MICA_LITERAL("{\"reason\":\"TIMEOUT\"}")},
         "{\"error\":{\"code\":\"TIMEOUT\",\"message\":\"late\",\"details\":{"
         "\"reason\":\"TIMEOUT\"}}}"},
        {{.form = MICA_PROBLEM_OF_APP, .code = MICA_LITERAL("LLM_ERROR")},
         "{\"error\":{\"code\":\"LLM_ERROR\",\"message\":\"\",\"details\":{}}}"},
    };
    char storage[1024];

    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        struct mica_problem_details problem = rows[i].problem;
        struct mica_buffer text = {
            .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
        problem.base = MICA_LITERAL("/x");
        mica_problem_details_document(&text, &problem);
        ck_assert(!text.overflow);
        ck_assert_msg(
            mica_text_is(mica_buffer_as_text(&text), rows[i].expected), "%.*s",
            MICA_ARG(mica_buffer_as_text(&text)));
    }
}
END_TEST

START_TEST(what_a_client_answers_is_a_list_of_names)
{
    static const char *const right[] = {"none", "roots", "sampling, roots",
                                        "elicitation,elicitation.url"};

    for (size_t i = 0; i < MICA_COUNT(right); i++) {
        rest("POST", "/api/echo", "{}");
        header("Mica-Asks", right[i]);
        ck_assert_uint_eq(ask(), 200);
    }
    rest("POST", "/api/echo", "{}");
    header("Mica-Asks", "everything");
    ck_assert_uint_eq(ask(), 400);
    ck_at("/code", "'NOT_A_CHOICE'");
}
END_TEST

START_TEST(an_idempotency_key_is_printable)
{
    static const char *const wrong[] = {"",     "\"\"", "a b",     "a\tb",
                                        "a\"b", "a\\b", "\xc3\xa4"};
    char large[300];

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        rest("POST", "/api/echo", "{}");
        header("Idempotency-Key", wrong[i]);
        ck_assert_msg(ask() == 400, "%s", wrong[i]);
    }
    memset(large, 'k', sizeof large);
    large[257] = '\0';
    rest("POST", "/api/echo", "{}");
    header("Idempotency-Key", large);
    ck_assert_uint_eq(ask(), 400);
    large[256] = '\0';
    rest("POST", "/api/echo", "{}");
    header("Idempotency-Key", large);
    ck_assert_uint_eq(ask(), 200);
}
END_TEST

// ---- Want of memory ------------------------------------------------------------------

START_TEST(a_call_without_memory_says_so)
{
    struct mica_message message;
    struct mica_http_response response;

    // From none at all to enough: each time it is one whole reply.
    for (size_t cap = 4096; cap < 200000; cap += 1777) {
        struct mica_arena arena;
        mica_arena_init(&arena, cap);
        rest("GET", "/api/add_up?a=1&b=2", "");
        mica_message_init(&message, harness.server, &arena);
        mica_rest_begin(&message, NULL, &harness.request);
        if (message.step == MICA_STEP_WORK)
            mica_message_execute(&message);
        mica_message_response(&message, &response);
        harness.response = response;
        read_reply();
        ck_assert(response.status == 200 || response.status == 413 ||
                  response.status == 414);
        ck_assert_uint_gt(response.body.len, 0);
        mica_message_end(&message);
        mica_arena_fini(&arena);
    }
    ck_assert_uint_eq(response.status, 200);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("rest");
    TCase *group = add_rest(suite, "post");

    tcase_add_test(group, a_posted_call_is_answered_with_its_result);
    tcase_add_test(group, what_the_tool_refuses_is_a_problem_with_its_place);
    tcase_add_test(group, a_code_of_the_tools_own_stays_its_own);
    tcase_add_test(group, a_tool_cannot_speak_with_the_codes_of_mica);
    tcase_add_test(group, a_result_that_is_marked_as_an_error_is_one);
    tcase_add_test(group, a_result_may_be_any_json);
    tcase_add_test(group, blocks_of_content_stand_for_a_result_that_is_none);
    tcase_add_test(group, a_body_may_be_left_out);
    tcase_add_test(group, a_body_that_is_no_object_is_refused);
    tcase_add_test(group, a_body_that_is_too_large_is_refused);
    tcase_add_test(group, a_result_that_is_too_large_is_refused);
    tcase_add_test(group, a_post_has_no_query);
    group = add_rest(suite, "media");
    tcase_add_test(group, a_body_must_say_that_it_is_json);
    tcase_add_test(group, a_client_must_accept_json);
    group = add_rest(suite, "paths");
    tcase_add_test(group,
                   an_unknown_tool_is_not_found_and_the_nearest_is_named);
    tcase_add_test(group, paths_that_are_none_are_not_found);
    tcase_add_test(group, other_methods_are_refused_with_those_that_are_not);
    tcase_add_test(group, only_engines_answer_a_get);
    tcase_add_test(group, options_say_what_there_is);
    group = add_rest(suite, "get");
    tcase_add_test(group, a_query_is_typed_by_the_schema);
    tcase_add_test(group, a_query_that_does_not_fit_is_refused_with_its_place);
    tcase_add_test(group, a_query_that_is_none_is_refused);
    tcase_add_test(group, a_query_that_is_too_long_is_refused);
    tcase_add_test(group, a_head_is_a_get_without_its_body);
    group = add_rest(suite, "tags");
    tcase_add_test(group, a_tag_is_of_engine_and_input);
    tcase_add_test(group, what_is_unchanged_is_not_computed_again);
    tcase_add_test(group, any_tag_matches_a_result_and_no_failure);
    tcase_add_test(group, what_has_no_weight_is_not_wanted);
    tcase_add_test(group, a_body_comes_as_it_is);
    tcase_add_test(group, an_address_that_names_the_build_is_good_for_ever);
    tcase_add_test(group, what_needs_a_token_is_for_its_owner);
    group = add_rest(suite, "who");
    tcase_add_test(group, strangers_are_forbidden);
    tcase_add_test(group, pages_of_an_allowed_origin_may_read);
    tcase_add_test(group, a_tool_with_a_scope_is_for_who_has_it);
    group = add_rest(suite, "documents");
    tcase_add_test(group, the_catalog_names_every_tool);
    tcase_add_test(group, a_tool_for_views_alone_is_none_of_rest);
    tcase_add_test(group, the_catalog_has_pages);
    tcase_add_test(group, each_code_is_explained);
    tcase_add_test(group, a_failure_of_an_app_has_the_form_of_its_contract);
    group = add_rest(suite, "headers");
    tcase_add_test(group, what_a_client_answers_is_a_list_of_names);
    tcase_add_test(group, an_idempotency_key_is_printable);
    group = add_rest(suite, "memory");
    tcase_add_test(group, a_call_without_memory_says_so);
    return run_suite(suite);
}
