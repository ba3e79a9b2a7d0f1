// SPDX-License-Identifier: Apache-2.0
//
// What both formats share. See model_wire.h.
#include <string.h>

#include "base/ascii.h"
#include "model/model_wire.h"

// ---- Asking --------------------------------------------------------------------------

struct mica_text
mica_model_system(const struct mica_model_prompt *prompt,
                  struct mica_arena *arena)
{
    struct mica_buffer text;

    if (prompt->schema.len == 0 || prompt->structure != MICA_MODEL_BY_PROMPT)
        return prompt->system;
    mica_buffer_init(&text, arena, 2 * (size_t)MICA_MODEL_PROMPT_BYTES);
    mica_buffer_text(&text, prompt->system);
    mica_buffer_format(&text,
                       "%sAnswer with one JSON object that this JSON Schema "
                       "describes, and with nothing else:\n%.*s",
                       prompt->system.len > 0 ? "\n\n" : "",
                       MICA_ARG(prompt->schema));
    return mica_buffer_as_text(&text);
}

// ---- Reading -------------------------------------------------------------------------

void
mica_model_reading_init(struct mica_model_reading *reading)
{
    *reading = (struct mica_model_reading){.cut = false};
    mica_buffer_init(&reading->text, NULL, MICA_MODEL_ANSWER_BYTES);
    mica_buffer_init(&reading->model, NULL, MICA_MODEL_MODEL_BYTES);
}

void
mica_model_reading_fini(struct mica_model_reading *reading)
{
    mica_buffer_fini(&reading->text);
    mica_buffer_fini(&reading->model);
}

void
mica_model_take_words(struct mica_model_reading *reading,
                      struct mica_text words)
{
    if (!reading->by_tool)
        mica_buffer_text(&reading->text, words);
}

void
mica_model_take_arguments(struct mica_model_reading *reading,
                          struct mica_text arguments)
{
    if (!reading->by_tool)
        reading->text.len = 0;
    reading->by_tool = true;
    mica_buffer_text(&reading->text, arguments);
}

void
mica_model_take_reason(struct mica_model_reading *reading)
{
    if (reading->extent == MICA_MODEL_PARTIAL)
        reading->extent = MICA_MODEL_REASON;
}

// Kept when it is visible ASCII of a fitting length: it is shown to operators.
void
mica_model_take_model(struct mica_model_reading *reading,
                      const struct mica_json *owner)
{
    struct mica_text name = mica_json_get_text(owner, "model");

    if (reading->model.len == 0 && name.len <= MICA_MODEL_MODEL_BYTES &&
        mica_ascii_visible(name))
        mica_buffer_text(&reading->model, name);
}

// The type of an error is a word in small letters, as "rate_limit_error". All else could
// be a part of the prompt or of a key that the provider repeats.
static bool
is_fault(struct mica_text word)
{
    if (word.len == 0 || word.len >= MICA_MODEL_FAULT_SIZE ||
        word.ptr[0] < 'a' || word.ptr[0] > 'z')
        return false;
    for (size_t i = 0; i < word.len; i++)
        if ((word.ptr[i] < 'a' || word.ptr[i] > 'z') && word.ptr[i] != '_')
            return false;
    return true;
}

void
mica_model_take_fault(struct mica_model_reading *reading,
                      const struct mica_json *error)
{
    struct mica_text code = mica_json_get_text(error, "code");
    struct mica_text type = mica_json_get_text(error, "type");
    // OpenAI's code says more than its type; Anthropic has the type alone.
    struct mica_text best = is_fault(code) ? code : type;

    reading->trouble = MICA_MODEL_FAULT;
    if (is_fault(best))
        memcpy(reading->fault, best.ptr, best.len);
    reading->fault[is_fault(best) ? best.len : 0] = '\0';
}

uint64_t
mica_model_tokens(const struct mica_json *usage, const char *namez)
{
    const struct mica_json *count = mica_json_get(usage, namez);
    int64_t value;

    if (count == NULL || count->kind != MICA_JSON_NUMBER ||
        !mica_integer_read(count->text, &value) || value < 0 ||
        value > INT32_MAX)
        return 0;
    return (uint64_t)value;
}

// ---- Fences --------------------------------------------------------------------------

static struct mica_text
wire_trim(struct mica_text text)
{
    while (text.len > 0 && memchr(" \t\r\n", text.ptr[0], 4) != NULL)
        text = mica_text_slice(text, 1, text.len);
    while (text.len > 0 && memchr(" \t\r\n", text.ptr[text.len - 1], 4) != NULL)
        text.len--;
    return text;
}

struct mica_text
mica_model_unfenced(struct mica_text text)
{
    struct mica_text inside = wire_trim(text);
    const char *line_end;

    if (!mica_text_starts(inside, "```") || inside.len < 6 ||
        memcmp(inside.ptr + inside.len - 3, "```", 3) != 0)
        return text;
    line_end = memchr(inside.ptr, '\n', inside.len - 3);
    if (line_end == NULL)
        return text;
    return wire_trim(mica_text_slice(
        inside, (size_t)(line_end - inside.ptr) + 1, inside.len - 3));
}
