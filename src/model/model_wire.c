// SPDX-License-Identifier: Apache-2.0
//
// Chooses the format. See model_wire.h.
#include "model/model_wire.h"

// ---- Asking --------------------------------------------------------------------------

void
mica_model_write_prompt(enum mica_model_type type,
                        const struct mica_model_prompt *prompt,
                        struct mica_arena *arena, struct mica_buffer *out)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, out);
    if (type == MICA_MODEL_ANTHROPIC)
        mica_model_anthropic_write(prompt, arena, &writer);
    else
        mica_model_openai_write(prompt, arena, &writer);
    if (arena->overflow)
        out->overflow = true;
}

// ---- Reading -------------------------------------------------------------------------

// Reads JSON as providers write it; a name that stands twice counts as its last.
static bool
wire_json(struct mica_text text, struct mica_arena *arena,
          struct mica_json *value_out)
{
    static const struct mica_json_limits limits = {
        .bytes = MICA_MODEL_BODY_BYTES, .duplicate_names = true};

    mica_arena_reset(arena);
    return mica_json_read(arena, text, &limits, NULL, value_out) == MICA_OK &&
           value_out->kind == MICA_JSON_OBJECT;
}

void
mica_model_read_event(enum mica_model_type type,
                      struct mica_model_reading *reading, struct mica_text name,
                      struct mica_text data, struct mica_arena *arena)
{
    struct mica_json event;

    if (reading->extent == MICA_MODEL_WHOLE ||
        reading->trouble > MICA_MODEL_REFUSAL)
        return;
    if (mica_text_is(data, "[DONE]"))
        reading->extent = MICA_MODEL_WHOLE;
    else if (!wire_json(data, arena, &event))
        reading->trouble = MICA_MODEL_NONSENSE;
    else if (type == MICA_MODEL_ANTHROPIC)
        mica_model_anthropic_event(reading, name, &event);
    else
        mica_model_openai_event(reading, &event);
}

void
mica_model_read_body(enum mica_model_type type,
                     struct mica_model_reading *reading, struct mica_text body,
                     struct mica_arena *arena)
{
    struct mica_json value;
    const struct mica_json *error;

    if (!wire_json(body, arena, &value)) {
        reading->trouble = MICA_MODEL_NONSENSE;
        return;
    }
    error = mica_json_get(&value, "error");
    if (error != NULL && error->kind == MICA_JSON_OBJECT)
        mica_model_take_fault(reading, error);
    else if (type == MICA_MODEL_ANTHROPIC)
        mica_model_anthropic_body(reading, &value);
    else
        mica_model_openai_body(reading, &value);
}

void
mica_model_read_fault(struct mica_model_reading *reading, struct mica_text body,
                      struct mica_arena *arena)
{
    struct mica_json value;

    reading->trouble = MICA_MODEL_FAULT;
    if (wire_json(body, arena, &value))
        mica_model_take_fault(reading, mica_json_get(&value, "error"));
}
