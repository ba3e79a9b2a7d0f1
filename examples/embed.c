// SPDX-License-Identifier: Apache-2.0
//
// A server of two tools inside a program: one with typed structs, one on raw
// JSON with a schema of its own. `embed` serves stdin and stdout, `embed
// 127.0.0.1:8080` serves http://127.0.0.1:8080/mcp.
//
//     cc embed.c $(pkg-config --cflags --libs mica) -o embed
#include <stdio.h>

#include <mica/server.h>

struct greeting {
    struct mica_text name;
};
MICA_RECORD(greeting, MICA_TEXT(name, "Whom to greet.", .min_length = 1));

struct words {
    struct mica_text text;
};
MICA_RECORD(words, MICA_TEXT(text, "The greeting, one sentence."));

static enum mica_status
greet(struct mica_call *call, const struct greeting *in, struct words *out)
{
    out->text = mica_format(call, "Hello, %.*s.", MICA_ARG(in->name));
    return MICA_OK;
}

MICA_TOOL(greet, greeting, words, greet,
          .description = "Greet a person by name.",
          .hints = MICA_READ_ONLY | MICA_IDEMPOTENT);

// Gives back what it was given, and counts the members.
static enum mica_status
echo(struct mica_call *call, const struct mica_json *in,
     struct mica_json_writer *out)
{
    (void)call;
    mica_json_open_object(out);
    mica_json_name(out, "echo");
    mica_json_value(out, in);
    mica_json_name(out, "count");
    mica_json_integer(out, (int64_t)in->count);
    mica_json_close_object(out);
    return MICA_OK;
}

static const struct mica_tool echo_tool = {
    .name = "echo",
    .description = "Give back any JSON object, with its number of members.",
    .input_schema = MICA_JSON({"type": "object"}),
    .output_schema = MICA_JSON({"type": "object", "required": ["count"]}),
    .json_handler = echo,
    .hints = MICA_READ_ONLY | MICA_IDEMPOTENT};

int
main(int argc, char **argv)
{
    struct mica_server_options options = {.name = "embed", .version = "1.0"};
    struct mica_http_options http = {.listen = argc > 1 ? argv[1] : NULL};
    struct mica_server *server = NULL;
    struct mica_error error;
    enum mica_status status = mica_server_open(&options, &error, &server);

    if (status == MICA_OK)
        status = mica_server_add_tool(server, &mica_tool_greet, NULL, &error);
    if (status == MICA_OK)
        status = mica_server_add_tool(server, &echo_tool, NULL, &error);
    if (status == MICA_OK)
        status = argc > 1 ? mica_server_serve_http(server, &http, &error)
                          : mica_server_serve_stdio(server, NULL, &error);
    if (status != MICA_OK)
        fprintf(stderr, "embed: %s: %s\n", error.code, error.message);
    mica_server_close(&server);
    return status == MICA_OK ? 0 : 1;
}
