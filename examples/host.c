// SPDX-License-Identifier: Apache-2.0
//
// A program that shows a view itself, as one with a webview would: it has a server of MCP
// with one tool, and the host of the tool's view (mica/host.h). Here the window is stdin
// and stdout: each line is a message of the view, or one for it. With WebKitGTK
//
//     send        is webkit_web_view_call_async_javascript_function() with
//                 dispatchEvent(new MessageEvent("message", {data: JSON.parse(text)}))
//     receive     is the signal script-message-received of a user content manager
//     the loop    is g_main_context with a timeout source for mica_host_due
//
//     cc host.c $(pkg-config --cflags --libs mica) -o host
//     ./host '{"celsius": 20}'
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mica/host.h>
#include <mica/server.h>

// ---- The tool --------------------------------------------------------------------

struct request {
    double celsius;
};
MICA_RECORD(request, MICA_NUMBER(celsius, "Degrees Celsius."));

struct reading {
    double fahrenheit;
};
MICA_RECORD(reading, MICA_NUMBER(fahrenheit, "The same in Fahrenheit."));

static enum mica_status
convert(struct mica_call *call, const struct request *in, struct reading *out)
{
    (void)call;
    out->fahrenheit = in->celsius * 9 / 5 + 32;
    return MICA_OK;
}

MICA_TOOL(convert, request, reading, convert,
          .description = "Convert degrees Celsius to Fahrenheit.",
          .hints = MICA_READ_ONLY | MICA_IDEMPOTENT);

// ---- The program -----------------------------------------------------------------

struct program {
    struct mica_server *server;
    struct mica_host *host;
    struct mica_error error;
    bool ended; // the view has ended, or its window was closed
};

static uint64_t
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// What the program itself got wrong.
static void
complain(struct program *program, enum mica_status status)
{
    if (status != MICA_OK)
        fprintf(stderr, "host: %s: %s\n", program->error.code,
                program->error.message);
}

// ---- Requests to the server ------------------------------------------------------

#define VERSION "2026-07-28"
#define META                                                              \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"" VERSION   \
    "\",\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{" \
    "\"io.modelcontextprotocol/ui\":{\"mimeTypes\":[\"text/html;profile=" \
    "mcp-app\"]}}}}"

// Writes the request; `params` (may be NULL) without its own _meta.
static void
write_request(struct mica_buffer *body, const char *methodz,
              const struct mica_json *params)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, body);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    mica_json_name(&writer, "id");
    mica_json_integer(&writer, 1);
    mica_json_field(&writer, "method", mica_text(methodz));
    mica_json_name(&writer, "params");
    mica_json_open_object(&writer);
    mica_json_raw(&writer, MICA_LITERAL(META));
    for (size_t i = 0; params != NULL && i < params->count; i++) {
        if (mica_text_is(params->members[i].name, "_meta"))
            continue;
        mica_json_name_text(&writer, params->members[i].name);
        mica_json_value(&writer, &params->members[i].value);
    }
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
}

// Asks the server, and reads its reply into `reply`; false without a reply.
static bool
ask_server(struct program *program, struct mica_arena *arena,
           const char *methodz, const struct mica_json *params,
           struct mica_json *reply)
{
    struct mica_text name = mica_json_get_text(params, "name");
    struct mica_header headers[] = {
        {MICA_LITERAL("Host"), MICA_LITERAL("localhost")},
        {MICA_LITERAL("Content-Type"), MICA_LITERAL("application/json")},
        {MICA_LITERAL("Accept"),
         MICA_LITERAL("application/json, text/event-stream")},
        {MICA_LITERAL("MCP-Protocol-Version"), MICA_LITERAL(VERSION)},
        {MICA_LITERAL("Mcp-Method"), mica_text(methodz)},
        {MICA_LITERAL("Mcp-Name"),
         name.len > 0 ? name : mica_json_get_text(params, "uri")}};
    struct mica_http_request request = {
        .method = MICA_LITERAL("POST"),
        .path = MICA_LITERAL("/mcp"),
        .headers = headers,
        .header_count = MICA_COUNT(headers) - (headers[5].value.len == 0)};
    struct mica_http_response response;
    struct mica_buffer body;

    mica_buffer_init(&body, arena, 16 << 20);
    write_request(&body, methodz, params);
    if (body.overflow)
        return false;
    request.body = mica_buffer_as_text(&body);
    mica_server_handle(program->server, arena, NULL, &request, &response);
    return mica_json_read(arena, response.body, NULL, NULL, reply) == MICA_OK;
}

static void
server_request(void *user, uint64_t request, const char *methodz,
               const struct mica_json *params)
{
    struct program *program = user;
    const struct mica_json *result, *error, *code, *data;
    struct mica_json reply;
    struct mica_arena arena;
    int64_t number = -32603;

    mica_arena_init(&arena, 64 << 20);
    if (!ask_server(program, &arena, methodz, params, &reply)) {
        complain(program, mica_host_refuse(
                              program->host, request, -32603,
                              MICA_LITERAL("The server gave no reply."),
                              (struct mica_text){NULL, 0}, &program->error));
        mica_arena_fini(&arena);
        return;
    }
    result = mica_json_get(&reply, "result");
    error = mica_json_get(&reply, "error");
    code = mica_json_get(error, "code");
    data = mica_json_get(error, "data");
    if (code != NULL)
        (void)mica_integer_read(code->text, &number);
    complain(program,
             result != NULL
                 ? mica_host_answer(program->host, request, result->raw,
                                    &program->error)
                 : mica_host_refuse(program->host, request, (int)number,
                                    mica_json_get_text(error, "message"),
                                    data != NULL ? data->raw
                                                 : (struct mica_text){NULL, 0},
                                    &program->error));
    mica_arena_fini(&arena);
}

// ---- What the view asks and tells ------------------------------------------------

static void
send_line(void *user, struct mica_text message)
{
    (void)user;
    fwrite(message.ptr, 1, message.len, stdout);
    fputc('\n', stdout);
    fflush(stdout);
}

// A program with windows asks the person; this one refuses.
static void
open_link(void *user, uint64_t request, struct mica_text url)
{
    struct program *program = user;

    fprintf(stderr, "host: the view asks for %.*s\n", MICA_ARG(url));
    complain(program, mica_host_answer(program->host, request,
                                       MICA_LITERAL("{\"isError\":true}"),
                                       &program->error));
}

static void
view_log(void *user, struct mica_text level, struct mica_text logger,
         const struct mica_json *data)
{
    (void)user;
    (void)logger;
    fprintf(stderr, "host: view: %.*s: %.*s\n", MICA_ARG(level),
            MICA_ARG(data->raw));
}

static void
view_ended(void *user, const struct mica_host_reply *reply)
{
    struct program *program = user;

    (void)reply;
    program->ended = true;
}

static void
request_teardown(void *user)
{
    struct program *program = user;
    const struct mica_host_call call = {
        .done = view_ended, .user = program, .now_ms = now_ms()};

    complain(program,
             mica_host_teardown(program->host, &call, &program->error));
}

static void
view_closed(void *user)
{
    struct program *program = user;

    program->ended = true;
}

static void
view_error(void *user, const struct mica_error *error)
{
    (void)user;
    fprintf(stderr, "host: the view: %s: %s\n", error->code, error->message);
}

// ---- The call that opens the view ------------------------------------------------

// The view may call the tools of the server, and gets input and result of one.
static enum mica_status
open_call(struct program *program, struct mica_text arguments)
{
    struct mica_arena arena;
    struct mica_json list, params, reply;
    struct mica_buffer call;
    const struct mica_json *tools, *result = NULL;
    enum mica_status status = MICA_E_INTERNAL;

    mica_arena_init(&arena, 64 << 20);
    mica_buffer_init(&call, &arena, 1 << 20);
    mica_buffer_text(&call, MICA_LITERAL("{\"name\":\"convert\","
                                         "\"arguments\":"));
    mica_buffer_text(&call, arguments);
    mica_buffer_char(&call, '}');
    if (ask_server(program, &arena, "tools/list", NULL, &list) &&
        mica_json_read(&arena, mica_buffer_as_text(&call), NULL,
                       &program->error, &params) == MICA_OK &&
        ask_server(program, &arena, "tools/call", &params, &reply)) {
        tools = mica_json_get(mica_json_get(&list, "result"), "tools");
        result = mica_json_get(&reply, "result");
        status = mica_host_set_server_tools(program->host, tools->raw,
                                            &program->error);
    }
    if (status == MICA_OK)
        status =
            mica_host_tool_input(program->host, arguments, &program->error);
    if (status == MICA_OK && result != NULL)
        status =
            mica_host_tool_result(program->host, result->raw, &program->error);
    mica_arena_fini(&arena);
    return status;
}

// ---- The loop --------------------------------------------------------------------

// Milliseconds until the host needs a tick; -1: it needs none.
static int
wait_ms(const struct mica_host *host)
{
    uint64_t at, now = now_ms();

    if (!mica_host_due(host, &at))
        return -1;
    if (at <= now)
        return 0;
    return at - now > 60000 ? 60000 : (int)(at - now);
}

// Hands the whole lines in `pending` to the host, and keeps the rest.
static void
take_lines(struct program *program, struct mica_buffer *pending)
{
    size_t from = 0;
    const char *end;

    while (!program->ended && from < pending->len &&
           (end = memchr(pending->ptr + from, '\n', pending->len - from)) !=
               NULL) {
        size_t to = (size_t)(end - pending->ptr);
        mica_host_receive(
            program->host,
            mica_text_slice(mica_buffer_as_text(pending), from, to), now_ms());
        from = to + 1;
    }
    if (from > 0)
        memmove(pending->ptr, pending->ptr + from, pending->len - from);
    pending->len -= from;
}

static void
run_loop(struct program *program)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    struct mica_buffer pending; // what has come of the lines
    char piece[65536];

    // A line may be a little longer than a message, so that the host refuses it.
    mica_buffer_init(&pending, NULL, MICA_HOST_MESSAGE_BYTES + (1 << 20));
    while (!program->ended) {
        int ready = poll(&input, 1, wait_ms(program->host));
        if (ready < 0 && errno != EINTR)
            break;
        mica_host_tick(program->host, now_ms());
        if (ready <= 0)
            continue;
        ssize_t size = read(STDIN_FILENO, piece, sizeof piece);
        if (size <= 0)
            break;
        mica_buffer_add(&pending, piece, (size_t)size);
        if (pending.overflow)
            break;
        take_lines(program, &pending);
    }
    mica_buffer_fini(&pending);
}

static const struct mica_host_callbacks callbacks = {
    .send = send_line,
    .open_link = open_link,
    .server_request = server_request,
    .log = view_log,
    .request_teardown = request_teardown,
    .error = view_error,
    .closed = view_closed};

int
main(int argc, char **argv)
{
    struct program program = {.ended = false};
    const struct mica_server_options options = {.name = "host",
                                                .version = "1.0"};
    const struct mica_host_options shown = {
        .callbacks = callbacks,
        .user = &program,
        .name = "host",
        .version = "1.0",
        .capabilities = MICA_LITERAL("{\"openLinks\":{},\"serverTools\":{},"
                                     "\"logging\":{},"
                                     "\"updateModelContext\":{\"text\":{}}}"),
        .context = MICA_LITERAL("{\"platform\":\"desktop\"}"),
        .now_ms = now_ms()};
    enum mica_status status =
        mica_server_open(&options, &program.error, &program.server);

    if (status == MICA_OK)
        status = mica_server_add_tool(program.server, &mica_tool_convert, NULL,
                                      &program.error);
    if (status == MICA_OK)
        status = mica_host_open(&shown, &program.error, &program.host);
    if (status == MICA_OK)
        status = open_call(&program,
                           mica_text(argc > 1 ? argv[1] : "{\"celsius\":20}"));
    complain(&program, status);
    if (status == MICA_OK)
        run_loop(&program);
    mica_host_free(program.host);
    mica_server_close(&program.server);
    return status == MICA_OK ? 0 : 1;
}
