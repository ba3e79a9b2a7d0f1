// SPDX-License-Identifier: Apache-2.0
//
// A JSON number taken apart, its digits still where they were written. All that
// reads numbers starts here, so the grammar is in one place.
#ifndef MICA_BASE_NUMERAL_H
#define MICA_BASE_NUMERAL_H

#include <mica/base.h>

// The value is 0.d1d2d3… × 10^point, with d1 the first of the digits that is
// not 0.
struct mica_numeral {
    bool negative;
    const char *digits; // d1; a decimal point may lie between the digits
    size_t count;       // digits up to the last that is not 0; 0 for zero
    int64_t point;      // kept within ±MICA_NUMERAL_FAR for absurd exponents
};

#define MICA_NUMERAL_FAR INT64_C(1000000000000000000)

// False when `text` is not exactly one number of RFC 8259.
bool mica_numeral_read(struct mica_text text, struct mica_numeral *numeral_out);

// Same value.
bool mica_numeral_equal(const struct mica_numeral *a,
                        const struct mica_numeral *b);

// The digit at `*at`, which moves behind it; steps over the decimal point.
static inline unsigned
mica_numeral_digit(const char **at)
{
    if (**at == '.')
        (*at)++;
    return (unsigned)(*(*at)++ - '0');
}

#endif
