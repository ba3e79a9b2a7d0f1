// SPDX-License-Identifier: Apache-2.0
//
// Makes the definitions and the runnables of native tools.
#include "registry/definition.h"

#include <string.h>

#include "base/url.h"
#include "call/turn.h"
#include "engine/run.h"
#include "registry/header_params.h"
#include "schema/record.h"

enum {
    DEFINITION_BYTES = 4 << 20,
    KEEP_S = 24 * 60 * 60, // of a call
    MOST_KEEP_S = 30 * 24 * 60 * 60,
    STEPS = 64, // of one tool
    STEP_LENGTH = 64,
    FETCHES = 32, // origins of one tool
    TABLES = 64,  // statements of one tool
    TABLE_BYTES = 64 << 10,
    SHARED_LENGTH = 64
};

static void
run_typed(const struct mica_runnable *self, struct mica_call *call,
          struct mica_text arguments)
{
    const struct mica_tool *tool = self->data;

    if (tool->phases != NULL)
        mica_phases_run(self, call, arguments);
    else
        mica_handler_run(call, tool->input, tool->output, tool->handler,
                         arguments);
    // An output without fields adds nothing to the content blocks.
    if (tool->output != NULL && tool->output->count == 0)
        call->result.structured = (struct mica_text){NULL, 0};
}

// ---- Texts -----------------------------------------------------------------------

// Writes the schema of a record. Temporary memory comes from `scratch`, because the
// definition lives long.
static struct mica_text
render_schema(struct mica_definition *definition, struct mica_arena *scratch,
              const struct mica_record *record, struct mica_text examples)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, scratch, DEFINITION_BYTES);
    mica_json_writer_init(&writer, &buffer);
    mica_record_schema(record, true, examples, &writer);
    if (buffer.overflow)
        definition->arena.overflow = true;
    return mica_arena_text(&definition->arena, mica_buffer_as_text(&buffer));
}

// Writes the JSON of an author or a file on one line, because a reply has only one line.
static void
write_compact(struct mica_arena *arena, struct mica_json_writer *writer,
              const char *jsonz)
{
    struct mica_json value;

    memset(&value, 0, sizeof value);
    if (mica_json_read(arena, mica_text(jsonz), NULL, NULL, &value) == MICA_OK)
        mica_json_value(writer, &value);
    else
        mica_json_null(writer); // check_examples has refused such text
}

// Writes all examples; *inputs_out has the inputs of those that succeed.
static void
render_examples(struct mica_arena *arena, const struct mica_tool *tool,
                struct mica_text *inputs_out, struct mica_text *all_out)
{
    struct mica_json_writer inputs, all;
    struct mica_buffer inputs_buffer, all_buffer;

    mica_buffer_init(&inputs_buffer, arena, DEFINITION_BYTES);
    mica_buffer_init(&all_buffer, arena, DEFINITION_BYTES);
    mica_json_writer_init(&inputs, &inputs_buffer);
    mica_json_writer_init(&all, &all_buffer);
    mica_json_open_array(&inputs);
    mica_json_open_array(&all);
    for (size_t i = 0; i < tool->example_count; i++) {
        const struct mica_example *example = &tool->examples[i];
        mica_json_open_object(&all);
        mica_json_field(&all, "title", mica_text(example->title));
        mica_json_name(&all, "input");
        write_compact(arena, &all, example->input);
        if (example->error != NULL) {
            mica_json_field(&all, "error", mica_text(example->error));
        } else {
            write_compact(arena, &inputs, example->input);
            mica_json_name(&all, "output");
            write_compact(arena, &all, example->output);
        }
        mica_json_close_object(&all);
    }
    mica_json_close_array(&inputs);
    mica_json_close_array(&all);
    *inputs_out = mica_buffer_as_text(&inputs_buffer);
    *all_out = mica_buffer_as_text(&all_buffer);
}

static enum mica_status
check_examples(struct mica_arena *arena, const struct mica_tool *tool,
               struct mica_error *error)
{
    for (size_t i = 0; i < tool->example_count; i++) {
        const struct mica_example *example = &tool->examples[i];
        struct mica_json value;
        bool wrong = example->title == NULL || example->input == NULL ||
                     (example->output == NULL) == (example->error == NULL);
        if (!wrong)
            wrong = mica_json_read(arena, mica_text(example->input), NULL, NULL,
                                   &value) != MICA_OK;
        if (!wrong && example->output != NULL)
            wrong = mica_json_read(arena, mica_text(example->output), NULL,
                                   NULL, &value) != MICA_OK;
        if (wrong)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "tool '%s': example %zu needs a title, an "
                                  "input as JSON, and either an output as JSON "
                                  "or an error code",
                                  tool->name, i + 1);
    }
    return MICA_OK;
}

static enum mica_status
describe_typed(const struct mica_tool *tool, struct mica_text inputs,
               struct mica_definition *definition, struct mica_arena *scratch,
               struct mica_error *error)
{
    struct mica_text none = {NULL, 0};

    MICA_TRY(mica_record_check(tool->input, scratch, error));
    if (tool->output != NULL)
        MICA_TRY(mica_record_check(tool->output, scratch, error));
    if (tool->phases != NULL) {
        MICA_TRY(mica_record_check(tool->phases->found, scratch, error));
        MICA_TRY(mica_record_check(tool->phases->choice, scratch, error));
    }
    definition->input = tool->input;
    definition->input_schema =
        render_schema(definition, scratch, tool->input,
                      tool->example_count > 0 ? inputs : none);
    if (tool->output != NULL && tool->output->count > 0)
        definition->output_schema =
            render_schema(definition, scratch, tool->output, none);
    definition->output_is_object = true;
    definition->runnable.run = run_typed;
    return MICA_OK;
}

// ---- Steps, phases and services --------------------------------------------------

static enum mica_status
check_step(const struct mica_tool *tool, size_t index, struct mica_error *error)
{
    const char *step = tool->steps[index];
    size_t length = strlen(step);

    if (length == 0 || length > STEP_LENGTH || index >= STEPS ||
        mica_utf8_valid(mica_text(step)) != length)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%s': step %zu needs a name of 1 to %d "
                              "bytes, and a tool has at most %d steps",
                              tool->name, index + 1, STEP_LENGTH, STEPS);
    // The key of an effect consists of such names, '/' and '#'.
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)step[i] <= ' ' || strchr("/#\x7f", step[i]) != NULL)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "tool '%s': the step '%s' has a space, a "
                                  "control character, '/' or '#' in its name",
                                  tool->name, step);
    }
    for (size_t i = 0; i < index; i++) {
        if (strcmp(tool->steps[i], step) == 0)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "tool '%s' names its step '%s' twice",
                                  tool->name, step);
    }
    return MICA_OK;
}

// Origins, or "*" alone.
static enum mica_status
check_origin(const struct mica_tool *tool, size_t index,
             struct mica_error *error)
{
    struct mica_text text = mica_text(tool->fetches[index]);
    struct mica_url url;
    const char *wrong;

    if (index == 0 && mica_text_is(text, "*") && tool->fetches[1] == NULL)
        return MICA_OK;
    if (index >= FETCHES)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%s' names more than %d origins in "
                              ".fetches",
                              tool->name, FETCHES);
    wrong = mica_url_read_origin(text, &url);
    if (wrong == NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "tool '%s': \"%.*s\" in .fetches %s; name an origin, "
                          "like \"https://api.example.org\"",
                          tool->name, MICA_ARG(text), wrong);
}

// What a shared database is named: a-z 0-9 _ -.
static bool
shared_valid(const char *namez)
{
    size_t length = strlen(namez);

    return length <= SHARED_LENGTH &&
           strspn(namez, "abcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

static enum mica_status
check_tables(const struct mica_tool *tool, struct mica_error *error)
{
    size_t count = 0;

    for (; tool->tables != NULL && tool->tables[count] != NULL; count++) {
        if (strlen(tool->tables[count]) > TABLE_BYTES)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "tool '%s': statement %zu of .tables has "
                                  "more than %d bytes",
                                  tool->name, count + 1, TABLE_BYTES);
    }
    if (count > TABLES)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%s' has more than %d statements in "
                              ".tables",
                              tool->name, TABLES);
    if (count > 0 && tool->keeps == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%s' has .tables, but does not say where "
                              "it keeps them: .keeps = MICA_KEEPS_OWN",
                              tool->name);
    return MICA_OK;
}

// Whose database the tool uses; by its name in the source, which no rule changes.
static enum mica_status
describe_keeps(const struct mica_tool *tool, struct mica_definition *definition,
               struct mica_error *error)
{
    struct mica_keep_place *place;
    struct mica_buffer name;

    MICA_TRY(check_tables(tool, error));
    if (tool->keeps == NULL)
        return MICA_OK;
    if (!shared_valid(tool->keeps))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%s': \"%s\" in .keeps cannot be the name "
                              "of a database; use 1 to %d of a-z, 0-9, \"_\" "
                              "and \"-\", or MICA_KEEPS_OWN",
                              tool->name, tool->keeps, SHARED_LENGTH);
    place = mica_arena_zero(&definition->arena, 1, sizeof *place);
    mica_buffer_init(&name, &definition->arena, 256);
    mica_buffer_format(&name, tool->keeps[0] != '\0' ? "shared.%s" : "tool.%s",
                       tool->keeps[0] != '\0' ? tool->keeps : tool->name);
    mica_buffer_char(&name, '\0');
    if (place == NULL || name.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more tool");
    *place = (struct mica_keep_place){name.ptr, tool->tables};
    definition->keeps = place;
    return MICA_OK;
}

static enum mica_status
describe_calls(const struct mica_tool *tool, struct mica_definition *definition,
               struct mica_error *error)
{
    uint32_t keep_s = tool->keep_s > 0 ? tool->keep_s : KEEP_S;

    for (size_t i = 0; tool->steps != NULL && tool->steps[i] != NULL; i++)
        MICA_TRY(check_step(tool, i, error));
    for (size_t i = 0; tool->fetches != NULL && tool->fetches[i] != NULL; i++)
        MICA_TRY(check_origin(tool, i, error));
    if (tool->detaches && tool->task == MICA_TASK_NEVER)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%s' is to become a task by .detaches, but "
                              "its .task says that it never is one",
                              tool->name);
    if (keep_s > MOST_KEEP_S)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%s': .keep_s is %u; a call is kept for "
                              "at most %d seconds",
                              tool->name, keep_s, MOST_KEEP_S);
    definition->steps = tool->steps;
    definition->fetches = tool->fetches;
    MICA_TRY(describe_keeps(tool, definition, error));
    definition->stored = tool->phases != NULL ||
                         (tool->steps != NULL && *tool->steps != NULL) ||
                         (tool->fetches != NULL && *tool->fetches != NULL) ||
                         tool->keeps != NULL;
    definition->task = tool->task;
    definition->detaches = tool->detaches;
    definition->limit_ms =
        tool->limit_ms > 0 ? tool->limit_ms : MICA_ASK_LIMIT_MS;
    definition->keep_ms = keep_s * 1000;
    definition->brings = tool->services;
    return MICA_OK;
}

static enum mica_status
check_handlers(const struct mica_tool *tool, struct mica_error *error)
{
    bool handles = (tool->handler != NULL) != (tool->phases != NULL);
    bool typed = handles && tool->input != NULL;
    bool json = tool->json_handler != NULL && tool->input_schema != NULL;

    if (typed != json && (tool->handler == NULL || tool->phases == NULL))
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "tool '%s' needs either .input with .handler or "
                          ".phases, or .input_schema with .json_handler",
                          tool->name != NULL ? tool->name : "");
}

// Copies the table of a typed tool, by which it runs. (A JSON tool has what it needs.)
static enum mica_status
keep_table(const struct mica_tool *tool, struct mica_definition *definition,
           struct mica_error *error)
{
    struct mica_tool *copy =
        mica_arena_zero(&definition->arena, 1, sizeof *copy);

    if (copy == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more tool");
    *copy = *tool;
    definition->runnable.data = copy;
    return MICA_OK;
}

static enum mica_status
describe_tool(const struct mica_tool *tool, const struct mica_origin *origin,
              struct mica_definition *definition, struct mica_arena *scratch,
              struct mica_error *error)
{
    bool typed = tool->json_handler == NULL;
    struct mica_text inputs, examples;

    MICA_TRY(check_handlers(tool, error));
    MICA_TRY(mica_define_common(
        definition, tool->name, tool->title, tool->description, tool->icons,
        tool->icon_count, tool->meta, tool->scope, error));
    MICA_TRY(check_examples(scratch, tool, error));
    MICA_TRY(describe_calls(tool, definition, error));
    definition->hints = tool->hints;
    if (tool->fetches != NULL && *tool->fetches != NULL)
        definition->hints |= MICA_OPEN_WORLD;
    definition->requires = tool->requires;
    MICA_TRY(mica_define_view(definition, tool,
                              origin != NULL ? origin->document : NULL, error));
    MICA_TRY(mica_define_form_views(definition, tool, origin, error));
    definition->logs = true;
    render_examples(scratch, tool, &inputs, &examples);
    MICA_TRY(typed ? describe_typed(tool, inputs, definition, scratch, error)
                   : mica_define_raw(definition, tool, error));
    MICA_TRY(mica_params_define(definition, error));
    if (tool->example_count > 0)
        definition->examples = mica_arena_text(&definition->arena, examples);
    if (scratch->overflow)
        definition->arena.overflow = true;
    return typed ? keep_table(tool, definition, error) : MICA_OK;
}

enum mica_status
mica_definition_of_tool(const struct mica_tool *tool, void *user,
                        const struct mica_origin *origin,
                        struct mica_error *error,
                        struct mica_definition **definition_out)
{
    struct mica_definition *definition =
        mica_definition_new(MICA_DEFINITION_TOOL);
    struct mica_arena scratch;
    enum mica_status status;

    if (definition == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more tool");
    mica_arena_init(&scratch, (size_t)4 * DEFINITION_BYTES);
    if (origin != NULL) {
        definition->version =
            mica_arena_text(&definition->arena, origin->version);
        definition->family =
            mica_arena_text(&definition->arena, origin->family);
    }
    status = describe_tool(tool, origin, definition, &scratch, error);
    mica_arena_fini(&scratch);
    if (status == MICA_OK)
        status = mica_definition_check(definition, error);
    if (status != MICA_OK) {
        mica_definition_drop(definition);
        return status;
    }
    definition->runnable.user = user;
    *definition_out = definition;
    return MICA_OK;
}
