// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text and back. The references are the C library's strtod and
// printf, which are exact, and whole numbers of any size for the table of
// powers. What ECMA-262 asks of a number's text is checked by its words:
// shortest, closest, and the form.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bigint.h"
#include "base/digits.h"
#include "base/numeral.h"
#include "base/poison.h"
#include "base/power10.h"
#include "unit.h"

#ifdef MICA_POISON
enum {
    ROUNDS = 40 * 1000
}; // sanitizers are slow
#else
enum {
    ROUNDS = 400 * 1000
};
#endif

static uint64_t
next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double
of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t
bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// A finite double: all bits random, or subnormal, or of everyday size.
static double
random_double(uint64_t *state)
{
    for (;;) {
        uint64_t bits = next_random(state);
        uint64_t kind = next_random(state) % 4;
        uint64_t exponent = 1003 + next_random(state) % 60;
        if (kind == 1)
            bits &= ~((uint64_t)0x7FF << 52);
        if (kind == 2)
            bits = (bits & ~((uint64_t)0x7FF << 52)) | exponent << 52;
        if (isfinite(of_bits(bits)))
            return of_bits(bits);
    }
}

static void
reads_like_strtod(const char *textz)
{
    double value = 0;
    UNIT_MUST(mica_number_read(mica_text(textz), &value), "%s", textz);
    UNIT_MUST(bits_of(value) == bits_of(strtod(textz, NULL)),
              "%s read as %.17g", textz, value);
}

// ---- Powers of ten -------------------------------------------------------------

static void
set_128(struct mica_bigint *big, struct mica_wide power)
{
    mica_bigint_set(big, power.high);
    mica_bigint_shift_left(big, 64);
    if (big->count >= 2) {
        big->limbs[0] = (uint32_t)power.low;
        big->limbs[1] = (uint32_t)(power.low >> 32);
    }
}

static unsigned
bit_length(const struct mica_bigint *big)
{
    return 32 * (unsigned)big->count -
           (unsigned)__builtin_clz(big->limbs[big->count - 1]);
}

// power × 2^shift <= 10^exponent < (power + 1) × 2^shift in whole numbers, where
// both sides are multiplied by 5^-exponent or 2^-shift when those are positive.
static void
check_power(int exponent)
{
    struct mica_wide power = mica_power10(exponent);
    struct mica_wide above = {power.high, power.low + 1};
    int shift = mica_power10_log2(exponent) - 127 - exponent;
    struct mica_bigint five, low, high;
    above.high += above.low == 0;
    ck_assert(power.high >> 63 == 1 && above.high != 0);
    mica_bigint_set(&five, 1);
    set_128(&low, power);
    set_128(&high, above);
    if (exponent >= 0) {
        mica_bigint_scale5(&five, (unsigned)exponent);
    } else {
        mica_bigint_scale5(&low, (unsigned)-exponent);
        mica_bigint_scale5(&high, (unsigned)-exponent);
    }
    if (shift < 0) {
        mica_bigint_shift_left(&five, (unsigned)-shift);
    } else {
        mica_bigint_shift_left(&low, (unsigned)shift);
        mica_bigint_shift_left(&high, (unsigned)shift);
    }
    int order = mica_bigint_compare(&low, &five);
    ck_assert_msg(order <= 0, "10^%d", exponent);
    ck_assert_msg(mica_bigint_compare(&five, &high) < 0, "10^%d", exponent);
    ck_assert_msg((order == 0) == mica_power10_exact(exponent), "10^%d",
                  exponent);
}

START_TEST(every_power_of_ten_has_its_first_128_bits)
{
    for (int i = MICA_POWER10_MIN; i <= MICA_POWER10_MAX; i++)
        check_power(i);
}
END_TEST

START_TEST(big_numbers_agree_with_words)
{
    uint64_t state = 7;
    for (int i = 0; i < 10000; i++) {
        struct mica_bigint big;
        uint64_t value = next_random(&state) >> next_random(&state) % 60;
        uint32_t factor = (uint32_t)next_random(&state);
        unsigned shift = (unsigned)(next_random(&state) % 900);
        mica_bigint_set(&big, value);
        mica_bigint_shift_left(&big, shift);
        if (value > 0)
            ck_assert_uint_eq(bit_length(&big),
                              64 - (unsigned)__builtin_clzll(value) + shift);
        mica_bigint_multiply(&big, factor, 0);
        if (factor > 0)
            ck_assert_uint_eq(mica_bigint_divide(&big, factor), 0);
        mica_bigint_shift_right(&big, shift);
        struct mica_bigint same;
        mica_bigint_set(&same, factor > 0 ? value : 0);
        ck_assert_int_eq(mica_bigint_compare(&big, &same), 0);
    }
}
END_TEST

START_TEST(shifts_round_to_nearest_and_half_up)
{
    static const struct {
        uint64_t value;
        unsigned bits;
        uint64_t result;
    } cases[] = {
        {4, 3, 1},
        {3, 3, 0},
        {12, 3, 2},
        {11, 3, 1},
        {0, 40, 0},
        {1, 1, 1},
        {UINT64_MAX, 64, 1},
        {1, 64, 0},
        {5, 0, 5},
        {UINT64_MAX, 1, (uint64_t)1 << 63},
        {(uint64_t)1 << 31, 32, 1},
        {((uint64_t)1 << 31) - 1, 32, 0},
        {(uint64_t)1 << 63, 65, 0},
        {(uint64_t)1 << 63, 64, 1},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_bigint big, result;
        mica_bigint_set(&big, cases[i].value);
        mica_bigint_shift_right(&big, cases[i].bits);
        mica_bigint_set(&result, cases[i].result);
        ck_assert_int_eq(mica_bigint_compare(&big, &result), 0);
    }
}
END_TEST

// ---- Reading -------------------------------------------------------------------

START_TEST(random_numbers_read_like_strtod)
{
    uint64_t state = 1;
    char text[64];
    for (int i = 0; i < ROUNDS; i++) {
        double value = random_double(&state);
        snprintf(text, sizeof text, "%.17g", value);
        reads_like_strtod(text);
        snprintf(text, sizeof text, "%.*e", (int)(next_random(&state) % 22),
                 value);
        reads_like_strtod(text);
    }
}
END_TEST

// The exact middle between a double and the next larger one, as text. A long
// double holds it exactly unless the doubles are subnormal.
START_TEST(halfway_cases_go_to_even)
{
    uint64_t state = 2;
    char text[1300];
    for (int i = 0; i < ROUNDS / 20; i++) {
        double value = fabs(random_double(&state));
        double next = nextafter(value, (double)INFINITY);
        if (value < DBL_MIN || !isfinite(next) || LDBL_MANT_DIG < 54)
            continue;
        long double middle = ((long double)value + (long double)next) / 2;
        snprintf(text, sizeof text, "%.1100Le", middle);
        reads_like_strtod(text);
        // A hair more, and a hair less.
        char *end = strchr(text, 'e');
        end[-1] = '1';
        reads_like_strtod(text);
        snprintf(text, sizeof text, "%.25Le", middle);
        reads_like_strtod(text);
        snprintf(text, sizeof text, "%.*Le", (int)(next_random(&state) % 800),
                 middle);
        reads_like_strtod(text);
    }
}
END_TEST

START_TEST(halfway_cases_of_subnormals_go_to_even)
{
    // (2n + 1) × 2^-1075 by whole numbers: its digits are those of
    // (2n + 1) × 5^1075, and the point is 1075 places from the right.
    uint64_t state = 3;
    for (int i = 0; i < 300; i++) {
        uint64_t n = next_random(&state) >> (12 + next_random(&state) % 52);
        struct mica_bigint big;
        char text[1100], digits[1000];
        size_t at = sizeof digits;
        mica_bigint_set(&big, 2 * n + 1);
        mica_bigint_scale5(&big, 1075);
        while (big.count > 0)
            digits[--at] = (char)('0' + mica_bigint_divide(&big, 10));
        for (int add = 0; add < 2; add++) {
            snprintf(text, sizeof text, "%.*s%se-%d", (int)(sizeof digits - at),
                     digits + at,
                     add ? "0000000000000000000000000000000000000001" : "",
                     add ? 1115 : 1075);
            reads_like_strtod(text);
        }
    }
}
END_TEST

// At the ends of the range, in the middle between two doubles, or longer than a
// word holds.
static const char *const hard[] = {
    "0",
    "-0",
    "0.0",
    "-0e5",
    "1e23",
    "8.5e22",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "9007199254740993.0000000000000000000000000001",
    "9007199254740992.9999999999999999999999999999",
    "9007199254740991.5",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999",
    "123456789012345678901234567890",
    "5e-324",
    "4.9406564584124654e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "2.47032822920623272088284396434110686182e-324",
    "2.47032822920623272088284396434110686183e-324",
    "2.225073858507201e-308",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "2.2250738585072014e-308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "179769313486231580793728971405303415079934132710037826936173778980444"
    "968292764750946649017977587207096330286416692887910946555547851940402"
    "630657488671505820681908902000708383676273854845817711531764475730270"
    "069855571366959622842914819860834936475292719074168444365510704342711"
    "559699508093042880",
    "1e308",
    "1e309",
    "2e308",
    "9999999999999999999e308",
    "1e-400",
    "1e400",
    "1e999999999999999999999999",
    "1e-999999999999999999999999",
    "0e999999999999999999999999",
    "-0e-999999999999999999999999",
    "7.2057594037927933e16",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    "6.0221407999999999e23",
    "3.5844466002796428e298",
    "0.000000000000000000000000000000000000000000001e45",
    "100000000000000000000000000000000000000000000000e-47",
    "10000000000000000000000000000000000000000000000000000000000000e-400",
    "1e22",
    "1e-22",
    "9007199254740992e22",
    "9007199254740993e-22",
};

START_TEST(hard_numbers_read_like_strtod)
{
    for (size_t i = 0; i < MICA_COUNT(hard); i++)
        reads_like_strtod(hard[i]);
}
END_TEST

START_TEST(long_texts_read_like_strtod_in_bounded_time)
{
    enum {
        LEN = 1000 * 1000
    };
    char *text = malloc(LEN + 32);
    memset(text, '0', LEN);
    text[0] = '1';
    text[1] = '.';
    memcpy(text + LEN, "1", 2);
    reads_like_strtod(text);
    // Decided by a digit far behind.
    memcpy(text, "9007199254740993.", 17);
    reads_like_strtod(text);
    text[LEN] = '0';
    reads_like_strtod(text);
    memset(text, '9', LEN);
    memcpy(text + LEN, "e-1000000", 10);
    double value;
    ck_assert(mica_number_read(mica_text(text), &value));
    ck_assert_double_eq(value, 1);
    memset(text, '0', LEN);
    memcpy(text, "0.", 2);
    memcpy(text + LEN, "12e999999", 10);
    ck_assert(mica_number_read(mica_text(text), &value));
    ck_assert_double_eq(value, 1.2);
    free(text);
}
END_TEST

START_TEST(only_numbers_of_json_are_read)
{
    static const char *const bad[] = {
        "",         "-",         "+1",    "01",    "-01", ".5",   "1.",
        "1.e5",     "1e",        "1e+",   "1e-",   "e5",  "0x10", "1 ",
        " 1",       "1,0",       "--1",   "1.2.3", "NaN", "nan",  "inf",
        "Infinity", "-Infinity", "1e5.5", "1_000", "00",  "1a",   "1e5a",
        "-.5",      "0e",        "1E+-5", "٣",
    };
    double value = 7;
    int64_t integer = 7;
    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        ck_assert_msg(!mica_number_read(mica_text(bad[i]), &value), "%s",
                      bad[i]);
        ck_assert_msg(!mica_integer_read(mica_text(bad[i]), &integer), "%s",
                      bad[i]);
    }
    ck_assert(!mica_number_read(MICA_LITERAL("1\0"), &value));
    ck_assert_double_eq(value, 7);
    ck_assert_int_eq(integer, 7);
}
END_TEST

START_TEST(integers_are_read_exactly_or_not_at_all)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"-0", 0},
        {"-0.000", 0},
        {"0e400", 0},
        {"42", 42},
        {"42.0", 42},
        {"1e3", 1000},
        {"1E+3", 1000},
        {"1.5e1", 15},
        {"1500e-2", 15},
        {"-12.50e1", -125},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"9223372036854775807.000", INT64_MAX},
        {"922337203685477580.7e1", INT64_MAX},
        {"0.000000000000000000000000000001e30", 1},
        {"1000000000000000000000000000000e-30", 1},
        {"9007199254740993", 9007199254740993},
        {"1e18", 1000000000000000000},
    };
    for (size_t i = 0; i < MICA_COUNT(good); i++) {
        int64_t value = 99;
        ck_assert_msg(mica_integer_read(mica_text(good[i].text), &value), "%s",
                      good[i].text);
        ck_assert_int_eq(value, good[i].value);
    }
    static const char *const bad[] = {
        "0.5",
        "1.5",
        "1e-1",
        "-1e-400",
        "9223372036854775808",
        "-9223372036854775809",
        "1e19",
        "18446744073709551617",
        "1e400",
        "1e999999999999999999999",
        "99999999999999999999",
        "9223372036854775807.5",
    };
    int64_t value;
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(!mica_integer_read(mica_text(bad[i]), &value), "%s",
                      bad[i]);
}
END_TEST

START_TEST(decimals_are_equal_by_value)
{
    static const char *const same[][2] = {
        {"1", "1.0"},
        {"1e2", "100"},
        {"0", "-0"},
        {"0e5", "0.00"},
        {"12.5", "0.125e2"},
        {"1e-2", "0.010"},
        {"9007199254740993", "9007199254740993.0"},
    };
    static const char *const other[][2] = {
        {"1", "-1"},
        {"1", "10"},
        {"9007199254740993", "9007199254740992"},
        {"0.1", "0.11"},
        {"1e400", "1e401"},
        {"12.5", "125"},
    };
    for (int different = 0; different < 2; different++) {
        size_t count = different ? MICA_COUNT(other) : MICA_COUNT(same);
        for (size_t i = 0; i < count; i++) {
            const char *const *pair = different ? other[i] : same[i];
            struct mica_numeral a, b;
            ck_assert(mica_numeral_read(mica_text(pair[0]), &a));
            ck_assert(mica_numeral_read(mica_text(pair[1]), &b));
            ck_assert_msg(mica_numeral_equal(&a, &b) == !different, "%s %s",
                          pair[0], pair[1]);
        }
    }
}
END_TEST

// ---- Writing -------------------------------------------------------------------

START_TEST(digits_are_read_in_the_one_form_they_are_written_in)
{
    static const char *const others[] = {"",
                                         "00",
                                         "01",
                                         "+1",
                                         "-1",
                                         "-0",
                                         " 1",
                                         "1 ",
                                         "1.0",
                                         "1e1",
                                         "0x1",
                                         "1_",
                                         "/",
                                         "9223372036854775808",
                                         "99999999999999999999"};
    static const int64_t values[] = {0,        1, 9, 10, 12345, INT64_MAX - 1,
                                     INT64_MAX};
    char text[MICA_DIGITS_SIZE];
    int64_t value;

    for (size_t i = 0; i < MICA_COUNT(values); i++) {
        size_t count = mica_digits_write((uint64_t)values[i], text);
        ck_assert(mica_digits_read((struct mica_text){text, count}, &value));
        ck_assert_int_eq(value, values[i]);
    }
    for (size_t i = 0; i < MICA_COUNT(others); i++)
        ck_assert_msg(!mica_digits_read(mica_text(others[i]), &value), "%s",
                      others[i]);
    ck_assert(!mica_digits_read((struct mica_text){"1\0", 2}, &value));
}
END_TEST

// The digits of a written number, without sign, point, zeros around, exponent.
static size_t
digits_of(const char *text, char *digits)
{
    size_t count = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0'))
            digits[count++] = *text;
    while (count > 0 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    return count;
}

// Reads back, no shorter text does, and none of the same length is closer.
static void
check_shortest(double value)
{
    char text[MICA_NUMBER_SIZE], digits[64], other[64], closest[64];
    size_t len = mica_number_write(value, text);
    UNIT_MUST(len == strlen(text) && len < MICA_NUMBER_SIZE, "%s", text);
    UNIT_MUST(bits_of(strtod(text, NULL)) == bits_of(value), "%.17g is %s",
              value, text);
    int count = (int)digits_of(text, digits);
    UNIT_MUST(count <= 17, "%s", text);
    // When any shorter text reads back, the closest of one digit less does.
    if (count > 1) {
        snprintf(other, sizeof other, "%.*e", count - 2, value);
        UNIT_MUST(bits_of(strtod(other, NULL)) != bits_of(value),
                  "%s is shorter than %s", other, text);
    }
    snprintf(other, sizeof other, "%.*e", count - 1, value);
    if (bits_of(strtod(other, NULL)) == bits_of(value)) {
        digits_of(other, closest);
        UNIT_MUST(strcmp(digits, closest) == 0, "%s is closer than %s", other,
                  text);
    }
}

START_TEST(random_doubles_are_written_shortest_and_closest)
{
    uint64_t state = 4;
    for (int i = 0; i < ROUNDS; i++) {
        double value = random_double(&state);
        if (value < 0 || value > 0)
            check_shortest(value);
    }
}
END_TEST

START_TEST(powers_of_two_and_their_neighbors_are_written_shortest)
{
    for (uint64_t exponent = 0; exponent < 0x7FF; exponent++) {
        uint64_t bits = exponent << 52;
        for (uint64_t i = 0; i < 3; i++) {
            if (bits + i > 1)
                check_shortest(of_bits(bits + i - (exponent > 0)));
        }
    }
}
END_TEST

START_TEST(powers_of_ten_and_their_neighbors_are_written_shortest)
{
    for (int exponent = -323; exponent <= 308; exponent++) {
        char text[32];
        snprintf(text, sizeof text, "1e%d", exponent);
        double power = strtod(text, NULL);
        check_shortest(power);
        check_shortest(nextafter(power, 0) > 0 ? nextafter(power, 0) : power);
        check_shortest(nextafter(power, (double)INFINITY));
    }
}
END_TEST

START_TEST(numbers_have_the_form_of_ecmascript)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "0"},
        {1.0, "1"},
        {-1.0, "-1"},
        {0.1, "0.1"},
        {-1.5, "-1.5"},
        {100, "100"},
        {123456789, "123456789"},
        {9007199254740991, "9007199254740991"},
        {9007199254740992, "9007199254740992"},
        {9007199254740994, "9007199254740994"},
        {18014398509481984, "18014398509481984"},
        {123456789012345680000.0, "123456789012345680000"},
        {1e20, "100000000000000000000"},
        {1e21, "1e+21"},
        {1.5e21, "1.5e+21"},
        {123456789012345678901.0, "123456789012345680000"},
        {1e23, "1e+23"},
        {0.000001, "0.000001"},
        {0.0000012, "0.0000012"},
        {0.0000001, "1e-7"},
        {0.00000012, "1.2e-7"},
        {5e-324, "5e-324"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {-DBL_MAX, "-1.7976931348623157e+308"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {0.1 + 0.2, "0.30000000000000004"},
        {4.35, "4.35"},
        {123.456, "123.456"},
        {1.1e-5, "0.000011"},
        {-0.0000012345678901234567, "-0.0000012345678901234567"},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        char text[MICA_NUMBER_SIZE];
        size_t len = mica_number_write(cases[i].value, text);
        ck_assert_str_eq(text, cases[i].text);
        ck_assert_uint_eq(len, strlen(cases[i].text));
    }
    char text[MICA_NUMBER_SIZE];
    mica_number_write((double)NAN, text);
    ck_assert_str_eq(text, "NaN");
    mica_number_write(-(double)NAN, text);
    ck_assert_str_eq(text, "NaN");
    mica_number_write((double)INFINITY, text);
    ck_assert_str_eq(text, "Infinity");
    mica_number_write(-(double)INFINITY, text);
    ck_assert_str_eq(text, "-Infinity");
}
END_TEST

// ---- Fixed ----------------------------------------------------------------------

static void
check_fixed(double value, unsigned digits, const char *textz)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 1000);
    mica_number_fixed(&buffer, value, digits);
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), textz);
    mica_buffer_fini(&buffer);
}

START_TEST(fixed_decimals_round_the_exact_value_half_away_from_zero)
{
    check_fixed(1.005, 2, "1.00");
    check_fixed(1.45, 1, "1.4");
    check_fixed(8.345, 2, "8.35");
    check_fixed(0.5, 0, "1");
    check_fixed(1.5, 0, "2");
    check_fixed(2.5, 0, "3");
    check_fixed(-2.5, 0, "-3");
    check_fixed(0.125, 2, "0.13");
    check_fixed(-0.125, 2, "-0.13");
    check_fixed(0.375, 2, "0.38");
    check_fixed(0, 0, "0");
    check_fixed(-0.0, 2, "0.00");
    check_fixed(0, 3, "0.000");
    check_fixed(-0.001, 2, "-0.00");
    check_fixed(0.05, 1, "0.1");
    check_fixed(0.001, 2, "0.00");
    check_fixed(9.995, 2, "9.99");
    check_fixed(99.99, 1, "100.0");
    check_fixed(999999.5, 0, "1000000");
    check_fixed(1e21, 2, "1000000000000000000000.00");
    check_fixed(9007199254740992, 1, "9007199254740992.0");
    check_fixed(5e-324, 100,
                "0.000000000000000000000000000000000000000000000000000000000000"
                "0000000000000000000000000000000000000000");
    check_fixed(1e-100, 100,
                "0.000000000000000000000000000000000000000000000000000000000000"
                "0000000000000000000000000000000000000001");
}
END_TEST

START_TEST(fixed_decimals_agree_with_printf_except_for_ties)
{
    uint64_t state = 5;
    for (int i = 0; i < ROUNDS / 10; i++) {
        double value = random_double(&state);
        unsigned digits = (unsigned)(next_random(&state) % 101);
        char text[600], exact[1500];
        int len = snprintf(text, sizeof text, "%.*f", (int)digits, value);
        // printf sends ties to even: they are the values whose decimals end
        // with the 5 behind the last place.
        snprintf(exact, sizeof exact, "%.1074f", value);
        const char *rest = strchr(exact, '.') + 1 + digits;
        if (rest[0] == '5' && strspn(rest + 1, "0") == strlen(rest + 1))
            continue;
        struct mica_buffer buffer;
        mica_buffer_init(&buffer, NULL, 1000);
        mica_number_fixed(&buffer, value, digits);
        UNIT_MUST((size_t)len == buffer.len &&
                      memcmp(text, buffer.ptr, buffer.len) == 0,
                  "%s instead of %.*s", text,
                  MICA_ARG(mica_buffer_as_text(&buffer)));
        mica_buffer_fini(&buffer);
    }
}
END_TEST

UNIT_MAIN("number", every_power_of_ten_has_its_first_128_bits,
          big_numbers_agree_with_words, shifts_round_to_nearest_and_half_up,
          random_numbers_read_like_strtod, halfway_cases_go_to_even,
          halfway_cases_of_subnormals_go_to_even, hard_numbers_read_like_strtod,
          long_texts_read_like_strtod_in_bounded_time,
          only_numbers_of_json_are_read,
          integers_are_read_exactly_or_not_at_all,
          digits_are_read_in_the_one_form_they_are_written_in,
          decimals_are_equal_by_value,
          random_doubles_are_written_shortest_and_closest,
          powers_of_two_and_their_neighbors_are_written_shortest,
          powers_of_ten_and_their_neighbors_are_written_shortest,
          numbers_have_the_form_of_ecmascript,
          fixed_decimals_round_the_exact_value_half_away_from_zero,
          fixed_decimals_agree_with_printf_except_for_ties)
