// SPDX-License-Identifier: Apache-2.0
//
// Powers of ten to 128 bits, which the number reader and the number writer
// share.
#ifndef MICA_BASE_POWER10_H
#define MICA_BASE_POWER10_H

#include <stdbool.h>

#include "base/wide.h"

enum {
    MICA_POWER10_MIN = -351,
    MICA_POWER10_MAX = 350
};

// The first 128 bits of 10^exponent, the top one set and the rest cut off:
// power <= 10^exponent / 2^(mica_power10_log2(exponent) - 127) < power + 1.
struct mica_wide mica_power10(int exponent);

// Whether nothing was cut off.
static inline bool
mica_power10_exact(int exponent)
{
    return exponent >= 0 && exponent <= 55;
}

// Rounded down, for exponents from -1233 to 1233. A shift of a negative number
// keeps its sign in all compilers that mica knows.
static inline int
mica_power10_log2(int exponent)
{
    return (exponent * 1741647) >> 19;
}

#endif
