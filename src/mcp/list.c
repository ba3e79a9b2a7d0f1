// SPDX-License-Identifier: Apache-2.0
//
// tools/list: the catalogue in the order the tools were added, which never
// changes while serving.
#include "mcp/message.h"

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
write_meta(const struct mica_definition *tool, struct mica_json_writer *writer)
{
    if (tool->examples.len == 0 && tool->sha256.len == 0 &&
        tool->category.len == 0)
        return;
    mica_json_name(writer, "_meta");
    mica_json_open_object(writer);
    if (tool->category.len > 0)
        mica_json_field(writer, "mica/category", tool->category);
    if (tool->sha256.len > 0)
        mica_json_field(writer, "mica/sha256", tool->sha256);
    if (tool->examples.len > 0) {
        mica_json_name(writer, "mica/examples");
        mica_json_raw(writer, tool->examples);
    }
    mica_json_close_object(writer);
}

static void
write_tool(const struct mica_definition *tool,
           const struct mica_wire_features *features,
           struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "name", tool->name);
    if (features->title && tool->title.len > 0)
        mica_json_field(writer, "title", tool->title);
    mica_json_field(writer, "description", tool->description);
    mica_json_name(writer, "inputSchema");
    mica_json_raw(writer, tool->input_schema);
    if (features->structured && tool->output_schema.len > 0) {
        mica_json_name(writer, "outputSchema");
        mica_json_raw(writer, tool->output_schema);
    }
    if (features->annotations)
        write_annotations(tool, writer);
    if (features->title)
        write_meta(tool, writer);
    mica_json_close_object(writer);
}

void
mica_method_tools_list(struct mica_message *message)
{
    const struct mica_wire_features *features =
        mica_wire_features(message->wire);
    const struct mica_server *server = message->server;
    struct mica_json_writer writer;

    if (mica_json_get(message->params, "cursor") != NULL) {
        // All tools fit one page, so that no cursor was ever given out.
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND,
                         (struct mica_text){NULL, 0},
                         "Unknown cursor; call tools/list without one");
        return;
    }
    mica_reply_open(message, &writer);
    mica_json_name(&writer, "tools");
    mica_json_open_array(&writer);
    for (size_t i = 0; i < server->tool_count; i++)
        write_tool(server->tools[i], features, &writer);
    mica_json_close_array(&writer);
    if (features->modern) {
        mica_json_name(&writer, "ttlMs");
        mica_json_integer(&writer, server->options.list_ttl_ms);
        mica_json_field(&writer, "cacheScope", MICA_LITERAL("public"));
    }
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
}
