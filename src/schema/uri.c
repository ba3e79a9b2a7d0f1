// SPDX-License-Identifier: Apache-2.0
//
// RFC 3986: taking references apart (appendix B), putting them together again
// (section 5.3), removing dots (section 5.2.4).
#include "schema/uri.h"

#include <string.h>

#include "base/ascii.h"

// Of what is absent, `ptr` is NULL.
struct parts {
    struct mica_text scheme, authority, path, query, fragment;
};

// Position of the first byte that is in `setz`, or the length.
static size_t
uri_find(struct mica_text text, const char *setz)
{
    size_t at = 0;
    while (at < text.len &&
           (text.ptr[at] == '\0' || strchr(setz, text.ptr[at]) == NULL))
        at++;
    return at;
}

static struct mica_text
uri_take(struct mica_text *rest, size_t size, size_t skip)
{
    struct mica_text taken = mica_text_slice(*rest, 0, size);
    *rest = mica_text_slice(*rest, size + skip, rest->len);
    return taken;
}

static bool
is_scheme(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i], low = (char)(c | 0x20);
        bool alpha = low >= 'a' && low <= 'z';
        if (!alpha && (i == 0 || !((c >= '0' && c <= '9') || c == '+' ||
                                   c == '-' || c == '.')))
            return false;
    }
    return text.len > 0;
}

static struct parts
uri_split(struct mica_text text)
{
    struct parts parts = {.scheme = {NULL, 0}};
    size_t at = uri_find(text, "#");
    if (at < text.len)
        parts.fragment = mica_text_slice(text, at + 1, text.len);
    text = mica_text_slice(text, 0, at);
    at = uri_find(text, "?");
    if (at < text.len)
        parts.query = mica_text_slice(text, at + 1, text.len);
    text = mica_text_slice(text, 0, at);
    at = uri_find(text, ":/");
    if (at < text.len && text.ptr[at] == ':' &&
        is_scheme(mica_text_slice(text, 0, at)))
        parts.scheme = uri_take(&text, at, 1);
    if (mica_text_starts(text, "//")) {
        text = mica_text_slice(text, 2, text.len);
        parts.authority = uri_take(&text, uri_find(text, "/"), 0);
    }
    parts.path = text;
    return parts;
}

// Appends `path` without its "." and ".." segments. `buffer` holds nothing of
// the path yet.
static void
add_without_dots(struct mica_buffer *buffer, struct mica_text path)
{
    bool rooted = path.len > 0 && path.ptr[0] == '/';
    bool last = false;
    if (rooted) {
        mica_buffer_char(buffer, '/');
        path = mica_text_slice(path, 1, path.len);
    }
    size_t floor = buffer->len;
    while (!last) {
        size_t at = uri_find(path, "/");
        last = at == path.len;
        struct mica_text segment = uri_take(&path, at, 1);
        if (mica_text_is(segment, "."))
            continue;
        if (mica_text_is(segment, "..")) {
            if (buffer->len > floor)
                buffer->len--;
            while (buffer->len > floor && buffer->ptr[buffer->len - 1] != '/')
                buffer->len--;
            continue;
        }
        mica_buffer_text(buffer, segment);
        if (!last)
            mica_buffer_char(buffer, '/');
    }
}

// Section 5.2.3: `path` in the folder of the base's path.
static struct mica_text
parts_merge(struct mica_arena *arena, const struct parts *base,
            struct mica_text path)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, arena, base->path.len + path.len + 1);
    if (base->authority.ptr != NULL && base->path.len == 0) {
        mica_buffer_char(&buffer, '/');
    } else {
        size_t end = base->path.len;
        while (end > 0 && base->path.ptr[end - 1] != '/')
            end--;
        mica_buffer_text(&buffer, mica_text_slice(base->path, 0, end));
    }
    mica_buffer_text(&buffer, path);
    return mica_buffer_as_text(&buffer);
}

static void
add_scheme(struct mica_buffer *buffer, struct mica_text scheme)
{
    for (size_t i = 0; i < scheme.len; i++) {
        char c = scheme.ptr[i];
        mica_buffer_char(buffer, c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c);
    }
    mica_buffer_char(buffer, ':');
}

static struct mica_text
parts_join(struct mica_arena *arena, const struct parts *parts, bool dots)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, arena,
                     parts->scheme.len + parts->authority.len +
                         parts->path.len + parts->query.len + 8);
    // So that an empty URI is one, and not a failure.
    mica_buffer_char(&buffer, '\0');
    if (parts->scheme.ptr != NULL)
        add_scheme(&buffer, parts->scheme);
    if (parts->authority.ptr != NULL) {
        mica_buffer_add(&buffer, "//", 2);
        mica_buffer_text(&buffer, parts->authority);
    }
    if (dots)
        mica_buffer_text(&buffer, parts->path);
    else
        add_without_dots(&buffer, parts->path);
    if (parts->query.ptr != NULL) {
        mica_buffer_char(&buffer, '?');
        mica_buffer_text(&buffer, parts->query);
    }
    if (buffer.overflow)
        return (struct mica_text){NULL, 0};
    return (struct mica_text){buffer.ptr + 1, buffer.len - 1};
}

struct mica_text
mica_uri_resolve(struct mica_arena *arena, struct mica_text base,
                 struct mica_text reference, struct mica_text *fragment_out)
{
    struct parts to = uri_split(reference), from = uri_split(base);
    *fragment_out = to.fragment;
    if (to.scheme.ptr == NULL && to.authority.ptr == NULL && to.path.len == 0 &&
        to.query.ptr == NULL && base.ptr != NULL && from.fragment.ptr == NULL)
        return base;
    if (to.scheme.ptr == NULL) {
        to.scheme = from.scheme;
        if (to.authority.ptr == NULL) {
            to.authority = from.authority;
            if (to.path.len == 0) {
                to.path = from.path;
                if (to.query.ptr == NULL)
                    to.query = from.query;
            } else if (to.path.ptr[0] != '/') {
                to.path = parts_merge(arena, &from, to.path);
            }
        }
    }
    // The path of a URI like urn:a:b has no segments.
    bool opaque = to.scheme.ptr != NULL && to.authority.ptr == NULL &&
                  (to.path.len == 0 || to.path.ptr[0] != '/');
    return parts_join(arena, &to, opaque);
}

struct mica_text
mica_uri_decode(struct mica_arena *arena, struct mica_text text)
{
    if (text.len == 0 || memchr(text.ptr, '%', text.len) == NULL)
        return text;
    char *out = mica_arena_alloc(arena, text.len);
    size_t len = 0;
    if (out == NULL)
        return (struct mica_text){NULL, 0};
    for (size_t i = 0; i < text.len; i++) {
        out[len++] = text.ptr[i];
        if (text.ptr[i] != '%' || text.len - i < 3)
            continue;
        int high = mica_ascii_hex(text.ptr[i + 1]),
            low = mica_ascii_hex(text.ptr[i + 2]);
        if (high < 0 || low < 0)
            continue;
        out[len - 1] = (char)(high * 16 + low);
        i += 2;
    }
    return (struct mica_text){out, len};
}
