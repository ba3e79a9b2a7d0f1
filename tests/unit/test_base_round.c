// SPDX-License-Identifier: Apache-2.0
//
// Rounding to decimal places, and values counted in their smallest units.
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

START_TEST(an_amount_is_counted_in_its_smallest_unit)
{
    static const struct {
        double value;
        unsigned digits;
        double units;
        bool fits;
    } cases[] = {
        {12.34, 2, 1234, true},
        {0.07, 2, 7, true},
        {-84.5, 2, -8450, true},
        {100, 0, 100, true},
        {100.5, 0, 101, false},
        {0.005, 2, 1, false},
        {0.001, 2, 0, false},
        {1.005, 3, 1005, true},
        {999999999.99, 2, 99999999999, true},
        {1e10 - 0.01, 2, 999999999999, true},
        {12.3400001, 2, 1234, false},
        {0, 4, 0, true},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        double units = -1;
        bool fits = mica_decimal_units(cases[i].value, cases[i].digits, &units);
        ck_assert_msg(fits == cases[i].fits, "case %zu", i);
        is_exactly(units, cases[i].units);
    }
    // Every cent up to a million.
    for (int cents = 0; cents <= 100000000; cents += 7) {
        double units = -1;
        UNIT_MUST(mica_decimal_units(cents / 100.0, 2, &units) &&
                      units == cents,
                  "%d", cents);
    }
}
END_TEST

START_TEST(what_is_no_amount_is_said)
{
    double units;
    ck_assert(!mica_decimal_units((double)NAN, 2, &units));
    ck_assert(!mica_decimal_units((double)INFINITY, 2, &units));
}
END_TEST

UNIT_MAIN("base_round", halves_go_away_from_zero, what_cannot_be_scaled_stays,
          an_amount_is_counted_in_its_smallest_unit, what_is_no_amount_is_said)
