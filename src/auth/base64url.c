// SPDX-License-Identifier: Apache-2.0
//
// Base64url for tokens and keys: translated to the standard alphabet, padded,
// and read by the strict reader of the core.
#include "auth/token.h"

enum {
    CHUNK = 256 // characters at a time; a multiple of four
};

// The standard alphabet's own two, and padding, are not base64url.
static char
base64url_translate(char c)
{
    if (c == '+' || c == '/' || c == '=')
        return '\0';
    return c == '-' ? '+' : c == '_' ? '/' : c;
}

bool
mica_base64url_read(struct mica_buffer *buffer, struct mica_text text)
{
    size_t before = buffer->len;

    for (size_t at = 0; at < text.len; at += CHUNK) {
        struct mica_text part = mica_text_slice(text, at, at + CHUNK);
        char chunk[CHUNK];
        size_t len;
        for (len = 0; len < part.len; len++)
            chunk[len] = base64url_translate(part.ptr[len]);
        while (len % 4 != 0)
            chunk[len++] = '=';
        if (!mica_base64_read(buffer, (struct mica_text){chunk, len})) {
            buffer->len = before;
            return false;
        }
    }
    return true;
}
