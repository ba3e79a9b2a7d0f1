// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on numbers as they are written: order, whole or not, multiples. No
// number passes through a double.
#ifndef MICA_SCHEMA_NUMBER_H
#define MICA_SCHEMA_NUMBER_H

#include "base/numeral.h"

// <0, 0, >0.
int mica_numeral_compare(const struct mica_numeral *a,
                         const struct mica_numeral *b);

bool mica_numeral_is_whole(const struct mica_numeral *decimal);

// The largest whole number that is not larger, and whether it is the same.
// False when it has more than 18 digits.
bool mica_numeral_floor(const struct mica_numeral *decimal, int64_t *floor_out,
                        bool *exact_out);

// The digits as one number, which times 10^exponent is the absolute value.
// False when there are more than 18.
bool mica_numeral_factor(const struct mica_numeral *decimal,
                         uint64_t *factor_out, int64_t *exponent_out);

// Whether it is a whole number of times factor × 10^exponent (which is not 0).
bool mica_numeral_is_multiple(const struct mica_numeral *decimal,
                              uint64_t factor, int64_t exponent);

// Reads up to 18 digits after an optional minus, which is how nearly all whole
// numbers are written. False for all else. `text` is a number of JSON.
static inline bool
mica_numeral_simple(struct mica_text text, int64_t *value_out)
{
    const char *at = text.ptr, *end = text.ptr + text.len;
    bool negative = *at == '-';
    int64_t value = 0;
    at += negative;
    if (end - at > 18)
        return false;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9)
            return false;
        value = value * 10 + (int64_t)digit;
    }
    *value_out = negative ? -value : value;
    return true;
}

// Whether the number has no fraction: 1, 1.0 and 1e2, but not 1.5.
static inline bool
mica_numeral_whole_text(struct mica_text text)
{
    struct mica_numeral decimal;
    size_t at = text.ptr[0] == '-';
    while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9')
        at++;
    return at == text.len || (mica_numeral_read(text, &decimal) &&
                              mica_numeral_is_whole(&decimal));
}

#endif
