// SPDX-License-Identifier: Apache-2.0
//
// Pointers of argument maps. They come from owners, so they are bounded before anything
// walks along them.
#include "apps/app_pointer.h"

#include <string.h>

#include "apps/app_map.h"

enum {
    INDEX_DIGITS = 4 // of an array index
};

bool
mica_app_pointer_next(struct mica_text *rest, struct mica_text *token_out)
{
    const char *slash;
    size_t end;

    if (rest->len == 0)
        return false;
    slash = rest->len > 1 ? memchr(rest->ptr + 1, '/', rest->len - 1) : NULL;
    end = slash != NULL ? (size_t)(slash - rest->ptr) : rest->len;
    *token_out = mica_text_slice(*rest, 1, end);
    *rest = mica_text_slice(*rest, end, rest->len);
    return true;
}

struct mica_text
mica_app_pointer_name(struct mica_text token, char *room)
{
    size_t length = 0;

    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        if (c == '~' && i + 1 < token.len)
            c = token.ptr[++i] == '0' ? '~' : '/';
        room[length++] = c;
    }
    return (struct mica_text){room, length};
}

// Names that lead to what all objects of a script share.
static bool
token_is_forbidden(struct mica_text token)
{
    return mica_text_is(token, "__proto__") ||
           mica_text_is(token, "constructor") ||
           mica_text_is(token, "prototype");
}

static bool
token_is_escaped_well(struct mica_text token)
{
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] != '~')
            continue;
        i++;
        if (i == token.len || (token.ptr[i] != '0' && token.ptr[i] != '1'))
            return false;
    }
    return true;
}

const char *
mica_app_pointer_wrong(struct mica_text pointer)
{
    struct mica_text token;
    size_t depth = 0;

    if (pointer.len > MICA_APP_MAP_POINTER)
        return "is longer than 256 bytes";
    if (pointer.len > 0 && pointer.ptr[0] != '/')
        return "is no JSON Pointer: it must begin with \"/\"";
    while (mica_app_pointer_next(&pointer, &token)) {
        if (++depth > MICA_APP_MAP_DEPTH)
            return "has more than 8 names";
        if (!token_is_escaped_well(token))
            return "is no JSON Pointer: \"~\" is written ~0, and \"/\" in a "
                   "name ~1";
        if (token_is_forbidden(token))
            return "has a name that scripts take for something else";
    }
    return NULL;
}

bool
mica_app_pointer_is_index(struct mica_text token)
{
    if (token.len == 0 || token.len > INDEX_DIGITS ||
        (token.len > 1 && token.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < token.len; i++)
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return false;
    return true;
}

static int
compare_tokens(struct mica_text a, struct mica_text b)
{
    bool a_index = mica_app_pointer_is_index(a);
    bool b_index = mica_app_pointer_is_index(b);

    if (a_index != b_index)
        return a_index ? -1 : 1;
    if (a_index && a.len != b.len)
        return a.len < b.len ? -1 : 1;
    return mica_text_compare(a, b);
}

int
mica_app_pointer_compare(struct mica_text a, struct mica_text b)
{
    struct mica_text a_token, b_token;

    for (;;) {
        bool a_has = mica_app_pointer_next(&a, &a_token);
        bool b_has = mica_app_pointer_next(&b, &b_token);
        int order;
        if (!a_has || !b_has)
            return a_has ? 1 : b_has ? -1 : 0;
        order = compare_tokens(a_token, b_token);
        if (order != 0)
            return order;
    }
}

bool
mica_app_pointer_within(struct mica_text inner, struct mica_text outer)
{
    return inner.len >= outer.len &&
           mica_text_equal(mica_text_slice(inner, 0, outer.len), outer) &&
           (inner.len == outer.len || inner.ptr[outer.len] == '/');
}
