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

// Where a server under test serves its metrics: the kernel chooses the port. A
// test that chose a free one itself could lose it to another test meanwhile.
#define SCRAPE_ANY "127.0.0.1:0"

// The port that descriptor `fd` of this process listens at; 0 when it does not.
static inline unsigned
listening_port(int fd)
{
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    int listens = 0;
    socklen_t listens_size = sizeof listens;

    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size) !=
            0 ||
        !listens || getsockname(fd, (struct sockaddr *)&address, &size) != 0 ||
        address.sin_family != AF_INET)
        return 0;
    return ntohs(address.sin_port);
}

// The port of the metrics: the server runs on a thread of this process, and its
// only listener beside the one at `served` (0: there is no other) serves them.
static inline unsigned
scraped_port(unsigned served)
{
    enum {
        DESCRIPTORS = 4096
    };
    unsigned found = 0;

    for (int fd = 0; fd < DESCRIPTORS; fd++) {
        unsigned port = listening_port(fd);
        if (port == 0 || port == served)
            continue;
        ck_assert_msg(found == 0, "listeners at %u and %u", found, port);
        found = port;
    }
    ck_assert_msg(found != 0, "no listener serves metrics");
    return found;
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
