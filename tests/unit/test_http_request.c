// SPDX-License-Identifier: Apache-2.0
//
// http_request: what a view reaches by it, what is refused, and that what answers is REST
// itself, with the caller, the tools and the calls of the view.
#include <mica/endpoint.h>
#include <mica/mount.h>

#include "rest/relay.h"
#include "rest/request_path.h"
#include "server/call_rules.h"
#include "test_rest.h"
#include "unit.h"

#define VIEWS "'io.modelcontextprotocol/ui':{}"

// ---- The tools -------------------------------------------------------------------

static enum mica_status
run_seen(struct mica_call *call, const struct anything *in, struct sure *out)
{
    (void)in;
    out->yes = mica_client_has(call, MICA_VIEWS);
    return MICA_OK;
}
MICA_VIEW(chart, .html = "<p>");
MICA_TOOL(seen, anything, sure, run_seen, .description = "For everyone.",
          .view = &mica_view_chart);
MICA_TOOL(only_app, anything, sure, run_seen, .description = "For views.",
          .audience = MICA_APP);
MICA_TOOL(only_model, anything, sure, run_seen, .description = "For models.",
          .audience = MICA_MODEL);
MICA_TOOL(scoped, anything, sure, run_seen, .description = "For some.",
          .scope = "c");

// The client leaves while the tool runs.
static enum mica_status
run_left(struct mica_call *call, const struct anything *in, struct sure *out)
{
    (void)in;
    ck_assert(!mica_cancelled(call));
    atomic_store(&harness.message.execution.cancelled, true);
    out->yes = mica_cancelled(call);
    ck_assert(out->yes);
    return MICA_OK;
}
MICA_TOOL(left, anything, sure, run_left, .description = "Is left.");

static enum mica_status
ask_who(struct mica_call *call, const struct anything *in, struct who *out)
{
    struct who who;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Who are you?"));
    out->name = who.name;
    return MICA_OK;
}
MICA_TOOL(ask_who, anything, who, ask_who, .description = "Asks.");
MICA_TOOL(ask_for_models, anything, who, ask_who, .description = "Asks.",
          .audience = MICA_MODEL);

static enum mica_status
calls_it(struct mica_call *call, const struct anything *in, struct who *out)
{
    (void)in;
    (void)out;
    return mica_invoke(call, "http_request", MICA_FROM(anything, in),
                       MICA_INTO(who, out));
}
MICA_TOOL(calls_it, anything, who, calls_it, .description = "Invokes it.");

// ---- A mount ---------------------------------------------------------------------

static struct {
    struct mica_http_response gives;
    struct mica_text method, path, query, body, type, tenant, subject;
    int calls;
    enum mica_status fails;
} mounted;

static struct mica_text
kept_text(struct mica_text text)
{
    static char room[16][4096];
    static unsigned turn;
    char *to = room[turn++ % 16];

    ck_assert_uint_lt(text.len, sizeof room[0]);
    if (text.len > 0)
        memcpy(to, text.ptr, text.len);
    return (struct mica_text){to, text.len};
}

static struct mica_text
header_given(const struct mica_http_request *request, const char *namez)
{
    struct mica_text value = {NULL, 0};

    (void)mica_header_find(request, namez, &value);
    return kept_text(value);
}

static enum mica_status
mount_handle(struct mica_call *call, void *context,
             const struct mica_http_request *request,
             struct mica_http_response *response_out)
{
    ck_assert_ptr_eq(context, &mounted);
    mounted.calls++;
    mounted.method = kept_text(request->method);
    mounted.path = kept_text(request->path);
    mounted.query = kept_text(request->query);
    mounted.body = kept_text(request->body);
    mounted.type = header_given(request, "content-type");
    mounted.tenant = header_given(request, "x-tenant");
    mounted.subject = kept_text(request->principal->subject);
    if (mounted.fails != MICA_OK)
        return mica_fail(call, "NO_GRAPH", "query", "There is no graph.");
    *response_out = mounted.gives;
    if (mica_text_is(request->path, "/graphql/again"))
        *response_out = (struct mica_http_response){.body = mounted.path};
    return MICA_OK;
}

static const char *const mount_headers[] = {"x-tenant", NULL};
static const struct mica_mount graphql = {.path = "/graphql",
                                          .handle = mount_handle,
                                          .context = &mounted,
                                          .headers = mount_headers};
static const struct mica_mount inner = {
    .path = "/graphql/inner", .handle = mount_handle, .context = &mounted};

static void
open_carrying(void)
{
    struct mica_error error;

    open_rest();
    add(&mica_tool_seen);
    add(&mica_tool_only_app);
    add(&mica_tool_only_model);
    add(&mica_tool_scoped);
    add(&mica_tool_ask_who);
    add(&mica_tool_ask_for_models);
    add(&mica_tool_calls_it);
    ck_assert_int_eq(mica_server_mount(harness.server, &graphql, &error),
                     MICA_OK);
    ck_assert_int_eq(mica_server_use_http_request(harness.server, &error),
                     MICA_OK);
    memset(&mounted, 0, sizeof mounted);
}

// ---- What they are asked by ---------------------------------------------------------

static void
call_tool(const char *extensions, const char *name, const char *arguments)
{
    memset(&harness.state, 0, sizeof harness.state);
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{'_meta':{'" P_
                "protocolVersion':'2026-07-28','" P_ "clientCapabilities':{"
                "'elicitation':{},'extensions':{%s}}},'name':'%s','arguments':"
                "{%s}}}",
                extensions, name, arguments));
}

static void
carry(const char *arguments)
{
    call_tool(VIEWS, "http_request", arguments);
}

#define ck_status(status_)                                                    \
    ck_assert_msg(strcmp(at("/result/structuredContent/status"), #status_) == \
                      0,                                                      \
                  "%s", harness.reply)
#define ck_refused(code_)                                               \
    do {                                                                \
        ck_assert_msg(strcmp(at("/result/isError"), "true") == 0, "%s", \
                      harness.reply);                                   \
        ck_at("/result/_meta/mica~1error/code", "'" code_ "'");         \
    } while (0)

// The body, in JSON text with ' for ".
static void
ck_body(const char *json)
{
    const struct mica_json *body = mica_json_pointer_get(
        &harness.last, mica_text("/result/structuredContent/body"));
    char text[4096];

    ck_assert_msg(body != NULL && body->kind == MICA_JSON_STRING, "%s",
                  harness.reply);
    (void)snprintf(text, sizeof text, "%.*s", MICA_ARG(body->text));
    ck_assert_str_eq(text, quoted("%s", json));
}

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
    ck_assert_str_eq(harness.reply, ""); // nobody is there to be told
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
    TCase *group = tcase_create("http_request");

    tcase_add_checked_fixture(group, open_carrying, close_kept);
    tcase_set_timeout(group, 2 * UNIT_PATIENCE_MS / 1000);
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
    tcase_add_test(group, a_caller_sends_so_many_requests_and_no_more);
    tcase_add_test(group, a_response_is_as_large_as_it_may_be);
    tcase_add_test(group, headers_are_bounded);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
