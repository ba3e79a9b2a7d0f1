// SPDX-License-Identifier: Apache-2.0
//
// Where to listen: reads "127.0.0.1:8080" or "[::1]:0" and opens the socket.
// No names are looked up: what a name means may change, what a server is open
// to may not.
#ifndef MICA_HTTP_ADDRESS_H
#define MICA_HTTP_ADDRESS_H

#include <sys/socket.h>

#include <mica/base.h>

struct mica_address {
    struct sockaddr_storage socket;
    socklen_t size;
    bool loopback;
};

// Errors: MICA_E_USAGE.
enum mica_status mica_address_read(const char *listenz,
                                   struct mica_error *error,
                                   struct mica_address *address_out)
    MICA_MUST_USE;

// Owner: the caller closes the socket. Errors: MICA_E_IO.
enum mica_status mica_address_listen(const struct mica_address *address,
                                     const char *listenz,
                                     struct mica_error *error, int *fd_out,
                                     unsigned *port_out) MICA_MUST_USE;

// The listener takes no further connection. One whose handshake has begun still
// arrives, and the program has to accept it before it closes the listener, as its
// client would see a reset. Without effect where the system has no socket filters.
void mica_address_drain(int listener);

#endif
