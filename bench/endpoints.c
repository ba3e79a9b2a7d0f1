// SPDX-License-Identifier: Apache-2.0
//
// A server with /mcp and COUNT endpoints at /servers/0, /servers/1, …: each has the
// percentage calculator of the engines in FOLDER.
//
//     bench-endpoints FOLDER COUNT      prints its port
#include <mica/endpoint.h>

#include <stdio.h>
#include <stdlib.h>

static void
tell_port(void *user, unsigned port)
{
    (void)user;
    printf("%u\n", port);
    fflush(stdout);
}

static enum mica_status
publish(struct mica_server *server, unsigned number, struct mica_error *error)
{
    char key[32], path[32];
    const struct mica_endpoint_options options = {
        .key = key, .path = path, .name = key, .version = "1"};
    struct mica_endpoint_draft *draft;
    enum mica_status status;

    (void)snprintf(key, sizeof key, "app/%u", number);
    (void)snprintf(path, sizeof path, "/servers/%u", number);
    MICA_TRY(mica_endpoint_begin(server, &options, error, &draft));
    status = mica_endpoint_add_offered(draft, MICA_OFFER_TOOL,
                                       "percentage-calculator", error);
    if (status == MICA_OK)
        return mica_endpoint_publish(&draft, error);
    mica_endpoint_discard(&draft);
    return status;
}

int
main(int argc, char **argv)
{
    const struct mica_http_options options = {.listen = "127.0.0.1:0",
                                              .io_threads = 1,
                                              .quiet = true,
                                              .drain_s = -1,
                                              .ready = tell_port};
    struct mica_server *server;
    struct mica_error error;

    if (argc != 3) {
        fprintf(stderr, "usage: %s FOLDER COUNT\n", argv[0]);
        return 2;
    }
    if (mica_server_open(&(struct mica_server_options){.name = "endpoints",
                                                       .version = "1.0.0"},
                         &error, &server) != MICA_OK ||
        mica_server_load_engines(server, argv[1], &error) != MICA_OK)
        goto failed;
    for (unsigned i = 0; i < (unsigned)atoi(argv[2]); i++) {
        if (publish(server, i, &error) != MICA_OK)
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
