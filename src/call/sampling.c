// SPDX-License-Identifier: Apache-2.0
//
// The request to a model, and its answer (MCP: CreateMessageRequest and -Result). A model
// answers with text: if the tool wants an object, this searches the text for it, as it may
// be inside a code fence or between sentences.
#include <math.h>
#include <string.h>

#include "call/form_parts.h"
#include "call/turn.h"
#include "schema/record.h"

enum {
    MAX_TOKENS = 1000,
    // Opening braces that the search tries; bounds the work on an answer that is full of
    // braces.
    ATTEMPTS = 64
};

// ---- The question ----------------------------------------------------------

static enum mica_status
check_priority(struct mica_error *error, const char *namez, double value)
{
    char number[MICA_NUMBER_SIZE];
    if (value >= 0 && value <= 1)
        return MICA_OK;
    (void)mica_number_write(value, number);
    return mica_error_set(error, MICA_E_RANGE, "",
                          "the .%s priority of a model must be from 0 to 1, "
                          "but is %s",
                          namez, number);
}

static enum mica_status
check_preferences(const struct mica_preferences *preferences,
                  struct mica_error *error)
{
    MICA_TRY(check_priority(error, "cost", preferences->cost));
    MICA_TRY(check_priority(error, "speed", preferences->speed));
    MICA_TRY(check_priority(error, "intelligence", preferences->intelligence));
    for (const char *const *hint = preferences->hints;
         hint != NULL && *hint != NULL; hint++)
        if (**hint == '\0')
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "a hint of a sampling is empty; name a "
                                  "model, or a family of models");
    return MICA_OK;
}

enum mica_status
mica_sampling_check(const struct mica_sampling *sampling,
                    struct mica_error *error)
{
    bool prompts = sampling->prompt.len > 0;
    if (sampling->message_count > 0 && sampling->messages == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "a sampling has .message_count, but no "
                              ".messages");
    if (prompts == (sampling->message_count > 0))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "a sampling has %s; give it one of the two",
                              prompts ? ".prompt and .messages"
                                      : "neither .prompt nor .messages");
    for (size_t i = 0; i < sampling->message_count; i++)
        if (sampling->messages[i].role != MICA_USER &&
            sampling->messages[i].role != MICA_ASSISTANT)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "message %zu of a sampling has no role that "
                                  "there is",
                                  i);
    return check_preferences(&sampling->preferences, error);
}

static void
write_message(struct mica_json_writer *writer, enum mica_role role,
              struct mica_text text)
{
    mica_json_open_object(writer);
    mica_json_name(writer, "role");
    mica_json_stringz(writer, role == MICA_USER ? "user" : "assistant");
    mica_json_name(writer, "content");
    mica_json_open_object(writer);
    mica_json_name(writer, "type");
    mica_json_stringz(writer, "text");
    mica_json_name(writer, "text");
    mica_form_string(writer, &text, 1);
    mica_json_close_object(writer);
    mica_json_close_object(writer);
}

static void
write_messages(struct mica_json_writer *writer,
               const struct mica_sampling *sampling)
{
    mica_json_name(writer, "messages");
    mica_json_open_array(writer);
    if (sampling->prompt.len > 0)
        write_message(writer, MICA_USER, sampling->prompt);
    for (size_t i = 0; i < sampling->message_count; i++)
        write_message(writer, sampling->messages[i].role,
                      sampling->messages[i].text);
    mica_json_close_array(writer);
}

// Writes the author's system prompt, and the schema of a structured answer.
static void
write_system_prompt(struct mica_json_writer *writer, struct mica_text own,
                    struct mica_text schema, struct mica_text fault)
{
    const struct mica_text none = {NULL, 0};
    bool structured = schema.len > 0, failed = fault.len > 0;
    const struct mica_text parts[] = {
        own,
        own.len > 0 && (structured || failed) ? MICA_LITERAL("\n\n") : none,
        structured ? MICA_LITERAL("Answer with one JSON object and nothing "
                                  "else. It must be valid under this JSON "
                                  "Schema:\n")
                   : none,
        schema,
        structured && failed ? MICA_LITERAL("\n\n") : none,
        failed ? MICA_LITERAL("Your answer before was refused: ") : none,
        fault,
    };
    if (own.len == 0 && !structured && !failed)
        return;
    mica_json_name(writer, "systemPrompt");
    mica_form_string(writer, parts, MICA_COUNT(parts));
}

static void
name_priority(struct mica_json_writer *writer, const char *namez, double value)
{
    if (value == 0 || !isfinite(value)) // which JSON cannot say
        return;
    mica_json_name(writer, namez);
    mica_json_number(writer, value);
}

static void
write_hints(struct mica_json_writer *writer, const char *const *hints)
{
    mica_json_name(writer, "hints");
    mica_json_open_array(writer);
    for (; *hints != NULL; hints++) {
        struct mica_text name = mica_text(*hints);
        mica_json_open_object(writer);
        mica_json_name(writer, "name");
        mica_form_string(writer, &name, 1);
        mica_json_close_object(writer);
    }
    mica_json_close_array(writer);
}

static void
write_preferences(struct mica_json_writer *writer,
                  const struct mica_preferences *preferences)
{
    bool hinted = preferences->hints != NULL && preferences->hints[0] != NULL;
    if (!hinted && preferences->cost == 0 && preferences->speed == 0 &&
        preferences->intelligence == 0)
        return;
    mica_json_name(writer, "modelPreferences");
    mica_json_open_object(writer);
    if (hinted)
        write_hints(writer, preferences->hints);
    name_priority(writer, "costPriority", preferences->cost);
    name_priority(writer, "speedPriority", preferences->speed);
    name_priority(writer, "intelligencePriority", preferences->intelligence);
    mica_json_close_object(writer);
}

void
mica_sampling_params(const struct mica_sampling *sampling,
                     struct mica_text schema, struct mica_text fault,
                     struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    write_messages(writer, sampling);
    write_system_prompt(writer, sampling->system_prompt, schema, fault);
    mica_json_name(writer, "maxTokens");
    mica_json_integer(writer, sampling->max_tokens > 0 ? sampling->max_tokens
                                                       : MAX_TOKENS);
    write_preferences(writer, &sampling->preferences);
    mica_json_close_object(writer);
}

// Hashes the roles in their order; a prompt is a message of the user.
uint64_t
mica_sampling_hash(const struct mica_sampling *sampling)
{
    uint64_t hash = MICA_HASH_START;
    if (sampling->prompt.len > 0)
        hash = mica_form_hash_count(hash, MICA_USER);
    for (size_t i = 0; i < sampling->message_count; i++)
        hash = mica_form_hash_count(hash, sampling->messages[i].role);
    return hash;
}

// ---- The answer ------------------------------------------------------------

static enum mica_status
add_block(struct mica_buffer *text, const struct mica_json *block,
          struct mica_error *error)
{
    struct mica_text type = mica_json_get_text(block, "type");
    const struct mica_json *words = mica_json_get(block, "text");
    if (type.ptr == NULL)
        return mica_error_set(error, MICA_E_TYPE, "/content",
                              "the client's answer to sampling has content "
                              "that is no block; it must be an object with a "
                              "\"type\"");
    if (!mica_text_is(type, "text"))
        return MICA_OK;
    if (words == NULL || words->kind != MICA_JSON_STRING)
        return mica_error_set(error, MICA_E_TYPE, "/content",
                              "the client's answer to sampling has a block of "
                              "type text without a string in \"text\"");
    mica_buffer_text(text, words->text);
    return MICA_OK;
}

static enum mica_status
add_content(struct mica_buffer *text, const struct mica_json *content,
            struct mica_error *error)
{
    if (content == NULL ||
        (content->kind != MICA_JSON_OBJECT && content->kind != MICA_JSON_ARRAY))
        return mica_error_set(error, MICA_E_TYPE, "/content",
                              "the client's answer to sampling must have "
                              "\"content\", a block or an array of blocks");
    if (content->kind == MICA_JSON_OBJECT)
        return add_block(text, content, error);
    for (size_t i = 0; i < content->count; i++)
        MICA_TRY(add_block(text, &content->items[i], error));
    return MICA_OK;
}

void
mica_sampling_write_answer(struct mica_json_writer *writer,
                           struct mica_text words, const char *modelz)
{
    mica_json_field(writer, "role", MICA_LITERAL("assistant"));
    mica_json_name(writer, "content");
    mica_json_open_object(writer);
    mica_json_field(writer, "type", MICA_LITERAL("text"));
    mica_json_field(writer, "text", words);
    mica_json_close_object(writer);
    mica_json_field(writer, "model", mica_text(modelz));
}

enum mica_status
mica_sampling_text(const struct mica_json *result, struct mica_arena *arena,
                   struct mica_error *error, struct mica_text *text_out)
{
    struct mica_buffer text;
    mica_buffer_init(&text, arena, arena->cap);
    MICA_TRY(add_content(&text, mica_json_get(result, "content"), error));
    if (text.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "/content",
                              "the model's words need more memory than one "
                              "call may use");
    if (text.len == 0)
        return mica_error_set(error, MICA_E_TYPE, "/content",
                              "the model answered without any text");
    *text_out = mica_buffer_as_text(&text);
    return MICA_OK;
}

// ---- Extract JSON from text ------------------------------------------------

// The length of the balanced braces with which `text` begins, without braces in strings;
// 0 if they do not end.
static size_t
sampling_balanced(struct mica_text text)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

// If no candidate is valid, reports the error of the first one, which is the largest.
static enum mica_status
find_object(struct mica_text words, struct mica_arena *arena,
            struct mica_error *error, struct mica_json *object_out)
{
    struct mica_error first = {.status = MICA_OK}, other;
    for (size_t i = 0, tries = 0; i < words.len && tries < ATTEMPTS; i++) {
        if (words.ptr[i] != '{')
            continue;
        tries++;
        struct mica_text rest = mica_text_slice(words, i, words.len);
        rest.len = sampling_balanced(rest);
        if (rest.len > 0 &&
            mica_json_read(arena, rest, NULL,
                           first.status == MICA_OK ? &first : &other,
                           object_out) == MICA_OK)
            return MICA_OK;
    }
    if (first.status != MICA_OK)
        return mica_error_set(error, MICA_E_JSON, "",
                              "the answer has no JSON object that can be "
                              "read: %s",
                              first.message);
    return mica_error_set(error, MICA_E_JSON, "",
                          "the answer has no JSON object, or one that does "
                          "not end; answer with one and nothing else");
}

enum mica_status
mica_sampling_decode(struct mica_text words, struct mica_into into,
                     struct mica_arena *arena, struct mica_error *error)
{
    struct mica_json object;
    memset(into.out, 0, into.record->size);
    MICA_TRY(find_object(words, arena, error, &object));
    enum mica_status status =
        mica_record_decode(into.record, &object, arena, error, into.out);
    if (status != MICA_OK)
        memset(into.out, 0, into.record->size);
    return status;
}
