// SPDX-License-Identifier: Apache-2.0
//
// Which client a request is counted against when requests carry no token: the
// address of its connection or, where that is a proxy which the operator trusts,
// the address for which the proxy says it asks (RFC 7239, X-Forwarded-For).
// Everything here reads bytes of strangers and keeps no state.
#ifndef MICA_HTTP_PARTY_H
#define MICA_HTTP_PARTY_H

#include <sys/socket.h>

#include <mica/server.h>

enum {
    // Proxies that one header field names, at most; a longer one is garbage.
    MICA_PARTY_HOPS = 32
};

// An IPv4 address is ::ffff:a.b.c.d, so that it is the same by either family.
struct mica_ip {
    unsigned char bytes[16];
};

// Addresses with the same first `bits` of 128.
struct mica_network {
    struct mica_ip ip;
    unsigned bits;
};

// "192.0.2.1" or "2001:db8::1", without port, zone and brackets.
bool mica_ip_read(struct mica_text text, struct mica_ip *ip_out);

// False for another family.
bool mica_ip_of_socket(const struct sockaddr *address, struct mica_ip *ip_out);

// "10.0.0.0/8", "2001:db8::/32" or one address. Errors: MICA_E_USAGE, also when a
// bit behind the prefix is set.
enum mica_status mica_network_read(const char *textz, struct mica_error *error,
                                   struct mica_network *network_out)
    MICA_MUST_USE;

bool mica_network_has(const struct mica_network *network,
                      const struct mica_ip *ip);

// The networks whose word is believed.
struct mica_proxies {
    struct mica_network *networks;
    size_t count;
};

// The client of a request that came from `peer`. From the right, each trusted hop is
// replaced by the one that it names; the first that is not trusted is the client.
// What is no address (garbage, "unknown", an obfuscated name) ends the chain at the
// trusted hop that passed it on. When Forwarded and X-Forwarded-For name different
// clients, one of them is the client's own invention: then it is `peer`.
struct mica_ip mica_party_client(const struct mica_proxies *trusted,
                                 struct mica_ip peer,
                                 const struct mica_header *headers,
                                 size_t header_count);

// The party of a client: an IPv4 address, or the first 64 bits of an IPv6 address, as
// one customer or machine has all behind them.
struct mica_ip mica_party_of(const struct mica_ip *client);

#endif
