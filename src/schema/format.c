// SPDX-License-Identifier: Apache-2.0
//
// email, uri, uuid, IP addresses, by the grammars of their standards. Where a
// standard has corners that no mailbox or agent uses, a comment says what is left
// out.
#include "schema/format.h"

#include <string.h>

#include <mica/record.h>

static bool
is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool
is_one_of(char c, const char *setz)
{
    return c != '\0' && strchr(setz, c) != NULL;
}

// Position of the first `byte` in `text`, or its length.
static size_t
format_find(struct mica_text text, char byte)
{
    const char *at = text.len > 0 ? memchr(text.ptr, byte, text.len) : NULL;
    return at != NULL ? (size_t)(at - text.ptr) : text.len;
}

// Everything before the first `byte`; `*rest` is left behind it, or empty.
// `*found_out` says whether it was there.
static struct mica_text
format_split(struct mica_text *rest, char byte, bool *found_out)
{
    size_t at = format_find(*rest, byte);
    struct mica_text head = mica_text_slice(*rest, 0, at);
    *found_out = at < rest->len;
    *rest = mica_text_slice(*rest, *found_out ? at + 1 : at, rest->len);
    return head;
}

// ---- email -----------------------------------------------------------------

static bool
is_domain_label(struct mica_text label)
{
    if (label.len == 0 || label.len > 63 || label.ptr[0] == '-' ||
        label.ptr[label.len - 1] == '-')
        return false;
    for (size_t i = 0; i < label.len; i++)
        if (!is_alpha(label.ptr[i]) && !is_digit(label.ptr[i]) &&
            label.ptr[i] != '-')
            return false;
    return true;
}

static bool
is_atom(struct mica_text atom)
{
    for (size_t i = 0; i < atom.len; i++)
        if (!is_alpha(atom.ptr[i]) && !is_digit(atom.ptr[i]) &&
            !is_one_of(atom.ptr[i], "!#$%&'*+-/=?^_`{|}~"))
            return false;
    return atom.len > 0;
}

static bool
all_parts(struct mica_text text, bool (*is_part)(struct mica_text part))
{
    bool more;
    do {
        if (!is_part(format_split(&text, '.', &more)))
            return false;
    } while (more);
    return true;
}

bool
mica_format_is_hostname(struct mica_text text)
{
    return text.len <= 253 && all_parts(text, is_domain_label);
}

// A mailbox of RFC 5321 without quoted local parts and address literals:
// dot-atom "@" domain name.
static bool
is_email(struct mica_text text)
{
    bool has_domain;
    struct mica_text local = format_split(&text, '@', &has_domain);
    return has_domain && local.len <= 64 && text.len <= 255 &&
           all_parts(local, is_atom) && all_parts(text, is_domain_label);
}

const struct mica_text_format mica_format_email = {"email", "name@example.org",
                                                   is_email};

// ---- uri -------------------------------------------------------------------

// Unreserved, sub-delims, percent-encoded, and those in `also`; when it is `wide`
// all that is not ASCII too (RFC 3987, private use and the like not left out).
static bool
is_uri_text(struct mica_text text, const char *alsoz, bool wide)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            if (text.len - i < 3 || !is_hex(text.ptr[i + 1]) ||
                !is_hex(text.ptr[i + 2]))
                return false;
            i += 2;
        } else if (!is_alpha(c) && !is_digit(c) &&
                   !is_one_of(c, "-._~!$&'()*+,;=") && !is_one_of(c, alsoz) &&
                   !(wide && (unsigned char)c >= 0x80)) {
            return false;
        }
    }
    return true;
}

static bool
is_decimal_octet(struct mica_text text)
{
    unsigned value = 0;
    if (text.len == 0 || text.len > 3 || (text.len > 1 && text.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.ptr[i]))
            return false;
        value = value * 10 + (unsigned)(text.ptr[i] - '0');
    }
    return value <= 255;
}

bool
mica_format_is_ipv4(struct mica_text text)
{
    size_t dots = 0;
    for (size_t i = 0; i < text.len; i++)
        dots += text.ptr[i] == '.';
    return dots == 3 && all_parts(text, is_decimal_octet);
}

// Groups of up to four hex digits between colons, an IPv4 address perhaps in
// place of the last two; "::" once, for at least one group of zeros.
bool
mica_format_is_ipv6(struct mica_text text)
{
    size_t groups = 0;
    bool gap = false, more = true;
    if (mica_text_starts(text, "::")) {
        gap = true;
        text = mica_text_slice(text, 2, text.len);
        more = text.len > 0;
    }
    while (more) {
        struct mica_text group = format_split(&text, ':', &more);
        size_t hex = 0;
        while (hex < group.len && is_hex(group.ptr[hex]))
            hex++;
        if (!more && mica_format_is_ipv4(group)) {
            groups += 2;
        } else if (hex == group.len && hex >= 1 && hex <= 4) {
            groups++;
        } else {
            return false;
        }
        if (more && text.len > 0 && text.ptr[0] == ':') {
            if (gap)
                return false;
            gap = true;
            text = mica_text_slice(text, 1, text.len);
            more = text.len > 0;
        }
    }
    return gap ? groups <= 7 : groups == 8;
}

// "v" hex digits "." and at least one character (RFC 3986 IPvFuture).
static bool
is_ip_future(struct mica_text text)
{
    bool dot;
    struct mica_text version = format_split(&text, '.', &dot);
    if (!dot || version.len < 2 || (version.ptr[0] | 0x20) != 'v')
        return false;
    for (size_t i = 1; i < version.len; i++)
        if (!is_hex(version.ptr[i]))
            return false;
    return text.len > 0 && format_find(text, '%') == text.len &&
           is_uri_text(text, ":", false);
}

static bool
is_port(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_digit(text.ptr[i]))
            return false;
    return true;
}

// [ userinfo "@" ] host [ ":" port ]
static bool
is_authority(struct mica_text text, bool wide)
{
    bool found;
    size_t at = format_find(text, '@');
    if (at < text.len) {
        if (!is_uri_text(mica_text_slice(text, 0, at), ":", wide))
            return false;
        text = mica_text_slice(text, at + 1, text.len);
    }
    if (text.len > 0 && text.ptr[0] == '[') {
        text = mica_text_slice(text, 1, text.len);
        struct mica_text address = format_split(&text, ']', &found);
        return found &&
               (mica_format_is_ipv6(address) || is_ip_future(address)) &&
               (text.len == 0 || (text.ptr[0] == ':' &&
                                  is_port(mica_text_slice(text, 1, text.len))));
    }
    struct mica_text host = format_split(&text, ':', &found);
    return is_uri_text(host, "", wide) && is_port(text);
}

static bool
is_scheme(struct mica_text text)
{
    if (text.len == 0 || !is_alpha(text.ptr[0]))
        return false;
    for (size_t i = 1; i < text.len; i++)
        if (!is_alpha(text.ptr[i]) && !is_digit(text.ptr[i]) &&
            !is_one_of(text.ptr[i], "+-."))
            return false;
    return true;
}

// What may stand behind a scheme, or without one: RFC 3986 section 4.2. A colon
// in the first segment of a path without scheme would make it one.
static bool
is_reference(struct mica_text text, bool wide, bool has_scheme)
{
    bool found;
    struct mica_text rest = format_split(&text, '#', &found);
    if (!is_uri_text(text, ":@/?", wide))
        return false;
    struct mica_text path = format_split(&rest, '?', &found);
    if (!is_uri_text(rest, ":@/?", wide))
        return false;
    if (!has_scheme && format_find(path, ':') < format_find(path, '/'))
        return false;
    if (mica_text_starts(path, "//")) {
        path = mica_text_slice(path, 2, path.len);
        size_t slash = format_find(path, '/');
        if (!is_authority(mica_text_slice(path, 0, slash), wide))
            return false;
        path = mica_text_slice(path, slash, path.len);
    }
    return is_uri_text(path, ":@/", wide);
}

bool
mica_format_is_uri(struct mica_text text, bool relative, bool wide)
{
    bool found;
    struct mica_text rest = text;
    struct mica_text scheme = format_split(&rest, ':', &found);
    if (found && is_scheme(scheme))
        return is_reference(rest, wide, true);
    return relative && is_reference(text, wide, false);
}

// A URI of RFC 3986 section 3: with a scheme, perhaps with a fragment.
static bool
is_uri(struct mica_text text)
{
    return mica_format_is_uri(text, false, false);
}

const struct mica_text_format mica_format_uri = {
    "uri", "https://example.org/page", is_uri};

// ---- uuid ------------------------------------------------------------------

// 8-4-4-4-12 hex digits, any version and variant (RFC 9562).
static bool
is_uuid(struct mica_text text)
{
    if (text.len != 36)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text.ptr[i] != '-' : !is_hex(text.ptr[i]))
            return false;
    }
    return true;
}

const struct mica_text_format mica_format_uuid = {
    "uuid", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6", is_uuid};
