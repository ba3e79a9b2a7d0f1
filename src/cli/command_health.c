// SPDX-License-Identifier: Apache-2.0
//
// mica health: asks a server on this machine how it is, for an image that has no
// other program that could.
#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "http/address.h"

enum {
    HEALTH_WAIT_S = 5,
    REPLY_BYTES = 4096 // what of a reply is read
};

static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                              "Connection: close\r\n\r\n";

static enum mica_status
health_fail(const char *listen, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "",
                          "no server answers at %s: %s; start one with \"mica "
                          "serve --listen %s\"",
                          listen, strerror(errno), listen);
}

// The reply as it came, NUL-terminated; cut if it is longer.
static enum mica_status
health_ask(int fd, const struct mica_address *address, const char *listen,
           char reply_out[REPLY_BYTES], struct mica_error *error)
{
    const struct timeval wait = {.tv_sec = HEALTH_WAIT_S};
    size_t length = 0;
    ssize_t got = 0;

    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    if (connect(fd, (const struct sockaddr *)&address->socket, address->size) !=
            0 ||
        send(fd, request, sizeof request - 1, MSG_NOSIGNAL) < 0)
        return health_fail(listen, error);
    while (length < REPLY_BYTES - 1 &&
           (got = recv(fd, reply_out + length, REPLY_BYTES - 1 - length, 0)) >
               0)
        length += (size_t)got;
    reply_out[length] = '\0';
    return got < 0 ? health_fail(listen, error) : MICA_OK;
}

// 200 is well. With 503 the server drains; anything else is no server of mica.
static enum mica_status
health_judge(struct mica_cli *cli, const char *reply, const char *listen,
             struct mica_error *error)
{
    const char *body = strstr(reply, "\r\n\r\n{");

    if (body != NULL && strncmp(reply, "HTTP/1.1 200 ", 13) == 0) {
        mica_cli_print(cli, "%s\n", body + 4);
        return MICA_OK;
    }
    if (body != NULL && strncmp(reply, "HTTP/1.1 503 ", 13) == 0)
        return mica_error_set(error, MICA_E_BUSY, "",
                              "the server at %s drains: it was told to end",
                              listen);
    return mica_error_set(error, MICA_E_IO, "",
                          "what answers at %s is no server of mica; name "
                          "another address with --listen",
                          listen);
}

static enum mica_status
health_run(struct mica_cli *cli, const struct mica_options *options,
           struct mica_error *error)
{
    const char *listen = mica_options_value(options, "listen");
    struct mica_address address;
    char reply[REPLY_BYTES];
    enum mica_status status;
    int fd;

    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "health takes no \"%s\"; an address goes behind "
                              "--listen",
                              options->words[0]);
    if (listen == NULL)
        listen = "127.0.0.1:8080";
    MICA_TRY(mica_address_read(listen, error, &address));
    fd = socket(address.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return health_fail(listen, error);
    status = health_ask(fd, &address, listen, reply, error);
    close(fd);
    return status == MICA_OK ? health_judge(cli, reply, listen, error) : status;
}

static const struct mica_option options[] = {
    {"listen", MICA_OPTION_VALUE, "HOST:PORT",
     "where the server listens (default 127.0.0.1:8080)"},
    MICA_JSON_ANYWAY_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_health = {
    .name = "health",
    .group = MICA_GROUP_SERVING,
    .summary = "Ask a server on this machine how it is",
    .usage = "[--listen HOST:PORT]",
    .example = "mica health --listen 127.0.0.1:9000",
    .more =
        "Prints what the server says at /healthz. The exit status is 0 if it "
        "serves, and not 0 if it drains or does not answer; an image has "
        "this as its HEALTHCHECK.",
    .options = options,
    .run = health_run};
