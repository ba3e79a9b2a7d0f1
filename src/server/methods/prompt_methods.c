// SPDX-License-Identifier: Apache-2.0
//
// prompts/list and prompts/get: messages to begin a conversation with, and how a
// prompt is offered.
#include "server/calls/round.h"

#include <string.h>

static const struct mica_text none = {NULL, 0};

enum {
    ARGUMENTS_BYTES = 1 << 20
};

// ---- prompts/list ----------------------------------------------------------------

static void
write_prompt(const struct mica_definition *prompt,
             const struct mica_wire_features *features,
             struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    mica_write_base(prompt, features, writer);
    if (prompt->arguments.len > 0) {
        mica_json_name(writer, "arguments");
        mica_json_raw(writer, prompt->arguments);
    }
    mica_write_meta(prompt, features, writer);
    mica_json_close_object(writer);
}

// MCP: prompts/list.
void
mica_method_prompts_list(struct mica_message *message)
{
    mica_list(message, MICA_OFFER_PROMPT, "prompts", write_prompt);
}

// ---- prompts/get -----------------------------------------------------------------

void
mica_finish_prompt(struct mica_message *message)
{
    const struct mica_result *result = &message->call.result;
    struct mica_json_writer writer;

    if (result->status != MICA_OK) {
        mica_reply_failure(
            message, (enum mica_rpc_error)mica_status_json_rpc(result->status),
            none);
        return;
    }
    mica_reply_open(message, &writer);
    mica_json_field(&writer, "description", message->target->description);
    mica_json_name(&writer, "messages");
    mica_json_open_array(&writer);
    for (const struct mica_content *block = result->content; block != NULL;
         block = block->next) {
        mica_json_open_object(&writer);
        mica_json_field(&writer, "role",
                        block->by_assistant ? MICA_LITERAL("assistant")
                                            : MICA_LITERAL("user"));
        mica_json_name(&writer, "content");
        mica_write_block(message, &writer, block);
        mica_json_close_object(&writer);
    }
    mica_json_close_array(&writer);
    mica_reply_close(message, &writer, none);
}

// MCP: prompts/get: arguments are a map of strings. False: a reply is ready.
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
        name = mica_quote(message, member->name);
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
        mica_json_get(message->params, "arguments");

    if (mica_message_target(message, MICA_OFFER_PROMPT, "name") == NULL ||
        !check_arguments(message, arguments))
        return;
    mica_message_run(message,
                     arguments != NULL ? arguments->raw : MICA_LITERAL("{}"),
                     mica_finish_prompt);
}

// ---- Offering --------------------------------------------------------------------

// What a client shows beside the argument; the choices, as there is no schema.
static void
write_description(struct mica_definition *prompt,
                  const struct mica_field *field,
                  struct mica_json_writer *writer)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &prompt->arena, ARGUMENTS_BYTES);
    mica_buffer_text(&text, mica_text(field->description));
    if (field->type->kind == MICA_KIND_CHOICE) {
        for (size_t i = 0; i < field->type->choice_count; i++)
            mica_buffer_format(&text, "%s%s", i == 0 ? " One of: " : ", ",
                               field->type->choices[i]);
        mica_buffer_char(&text, '.');
    }
    mica_json_field(writer, "description", mica_buffer_as_text(&text));
}

static void
render_arguments(struct mica_definition *prompt)
{
    const struct mica_record *record = prompt->input;
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    if (record->count == 0)
        return;
    mica_buffer_init(&buffer, &prompt->arena, ARGUMENTS_BYTES);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_array(&writer);
    for (size_t i = 0; i < record->count; i++) {
        const struct mica_field *field = &record->fields[i];
        mica_json_open_object(&writer);
        mica_json_field(&writer, "name", mica_text(field->name));
        write_description(prompt, field, &writer);
        mica_json_name(&writer, "required");
        mica_json_boolean(&writer, !field->optional && field->fallback == NULL);
        mica_json_close_object(&writer);
    }
    mica_json_close_array(&writer);
    prompt->arguments = mica_buffer_as_text(&buffer);
}

static enum mica_status
describe(const struct mica_prompt *prompt, struct mica_definition *definition,
         struct mica_error *error)
{
    if (prompt->handler == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "prompt '%s' needs a .handler",
                              prompt->name != NULL ? prompt->name : "");
    MICA_TRY(mica_define_common(
        definition, prompt->name, prompt->title, prompt->description,
        prompt->icons, prompt->icon_count, prompt->meta, prompt->scope, error));
    definition->complete = prompt->complete;
    MICA_TRY(
        mica_define_handler(definition, prompt->input, prompt->handler, error));
    render_arguments(definition);
    return MICA_OK;
}

enum mica_status
mica_server_add_prompt(struct mica_server *server,
                       const struct mica_prompt *prompt, void *user,
                       struct mica_error *error)
{
    struct mica_definition *definition = mica_definition_new(MICA_OFFER_PROMPT);
    enum mica_status status;

    if (definition == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more prompt");
    status = describe(prompt, definition, error);
    if (status != MICA_OK) {
        mica_definition_drop(definition);
        return status;
    }
    definition->runnable.user = user;
    return mica_server_define(server, definition, error);
}
