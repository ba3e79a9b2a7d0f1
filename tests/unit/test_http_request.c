// SPDX-License-Identifier: Apache-2.0
//
// http_request: what answers is REST itself, with the caller, the tools and the calls of the
// view, under the rules of the operator and within its bounds.
#include "test_http_request.h"

// ---- REST ------------------------------------------------------------------------

START_TEST(a_view_calls_a_tool_over_rest)
{
    carry("'url':'/api/add_up?a=1&b=2'");
    ck_status(200);
    ck_body("{'sum':3,'tags':0}");
    ck_at("/result/structuredContent/bodyType", "'text'");
    ck_at("/result/structuredContent/ok", "true");
    ck_at("/result/structuredContent/url", "'/api/add_up?a=1&b=2'");
    ck_at("/result/structuredContent/headers/content-type",
          "'application/json'");
    ck_says("/result/content/0/text", "GET /api/add_up: HTTP 200, 18 bytes");
    carry("'url':'/api/seen','method':'POST','body':{'number':1},'bodyType':"
          "'json'");
    ck_body("{'yes':true}");
    carry("'url':'/api/seen','method':'POST','body':'{}','headers':"
          "{'Content-Type':'application/json'}");
    ck_body("{'yes':true}");
}
END_TEST

START_TEST(what_rest_refuses_is_a_response)
{
    carry("'url':'/api/nothing'");
    ck_status(404);
    ck_at("/result/structuredContent/ok", "false");
    ck_at("/result/structuredContent/headers/content-type",
          "'application/problem+json'");
    ck_says("/result/structuredContent/body", "NOT_FOUND");
    ck_at("/result/isError", "(absent)");
    carry("'url':'/api/add_up','method':'PUT'");
    ck_status(405);
    ck_at("/result/structuredContent/headers/allow",
          "'GET, HEAD, POST, OPTIONS'");
    carry("'url':'/api/add_up?a=13'");
    ck_status(422);
    ck_says("/result/structuredContent/body", "UNLUCKY");
}
END_TEST

START_TEST(a_tag_is_given_and_compared)
{
    char tag[64];

    carry("'url':'/api/add_up?a=1'");
    (void)snprintf(tag, sizeof tag, "%s",
                   at("/result/structuredContent/headers/etag"));
    ck_assert_str_ne(tag, "(absent)");
    carry(
        quoted("'url':'/api/add_up?a=1','headers':{'If-None-Match':%s}", tag));
    ck_status(304);
    ck_at("/result/structuredContent/bodyType", "'none'");
    ck_at("/result/structuredContent/body", "(absent)");
    carry("'url':'/api/add_up?a=1','method':'HEAD'");
    ck_status(200);
    ck_at("/result/structuredContent/bodyType", "'none'");
}
END_TEST

START_TEST(visibility_holds)
{
    carry("'url':'/api/only_app','method':'POST','body':{}");
    ck_status(200);
    carry("'url':'/api/only_model','method':'POST','body':{}");
    ck_status(403);
    ck_says("/result/structuredContent/body", "MODEL_ONLY");
    carry("'url':'/api/http_request','method':'POST','body':{'url':'/api'}");
    ck_status(403);
    ck_says("/result/structuredContent/body", "NOT_MOUNTED");
    carry("'url':'/api'");
    ck_says("/result/structuredContent/body", "only_app");
    ck_assert_ptr_null(strstr(harness.reply, "only_model"));
    ck_assert_ptr_null(strstr(harness.reply, "\\\"http_request\\\""));
    carry("'url':'/openapi.json'");
    ck_says("/result/structuredContent/body", "/api/only_app");
    ck_assert_ptr_null(strstr(harness.reply, "/api/only_model"));
    // For programs it is the other way about.
    ck_assert_uint_eq(post("/api/only_app", "{}"), 403);
    ck_at("/code", "'VIEW_ONLY'");
    ck_assert_uint_eq(post("/api/only_model", "{}"), 200);
    ck_assert_uint_eq(post("/api/http_request", "{'url':'/api'}"), 403);
    ck_assert_uint_eq(get("/api"), 200);
    ck_assert_ptr_null(strstr(harness.reply, "http_request"));
}
END_TEST

START_TEST(the_caller_is_that_of_the_call)
{
    static const char *const scopes[] = {"a", "a c"};

    for (size_t i = 0; i < MICA_COUNT(scopes); i++) {
        someone.scopes = mica_text(scopes[i]);
        mica_arena_reset(&harness.arena);
        mica_message_init(&harness.message, harness.server, &harness.arena);
        harness.message.context.principal = &someone;
        memset(&harness.state, 0, sizeof harness.state);
        mica_message_line(
            &harness.message, &harness.state,
            mica_text(quoted(
                "{" V2 ",'id':1,'method':'tools/call','params':{'_meta':{'" P_
                "protocolVersion':'2026-07-28','" P_ "clientCapabilities':{"
                "'extensions':{" VIEWS "}}},'name':'http_request','arguments':"
                "{'url':'/api/scoped','method':'POST','body':{}}}}")));
        ck_assert_int_eq(harness.message.step, MICA_STEP_WORK);
        mica_message_execute(&harness.message);
        take_reply(mica_buffer_as_text(&harness.message.reply.text));
        mica_message_end(&harness.message);
        ck_at("/result/structuredContent/status", i == 0 ? "403" : "200");
    }
}
END_TEST

START_TEST(a_tool_that_asks_is_answered_by_its_id)
{
    char call[64], *end;
    const char *from;

    carry("'url':'/api/ask_who','method':'POST','body':{}");
    ck_status(202);
    from = at("/result/structuredContent/headers/location");
    ck_assert_msg(strncmp(from, "\"/api/calls/", 12) == 0, "%s", from);
    (void)snprintf(call, sizeof call, "%s", from + 1);
    end = strchr(call, '"');
    *end = '\0';
    carry(quoted("'url':'%s'", call));
    ck_status(200);
    ck_says("/result/structuredContent/body", "Who are you?");
    carry(
        quoted("'url':'%s','method':'POST','body':{'1':{'name':'Ada'}}", call));
    ck_says("/result/structuredContent/body", "status");
}
END_TEST

START_TEST(a_call_of_a_tool_for_models_is_told_to_no_view)
{
    char id[64];

    ck_assert_uint_eq(post("/api/ask_for_models", "{}"), 202);
    (void)snprintf(id, sizeof id, "%s", at("/id"));
    id[strlen(id) - 1] = '\0';
    carry(quoted("'url':'/api/calls/%s'", id + 1));
    ck_status(403);
    ck_says("/result/structuredContent/body", "MODEL_ONLY");
    carry(quoted("'url':'/api/calls/%s','method':'DELETE'", id + 1));
    ck_status(403);
    ck_assert_uint_eq(get(quoted("/api/calls/%s", id + 1)), 200);
    ck_at("/status", "'input_required'");
}
END_TEST

// ---- Who has it --------------------------------------------------------------------

START_TEST(it_is_listed_for_views_while_there_is_one)
{
    struct mica_error error;

    memset(&harness.state, 0, sizeof harness.state);
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{'_meta':{'" P_
                "protocolVersion':'2026-07-28','" P_ "clientCapabilities':{"
                "'extensions':{" VIEWS "}}}}}"));
    ck_says("/result/tools", "\"http_request\"");
    // It does what any tool and mount behind it does.
    ck_says("/result/tools",
            "\"title\":\"HTTP request of a view\",\"readOnlyHint\":false,"
            "\"destructiveHint\":true,\"idempotentHint\":false,"
            "\"openWorldHint\":true");
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    ck_assert_ptr_null(strstr(harness.reply, "\"http_request\""));
    call_tool("", "http_request", "'url':'/api'");
    ck_at("/error/data/code", "'CAPABILITY_MISSING'");
    ck_assert_int_eq(mica_server_remove(harness.server, MICA_DEFINITION_TOOL,
                                        "seen", &error),
                     MICA_OK);
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{'_meta':{'" P_
                "protocolVersion':'2026-07-28','" P_ "clientCapabilities':{"
                "'extensions':{" VIEWS "}}}}}"));
    ck_says("/result/tools", "only_app");
    ck_assert_ptr_null(strstr(harness.reply, "\"http_request\""));
}
END_TEST

START_TEST(who_leaves_the_call_leaves_the_request)
{
    add(&mica_tool_left);
    carry("'url':'/api/left','method':'POST','body':{}");
    ck_assert_ptr_nonnull(harness.reply);
    ck_assert_str_eq(harness.reply, ""); // the client is gone
}
END_TEST

START_TEST(an_endpoint_has_its_own_rest)
{
    struct mica_endpoint_options options = {
        .key = "other", .path = "/other", .name = "other", .version = "1"};
    struct mica_endpoint_draft *draft;
    struct mica_error error;

    ck_assert_int_eq(
        mica_endpoint_begin(harness.server, &options, &error, &draft), MICA_OK);
    ck_assert_int_eq(
        mica_endpoint_add_tool(draft, &mica_tool_only_app, NULL, &error),
        MICA_OK);
    ck_assert_int_eq(mica_endpoint_add_offered(draft, MICA_DEFINITION_TOOL,
                                               "http_request", &error),
                     MICA_OK);
    ck_assert_int_eq(mica_endpoint_publish(&draft, &error), MICA_OK);
    request("POST", quoted("{" V2 ",'id':1,'method':'tools/call','params':{"
                           "'_meta':{'" P_ "protocolVersion':'2026-07-28','" P_
                           "clientCapabilities':{'extensions':{" VIEWS
                           "}}},'name':'http_request','arguments':{'url':"
                           "'/api'}}}"));
    again("MCP-Protocol-Version", "2026-07-28");
    again("Mcp-Method", "tools/call");
    again("Mcp-Name", "http_request");
    harness.request.path = MICA_LITERAL("/other/mcp");
    mica_arena_reset(&harness.arena);
    mica_server_handle(harness.server, &harness.arena, NULL, &harness.request,
                       &harness.response);
    take_reply(harness.response.body);
    ck_status(200);
    ck_says("/result/structuredContent/body", "only_app");
    ck_says("/result/structuredContent/body", "\"total\\\":1");
    // Its addresses begin where the view's do.
    ck_says("/result/structuredContent/body", "\\\"/api/only_app");
}
END_TEST

// ---- Rules of the operator ---------------------------------------------------------

static int recorded;

static struct mica_catalog *
rule_view(void *data, const struct mica_principal *principal,
          struct mica_catalog *catalog)
{
    struct mica_catalog *view = mica_catalog_new();
    const struct mica_definition_list *tools =
        &catalog->lists[MICA_DEFINITION_TOOL];

    (void)data;
    (void)principal;
    ck_assert_ptr_nonnull(view);
    for (size_t i = 0; i < tools->count; i++)
        if (!mica_text_is(tools->items[i]->name, "only_app"))
            ck_assert(mica_catalog_add(view, tools->items[i]));
    return view;
}

static struct mica_text
rule_name(void *data, const struct mica_principal *principal,
          struct mica_text shown)
{
    (void)data;
    (void)principal;
    return shown;
}

static uint32_t
rule_admit(void *data, const struct mica_ruled_call *call)
{
    (void)data;
    return mica_text_is(call->tool, "add_up") ? 2500 : 0;
}

static void
rule_record(void *data, const struct mica_ruled_call *call)
{
    (void)data;
    recorded +=
        mica_text_is(call->tool, "seen") && mica_text_is(call->version, "rest");
}

START_TEST(the_rules_of_the_operator_hold)
{
    static const struct mica_rules rules = {.view = rule_view,
                                            .own_name = rule_name,
                                            .admit = rule_admit,
                                            .record = rule_record};

    harness.server->rules = &rules;
    recorded = 0;
    carry("'url':'/api/only_app','method':'POST','body':{}");
    ck_status(404); // as if there were none
    carry("'url':'/api/add_up?a=1'");
    ck_status(429);
    ck_at("/result/structuredContent/headers/retry-after", "'3'");
    carry("'url':'/api/seen','method':'POST','body':{}");
    ck_status(200);
    ck_assert_int_eq(recorded, 1);
    harness.server->rules = NULL;
}
END_TEST

START_TEST(no_tool_invokes_it)
{
    call_tool(VIEWS, "calls_it", "'about':'x'");
    ck_at("/result/isError", "true");
    ck_assert_int_eq(mounted.calls, 0);
}
END_TEST

// ---- Bounds ------------------------------------------------------------------------

START_TEST(a_caller_sends_so_many_requests_and_no_more)
{
    for (int i = 0; i < MICA_RELAY_BURST; i++) {
        carry("'url':'/graphql'");
        ck_status(200);
    }
    carry("'url':'/graphql'");
    ck_refused("RATE_LIMITED");
    ck_assert_int_eq(mounted.calls, MICA_RELAY_BURST);
    clock_ms += 1000;
    for (int i = 0; i < MICA_RELAY_RATE; i++) {
        carry("'url':'/graphql'");
        ck_status(200);
    }
    carry("'url':'/graphql'");
    ck_refused("RATE_LIMITED");
    clock_ms -= 3600000; // set back
    carry("'url':'/graphql'");
    ck_status(200);
}
END_TEST

static char four_mib[(4 << 20) + 1];

START_TEST(a_response_is_as_large_as_it_may_be)
{
    memset(four_mib, 'x', sizeof four_mib);
    mounted.gives.body = (struct mica_text){four_mib, MICA_RELAY_BYTES};
    carry("'url':'/graphql'");
    ck_status(200);
    mounted.gives.body.len++;
    carry("'url':'/graphql'");
    ck_refused("LIMIT_EXCEEDED");
}
END_TEST

START_TEST(headers_are_bounded)
{
    char value[MICA_RELAY_HEADER_BYTES + 2];

    memset(value, 'x', sizeof value);
    value[sizeof value - 1] = '\0';
    carry(quoted("'url':'/graphql','headers':{'x-tenant':'%s'}", value));
    ck_refused("LIMIT_EXCEEDED");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("http_request");
    TCase *group;

    group = add_carrying(suite, "rest");
    tcase_add_test(group, a_view_calls_a_tool_over_rest);
    tcase_add_test(group, what_rest_refuses_is_a_response);
    tcase_add_test(group, a_tag_is_given_and_compared);
    tcase_add_test(group, visibility_holds);
    tcase_add_test(group, the_caller_is_that_of_the_call);
    tcase_add_test(group, a_tool_that_asks_is_answered_by_its_id);
    tcase_add_test(group, a_call_of_a_tool_for_models_is_told_to_no_view);
    tcase_add_test(group, it_is_listed_for_views_while_there_is_one);
    tcase_add_test(group, who_leaves_the_call_leaves_the_request);
    tcase_add_test(group, an_endpoint_has_its_own_rest);
    tcase_add_test(group, the_rules_of_the_operator_hold);
    tcase_add_test(group, no_tool_invokes_it);
    group = add_carrying(suite, "bounds");
    tcase_add_test(group, a_caller_sends_so_many_requests_and_no_more);
    tcase_add_test(group, a_response_is_as_large_as_it_may_be);
    tcase_add_test(group, headers_are_bounded);
    return run_suite(suite);
}
