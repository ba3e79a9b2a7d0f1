// SPDX-License-Identifier: Apache-2.0
//
// Decimals of any size, digit by digit; remainders by a factor of 18 digits.
#include "schema/number.h"

enum {
    DIGITS = 18 // always fit in 64 bits
};

int
mica_numeral_compare(const struct mica_numeral *a, const struct mica_numeral *b)
{
    bool a_below = a->negative && a->count > 0;
    bool b_below = b->negative && b->count > 0;
    if (a_below != b_below)
        return a_below ? -1 : 1;
    if (a->count == 0 || b->count == 0)
        return (a->count > 0) - (b->count > 0);
    int above = a_below ? -1 : 1; // when the absolute value of `a` is larger
    if (a->point != b->point)
        return a->point > b->point ? above : -above;
    const char *in_a = a->digits, *in_b = b->digits;
    size_t common = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < common; i++) {
        unsigned one = mica_numeral_digit(&in_a);
        unsigned two = mica_numeral_digit(&in_b);
        if (one != two)
            return one > two ? above : -above;
    }
    if (a->count == b->count)
        return 0;
    return a->count > b->count ? above : -above;
}

bool
mica_numeral_is_whole(const struct mica_numeral *decimal)
{
    return decimal->point >= 0 && (uint64_t)decimal->point >= decimal->count;
}

bool
mica_numeral_floor(const struct mica_numeral *decimal, int64_t *floor_out,
                   bool *exact_out)
{
    const char *at = decimal->digits;
    int64_t value = 0;
    if (decimal->point > DIGITS)
        return false;
    for (int64_t i = 0; i < decimal->point; i++)
        value = value * 10 + ((uint64_t)i < decimal->count
                                  ? (int64_t)mica_numeral_digit(&at)
                                  : 0);
    *exact_out = mica_numeral_is_whole(decimal);
    if (decimal->negative)
        value = *exact_out ? -value : -value - 1;
    *floor_out = value;
    return true;
}

bool
mica_numeral_factor(const struct mica_numeral *decimal, uint64_t *factor_out,
                    int64_t *exponent_out)
{
    const char *at = decimal->digits;
    if (decimal->count > DIGITS)
        return false;
    *factor_out = 0;
    for (size_t i = 0; i < decimal->count; i++)
        *factor_out = *factor_out * 10 + mica_numeral_digit(&at);
    *exponent_out = decimal->point - (int64_t)decimal->count;
    return true;
}

// a × b modulo m, for m below 2^60, by doubling: 128 bits are not everywhere.
static uint64_t
number_multiply(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t product = 0;
    for (; b > 0; b >>= 1) {
        if ((b & 1) != 0)
            product = (product + a) % m;
        a = (a + a) % m;
    }
    return product;
}

bool
mica_numeral_is_multiple(const struct mica_numeral *decimal, uint64_t factor,
                         int64_t exponent)
{
    const char *at = decimal->digits;
    int64_t own = decimal->point - (int64_t)decimal->count;
    uint64_t rest = 0, power = 10 % factor;
    if (decimal->count == 0)
        return true;
    // The last digit is not 0, so none of it is a multiple of ten.
    if (own < exponent)
        return false;
    if (factor == 1)
        return true;
    // The remainder has 18 digits at most, and 19 still fit.
    for (size_t i = 0; i < decimal->count; i++)
        rest = (rest * 10 + mica_numeral_digit(&at)) % factor;
    for (uint64_t left = (uint64_t)own - (uint64_t)exponent;
         left > 0 && rest > 0; left >>= 1) {
        if (left & 1)
            rest = number_multiply(rest, power, factor);
        power = number_multiply(power, power, factor);
    }
    return rest == 0;
}
