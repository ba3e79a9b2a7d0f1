// SPDX-License-Identifier: Apache-2.0
//
// What a terminal would obey is written out, everything else stays as it is, and no
// argument of a format can say more than one line.
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "unit.h"

static void
check_add(enum mica_visible how, struct mica_text text, const char *expected)
{
    struct mica_buffer out;

    mica_buffer_init(&out, NULL, 1 << 20);
    mica_visible_add(&out, text, how);
    mica_buffer_char(&out, '\0');
    ck_assert_str_eq(out.ptr, expected);
    mica_buffer_fini(&out);
}

#define CHECK(how, literal, expected) \
    check_add(MICA_VISIBLE_##how, MICA_LITERAL(literal), expected)

START_TEST(controls_are_written_out)
{
    CHECK(LINE, "", "");
    CHECK(LINE, "a\033[2Jb\r\x7f\0c", "a\\x1b[2Jb\\x0d\\x7f\\x00c");
    CHECK(LINE, "a\n\tb", "a\\x0a\tb");
    CHECK(LINES, "a\n\tb\033", "a\n\tb\\x1b");
    CHECK(JSON, "[\n\"\x7f\xc2\x9b\"]", "[\n\"\\u007f\\u009b\"]");
    CHECK(LINE, "\xc2\x80\xc2\x9f\xc2\xa0", "\\x80\\x9f\xc2\xa0");
}
END_TEST

START_TEST(directions_and_separators_are_written_out)
{
    CHECK(LINE, "\u202a\u202e\u2066\u2069\u200e\u200f\u2028\u2029\u061c",
          "\\u202a\\u202e\\u2066\\u2069\\u200e\\u200f\\u2028\\u2029\\u061c");
    CHECK(LINES, "\u2027\u202f\u2065\u200d\u206a",
          "\u2027\u202f\u2065\u200d\u206a");
    CHECK(JSON, "\"\u202e\"", "\"\\u202e\"");
}
END_TEST

START_TEST(what_is_no_utf8_is_written_out)
{
    CHECK(LINE, "\xff\xc2", "\\xff\\xc2");
    CHECK(LINE, "\xe2\x80", "\\xe2\\x80");
    CHECK(LINE, "\xed\xa0\x80", "\\xed\\xa0\\x80");
    CHECK(JSON, "\xff", "\\u00ff");
    CHECK(LINE, "ä€😀", "ä€😀");
}
END_TEST

// Each code point, by itself: it stays, or what is shown is printable ASCII.
START_TEST(every_code_point_stays_or_is_ascii)
{
    for (uint32_t code = 0; code < 0x110000; code++) {
        char text[8];
        struct mica_buffer out;
        if (code >= 0xd800 && code < 0xe000)
            continue;
        size_t len = mica_utf8_encode(code, text);
        mica_buffer_init(&out, NULL, 64);
        mica_visible_add(&out, (struct mica_text){text, len},
                         MICA_VISIBLE_LINE);
        if (out.len != len || memcmp(out.ptr, text, len) != 0)
            for (size_t i = 0; i < out.len; i++)
                ck_assert(out.ptr[i] > ' ' && out.ptr[i] < 0x7f);
        else
            ck_assert(code >= ' ' || code == '\t');
        mica_buffer_fini(&out);
    }
}
END_TEST

// ---- The formatter ---------------------------------------------------------------

static void check_format(const char *expected, const char *formatz, ...)
    MICA_PRINTF(2, 3);

static void
check_format(const char *expected, const char *formatz, ...)
{
    struct mica_buffer out;
    va_list arguments;

    mica_buffer_init(&out, NULL, 1 << 20);
    va_start(arguments, formatz);
    mica_visible_vformat(&out, formatz, arguments);
    va_end(arguments);
    mica_buffer_char(&out, '\0');
    ck_assert_str_eq(out.ptr, expected);
    mica_buffer_fini(&out);
}

START_TEST(a_format_has_lines_and_its_arguments_have_none)
{
    struct mica_text evil = MICA_LITERAL("a\n\033[31mb and more");
    struct mica_buffer empty;

    mica_buffer_init(&empty, NULL, 1);
    check_format("\r\033[Ka\\x0a\\x1b[31mb!\n", "\r\033[K%.*s!\n", 8, evil.ptr);
    check_format("<ab  |  ab|a>", "<%-4s|%4s|%.1s>", "ab", "ab", "ab");
    check_format("\\x1b\\x0a%", "%c%s%%", '\033', "\n");
    check_format("", "%.*s", MICA_ARG(empty));  // at NULL
    check_format("a\\x00b", "%.*s", 3, "a\0b"); // all of a slice
    check_format("a", "%.3s", "a\0b");
    check_format("", "%.*s", -1, "abc");
    check_format("-7 7  8|   9 18446744073709551615 -9223372036854775808",
                 "%d %u %2zu|%4d %llu %lld", -7, 7u, (size_t)8, 9,
                 (unsigned long long)UINT64_MAX, (long long)INT64_MIN);
}
END_TEST

// A sequence is obeyed when it is mica's own, not when it looks so.
START_TEST(a_style_is_known_by_its_place)
{
    char *copy = strdup(mica_style(true, MICA_STYLE_RED));

    check_format("\033[31mred\033[0m", "%sred%s",
                 mica_style(true, MICA_STYLE_RED),
                 mica_style(true, MICA_STYLE_PLAIN));
    check_format("red", "%sred%s", mica_style(false, MICA_STYLE_RED),
                 mica_style(false, MICA_STYLE_PLAIN));
    check_format("\\x1b[31mred", "%sred", copy);
    free(copy);
}
END_TEST

UNIT_MAIN("base_visible", controls_are_written_out,
          directions_and_separators_are_written_out,
          what_is_no_utf8_is_written_out, every_code_point_stays_or_is_ascii,
          a_format_has_lines_and_its_arguments_have_none,
          a_style_is_known_by_its_place)
