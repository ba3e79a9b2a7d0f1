// SPDX-License-Identifier: Apache-2.0
//
// A tool whose arguments its caller repeats in headers of HTTP (x-mcp-header).
#include "fixture.h"

static enum mica_status
route(struct mica_call *call, const struct mica_json *in,
      struct mica_json_writer *out)
{
    (void)call;
    mica_json_open_object(out);
    mica_json_name(out, "routed");
    mica_json_value(out, in);
    mica_json_close_object(out);
    return MICA_OK;
}

static const struct mica_tool tool = {
    .name = "test_x_mcp_header",
    .description = "Gives back arguments that headers repeat.",
    .input_schema = MICA_JSON({
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "count": {"type": "integer", "x-mcp-header": "Count"},
            "dry": {"type": "boolean", "x-mcp-header": "Dry-Run"}
        }
    }),
    .json_handler = route};

enum mica_status
fixture_add_headers(struct mica_server *server, struct mica_error *error)
{
    return mica_server_add_tool(server, &tool, NULL, error);
}
