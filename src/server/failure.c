// SPDX-License-Identifier: Apache-2.0
//
// Writes the failure of a call as a JSON-RPC error: for resources, prompts and completion.
// The failure of a tool is a result, which the model reads (tool_result.c).
#include "server/message.h"
#include "server/message_surface.h"

#include <string.h>

enum {
    FAILURE_BYTES = 64 << 10
};

bool
mica_code_is_ours(struct mica_text code)
{
    for (int i = 0; i < MICA_STATUS_COUNT; i++) {
        if (mica_text_is(code, mica_status_code((enum mica_status)i)))
            return true;
    }
    return false;
}

const char *
mica_keep_code(struct mica_message *message, struct mica_text code, bool own)
{
    const char *kept;

    if (own && mica_code_is_ours(code))
        return mica_status_code(MICA_FAILED);
    kept = mica_arena_text(message->arena, code).ptr;
    return kept != NULL
               ? kept
               : mica_status_code(message->execution.call.result.status);
}

// Reads the error of the call as JSON. Returns false for want of memory.
static bool
read_failure(const struct mica_message *message, struct mica_arena *arena,
             struct mica_json *failure_out)
{
    memset(failure_out, 0, sizeof *failure_out);
    return mica_json_read(arena, message->execution.call.result.error, NULL,
                          NULL, failure_out) == MICA_OK;
}

struct mica_text
mica_failure_code(const struct mica_message *message, struct mica_arena *arena)
{
    struct mica_json failure;

    if (read_failure(message, arena, &failure))
        return mica_json_get_text(&failure, "code");
    return mica_text(mica_status_code(message->execution.call.result.status));
}

void
mica_reply_failure(struct mica_message *message, enum mica_rpc_error rpc,
                   struct mica_text data)
{
    enum mica_status status = message->execution.call.result.status;
    struct mica_text code, text, path;
    struct mica_json_writer writer;
    struct mica_json failure;
    struct mica_buffer more;
    struct mica_arena own; // the call may have used up its own memory

    mica_arena_init(&own, FAILURE_BYTES + data.len);
    code = mica_text(mica_status_code(status));
    text = mica_text(mica_status_meaning(status));
    path = (struct mica_text){NULL, 0};
    if (read_failure(message, &own, &failure)) {
        code = mica_json_get_text(&failure, "code");
        text = mica_json_get_text(&failure, "message");
        path = mica_json_get_text(&failure, "path");
    }
    mica_buffer_init(&more, &own, FAILURE_BYTES + data.len);
    mica_json_writer_init(&writer, &more);
    if (data.len > 0)
        mica_json_raw(&writer, data);
    if (path.len > 0)
        mica_json_field(&writer, "path", path);
    // The program wrote this resource or prompt, so its NOT_FOUND is mica's code.
    mica_reply_code(message, 200, rpc, mica_keep_code(message, code, false),
                    mica_buffer_as_text(&more), text);
    mica_arena_fini(&own);
}
