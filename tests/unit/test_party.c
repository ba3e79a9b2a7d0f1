// SPDX-License-Identifier: Apache-2.0
//
// Which client a request is counted against: addresses, networks of proxies, and
// the two header fields by which proxies name the client.
#include "http/party.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

enum {
    TEXT_BYTES = 64
};

static void
write_ip(const struct mica_ip *ip, char text_out[TEXT_BYTES])
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    bool v4 = memcmp(ip->bytes, mapped, sizeof mapped) == 0;

    ck_assert_ptr_nonnull(inet_ntop(v4 ? AF_INET : AF_INET6,
                                    ip->bytes + (v4 ? sizeof mapped : 0),
                                    text_out, TEXT_BYTES));
}

static struct mica_network networks[4];
static struct mica_proxies trusted = {.networks = networks};

static void
trust(const char *first, const char *second)
{
    struct mica_error error;

    trusted.count = 0;
    ck_assert_msg(
        mica_network_read(first, &error, &networks[trusted.count++]) == MICA_OK,
        "%s", error.message);
    if (second != NULL)
        ck_assert_msg(mica_network_read(second, &error,
                                        &networks[trusted.count++]) == MICA_OK,
                      "%s", error.message);
}

// Fields as "Name: value\n…".
static const char *
client_of(const char *peer, const char *fields)
{
    static char text[TEXT_BYTES];
    struct mica_header headers[16];
    size_t count = 0;
    struct mica_ip ip;

    ck_assert(mica_ip_read(mica_text(peer), &ip));
    while (fields[0] != '\0') {
        const char *colon = strchr(fields, ':'), *end = strchr(fields, '\n');
        headers[count].name =
            (struct mica_text){fields, (size_t)(colon - fields)};
        headers[count++].value =
            (struct mica_text){colon + 2, (size_t)(end - colon - 2)};
        fields = end + 1;
    }
    ip = mica_party_client(&trusted, ip, headers, count);
    write_ip(&ip, text);
    return text;
}

#define CK(peer, fields, client) \
    ck_assert_str_eq(client_of(peer, fields), client)

START_TEST(nobody_is_believed_unless_trusted)
{
    trusted.count = 0;
    CK("192.0.2.1", "X-Forwarded-For: 6.6.6.6\n", "192.0.2.1");
    trust("10.0.0.0/8", NULL);
    CK("192.0.2.1", "X-Forwarded-For: 6.6.6.6\nForwarded: for=6.6.6.6\n",
       "192.0.2.1");
    CK("11.0.0.1", "X-Forwarded-For: 6.6.6.6\n", "11.0.0.1");
    CK("10.0.0.1", "", "10.0.0.1");
}
END_TEST

START_TEST(the_rightmost_untrusted_hop_is_the_client)
{
    trust("10.0.0.0/8", "2001:db8:1::/48");
    CK("10.0.0.1", "X-Forwarded-For: 6.6.6.6, 192.0.2.7\n", "192.0.2.7");
    CK("10.0.0.1", "X-Forwarded-For: 6.6.6.6, 192.0.2.7, 10.1.2.3\n",
       "192.0.2.7");
    CK("10.0.0.1", "x-forwarded-for: 192.0.2.7\nX-FORWARDED-FOR: 10.0.0.2\n",
       "192.0.2.7");
    CK("10.0.0.1", "X-Forwarded-For: 10.0.0.9 , 10.0.0.8\n", "10.0.0.9");
    CK("::ffff:10.0.0.1", "X-Forwarded-For: 192.0.2.7:80\n", "192.0.2.7");
    CK("10.0.0.1", "X-Forwarded-For: 2001:db8::7\n", "2001:db8::7");
    CK("10.0.0.1", "X-Forwarded-For: [2001:db8::7]:443\n", "2001:db8::7");
    CK("2001:db8:1::5", "Forwarded: for=192.0.2.43, for=10.0.0.3\n",
       "192.0.2.43");
    CK("10.0.0.1",
       "Forwarded: for=192.0.2.9;by=10.0.0.2 , For=\"[2001:db8:1::3]:80\";"
       "proto=http\n",
       "192.0.2.9");
    CK("10.0.0.1", "Forwarded: For=\"[2001:DB8:cafe::17]:4711\"\n",
       "2001:db8:cafe::17");
}
END_TEST

START_TEST(garbage_in_the_chain_stops_at_the_hop_that_passed_it_on)
{
    trust("10.0.0.0/8", NULL);
    CK("10.0.0.1", "X-Forwarded-For: 192.0.2.7, garbage\n", "10.0.0.1");
    CK("10.0.0.1", "X-Forwarded-For: 192.0.2.7, unknown, 10.0.0.2\n",
       "10.0.0.2");
    CK("10.0.0.1", "X-Forwarded-For: 192.0.2.7,\n", "10.0.0.1");
    CK("10.0.0.1", "X-Forwarded-For: \n", "10.0.0.1");
    CK("10.0.0.1", "X-Forwarded-For: 1.2.3\n", "10.0.0.1");
    CK("10.0.0.1", "X-Forwarded-For: 01.2.3.4\n", "10.0.0.1");
    CK("10.0.0.1", "X-Forwarded-For: 1.2.3.4:99999999\n", "10.0.0.1");
    CK("10.0.0.1", "X-Forwarded-For: [1.2.3.4]\n", "10.0.0.1");
    CK("10.0.0.1", "X-Forwarded-For: fe80::1%eth0\n", "10.0.0.1");
    CK("10.0.0.1", "X-Forwarded-For: 192.0.2.7\nX-Forwarded-For: x\n",
       "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for=192.0.2.7, for=_hidden, for=10.0.0.2\n",
       "10.0.0.2");
    CK("10.0.0.1", "Forwarded: for=unknown\n", "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for=192.0.2.7, proto=https\n", "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for=1.1.1.1;for=2.2.2.2\n", "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for=[2001:db8::1]\n", "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for=\"192.0.2.7\n", "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for = 192.0.2.7\n", "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for=192.0.2.7;\n", "10.0.0.1");
}
END_TEST

// What a client sends stands before what its proxy adds, on the same line.
START_TEST(an_open_quote_of_the_client_does_not_swallow_its_proxy)
{
    trust("10.0.0.0/8", NULL);
    CK("10.0.0.1", "Forwarded: for=6.6.6.6;x=\", for=192.0.2.7\n", "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for=6.6.6.6;x=\", for=\"[2001:db8::7]\"\n",
       "10.0.0.1");
    CK("10.0.0.1",
       "Forwarded: for=6.6.6.6;x=\", for=\"192.0.2.7\";by=\"10.0.0.1\"\n",
       "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for=6.6.6.6;x=\"\\\", for=192.0.2.7\n",
       "10.0.0.1");
    CK("10.0.0.1", "Forwarded: \"\nForwarded: for=192.0.2.7\n", "192.0.2.7");
}
END_TEST

START_TEST(two_fields_that_disagree_are_not_believed)
{
    trust("10.0.0.0/8", NULL);
    CK("10.0.0.1", "Forwarded: for=6.6.6.6\nX-Forwarded-For: 192.0.2.7\n",
       "10.0.0.1");
    CK("10.0.0.1", "Forwarded: for=192.0.2.7\nX-Forwarded-For: 192.0.2.7\n",
       "192.0.2.7");
    CK("10.0.0.1", "Forwarded: x\nX-Forwarded-For: 192.0.2.7\n", "10.0.0.1");
}
END_TEST

START_TEST(of_very_many_hops_the_last_count)
{
    char fields[1024] = "X-Forwarded-For: 192.0.2.7";

    trust("10.0.0.0/8", NULL);
    for (int i = 1; i < MICA_PARTY_HOPS; i++)
        strcat(fields, ",10.0.0.1");
    strcat(fields, "\n");
    CK("10.0.0.2", fields, "192.0.2.7");
    // What stands in front of the last 32 is not looked at.
    memcpy(fields + strlen(fields) - 1, ",10.0.0.1\n", 11);
    CK("10.0.0.2", fields, "10.0.0.1");
    // A client has put many in front of what its proxy has added.
    memcpy(fields + strlen(fields) - 1, ",198.51.100.9\n", 15);
    CK("10.0.0.2", fields, "198.51.100.9");
    memcpy(fields, "Forwarded:      ", 16);
    strcpy(fields + 16, "for=1.1.1.1");
    for (int i = 1; i < 2 * MICA_PARTY_HOPS; i++)
        strcat(fields, ",for=1.1.1.1");
    strcat(fields, ",for=198.51.100.9\n");
    CK("10.0.0.2", fields, "198.51.100.9");
}
END_TEST

static void
ck_party(const char *address, const char *party)
{
    char text[TEXT_BYTES];
    struct mica_ip ip;

    ck_assert(mica_ip_read(mica_text(address), &ip));
    ip = mica_party_of(&ip);
    write_ip(&ip, text);
    ck_assert_str_eq(text, party);
}

START_TEST(a_party_is_an_ipv4_address_or_a_64)
{
    ck_party("192.0.2.1", "192.0.2.1");
    ck_party("::ffff:192.0.2.1", "192.0.2.1");
    ck_party("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::");
    ck_party("2001:db8:1:2::", "2001:db8:1:2::");
    ck_party("::1", "::");
    ck_party("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
             "ffff:ffff:ffff:ffff::");
}
END_TEST

START_TEST(sockets_have_the_same_addresses)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct sockaddr local = {.sa_family = AF_UNIX};
    struct mica_ip ip, same;

    ck_assert_int_eq(inet_pton(AF_INET, "192.0.2.1", &v4.sin_addr), 1);
    ck_assert(mica_ip_of_socket((const struct sockaddr *)&v4, &ip));
    ck_assert_int_eq(inet_pton(AF_INET6, "::ffff:192.0.2.1", &v6.sin6_addr), 1);
    ck_assert(mica_ip_of_socket((const struct sockaddr *)&v6, &same));
    ck_assert_mem_eq(&ip, &same, sizeof ip);
    ck_assert(!mica_ip_of_socket(&local, &ip));
}
END_TEST

START_TEST(networks_are_read_strictly)
{
    static const char *const bad[] = {"",
                                      "10.0.0.0/33",
                                      "10.0.0.0/",
                                      "10.0.0.0/08",
                                      "10.0.0.1/8",
                                      "10.0.0/8",
                                      "2001:db8::1/32",
                                      "::/129",
                                      "/8",
                                      "10.0.0.0/-1",
                                      "10.0.0.0/8 ",
                                      "localhost",
                                      "10.0.0.0/8/8",
                                      "[::1]",
                                      "::1%lo"};
    struct mica_network network;
    struct mica_error error;
    struct mica_ip ip;

    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        ck_assert_msg(mica_network_read(bad[i], &error, &network) ==
                          MICA_E_USAGE,
                      "%s", bad[i]);
        ck_assert_ptr_nonnull(strstr(error.message, "10.0.0.0/8"));
    }
    ck_assert_int_eq(mica_network_read("172.16.0.0/12", &error, &network),
                     MICA_OK);
    ck_assert(mica_ip_read(MICA_LITERAL("172.31.255.255"), &ip));
    ck_assert(mica_network_has(&network, &ip));
    ck_assert(mica_ip_read(MICA_LITERAL("172.32.0.0"), &ip));
    ck_assert(!mica_network_has(&network, &ip));
    ck_assert_int_eq(mica_network_read("0.0.0.0/0", &error, &network), MICA_OK);
    ck_assert(mica_network_has(&network, &ip));
    ck_assert(mica_ip_read(MICA_LITERAL("2001:db8::1"), &ip));
    ck_assert(!mica_network_has(&network, &ip));
    ck_assert_int_eq(mica_network_read("::1", &error, &network), MICA_OK);
    ck_assert_uint_eq(network.bits, 128);
}
END_TEST

UNIT_MAIN("party", nobody_is_believed_unless_trusted,
          the_rightmost_untrusted_hop_is_the_client,
          garbage_in_the_chain_stops_at_the_hop_that_passed_it_on,
          an_open_quote_of_the_client_does_not_swallow_its_proxy,
          two_fields_that_disagree_are_not_believed,
          of_very_many_hops_the_last_count, a_party_is_an_ipv4_address_or_a_64,
          sockets_have_the_same_addresses, networks_are_read_strictly)
