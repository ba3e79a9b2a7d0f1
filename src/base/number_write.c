// SPDX-License-Identifier: Apache-2.0
//
// A double as the shortest decimal that reads back as the same double, and
// among those the closest: Schubfach (R. Giulietti, "The Schubfach way to
// render doubles", 2021). The form is that of ECMA-262 Number::toString.
#include <string.h>

#include <mica/base.h>

#include "base/digits.h"
#include "base/power10.h"

// digits × 10^exponent
struct decimal {
    uint64_t digits;
    int exponent;
};

// The product of the 128-bit power and a number of at most 60 bits, without its
// lowest 128 bits; those only set bit 0 if they are not negligible.
static uint64_t
round_to_odd(struct mica_wide power, uint64_t number)
{
    struct mica_wide low = mica_wide_multiply(power.low, number);
    struct mica_wide high = mica_wide_multiply(power.high, number);
    uint64_t middle = high.low + low.high;
    uint64_t top = high.high + (middle < low.high);
    return top | (middle > 1);
}

// Whether of the two neighbors step × n and step × (n + 1) of the value exactly
// one reads back as the double, and then which.
static bool
one_fits(uint64_t n, uint64_t step, uint64_t lower, uint64_t upper,
         uint64_t *n_out)
{
    bool low_fits = lower <= step * n;
    bool high_fits = step * (n + 1) <= upper;
    *n_out = n + high_fits;
    return low_fits != high_fits;
}

// fraction × 2^binary, whose lower neighbor is only half as far as the upper
// one when `narrow` is set. All values are taken four times, so that the
// boundaries, which lie in the middle between doubles, are whole.
static struct decimal
digits_shortest(uint64_t fraction, int binary, bool narrow)
{
    // The largest power of ten that is not above the width of the interval.
    int exponent = (binary * 1262611 - (narrow ? 524031 : 0)) >> 22;
    int shift = binary + mica_power10_log2(-exponent) + 1;
    struct mica_wide power = mica_power10(-exponent);
    // Schubfach wants the power rounded up.
    if (!mica_power10_exact(-exponent) && ++power.low == 0)
        power.high++;

    uint64_t value = round_to_odd(power, 4 * fraction << shift);
    uint64_t lower = round_to_odd(power, (4 * fraction - 2 + narrow) << shift);
    uint64_t upper = round_to_odd(power, (4 * fraction + 2) << shift);
    // The boundaries themselves read back as the double only when it is even.
    lower += fraction & 1;
    upper -= fraction & 1;

    uint64_t digits = value / 4;
    uint64_t found;
    if (digits >= 10 && one_fits(digits / 10, 40, lower, upper, &found))
        return (struct decimal){found, exponent + 1};
    if (one_fits(digits, 4, lower, upper, &found))
        return (struct decimal){found, exponent};
    uint64_t middle = 4 * digits + 2;
    bool up = value > middle || (value == middle && (digits & 1) == 1);
    return (struct decimal){digits + up, exponent};
}

static struct decimal
without_zeros(struct decimal decimal)
{
    static const struct {
        uint64_t power;
        int zeros;
    } steps[] = {{100000000, 8}, {10000, 4}, {100, 2}, {10, 1}};
    for (size_t i = 0; i < MICA_COUNT(steps); i++) {
        if (decimal.digits % steps[i].power == 0) {
            decimal.digits /= steps[i].power;
            decimal.exponent += steps[i].zeros;
        }
    }
    return decimal;
}

static char *
bytes_put(char *out, const char *bytes, size_t size)
{
    memcpy(out, bytes, size);
    return out + size;
}

static char *
put_zeros(char *out, int count)
{
    memset(out, '0', (size_t)count);
    return out + count;
}

// "1.5e-7": one digit before the point, exponent with its sign.
static char *
put_scientific(char *out, const char *digits, size_t count, int exponent)
{
    *out++ = digits[0];
    if (count > 1) {
        *out++ = '.';
        out = bytes_put(out, digits + 1, count - 1);
    }
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    uint64_t size = (uint64_t)(exponent < 0 ? -exponent : exponent);
    return out + mica_digits_write(size, out);
}

// The rules of Number::toString, where `point` is the n of the standard: the
// value is 0.digits × 10^point.
static char *
put_decimal(char *out, struct decimal decimal)
{
    char digits[MICA_DIGITS_SIZE];
    size_t count = mica_digits_write(decimal.digits, digits);
    int size = (int)count;
    int point = size + decimal.exponent;
    if (point > 21 || point <= -6)
        return put_scientific(out, digits, count, point - 1);
    if (point <= 0) {
        out = bytes_put(out, "0.", 2);
        out = put_zeros(out, -point);
        return bytes_put(out, digits, count);
    }
    if (point >= size) {
        out = bytes_put(out, digits, count);
        return put_zeros(out, point - size);
    }
    out = bytes_put(out, digits, (size_t)point);
    *out++ = '.';
    return bytes_put(out, digits + point, count - (size_t)point);
}

// Any positive finite double from its bits.
static struct decimal
decimal_of(uint64_t bits)
{
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int biased = (int)(bits >> 52);
    if (biased == 0)
        return digits_shortest(fraction, -1074, false);
    return digits_shortest(fraction | (uint64_t)1 << 52, biased - 1075,
                           fraction == 0 && biased > 1);
}

size_t
mica_number_write(double value, char out[MICA_NUMBER_SIZE])
{
    char *at = out;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits >> 63 == 1 && value < 0)
        *at++ = '-';
    bits &= ~((uint64_t)1 << 63);
    double size = value < 0 ? -value : value;
    if (bits >= (uint64_t)0x7FF << 52) {
        at = bits == (uint64_t)0x7FF << 52 ? bytes_put(at, "Infinity", 8)
                                           : bytes_put(at, "NaN", 3);
    } else if (size < 9007199254740992.0 && (double)(uint64_t)size >= size) {
        // Whole and exact: its digits are the shortest.
        at += mica_digits_write((uint64_t)size, at);
    } else {
        at = put_decimal(at, without_zeros(decimal_of(bits)));
    }
    *at = '\0';
    return (size_t)(at - out);
}
