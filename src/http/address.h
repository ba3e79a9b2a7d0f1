// SPDX-License-Identifier: Apache-2.0
//
// The address to listen on: reads "127.0.0.1:8080" or "[::1]:0" and opens the socket.
// Names are not resolved: the address of a name may change, and with it who can reach
// the server.
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

// The listener accepts no new handshake. A connection whose handshake has begun still
// arrives; the program has to accept it before it closes the listener, or the client
// gets a reset. No effect where the system has no socket filters.
void mica_address_drain(int listener);

#endif
