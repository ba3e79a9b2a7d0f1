// SPDX-License-Identifier: Apache-2.0
//
// OpenAI Chat Completions, and what is compatible with it. The reference is named in
// model_wire.h: the objects chat.completion and chat.completion.chunk.
#include "model/model_wire.h"

#define TOOL "answer"

// ---- Asking --------------------------------------------------------------------------

static void
openai_message(struct mica_json_writer *writer, const char *rolez,
               struct mica_text text)
{
    mica_json_open_object(writer);
    mica_json_name(writer, "role");
    mica_json_stringz(writer, rolez);
    mica_json_field(writer, "content", text);
    mica_json_close_object(writer);
}

static void
openai_messages(const struct mica_model_prompt *prompt,
                struct mica_arena *arena, struct mica_json_writer *writer)
{
    struct mica_text system = mica_model_system(prompt, arena);

    mica_json_name(writer, "messages");
    mica_json_open_array(writer);
    if (system.len > 0)
        openai_message(writer, "system", system);
    for (size_t i = 0; i < prompt->count; i++)
        openai_message(writer,
                       prompt->messages[i].role == MICA_MODEL_ASSISTANT
                           ? "assistant"
                           : "user",
                       prompt->messages[i].text);
    mica_json_close_array(writer);
}

// response_format of structured outputs. `strict` promises the schema, and is refused with a
// schema outside of the provider's subset.
static void
openai_format(const struct mica_model_prompt *prompt, struct mica_arena *arena,
              struct mica_json_writer *writer)
{
    struct mica_json schema;
    bool strict =
        mica_json_read(arena, prompt->schema, NULL, NULL, &schema) == MICA_OK &&
        mica_model_schema_is_strict(&schema);

    mica_json_name(writer, "response_format");
    mica_json_open_object(writer);
    mica_json_field(writer, "type", MICA_LITERAL("json_schema"));
    mica_json_name(writer, "json_schema");
    mica_json_open_object(writer);
    mica_json_field(writer, "name", MICA_LITERAL(TOOL));
    mica_json_name(writer, "schema");
    mica_json_raw(writer, prompt->schema);
    if (strict) {
        mica_json_name(writer, "strict");
        mica_json_boolean(writer, true);
    }
    mica_json_close_object(writer);
    mica_json_close_object(writer);
}

static void
openai_tool(const struct mica_model_prompt *prompt,
            struct mica_json_writer *writer)
{
    mica_json_name(writer, "tools");
    mica_json_open_array(writer);
    mica_json_open_object(writer);
    mica_json_field(writer, "type", MICA_LITERAL("function"));
    mica_json_name(writer, "function");
    mica_json_open_object(writer);
    mica_json_field(writer, "name", MICA_LITERAL(TOOL));
    mica_json_field(writer, "description",
                    MICA_LITERAL("Takes the answer. Call it once."));
    mica_json_name(writer, "parameters");
    mica_json_raw(writer, prompt->schema);
    mica_json_close_object(writer);
    mica_json_close_object(writer);
    mica_json_close_array(writer);
    mica_json_name(writer, "tool_choice");
    mica_json_raw(writer, MICA_LITERAL("{\"type\":\"function\",\"function\":{"
                                       "\"name\":\"" TOOL "\"}}"));
}

void
mica_model_openai_write(const struct mica_model_prompt *prompt,
                        struct mica_arena *arena,
                        struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "model", prompt->model);
    openai_messages(prompt, arena, writer);
    mica_json_name(writer,
                   prompt->by_openai ? "max_completion_tokens" : "max_tokens");
    mica_json_integer(writer, prompt->max_tokens);
    if (prompt->stream)
        mica_json_name(writer, "stream");
    if (prompt->stream)
        mica_json_boolean(writer, true);
    if (prompt->stream)
        mica_json_name(writer, "stream_options");
    if (prompt->stream)
        mica_json_raw(writer, MICA_LITERAL("{\"include_usage\":true}"));
    if (prompt->schema.len > 0 && prompt->structure == MICA_MODEL_BY_SCHEMA)
        openai_format(prompt, arena, writer);
    if (prompt->schema.len > 0 && prompt->structure == MICA_MODEL_BY_TOOL)
        openai_tool(prompt, writer);
    mica_json_close_object(writer);
}

// ---- Reading -------------------------------------------------------------------------

// Words are a text, or a list of parts, of which some servers make use.
static void
openai_content(struct mica_model_reading *reading,
               const struct mica_json *content)
{
    if (content == NULL)
        return;
    if (content->kind == MICA_JSON_STRING)
        mica_model_take_words(reading, content->text);
    for (size_t i = 0; content->kind == MICA_JSON_ARRAY && i < content->count;
         i++)
        if (mica_text_is(mica_json_get_text(&content->items[i], "type"),
                         "text"))
            mica_model_take_words(
                reading, mica_json_get_text(&content->items[i], "text"));
}

static void
openai_calls(struct mica_model_reading *reading, const struct mica_json *calls)
{
    const struct mica_json *index, *function;

    if (calls == NULL || calls->kind != MICA_JSON_ARRAY || calls->count == 0)
        return;
    // A second call of the tool would be a second answer.
    index = mica_json_get(&calls->items[0], "index");
    if (index != NULL && !mica_text_is(index->raw, "0"))
        return;
    function = mica_json_get(&calls->items[0], "function");
    if (function != NULL)
        mica_model_take_arguments(reading,
                                  mica_json_get_text(function, "arguments"));
}

static void
openai_finish(struct mica_model_reading *reading, struct mica_text reason)
{
    if (reason.len == 0)
        return;
    mica_model_take_reason(reading);
    reading->cut = mica_text_is(reason, "length");
    if (mica_text_is(reason, "content_filter"))
        reading->trouble = MICA_MODEL_REFUSAL;
}

// `where` has the words: "delta" in a stream, "message" in a body.
static void
openai_choice(struct mica_model_reading *reading,
              const struct mica_json *choices, const char *where)
{
    const struct mica_json *words;

    // The last chunk of a stream has the usage and no choice.
    if (choices == NULL || choices->kind != MICA_JSON_ARRAY ||
        choices->count == 0)
        return;
    words = mica_json_get(&choices->items[0], where);
    openai_content(reading, mica_json_get(words, "content"));
    openai_calls(reading, mica_json_get(words, "tool_calls"));
    if (mica_json_get_text(words, "refusal").len > 0)
        reading->trouble = MICA_MODEL_REFUSAL;
    openai_finish(reading,
                  mica_json_get_text(&choices->items[0], "finish_reason"));
}

static void
openai_usage(struct mica_model_reading *reading, const struct mica_json *usage)
{
    if (usage == NULL || usage->kind != MICA_JSON_OBJECT)
        return;
    reading->prompt_tokens = mica_model_tokens(usage, "prompt_tokens");
    reading->completion_tokens = mica_model_tokens(usage, "completion_tokens");
}

void
mica_model_openai_event(struct mica_model_reading *reading,
                        const struct mica_json *event)
{
    const struct mica_json *error = mica_json_get(event, "error");

    if (error != NULL && error->kind != MICA_JSON_NULL) {
        mica_model_take_fault(reading, error);
        return;
    }
    mica_model_take_model(reading, event);
    openai_choice(reading, mica_json_get(event, "choices"), "delta");
    openai_usage(reading, mica_json_get(event, "usage"));
}

void
mica_model_openai_body(struct mica_model_reading *reading,
                       const struct mica_json *body)
{
    const struct mica_json *choices = mica_json_get(body, "choices");

    if (choices == NULL || choices->kind != MICA_JSON_ARRAY ||
        choices->count == 0 ||
        mica_json_get(&choices->items[0], "message") == NULL) {
        reading->trouble = MICA_MODEL_NONSENSE;
        return;
    }
    mica_model_take_model(reading, body);
    openai_choice(reading, choices, "message");
    openai_usage(reading, mica_json_get(body, "usage"));
    reading->extent = MICA_MODEL_WHOLE;
}
