// SPDX-License-Identifier: Apache-2.0
//
// Decimal arithmetic on limbs of nine digits. Every operation makes a coefficient
// that may be too long, and one function (`wide_to_decimal`) rounds it to 72 digits, takes
// off the zeros at its end and looks at its range.
//
// Our own code, because what is packaged cannot be linked into a module that
// imports nothing: libmpdec allocates and comes as a native object, and so does
// every decimal128 of a compiler. tests/engines/oracle compares the engines
// of money with libmpdec.
#include <string.h>

#include <mica/decimal.h>

#include "base/numeral.h"

enum {
    BASE = 1000000000,
    LIMB_DIGITS = 9,
    LIMBS = MICA_DECIMAL_LIMBS,
    DIGITS = LIMBS * LIMB_DIGITS,
    WIDE = 20,      // limbs of a coefficient that is not yet rounded
    REACH = 80,     // digits past which a summand only decides the rounding
    FARTHEST = 999, // exponent of the first digit in arithmetic
    SETTLED = 50    // digits that mica_decimal_settle believes
};

// A coefficient on its way, least limb first.
struct wide {
    uint32_t limbs[WIDE];
    size_t count; // limbs in use, the last one not 0; zero has none
    bool rest;    // it is a little more than the limbs say
};

static const uint32_t powers[] = {1,      10,      100,      1000,     10000,
                                  100000, 1000000, 10000000, 100000000};

// ---- Coefficients ----------------------------------------------------------

static void
wide_trim(struct wide *wide)
{
    while (wide->count > 0 && wide->limbs[wide->count - 1] == 0)
        wide->count--;
}

static void
wide_load(struct wide *wide, const struct mica_decimal *value)
{
    memset(wide, 0, sizeof *wide);
    memcpy(wide->limbs, value->limbs, sizeof value->limbs);
    wide->count = LIMBS;
    wide_trim(wide);
}

// Digits of the coefficient; 0 for zero.
static int
wide_digits(const struct wide *wide)
{
    if (wide->count == 0)
        return 0;
    int digits = 1;
    uint32_t top = wide->limbs[wide->count - 1];
    while (digits < LIMB_DIGITS && top >= powers[digits])
        digits++;
    return digits + ((int)wide->count - 1) * LIMB_DIGITS;
}

static uint32_t
wide_divide_small(struct wide *wide, uint32_t divisor)
{
    uint64_t rest = 0;
    for (size_t i = wide->count; i-- > 0;) {
        rest = rest * BASE + wide->limbs[i];
        wide->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    wide_trim(wide);
    return (uint32_t)rest;
}

static void
wide_multiply_small(struct wide *wide, uint32_t factor, uint32_t carry)
{
    uint64_t sum = carry;
    for (size_t i = 0; i < wide->count; i++) {
        sum += (uint64_t)wide->limbs[i] * factor;
        wide->limbs[i] = (uint32_t)(sum % BASE);
        sum /= BASE;
    }
    if (sum > 0 && wide->count < WIDE)
        wide->limbs[wide->count++] = (uint32_t)sum;
}

// × 10^digits; the caller knows that it fits.
static void
wide_shift_left(struct wide *wide, int digits)
{
    size_t limbs = (size_t)(digits / LIMB_DIGITS);
    if (wide->count == 0 || wide->count + limbs > WIDE)
        return;
    memmove(wide->limbs + limbs, wide->limbs,
            wide->count * sizeof wide->limbs[0]);
    memset(wide->limbs, 0, limbs * sizeof wide->limbs[0]);
    wide->count += limbs;
    wide_multiply_small(wide, powers[digits % LIMB_DIGITS], 0);
}

// / 10^digits; what is dropped is in `rest`.
static void
wide_shift_right(struct wide *wide, int digits)
{
    size_t limbs = (size_t)(digits / LIMB_DIGITS);
    if (limbs > wide->count)
        limbs = wide->count;
    for (size_t i = 0; i < limbs; i++)
        wide->rest |= wide->limbs[i] != 0;
    wide->count -= limbs;
    memmove(wide->limbs, wide->limbs + limbs,
            wide->count * sizeof wide->limbs[0]);
    wide->rest |= wide_divide_small(wide, powers[digits % LIMB_DIGITS]) != 0;
}

// Whether the coefficient goes up by one after `digit` and the rest were dropped.
static bool
wide_goes_up(const struct wide *wide, uint32_t digit, bool negative,
             enum mica_rounding rounding)
{
    bool rest = wide->rest;
    bool odd = wide->count > 0 && wide->limbs[0] % 2 != 0;
    switch (rounding) {
    case MICA_HALF_UP:
        return digit >= 5;
    case MICA_HALF_EVEN:
        return digit > 5 || (digit == 5 && (rest || odd));
    case MICA_HALF_DOWN:
        return digit > 5 || (digit == 5 && rest);
    case MICA_DOWN:
        return false;
    case MICA_UP:
        return digit > 0 || rest;
    case MICA_FLOOR:
        return negative && (digit > 0 || rest);
    case MICA_CEILING:
        return !negative && (digit > 0 || rest);
    }
    return false;
}

// Drops `digits` (1 or more) digits; true when they were not all 0.
static bool
wide_round(struct wide *wide, int digits, bool negative,
           enum mica_rounding rounding)
{
    wide_shift_right(wide, digits - 1);
    uint32_t digit = wide_divide_small(wide, 10);
    bool lost = digit > 0 || wide->rest;
    if (wide_goes_up(wide, digit, negative, rounding)) {
        if (wide->count == 0)
            wide->limbs[wide->count++] = 0;
        wide_multiply_small(wide, 1, 1);
    }
    wide->rest = false;
    return lost;
}

// ---- Values ----------------------------------------------------------------

static struct mica_decimal
decimal_faulty(enum mica_decimal_fault fault)
{
    return (struct mica_decimal){.fault = (uint8_t)fault};
}

static bool
is_zero(const struct mica_decimal *value)
{
    return value->limbs[0] == 0 && value->limbs[1] == 0 &&
           mica_decimal_sign(*value) == 0;
}

static void
wide_strip(struct wide *wide, int32_t *exponent)
{
    while (wide->count > 0 && wide->limbs[0] == 0) {
        wide_shift_right(wide, LIMB_DIGITS);
        *exponent += LIMB_DIGITS;
    }
    while (wide->count > 0 && wide->limbs[0] % 10 == 0) {
        (void)wide_divide_small(wide, 10);
        (*exponent)++;
    }
}

// The decimal of a coefficient: rounded, without zeros at its end, in range.
static struct mica_decimal
wide_to_decimal(struct wide *wide, int32_t exponent, bool negative,
                bool inexact)
{
    struct mica_decimal value = {.exponent = 0};
    wide_trim(wide);
    int excess = wide_digits(wide) - DIGITS;
    // A rest without digits to drop is one digit further down.
    if (excess <= 0 && wide->rest)
        inexact = true;
    if (excess > 0) {
        inexact |= wide_round(wide, excess, negative, MICA_HALF_EVEN);
        exponent += excess;
    }
    wide_strip(wide, &exponent);
    value.inexact = inexact;
    if (wide->count == 0)
        return value;
    int32_t first = exponent + wide_digits(wide) - 1;
    if (first > FARTHEST || first < -FARTHEST)
        return decimal_faulty(MICA_DECIMAL_OVERFLOW);
    memcpy(value.limbs, wide->limbs, wide->count * sizeof wide->limbs[0]);
    value.exponent = exponent;
    value.negative = negative;
    return value;
}

// The power of ten of the first digit.
static int32_t
first_of(const struct mica_decimal *value)
{
    struct wide wide;
    wide_load(&wide, value);
    return value->exponent + wide_digits(&wide) - 1;
}

struct mica_decimal
mica_decimal_of(int64_t units, int exponent)
{
    struct wide wide = {.count = 0};
    uint64_t size = units < 0 ? 0 - (uint64_t)units : (uint64_t)units;
    for (; size > 0; size /= BASE)
        wide.limbs[wide.count++] = (uint32_t)(size % BASE);
    if (exponent > FARTHEST || exponent < -2 * FARTHEST) {
        const struct mica_decimal zero = {.exponent = 0};
        return wide.count == 0 ? zero : decimal_faulty(MICA_DECIMAL_OVERFLOW);
    }
    return wide_to_decimal(&wide, exponent, units < 0, false);
}

int
mica_decimal_sign(struct mica_decimal value)
{
    for (size_t i = 0; i < LIMBS; i++)
        if (value.limbs[i] != 0)
            return value.negative ? -1 : 1;
    return value.fault != MICA_DECIMAL_FINE;
}

bool
mica_decimal_integer(struct mica_decimal value, int64_t *integer_out)
{
    struct wide wide;
    uint64_t size = 0, most = INT64_MAX;
    wide_load(&wide, &value);
    if (value.fault != MICA_DECIMAL_FINE || value.exponent < 0 ||
        value.exponent + wide_digits(&wide) > 19)
        return false;
    wide_shift_left(&wide, value.exponent);
    for (size_t i = wide.count; i-- > 0;)
        size = size * BASE + wide.limbs[i];
    if (size > most + value.negative)
        return false;
    *integer_out = value.negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

bool
mica_decimal_fits(struct mica_decimal value)
{
    struct wide wide;
    if (value.fault != MICA_DECIMAL_FINE || value.inexact)
        return false;
    wide_load(&wide, &value);
    int digits = wide_digits(&wide);
    int32_t first = value.exponent + digits - 1;
    return digits == 0 ||
           (digits <= MICA_DECIMAL_DIGITS && first <= MICA_DECIMAL_EXPONENT &&
            first >= -MICA_DECIMAL_EXPONENT);
}

// ---- Text ------------------------------------------------------------------

bool
mica_decimal_read(struct mica_text text, struct mica_decimal *value_out)
{
    struct mica_numeral numeral;
    struct wide wide = {.count = 0};
    if (!mica_numeral_read(text, &numeral) ||
        numeral.count > MICA_DECIMAL_DIGITS ||
        numeral.point > MICA_DECIMAL_EXPONENT + 1 ||
        numeral.point < -MICA_DECIMAL_EXPONENT + 1)
        return false;
    const char *at = numeral.digits;
    for (size_t i = 0; i < numeral.count; i++) {
        uint32_t digit = mica_numeral_digit(&at);
        if (wide.count == 0)
            wide.limbs[wide.count++] = digit;
        else
            wide_multiply_small(&wide, 10, digit);
    }
    *value_out =
        wide_to_decimal(&wide, (int32_t)numeral.point - (int32_t)numeral.count,
                        numeral.negative, false);
    return true;
}

static size_t
put_exponent(char *out, int32_t exponent)
{
    size_t len = 0;
    uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
    out[len++] = 'e';
    out[len++] = exponent < 0 ? '-' : '+';
    for (uint32_t power = 1000; power > 0; power /= 10)
        if (size >= power || power == 1)
            out[len++] = (char)('0' + size / power % 10);
    return len;
}

// The digits, most significant first; returns how many.
static int
put_digits(const struct mica_decimal *value, char *out)
{
    struct wide wide;
    wide_load(&wide, value);
    int digits = wide_digits(&wide);
    for (int i = digits; i-- > 0;)
        out[i] = (char)('0' + wide_divide_small(&wide, 10));
    return digits;
}

size_t
mica_decimal_write(struct mica_decimal value, char out[MICA_DECIMAL_SIZE])
{
    char digits[DIGITS] = "0";
    size_t len = 0;
    if (value.fault != MICA_DECIMAL_FINE) {
        memcpy(out, "invalid", sizeof "invalid");
        return sizeof "invalid" - 1;
    }
    int count = put_digits(&value, digits);
    int first = value.exponent + count - 1;
    if (value.negative)
        out[len++] = '-';
    if (count == 0) {
        out[len++] = '0';
    } else if (first < -6 || first >= MICA_DECIMAL_DIGITS) {
        out[len++] = digits[0];
        if (count > 1)
            out[len++] = '.';
        memcpy(out + len, digits + 1, (size_t)count - 1);
        len += (size_t)count - 1;
        len += put_exponent(out + len, first);
    } else {
        for (int i = first < 0 ? first : 0; i <= first || i < count; i++) {
            if (i == first + 1)
                out[len++] = '.';
            out[len++] = i >= 0 && i < count ? digits[i] : '0';
        }
    }
    out[len] = '\0';
    return len;
}

// ---- Sums and products -----------------------------------------------------

// The first of two faults, or the zero that stands for none.
static uint8_t
fault_of(const struct mica_decimal *a, const struct mica_decimal *b)
{
    return a->fault != MICA_DECIMAL_FINE ? a->fault : b->fault;
}

// <0, 0, >0.
static int
wide_compare(const struct wide *a, const struct wide *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

static void
wide_add(struct wide *sum, const struct wide *other)
{
    uint32_t carry = 0;
    size_t count = sum->count > other->count ? sum->count : other->count;
    for (size_t i = 0; i < count; i++) {
        uint32_t limb = sum->limbs[i] + other->limbs[i] + carry;
        carry = limb >= BASE;
        sum->limbs[i] = carry != 0 ? limb - BASE : limb;
    }
    sum->count = count;
    if (carry != 0 && count < WIDE)
        sum->limbs[sum->count++] = carry;
}

// larger - smaller.
static void
wide_subtract(struct wide *larger, const struct wide *smaller)
{
    uint32_t borrow = 0;
    for (size_t i = 0; i < larger->count; i++) {
        uint32_t taken = smaller->limbs[i] + borrow;
        borrow = larger->limbs[i] < taken;
        larger->limbs[i] += (borrow != 0 ? (uint32_t)BASE : 0) - taken;
    }
    wide_trim(larger);
}

// A value far below another decides only how the sum is rounded: any value there
// of the same sign does.
static struct mica_decimal
summand_hint(const struct mica_decimal *value, const struct mica_decimal *large)
{
    int32_t least = first_of(large) - REACH;
    if (first_of(value) >= least)
        return *value;
    struct mica_decimal hint = {
        .limbs = {1}, .exponent = least, .negative = value->negative};
    hint.inexact = value->inexact;
    return hint;
}

struct mica_decimal
mica_decimal_add(struct mica_decimal a, struct mica_decimal b)
{
    struct wide one, two;
    if (fault_of(&a, &b) != MICA_DECIMAL_FINE)
        return decimal_faulty(fault_of(&a, &b));
    bool inexact = a.inexact || b.inexact;
    if (is_zero(&a) || is_zero(&b)) {
        struct mica_decimal sum = is_zero(&a) ? b : a;
        sum.inexact = inexact;
        return sum;
    }
    a = summand_hint(&a, &b);
    b = summand_hint(&b, &a);
    wide_load(&one, &a);
    wide_load(&two, &b);
    int32_t exponent = a.exponent < b.exponent ? a.exponent : b.exponent;
    wide_shift_left(&one, a.exponent - exponent);
    wide_shift_left(&two, b.exponent - exponent);
    if (a.negative == b.negative) {
        wide_add(&one, &two);
        return wide_to_decimal(&one, exponent, a.negative, inexact);
    }
    if (wide_compare(&one, &two) >= 0) {
        wide_subtract(&one, &two);
        return wide_to_decimal(&one, exponent, a.negative, inexact);
    }
    wide_subtract(&two, &one);
    return wide_to_decimal(&two, exponent, b.negative, inexact);
}

struct mica_decimal
mica_decimal_subtract(struct mica_decimal a, struct mica_decimal b)
{
    if (!is_zero(&b))
        b.negative = !b.negative;
    return mica_decimal_add(a, b);
}

int
mica_decimal_compare(struct mica_decimal a, struct mica_decimal b)
{
    if (fault_of(&a, &b) != MICA_DECIMAL_FINE)
        return (a.fault != MICA_DECIMAL_FINE) - (b.fault != MICA_DECIMAL_FINE);
    int sign = mica_decimal_sign(a), other = mica_decimal_sign(b);
    if (sign != other || sign == 0)
        return (sign > other) - (sign < other);
    int32_t first = first_of(&a), second = first_of(&b);
    if (first != second)
        return (first < second) == (sign > 0) ? -1 : 1;
    // Brought near 1, so that the difference is in range.
    a.exponent -= first;
    b.exponent -= first;
    return mica_decimal_sign(mica_decimal_subtract(a, b));
}

struct mica_decimal
mica_decimal_multiply(struct mica_decimal a, struct mica_decimal b)
{
    struct wide product = {.count = 2 * (size_t)LIMBS};
    if (fault_of(&a, &b) != MICA_DECIMAL_FINE)
        return decimal_faulty(fault_of(&a, &b));
    for (size_t i = 0; i < LIMBS; i++) {
        uint64_t carry = 0;
        if (a.limbs[i] == 0)
            continue;
        for (size_t k = 0; k < LIMBS; k++) {
            carry += (uint64_t)a.limbs[i] * b.limbs[k] + product.limbs[i + k];
            product.limbs[i + k] = (uint32_t)(carry % BASE);
            carry /= BASE;
        }
        product.limbs[i + LIMBS] = (uint32_t)carry;
    }
    return wide_to_decimal(&product, a.exponent + b.exponent,
                           a.negative != b.negative, a.inexact || b.inexact);
}

struct mica_decimal
mica_decimal_power(struct mica_decimal base, unsigned power)
{
    struct mica_decimal result = mica_decimal_of(1, 0);
    for (; power > 0; power >>= 1) {
        if ((power & 1) != 0)
            result = mica_decimal_multiply(result, base);
        if (power > 1)
            base = mica_decimal_multiply(base, base);
    }
    return result;
}

// ---- Quotients -------------------------------------------------------------

// One limb of the quotient: how often `divisor` goes into the limbs of `rest`
// from `at` on, which lose it (Knuth, The Art of Computer Programming 4.3.1 D).
static uint32_t
divide_step(struct wide *rest, const struct wide *divisor, size_t at)
{
    size_t n = divisor->count;
    uint32_t *limbs = rest->limbs + at;
    uint64_t top = (uint64_t)limbs[n] * BASE + limbs[n - 1];
    uint64_t guess = top / divisor->limbs[n - 1];
    uint64_t left = top % divisor->limbs[n - 1];
    while (guess >= BASE || (n > 1 && guess * divisor->limbs[n - 2] >
                                          left * BASE + limbs[n - 2])) {
        guess--;
        left += divisor->limbs[n - 1];
        if (left >= BASE)
            break;
    }
    int64_t borrow = 0;
    for (size_t i = 0; i <= n; i++) {
        uint64_t part = i < n ? guess * divisor->limbs[i] : 0;
        int64_t limb = (int64_t)limbs[i] - (int64_t)(part % BASE) + borrow;
        borrow = -(int64_t)(part / BASE);
        if (limb < 0) {
            int64_t lent = (-limb + BASE - 1) / BASE;
            limb += lent * BASE;
            borrow -= lent;
        }
        limbs[i] = (uint32_t)limb;
    }
    if (borrow == 0)
        return (uint32_t)guess;
    uint32_t carry = 0; // one too many: the divisor goes back
    for (size_t i = 0; i <= n; i++) {
        uint32_t limb = limbs[i] + (i < n ? divisor->limbs[i] : 0) + carry;
        carry = limb >= BASE;
        limbs[i] = carry != 0 ? limb - BASE : limb;
    }
    return (uint32_t)guess - 1;
}

struct mica_decimal
mica_decimal_divide(struct mica_decimal a, struct mica_decimal b)
{
    struct wide rest, divisor, quotient = {.count = 0};
    if (fault_of(&a, &b) != MICA_DECIMAL_FINE)
        return decimal_faulty(fault_of(&a, &b));
    if (is_zero(&b))
        return decimal_faulty(MICA_DECIMAL_UNDEFINED);
    wide_load(&rest, &a);
    wide_load(&divisor, &b);
    bool inexact = a.inexact || b.inexact;
    if (rest.count == 0)
        return wide_to_decimal(&rest, 0, false, inexact);
    // One digit more than is kept, so that the rest decides the rounding.
    int shift = DIGITS + 1 + wide_digits(&divisor) - wide_digits(&rest);
    wide_shift_left(&rest, shift);
    // The divisor's first limb is made large, so that a guess is nearly right.
    uint32_t factor = BASE / (divisor.limbs[divisor.count - 1] + 1);
    wide_multiply_small(&rest, factor, 0);
    wide_multiply_small(&divisor, factor, 0);
    quotient.count = rest.count - divisor.count + 1;
    for (size_t at = quotient.count; at-- > 0;)
        quotient.limbs[at] = divide_step(&rest, &divisor, at);
    wide_trim(&rest);
    quotient.rest = rest.count > 0;
    return wide_to_decimal(&quotient, a.exponent - b.exponent - shift,
                           a.negative != b.negative, inexact);
}

// ---- Rounding --------------------------------------------------------------

struct mica_decimal
mica_decimal_round(struct mica_decimal value, int places,
                   enum mica_rounding rounding)
{
    struct wide wide;
    int drop = -places - value.exponent;
    value.inexact = false;
    if (value.fault != MICA_DECIMAL_FINE || drop <= 0 || is_zero(&value))
        return value;
    wide_load(&wide, &value);
    (void)wide_round(&wide, drop, value.negative, rounding);
    return wide_to_decimal(&wide, -places, value.negative, false);
}

struct mica_decimal
mica_decimal_precision(struct mica_decimal value, unsigned digits,
                       enum mica_rounding rounding)
{
    return mica_decimal_round(value, (int)digits - 1 - first_of(&value),
                              rounding);
}

struct mica_decimal
mica_decimal_settle(struct mica_decimal value, int places,
                    enum mica_rounding rounding)
{
    return mica_decimal_round(
        mica_decimal_precision(value, SETTLED, MICA_HALF_EVEN), places,
        rounding);
}
