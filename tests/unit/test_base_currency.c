// SPDX-License-Identifier: Apache-2.0
//
// The currencies of ISO 4217. What is expected is from its list one.
#include "unit.h"

static const struct {
    const char *code;
    unsigned digits;
} known[] = {
    {"EUR", 2}, {"USD", 2}, {"AED", 2}, {"ZWG", 2}, {"JPY", 0}, {"KRW", 0},
    {"ISK", 0}, {"XPF", 0}, {"KWD", 3}, {"TND", 3}, {"CLF", 4}, {"UYW", 4},
};

START_TEST(a_currency_has_its_smallest_unit)
{
    for (size_t i = 0; i < MICA_COUNT(known); i++)
        ck_assert_uint_eq(mica_currency_digits(mica_text(known[i].code)),
                          known[i].digits);
}
END_TEST

START_TEST(a_code_that_is_none_has_two_digits)
{
    // The last is at the joint of two entries of the table.
    static const char *const none[] = {"",    "JP",  "JPYX", "jpy",
                                       "XTS", "XAU", "DEM",  "0KE"};
    for (size_t i = 0; i < MICA_COUNT(none); i++)
        ck_assert_uint_eq(mica_currency_digits(mica_text(none[i])), 2);
    ck_assert_uint_eq(mica_currency_digits((struct mica_text){NULL, 0}), 2);
}
END_TEST

START_TEST(the_nearest_code_of_a_known_one_is_itself)
{
    for (size_t i = 0; i < MICA_COUNT(known); i++)
        UNIT_TEXT_EQ(mica_currency_nearest(mica_text(known[i].code)),
                     known[i].code);
}
END_TEST

START_TEST(a_slip_leads_to_the_code_that_was_meant)
{
    UNIT_TEXT_EQ(mica_currency_nearest(MICA_LITERAL("eur")), "EUR");
    UNIT_TEXT_EQ(mica_currency_nearest(MICA_LITERAL("USDD")), "USD");
    UNIT_TEXT_EQ(mica_currency_nearest(MICA_LITERAL("JPX")), "JPY");
    UNIT_TEXT_EQ(mica_currency_nearest(MICA_LITERAL("GB")), "GBP");
    UNIT_TEXT_EQ(mica_currency_nearest(MICA_LITERAL("a long word")), "");
}
END_TEST

UNIT_MAIN("base_currency", a_currency_has_its_smallest_unit,
          a_code_that_is_none_has_two_digits,
          the_nearest_code_of_a_known_one_is_itself,
          a_slip_leads_to_the_code_that_was_meant)
