// SPDX-License-Identifier: Apache-2.0
//
// Finds the bytes of a string that need care, eight or sixteen at a time. The reader and
// the writer spend most of their time here.
#ifndef MICA_JSON_SCAN_H
#define MICA_JSON_SCAN_H

#include <string.h>

#include <mica/base.h>

// Whether a byte cannot stand in a JSON string as it is.
static inline bool
mica_json_is_special(char byte)
{
    return byte == '"' || byte == '\\' || (unsigned char)byte < 0x20;
}

#ifdef __SSE2__
typedef unsigned char mica_json_bytes __attribute__((vector_size(16)));
typedef char mica_json_chars __attribute__((vector_size(16)));

// A bit for each special byte among sixteen.
static inline unsigned
mica_json_specials_of_16(const char *at, uint64_t *seen)
{
    mica_json_bytes bytes;
    memcpy(&bytes, at, sizeof bytes);
    mica_json_chars found = (mica_json_chars)((bytes == (unsigned char)'"') |
                                              (bytes == (unsigned char)'\\') |
                                              (bytes < (unsigned char)0x20));
    bool high = __builtin_ia32_pmovmskb128((mica_json_chars)bytes) != 0;
    *seen |= high ? 0x80 : 0;
    return (unsigned)__builtin_ia32_pmovmskb128(found);
}
#endif

// Sets bit 7 of each special byte among eight. A byte minus 1 (or minus 0x20) borrows
// from bit 7 exactly when it was 0 (or less than 0x20). A borrow can reach only bytes
// behind one that is found, and the first one found is all that counts.
static inline uint64_t
mica_json_specials(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    return (((word ^ ones * '"') - ones) | ((word ^ ones * '\\') - ones) |
            (word - ones * 0x20)) &
           ~word & ones * 0x80;
}

// The first special byte in [at, end), or `end`. Bit 7 of some byte of `*seen`
// gets set when a byte outside ASCII may have been passed.
static inline const char *
mica_json_skip_plain(const char *at, const char *end, uint64_t *seen)
{
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        unsigned specials = mica_json_specials_of_16(at, seen);
        if (specials != 0)
            return at + __builtin_ctz(specials);
    }
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word, found;
    while (end - at >= 8) {
        memcpy(&word, at, sizeof word);
        *seen |= word;
        found = mica_json_specials(word);
        if (found != 0)
            return at + __builtin_ctzll(found) / 8;
        at += 8;
    }
    if (end - at >= 4) { // the first four and the last four, which may overlap
        uint32_t first, last;
        memcpy(&first, at, sizeof first);
        memcpy(&last, end - 4, sizeof last);
        word = first | (uint64_t)last << 32;
        *seen |= word;
        found = mica_json_specials(word);
        if (found == 0)
            return end;
        size_t index = (size_t)__builtin_ctzll(found) / 8;
        return index < 4 ? at + index : end - 8 + index;
    }
#endif
    for (; at < end && !mica_json_is_special(*at); at++)
        *seen |= (unsigned char)*at;
    return at;
}

static inline bool
mica_json_saw_high(uint64_t seen)
{
    return (seen & UINT64_C(0x8080808080808080)) != 0;
}

#endif
