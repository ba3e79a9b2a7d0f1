// SPDX-License-Identifier: Apache-2.0
//
// Decimals: their one form, their limits, exact arithmetic, rounding, and the field
// that carries them. tests/engines/oracle compares the arithmetic with another
// program's.
#include <string.h>

#include <mica/engine.h>

#include "schema/record.h"
#include "unit.h"
#include "json/exact.h"

static struct mica_decimal
decimal(const char *textz)
{
    struct mica_decimal value;
    ck_assert_msg(mica_decimal_read(mica_text(textz), &value), "%s", textz);
    return value;
}

static void
is_text(struct mica_decimal value, const char *expectedz)
{
    char text[MICA_DECIMAL_SIZE];
    size_t len = mica_decimal_write(value, text);
    ck_assert_str_eq(text, expectedz);
    ck_assert_uint_eq(len, strlen(text));
}

START_TEST(a_value_has_one_form)
{
    static const char *const forms[][2] = {
        {"1.10", "1.1"},
        {"-0", "0"},
        {"-0.00e7", "0"},
        {"0e999999999999999999999", "0"},
        {"100", "100"},
        {"1e2", "100"},
        {"12.5e-1", "1.25"},
        {"0.000001", "0.000001"},
        {"0.0000001", "1e-7"},
        {"-0.00000012", "-1.2e-7"},
        {"1000000000000000000000.5", "1000000000000000000000.5"},
        {"1234567890123456789012345678901234",
         "1234567890123456789012345678901234"},
        {"1e34", "1e+34"},
        {"0.1234567890123456789012345678901234000",
         "0.1234567890123456789012345678901234"},
        {"9.99e99", "9.99e+99"},
        {"1e-99", "1e-99"}};
    for (size_t i = 0; i < MICA_COUNT(forms); i++)
        is_text(decimal(forms[i][0]), forms[i][1]);
}
END_TEST

START_TEST(what_is_too_long_or_too_far_is_refused)
{
    static const char *const texts[] = {
        "",
        "-",
        "01",
        "1.",
        ".5",
        "1e",
        " 1",
        "NaN",
        "1e100",
        "1e-100",
        "1e999999999",
        "1e-999999999",
        "12345678901234567890123456789012345",
        "1.0000000000000000000000000000000001000000000000000001"};
    struct mica_decimal value;
    char zeros[10001];
    memset(zeros, '0', sizeof zeros);
    zeros[1] = '.';
    for (size_t i = 0; i < MICA_COUNT(texts); i++)
        ck_assert_msg(!mica_decimal_read(mica_text(texts[i]), &value), "%s",
                      texts[i]);
    zeros[10000] = '1';
    ck_assert(
        !mica_decimal_read((struct mica_text){zeros, sizeof zeros}, &value));
    zeros[10000] = '0';
    ck_assert(
        mica_decimal_read((struct mica_text){zeros, sizeof zeros}, &value));
    is_text(value, "0");
}
END_TEST

START_TEST(arithmetic_is_exact)
{
    const char *nines = "9999999999999999999999999999999999";
    is_text(mica_decimal_add(decimal("0.1"), decimal("0.2")), "0.3");
    is_text(mica_decimal_subtract(decimal("1"), decimal("1.00")), "0");
    is_text(mica_decimal_multiply(decimal("-4883606806.73"), decimal("1")),
            "-4883606806.73");
    struct mica_decimal square =
        mica_decimal_multiply(decimal(nines), decimal(nines));
    ck_assert(!square.inexact);
    ck_assert(!mica_decimal_fits(square));
    is_text(mica_decimal_divide(square, decimal(nines)), nines);
    is_text(mica_decimal_divide(decimal("1"), decimal("8")), "0.125");
    ck_assert(!mica_decimal_divide(decimal("1"), decimal("8")).inexact);
    ck_assert(mica_decimal_divide(decimal("1"), decimal("3")).inexact);
    struct mica_decimal unrounded = decimal("1");
    unrounded.inexact = true; // its digits fit, but no one has rounded it
    ck_assert(!mica_decimal_fits(unrounded));
    is_text(mica_decimal_power(decimal("1.01"), 3), "1.030301");
    ck_assert_int_lt(mica_decimal_compare(decimal("-1e99"), decimal("1e-99")),
                     0);
    ck_assert_int_eq(mica_decimal_compare(decimal("2.50"), decimal("25e-1")),
                     0);
}
END_TEST

START_TEST(order_holds_over_the_whole_range)
{
    const struct mica_decimal ordered[] = {
        mica_decimal_of(-9, 999),        mica_decimal_of(-11, 998),
        mica_decimal_of(-1, 999),        mica_decimal_of(-1, 0),
        mica_decimal_of(-11, -1000),     mica_decimal_of(-1, -999),
        mica_decimal_of(0, 0),           mica_decimal_of(1, -999),
        mica_decimal_of(11, -1000),      mica_decimal_of(1, 0),
        mica_decimal_of(1, 999),         mica_decimal_of(9, 999),
        {.fault = MICA_DECIMAL_OVERFLOW}};
    for (int i = 0; i < (int)MICA_COUNT(ordered); i++)
        for (int k = 0; k < (int)MICA_COUNT(ordered); k++)
            ck_assert_msg(mica_decimal_compare(ordered[i], ordered[k]) ==
                              (i > k) - (i < k),
                          "%d, %d", i, k);
}
END_TEST

START_TEST(the_exponential_of_next_to_nothing_is_one)
{
    static const int exponents[] = {-999, -500, -100, -81, -80, -79, -73};
    for (size_t i = 0; i < MICA_COUNT(exponents); i++)
        for (int64_t units = -9; units <= 9; units += 3) {
            struct mica_decimal power =
                mica_decimal_exp(mica_decimal_of(units, exponents[i]));
            is_text(mica_decimal_round(power, 60, MICA_HALF_EVEN), "1");
            ck_assert(power.inexact == (units != 0));
        }
}
END_TEST

START_TEST(what_does_not_exist_stays_a_fault)
{
    struct mica_decimal none = mica_decimal_divide(decimal("1"), decimal("0"));
    struct mica_decimal large = mica_decimal_power(decimal("1e99"), 11);
    ck_assert_uint_eq(none.fault, MICA_DECIMAL_UNDEFINED);
    ck_assert_uint_eq(large.fault, MICA_DECIMAL_OVERFLOW);
    none = mica_decimal_round(mica_decimal_add(decimal("1"), none), 2,
                              MICA_HALF_UP);
    ck_assert_uint_eq(none.fault, MICA_DECIMAL_UNDEFINED);
    is_text(none, "invalid");
    ck_assert(!mica_decimal_fits(none));
    ck_assert_uint_eq(mica_decimal_ln(decimal("-1")).fault,
                      MICA_DECIMAL_UNDEFINED);
}
END_TEST

START_TEST(rounding_does_what_its_name_says)
{
    static const struct {
        const char *value;
        const char *rounded[7]; // by enum mica_rounding
    } cases[] = {
        {"2.5", {"3", "2", "2", "2", "3", "2", "3"}},
        {"-2.5", {"-3", "-2", "-2", "-2", "-3", "-3", "-2"}},
        {"3.5", {"4", "4", "3", "3", "4", "3", "4"}},
        {"2.51", {"3", "3", "3", "2", "3", "2", "3"}},
        {"-2.4", {"-2", "-2", "-2", "-2", "-3", "-3", "-2"}},
        {"0.001", {"0", "0", "0", "0", "1", "0", "1"}},
        {"-0.5", {"-1", "0", "0", "0", "-1", "-1", "0"}},
        {"999.5", {"1000", "1000", "999", "999", "1000", "999", "1000"}}};
    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        for (size_t k = 0; k < MICA_COUNT(cases[i].rounded); k++)
            is_text(mica_decimal_round(decimal(cases[i].value), 0,
                                       (enum mica_rounding)k),
                    cases[i].rounded[k]);
    is_text(mica_decimal_round(decimal("1234.5678"), -2, MICA_HALF_UP), "1200");
    is_text(mica_decimal_precision(decimal("0.00123456"), 3, MICA_HALF_UP),
            "0.00123");
    // 1.21^(1/2) is 1.1, though a logarithm lies between.
    struct mica_decimal root = mica_decimal_exp(
        mica_decimal_divide(mica_decimal_ln(decimal("1.21")), decimal("2")));
    ck_assert(root.inexact);
    is_text(mica_decimal_settle(root, 20, MICA_DOWN), "1.1");
}
END_TEST

// ---- The field -------------------------------------------------------------

struct sum {
    struct mica_decimal price;
};
MICA_RECORD(sum, MICA_DECIMAL(price, "What it costs.", .minimum = 0.1,
                              .exclusive_maximum = 1e6));

struct far {
    struct mica_decimal price;
};
MICA_RECORD(far, MICA_DECIMAL(price, "What it costs.", .maximum = 1e300));

static enum mica_status
decode(const char *jsonz, struct sum *sum_out)
{
    struct mica_json value;
    struct mica_arena arena;
    struct mica_error error = {.status = MICA_OK};
    mica_arena_init(&arena, 1 << 16);
    ck_assert_int_eq(
        mica_json_read(&arena, mica_text(jsonz), NULL, &error, &value),
        MICA_OK);
    enum mica_status status =
        mica_record_decode(&mica_record_sum, &value, &arena, &error, sum_out);
    mica_arena_fini(&arena);
    return status;
}

START_TEST(a_field_keeps_every_digit_and_exact_bounds)
{
    struct sum sum;
    ck_assert_int_eq(
        decode("{\"price\":99999.12345678901234567890123456789}", &sum),
        MICA_OK);
    is_text(sum.price, "99999.12345678901234567890123456789");
    // The double 0.1 is a little more than a tenth; the bound is a tenth.
    ck_assert_int_eq(decode("{\"price\":0.1}", &sum), MICA_OK);
    ck_assert_int_eq(decode("{\"price\":0.0999999999999999999999999999}", &sum),
                     MICA_E_RANGE);
    ck_assert_int_eq(decode("{\"price\":1000000}", &sum), MICA_E_RANGE);
    ck_assert_int_eq(decode("{\"price\":999999.9999999999999999999}", &sum),
                     MICA_OK);
    ck_assert_int_eq(decode("{\"price\":1e999999999}", &sum), MICA_E_RANGE);
    ck_assert_int_eq(decode("{\"price\":\"1\"}", &sum), MICA_E_TYPE);
}
END_TEST

START_TEST(a_field_refuses_what_was_not_rounded)
{
    struct sum sum = {mica_decimal_divide(decimal("1"), decimal("3"))};
    struct mica_arena arena;
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    struct mica_error error = {.status = MICA_OK};
    mica_arena_init(&arena, 1 << 16);
    mica_buffer_init(&buffer, &arena, 1000);
    mica_json_writer_init(&writer, &buffer);
    ck_assert_int_eq(
        mica_record_encode(&mica_record_sum, &sum, &arena, &error, &writer),
        MICA_E_RANGE);
    ck_assert_ptr_nonnull(strstr(error.message, "mica_decimal_round"));
    ck_assert_int_eq(mica_record_check(&mica_record_sum, &arena, &error),
                     MICA_OK);
    ck_assert_int_eq(mica_record_check(&mica_record_far, &arena, &error),
                     MICA_E_USAGE);
    mica_arena_fini(&arena);
}
END_TEST

// ---- What tells calls apart --------------------------------------------------

START_TEST(numbers_that_share_a_double_are_told_apart)
{
    static const char *const forms[][2] = {
        {"[1.10,1e2,-0]", "[1.1,100,0]"},
        {"[9007199254740993]", "[9007199254740993e0]"},
        {"[9007199254740993.0]", "[9007199254740993e0]"},
        {"[-12345678901234567890.12]", "[-1234567890123456789012e-2]"},
        {"[1e400,{\"b\":10e399}]", "[1e400,{\"b\":1e400}]"}};
    for (size_t i = 0; i < MICA_COUNT(forms); i++) {
        struct mica_arena arena;
        struct mica_buffer buffer;
        struct mica_json value;
        mica_arena_init(&arena, 1 << 16);
        mica_buffer_init(&buffer, &arena, 1000);
        ck_assert_int_eq(
            mica_json_read(&arena, mica_text(forms[i][0]), NULL, NULL, &value),
            MICA_OK);
        ck_assert_int_eq(mica_json_exact(&arena, &buffer, &value), MICA_OK);
        ck_assert_msg(mica_text_is(mica_buffer_as_text(&buffer), forms[i][1]),
                      "%.*s instead of %s", (int)buffer.len, buffer.ptr,
                      forms[i][1]);
        mica_arena_fini(&arena);
    }
}
END_TEST

UNIT_MAIN("decimal", a_value_has_one_form,
          what_is_too_long_or_too_far_is_refused, arithmetic_is_exact,
          order_holds_over_the_whole_range,
          the_exponential_of_next_to_nothing_is_one,
          what_does_not_exist_stays_a_fault, rounding_does_what_its_name_says,
          a_field_keeps_every_digit_and_exact_bounds,
          a_field_refuses_what_was_not_rounded,
          numbers_that_share_a_double_are_told_apart)
