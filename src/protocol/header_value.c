// SPDX-License-Identifier: Apache-2.0
//
// Reads names and values of HTTP headers: tokens, lists, the encoding of Mcp-Name, and
// the allowed hosts and origins.
#include "protocol/header_value.h"

#include <string.h>

enum {
    PORT_DIGITS = 5
};

static bool
same_ignoring_case(struct mica_text a, struct mica_text b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        if (mica_ascii_lower(a.ptr[i]) != mica_ascii_lower(b.ptr[i]))
            return false;
    }
    return true;
}

struct mica_text
mica_header_trim(struct mica_text value)
{
    while (value.len > 0 && (value.ptr[0] == ' ' || value.ptr[0] == '\t')) {
        value.ptr++;
        value.len--;
    }
    while (value.len > 0 && (value.ptr[value.len - 1] == ' ' ||
                             value.ptr[value.len - 1] == '\t'))
        value.len--;
    return value;
}

// RFC 9110, 5.6.1: ignores empty elements.
bool
mica_header_next(struct mica_text *list, struct mica_text *element_out)
{
    while (list->len > 0) {
        const char *comma = memchr(list->ptr, ',', list->len);
        size_t size = comma != NULL ? (size_t)(comma - list->ptr) : list->len;
        *element_out = mica_header_trim(mica_text_slice(*list, 0, size));
        *list = mica_text_slice(*list, size + 1, list->len);
        if (element_out->len > 0)
            return true;
    }
    return false;
}

struct mica_text
mica_header_bare(struct mica_text value)
{
    const char *end = value.len > 0 ? memchr(value.ptr, ';', value.len) : NULL;

    if (end != NULL)
        value.len = (size_t)(end - value.ptr);
    return mica_header_trim(value);
}

// "0" or "0.", with up to three more zeros.
static bool
is_zero(struct mica_text weight)
{
    if (weight.len == 0 || weight.ptr[0] != '0')
        return false;
    for (size_t i = 1; i < weight.len; i++) {
        if (weight.ptr[i] != (i == 1 ? '.' : '0'))
            return false;
    }
    return true;
}

bool
mica_header_wants(struct mica_text element)
{
    const char *at;

    while ((at = memchr(element.ptr, ';', element.len)) != NULL) {
        size_t begin = (size_t)(at - element.ptr) + 1;
        element = mica_text_slice(element, begin, element.len);
        struct mica_text one = mica_header_bare(element);
        if (one.len > 2 && mica_ascii_lower(one.ptr[0]) == 'q' &&
            one.ptr[1] == '=' && is_zero(mica_text_slice(one, 2, one.len)))
            return false;
    }
    return true;
}

bool
mica_header_accepts_coding(const struct mica_http_request *request,
                           const char *lowercasez)
{
    struct mica_text list, one;

    for (size_t i = 0; i < request->header_count; i++) {
        if (!mica_ascii_is(request->headers[i].name, "accept-encoding"))
            continue;
        list = request->headers[i].value;
        while (mica_header_next(&list, &one)) {
            if (mica_ascii_is(mica_header_bare(one), lowercasez))
                return mica_header_wants(one);
        }
    }
    return false;
}

bool
mica_header_names_tag(const struct mica_http_request *request,
                      struct mica_text tag, bool any)
{
    struct mica_text list, one;

    for (size_t i = 0; i < request->header_count && tag.len > 0; i++) {
        if (!mica_ascii_is(request->headers[i].name, "if-none-match"))
            continue;
        list = request->headers[i].value;
        while (mica_header_next(&list, &one)) {
            if (any && mica_text_is(one, "*"))
                return true;
            if (mica_text_starts(one, "W/"))
                one = mica_text_slice(one, 2, one.len);
            if (mica_text_equal(one, tag))
                return true;
        }
    }
    return false;
}

// RFC 9110, 5.6.2: 1*tchar.
bool
mica_header_is_token(struct mica_text text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') &&
            (c == '\0' || strchr(others, c) == NULL))
            return false;
    }
    return text.len > 0;
}

// [HTTP-SENTINEL]
bool
mica_header_decode(struct mica_arena *arena, struct mica_text value,
                   struct mica_text *decoded_out)
{
    const struct mica_text prefix = MICA_LITERAL("=?base64?");
    struct mica_buffer buffer;

    value = mica_header_trim(value);
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if (c != '\t' && (c < 0x20 || c > 0x7e))
            return false;
    }
    // Encoded only with both markers; anything else is literal.
    if (value.len < prefix.len + 2 || !mica_text_starts(value, prefix.ptr) ||
        value.ptr[value.len - 2] != '?' || value.ptr[value.len - 1] != '=') {
        *decoded_out = value;
        return true;
    }
    mica_buffer_init(&buffer, arena, value.len);
    if (!mica_base64_read(&buffer,
                          mica_text_slice(value, prefix.len, value.len - 2)))
        return false;
    *decoded_out = mica_buffer_as_text(&buffer);
    return mica_utf8_valid(*decoded_out) == decoded_out->len;
}

// ---- Host and Origin -------------------------------------------------------------

// RFC 3986, 3.2.2: the characters of a name, or of an address in brackets, a bit for each:
// letters, digits and "-._~!$&'()*+,;=%:[]". The host in the target of a request may have
// any decoded byte; no other byte may reach a reply.
static const uint64_t host_chars[2] = {UINT64_C(0x2FFF7FF200000000),
                                       UINT64_C(0x47FFFFFEAFFFFFFE)};

static bool
is_host_char(char c)
{
    unsigned byte = (unsigned char)c;

    return byte < 128 && (host_chars[byte / 64] >> (byte % 64) & 1) != 0;
}

// The name of "name:port", "[::1]:port" or either without a port; empty if anything but
// a port follows the name, or if the name is invalid.
static struct mica_text
host_name(struct mica_text host)
{
    struct mica_text nothing = {NULL, 0};
    bool is_address = host.len > 0 && host.ptr[0] == '[';
    const char stop = is_address ? ']' : ':';
    size_t end = 0, port;

    while (end < host.len && host.ptr[end] != stop) {
        if (!is_host_char(host.ptr[end++]))
            return nothing;
    }
    if (is_address && end++ == host.len)
        return nothing;
    if (end == host.len)
        return host;
    if (host.ptr[end] != ':' || end + 1 == host.len ||
        host.len - end - 1 > PORT_DIGITS)
        return nothing;
    for (port = end + 1; port < host.len; port++) {
        if (host.ptr[port] < '0' || host.ptr[port] > '9')
            return nothing;
    }
    return mica_text_slice(host, 0, end);
}

static bool
is_loopback(struct mica_text name)
{
    return mica_ascii_is(name, "localhost") ||
           mica_text_is(name, "127.0.0.1") || mica_text_is(name, "[::1]");
}

bool
mica_http_host_allowed(const struct mica_http_allowed *allowed,
                       struct mica_text host)
{
    struct mica_text name = host_name(mica_header_trim(host));

    if (name.len == 0)
        return false;
    if (is_loopback(name))
        return true;
    if (allowed == NULL || allowed->hosts == NULL)
        return false;
    for (const char *const *entry = allowed->hosts; *entry != NULL; entry++) {
        struct mica_text want = mica_text(*entry);
        if (mica_text_is(want, "*") || same_ignoring_case(want, name) ||
            same_ignoring_case(want, mica_header_trim(host)))
            return true;
    }
    return false;
}

bool
mica_http_origin_allowed(const struct mica_http_allowed *allowed,
                         struct mica_text origin)
{
    size_t scheme = 0;

    origin = mica_header_trim(origin);
    // "null", the Origin of all pages without one: sandboxed pages, files. They cannot be
    // distinguished, so none is allowed, even by "*".
    if (mica_ascii_is(origin, "null") || origin.len > MICA_ORIGIN_BYTES)
        return false;
    if (allowed != NULL && allowed->origins != NULL) {
        for (const char *const *entry = allowed->origins; *entry != NULL;
             entry++) {
            struct mica_text want = mica_text(*entry);
            if (mica_text_is(want, "*") || same_ignoring_case(want, origin))
                return true;
        }
    }
    // mica's own pages: an origin whose host may call this server.
    if (mica_text_starts(origin, "http://"))
        scheme = 7;
    else if (mica_text_starts(origin, "https://"))
        scheme = 8;
    return scheme > 0 &&
           mica_http_host_allowed(allowed,
                                  mica_text_slice(origin, scheme, origin.len));
}

bool
mica_header_find(const struct mica_http_request *request,
                 const char *lowercasez, struct mica_text *value_out)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (!mica_ascii_is(request->headers[i].name, lowercasez))
            continue;
        *value_out = mica_header_trim(request->headers[i].value);
        return true;
    }
    return false;
}
