// SPDX-License-Identifier: Apache-2.0
//
// The grammar is narrow on purpose: a base path needs no escape in a URL, a header, JSON,
// TOML or HTML, and no proxy rewrites it.
#include "protocol/base_path.h"

#include <stdarg.h>
#include <string.h>

enum {
    ADDRESS_BYTES = 64 << 10 // with a query
};

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"

// RFC 3986, 2.3: characters that are never encoded.
#define UNRESERVED LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "-._~"

static bool
has_only(struct mica_text text, const char *allowedz)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\0' || strchr(allowedz, text.ptr[i]) == NULL)
            return false;
    }
    return true;
}

// The number of bytes before the first `stop`.
static size_t
length_until(struct mica_text text, char stop)
{
    const char *at = text.len > 0 ? memchr(text.ptr, stop, text.len) : NULL;

    return at != NULL ? (size_t)(at - text.ptr) : text.len;
}

// ---- A path ---------------------------------------------------------------------

// Returns what is wrong with a segment of a path, or NULL.
static const char *
segment_fault(struct mica_text segment, bool last)
{
    if (segment.len == 0)
        return last ? "ends with a slash; leave that out"
                    : "has two slashes in a row; write one";
    if (mica_text_is(segment, ".") || mica_text_is(segment, ".."))
        return "has the segment \".\" or \"..\"; write the path that is meant";
    if (memchr(segment.ptr, '?', segment.len) != NULL)
        return "has a query; leave out what begins with \"?\"";
    if (memchr(segment.ptr, '#', segment.len) != NULL)
        return "has a fragment; leave out what begins with \"#\"";
    if (memchr(segment.ptr, '%', segment.len) != NULL)
        return "has an encoded character (%); use only characters that need "
               "no encoding";
    return has_only(segment, UNRESERVED)
               ? NULL
               : "has a character other than A-Z a-z 0-9 - . _ ~; use only "
                 "those between the slashes";
}

// The same for a path of any length. A single "/" means no base path.
static const char *
segments_fault(struct mica_text path)
{
    if (path.len == 0 || mica_text_is(path, "/"))
        return NULL;
    if (path.ptr[0] != '/')
        return "does not begin with a slash; write it like /tools/x";
    for (size_t begin = 1; begin <= path.len;) {
        struct mica_text rest = mica_text_slice(path, begin, path.len);
        size_t length = length_until(rest, '/');
        const char *fault = segment_fault(mica_text_slice(rest, 0, length),
                                          begin + length == path.len);
        if (fault != NULL)
            return fault;
        begin += length + 1;
    }
    return NULL;
}

static const char *
path_fault(struct mica_text path)
{
    const char *fault = segments_fault(path);

    return fault == NULL && path.len > MICA_BASE_PATH_BYTES
               ? "is longer than 128 bytes"
               : fault;
}

static struct mica_text
path_value(struct mica_text path)
{
    return mica_text_is(path, "/") ? mica_text_slice(path, 0, 0) : path;
}

bool
mica_base_path_fits(struct mica_text added)
{
    return path_fault(added) == NULL && !mica_text_is(added, "/");
}

bool
mica_added_path_fits(struct mica_text added)
{
    return added.len <= MICA_ADDED_PATH_BYTES &&
           segments_fault(added) == NULL && !mica_text_is(added, "/");
}

bool
mica_base_path_overlaps(struct mica_text base, struct mica_text path)
{
    return base.len > 0 && path.len > 0 &&
           (mica_base_path_strip(base, path).len != path.len ||
            mica_base_path_strip(path, base).len != base.len);
}

// ---- A URL ----------------------------------------------------------------------

static const char *
port_fault(struct mica_text port)
{
    unsigned value = 0;

    for (size_t i = 0; i < port.len && value <= UINT16_MAX; i++)
        value = has_only(mica_text_slice(port, i, i + 1), DIGITS)
                    ? 10 * value + (unsigned)(port.ptr[i] - '0')
                    : UINT16_MAX + 1u;
    return value > 0 && value <= UINT16_MAX
               ? NULL
               : "has a port that is no number from 1 to 65535";
}

// Checks host and port. A host is a name, or an IPv6 address in brackets.
static const char *
authority_fault(struct mica_text authority)
{
    bool literal = mica_text_starts(authority, "[");
    size_t length = length_until(authority, literal ? ']' : ':');
    struct mica_text host = mica_text_slice(authority, literal ? 1 : 0, length);
    struct mica_text port;

    if (length_until(authority, '@') < authority.len)
        return "names a user; leave out what stands before the \"@\"";
    if (literal)
        length = length < authority.len ? length + 1 : authority.len + 1;
    if (length > authority.len || host.len == 0 ||
        !has_only(host, literal ? DIGITS "abcdef:." : LETTERS DIGITS "-."))
        return "has no host of lower-case letters, digits, \"-\" and \".\"";
    port = mica_text_slice(authority, length, authority.len);
    if (port.len == 0)
        return NULL;
    return port.ptr[0] == ':'
               ? port_fault(mica_text_slice(port, 1, port.len))
               : "has no host of lower-case letters, digits, \"-\" and \".\"";
}

static const char *
url_fault(struct mica_text url, struct mica_base_path *base_out)
{
    size_t scheme = mica_text_starts(url, "https://")  ? 8
                    : mica_text_starts(url, "http://") ? 7
                                                       : 0;
    struct mica_text rest = mica_text_slice(url, scheme, url.len), path;
    size_t authority = 0;
    const char *fault;

    if (scheme == 0)
        return "does not begin with https:// or http://; write it like "
               "https://example.org/tools/x";
    if (url.len > MICA_PUBLIC_URL_BYTES)
        return "is longer than 512 bytes";
    while (authority < rest.len && strchr("/?#", rest.ptr[authority]) == NULL)
        authority++;
    path = mica_text_slice(rest, authority, rest.len);
    fault = authority_fault(mica_text_slice(rest, 0, authority));
    if (fault == NULL && path.len > 0 && path.ptr[0] == '?')
        fault = "has a query; leave out what begins with \"?\"";
    if (fault == NULL && path.len > 0 && path.ptr[0] == '#')
        fault = "has a fragment; leave out what begins with \"#\"";
    if (fault == NULL)
        fault = path_fault(path);
    base_out->origin = mica_text_slice(url, 0, scheme + authority);
    base_out->added = path_value(path);
    return fault;
}

// ---- Options --------------------------------------------------------------------

static enum mica_status
option_refuse(struct mica_error *error, const char *optionz, const char *valuez,
              const char *faultz)
{
    return mica_error_set(error, MICA_E_USAGE, "", "the %s \"%s\" %s", optionz,
                          valuez, faultz);
}

enum mica_status
mica_base_path_read(const char *base_pathz, const char *public_urlz,
                    struct mica_error *error, struct mica_base_path *base_out)
{
    struct mica_base_path base = {.origin = {NULL, 0}};
    const char *fault;

    if (public_urlz != NULL) {
        fault = url_fault(mica_text(public_urlz), &base);
        if (fault != NULL)
            return option_refuse(error, "public URL", public_urlz, fault);
        base.stripped = base.added;
    }
    if (base_pathz != NULL) {
        struct mica_text path = mica_text(base_pathz);
        fault = path.len == 0 ? "is empty; write it like /tools/x"
                              : path_fault(path);
        if (fault != NULL)
            return option_refuse(error, "base path", base_pathz, fault);
        base.stripped = path_value(path);
        if (public_urlz == NULL)
            base.added = base.stripped;
    }
    *base_out = base;
    return MICA_OK;
}

// ---- Requests and replies -------------------------------------------------------

struct mica_text
mica_base_path_strip(struct mica_text prefix, struct mica_text path)
{
    if (prefix.len == 0 || path.len < prefix.len ||
        memcmp(path.ptr, prefix.ptr, prefix.len) != 0 ||
        (path.len > prefix.len && path.ptr[prefix.len] != '/'))
        return path;
    return mica_text_slice(path, prefix.len, path.len);
}

void
mica_base_path_add(struct mica_buffer *out, struct mica_text added,
                   const char *formatz, ...)
{
    va_list arguments;

    mica_buffer_text(out, added);
    va_start(arguments, formatz);
    mica_buffer_vformat(out, formatz, arguments);
    va_end(arguments);
}

struct mica_text
mica_base_path_text(struct mica_arena *arena, struct mica_text added,
                    const char *formatz, ...)
{
    struct mica_buffer text;
    va_list arguments;

    mica_buffer_init(&text, arena, ADDRESS_BYTES);
    mica_buffer_text(&text, added);
    va_start(arguments, formatz);
    mica_buffer_vformat(&text, formatz, arguments);
    va_end(arguments);
    mica_buffer_char(&text, '\0');
    if (text.overflow)
        return (struct mica_text){"", 0};
    return mica_text_slice(mica_buffer_as_text(&text), 0, text.len - 1);
}

struct mica_text
mica_base_path_below(struct mica_arena *arena, struct mica_text added,
                     struct mica_text path)
{
    // Most servers have none, and each request at an endpoint comes here.
    return added.len == 0
               ? mica_arena_text(arena, path)
               : mica_base_path_text(arena, added, "%.*s", MICA_ARG(path));
}
