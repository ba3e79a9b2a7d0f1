// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the MCP core share: one server with tools of every kind,
// one message at a time over either entry point, and a way to point into the
// reply. Every reply of every test is checked to be one line of valid JSON-RPC.
#ifndef MICA_TEST_MCP_H
#define MICA_TEST_MCP_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/message.h"
#include "server/server.h"

// JSON in these tests is written with ' for ", to be read by people. P_ stands
// before the names of the protocol's own members of _meta.
#define P_ "io.modelcontextprotocol/"
#define V2 "'jsonrpc':'2.0'"
#define META                                             \
    "'_meta':{'" P_ "protocolVersion':'2026-07-28','" P_ \
    "clientCapabilities':{}}"

static struct {
    struct mica_server *server;
    struct mica_line_state state;
    struct mica_arena arena, last_arena;
    struct mica_message message;
    struct mica_http_response response;
    struct mica_http_request request;
    struct mica_header headers[24];
    struct mica_json last; // the reply, read; kind NULL when there was none
    char *reply;           // NUL-terminated; "" when there was none
} harness;

// ---- Tools -------------------------------------------------------------------

#define ANY_OBJECT "{\"type\":\"object\"}"

// Gives its arguments back.
static inline enum mica_status
tool_echo(struct mica_call *call, const struct mica_json *in,
          struct mica_json_writer *out)
{
    (void)call;
    mica_json_value(out, in);
    return MICA_OK;
}

// One block of every kind, and a structured result.
static inline enum mica_status
tool_blocks(struct mica_call *call, const struct mica_json *in,
            struct mica_json_writer *out)
{
    const struct mica_content_options marked = {.audience = "user assistant",
                                                .priority = 0.5,
                                                .has_priority = true,
                                                .last_modified =
                                                    "2026-11-20T00:00:00Z"};

    (void)in;
    mica_add_text(call, MICA_LITERAL("one\ntwo"), &marked);
    mica_add_image(call, "\x89PNG", 4, "image/png", NULL);
    mica_add_audio(call, "RIFF", 4, "audio/wav", NULL);
    mica_add_resource_text(call, "test://text", "text/plain",
                           MICA_LITERAL("in a resource"), NULL);
    mica_add_resource_bytes(call, "test://bytes", NULL, "\0\xff", 2, NULL);
    mica_add_resource_link(call, "test://link", "a link", "where to look",
                           "text/html", NULL);
    mica_json_open_object(out);
    mica_json_field(out, "kinds", MICA_LITERAL("six"));
    mica_json_close_object(out);
    return MICA_OK;
}

// A structured result that is no object.
static inline enum mica_status
tool_array(struct mica_call *call, const struct mica_json *in,
           struct mica_json_writer *out)
{
    (void)call;
    (void)in;
    mica_json_raw(out, MICA_LITERAL("[1,2,3]"));
    return MICA_OK;
}

static inline enum mica_status
tool_silent(struct mica_call *call, const struct mica_json *in,
            struct mica_json_writer *out)
{
    (void)call;
    (void)in;
    (void)out;
    return MICA_OK;
}

static inline enum mica_status
tool_fail(struct mica_call *call, const struct mica_json *in,
          struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    return mica_fail(call, "TOO_ROUND", "shape/0", "The \"shape\" is %s.",
                     "round\nand red");
}

static inline enum mica_status
tool_marked(struct mica_call *call, const struct mica_json *in,
            struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_text(call, MICA_LITERAL("it went wrong"), NULL);
    mica_mark_error(call);
    return MICA_OK;
}

// Text of as many bytes as the argument says.
static inline enum mica_status
tool_large(struct mica_call *call, const struct mica_json *in,
           struct mica_json_writer *out)
{
    const struct mica_json *size = mica_json_get(in, "size");
    int64_t bytes = 0;
    char *text;

    (void)out;
    if (size == NULL || !mica_integer_read(size->text, &bytes) || bytes < 0)
        return mica_fail(call, "BAD_SIZE", "size", "size must be 0 or more");
    text = mica_alloc(call, (size_t)bytes + 1);
    memset(text, 'x', (size_t)bytes);
    mica_add_text(call, (struct mica_text){text, (size_t)bytes}, NULL);
    return MICA_OK;
}

// Counts its runs in what it was added with.
static inline enum mica_status
tool_count(struct mica_call *call, const struct mica_json *in,
           struct mica_json_writer *out)
{
    int *runs = mica_user(call);

    (void)in;
    ++*runs;
    mica_json_open_object(out);
    mica_json_name(out, "cancelled");
    mica_json_boolean(out, mica_cancelled(call));
    mica_json_close_object(out);
    return MICA_OK;
}

static int count_runs;

static inline void
add_json_tool(const char *name, mica_json_handler *handler, unsigned hints)
{
    struct mica_tool tool = {.name = name,
                             .description = "A tool for the tests.",
                             .input_schema = ANY_OBJECT,
                             .json_handler = handler,
                             .hints = hints};
    struct mica_error error;

    if (mica_server_add_tool(harness.server, &tool, &count_runs, &error) !=
        MICA_OK)
        ck_abort_msg("%s: %s", name, error.message);
}

static inline void
start_server(const struct mica_server_options *options)
{
    struct mica_error error;

    ck_assert_int_eq(mica_server_open(options, &error, &harness.server),
                     MICA_OK);
    add_json_tool("echo", tool_echo, MICA_READ_ONLY | MICA_IDEMPOTENT);
    add_json_tool("blocks", tool_blocks, MICA_DESTRUCTIVE | MICA_OPEN_WORLD);
    add_json_tool("array", tool_array, 0);
    add_json_tool("silent", tool_silent, 0);
    add_json_tool("fail", tool_fail, 0);
    add_json_tool("marked", tool_marked, 0);
    add_json_tool("large", tool_large, 0);
    add_json_tool("count", tool_count, 0);
    mica_arena_init(&harness.arena, harness.server->options.call_bytes);
    mica_arena_init(&harness.last_arena, 64 << 20);
    count_runs = 0;
}

static inline void
open_server(void)
{
    start_server(
        &(struct mica_server_options){.name = "test",
                                      .version = "1.2.3",
                                      .title = "A test",
                                      .description = "For the tests.",
                                      .website_url = "https://example.org",
                                      .instructions = "Ask nicely.",
                                      .list_ttl_ms = 60000});
}

static inline void
close_server(void)
{
    mica_server_close(&harness.server);
    mica_arena_fini(&harness.arena);
    mica_arena_fini(&harness.last_arena);
    free(harness.reply);
    memset(&harness, 0, sizeof harness);
}

// The same text with " for ', formatted; good until the next four calls.
static inline const char *quoted(const char *format, ...) MICA_PRINTF(1, 2);
static inline const char *
quoted(const char *format, ...)
{
    static char room[5][16384];
    static unsigned turn;
    char *text = room[turn++ % 5];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof room[0], format, arguments);
    va_end(arguments);
    ck_assert_int_lt(length, (int)sizeof room[0]);
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '\'')
            *c = '"';
    }
    return text;
}

// ---- The reply -----------------------------------------------------------------

// Whatever was said, it is one line and a JSON-RPC response.
static inline void
take_reply(struct mica_text reply)
{
    struct mica_error error;
    bool has_result, has_error;

    free(harness.reply);
    harness.reply = calloc(1, reply.len + 1);
    ck_assert_ptr_nonnull(harness.reply);
    mica_arena_reset(&harness.last_arena);
    memset(&harness.last, 0, sizeof harness.last);
    if (reply.len == 0)
        return;
    memcpy(harness.reply, reply.ptr, reply.len);
    ck_assert_msg(memchr(reply.ptr, '\n', reply.len) == NULL, "two lines: %s",
                  harness.reply);
    if (mica_json_read(&harness.last_arena,
                       (struct mica_text){harness.reply, reply.len}, NULL,
                       &error, &harness.last) != MICA_OK)
        ck_abort_msg("not JSON: %s in %s", error.message, harness.reply);
    has_result = mica_json_get(&harness.last, "result") != NULL;
    has_error = mica_json_get(&harness.last, "error") != NULL;
    ck_assert(
        mica_text_is(mica_json_get_text(&harness.last, "jsonrpc"), "2.0"));
    ck_assert_msg(has_result != has_error, "both or neither: %s",
                  harness.reply);
}

// The raw JSON at a pointer of the last reply; "(absent)" when it is missing.
static inline const char *
at(const char *pointer)
{
    const struct mica_json *value =
        mica_json_pointer_get(&harness.last, mica_text(pointer));

    if (harness.reply == NULL || harness.reply[0] == '\0' || value == NULL)
        return "(absent)";
    return mica_arena_text(&harness.last_arena, value->raw).ptr;
}

// Expected JSON is written with ' for " too.
#define ck_at(pointer, json) ck_assert_str_eq(at(pointer), quoted("%s", json))
#define ck_reply(json)       ck_assert_str_eq(harness.reply, quoted("%s", json))
#define ck_says(pointer, part)                                                \
    ck_assert_msg(strstr(at(pointer), part) != NULL, "no \"%s\" in %s", part, \
                  at(pointer))

// An error reply with that code, stable code, and (as JSON) id.
static inline void
ck_error(const char *rpc, const char *code, const char *id)
{
    ck_at("/error/code", rpc);
    ck_at("/id", id);
    // The stable code stands in the data, and in the log line.
    ck_assert(mica_text_is(
        mica_json_get_text(
            mica_json_pointer_get(&harness.last, MICA_LITERAL("/error/data")),
            "code"),
        code));
    ck_assert_int_eq(harness.message.reply.rpc_error, atoi(rpc));
    ck_assert_str_eq(harness.message.reply.error_code, code);
}

// ---- Speaking ------------------------------------------------------------------

static inline void
finish_message(void)
{
    if (harness.message.step == MICA_STEP_WORK &&
        !mica_message_execute_inline(&harness.message))
        mica_message_execute(&harness.message);
    ck_assert_int_ne(harness.message.step, MICA_STEP_WORK);
    if (harness.message.step == MICA_STEP_REPLY)
        take_reply(mica_buffer_as_text(&harness.message.reply.text));
    else
        take_reply((struct mica_text){NULL, 0});
    mica_message_end(&harness.message);
}

static inline const char *
line_bytes(const char *bytes, size_t size)
{
    mica_arena_reset(&harness.arena);
    mica_message_init(&harness.message, harness.server, &harness.arena);
    mica_message_line(&harness.message, &harness.state,
                      (struct mica_text){bytes, size});
    finish_message();
    return harness.reply;
}

// Says one line of a pipe; the reply, or "".
static inline const char *
line(const char *text)
{
    return line_bytes(text, strlen(text));
}

static inline void
shake_hands(const char *version)
{
    line(quoted("{" V2 ",'id':0,'method':'initialize','params':{"
                "'protocolVersion':'%s'}}",
                version));
    ck_assert(strstr(at("/result/protocolVersion"), version) != NULL);
}

// Starts an HTTP request that is right so far: loopback host, JSON.
static inline void
request(const char *method, const char *body)
{
    harness.request = (struct mica_http_request){.method = mica_text(method),
                                                 .path = MICA_LITERAL("/mcp"),
                                                 .headers = harness.headers,
                                                 .body = mica_text(body)};
    harness.headers[harness.request.header_count++] = (struct mica_header){
        MICA_LITERAL("Host"), MICA_LITERAL("127.0.0.1:8080")};
    harness.headers[harness.request.header_count++] = (struct mica_header){
        MICA_LITERAL("Content-Type"), MICA_LITERAL("application/json")};
}

static inline void
again(const char *name, const char *value)
{
    ck_assert(harness.request.header_count < MICA_COUNT(harness.headers));
    harness.headers[harness.request.header_count++] =
        (struct mica_header){mica_text(name), mica_text(value)};
}

static inline void
without(const char *name)
{
    size_t kept = 0;

    for (size_t i = 0; i < harness.request.header_count; i++) {
        if (!mica_text_is(harness.headers[i].name, name))
            harness.headers[kept++] = harness.headers[i];
    }
    harness.request.header_count = kept;
}

static inline void
header(const char *name, const char *value)
{
    without(name);
    again(name, value);
}

// A request of the stateless revision with its headers; `tool` may be NULL.
static inline void
stateless(const char *method, const char *tool, const char *body)
{
    request("POST", body);
    again("MCP-Protocol-Version", "2026-07-28");
    again("Mcp-Method", method);
    if (tool != NULL)
        again("Mcp-Name", tool);
}

static const struct mica_http_allowed *allowed_by_test;

// Sends what was built; the HTTP status.
static inline unsigned
send_request(void)
{
    mica_arena_reset(&harness.arena);
    mica_message_init(&harness.message, harness.server, &harness.arena);
    mica_message_http(&harness.message, allowed_by_test, &harness.request);
    finish_message();
    mica_message_response(&harness.message, &harness.response);
    ck_assert_uint_eq(harness.response.status,
                      harness.message.reply.http_status);
    return harness.response.status;
}

static inline const char *
response_header(const char *name)
{
    for (size_t i = 0; i < harness.response.header_count; i++) {
        if (mica_text_is(harness.response.headers[i].name, name))
            return mica_arena_text(&harness.last_arena,
                                   harness.response.headers[i].value)
                .ptr;
    }
    return "(absent)";
}

static inline TCase *
add_case(Suite *suite, const char *name)
{
    TCase *group = tcase_create(name);

    tcase_add_checked_fixture(group, open_server, close_server);
    suite_add_tcase(suite, group);
    return group;
}

static inline int
run_suite(Suite *suite)
{
    SRunner *srunner = srunner_create(suite);
    int failed;

    srunner_run_all(srunner, CK_ENV);
    failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}

#endif
