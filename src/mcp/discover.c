// SPDX-License-Identifier: Apache-2.0
//
// Who the server is and what it can do: server/discover for the stateless
// revision, initialize and ping for those with a handshake.
#include "mcp/message.h"

static void
write_capabilities(struct mica_json_writer *writer)
{
    mica_json_name(writer, "capabilities");
    mica_json_open_object(writer);
    mica_json_name(writer, "tools");
    mica_json_open_object(writer);
    mica_json_close_object(writer);
    mica_json_close_object(writer);
}

static void
write_instructions(const struct mica_server *server,
                   struct mica_json_writer *writer)
{
    if (server->options.instructions != NULL)
        mica_json_field(writer, "instructions",
                        mica_text(server->options.instructions));
}

// MCP: server/discover (SEP-2575). Lists stateless revisions only: a client may
// use any listed one for its next request.
void
mica_method_discover(struct mica_message *message)
{
    struct mica_json_writer writer;

    mica_reply_open(message, &writer);
    mica_json_name(&writer, "supportedVersions");
    mica_json_open_array(&writer);
    mica_json_stringz(&writer,
                      mica_wire_features(MICA_WIRE_2026_07_28)->version);
    mica_json_close_array(&writer);
    write_capabilities(&writer);
    write_instructions(message->server, &writer);
    mica_write_caching(message, &writer);
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
}

// MCP: lifecycle, version negotiation. A known revision is echoed, any other is
// answered with the newest that has a handshake.
void
mica_method_initialize(struct mica_message *message)
{
    const struct mica_json *version =
        mica_json_get(message->params, "protocolVersion");
    struct mica_json_writer writer;
    enum mica_wire wire;

    if (version == NULL || version->kind != MICA_JSON_STRING) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED,
                         (struct mica_text){NULL, 0},
                         "initialize needs params.protocolVersion, for example "
                         "\"2025-11-25\"");
        return;
    }
    if (!mica_wire_find(version->text, &wire) ||
        mica_wire_features(wire)->modern ||
        (message->over_http && wire == MICA_WIRE_2024_11_05))
        wire = MICA_WIRE_2025_11_25;
    message->wire = wire;
    mica_reply_open(message, &writer);
    mica_json_field(&writer, "protocolVersion",
                    mica_text(mica_wire_features(wire)->version));
    write_capabilities(&writer);
    mica_json_name(&writer, "serverInfo");
    mica_write_implementation(message->server, mica_wire_features(wire),
                              &writer);
    write_instructions(message->server, &writer);
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
}

// MCP: ping. The result is exactly {}.
void
mica_method_ping(struct mica_message *message)
{
    struct mica_json_writer writer;

    mica_reply_open(message, &writer);
    mica_reply_close(message, &writer, (struct mica_text){NULL, 0});
}
