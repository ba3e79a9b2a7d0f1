// SPDX-License-Identifier: Apache-2.0
//
// Slices, UTF-8, the status table.
#include <string.h>

#include "base/ascii.h"
#include "unit.h"

START_TEST(slices_compare_by_bytes_and_then_by_length)
{
    ck_assert(mica_text_equal(MICA_LITERAL("a"), mica_text("a")));
    ck_assert(!mica_text_equal(MICA_LITERAL("a"), MICA_LITERAL("a\0")));
    ck_assert(mica_text_equal(mica_text(NULL), MICA_LITERAL("")));
    ck_assert(mica_text_is(MICA_LITERAL("abc"), "abc"));
    ck_assert(!mica_text_is(MICA_LITERAL("abc"), "ab"));
    ck_assert(!mica_text_is(MICA_LITERAL("ab"), "abc"));
    ck_assert_int_lt(mica_text_compare(MICA_LITERAL("ab"), MICA_LITERAL("abc")),
                     0);
    ck_assert_int_gt(mica_text_compare(MICA_LITERAL("\xC3"), MICA_LITERAL("z")),
                     0);
    ck_assert_int_eq(mica_text_compare(mica_text(NULL), MICA_LITERAL("")), 0);
    ck_assert(mica_text_starts(MICA_LITERAL("abc"), "ab"));
    ck_assert(mica_text_starts(mica_text(NULL), ""));
    ck_assert(!mica_text_starts(MICA_LITERAL("a"), "ab"));
}
END_TEST

START_TEST(a_slice_of_a_slice_stays_inside)
{
    struct mica_text text = MICA_LITERAL("hello");
    UNIT_TEXT_EQ(mica_text_slice(text, 1, 3), "el");
    UNIT_TEXT_EQ(mica_text_slice(text, 3, 99), "lo");
    UNIT_TEXT_EQ(mica_text_slice(text, 9, 99), "");
    UNIT_TEXT_EQ(mica_text_slice(text, 3, 1), "");
    UNIT_TEXT_EQ(mica_text_slice(mica_text(NULL), 0, 1), "");
}
END_TEST

// Readers take the distance between a part and its whole for its place.
START_TEST(an_empty_slice_lies_at_its_place)
{
    struct mica_text text = MICA_LITERAL("hello");
    ck_assert_ptr_eq(mica_text_slice(text, 0, 0).ptr, text.ptr);
    ck_assert_ptr_eq(mica_text_slice(text, 3, 3).ptr, text.ptr + 3);
    ck_assert_ptr_eq(mica_text_slice(text, 5, 5).ptr, text.ptr + 5);
    ck_assert_ptr_eq(mica_text_slice(text, 3, 1).ptr, text.ptr + 1);
    ck_assert_ptr_eq(mica_text_slice(text, 9, 99).ptr, text.ptr + 5);
    ck_assert_ptr_null(mica_text_slice(mica_text(NULL), 0, 1).ptr);
}
END_TEST

START_TEST(distance_counts_edits_up_to_a_limit)
{
    static const struct {
        const char *a, *b;
        size_t limit, distance;
    } cases[] = {
        {"", "", 0, 0},
        {"", "abc", 3, 3},
        {"abc", "", 2, 3},
        {"kitten", "sitting", 5, 3},
        {"kitten", "sitting", 2, 3},
        {"Price", "pRICE", 0, 0},
        {"price", "prices", 1, 1},
        {"price", "pirce", 2, 1}, // neighbors that are swapped are one edit
        {"price", "PIRCE", 1, 1},
        {"price", "rpiec", 3, 2},
        {"lsit", "list", 1, 1},
        {"ab", "ba", 0, 1},
        {"ca", "abc", 3, 3}, // no letter is edited twice
        {"abcdef", "uvwxyz", 63, 6},
        {"flaw", "lawn", 2, 2},
        {"a", "b", 0, 1},
        {"principal", "principle", 3, 2},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_text a = mica_text(cases[i].a), b = mica_text(cases[i].b);
        ck_assert_uint_eq(mica_text_distance(a, b, cases[i].limit),
                          cases[i].distance);
        ck_assert_uint_eq(mica_text_distance(b, a, cases[i].limit),
                          cases[i].distance);
    }
}
END_TEST

// The usual table, whole, to compare the strip with.
static size_t
plain_distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t table[16][16];
    for (size_t i = 0; i <= m; i++)
        for (size_t k = 0; k <= n; k++) {
            size_t best = i + k;
            if (i > 0 && k > 0) {
                best = table[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
                if (table[i - 1][k] + 1 < best)
                    best = table[i - 1][k] + 1;
                if (table[i][k - 1] + 1 < best)
                    best = table[i][k - 1] + 1;
                if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
                    a[i - 2] == b[k - 1] && table[i - 2][k - 2] + 1 < best)
                    best = table[i - 2][k - 2] + 1;
            }
            table[i][k] = best;
        }
    return table[m][n];
}

START_TEST(distance_agrees_with_the_whole_table)
{
    uint32_t state = 1;
    for (int round = 0; round < 20000; round++) {
        char text[2][12];
        size_t len[2];
        for (int side = 0; side < 2; side++) {
            state = state * 1664525 + 1013904223;
            len[side] = (state >> 16) % 12;
            for (size_t i = 0; i < len[side]; i++) {
                state = state * 1664525 + 1013904223;
                text[side][i] = (char)('a' + (state >> 24) % 3);
            }
        }
        size_t limit = (size_t)round % 8;
        size_t plain = plain_distance(text[0], len[0], text[1], len[1]);
        size_t found =
            mica_text_distance((struct mica_text){text[0], len[0]},
                               (struct mica_text){text[1], len[1]}, limit);
        UNIT_MUST(found == (plain <= limit ? plain : limit + 1), "%.*s %.*s",
                  (int)len[0], text[0], (int)len[1], text[1]);
    }
}
END_TEST

START_TEST(every_code_point_survives_utf8)
{
    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        char bytes[4];
        if (point == 0xD800)
            point = 0xE000;
        size_t size = mica_utf8_encode(point, bytes);
        struct mica_text text = {bytes, size};
        UNIT_MUST(mica_utf8_valid(text) == size &&
                      mica_text_length(text) == 1 &&
                      mica_text_next(&text) == point && text.len == 0,
                  "U+%04X", point);
    }
    // Not valid, but nothing behind its end is read.
    struct mica_text cut = {"\xF0\x9F\x98\x80", 2};
    mica_text_next(&cut);
    ck_assert_uint_eq(cut.len, 0);
    struct mica_text empty = {NULL, 0};
    ck_assert_uint_eq(mica_text_next(&empty), 0xFFFFFFFF);
}
END_TEST

// Texts of every length to 40 whose characters begin at every place of a word.
START_TEST(characters_are_counted_at_every_place)
{
    static const char line[] =
        "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80zz\xF4\x8F\xBF\xBF\xC2\x80"
        "bcdefghi\xE2\x82\xAC\xE2\x82\xAC\xC3\xBF!";
    for (size_t from = 0; from < 16; from++) {
        for (size_t size = 0; from + size < sizeof line; size++) {
            struct mica_text text = {line + from, size};
            size_t count = 0;
            for (size_t i = 0; i < size; i++)
                count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
            ck_assert_uint_eq(mica_text_length(text), count);
        }
    }
}
END_TEST

// Decodes by the letter of the definition: the value, its range, its length.
static bool
plain_valid(const unsigned char *s, size_t len)
{
    size_t size = s[0] < 0x80             ? 1
                  : (s[0] & 0xE0) == 0xC0 ? 2
                  : (s[0] & 0xF0) == 0xE0 ? 3
                  : (s[0] & 0xF8) == 0xF0 ? 4
                                          : 0;
    if (size == 0 || size != len)
        return false;
    uint32_t point = size == 1 ? s[0] : s[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return false;
        point = point << 6 | (s[i] & 0x3F);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return point >= least[size] && point <= 0x10FFFF &&
           (point < 0xD800 || point > 0xDFFF);
}

START_TEST(utf8_of_up_to_three_bytes_is_judged_like_the_definition)
{
    for (uint32_t bits = 0; bits < 1u << 24; bits++) {
        unsigned char s[3] = {(unsigned char)(bits >> 16),
                              (unsigned char)(bits >> 8), (unsigned char)bits};
        if (s[0] < 0x80 && bits % 251 != 0)
            continue;
        struct mica_text text = {(const char *)s, 0};
        for (text.len = 1; text.len <= 3; text.len++) {
            size_t first = s[0] < 0x80 ? 1 : s[0] < 0xE0 ? 2 : 3;
            UNIT_MUST(first != text.len ||
                          plain_valid(s, text.len) ==
                              (mica_utf8_valid(text) == text.len),
                      "%06X", bits);
        }
    }
}
END_TEST

START_TEST(utf8_is_valid_up_to_the_first_bad_byte)
{
    static const struct {
        const char *text;
        size_t len, valid;
    } cases[] = {
        {"", 0, 0},
        {"plain ascii of many bytes", 25, 25},
        {"h\xC3\xA9llo", 6, 6},
        {"ab\xC3", 3, 2},           // cut
        {"ab\xC0\x80", 4, 2},       // overlong NUL
        {"\xED\xA0\x80", 3, 0},     // surrogate
        {"\xF4\x90\x80\x80", 4, 0}, // above U+10FFFF
        {"\xF0\x8F\xBF\xBF", 4, 0}, // overlong
        {"\xF0\x9F\x98\x80!", 5, 5},
        {"\xF0\x9F\x98", 3, 0},
        {"12345678\x80", 9, 8},
        {"123456789012345\xFF", 16, 15},
        {"\xFE", 1, 0},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        ck_assert_uint_eq(
            mica_utf8_valid((struct mica_text){cases[i].text, cases[i].len}),
            cases[i].valid);
}
END_TEST

START_TEST(every_status_has_a_row)
{
    for (unsigned i = 0; i < MICA_STATUS_COUNT; i++) {
        enum mica_status status = (enum mica_status)i;
        ck_assert_uint_gt(strlen(mica_status_code(status)), 0);
        ck_assert_uint_gt(strlen(mica_status_meaning(status)), 0);
        ck_assert_int_eq(mica_status_exit(status) == 0, status == MICA_OK);
        for (unsigned k = 0; k < i; k++)
            ck_assert_str_ne(mica_status_code(status),
                             mica_status_code((enum mica_status)k));
    }
    ck_assert_str_eq(mica_status_code(MICA_E_RANGE), "OUT_OF_RANGE");
    ck_assert_int_eq(mica_status_json_rpc(MICA_E_JSON), -32700);
    ck_assert_int_eq(mica_status_http(MICA_E_NOT_FOUND), 404);
    ck_assert_int_eq(mica_status_kind(MICA_E_BUSY), MICA_BLOCKED);
}
END_TEST

START_TEST(exit_status_follows_the_kind)
{
    ck_assert_int_eq(mica_status_exit(MICA_E_INTERNAL), 1);
    ck_assert_int_eq(mica_status_exit(MICA_E_USAGE), 2);
    ck_assert_int_eq(mica_status_exit(MICA_E_TYPE), 3);
    ck_assert_int_eq(mica_status_exit(MICA_E_NOT_FOUND), 4);
    ck_assert_int_eq(mica_status_exit(MICA_E_LIMIT), 5);
    ck_assert_int_eq(mica_status_exit(MICA_E_CANCELLED), 6);
    ck_assert_int_eq(mica_status_exit(MICA_E_EXISTS), 7);
    ck_assert_int_eq(mica_status_exit(MICA_E_IO), 8);
}
END_TEST

START_TEST(a_status_outside_the_table_is_an_internal_error)
{
    volatile int outside = 12345;
    enum mica_status status = (enum mica_status)outside;
    ck_assert_str_eq(mica_status_code(status), "INTERNAL_ERROR");
    outside = MICA_STATUS_COUNT;
    ck_assert_str_eq(mica_status_code((enum mica_status)outside),
                     "INTERNAL_ERROR");
}
END_TEST

// Each byte at each place of words of each length, so that it meets the comparison in
// and between its words of eight bytes.
START_TEST(words_are_compared_without_case_at_every_place)
{
    static const char word[] = "mcp-protocol-version@[`{zaZA";
    for (size_t len = 0; len < sizeof word; len++)
        for (size_t at = 0; at < len; at++)
            for (unsigned byte = 0; byte < 256; byte++) {
                char text[sizeof word], wanted[sizeof word] = "";
                for (size_t i = 0; i < len; i++)
                    wanted[i] = mica_ascii_lower(word[i]);
                memcpy(text, word, len);
                text[at] = (char)byte;
                bool same = wanted[at] == (char)byte ||
                            (wanted[at] >= 'a' && wanted[at] <= 'z' &&
                             wanted[at] - 'a' + 'A' == (int)byte);
                UNIT_MUST(mica_ascii_is((struct mica_text){text, len},
                                        wanted) == same,
                          "byte %02X of %zu at %zu", byte, len, at);
            }
    ck_assert(mica_ascii_is(MICA_LITERAL(""), ""));
    ck_assert(!mica_ascii_is(MICA_LITERAL("hos"), "host"));
    ck_assert(!mica_ascii_is(MICA_LITERAL("hosts"), "host"));
}
END_TEST

START_TEST(hexadecimal_digits_have_their_value_and_nothing_else_has)
{
    static const char digits[] = "0123456789abcdef", capitals[] = "ABCDEF";
    for (unsigned byte = 1; byte < 256; byte++) {
        const char *digit = strchr(digits, (int)byte);
        const char *capital = strchr(capitals, (int)byte);
        int value = digit != NULL     ? (int)(digit - digits)
                    : capital != NULL ? (int)(capital - capitals) + 10
                                      : -1;
        ck_assert_int_eq(mica_ascii_hex((char)byte), value);
    }
    ck_assert_int_eq(mica_ascii_hex('\0'), -1);
}
END_TEST

UNIT_MAIN("base_text", words_are_compared_without_case_at_every_place,
          hexadecimal_digits_have_their_value_and_nothing_else_has,
          slices_compare_by_bytes_and_then_by_length,
          a_slice_of_a_slice_stays_inside, an_empty_slice_lies_at_its_place,
          distance_counts_edits_up_to_a_limit,
          distance_agrees_with_the_whole_table, every_code_point_survives_utf8,
          characters_are_counted_at_every_place,
          utf8_of_up_to_three_bytes_is_judged_like_the_definition,
          utf8_is_valid_up_to_the_first_bad_byte, every_status_has_a_row,
          exit_status_follows_the_kind,
          a_status_outside_the_table_is_an_internal_error)
