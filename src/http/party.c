// SPDX-License-Identifier: Apache-2.0
//
// Reads the chain of hops from its right end, which the server's own proxies have
// written; the client may have written the rest. A field that does not parse is ignored
// as a whole, so that a quote which a client left open cannot change how the hop of a
// proxy after it is read.
#include "http/party.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/ascii.h"

static const unsigned char mapped[12] = {0, 0, 0, 0, 0,    0,
                                         0, 0, 0, 0, 0xff, 0xff};

static bool
is_v4(const struct mica_ip *ip)
{
    return memcmp(ip->bytes, mapped, sizeof mapped) == 0;
}

// ---- Addresses -----------------------------------------------------------------

static void
set_v4(struct in_addr v4, struct mica_ip *ip)
{
    memcpy(ip->bytes, mapped, sizeof mapped);
    memcpy(ip->bytes + sizeof mapped, &v4, sizeof v4);
}

bool
mica_ip_read(struct mica_text text, struct mica_ip *ip_out)
{
    char textz[INET6_ADDRSTRLEN];
    struct in_addr v4;
    struct in6_addr v6;

    if (text.len == 0 || text.len >= sizeof textz ||
        memchr(text.ptr, '\0', text.len) != NULL)
        return false;
    memcpy(textz, text.ptr, text.len);
    textz[text.len] = '\0';
    if (inet_pton(AF_INET, textz, &v4) == 1) {
        set_v4(v4, ip_out);
        return true;
    }
    if (inet_pton(AF_INET6, textz, &v6) != 1)
        return false;
    memcpy(ip_out->bytes, &v6, sizeof ip_out->bytes);
    return true;
}

bool
mica_ip_of_socket(const struct sockaddr *address, struct mica_ip *ip_out)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (address->sa_family == AF_INET) {
        memcpy(&v4, address, sizeof v4);
        set_v4(v4.sin_addr, ip_out);
        return true;
    }
    if (address->sa_family != AF_INET6)
        return false;
    memcpy(&v6, address, sizeof v6);
    memcpy(ip_out->bytes, &v6.sin6_addr, sizeof ip_out->bytes);
    return true;
}

struct mica_ip
mica_party_of(const struct mica_ip *client)
{
    struct mica_ip party = *client;

    if (!is_v4(client))
        memset(party.bytes + 8, 0, 8);
    return party;
}

// ---- Networks ------------------------------------------------------------------

bool
mica_network_has(const struct mica_network *network, const struct mica_ip *ip)
{
    unsigned whole = network->bits / 8, rest = network->bits % 8;

    if (memcmp(network->ip.bytes, ip->bytes, whole) != 0)
        return false;
    return rest == 0 ||
           (network->ip.bytes[whole] ^ ip->bytes[whole]) >> (8 - rest) == 0;
}

static enum mica_status
refuse_network(const char *textz, const char *why, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_USAGE, "",
                          "\"%s\" is no network of proxies: %s; give one like "
                          "10.0.0.0/8, 2001:db8::/32 or 127.0.0.1",
                          textz, why);
}

// Reads digits without a leading zero, at most `most`.
static bool
read_bits(const char *textz, unsigned most, unsigned *bits_out)
{
    size_t len = strlen(textz);
    unsigned bits = 0;

    if (len == 0 || len > 3 || (len > 1 && textz[0] == '0'))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (textz[i] < '0' || textz[i] > '9')
            return false;
        bits = bits * 10 + (unsigned)(textz[i] - '0');
    }
    *bits_out = bits;
    return bits <= most;
}

enum mica_status
mica_network_read(const char *textz, struct mica_error *error,
                  struct mica_network *network_out)
{
    const char *slash = strchr(textz, '/');
    struct mica_text host = mica_text(textz);
    struct mica_ip last;
    unsigned most, bits;

    if (slash != NULL)
        host.len = (size_t)(slash - textz);
    if (!mica_ip_read(host, &network_out->ip))
        return refuse_network(textz, "it does not begin with an IP address",
                              error);
    most = memchr(host.ptr, ':', host.len) == NULL ? 32 : 128;
    bits = most;
    if (slash != NULL && !read_bits(slash + 1, most, &bits))
        return refuse_network(
            textz,
            most == 32 ? "the number after the slash is not 0 to 32"
                       : "the number after the slash is not 0 to 128",
            error);
    network_out->bits = bits + (128 - most);
    // The address without the bits after the prefix.
    last = network_out->ip;
    for (unsigned i = network_out->bits; i < 128; i++)
        last.bytes[i / 8] &= (unsigned char)~(0x80u >> (i % 8));
    if (memcmp(&last, &network_out->ip, sizeof last) != 0)
        return refuse_network(textz, "bits after the prefix are set", error);
    return MICA_OK;
}

static bool
is_trusted(const struct mica_proxies *trusted, const struct mica_ip *ip)
{
    for (size_t i = 0; i < trusted->count; i++) {
        if (mica_network_has(&trusted->networks[i], ip))
            return true;
    }
    return false;
}

// ---- A node ----------------------------------------------------------------------

static bool
is_port(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    }
    return text.len > 0 && text.len <= 5;
}

// Reads "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "[2001:db8::1]:80"; with `bare`
// also "2001:db8::1", as in X-Forwarded-For.
static bool
read_node(struct mica_text node, bool bare, struct mica_ip *ip_out)
{
    bool bracketed = node.len > 0 && node.ptr[0] == '[';
    const char *end = node.len == 0
                          ? NULL
                          : memchr(node.ptr, bracketed ? ']' : ':', node.len);
    size_t at = end != NULL ? (size_t)(end - node.ptr) : node.len;
    struct mica_text host = mica_text_slice(node, bracketed ? 1 : 0, at);
    struct mica_text rest = mica_text_slice(node, at, node.len);

    if (bracketed) {
        if (end == NULL)
            return false;
        rest = mica_text_slice(rest, 1, rest.len);
    } else if (bare && rest.len > 0 &&
               memchr(rest.ptr + 1, ':', rest.len - 1) != NULL) {
        return mica_ip_read(node, ip_out);
    }
    if (rest.len > 0 &&
        (rest.ptr[0] != ':' || !is_port(mica_text_slice(rest, 1, rest.len))))
        return false;
    return (memchr(host.ptr, ':', host.len) != NULL) == bracketed &&
           mica_ip_read(host, ip_out);
}

// ---- Fields --------------------------------------------------------------------

// The last hops of one field, from the left; its sender may add any number in front.
// `known` is false for an element without an address.
struct hops {
    struct mica_ip ips[MICA_PARTY_HOPS];
    bool known[MICA_PARTY_HOPS];
    size_t count;
};

// Returns the index of the next hop, which replaces the first if there are too many.
// The caller counts it.
static size_t
next_hop(struct hops *hops)
{
    if (hops->count == MICA_PARTY_HOPS) {
        hops->count--;
        memmove(hops->ips, hops->ips + 1, hops->count * sizeof hops->ips[0]);
        memmove(hops->known, hops->known + 1,
                hops->count * sizeof hops->known[0]);
    }
    hops->known[hops->count] = false;
    return hops->count;
}

static void
skip_space(struct mica_text *text)
{
    while (text->len > 0 && (text->ptr[0] == ' ' || text->ptr[0] == '\t'))
        *text = mica_text_slice(*text, 1, text->len);
}

static bool
skip_char(struct mica_text *text, char c)
{
    if (text->len == 0 || text->ptr[0] != c)
        return false;
    *text = mica_text_slice(*text, 1, text->len);
    return true;
}

// RFC 9110, section 5.6.2.
static bool
is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

static struct mica_text
read_token(struct mica_text *text)
{
    size_t len = 0;

    while (len < text->len && is_token_char(text->ptr[len]))
        len++;
    struct mica_text token = mica_text_slice(*text, 0, len);
    *text = mica_text_slice(*text, len, text->len);
    return token;
}

// Reads a quoted string after its first quote. One with a backslash keeps it, so it is
// no address: no address needs one.
static bool
read_quoted(struct mica_text *text, struct mica_text *value_out)
{
    for (size_t i = 0; i < text->len; i++) {
        unsigned char c = (unsigned char)text->ptr[i];
        if (c == '"') {
            *value_out = mica_text_slice(*text, 0, i);
            *text = mica_text_slice(*text, i + 1, text->len);
            return true;
        }
        if (c == '\\')
            i++;
        else if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return false;
}

static bool
is_for(struct mica_text name)
{
    return name.len == 3 && (name.ptr[0] | 0x20) == 'f' &&
           (name.ptr[1] | 0x20) == 'o' && (name.ptr[2] | 0x20) == 'r';
}

// RFC 7239, section 4: pairs with ';' between them. Returns false on a syntax error.
static bool
read_element(struct mica_text *text, struct hops *hops)
{
    size_t at = next_hop(hops);
    bool has_for = false;

    do {
        struct mica_text name, value;
        name = read_token(text);
        if (name.len == 0 || !skip_char(text, '='))
            return false;
        if (!skip_char(text, '"'))
            value = read_token(text);
        else if (!read_quoted(text, &value))
            return false;
        if (!is_for(name))
            continue;
        if (has_for)
            return false;
        has_for = true;
        hops->known[at] = read_node(value, false, &hops->ips[at]);
    } while (skip_char(text, ';'));
    hops->count++;
    return true;
}

static bool
read_forwarded(struct mica_text text, struct hops *hops)
{
    hops->count = 0;
    do {
        skip_space(&text);
        if (!read_element(&text, hops))
            return false;
        skip_space(&text);
    } while (skip_char(&text, ','));
    return text.len == 0;
}

static bool
read_x_forwarded(struct mica_text text, struct hops *hops)
{
    hops->count = 0;
    do {
        size_t len = 0, end;
        skip_space(&text);
        while (len < text.len && text.ptr[len] != ',')
            len++;
        end = len;
        while (end > 0 &&
               (text.ptr[end - 1] == ' ' || text.ptr[end - 1] == '\t'))
            end--;
        size_t at = next_hop(hops);
        hops->known[at] =
            read_node(mica_text_slice(text, 0, end), true, &hops->ips[at]);
        hops->count++;
        text = mica_text_slice(text, len, text.len);
    } while (skip_char(&text, ','));
    return true;
}

// ---- The chain -------------------------------------------------------------------

// Returns true if all hops are trusted, so that the chain continues to the left.
static bool
read_chain(const struct mica_proxies *trusted, const struct hops *hops,
           struct mica_ip *client)
{
    for (size_t i = hops->count; i > 0; i--) {
        if (!hops->known[i - 1])
            return false;
        *client = hops->ips[i - 1];
        if (!is_trusted(trusted, client))
            return false;
    }
    return true;
}

// All fields of that name are one list. Returns false if the request has none.
static bool
read_fields(const struct mica_proxies *trusted,
            const struct mica_header *headers, size_t header_count,
            const char *lowercasez,
            bool (*read)(struct mica_text text, struct hops *hops),
            struct mica_ip *client)
{
    bool continues = true, any = false;
    struct hops hops;

    for (size_t i = header_count; i > 0; i--) {
        if (!mica_ascii_is(headers[i - 1].name, lowercasez))
            continue;
        any = true;
        if (!continues)
            break;
        continues = read(headers[i - 1].value, &hops) &&
                    read_chain(trusted, &hops, client);
    }
    return any;
}

struct mica_ip
mica_party_client(const struct mica_proxies *trusted, struct mica_ip peer,
                  const struct mica_header *headers, size_t header_count)
{
    struct mica_ip standard = peer, usual = peer;
    bool has_standard, has_usual;

    if (!is_trusted(trusted, &peer))
        return peer;
    has_standard = read_fields(trusted, headers, header_count, "forwarded",
                               read_forwarded, &standard);
    has_usual = read_fields(trusted, headers, header_count, "x-forwarded-for",
                            read_x_forwarded, &usual);
    if (has_standard && has_usual &&
        memcmp(&standard, &usual, sizeof standard) != 0)
        return peer;
    return has_standard ? standard : usual;
}
