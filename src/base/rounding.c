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

double
mica_power_of_ten(int exponent)
{
    char room[16];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    double power = 1;
    if (exponent < 0 || exponent > DIGITS) {
        mica_buffer_format(&text, "1e%d", exponent);
        (void)mica_number_read(mica_buffer_as_text(&text), &power);
        return power;
    }
    for (int i = 0; i < exponent; i++)
        power *= 10;
    return power;
}

static double
scale_of(unsigned digits)
{
    MICA_ASSERT(digits <= DIGITS);
    return mica_power_of_ten((int)digits);
}

double
mica_round(double value, unsigned digits)
{
    double scale = scale_of(digits), scaled = value * scale;
    return isfinite(scaled) ? round(scaled) / scale : value;
}
