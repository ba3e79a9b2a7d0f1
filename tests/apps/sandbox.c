// SPDX-License-Identifier: Apache-2.0
//
// sandbox: a server without tools that has the sandbox of views, until SIGTERM. Prints its
// port.
#include <stdio.h>

#include <mica/server.h>

static void
print_port(void *user, unsigned port)
{
    (void)user;
    printf("http://127.0.0.1:%u\n", port);
    (void)fflush(stdout);
}

int
main(void)
{
    const struct mica_server_options options = {.name = "sandbox",
                                                .version = "1"};
    const struct mica_http_options http = {.listen = "127.0.0.1:0",
                                           .quiet = true,
                                           .host_page = MICA_HOST_PAGE_LOCAL,
                                           .drain_s = -1,
                                           .ready = print_port};
    struct mica_server *server = NULL;
    struct mica_error error;
    enum mica_status status = mica_server_open(&options, &error, &server);

    if (status == MICA_OK)
        status = mica_server_serve_http(server, &http, &error);
    if (status != MICA_OK)
        (void)fprintf(stderr, "%s\n", error.message);
    mica_server_close(&server);
    return status == MICA_OK ? 0 : 1;
}
