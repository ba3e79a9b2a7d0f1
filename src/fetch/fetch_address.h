// SPDX-License-Identifier: Apache-2.0
//
// What an IP address belongs to, by the registries of special addresses (RFC 6890 and
// what updates it). An address inside another (IPv4 in IPv6) is judged by what it
// leads to.
#ifndef MICA_FETCH_FETCH_ADDRESS_H
#define MICA_FETCH_FETCH_ADDRESS_H

#include <sys/socket.h>

enum mica_fetch_reach {
    MICA_REACH_PUBLIC,
    MICA_REACH_LOOPBACK, // this machine
    MICA_REACH_PRIVATE, // private, shared, link-local (metadata of clouds), ULA
    MICA_REACH_NOWHERE  // unspecified, multicast, reserved, documentation
};

// Anything but IPv4 and IPv6 leads nowhere.
enum mica_fetch_reach mica_fetch_reach(const struct sockaddr *address);

#endif
