// SPDX-License-Identifier: Apache-2.0
//
// Decimal text to the nearest double, ties to even. Three ways, each exact:
// small numbers with one rounding of the hardware; nearly all others by a
// product with a 128-bit power of ten and a bound on its error (the idea of
// Eisel and Lemire); what lies too close to the middle between two doubles by
// whole numbers of any size.
#include <string.h>

#include "base/assert.h"
#include "base/bigint.h"
#include "base/numeral.h"
#include "base/power10.h"

enum {
    WORD_DIGITS = 19, // always fit 64 bits
    // No more digits than this can matter: the middle between two doubles has
    // at most 767.
    MOST_DIGITS = 800,
    INFINITE = 0x7FF
};

static double
from_bits(uint64_t bits, bool negative)
{
    double value;
    bits |= (uint64_t)negative << 63;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The bits of the double nearest to top × 2^exponent, where top has its highest
// bit set and `sticky` says that a little more follows.
static uint64_t
round_to_bits(uint64_t top, bool sticky, int exponent)
{
    int biased = exponent + 63 + 1023;
    if (biased >= INFINITE)
        return (uint64_t)INFINITE << 52;
    int drop = biased > 0 ? 11 : 12 - biased;
    if (drop > 64)
        return 0;
    uint64_t kept = drop < 64 ? top >> drop : 0;
    uint64_t rest = drop < 64 ? top & (((uint64_t)1 << drop) - 1) : top;
    uint64_t half = (uint64_t)1 << (drop - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1) == 1)))
        kept++;
    // A normal number has its bit 52 set, which adds 1 to the exponent; so does
    // a carry out of the fraction, up to infinity.
    return (biased > 0 ? (uint64_t)(biased - 1) << 52 : 0) + kept;
}

// The double nearest to a product of three words, highest first.
static uint64_t
round_product(const uint64_t p[3], int exponent)
{
    bool small = p[0] >> 63 == 0;
    uint64_t top = small ? p[0] << 1 | p[1] >> 63 : p[0];
    bool sticky = ((small ? p[1] << 1 : p[1]) | p[2]) != 0;
    return round_to_bits(top, sticky, exponent - small);
}

// Bits of the doubles nearest to the lower and to the upper bound of the value.
struct range {
    uint64_t low, high;
};

// word × 10^exponent, word not 0.
static struct range
decimal_approximate(uint64_t word, int exponent)
{
    const uint64_t infinity = (uint64_t)INFINITE << 52;
    if (exponent < -342)
        return (struct range){0, 0};
    if (exponent > 308)
        return (struct range){infinity, infinity};
    int shift = __builtin_clzll(word);
    word <<= shift;
    struct mica_wide power = mica_power10(exponent);
    struct mica_wide high = mica_wide_multiply(word, power.high);
    struct mica_wide low = mica_wide_multiply(word, power.low);
    uint64_t p[3] = {high.high, high.low + low.high, low.low};
    p[0] += p[1] < high.low;
    int binary = mica_power10_log2(exponent) - 127 - shift + 128;

    uint64_t nearest = round_product(p, binary);
    if (mica_power10_exact(exponent))
        return (struct range){nearest, nearest};
    // The power is less than 1 too small, so the product less than `word`.
    p[2] += word;
    p[1] += p[2] < word;
    p[0] += p[1] == 0 && p[2] < word;
    return (struct range){nearest, round_product(p, binary)};
}

// Compares the decimal with the middle between the double of these bits and the
// next larger one.
static int
compare_to_middle(const struct mica_numeral *decimal, uint64_t bits)
{
    struct mica_bigint value, middle;
    bool cut = decimal->count > MOST_DIGITS;
    unsigned count = cut ? MOST_DIGITS : (unsigned)decimal->count;
    const char *at = decimal->digits;
    mica_bigint_set(&value, 0);
    for (unsigned i = 0; i < count; i++)
        mica_bigint_multiply(&value, 10, mica_numeral_digit(&at));
    // One more digit stands for all that were cut: the last is not 0.
    if (cut)
        mica_bigint_multiply(&value, 10, 1);
    int power = (int)decimal->point - (int)count - cut;

    uint64_t biased = bits >> 52;
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    if (biased > 0)
        fraction |= (uint64_t)1 << 52;
    mica_bigint_set(&middle, 2 * fraction + 1);
    int binary = (biased > 0 ? (int)biased - 1075 : -1074) - 1;

    // value × 10^power against middle × 2^binary, in whole numbers.
    mica_bigint_scale5(power < 0 ? &middle : &value,
                       (unsigned)(power < 0 ? -power : power));
    if (power > binary)
        mica_bigint_shift_left(&value, (unsigned)(power - binary));
    else
        mica_bigint_shift_left(&middle, (unsigned)(binary - power));
    return mica_bigint_compare(&value, &middle);
}

// All digits in a word if there are at most 19, the first 19 otherwise.
static uint64_t
first_word(const struct mica_numeral *decimal)
{
    uint64_t word = 0;
    const char *at = decimal->digits;
    for (size_t i = 0; i < decimal->count && i < WORD_DIGITS; i++)
        word = word * 10 + mica_numeral_digit(&at);
    return word;
}

static uint64_t
nearest_bits(const struct mica_numeral *decimal, uint64_t word)
{
    if (decimal->point < -400)
        return 0;
    if (decimal->point > 400)
        return (uint64_t)INFINITE << 52;
    bool cut = decimal->count > WORD_DIGITS;
    int exponent =
        (int)decimal->point - (cut ? WORD_DIGITS : (int)decimal->count);
    struct range range = decimal_approximate(word, exponent);
    if (cut)
        range.high = decimal_approximate(word + 1, exponent).high;
    if (range.low == range.high)
        return range.low;
    MICA_ASSERT(range.high == range.low + 1);
    int order = compare_to_middle(decimal, range.low);
    if (order == 0)
        return range.low + (range.low & 1);
    return order < 0 ? range.low : range.high;
}

bool
mica_number_read(struct mica_text text, double *value_out)
{
    // Exact in a double, and 10^22 is the last power of ten that is.
    static const double powers[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct mica_numeral decimal;
    if (!mica_numeral_read(text, &decimal))
        return false;
    uint64_t word = first_word(&decimal);
    int64_t power = decimal.point - (int64_t)decimal.count;
    if (word == 0) {
        *value_out = from_bits(0, decimal.negative);
    } else if (decimal.count <= WORD_DIGITS && word <= (uint64_t)1 << 53 &&
               power >= -22 && power <= 22) {
        double value = (double)word;
        value = power < 0 ? value / powers[-power] : value * powers[power];
        *value_out = decimal.negative ? -value : value;
    } else {
        *value_out = from_bits(nearest_bits(&decimal, word), decimal.negative);
    }
    return true;
}

bool
mica_integer_read(struct mica_text text, int64_t *value_out)
{
    struct mica_numeral decimal;
    if (!mica_numeral_read(text, &decimal))
        return false;
    // Whole means that the last digit that is not 0 stands before the point.
    if (decimal.point < (int64_t)decimal.count || decimal.point > WORD_DIGITS)
        return false;
    uint64_t size = first_word(&decimal);
    for (int64_t i = (int64_t)decimal.count; i < decimal.point; i++)
        size *= 10;
    if (size > (uint64_t)INT64_MAX + decimal.negative)
        return false;
    *value_out = (int64_t)(decimal.negative ? -size : size);
    return true;
}
