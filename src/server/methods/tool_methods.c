// SPDX-License-Identifier: Apache-2.0
//
// tools/list and tools/call: from params to a running tool.
#include "server/calls/resumable.h"

// ---- tools/list ------------------------------------------------------------------

static void
write_hint(struct mica_json_writer *writer, const char *name, bool value)
{
    mica_json_name(writer, name);
    mica_json_boolean(writer, value);
}

static void
write_annotations(const struct mica_definition *tool,
                  struct mica_json_writer *writer)
{
    mica_json_name(writer, "annotations");
    mica_json_open_object(writer);
    if (tool->title.len > 0)
        mica_json_field(writer, "title", tool->title);
    write_hint(writer, "readOnlyHint", (tool->hints & MICA_READ_ONLY) != 0);
    write_hint(writer, "destructiveHint",
               (tool->hints & MICA_DESTRUCTIVE) != 0);
    write_hint(writer, "idempotentHint", (tool->hints & MICA_IDEMPOTENT) != 0);
    write_hint(writer, "openWorldHint", (tool->hints & MICA_OPEN_WORLD) != 0);
    mica_json_close_object(writer);
}

static void
write_meta(const struct mica_definition *tool, bool views,
           struct mica_json_writer *writer)
{
    views = views && mica_definition_view_meta(tool).len > 0;
    if (tool->examples.len == 0 && tool->sha256.len == 0 &&
        tool->category.len == 0 && tool->meta.len == 0 && tool->requires == 0 &&
        !views)
        return;
    mica_json_name(writer, "_meta");
    mica_json_open_object(writer);
    if (tool->category.len > 0)
        mica_json_field(writer, "mica/category", tool->category);
    if (tool->sha256.len > 0)
        mica_json_field(writer, "mica/sha256", tool->sha256);
    if (tool->requires != 0) {
        mica_json_name(writer, "mica/requiredCapabilities");
        mica_client_write(writer, tool->requires);
    }
    if (tool->examples.len > 0) {
        mica_json_name(writer, "mica/examples");
        mica_json_raw(writer, tool->examples);
    }
    if (tool->meta.len > 0)
        mica_json_raw(writer, tool->meta);
    if (views)
        mica_json_raw(writer, mica_definition_view_meta(tool));
    mica_json_close_object(writer);
}

static void
write_tool(const struct mica_definition *tool,
           const struct mica_list_reader *reader,
           struct mica_json_writer *writer)
{
    const struct mica_revision_features *features = reader->features;

    mica_json_open_object(writer);
    mica_write_base(tool, features, writer);
    mica_json_name(writer, "inputSchema");
    mica_json_raw(writer, tool->input_schema);
    if (tool->output_schema.len > 0 &&
        (features->any_structured ||
         (features->structured && tool->output_is_object))) {
        mica_json_name(writer, "outputSchema");
        mica_json_raw(writer, tool->output_schema);
    }
    if (features->annotations)
        write_annotations(tool, writer);
    if (features->title)
        write_meta(tool, reader->views, writer);
    mica_json_close_object(writer);
}

// MCP: tools/list.
void
mica_method_tools_list(struct mica_message *message)
{
    mica_list(message, MICA_DEFINITION_TOOL, "tools", write_tool);
}

// ---- tools/call ------------------------------------------------------------------

// Compares header parameters with the arguments. Only requests of the stateless revision
// over HTTP have them.
static bool
check_params(struct mica_message *message, const struct mica_json *arguments)
{
    struct mica_problem problem;

    if (message->request.http == NULL ||
        !mica_revision_features(message->context.revision)->stateless ||
        mica_params_check(message->execution.target->params,
                          message->request.http, arguments, message->arena,
                          &problem))
        return true;
    mica_reply_problem(message, &problem);
    return false;
}

// MCP: tools/call.
void
mica_method_tools_call(struct mica_message *message)
{
    const struct mica_json *arguments =
        mica_json_get(message->request.params, "arguments");

    if (mica_message_target(message, MICA_DEFINITION_TOOL, "name") == NULL)
        return;
    if (arguments != NULL && arguments->kind != MICA_JSON_OBJECT) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_TYPE,
                         (struct mica_text){NULL, 0},
                         "params.arguments must be an object, it is %s",
                         mica_json_kind_name(arguments->kind));
        return;
    }
    if (check_params(message, arguments))
        mica_message_run_tool(message, arguments != NULL ? arguments->raw
                                                         : MICA_LITERAL("{}"));
}
