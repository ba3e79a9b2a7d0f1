// SPDX-License-Identifier: Apache-2.0
//
// Lines of stdin, one after another on one connection, as the protocol core sees
// them. Whatever comes, each reply is one line and one JSON-RPC response.
#include <string.h>

#include "echo.h"
#include "server/server.h"

static void
check_reply(struct mica_text reply)
{
    struct mica_arena arena;
    struct mica_json value;

    mica_arena_init(&arena, 32 << 20);
    FUZZ_MUST(memchr(reply.ptr, '\n', reply.len) == NULL);
    FUZZ_MUST(mica_json_read(&arena, reply, NULL, NULL, &value) == MICA_OK);
    FUZZ_MUST(mica_text_is(mica_json_get_text(&value, "jsonrpc"), "2.0"));
    FUZZ_MUST((mica_json_get(&value, "result") == NULL) !=
              (mica_json_get(&value, "error") == NULL));
    mica_arena_fini(&arena);
}

static void
say(struct mica_line_state *state, struct mica_arena *arena,
    struct mica_text line)
{
    struct mica_message message;

    mica_arena_reset(arena);
    mica_message_init(&message, echo_server(), arena);
    mica_message_line(&message, state, line);
    if (message.step == MICA_STEP_WORK)
        mica_message_execute(&message);
    FUZZ_MUST(message.step != MICA_STEP_WORK);
    if (message.step == MICA_STEP_REPLY)
        check_reply(mica_buffer_as_text(&message.reply.text));
    mica_message_end(&message);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text rest = {(const char *)bytes, size};
    struct mica_line_state state = {.initialized = false};
    struct mica_arena arena;

    if (size > 16 * 1024)
        return 0;
    mica_arena_init(&arena, 32 << 20);
    while (rest.len > 0) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t length = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        say(&state, &arena, mica_text_slice(rest, 0, length));
        rest = mica_text_slice(rest, length + 1, rest.len);
    }
    mica_arena_fini(&arena);
    return 0;
}
