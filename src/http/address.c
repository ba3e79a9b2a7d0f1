// SPDX-License-Identifier: Apache-2.0
//
// One numeric socket address per server.
#include "http/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

static enum mica_status
address_refuse(struct mica_error *error, const char *listenz)
{
    return mica_error_set(error, MICA_E_USAGE, "",
                          "cannot listen on \"%s\": give an IP address and a "
                          "port, like 127.0.0.1:8080 or [::1]:8080 (port 0 "
                          "takes a free one)",
                          listenz);
}

// Reads digits, 0 to 65535.
static bool
read_port(const char *textz, in_port_t *port_out)
{
    unsigned port = 0;
    size_t len = strlen(textz);

    if (len == 0 || len > 5)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (textz[i] < '0' || textz[i] > '9')
            return false;
        port = port * 10 + (unsigned)(textz[i] - '0');
    }
    *port_out = htons((uint16_t)port);
    return port <= 65535;
}

static bool
read_v4(const char *hostz, in_port_t port, struct mica_address *address)
{
    struct sockaddr_in v4;

    memset(&v4, 0, sizeof v4);
    v4.sin_family = AF_INET;
    v4.sin_port = port;
    if (inet_pton(AF_INET,
                  strcmp(hostz, "localhost") == 0 ? "127.0.0.1" : hostz,
                  &v4.sin_addr) != 1)
        return false;
    address->loopback = (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
    address->size = sizeof v4;
    memcpy(&address->socket, &v4, sizeof v4);
    return true;
}

static bool
read_v6(const char *hostz, in_port_t port, struct mica_address *address)
{
    struct sockaddr_in6 v6;

    memset(&v6, 0, sizeof v6);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = port;
    if (inet_pton(AF_INET6, hostz, &v6.sin6_addr) != 1)
        return false;
    address->loopback = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
    address->size = sizeof v6;
    memcpy(&address->socket, &v6, sizeof v6);
    return true;
}

enum mica_status
mica_address_read(const char *listenz, struct mica_error *error,
                  struct mica_address *address_out)
{
    const char *colon = strrchr(listenz, ':');
    char host[64];
    in_port_t port;
    bool bracketed = listenz[0] == '[';

    memset(address_out, 0, sizeof *address_out);
    if (colon == NULL || colon == listenz || !read_port(colon + 1, &port))
        return address_refuse(error, listenz);
    const char *start = listenz + (bracketed ? 1 : 0);
    size_t len = (size_t)(colon - start);
    if (bracketed && (len == 0 || start[--len] != ']'))
        return address_refuse(error, listenz);
    if (len >= sizeof host)
        return address_refuse(error, listenz);
    memcpy(host, start, len);
    host[len] = '\0';
    if (bracketed ? read_v6(host, port, address_out)
                  : read_v4(host, port, address_out))
        return MICA_OK;
    return address_refuse(error, listenz);
}

static unsigned
bound_port(int fd)
{
    struct sockaddr_storage socket = {.ss_family = AF_UNSPEC};
    socklen_t size = sizeof socket;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (getsockname(fd, (struct sockaddr *)&socket, &size) != 0)
        return 0;
    if (socket.ss_family == AF_INET) {
        memcpy(&v4, &socket, sizeof v4);
        return ntohs(v4.sin_port);
    }
    memcpy(&v6, &socket, sizeof v6);
    return ntohs(v6.sin6_port);
}

enum mica_status
mica_address_listen(const struct mica_address *address, const char *listenz,
                    struct mica_error *error, int *fd_out, unsigned *port_out)
{
    int yes = 1;
    int fd = socket(address->socket.ss_family,
                    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    // Accepted sockets inherit these: the kernel detects a peer that vanished, and sends
    // a small reply without delay.
    if (fd >= 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
        if (address->socket.ss_family == AF_INET6)
            (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    }
    if (fd < 0 ||
        bind(fd, (const struct sockaddr *)&address->socket, address->size) !=
            0 ||
        listen(fd, SOMAXCONN) != 0) {
        int code = errno;
        if (fd >= 0)
            close(fd);
        if (code == EADDRINUSE)
            return mica_error_set(error, MICA_E_ADDRESS, "",
                                  "another program listens on %s; choose "
                                  "another port, or 0 for a free one",
                                  listenz);
        return mica_error_set(error, MICA_E_IO, "", "cannot listen on %s: %s",
                              listenz, strerror(code));
    }
    *port_out = bound_port(fd);
    *fd_out = fd;
    return MICA_OK;
}

// Drops each segment that has SYN without ACK. The filter reads from the TCP header on.
void
mica_address_drain(int listener)
{
    enum {
        FLAGS_AT = 13,
        SYN = 0x02,
        ACK = 0x10
    };
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, FLAGS_AT),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SYN | ACK),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYN, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
    };
    const struct sock_fprog program = {.len = MICA_COUNT(steps),
                                       .filter = steps};

    (void)setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program,
                     sizeof program);
}
