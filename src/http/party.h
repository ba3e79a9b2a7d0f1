// SPDX-License-Identifier: Apache-2.0
//
// The party of a request without a token, against which it is counted: the address of
// its connection; if that is a proxy that the operator trusts, the address for which the
// proxy forwards (RFC 7239, X-Forwarded-For). These functions read untrusted input and
// have no state.
#ifndef MICA_HTTP_PARTY_H
#define MICA_HTTP_PARTY_H

#include <sys/socket.h>

#include <mica/server.h>

enum {
    // Hops of one header field that are read, from its end.
    MICA_PARTY_HOPS = 32
};

// An IPv4 address is stored as ::ffff:a.b.c.d.
struct mica_ip {
    unsigned char bytes[16];
};

// Addresses with the same first `bits` of 128.
struct mica_network {
    struct mica_ip ip;
    unsigned bits;
};

// Reads "192.0.2.1" or "2001:db8::1", without port, zone and brackets.
bool mica_ip_read(struct mica_text text, struct mica_ip *ip_out);

// Returns false for another address family.
bool mica_ip_of_socket(const struct sockaddr *address, struct mica_ip *ip_out);

// Reads "10.0.0.0/8", "2001:db8::/32" or one address. Errors: MICA_E_USAGE, also when a
// bit after the prefix is set.
enum mica_status mica_network_read(const char *textz, struct mica_error *error,
                                   struct mica_network *network_out)
    MICA_MUST_USE;

bool mica_network_has(const struct mica_network *network,
                      const struct mica_ip *ip);

// The networks of trusted proxies.
struct mica_proxies {
    struct mica_network *networks;
    size_t count;
};

// The client of a request that came from `peer`. From the right, each trusted hop is
// replaced by the one that it names; the first that is not trusted is the client.
// A hop that is not an address (garbage, "unknown", an obfuscated name) ends the chain
// at the trusted hop that named it. If Forwarded and X-Forwarded-For name different
// clients, the client has forged one of them: then the result is `peer`.
struct mica_ip mica_party_client(const struct mica_proxies *trusted,
                                 struct mica_ip peer,
                                 const struct mica_header *headers,
                                 size_t header_count);

// The party of a client: its IPv4 address, or the first 64 bits of its IPv6 address, as
// one customer or machine owns all addresses of that prefix.
struct mica_ip mica_party_of(const struct mica_ip *client);

#endif
