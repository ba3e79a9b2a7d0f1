// SPDX-License-Identifier: Apache-2.0
//
// Tables of the special addresses. IPv6 is public only inside 2000::/3; all else is
// named here or leads nowhere.
#include "fetch/fetch_address.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <mica/base.h>

#define IP4(a, b, c, d)                                               \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | \
     (uint32_t)(d))

static const struct {
    uint32_t network;
    unsigned bits;
    enum mica_fetch_reach reach;
} networks4[] = {
    {IP4(0, 0, 0, 0), 8, MICA_REACH_NOWHERE},       // this host
    {IP4(10, 0, 0, 0), 8, MICA_REACH_PRIVATE},      // private
    {IP4(100, 64, 0, 0), 10, MICA_REACH_PRIVATE},   // shared (carrier NAT)
    {IP4(127, 0, 0, 0), 8, MICA_REACH_LOOPBACK},    // loopback
    {IP4(169, 254, 0, 0), 16, MICA_REACH_PRIVATE},  // link-local, metadata
    {IP4(172, 16, 0, 0), 12, MICA_REACH_PRIVATE},   // private
    {IP4(192, 0, 0, 0), 24, MICA_REACH_PRIVATE},    // protocol assignments
    {IP4(192, 0, 2, 0), 24, MICA_REACH_NOWHERE},    // documentation
    {IP4(192, 31, 196, 0), 24, MICA_REACH_NOWHERE}, // AS112
    {IP4(192, 52, 193, 0), 24, MICA_REACH_NOWHERE}, // AMT
    {IP4(192, 88, 99, 0), 24, MICA_REACH_NOWHERE},  // 6to4 relays
    {IP4(192, 168, 0, 0), 16, MICA_REACH_PRIVATE},  // private
    {IP4(192, 175, 48, 0), 24, MICA_REACH_NOWHERE}, // AS112
    {IP4(198, 18, 0, 0), 15, MICA_REACH_PRIVATE},   // benchmarks
    {IP4(198, 51, 100, 0), 24, MICA_REACH_NOWHERE}, // documentation
    {IP4(203, 0, 113, 0), 24, MICA_REACH_NOWHERE},  // documentation
    {IP4(224, 0, 0, 0), 4, MICA_REACH_NOWHERE},     // multicast
    {IP4(240, 0, 0, 0), 4, MICA_REACH_NOWHERE},     // reserved, broadcast
};

enum {
    NOT_INSIDE = -1 // no IPv4 address lies in it
};

static const struct {
    unsigned char network[16];
    unsigned bits;
    int inside; // byte where an IPv4 address begins
    enum mica_fetch_reach reach;
} networks6[] = {
    // ::1 and :: before the addresses that are compatible with IPv4.
    {{[15] = 1}, 128, NOT_INSIDE, MICA_REACH_LOOPBACK},
    {{0}, 128, NOT_INSIDE, MICA_REACH_NOWHERE},
    {{[10] = 0xFF, 0xFF}, 96, 12, MICA_REACH_NOWHERE}, // ::ffff:0:0, mapped
    {{[8] = 0xFF, 0xFF},
     96,
     12,
     MICA_REACH_NOWHERE},              // ::ffff:0:0:0, translated
    {{0}, 96, 12, MICA_REACH_NOWHERE}, // compatible
    {{0x00, 0x64, 0xFF, 0x9B}, 96, 12, MICA_REACH_NOWHERE}, // NAT64
    {{0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01},
     48,
     NOT_INSIDE,
     MICA_REACH_PRIVATE},                      // NAT64 of a network's own
    {{0x20, 0x02}, 16, 2, MICA_REACH_NOWHERE}, // 6to4
    {{0x20, 0x01, 0x0D, 0xB8}, 32, NOT_INSIDE, MICA_REACH_NOWHERE},
    {{0x20, 0x01}, 23, NOT_INSIDE, MICA_REACH_NOWHERE}, // assignments, Teredo
    {{0x3F, 0xFF}, 20, NOT_INSIDE, MICA_REACH_NOWHERE}, // documentation
    {{0x20}, 3, NOT_INSIDE, MICA_REACH_PUBLIC},         // global unicast
    {{0xFC}, 7, NOT_INSIDE, MICA_REACH_PRIVATE},        // unique local
    {{0xFE, 0x80}, 10, NOT_INSIDE, MICA_REACH_PRIVATE}, // link-local
    {{0xFE, 0xC0}, 10, NOT_INSIDE, MICA_REACH_PRIVATE}, // site-local
};

static enum mica_fetch_reach
reach_of_ip4(uint32_t address)
{
    for (size_t i = 0; i < MICA_COUNT(networks4); i++) {
        uint32_t mask = UINT32_MAX << (32 - networks4[i].bits);
        if ((address & mask) == networks4[i].network)
            return networks4[i].reach;
    }
    return MICA_REACH_PUBLIC;
}

static uint32_t
ip4_at(const unsigned char *bytes)
{
    return IP4(bytes[0], bytes[1], bytes[2], bytes[3]);
}

static bool
is_inside(const unsigned char *bytes, const unsigned char *network,
          unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;

    return memcmp(bytes, network, whole) == 0 &&
           (rest == 0 ||
            ((bytes[whole] ^ network[whole]) & 0xFF << (8 - rest) & 0xFF) == 0);
}

static enum mica_fetch_reach
reach_of_ip6(const unsigned char *bytes)
{
    for (size_t i = 0; i < MICA_COUNT(networks6); i++) {
        if (!is_inside(bytes, networks6[i].network, networks6[i].bits))
            continue;
        return networks6[i].inside == NOT_INSIDE
                   ? networks6[i].reach
                   : reach_of_ip4(ip4_at(bytes + networks6[i].inside));
    }
    return MICA_REACH_NOWHERE;
}

enum mica_fetch_reach
mica_fetch_reach(const struct sockaddr *address)
{
    struct sockaddr_in ip4;
    struct sockaddr_in6 ip6;

    if (address->sa_family == AF_INET) {
        memcpy(&ip4, address, sizeof ip4);
        return reach_of_ip4(ntohl(ip4.sin_addr.s_addr));
    }
    if (address->sa_family != AF_INET6)
        return MICA_REACH_NOWHERE;
    memcpy(&ip6, address, sizeof ip6);
    return reach_of_ip6(ip6.sin6_addr.s6_addr);
}
