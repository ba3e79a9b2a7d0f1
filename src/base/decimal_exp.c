// SPDX-License-Identifier: Apache-2.0
//
// The exponential and the logarithm of decimals, for interest that is added
// oftener or less often than money is counted. A file of its own, so that a
// module that only adds and multiplies does not have them.
#include <mica/decimal.h>

enum {
    HALVINGS = 10,  // of an argument below 1000: then below 1
    TINY = -80,     // power of ten; e^x is 1 to 72 digits for any x below it
    MOST_TERMS = 90 // of a series whose terms fall by at least 9
};

static struct mica_decimal
decimal_whole(int64_t value)
{
    return mica_decimal_of(value, 0);
}

static struct mica_decimal
decimal_mark_inexact(struct mica_decimal value)
{
    value.inexact = true;
    return value;
}

// The Taylor series of exp(value / 2^10), squared 10 times, which costs 4 of the
// 72 digits at most.
struct mica_decimal
mica_decimal_exp(struct mica_decimal value)
{
    struct mica_decimal tiny = mica_decimal_of(1, TINY), size = value;
    size.negative = false;
    if (mica_decimal_sign(value) == 0)
        return decimal_whole(1);
    if (mica_decimal_compare(size, tiny) < 0)
        return decimal_mark_inexact(decimal_whole(1));
    struct mica_decimal small =
        mica_decimal_divide(value, decimal_whole((int64_t)1 << HALVINGS));
    struct mica_decimal sum = decimal_whole(1), term = decimal_whole(1);
    for (int64_t n = 1; n < MOST_TERMS; n++) {
        term = mica_decimal_divide(mica_decimal_multiply(term, small),
                                   decimal_whole(n));
        struct mica_decimal next = mica_decimal_add(sum, term);
        if (mica_decimal_compare(next, sum) == 0)
            break;
        sum = next;
    }
    return decimal_mark_inexact(mica_decimal_power(sum, 1U << HALVINGS));
}

// ln(value) = 2 artanh((value - 1) / (value + 1)), quick for values near 1.
static struct mica_decimal
near_one(struct mica_decimal value)
{
    struct mica_decimal one = decimal_whole(1);
    struct mica_decimal ratio = mica_decimal_divide(
        mica_decimal_subtract(value, one), mica_decimal_add(value, one));
    struct mica_decimal square = mica_decimal_multiply(ratio, ratio);
    struct mica_decimal sum = ratio, power = ratio;
    for (int64_t n = 3; n < INT64_C(2) * MOST_TERMS; n += 2) {
        power = mica_decimal_multiply(power, square);
        struct mica_decimal next =
            mica_decimal_add(sum, mica_decimal_divide(power, decimal_whole(n)));
        if (mica_decimal_compare(next, sum) == 0)
            break;
        sum = next;
    }
    return mica_decimal_multiply(sum, decimal_whole(2));
}

struct mica_decimal
mica_decimal_ln(struct mica_decimal value)
{
    struct mica_decimal two = decimal_whole(2), half = mica_decimal_of(5, -1);
    int64_t doublings = 0;
    if (value.fault != MICA_DECIMAL_FINE)
        return value;
    if (mica_decimal_sign(value) <= 0) {
        value = decimal_whole(0);
        value.fault = MICA_DECIMAL_UNDEFINED;
        return value;
    }
    while (mica_decimal_compare(value, two) > 0) {
        value = mica_decimal_multiply(value, half);
        doublings++;
    }
    while (mica_decimal_compare(value, half) < 0) {
        value = mica_decimal_multiply(value, two);
        doublings--;
    }
    struct mica_decimal result = near_one(value);
    if (doublings != 0)
        result = mica_decimal_add(
            result,
            mica_decimal_multiply(near_one(two), decimal_whole(doublings)));
    return mica_decimal_sign(result) == 0 ? result
                                          : decimal_mark_inexact(result);
}
