// SPDX-License-Identifier: Apache-2.0
//
// Resolves the path of a view's request (RFC 3986, 5.2.4). What URL parsers read in different
// ways is refused before that.
#include "rest/request_path.h"

#include <string.h>

#include "base/ascii.h"

enum {
    SHOWN_BYTES = 80 // of an address that is refused
};

static enum mica_status
path_refuse(struct mica_error *error, struct mica_text url, const char *what)
{
    url = mica_utf8_cut(url, SHOWN_BYTES);
    return mica_error_set(error, MICA_E_FORMAT, "url",
                          "the address \"%.*s\" %s; write a path of this "
                          "server, like /api/NAME?a=1",
                          MICA_ARG(url), what);
}

// Is it a character that may be written as a percent-encoding? Not one that separates or
// leaves a segment, and none that a second decoding would make one of.
static bool
may_be_encoded(int byte)
{
    return byte > ' ' && byte != 0x7f && byte != '/' && byte != '\\' &&
           byte != '.' && byte != '%';
}

// NULL: each byte of the path may stand there. Otherwise what is wrong with one.
static const char *
path_fault(struct mica_text path)
{
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        if (c <= ' ' || c >= 0x7f)
            return "has a character that is not printable ASCII";
        if (c == '\\')
            return "has a backslash";
        if (c != '%')
            continue;
        int high = i + 1 < path.len ? mica_ascii_hex(path.ptr[i + 1]) : -1;
        int low = i + 2 < path.len ? mica_ascii_hex(path.ptr[i + 2]) : -1;
        if (high < 0 || low < 0)
            return "has a \"%\" without two digits";
        if (!may_be_encoded(high * 16 + low))
            return "encodes a slash, a backslash, a dot, a percent sign, a "
                   "blank or a control character";
    }
    return NULL;
}

static const char *
query_fault(struct mica_text query)
{
    for (size_t i = 0; i < query.len; i++)
        if (query.ptr[i] <= ' ' || query.ptr[i] >= 0x7f)
            return "has a character in its query that is not printable ASCII";
    return NULL;
}

static const char *
url_fault(struct mica_text url)
{
    if (url.len == 0)
        return "is empty";
    if (url.ptr[0] != '/')
        return "is not a path that begins with a slash";
    if (url.len > 1 && (url.ptr[1] == '/' || url.ptr[1] == '\\'))
        return "names another server";
    if (memchr(url.ptr, '#', url.len) != NULL)
        return "has a fragment";
    return NULL;
}

// Removes the last segment of `path`. Returns false if it has none.
static bool
path_pop(struct mica_buffer *path)
{
    if (path->len == 0)
        return false;
    do
        path->len--;
    while (path->ptr[path->len] != '/');
    return true;
}

// Appends the segments of `given`, of which "." and ".." are followed.
static const char *
path_resolve(struct mica_text given, struct mica_buffer *path)
{
    bool ends = false; // with a slash

    for (size_t i = 0; i < given.len;) {
        size_t end = i + 1;
        while (end < given.len && given.ptr[end] != '/')
            end++;
        struct mica_text segment = mica_text_slice(given, i + 1, end);
        bool is_last = end == given.len;
        if (segment.len == 0 && !is_last)
            return "has an empty segment";
        if (mica_text_is(segment, "..") && !path_pop(path))
            return "leaves the root";
        ends = is_last && (segment.len == 0 || mica_text_is(segment, ".") ||
                           mica_text_is(segment, ".."));
        if (segment.len > 0 && !mica_text_is(segment, ".") &&
            !mica_text_is(segment, "..")) {
            mica_buffer_char(path, '/');
            mica_buffer_text(path, segment);
        }
        i = end;
    }
    if (ends || path->len == 0)
        mica_buffer_char(path, '/');
    return NULL;
}

enum mica_status
mica_request_path_read(struct mica_arena *arena, struct mica_text url,
                       struct mica_error *error,
                       struct mica_request_path *path_out)
{
    const char *mark = url.len > 0 ? memchr(url.ptr, '?', url.len) : NULL;
    size_t end = mark != NULL ? (size_t)(mark - url.ptr) : url.len;
    struct mica_text given = mica_text_slice(url, 0, end);
    const char *fault = url_fault(url);
    struct mica_buffer path;

    path_out->query = mica_text_slice(url, end + 1, url.len);
    if (given.len > MICA_REQUEST_PATH_BYTES ||
        path_out->query.len > MICA_REQUEST_QUERY_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "url",
                              "the address has more than %d bytes in its path, "
                              "or %d in its query",
                              MICA_REQUEST_PATH_BYTES,
                              MICA_REQUEST_QUERY_BYTES);
    mica_buffer_init(&path, arena, MICA_REQUEST_PATH_BYTES + 1);
    if (fault == NULL)
        fault = path_fault(given);
    if (fault == NULL)
        fault = query_fault(path_out->query);
    if (fault == NULL)
        fault = path_resolve(given, &path);
    if (fault != NULL)
        return path_refuse(error, url, fault);
    if (path.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "url",
                              "no memory for the address");
    path_out->path = mica_buffer_as_text(&path);
    return MICA_OK;
}

bool
mica_request_path_is_below(struct mica_text path, struct mica_text root)
{
    return path.len >= root.len && memcmp(path.ptr, root.ptr, root.len) == 0 &&
           (path.len == root.len || path.ptr[root.len] == '/');
}
