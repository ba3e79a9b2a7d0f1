// SPDX-License-Identifier: Apache-2.0
//
// A server whose tools ask one question: `carried`, whose journal travels with its
// client, and `stored`, whose step has it kept; and `plain`, which asks none.
//
//     bench-asks memory|sqlite:PATH
//
// Prints the port it listens on.
#include <mica/tool.h>
#include <stdio.h>
#include <stdlib.h>

struct answer {
    bool yes;
};
MICA_RECORD(answer, MICA_BOOLEAN(yes, "Is it so?"));

static enum mica_status
ask(struct mica_call *call, const struct mica_nothing *in, struct answer *out)
{
    (void)in;
    return mica_elicit(call, MICA_FORM(answer, out), "Is it so?");
}
MICA_TOOL(carried, mica_nothing, answer, ask, .description = "Asks once.");
MICA_TOOL(stored, mica_nothing, answer, ask, .description = "Asks once.",
          .steps = MICA_STEPS("none"));

static enum mica_status
plain(struct mica_call *call, const struct mica_nothing *in, struct answer *out)
{
    (void)call;
    (void)in;
    out->yes = true;
    return MICA_OK;
}
MICA_TOOL(plain, mica_nothing, answer, plain, .description = "Asks nothing.");

static void
tell_port(void *user, unsigned port)
{
    (void)user;
    printf("%u\n", port);
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    const struct mica_http_options options = {.listen = "127.0.0.1:0",
                                              .connections = 20000,
                                              .quiet = true,
                                              .drain_s = -1,
                                              .store = argv[1],
                                              .client_sessions = 1000000,
                                              .ready = tell_port};
    const struct mica_tool *const tools[] = {
        &mica_tool_carried, &mica_tool_stored, &mica_tool_plain};
    struct mica_server *server;
    struct mica_error error;

    if (argc != 2) {
        fprintf(stderr, "usage: %s memory|sqlite:PATH\n", argv[0]);
        return 2;
    }
    if (mica_server_open(
            &(struct mica_server_options){.name = "asks", .version = "1.0.0"},
            &error, &server) != MICA_OK)
        goto failed;
    for (size_t i = 0; i < MICA_COUNT(tools); i++) {
        if (mica_server_add_tool(server, tools[i], NULL, &error) != MICA_OK)
            goto failed;
    }
    if (mica_server_serve_http(server, &options, &error) != MICA_OK)
        goto failed;
    mica_server_close(&server);
    return 0;
failed:
    fprintf(stderr, "%s\n", error.message);
    return 1;
}
