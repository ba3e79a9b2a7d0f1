// SPDX-License-Identifier: Apache-2.0
//
// Cursors: the input is what a client sends as the cursor of a list. With the
// keys of a store every one is refused. With a sealer that hides nothing it is
// the inside of one, as an older server may have sealed it: any page is a part
// of the list, and from there the pages come to their end. An empty text is
// refused by both, because no sealer makes one.
#include <string.h>

#include <mica/server.h>

#include "server/sealer.h"
#include "server/server.h"
#include "store/store_sealer.h"
#include "target.h"

enum {
    TOOLS = 7,
    PAGE = 2
};

// ---- Two sealers -----------------------------------------------------------------

static enum mica_status
show(void *user, int64_t now, struct mica_text plain, struct mica_text bound,
     struct mica_error *error, struct mica_buffer *out)
{
    (void)user, (void)now, (void)bound, (void)error;
    mica_buffer_text(out, plain);
    return MICA_OK;
}

static const struct mica_sealer open_sealer = {.seal = show, .open = show};

static const struct mica_sealer *
real_sealer(void)
{
    static struct mica_store *store;
    static struct mica_store_sealer *keys;
    static struct mica_sealer sealer;

    if (keys == NULL) {
        FUZZ_MUST(mica_store_open("memory", NULL, NULL, &store) == MICA_OK);
        FUZZ_MUST(mica_store_sealer_open(store, NULL, &keys) == MICA_OK);
        sealer = mica_store_sealer(keys);
    }
    return &sealer;
}

// ---- A server of a few tools -------------------------------------------------------

static enum mica_status
nothing(struct mica_call *call, const struct mica_json *in,
        struct mica_json_writer *out)
{
    (void)call, (void)in, (void)out;
    return MICA_OK;
}

static struct mica_server *
some_server(void)
{
    static const char *const names[TOOLS] = {"a", "b",  "c", "dd",
                                             "e", "ee", "f"};
    static struct mica_server *server;
    struct mica_server_options options = {
        .name = "fuzz", .version = "1", .page_items = PAGE};

    if (server != NULL)
        return server;
    FUZZ_MUST(mica_server_open(&options, NULL, &server) == MICA_OK);
    for (size_t i = 0; i < TOOLS; i++) {
        struct mica_tool tool = {.name = names[i],
                                 .description = "Does nothing.",
                                 .input_schema = "{\"type\":\"object\"}",
                                 .json_handler = nothing};
        FUZZ_MUST(mica_server_add_tool(server, &tool, NULL, NULL) == MICA_OK);
    }
    return server;
}

// ---- Asking ----------------------------------------------------------------------

// The reply to tools/list with that cursor.
static const struct mica_json *
ask(struct mica_arena *arena, struct mica_text cursor, struct mica_json *reply)
{
    struct mica_line_state state = {.initialized = false};
    struct mica_json_writer writer;
    struct mica_message message;
    struct mica_buffer line;

    mica_buffer_init(&line, arena, 1 << 20);
    mica_json_writer_init(&writer, &line);
    mica_buffer_text(
        &line,
        MICA_LITERAL("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                     "\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
                     "protocolVersion\":\"2026-07-28\",\"io."
                     "modelcontextprotocol/clientCapabilities\":{}},"
                     "\"cursor\":"));
    mica_json_string(&writer, cursor);
    mica_buffer_text(&line, MICA_LITERAL("}}"));
    mica_message_init(&message, some_server(), arena);
    mica_message_line(&message, &state, mica_buffer_as_text(&line));
    FUZZ_MUST(message.step == MICA_STEP_REPLY);
    FUZZ_MUST(mica_json_read(arena, mica_buffer_as_text(&message.reply.text),
                             NULL, NULL, reply) == MICA_OK);
    mica_message_end(&message);
    return mica_json_get(reply, "result");
}

static void
follow(struct mica_arena *arena, struct mica_text cursor)
{
    struct mica_json reply;
    size_t seen = 0;

    for (size_t pages = 0; pages == 0 || cursor.len > 0; pages++) {
        const struct mica_json *result = ask(arena, cursor, &reply);
        size_t count;
        FUZZ_MUST(result != NULL);
        count = mica_json_get(result, "tools")->count;
        cursor = mica_json_get_text(result, "nextCursor");
        FUZZ_MUST(cursor.len == 0 ? count <= PAGE : count == PAGE);
        seen += count;
        FUZZ_MUST(seen <= TOOLS);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text cursor = {(const char *)bytes, size};
    struct mica_server *server = some_server();
    struct mica_json reply;
    struct mica_arena arena;

    if (size > 16 * 1024 || mica_utf8_valid(cursor) != size)
        return 0;
    mica_arena_init(&arena, 64 << 20);
    server->sealer = real_sealer();
    FUZZ_MUST(ask(&arena, cursor, &reply) == NULL);
    FUZZ_MUST(mica_text_is(
        mica_json_get(mica_json_get(&reply, "error"), "code")->raw, "-32602"));
    server->sealer = &open_sealer;
    if (size == 0)
        FUZZ_MUST(ask(&arena, cursor, &reply) == NULL);
    else
        follow(&arena, cursor);
    mica_arena_fini(&arena);
    return 0;
}
