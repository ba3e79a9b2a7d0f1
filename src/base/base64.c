// SPDX-License-Identifier: Apache-2.0
//
// Base64 (RFC 4648 section 4). Reading is strict: each sequence of bytes has
// exactly one text, so that two clients cannot disagree about what was sent.
#include <mica/base.h>

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
mica_base64_write(struct mica_buffer *buffer, const void *bytes, size_t size)
{
    if (size > SIZE_MAX / 2) {
        buffer->overflow = true;
        return;
    }
    const unsigned char *in = bytes;
    size_t groups = (size + 2) / 3;
    char *out = mica_buffer_reserve(buffer, 4 * groups);
    if (out == NULL)
        return;
    for (size_t at = 0; at < size; at += 3, out += 4) {
        size_t left = size - at;
        uint32_t three = (uint32_t)in[at] << 16 |
                         (left > 1 ? (uint32_t)in[at + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)in[at + 2] : 0);
        out[0] = alphabet[three >> 18];
        out[1] = alphabet[three >> 12 & 63];
        out[2] = left > 1 ? alphabet[three >> 6 & 63] : '=';
        out[3] = left > 2 ? alphabet[three & 63] : '=';
    }
    buffer->len += 4 * groups;
}

// 0 to 63, or 64 for a character that is not in the alphabet.
static uint32_t
value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

// Decodes four characters, the last `padding` of which are "=".
static bool
read_group(const char *in, size_t padding, char *out)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t value = i < 4 - padding ? value_of(in[i]) : 0;
        if (value > 63)
            return false;
        bits = bits << 6 | value;
    }
    // Bits that the padding makes meaningless must be zero.
    if ((bits & ((1u << (8 * padding)) - 1)) != 0)
        return false;
    for (size_t i = 0; i < 3 - padding; i++)
        out[i] = (char)(bits >> (16 - 8 * i) & 0xFF);
    return true;
}

bool
mica_base64_read(struct mica_buffer *buffer, struct mica_text text)
{
    if (text.len % 4 != 0)
        return false;
    if (text.len == 0)
        return true;
    size_t padding = (text.ptr[text.len - 1] == '=') +
                     (size_t)(text.ptr[text.len - 1] == '=' &&
                              text.ptr[text.len - 2] == '=');
    size_t size = text.len / 4 * 3 - padding;
    char *out = mica_buffer_reserve(buffer, size);
    if (out == NULL)
        return false;
    for (size_t at = 0; at < text.len; at += 4, out += 3)
        if (!read_group(text.ptr + at, at + 4 == text.len ? padding : 0, out))
            return false;
    buffer->len += size;
    return true;
}
