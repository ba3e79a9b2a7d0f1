// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the metrics share: asking the listener that serves them.
#ifndef MICA_TESTS_SCRAPE_H
#define MICA_TESTS_SCRAPE_H

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "unit.h"

// A port that is free now.
static inline unsigned
free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, size), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

// Sends a request to the port; the whole reply.
static inline const char *
ask_port(unsigned port, const char *request)
{
    static char reply[65536];
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t length = 0;
    ssize_t got;

    ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    ck_assert_int_eq(write(fd, request, strlen(request)),
                     (ssize_t)strlen(request));
    while (length < sizeof reply - 1 &&
           (got = read(fd, reply + length, sizeof reply - 1 - length)) > 0)
        length += (size_t)got;
    close(fd);
    reply[length] = '\0';
    return reply;
}

#define GET(path, host) \
    "GET " path " HTTP/1.1\r\nHost: " host "\r\nConnection: close\r\n\r\n"

// The page of a listener at that port.
static inline const char *
scrape_port(unsigned port)
{
    const char *reply = ask_port(port, GET("/metrics", "localhost"));

    ck_assert_ptr_nonnull(strstr(reply, "HTTP/1.1 200 "));
    return reply;
}

#define ck_page_shows(page, line) \
    ck_assert_msg(strstr(page, line) != NULL, "no %s in\n%.3500s", line, page)

#endif
