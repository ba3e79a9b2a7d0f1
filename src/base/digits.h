// SPDX-License-Identifier: Apache-2.0
//
// Decimal digits of a whole number, two at a time. The formatter, the number
// writer and the JSON writer share it.
#ifndef MICA_BASE_DIGITS_H
#define MICA_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

enum {
    MICA_DIGITS_SIZE = 20
}; // digits of the largest uint64_t

// Writes the digits without a NUL and returns how many (1 to 20).
size_t mica_digits_write(uint64_t value, char *out);

#endif
