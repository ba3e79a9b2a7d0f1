// SPDX-License-Identifier: Apache-2.0
//
// UTF-8 as Unicode defines it (15.0, table 3-7): shortest form only, no
// surrogates, nothing above U+10FFFF.
#include <string.h>

#include <mica/base.h>

// Length of the well-formed sequence at `s` of which `room` bytes are there;
// 0: it is malformed. Called for bytes of 0x80 and above.
static size_t
utf8_sequence(const unsigned char *s, size_t room)
{
    unsigned char lead = s[0];
    // The second byte alone tells overlong forms, surrogates and values that
    // are too large: its range depends on the first.
    unsigned char low = 0x80, high = 0xBF;
    size_t size;
    if (lead >= 0xC2 && lead <= 0xDF)
        size = 2;
    else if (lead >= 0xE0 && lead <= 0xEF)
        size = 3;
    else if (lead >= 0xF0 && lead <= 0xF4)
        size = 4;
    else
        return 0;
    if (lead == 0xE0)
        low = 0xA0;
    else if (lead == 0xED)
        high = 0x9F;
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F;
    if (size > room || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return size;
}

static bool
is_ascii_word(const unsigned char *s)
{
    uint64_t word;
    memcpy(&word, s, sizeof word);
    return (word & 0x8080808080808080u) == 0;
}

size_t
mica_utf8_valid(struct mica_text text)
{
    const unsigned char *s = (const unsigned char *)text.ptr;
    size_t at = 0;
    while (at < text.len) {
        if (s[at] >= 0x80) {
            size_t size = utf8_sequence(s + at, text.len - at);
            if (size == 0)
                return at;
            at += size;
        } else {
            at += text.len - at >= 8 && is_ascii_word(s + at) ? 8 : 1;
        }
    }
    return at;
}

uint32_t
mica_text_next(struct mica_text *rest)
{
    if (rest->len == 0)
        return 0xFFFFFFFF;
    const unsigned char *s = (const unsigned char *)rest->ptr;
    size_t size = s[0] < 0x80 ? 1 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    // Broken text must not make us read past its end.
    if (size > rest->len)
        size = rest->len;
    uint32_t point = size == 1 ? s[0] : s[0] & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size; i++)
        point = point << 6 | (s[i] & 0x3Fu);
    rest->ptr += size;
    rest->len -= size;
    return point;
}

// How many of eight bytes continue a character, 10xxxxxx.
static size_t
word_continuations(uint64_t word)
{
    uint64_t found = word >> 7 & ~word >> 6 & 0x0101010101010101u;
    return (size_t)(found * 0x0101010101010101u >> 56);
}

// Eight bytes a step: a sandbox checks the place of every load.
size_t
mica_text_length(struct mica_text text)
{
    size_t continuations = 0, i = 0;
    for (; text.len - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, text.ptr + i, sizeof word);
        continuations += word_continuations(word);
    }
    for (; i < text.len; i++)
        continuations += ((unsigned char)text.ptr[i] & 0xC0) == 0x80;
    return text.len - continuations;
}

size_t
mica_utf8_encode(uint32_t code_point, char out[4])
{
    uint32_t point = code_point;
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char)((0xF00u >> size & 0xF0u) | point);
    return size;
}

struct mica_text
mica_utf8_cut(struct mica_text text, size_t most)
{
    text = mica_text_slice(text, 0, most);
    text.len = mica_utf8_valid(text);
    return text;
}
