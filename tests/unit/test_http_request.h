// SPDX-License-Identifier: Apache-2.0
//
// What the tests of http_request share: tools for views, for models and for both, a mount
// that keeps what it was asked, and calls of http_request.
#ifndef MICA_TEST_HTTP_REQUEST_H
#define MICA_TEST_HTTP_REQUEST_H

#include <mica/endpoint.h>
#include <mica/mount.h>

#include "rest/relay.h"
#include "rest/request_path.h"
#include "server/call_rules.h"
#include "test_rest.h"
#include "unit.h"

#define VIEWS "'io.modelcontextprotocol/ui':{}"

// ---- The tools -------------------------------------------------------------------

static inline enum mica_status
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
static inline enum mica_status
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

static inline enum mica_status
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

static inline enum mica_status
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

static inline struct mica_text
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

static inline struct mica_text
header_given(const struct mica_http_request *request, const char *namez)
{
    struct mica_text value = {NULL, 0};

    (void)mica_header_find(request, namez, &value);
    return kept_text(value);
}

static inline enum mica_status
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

static inline void
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

static inline void
call_tool(const char *extensions, const char *name, const char *arguments)
{
    memset(&harness.state, 0, sizeof harness.state);
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{'_meta':{'" P_
                "protocolVersion':'2026-07-28','" P_ "clientCapabilities':{"
                "'elicitation':{},'extensions':{%s}}},'name':'%s','arguments':"
                "{%s}}}",
                extensions, name, arguments));
}

static inline void
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
static inline void
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

static inline TCase *
add_carrying(Suite *suite, const char *name)
{
    TCase *group = tcase_create(name);

    tcase_add_checked_fixture(group, open_carrying, close_kept);
    tcase_set_timeout(group, 2 * UNIT_PATIENCE_MS / 1000);
    suite_add_tcase(suite, group);
    return group;
}

#endif
