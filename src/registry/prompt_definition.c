// SPDX-License-Identifier: Apache-2.0
//
// Makes the definitions of prompts.
#include "registry/definition.h"

enum {
    ARGUMENTS_BYTES = 1 << 20
};

// Writes the description of an argument, with its choices: prompts have no schema.
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
        const struct mica_field *field = mica_record_field(record, i);
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
describe_prompt(const struct mica_prompt *prompt,
                struct mica_definition *definition, struct mica_error *error)
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
mica_definition_of_prompt(const struct mica_prompt *prompt, void *user,
                          struct mica_error *error,
                          struct mica_definition **definition_out)
{
    struct mica_definition *definition =
        mica_definition_new(MICA_DEFINITION_PROMPT);
    enum mica_status status;

    if (definition == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more prompt");
    status = describe_prompt(prompt, definition, error);
    if (status != MICA_OK) {
        mica_definition_drop(definition);
        return status;
    }
    definition->runnable.user = user;
    *definition_out = definition;
    return MICA_OK;
}
