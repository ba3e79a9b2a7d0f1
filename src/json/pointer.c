// SPDX-License-Identifier: Apache-2.0
//
// JSON Pointer (RFC 6901): the way errors name a place in the input.
#include <string.h>

#include "json/pointer.h"

void
mica_json_pointer_add(struct mica_buffer *pointer, struct mica_text token)
{
    size_t before = pointer->len;
    mica_buffer_char(pointer, '/');
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] == '~')
            mica_buffer_add(pointer, "~0", 2);
        else if (token.ptr[i] == '/')
            mica_buffer_add(pointer, "~1", 2);
        else
            mica_buffer_char(pointer, token.ptr[i]);
    }
    // Half a token would name something else.
    if (pointer->overflow)
        pointer->len = before;
}

void
mica_json_pointer_add_cut(struct mica_buffer *pointer, struct mica_text token,
                          size_t most)
{
    struct mica_text head = mica_utf8_cut(token, most);
    mica_json_pointer_add(pointer, head);
    if (head.len < token.len)
        mica_buffer_text(pointer, MICA_LITERAL("…"));
}

// Whether a token, its escapes read, is `name`.
static bool
pointer_names(struct mica_text token, struct mica_text name)
{
    size_t at = 0;
    for (size_t i = 0; i < token.len; i++, at++) {
        char c = token.ptr[i];
        if (c == '~') {
            i++;
            if (i == token.len || (token.ptr[i] != '0' && token.ptr[i] != '1'))
                return false;
            c = token.ptr[i] == '0' ? '~' : '/';
        }
        if (at >= name.len || name.ptr[at] != c)
            return false;
    }
    return at == name.len;
}

static const struct mica_json *
pointer_item(const struct mica_json *array, struct mica_text token)
{
    size_t index = 0;
    if (token.len == 0 || token.len > 18 ||
        (token.len > 1 && token.ptr[0] == '0'))
        return NULL;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return NULL;
        if (index >= array->count)
            return NULL; // and more digits only make it larger
        index = index * 10 + (size_t)(token.ptr[i] - '0');
    }
    return index < array->count ? &array->items[index] : NULL;
}

static const struct mica_json *
pointer_step(const struct mica_json *value, struct mica_text token)
{
    if (value->kind == MICA_JSON_ARRAY)
        return pointer_item(value, token);
    if (value->kind != MICA_JSON_OBJECT)
        return NULL;
    for (size_t i = value->count; i-- > 0;)
        if (pointer_names(token, value->members[i].name))
            return &value->members[i].value;
    return NULL;
}

const struct mica_json *
mica_json_pointer_get(const struct mica_json *root, struct mica_text pointer)
{
    while (pointer.len > 0 && root != NULL) {
        if (pointer.ptr[0] != '/')
            return NULL;
        pointer = mica_text_slice(pointer, 1, pointer.len);
        const char *slash =
            pointer.len > 0 ? memchr(pointer.ptr, '/', pointer.len) : NULL;
        size_t len =
            slash != NULL ? (size_t)(slash - pointer.ptr) : pointer.len;
        root = pointer_step(root, mica_text_slice(pointer, 0, len));
        pointer = mica_text_slice(pointer, len, pointer.len);
    }
    return root;
}
