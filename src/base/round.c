// SPDX-License-Identifier: Apache-2.0
//
// Rounding to decimal places as it is done on paper: scale, round, scale back.
// mica_number_fixed, in contrast, rounds the exact value of the double.
#include <math.h>

#include <mica/base.h>

#include "base/assert.h"

enum {
    DIGITS = 22 // the last power of ten that is a double exactly
};

static double
power_of_ten(unsigned digits)
{
    double power = 1;
    MICA_ASSERT(digits <= DIGITS);
    for (unsigned i = 0; i < digits; i++)
        power *= 10;
    return power;
}

double
mica_round(double value, unsigned digits)
{
    double scale = power_of_ten(digits), scaled = value * scale;
    return isfinite(scaled) ? round(scaled) / scale : value;
}

bool
mica_decimal_units(double value, unsigned digits, double *units_out)
{
    double scaled = value * power_of_ten(digits), units = round(scaled);
    *units_out = units;
    return fabs(units - scaled) <= 1e-6 + 1e-15 * fabs(units);
}
