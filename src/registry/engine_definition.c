// SPDX-License-Identifier: Apache-2.0
//
// Definitions of engines: from the manifest of their build, or linked into the program.
#include "registry/definition.h"

#include <string.h>

#include "engine/run.h"

enum {
    DEFINITION_BYTES = 4 << 20
};

// Writes the JSON of a member on one line; empty: no such member.
static struct mica_text
engine_definition_member(struct mica_arena *arena,
                         const struct mica_json *object, const char *name)
{
    const struct mica_json *value = mica_json_get(object, name);
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    if (value == NULL)
        return (struct mica_text){NULL, 0};
    if (memchr(value->raw.ptr, '\n', value->raw.len) == NULL)
        return value->raw;
    mica_buffer_init(&buffer, arena, DEFINITION_BYTES);
    mica_json_writer_init(&writer, &buffer);
    mica_json_value(&writer, value);
    return mica_buffer_as_text(&buffer);
}

static uint32_t
memory_limit(const struct mica_json *manifest)
{
    const struct mica_json *limits = mica_json_get(manifest, "limits");
    const struct mica_json *memory = mica_json_get(limits, "memory_bytes");
    int64_t bytes = 0;

    if (memory == NULL || !mica_integer_read(memory->text, &bytes) ||
        bytes < 0 || bytes > UINT32_MAX)
        return 0;
    return (uint32_t)bytes;
}

static enum mica_status
read_manifest(struct mica_definition *definition, struct mica_text manifest,
              struct mica_error *error)
{
    struct mica_arena *arena = &definition->arena;
    struct mica_text copy = mica_arena_text(arena, manifest);
    struct mica_json value;

    memset(&value, 0, sizeof value);
    if (copy.ptr == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more engine");
    if (mica_json_read(arena, copy, NULL, error, &value) != MICA_OK) {
        mica_error_prefix(error, "the manifest of an engine");
        return MICA_E_USAGE;
    }
    definition->name = mica_json_get_text(&value, "slug");
    definition->key = definition->name;
    definition->title = mica_json_get_text(&value, "title");
    definition->description = mica_json_get_text(&value, "description");
    definition->category = mica_json_get_text(&value, "category");
    definition->input_schema =
        engine_definition_member(arena, &value, "inputSchema");
    definition->output_schema =
        engine_definition_member(arena, &value, "outputSchema");
    definition->output_is_object = true;
    definition->examples = engine_definition_member(arena, &value, "examples");
    definition->sha256 = mica_json_get_text(&value, "sha256");
    definition->carried_sha256[MICA_CARRIED_MODULE] = definition->sha256;
    definition->carried_sha256[MICA_CARRIED_FALLBACK] =
        mica_json_get_text(&value, "twin");
    definition->carried_sha256[MICA_CARRIED_PAGE] =
        mica_json_get_text(&value, "page");
    definition->carried_sha256[MICA_CARRIED_VIEW] =
        mica_json_get_text(&value, "view");
    definition->view_declared =
        engine_definition_member(arena, &value, "viewDeclared");
    definition->page_policy = mica_json_get_text(&value, "page_policy");
    definition->memory_bytes = memory_limit(&value);
    // The build has proved it: the module imports nothing and stores nothing.
    definition->hints = MICA_READ_ONLY | MICA_IDEMPOTENT;
    if (definition->input_schema.len == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the manifest of '%.*s' has no inputSchema; "
                              "build the engine again",
                              MICA_ARG(definition->name));
    return MICA_OK;
}

enum mica_status
mica_definition_of_engine(struct mica_text manifest,
                          const struct mica_runnable *runnable,
                          struct mica_error *error,
                          struct mica_definition **definition_out)
{
    struct mica_definition *definition =
        mica_definition_new(MICA_DEFINITION_TOOL);
    enum mica_status status;

    if (definition == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more engine");
    definition->runnable = *runnable;
    status = read_manifest(definition, manifest, error);
    if (status != MICA_OK)
        mica_definition_drop(definition);
    else
        *definition_out = definition;
    return status;
}

// ---- Linked into the program ---------------------------------------------------

static void
run_engine(const struct mica_runnable *self, struct mica_call *call,
           struct mica_text arguments)
{
    const struct mica_engine *engine = self->data;

    mica_handler_run(call, engine->input, engine->output, engine->handler,
                     arguments);
}

enum mica_status
mica_definition_of_linked_engine(const struct mica_engine *engine,
                                 struct mica_error *error,
                                 struct mica_definition **definition_out)
{
    struct mica_runnable runnable = {.run = run_engine};
    struct mica_definition *definition = NULL;
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_arena arena;
    struct mica_engine *copy;
    enum mica_status status;

    mica_arena_init(&arena, (size_t)2 * DEFINITION_BYTES);
    mica_buffer_init(&buffer, &arena, DEFINITION_BYTES);
    mica_json_writer_init(&writer, &buffer);
    status = mica_engine_describe(engine, &arena, error, &writer);
    if (status == MICA_OK)
        status = mica_definition_of_engine(mica_buffer_as_text(&buffer),
                                           &runnable, error, &definition);
    mica_arena_fini(&arena);
    if (status != MICA_OK)
        return status;
    copy = mica_arena_zero(&definition->arena, 1, sizeof *copy);
    if (copy == NULL) {
        mica_definition_drop(definition);
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more engine");
    }
    *copy = *engine;
    definition->runnable.data = copy;
    *definition_out = definition;
    return MICA_OK;
}
