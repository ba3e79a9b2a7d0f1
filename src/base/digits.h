// SPDX-License-Identifier: Apache-2.0
//
// Decimal digits of a whole number, two at a time. The formatter, the number
// writer and the JSON writer share it.
#ifndef MICA_BASE_DIGITS_H
#define MICA_BASE_DIGITS_H

#include <mica/base.h>

enum {
    MICA_DIGITS_SIZE = 20
}; // digits of the largest uint64_t

// Writes the digits without a NUL and returns how many (1 to 20).
size_t mica_digits_write(uint64_t value, char *out);

// Reads a number in the one form that this writes: false of a sign, a leading zero, a
// point, an exponent, and of what is larger than INT64_MAX. For ids that mica gave out.
bool mica_digits_read(struct mica_text text, int64_t *value_out);

#endif
