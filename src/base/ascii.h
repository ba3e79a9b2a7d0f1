// SPDX-License-Identifier: Apache-2.0
//
// Letters and hexadecimal digits of ASCII, whatever the locale. Bytes outside of ASCII
// are no letters, and stay as they are.
#ifndef MICA_BASE_ASCII_H
#define MICA_BASE_ASCII_H

#include <mica/base.h>

static inline char
mica_ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// The value of a hexadecimal digit of either case; -1: it is no such digit.
static inline int
mica_ascii_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Whether each byte is a visible character of ASCII: no space, no control character.
static inline bool
mica_ascii_visible(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~')
            return false;
    return true;
}

// Whether `size` bytes are those of `lowercase`, its letters in either case.
bool mica_ascii_same(const char *bytes, const char *lowercase, size_t size);

// Whether the text is that word, its letters in either case.
static inline bool
mica_ascii_is(struct mica_text text, const char *lowercasez)
{
    size_t size = __builtin_strlen(lowercasez);
    return text.len == size && mica_ascii_same(text.ptr, lowercasez, size);
}

#endif
