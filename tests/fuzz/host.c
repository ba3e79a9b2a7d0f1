// SPDX-License-Identifier: Apache-2.0
//
// A view that sends anything to its host, while the program uses the host. Each line of the
// input is one step: a letter and what belongs to it.
//
//     m MESSAGE    the view sends                 t            the time passes
//     i JSON       tool_input                     p JSON       tool_input_partial
//     r JSON       tool_result                    x TEXT       tool_cancelled
//     c JSON       set_context                    s JSON       set_server_tools
//     a JSON       answers the newest request     n TEXT       refuses it
//     g JSON       its progress                   k TEXT       call_tool
//     l TEXT       list_tools                     q            ping
//     d            teardown                       z            close
//     f MESSAGE    the view sends it 50 times     j JSON       sandbox_resource
//     e JSON       elicit
//
// What is sent is one JSON object on one line, of JSON-RPC 2.0. Every request to the view
// that was taken ends once. The memory stays below its cap, and the state moves as the
// table has it.
#include <string.h>

#include <mica/host.h>

#include "base/states.h"
#include "host/host_peer.h"
#include "target.h"

enum {
    MEMORY_BYTES = 1 << 20,
    MESSAGE_BYTES = 1 << 16,
    ENVELOPE_BYTES = 1024
};

struct program {
    struct mica_host *host;
    uint64_t newest;       // request of the view
    unsigned taken, ended; // requests to the view
    uint64_t now_ms;
};

static void
check_message(struct mica_text text)
{
    struct mica_arena arena;
    struct mica_json message;

    FUZZ_MUST(text.len <= MESSAGE_BYTES + ENVELOPE_BYTES);
    FUZZ_MUST(memchr(text.ptr, '\n', text.len) == NULL);
    mica_arena_init(&arena, 64 << 20);
    FUZZ_MUST(mica_json_read(&arena, text,
                             &(struct mica_json_limits){.depth = 512}, NULL,
                             &message) == MICA_OK);
    FUZZ_MUST(mica_text_is(mica_json_get_text(&message, "jsonrpc"), "2.0"));
    FUZZ_MUST((mica_json_get(&message, "method") != NULL) !=
              (mica_json_get(&message, "result") != NULL ||
               mica_json_get(&message, "error") != NULL));
    mica_arena_fini(&arena);
}

static void
on_send(void *user, struct mica_text message)
{
    (void)user;
    check_message(message);
}

static void
on_link(void *user, uint64_t request, struct mica_text url)
{
    struct program *program = user;

    FUZZ_MUST(mica_utf8_valid(url) == url.len && url.len > 7);
    FUZZ_MUST((url.ptr[0] | 0x20) == 'h' || (url.ptr[0] | 0x20) == 'm');
    for (size_t i = 0; i < url.len; i++)
        FUZZ_MUST((unsigned char)url.ptr[i] > ' ');
    program->newest = request;
}

static void
on_download(void *user, uint64_t request, const struct mica_json *contents)
{
    struct program *program = user;
    char room[2048];

    for (size_t i = 0; i < contents->count; i++) {
        struct mica_buffer name = {
            .ptr = room, .capacity = sizeof room, .max = sizeof room};
        mica_host_download_name(program->host, &contents->items[i], &name);
        FUZZ_MUST(!name.overflow && name.len > 0);
        for (size_t k = 0; k < name.len; k++)
            FUZZ_MUST(memchr("/\\:\n\t", room[k], 5) == NULL);
        FUZZ_MUST(!(name.len == 2 && memcmp(room, "..", 2) == 0));
    }
    program->newest = request;
}

static void
on_value(void *user, uint64_t request, const struct mica_json *params)
{
    struct program *program = user;

    (void)params;
    program->newest = request;
}

static void
on_server(void *user, uint64_t request, const char *methodz,
          const struct mica_json *params)
{
    (void)methodz;
    on_value(user, request, params);
}

static void
on_mode(void *user, uint64_t request, struct mica_text mode)
{
    struct program *program = user;

    FUZZ_MUST(mode.len > 0);
    program->newest = request;
}

static void
on_done(void *user, const struct mica_host_reply *reply)
{
    struct program *program = user;

    program->ended++;
    FUZZ_MUST(program->ended <= program->taken);
    FUZZ_MUST((reply->code == NULL) == (reply->result.len > 0));
}

static void
on_progress(void *user, const struct mica_json *progress)
{
    (void)user;
    FUZZ_MUST(progress->kind == MICA_JSON_OBJECT);
}

static void
on_error(void *user, const struct mica_error *error)
{
    (void)user;
    FUZZ_MUST(error->code[0] != '\0' && error->message[0] != '\0');
}

static void
on_log(void *user, struct mica_text level, struct mica_text logger,
       const struct mica_json *data)
{
    (void)user;
    (void)logger;
    FUZZ_MUST(level.len > 0 && data != NULL);
}

// A request may end within the function that takes it.
static void
ask_view(struct program *program, char what, struct mica_text text)
{
    const struct mica_host_call call = {.done = on_done,
                                        .progress = on_progress,
                                        .user = program,
                                        .timeout_ms = 100,
                                        .now_ms = program->now_ms};
    const struct mica_text none = {NULL, 0};
    enum mica_status status;

    program->taken++;
    if (what == 'k')
        status =
            mica_host_call_tool(program->host, text, none, &call, NULL, NULL);
    else if (what == 'l')
        status = mica_host_list_tools(program->host, text, &call, NULL, NULL);
    else if (what == 'e')
        status = mica_host_elicit(program->host, text, &call, NULL, NULL);
    else if (what == 'q')
        status = mica_host_ping(program->host, &call, NULL, NULL);
    else
        status = mica_host_teardown(program->host, &call, NULL);
    if (status != MICA_OK)
        program->taken--;
}

static void
run_step(struct program *program, char what, struct mica_text text)
{
    struct mica_host *host = program->host;

    switch (what) {
    case 'i':
        (void)mica_host_tool_input(host, text, NULL);
        break;
    case 'p':
        (void)mica_host_tool_input_partial(host, text, NULL);
        break;
    case 'r':
        (void)mica_host_tool_result(host, text, NULL);
        break;
    case 'x':
        (void)mica_host_tool_cancelled(host, text, NULL);
        break;
    case 'c':
        (void)mica_host_set_context(host, text, NULL);
        break;
    case 's':
        (void)mica_host_set_server_tools(host, text, NULL);
        break;
    case 'a':
        (void)mica_host_answer(host, program->newest, text, NULL);
        break;
    case 'n':
        (void)mica_host_refuse(host, program->newest, -32000, text,
                               (struct mica_text){NULL, 0}, NULL);
        break;
    case 'g':
        (void)mica_host_progress(host, program->newest, text, NULL);
        break;
    case 'j':
        (void)mica_host_sandbox_resource(host, text, NULL);
        break;
    case 't':
        program->now_ms += 60;
        mica_host_tick(host, program->now_ms);
        break;
    case 'z':
        mica_host_close(host);
        break;
    case 'f':
        for (int i = 0; i < 50; i++)
            mica_host_receive(host, text, program->now_ms);
        break;
    case 'e':
    case 'k':
    case 'l':
    case 'q':
    case 'd':
        ask_view(program, what, text);
        break;
    default:
        mica_host_receive(host, text, program->now_ms);
    }
}

static void
check_host(const struct mica_host *host, enum mica_host_state before)
{
    enum mica_host_state now = mica_host_state(host);
    struct mica_host_usage usage;
    uint64_t at;

    // One step may move through several states, but not back.
    FUZZ_MUST(before < MICA_HOST_TEARDOWN || now >= before);
    FUZZ_MUST(before == MICA_HOST_LOADING || now != MICA_HOST_LOADING);
    mica_host_usage(host, &usage);
    FUZZ_MUST(usage.memory_most <= MEMORY_BYTES);
    FUZZ_MUST(now != MICA_HOST_CLOSED ||
              (usage.asked == 0 && usage.running == 0 && usage.queued == 0 &&
               !mica_host_due(host, &at)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct mica_host_callbacks callbacks = {
        .send = on_send,
        .open_link = on_link,
        .download = on_download,
        .message = on_value,
        .model_context = on_value,
        .request_display_mode = on_mode,
        .sample = on_value,
        .server_request = on_server,
        .log = on_log,
        .error = on_error};
    struct program program = {.host = NULL};
    const struct mica_host_options options = {
        .callbacks = callbacks,
        .user = &program,
        .name = "fuzz",
        .version = "1",
        .capabilities = MICA_LITERAL("{\"updateModelContext\":{}}"),
        .limits = {.memory_bytes = MEMORY_BYTES,
                   .message_bytes = MESSAGE_BYTES,
                   .open_requests = 4,
                   .queued = 4,
                   .burst = 64,
                   .rate = 100,
                   .refused = 20}};
    struct mica_text rest = {(const char *)bytes, size};

    FUZZ_MUST(mica_host_open(&options, NULL, &program.host) == MICA_OK);
    for (int steps = 0; rest.len > 0 && steps < 1000; steps++) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t length = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
        struct mica_text line = mica_text_slice(rest, 0, length);
        enum mica_host_state before = mica_host_state(program.host);
        if (line.len >= 2 && line.ptr[1] == ' ')
            run_step(&program, line.ptr[0], mica_text_slice(line, 2, line.len));
        else
            run_step(&program, 'm', line);
        check_host(program.host, before);
        rest = mica_text_slice(rest, length + 1, rest.len);
    }
    mica_host_close(program.host);
    check_host(program.host, MICA_HOST_CLOSED);
    FUZZ_MUST(program.taken == program.ended);
    mica_host_free(program.host);
    return 0;
}
