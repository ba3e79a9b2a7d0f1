// SPDX-License-Identifier: Apache-2.0
//
// Tools with a JSON handler: the author writes JSON Schemas and a handler of JSON. The
// schemas are compiled when the tool is added. Each call checks arguments and result
// against them [TOOL-VALIDATE] [TOOL-OUTPUT].
#include "registry/definition.h"

#include <string.h>

#include <mica/schema.h>

enum {
    SCHEMA_BYTES = 4 << 20,
    SCHEMA_READ_BYTES = 64 << 20, // memory for reading a schema
    FAULT_BYTES = 4096,           // of the description of a wrong value
    STEPS = 5000000               // of one validation: about 50 ms
};

static const struct mica_schema_limits limits = {.steps = STEPS};

// In the arena of the definition.
struct raw {
    mica_json_handler *handler;
    struct mica_schema *input, *output; // output may be NULL
};

// ---- Calling ---------------------------------------------------------------------

// The arguments of run_guarded.
struct run {
    const struct raw *raw;
    struct mica_text arguments;
};

// Writes the messages of a report on one line, for an error.
static struct mica_text
schema_report_join(struct mica_call *call,
                   const struct mica_schema_report *report)
{
    struct mica_buffer text;

    mica_buffer_init(&text, call->arena, FAULT_BYTES);
    for (size_t i = 0; i < report->count; i++) {
        if (i > 0)
            mica_buffer_text(&text, MICA_LITERAL("; "));
        mica_buffer_text(&text, report->errors[i].message);
    }
    if (report->more)
        mica_buffer_text(&text, MICA_LITERAL("; and more"));
    return mica_buffer_as_text(&text);
}

static bool
check_arguments(struct mica_call *call, const struct raw *raw,
                const struct mica_json *arguments)
{
    struct mica_schema_report report;
    enum mica_status status = mica_schema_validate(
        raw->input, arguments, &limits, call->arena, &report);
    struct mica_text text;
    const char *path = NULL;

    if (status == MICA_OK)
        return true;
    if (report.count > 0)
        path = mica_arena_text(call->arena, report.errors[0].value_path).ptr;
    text = schema_report_join(call, &report);
    mica_call_fail(call, status, path != NULL ? path : "", "%.*s",
                   MICA_ARG(text));
    return false;
}

static void
check_result(struct mica_call *call, const struct raw *raw,
             const struct mica_json *value)
{
    struct mica_schema_report report;
    struct mica_text text;

    if (mica_schema_validate(raw->output, value, &limits, call->arena,
                             &report) == MICA_OK)
        return;
    text = schema_report_join(call, &report);
    mica_call_fail(call, MICA_E_EXECUTION, "",
                   "the tool's result is not what its output schema "
                   "promises: %.*s",
                   MICA_ARG(text));
}

// Makes the written text the result. A handler may write raw text; text that is not JSON,
// or has several lines, must not reach a pipe, where each message is one line.
static void
accept_result(struct mica_call *call, const struct raw *raw,
              struct mica_text written)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_json value;

    memset(&value, 0, sizeof value);
    if (written.len > 0 && mica_json_read(call->arena, written, NULL,
                                          &call->error, &value) != MICA_OK) {
        mica_error_prefix(&call->error, "the tool wrote a result that is not "
                                        "JSON");
        mica_call_fail(call, MICA_E_EXECUTION, "", "%s", call->error.message);
        return;
    }
    if (written.len > 0 && memchr(written.ptr, '\n', written.len) != NULL) {
        mica_buffer_init(&buffer, call->arena, written.len);
        mica_json_writer_init(&writer, &buffer);
        mica_json_value(&writer, &value);
        written = mica_buffer_as_text(&buffer);
    }
    call->result.structured = written;
    // MCP: tools, output schema: it does not apply to an error result.
    if (raw->output == NULL || call->result.is_error)
        return;
    if (written.len == 0)
        mica_call_fail(call, MICA_E_EXECUTION, "",
                       "the tool has an output schema and wrote no result");
    else
        check_result(call, raw, &value);
}

static void
run_guarded(struct mica_call *call, void *data)
{
    const struct run *run = data;
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_json value;
    size_t most = call->output_bytes > 0 ? call->output_bytes : 1 << 20;

    memset(&value, 0, sizeof value);
    if (mica_json_read(call->arena, run->arguments, NULL, &call->error,
                       &value) != MICA_OK) {
        mica_call_fail_error(call);
        return;
    }
    if (!check_arguments(call, run->raw, &value))
        return;
    mica_buffer_init(&buffer, call->arena, most);
    mica_json_writer_init(&writer, &buffer);
    if (!mica_call_conclude(call, run->raw->handler(call, &value, &writer)))
        return;
    if (buffer.overflow)
        mica_call_fail(call, MICA_E_LIMIT, "",
                       "the result is larger than its limit of %zu bytes; ask "
                       "for less",
                       most);
    else
        accept_result(call, run->raw, mica_buffer_as_text(&buffer));
}

static void
run_raw(const struct mica_runnable *self, struct mica_call *call,
        struct mica_text arguments)
{
    struct run run = {self->data, arguments};

    mica_call_guard(call, run_guarded, &run);
}

// ---- Definition ------------------------------------------------------------------

// Writes the text of a schema on one line, with the same members in the same order
// [TOOL-SCHEMA]. Frees the tree that it reads, because there may be many tools.
static enum mica_status
write_schema(struct mica_definition *definition, const char *schemaz,
             const char *which, struct mica_error *error,
             struct mica_text *text_out, bool *is_object_out)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_arena arena;
    struct mica_json value;
    enum mica_status status;

    mica_arena_init(&arena, SCHEMA_READ_BYTES);
    status = mica_json_read(&arena, mica_text(schemaz), NULL, error, &value);
    if (status == MICA_OK) {
        *is_object_out =
            mica_text_is(mica_json_get_text(&value, "type"), "object");
        mica_buffer_init(&buffer, &arena, SCHEMA_BYTES);
        mica_json_writer_init(&writer, &buffer);
        mica_json_value(&writer, &value);
        definition->arena.overflow |= buffer.overflow;
        *text_out =
            mica_arena_text(&definition->arena, mica_buffer_as_text(&buffer));
    } else {
        mica_error_prefix(error, "tool '%.*s': its %s schema is not JSON",
                          MICA_ARG(definition->name), which);
        status = MICA_E_USAGE;
    }
    mica_arena_fini(&arena);
    return status;
}

// Writes the schema as text, and compiles it.
static enum mica_status
compile_schema(struct mica_definition *definition, const char *schemaz,
               const char *which, struct mica_error *error,
               struct mica_text *text_out, struct mica_schema **schema_out,
               bool *is_object_out)
{
    struct mica_arena *arena = &definition->arena;

    MICA_TRY(write_schema(definition, schemaz, which, error, text_out,
                          is_object_out));
    // [TOOL-DIALECT]
    if (mica_schema_compile(arena, *text_out, NULL, error, schema_out) !=
        MICA_OK) {
        mica_error_prefix(error, "tool '%.*s': its %s schema",
                          MICA_ARG(definition->name), which);
        return MICA_E_USAGE;
    }
    return MICA_OK;
}

enum mica_status
mica_define_raw(struct mica_definition *definition,
                const struct mica_tool *tool, struct mica_error *error)
{
    struct raw *raw = mica_arena_zero(&definition->arena, 1, sizeof *raw);
    bool is_object;

    if (raw == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more tool");
    raw->handler = tool->json_handler;
    MICA_TRY(compile_schema(definition, tool->input_schema, "input", error,
                            &definition->input_schema, &raw->input,
                            &is_object));
    if (!is_object)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "tool '%.*s': its input schema must have "
                              "\"type\": \"object\" at its root",
                              MICA_ARG(definition->name));
    if (tool->output_schema != NULL)
        MICA_TRY(compile_schema(definition, tool->output_schema, "output",
                                error, &definition->output_schema, &raw->output,
                                &definition->output_is_object));
    definition->runnable.run = run_raw;
    definition->runnable.data = raw;
    return MICA_OK;
}
