// SPDX-License-Identifier: Apache-2.0
//
// URLs of a configuration. A narrow grammar on purpose: what one program reads
// as the host another must not read as a user's name.
#include "base/url.h"

#include <string.h>

#include "base/ascii.h"

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The bytes of `text` up to the first of `stops`.
static size_t
text_until(struct mica_text text, const char *stops)
{
    size_t len = 0;

    while (len < text.len && strchr(stops, text.ptr[len]) == NULL)
        len++;
    return len;
}

// Four numbers, the first of which is 127.
static bool
is_127(struct mica_text host)
{
    unsigned dots = 0;

    if (!mica_text_starts(host, "127."))
        return false;
    for (size_t i = 0; i < host.len; i++) {
        if (host.ptr[i] == '.')
            dots++;
        else if (!is_digit(host.ptr[i]))
            return false;
    }
    return dots == 3 && host.ptr[host.len - 1] != '.';
}

static bool
host_valid(struct mica_text host)
{
    bool literal =
        host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';

    for (size_t i = literal ? 1 : 0; i < host.len - (literal ? 1 : 0); i++) {
        char c = host.ptr[i];
        if (!is_digit(c) && c != '.' &&
            !(literal ? c == ':' || (c >= 'a' && c <= 'f')
                      : c == '-' || (c >= 'a' && c <= 'z')))
            return false;
    }
    return host.len > 0;
}

static bool
port_valid(struct mica_text port)
{
    unsigned value = 0;

    if (port.len < 2 || port.len > 6 || port.ptr[0] != ':')
        return port.len == 0;
    for (size_t i = 1; i < port.len; i++) {
        if (!is_digit(port.ptr[i]))
            return false;
        value = 10 * value + (unsigned)(port.ptr[i] - '0');
    }
    return value > 0 && value < 65536;
}

// RFC 3986 pchar, slashes and question marks; nothing else is needed.
static bool
rest_valid(struct mica_text rest)
{
    for (size_t i = 0; i < rest.len; i++) {
        char c = rest.ptr[i];
        if (!is_digit(c) && !(c >= 'a' && c <= 'z') &&
            !(c >= 'A' && c <= 'Z') &&
            (c == '\0' || strchr("-._~!$&'()*+,;=:@/?%", c) == NULL))
            return false;
    }
    return true;
}

const char *
mica_url_read(struct mica_text text, struct mica_url *url_out)
{
    struct mica_url url = {.https = mica_text_starts(text, "https://")};
    size_t start = url.https ? 8 : 7;

    if (!url.https && !mica_text_starts(text, "http://"))
        return "does not begin with https:// (in lower case)";
    struct mica_text rest = mica_text_slice(text, start, text.len);
    size_t authority = text_until(rest, "/?#");
    struct mica_text host = mica_text_slice(rest, 0, authority);
    size_t host_size = host.len > 0 && host.ptr[0] == '['
                           ? text_until(host, "]") + 1
                           : text_until(host, ":");
    struct mica_text port = mica_text_slice(host, host_size, host.len);
    host = mica_text_slice(host, 0, host_size);
    if (!host_valid(host))
        return "has no host of lower-case letters, digits, '-' and '.'";
    if (!port_valid(port))
        return "has a port that is no number from 1 to 65535";
    url.origin = mica_text_slice(text, 0, start + authority);
    rest = mica_text_slice(rest, authority, rest.len);
    if (!rest_valid(rest))
        return "has a fragment, or a character that a URL has not";
    url.path = mica_text_slice(rest, 0, text_until(rest, "?"));
    url.query = mica_text_slice(rest, url.path.len, rest.len);
    url.loopback = mica_text_is(host, "localhost") ||
                   mica_text_is(host, "[::1]") || is_127(host);
    *url_out = url;
    return NULL;
}

const char *
mica_url_read_safe(struct mica_text text, struct mica_url *url_out)
{
    const char *wrong = mica_url_read(text, url_out);

    if (wrong == NULL && !url_out->https && !url_out->loopback)
        return "is http and not on this machine; use https";
    return wrong;
}

const char *
mica_url_read_origin(struct mica_text text, struct mica_url *url_out)
{
    const char *wrong = mica_url_read(text, url_out);

    if (wrong == NULL && (url_out->path.len > 0 || url_out->query.len > 0))
        return "has a path or a query behind its host";
    return wrong;
}

// Takes a dot, or its escape. False: the text does not begin with one.
static bool
take_dot(struct mica_text *text)
{
    size_t size =
        mica_text_starts(*text, "%2e") || mica_text_starts(*text, "%2E") ? 3
        : mica_text_starts(*text, ".")                                   ? 1
                                                                         : 0;

    *text = mica_text_slice(*text, size, text->len);
    return size > 0;
}

bool
mica_url_has_dots(struct mica_text path)
{
    while (path.len > 0) {
        unsigned dots = 0;
        path = mica_text_slice(path, 1, path.len); // the slash
        while (take_dot(&path))
            dots++;
        if ((dots == 1 || dots == 2) && (path.len == 0 || path.ptr[0] == '/'))
            return true;
        path = mica_text_slice(path, text_until(path, "/"), path.len);
    }
    return false;
}

// Without the port that its scheme has anyway.
static struct mica_text
origin_brief(struct mica_text origin)
{
    struct mica_text port = mica_text_starts(origin, "https://")
                                ? MICA_LITERAL(":443")
                                : MICA_LITERAL(":80");
    size_t from = origin.len > port.len ? origin.len - port.len : 0;

    if (mica_text_equal(mica_text_slice(origin, from, origin.len), port))
        origin.len = from;
    return origin;
}

bool
mica_url_same_origin(struct mica_text a, struct mica_text b)
{
    return mica_text_equal(origin_brief(a), origin_brief(b));
}

struct mica_text
mica_url_host(const struct mica_url *url)
{
    struct mica_text host =
        mica_text_slice(url->origin, url->https ? 8 : 7, url->origin.len);

    return mica_text_slice(host, 0,
                           host.len > 0 && host.ptr[0] == '['
                               ? text_until(host, "]") + 1
                               : text_until(host, ":"));
}

// ---- Writing ---------------------------------------------------------------------

bool
mica_url_is_unreserved(char c)
{
    char low = mica_ascii_lower(c);

    return (low >= 'a' && low <= 'z') || is_digit(c) || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

void
mica_url_encode(struct mica_buffer *out, struct mica_text text)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (mica_url_is_unreserved(text.ptr[i])) {
            mica_buffer_char(out, text.ptr[i]);
            continue;
        }
        mica_buffer_char(out, '%');
        mica_buffer_char(out, digits[byte >> 4]);
        mica_buffer_char(out, digits[byte & 15]);
    }
}
