// SPDX-License-Identifier: Apache-2.0
//
// Requests that wait for a tool which is still being built: a list of tools, or a call of
// that tool. The adapter begins them again when the tools are built, or when the wait
// has reached its limit.
#include "server/message.h"

#include <string.h>

// Finds the tool that a request needs; empty: all tools. Returns false if it needs none,
// or one that is built.
static bool
needs_tool(struct mica_message *message, struct mica_text method,
           const struct mica_json *params, struct mica_text *name_out)
{
    const struct mica_json *name;

    *name_out = (struct mica_text){NULL, 0};
    if (mica_text_is(method, "tools/list"))
        return true;
    if (!mica_text_is(method, "tools/call") || params == NULL)
        return false;
    name = mica_json_get(params, "name");
    if (name == NULL || name->kind != MICA_JSON_STRING || name->text.len == 0)
        return false;
    *name_out = name->text;
    return !mica_registry_has_tool(&message->server->registry,
                                   message->request.endpoint, name->text);
}

bool
mica_message_waits_for(struct mica_message *message, struct mica_text method,
                       const struct mica_json *params)
{
    struct mica_text name;
    size_t ready, all;

    return (message->request.takes & MICA_TAKES_BUILD_WAIT) != 0 &&
           message->server->coming != NULL &&
           needs_tool(message, method, params, &name) &&
           mica_message_expects(message, name, &ready, &all);
}

bool
mica_message_awaits_build(struct mica_message *message)
{
    if (message->request.batch_root == NULL)
        return mica_message_waits_for(message, message->request.method,
                                      message->request.params);
    for (size_t i = 0; i < message->request.batch_root->count; i++) {
        const struct mica_json *item = &message->request.batch_root->items[i];
        if (item->kind == MICA_JSON_OBJECT &&
            mica_message_waits_for(message, mica_json_get_text(item, "method"),
                                   mica_json_get(item, "params")))
            return true;
    }
    return false;
}

// Sends progress below 1, so that the handler's own progress can still rise.
void
mica_message_send_build_progress(struct mica_message *message)
{
    struct mica_notice notice = {.kind = MICA_NOTICE_PROGRESS, .total = 1};
    char storage[64];
    struct mica_buffer words = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    size_t ready = 0, all = 0;

    (void)mica_message_expects(message, (struct mica_text){NULL, 0}, &ready,
                               &all);
    if (all == 0 || ready >= all || message->request.progress_token.len == 0)
        return;
    mica_buffer_format(&words, "built %zu of %zu tools", ready, all);
    notice.progress = (double)ready / (double)all;
    notice.message = mica_buffer_as_text(&words);
    mica_message_send_notice(message, &notice);
}
