// SPDX-License-Identifier: Apache-2.0
//
// Exact decimal numbers, for money. A double cannot hold 0.1; a decimal holds
// every number that people write, adds and multiplies without loss, and rounds
// where the author says so.
//
// Two sizes. On the wire (MICA_DECIMAL, mica_decimal_read) a number has at most
// 34 significant digits, as decimal128 of IEEE 754-2019 clause 3.5 has, and the
// power of ten of its first digit is -99 to 99, which any double can follow. In
// between, arithmetic has 72 digits, so that the product of two numbers from the
// wire is exact and a quotient has 38 digits to spare.
//
// Nothing is lost silently. A result that needs more than 72 digits is rounded to
// 72 (half-even) and is `inexact` until the author rounds it; one that does not
// exist has a `fault`, which every operation passes on. A field
// refuses a fault, an `inexact` value, and any value with more than 34 digits.
//
//   struct mica_decimal tax = mica_decimal_round(
//       mica_decimal_multiply(in->net, in->rate), 2, MICA_HALF_UP);
#ifndef MICA_DECIMAL_H
#define MICA_DECIMAL_H

#include <mica/base.h>

#pragma GCC visibility push(default)

#define MICA_DECIMAL_DIGITS   34 // on the wire
#define MICA_DECIMAL_EXPONENT 99 // on the wire: of the first digit, either way
#define MICA_DECIMAL_LIMBS    8  // of nine digits: 72 in arithmetic

// Why a decimal is no number. The first fault of a calculation stays.
enum mica_decimal_fault {
    MICA_DECIMAL_FINE,
    MICA_DECIMAL_OVERFLOW, // its first digit is beyond 10^999 or below 10^-999
    MICA_DECIMAL_UNDEFINED // a division by zero, the logarithm of zero or less
};

// limbs × 10^exponent. The last digit of `limbs` is not 0, and zero is all
// zeros: so a value has one form, and a zeroed struct is 0.
struct mica_decimal {
    uint32_t limbs[MICA_DECIMAL_LIMBS]; // nine digits each, least first
    int32_t exponent;
    bool negative;
    bool inexact;  // rounded to 72 digits on the way
    uint8_t fault; // enum mica_decimal_fault
};

// What rounding does with the digits it drops (IEEE 754-2019 clause 4.3, and
// the two others of General Decimal Arithmetic that money uses).
enum mica_rounding {
    MICA_HALF_UP,   // to the nearest; halves away from zero
    MICA_HALF_EVEN, // to the nearest; halves to the even neighbor
    MICA_HALF_DOWN, // to the nearest; halves toward zero
    MICA_DOWN,      // toward zero
    MICA_UP,        // away from zero
    MICA_FLOOR,     // toward minus infinity
    MICA_CEILING    // toward plus infinity
};

// ---- From and to -----------------------------------------------------------

// units × 10^exponent: mica_decimal_of(1999, -2) is 19.99.
struct mica_decimal mica_decimal_of(int64_t units, int exponent);

// Reads a whole JSON number (RFC 8259 section 6). False when `text` is anything
// else, has more than 34 significant digits, or is out of the wire's range. An
// absurd exponent costs nothing; zeros in front and behind are not significant.
bool mica_decimal_read(struct mica_text text, struct mica_decimal *value_out);

// The value's one text, NUL-terminated; returns the length. No zero behind the
// last digit of a fraction, no "-0"; from 10^34 on and below 10^-6 an exponent
// ("1.5e+34", "1e-7"). Where a double is written without one, it is the text
// that MICA_NUMBER gives. A fault gives "invalid".
#define MICA_DECIMAL_SIZE 96
size_t mica_decimal_write(struct mica_decimal value,
                          char out[MICA_DECIMAL_SIZE]);

// True, and the value, when it is whole and an int64_t holds it.
bool mica_decimal_integer(struct mica_decimal value, int64_t *integer_out);

// Whether a field may carry it: no fault, not `inexact`, at most 34
// digits, in range.
bool mica_decimal_fits(struct mica_decimal value);

// ---- Order -----------------------------------------------------------------

// <0, 0, >0: the order of values. A fault comes after every number.
int mica_decimal_compare(struct mica_decimal a, struct mica_decimal b);

// -1, 0 or 1; of a fault 1.
int mica_decimal_sign(struct mica_decimal value);

// ---- Arithmetic ------------------------------------------------------------

// Exact where 72 digits hold the result, else rounded to 72 and `inexact`.
struct mica_decimal mica_decimal_add(struct mica_decimal a,
                                     struct mica_decimal b);
struct mica_decimal mica_decimal_subtract(struct mica_decimal a,
                                          struct mica_decimal b);
struct mica_decimal mica_decimal_multiply(struct mica_decimal a,
                                          struct mica_decimal b);
struct mica_decimal mica_decimal_divide(struct mica_decimal a,
                                        struct mica_decimal b);

// By repeated multiplication: exact while 72 digits hold it; else the relative
// error is below `power` units in the 72nd digit.
struct mica_decimal mica_decimal_power(struct mica_decimal base,
                                       unsigned power);

// e^value and the natural logarithm, `inexact`, right to at least 66 digits for
// |value| < 1000 (mica_decimal_exp) and for values from 10^-99 to 10^99 that are
// 1 or differ from it by more than 10^-40 (mica_decimal_ln).
struct mica_decimal mica_decimal_exp(struct mica_decimal value);
struct mica_decimal mica_decimal_ln(struct mica_decimal value);

// ---- Rounding --------------------------------------------------------------

// To `places` digits behind the point (below 0: before it). The author has chosen
// the rounding, so the result is not `inexact`.
struct mica_decimal mica_decimal_round(struct mica_decimal value, int places,
                                       enum mica_rounding rounding);

// To `digits` significant digits (1 or more): 34 for a rate without an end.
struct mica_decimal mica_decimal_precision(struct mica_decimal value,
                                           unsigned digits,
                                           enum mica_rounding rounding);

// As mica_decimal_round, for a value from divisions, powers and logarithms whose
// last digits are off: first to 50 significant digits, so that what is half a
// cent is rounded as half a cent.
struct mica_decimal mica_decimal_settle(struct mica_decimal value, int places,
                                        enum mica_rounding rounding);

#pragma GCC visibility pop

#endif
