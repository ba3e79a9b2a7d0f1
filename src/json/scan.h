// SPDX-License-Identifier: Apache-2.0
//
// Finds the bytes of a string that need care, eight at a time. The reader and
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

// The first special byte in [at, end), or `end`. Bit 7 of some byte of `*seen`
// gets set when a byte outside ASCII may have been passed.
static inline const char *
mica_json_skip_plain(const char *at, const char *end, uint64_t *seen)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = UINT64_C(0x0101010101010101);
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        *seen |= word;
        // A byte minus 1 (or minus 0x20) borrows from bit 7 exactly when it was
        // 0 (or less than 0x20). A borrow can reach only bytes behind one that
        // is found, and the first one found is all that counts.
        uint64_t found =
            (((word ^ ones * '"') - ones) | ((word ^ ones * '\\') - ones) |
             (word - ones * 0x20)) &
            ~word & ones * 0x80;
        if (found != 0)
            return at + __builtin_ctzll(found) / 8;
        at += 8;
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
