// SPDX-License-Identifier: Apache-2.0
//
// Anthropic Messages, and what is compatible with it. The reference is named in
// model_wire.h. Events that it does not list are skipped, as its versioning policy asks for.
#include "model/model_wire.h"

#define TOOL "answer"

// ---- Asking --------------------------------------------------------------------------

static void
anthropic_messages(const struct mica_model_prompt *prompt,
                   struct mica_json_writer *writer)
{
    mica_json_name(writer, "messages");
    mica_json_open_array(writer);
    for (size_t i = 0; i < prompt->count; i++) {
        bool assistant = prompt->messages[i].role == MICA_MODEL_ASSISTANT;
        mica_json_open_object(writer);
        mica_json_name(writer, "role");
        mica_json_stringz(writer, assistant ? "assistant" : "user");
        mica_json_field(writer, "content", prompt->messages[i].text);
        mica_json_close_object(writer);
    }
    mica_json_close_array(writer);
}

// output_config.format takes a subset of JSON Schema, and refuses a schema outside of it;
// the caller checks the answer by the whole schema.
static void
anthropic_format(const struct mica_json *schema,
                 struct mica_json_writer *writer)
{
    mica_json_name(writer, "output_config");
    mica_json_open_object(writer);
    mica_json_name(writer, "format");
    mica_json_open_object(writer);
    mica_json_field(writer, "type", MICA_LITERAL("json_schema"));
    mica_json_name(writer, "schema");
    mica_model_schema_write(writer, schema);
    mica_json_close_object(writer);
    mica_json_close_object(writer);
}

static void
anthropic_tool(const struct mica_model_prompt *prompt,
               struct mica_json_writer *writer)
{
    mica_json_name(writer, "tools");
    mica_json_open_array(writer);
    mica_json_open_object(writer);
    mica_json_field(writer, "name", MICA_LITERAL(TOOL));
    mica_json_field(writer, "description",
                    MICA_LITERAL("Takes the answer. Call it once."));
    mica_json_name(writer, "input_schema");
    mica_json_raw(writer, prompt->schema);
    mica_json_close_object(writer);
    mica_json_close_array(writer);
    mica_json_name(writer, "tool_choice");
    mica_json_raw(writer,
                  MICA_LITERAL("{\"type\":\"tool\",\"name\":\"" TOOL "\"}"));
}

void
mica_model_anthropic_write(const struct mica_model_prompt *prompt,
                           struct mica_arena *arena,
                           struct mica_json_writer *writer)
{
    struct mica_text system = mica_model_system(prompt, arena);
    struct mica_json schema;

    mica_json_open_object(writer);
    mica_json_field(writer, "model", prompt->model);
    mica_json_name(writer, "max_tokens");
    mica_json_integer(writer, prompt->max_tokens);
    if (system.len > 0)
        mica_json_field(writer, "system", system);
    anthropic_messages(prompt, writer);
    if (prompt->stream)
        mica_json_name(writer, "stream");
    if (prompt->stream)
        mica_json_boolean(writer, true);
    if (prompt->schema.len > 0 && prompt->structure == MICA_MODEL_BY_SCHEMA &&
        mica_json_read(arena, prompt->schema, NULL, NULL, &schema) == MICA_OK)
        anthropic_format(&schema, writer);
    if (prompt->schema.len > 0 && prompt->structure == MICA_MODEL_BY_TOOL)
        anthropic_tool(prompt, writer);
    mica_json_close_object(writer);
}

// ---- Reading -------------------------------------------------------------------------

static void
anthropic_finish(struct mica_model_reading *reading, struct mica_text reason)
{
    if (reason.len == 0)
        return;
    mica_model_take_reason(reading);
    reading->cut = mica_text_is(reason, "max_tokens") ||
                   mica_text_is(reason, "model_context_window_exceeded");
    if (mica_text_is(reason, "refusal"))
        reading->trouble = MICA_MODEL_REFUSAL;
}

// message_start tells what was read, message_delta what was written, in all until then.
static void
anthropic_usage(struct mica_model_reading *reading,
                const struct mica_json *usage)
{
    uint64_t prompt = mica_model_tokens(usage, "input_tokens") +
                      mica_model_tokens(usage, "cache_creation_input_tokens") +
                      mica_model_tokens(usage, "cache_read_input_tokens");
    uint64_t completion = mica_model_tokens(usage, "output_tokens");

    if (prompt > 0)
        reading->prompt_tokens = prompt;
    if (completion > 0)
        reading->completion_tokens = completion;
}

static void
anthropic_block_start(struct mica_model_reading *reading,
                      const struct mica_json *block)
{
    // A tool without arguments sends no delta.
    if (mica_text_is(mica_json_get_text(block, "type"), "tool_use"))
        mica_model_take_arguments(reading, MICA_LITERAL(""));
    else
        mica_model_take_words(reading, mica_json_get_text(block, "text"));
}

static void
anthropic_delta(struct mica_model_reading *reading,
                const struct mica_json *delta)
{
    struct mica_text type = mica_json_get_text(delta, "type");

    // Others are of thinking, signatures and citations.
    if (mica_text_is(type, "text_delta"))
        mica_model_take_words(reading, mica_json_get_text(delta, "text"));
    else if (mica_text_is(type, "input_json_delta"))
        mica_model_take_arguments(reading,
                                  mica_json_get_text(delta, "partial_json"));
}

static void
anthropic_end(struct mica_model_reading *reading)
{
    if (reading->by_tool && reading->text.len == 0)
        mica_buffer_text(&reading->text, MICA_LITERAL("{}"));
    reading->extent = MICA_MODEL_WHOLE;
}

void
mica_model_anthropic_event(struct mica_model_reading *reading,
                           struct mica_text name, const struct mica_json *event)
{
    struct mica_text type = mica_json_get_text(event, "type");
    const struct mica_json *message = mica_json_get(event, "message");
    const struct mica_json *delta = mica_json_get(event, "delta");

    if (type.len == 0)
        type = name;
    if (mica_text_is(type, "error")) {
        mica_model_take_fault(reading, mica_json_get(event, "error"));
    } else if (mica_text_is(type, "message_start")) {
        mica_model_take_model(reading, message);
        anthropic_usage(reading, mica_json_get(message, "usage"));
    } else if (mica_text_is(type, "content_block_start")) {
        anthropic_block_start(reading, mica_json_get(event, "content_block"));
    } else if (mica_text_is(type, "content_block_delta")) {
        anthropic_delta(reading, delta);
    } else if (mica_text_is(type, "message_delta")) {
        anthropic_finish(reading, mica_json_get_text(delta, "stop_reason"));
        anthropic_usage(reading, mica_json_get(event, "usage"));
    } else if (mica_text_is(type, "message_stop")) {
        anthropic_end(reading);
    }
}

void
mica_model_anthropic_body(struct mica_model_reading *reading,
                          const struct mica_json *body)
{
    const struct mica_json *content = mica_json_get(body, "content");

    if (content == NULL || content->kind != MICA_JSON_ARRAY) {
        reading->trouble = MICA_MODEL_NONSENSE;
        return;
    }
    mica_model_take_model(reading, body);
    for (size_t i = 0; i < content->count; i++) {
        const struct mica_json *block = &content->items[i];
        const struct mica_json *input = mica_json_get(block, "input");
        struct mica_text type = mica_json_get_text(block, "type");
        if (mica_text_is(type, "text"))
            mica_model_take_words(reading, mica_json_get_text(block, "text"));
        else if (mica_text_is(type, "tool_use") && input != NULL)
            mica_model_take_arguments(reading, input->raw);
    }
    anthropic_finish(reading, mica_json_get_text(body, "stop_reason"));
    anthropic_usage(reading, mica_json_get(body, "usage"));
    anthropic_end(reading);
}
