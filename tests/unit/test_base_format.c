// SPDX-License-Identifier: Apache-2.0
//
// The formatter, compared with the C library's where both have a conversion,
// and errors, which are made with it.
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

// Formats with both and compares.
#define SAME(...)                                             \
    do {                                                      \
        char expected[256];                                   \
        struct mica_buffer buffer;                            \
        snprintf(expected, sizeof expected, __VA_ARGS__);     \
        mica_buffer_init(&buffer, NULL, 1000);                \
        mica_buffer_format(&buffer, __VA_ARGS__);             \
        UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), expected); \
        mica_buffer_fini(&buffer);                            \
    } while (0)

START_TEST(whole_numbers_print_as_in_c)
{
    SAME("%d %i %d %d", 0, -1, INT_MAX, INT_MIN);
    SAME("%u %u", 0u, UINT_MAX);
    SAME("%x %X %x", 0u, 0xBEEFu, UINT_MAX);
    SAME("%ld %ld %lu", LONG_MIN, LONG_MAX, ULONG_MAX);
    SAME("%lld %lld %llu", LLONG_MIN, LLONG_MAX, ULLONG_MAX);
    SAME("%zu %zd", SIZE_MAX, (ssize_t)-1);
    SAME("%lx %llX", 0xDEADBEEFul, 0x123456789ABCDEFull);
    for (unsigned long long power = 1; power < ULLONG_MAX / 10; power *= 10)
        SAME("%llu %llu %llu", power - 1, power, power + 1);
}
END_TEST

START_TEST(widths_pad_with_blanks_or_zeros)
{
    SAME("[%5d][%-5d][%05d][%2d]", 42, 42, 42, 12345);
    SAME("[%5d][%-5d][%05d][%02d]", -42, -42, -42, -1);
    SAME("[%8x][%08X][%-8x]", 255u, 255u, 255u);
    SAME("[%6s][%-6s][%1s]", "ab", "ab", "abc");
    SAME("[%3c][%-3c]", 'x', 'y');
    SAME("[%40d][%-40d]", 7, 7);
}
END_TEST

START_TEST(precision_cuts_text)
{
    SAME("[%.3s][%.0s][%.9s]", "abcdef", "abcdef", "abc");
    SAME("[%.*s][%.*s]", 2, "abcdef", 0, "abc");
    SAME("[%8.2s][%-8.2s]", "abcdef", "abcdef");
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 100);
    // There is no NUL behind these bytes.
    char *exact = malloc(3);
    memcpy(exact, "abc", 3);
    mica_buffer_format(&buffer, "<%.*s>", 3, exact);
    const char *volatile none = NULL;
    mica_buffer_format(&buffer, "<%.*s>", 0, none);
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), "<abc><>");
    free(exact);
    mica_buffer_fini(&buffer);
}
END_TEST

// A person who approves a text sees all of what a handler gets.
START_TEST(a_slice_is_taken_whole_whatever_is_in_it)
{
    const struct mica_text text = MICA_LITERAL("safe\0 evil");
    const char *volatile absent = NULL;
    struct mica_text none = mica_text(absent);
    struct mica_buffer buffer;
    struct mica_error error;

    mica_buffer_init(&buffer, NULL, 1000);
    mica_buffer_format(&buffer, "<%.*s>%.*s<%12.*s>", MICA_ARG(text),
                       MICA_ARG(none), MICA_ARG(text));
    ck_assert_uint_eq(buffer.len, 2 + 10 + 2 + 12);
    ck_assert_mem_eq(buffer.ptr, "<safe\0 evil><  safe\0 evil>", buffer.len);
    mica_buffer_fini(&buffer);
    mica_error_set(&error, MICA_E_USAGE, "", "no \"%.*s\" here%.*s",
                   MICA_ARG(text), MICA_ARG(none));
    ck_assert_str_eq(error.message, "no \"safe\\u0000 evil\" here");
}
END_TEST

START_TEST(a_long_quotation_with_a_nul_is_cut_behind_it)
{
    static char name[1000];
    struct mica_error error;

    memset(name, 'a', sizeof name);
    name[3] = '\0';
    mica_error_set(&error, MICA_E_USAGE, "", "no \"%.*s\" here",
                   (int)sizeof name, name);
    ck_assert_ptr_eq(strstr(error.message, "no \"aaa\\u0000aaa"),
                     error.message);
    ck_assert_ptr_nonnull(strstr(error.message, "…\" here"));
}
END_TEST

START_TEST(a_negative_precision_shows_nothing)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 100);
    mica_buffer_format(&buffer, "<%.*s>", -1, "abc");
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), "<>");
    mica_buffer_fini(&buffer);
}
END_TEST

START_TEST(other_text_is_copied)
{
    SAME("100%% of %s%c%d", "it", ' ', 1);
    SAME("%s", "");
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 100);
    const char *volatile none = NULL;
    mica_buffer_format(&buffer, "%s", none);
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), "(null)");
    mica_buffer_fini(&buffer);
}
END_TEST

static void
format_unchecked(const char *formatz, ...)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 100);
    va_list arguments;
    va_start(arguments, formatz);
    void (*format)(struct mica_buffer *, const char *, va_list) =
        mica_buffer_vformat;
    format(&buffer, formatz, arguments);
    va_end(arguments);
    mica_buffer_fini(&buffer);
}

START_TEST(an_unknown_conversion_stops_the_program)
{
    format_unchecked("%f", 1.5);
}
END_TEST

START_TEST(a_precision_on_a_number_stops_the_program)
{
    format_unchecked("%.2d", 1);
}
END_TEST

// ---- Errors -------------------------------------------------------------------

START_TEST(an_error_has_code_message_and_path)
{
    struct mica_error error;
    enum mica_status status =
        mica_error_set(&error, MICA_E_RANGE, "/a/0", "%d is above %d", 7, 5);
    ck_assert_int_eq(status, MICA_E_RANGE);
    ck_assert_int_eq(error.status, MICA_E_RANGE);
    ck_assert_str_eq(error.code, "OUT_OF_RANGE");
    ck_assert_str_eq(error.message, "7 is above 5");
    ck_assert_str_eq(error.path, "/a/0");
    ck_assert_int_eq(mica_error_set(NULL, MICA_E_IO, "", "%s", "x"), MICA_E_IO);
    mica_error_prefix(NULL, "x");
}
END_TEST

static enum mica_status set(struct mica_error *error, const char *codez,
                            const char *formatz, ...) MICA_PRINTF(3, 4);

static enum mica_status
set(struct mica_error *error, const char *codez, const char *formatz, ...)
{
    va_list arguments;
    va_start(arguments, formatz);
    enum mica_status status =
        mica_error_vset(error, MICA_FAILED, codez, "", formatz, arguments);
    va_end(arguments);
    return status;
}

START_TEST(a_handler_may_have_its_own_code)
{
    struct mica_error error;
    ck_assert_int_eq(set(&error, "DIVISION_BY_ZERO", "%d / 0", 1), MICA_FAILED);
    ck_assert_str_eq(error.code, "DIVISION_BY_ZERO");
    ck_assert_str_eq(error.message, "1 / 0");
    set(&error, NULL, "x");
    ck_assert_str_eq(error.code, "FAILED");
}
END_TEST

START_TEST(a_prefix_goes_before_the_message)
{
    struct mica_error error;
    mica_error_set(&error, MICA_E_IO, "", "no such file");
    mica_error_prefix(&error, "open %s", "a.txt");
    mica_error_prefix(&error, "start");
    ck_assert_str_eq(error.message, "start: open a.txt: no such file");
}
END_TEST

START_TEST(long_messages_are_cut_between_characters)
{
    struct mica_error error;
    char text[2000];
    for (size_t shift = 0; shift < 4; shift++) {
        size_t at = 0;
        for (; at < shift; at++)
            text[at] = 'x';
        for (; at + 4 < sizeof text; at += 4)
            memcpy(text + at, "\xF0\x9F\x98\x80", 4);
        text[at] = '\0';
        mica_error_set(&error, MICA_E_IO, text, "%s", text);
        size_t len = strlen(error.message);
        ck_assert_uint_lt(len, sizeof error.message);
        ck_assert_uint_ge(len, sizeof error.message - 5);
        ck_assert_uint_eq(mica_utf8_valid(mica_text(error.message)), len);
        ck_assert_str_eq(error.message + len - 3, "…");
        ck_assert_uint_eq(mica_utf8_valid(mica_text(error.path)),
                          strlen(error.path));
        mica_error_prefix(&error, "%s", "a prefix");
        ck_assert_uint_eq(mica_utf8_valid(mica_text(error.message)),
                          strlen(error.message));
        mica_error_prefix(&error, "%s", text);
        ck_assert_uint_lt(strlen(error.message), sizeof error.message);
    }
}
END_TEST

START_TEST(a_long_quotation_is_cut_and_what_follows_stays)
{
    struct mica_error error;
    char text[3001];
    for (size_t len = 0; len < sizeof text; len += len < 220 ? 1 : 139) {
        memset(text, 'x', sizeof text);
        if (len >= 200)
            memcpy(text + 195, "\xF0\x9F\x98\x80", 4);
        text[len] = '\0';
        mica_error_set(&error, MICA_E_IO, "", "no \"%.*s\", no '%s': %s",
                       (int)len, text, text, "reason");
        const char *endz = strstr(error.message, "': reason");
        ck_assert_msg(endz != NULL && endz[9] == '\0', "%s", error.message);
        ck_assert_uint_le(strlen(error.message),
                          2 * 200 + sizeof "no \"\", no '': reason");
        ck_assert_int_eq(len <= 200, strstr(error.message, "…") == NULL);
        ck_assert_uint_eq(mica_utf8_valid(mica_text(error.message)),
                          strlen(error.message));
    }
}
END_TEST

START_TEST(a_message_that_just_fits_is_not_cut)
{
    struct mica_error error;
    char text[sizeof error.message];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    mica_error_set(&error, MICA_E_IO, "", "%s", text);
    ck_assert_str_eq(error.message, text);
}
END_TEST

START_TEST(an_error_may_be_told_again_in_other_words)
{
    struct mica_error error;
    mica_error_set(&error, MICA_E_IO, "/p", "first");
    mica_error_set(&error, MICA_E_BUILD, error.path, "second, after: %s",
                   error.message);
    ck_assert_str_eq(error.message, "second, after: first");
    ck_assert_str_eq(error.path, "/p");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("base_format");
    TCase *cases = tcase_create("base_format");
    const TTest *const tests[] = {
        whole_numbers_print_as_in_c,
        widths_pad_with_blanks_or_zeros,
        precision_cuts_text,
        a_slice_is_taken_whole_whatever_is_in_it,
        a_long_quotation_with_a_nul_is_cut_behind_it,
        a_negative_precision_shows_nothing,
        other_text_is_copied,
        an_error_has_code_message_and_path,
        a_handler_may_have_its_own_code,
        a_prefix_goes_before_the_message,
        long_messages_are_cut_between_characters,
        a_long_quotation_is_cut_and_what_follows_stays,
        a_message_that_just_fits_is_not_cut,
        an_error_may_be_told_again_in_other_words,
    };
    for (size_t i = 0; i < MICA_COUNT(tests); i++)
        tcase_add_test(cases, tests[i]);
    tcase_add_test_raise_signal(cases, an_unknown_conversion_stops_the_program,
                                SIGILL);
    tcase_add_test_raise_signal(
        cases, a_precision_on_a_number_stops_the_program, SIGILL);
    suite_add_tcase(suite, cases);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}
