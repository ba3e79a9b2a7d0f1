// SPDX-License-Identifier: Apache-2.0
//
// A server with two more places to connect than /mcp: each greets in its own language,
// under its own name. A tool of /mcp takes one of them away while the server serves.
//
//     cc endpoints.c $(pkg-config --cflags --libs mica) -o endpoints
#include <stdio.h>

#include <mica/endpoint.h>
#include <mica/tool.h>

struct greeting {
    struct mica_text name;
};
MICA_RECORD(greeting, MICA_TEXT(name, "Whom to greet.", .min_length = 1));

struct words {
    struct mica_text text;
};
MICA_RECORD(words, MICA_TEXT(text, "The greeting, one sentence."));

// One handler for both: what it was added with says the language.
static enum mica_status
greet(struct mica_call *call, const struct greeting *in, struct words *out)
{
    const char *hello = mica_user(call);

    out->text = mica_format(call, "%s, %.*s.", hello, MICA_ARG(in->name));
    return MICA_OK;
}
MICA_TOOL(greet, greeting, words, greet,
          .description = "Greet a person by name.",
          .hints = MICA_READ_ONLY | MICA_IDEMPOTENT);

// `user` is the server: endpoints come and go while it serves.
static enum mica_status
close_french(struct mica_call *call, const struct mica_nothing *in,
             struct mica_nothing *out)
{
    struct mica_error error;

    (void)in, (void)out;
    if (mica_endpoint_withdraw(mica_user(call), "greet/fr", &error) == MICA_OK)
        return MICA_OK;
    return mica_fail(call, "GONE_ALREADY", "", "%s", error.message);
}
MICA_TOOL(close_french, mica_nothing, mica_nothing, close_french,
          .description = "Withdraw the French endpoint.");

static enum mica_status
publish(struct mica_server *server, const char *key, const char *path,
        const char *hello, struct mica_error *error)
{
    const struct mica_endpoint_options options = {
        .key = key, .path = path, .name = key, .version = "1.0"};
    struct mica_endpoint_draft *draft;
    enum mica_status status;

    MICA_TRY(mica_endpoint_begin(server, &options, error, &draft));
    status = mica_endpoint_add_tool(draft, &mica_tool_greet,
                                    (void *)(uintptr_t)hello, error);
    if (status == MICA_OK)
        return mica_endpoint_publish(&draft, error);
    mica_endpoint_discard(&draft);
    return status;
}

static enum mica_status
serve(struct mica_server *server, const char *listen, struct mica_error *error)
{
    const struct mica_http_options http = {.listen = listen};

    MICA_TRY(
        mica_server_add_tool(server, &mica_tool_close_french, server, error));
    MICA_TRY(publish(server, "greet/en", "/in/english", "Hello", error));
    MICA_TRY(publish(server, "greet/fr", "/in/french", "Bonjour", error));
    return mica_server_serve_http(server, &http, error);
}

int
main(int argc, char **argv)
{
    const struct mica_server_options options = {.name = "endpoints",
                                                .version = "1.0"};
    struct mica_server *server = NULL;
    struct mica_error error;
    enum mica_status status = mica_server_open(&options, &error, &server);

    if (status == MICA_OK)
        status = serve(server, argc > 1 ? argv[1] : NULL, &error);
    if (status != MICA_OK)
        fprintf(stderr, "%s: %s\n", error.code, error.message);
    mica_server_close(&server);
    return status == MICA_OK ? 0 : 1;
}
