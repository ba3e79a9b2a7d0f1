// SPDX-License-Identifier: Apache-2.0
//
// prompts/list and prompts/get: messages to begin a conversation with.
#include "server/calls/resumable.h"

static const struct mica_text none = {NULL, 0};

// ---- prompts/list ----------------------------------------------------------------

static void
write_prompt(const struct mica_definition *prompt,
             const struct mica_list_reader *reader,
             struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    mica_write_base(prompt, reader->features, writer);
    if (prompt->arguments.len > 0) {
        mica_json_name(writer, "arguments");
        mica_json_raw(writer, prompt->arguments);
    }
    mica_write_meta(prompt, reader, writer);
    mica_json_close_object(writer);
}

// MCP: prompts/list.
void
mica_method_prompts_list(struct mica_message *message)
{
    mica_list(message, MICA_DEFINITION_PROMPT, "prompts", write_prompt);
}

// ---- prompts/get -----------------------------------------------------------------

// MCP: prompts/get: arguments are a map of strings. Returns false if an error reply is
// ready.
static bool
check_arguments(struct mica_message *message, const struct mica_json *arguments)
{
    if (arguments != NULL && arguments->kind != MICA_JSON_OBJECT) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_TYPE, none,
                         "params.arguments must be an object of strings, it is "
                         "%s",
                         mica_json_kind_name(arguments->kind));
        return false;
    }
    for (size_t i = 0; arguments != NULL && i < arguments->count; i++) {
        const struct mica_json_member *member = &arguments->members[i];
        struct mica_text name;
        if (member->value.kind == MICA_JSON_STRING)
            continue;
        name = mica_quote(message->arena, member->name);
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_TYPE, none,
                         "Argument %.*s of the prompt must be a string, it is "
                         "%s",
                         MICA_ARG(name),
                         mica_json_kind_name(member->value.kind));
        return false;
    }
    return true;
}

// MCP: prompts/get.
// [PROMPT-ARGUMENTS]
void
mica_method_prompts_get(struct mica_message *message)
{
    const struct mica_json *arguments =
        mica_json_get(message->request.params, "arguments");

    if (mica_message_target(message, MICA_DEFINITION_PROMPT, "name") == NULL ||
        !check_arguments(message, arguments))
        return;
    mica_message_prepare_run(
        message, arguments != NULL ? arguments->raw : MICA_LITERAL("{}"),
        mica_finish_prompt);
}
