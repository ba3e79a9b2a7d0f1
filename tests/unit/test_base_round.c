// SPDX-License-Identifier: Apache-2.0
//
// Rounding to decimal places.
#include <float.h>
#include <math.h>

#include "unit.h"

static void
is_exactly(double actual, double expected)
{
    ck_assert_msg(actual == expected, "%.17g instead of %.17g", actual,
                  expected);
}

START_TEST(halves_go_away_from_zero)
{
    is_exactly(mica_round(2.5, 0), 3);
    is_exactly(mica_round(-2.5, 0), -3);
    is_exactly(mica_round(0.125, 2), 0.13);
    is_exactly(mica_round(-0.125, 2), -0.13);
    is_exactly(mica_round(0.124, 2), 0.12);
    is_exactly(mica_round(1234.56, 1), 1234.6);
    is_exactly(mica_round(0.1, 22), 0.1);
    is_exactly(mica_round(7, 22), 7);
}
END_TEST

START_TEST(what_cannot_be_scaled_stays)
{
    is_exactly(mica_round(DBL_MAX, 1), DBL_MAX);
    is_exactly(mica_round(-DBL_MAX, 22), -DBL_MAX);
    is_exactly(mica_round((double)INFINITY, 2), (double)INFINITY);
    ck_assert(isnan(mica_round((double)NAN, 2)));
}
END_TEST

UNIT_MAIN("base_round", halves_go_away_from_zero, what_cannot_be_scaled_stays)
