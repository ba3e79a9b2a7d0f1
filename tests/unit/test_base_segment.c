// SPDX-License-Identifier: Apache-2.0
//
// Bounds of words and sentences: every case of the test files of UAX #29
// (tests/spec/segments), and what makes the rules look far ahead.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unit.h"

typedef bool segment(struct mica_text *rest, struct mica_text *segment_out);

// Reads "| 0061 | 0020 |" into the text, and in `bounds` where a bound is.
static size_t
read_case(char *line, char *text, bool bounds[600])
{
    size_t len = 0;
    memset(bounds, 0, 600 * sizeof *bounds);
    for (char *word = strtok(line, " \n"); word != NULL;
         word = strtok(NULL, " \n")) {
        ck_assert_uint_lt(len, 590);
        if (strcmp(word, "|") == 0)
            bounds[len] = true;
        else
            len +=
                mica_utf8_encode((uint32_t)strtoul(word, NULL, 16), text + len);
    }
    return len;
}

static void
check_case(segment *cut, const char *text, size_t len, const bool bounds[600],
           int line)
{
    struct mica_text rest = {text, len}, part;
    size_t at = 0;
    while (rest.len > 0) {
        (void)cut(&rest, &part);
        ck_assert_ptr_eq(part.ptr, text + at);
        ck_assert_uint_gt(part.len, 0);
        for (size_t i = 1; i < part.len; i++)
            ck_assert_msg(!bounds[at + i], "line %d: no bound at byte %zu",
                          line, at + i);
        at += part.len;
        ck_assert_msg(bounds[at], "line %d: a bound at byte %zu", line, at);
        ck_assert_uint_eq(rest.len, len - at);
    }
}

START_TEST(every_case_of_the_standard_holds)
{
    static char line[8192], text[600];
    bool bounds[600];
    unsigned words = 0, sentences = 0;
    FILE *file = fopen(MICA_SOURCE "/tests/spec/segments/cases.txt", "r");
    ck_assert_ptr_nonnull(file);
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        bool word = strncmp(line, "word ", 5) == 0;
        if (line[0] == '#')
            continue;
        ck_assert(word || strncmp(line, "sentence ", 9) == 0);
        size_t len = read_case(line + (word ? 5 : 9), text, bounds);
        check_case(word ? mica_text_word : mica_text_sentence, text, len,
                   bounds, number);
        words += word;
        sentences += !word;
    }
    fclose(file);
    ck_assert_uint_eq(words, 1823);
    ck_assert_uint_eq(sentences, 502);
}
END_TEST

START_TEST(words_are_told_from_what_stands_between)
{
    static const struct {
        const char *textz;
        bool written;
    } cases[] = {{"can't", true},   {"3.5", true},     {"_", false},
                 {"字", true},      {"ひ", true},      {"カナ", true},
                 {"ก", true},       {"🙂", false},   {" ", false},
                 {"\r\n", false},   {".", false},      {"שָׁלוֹם", true},
                 {"a\u0301", true}, {"\u0301", false}, {"Ⅷ", true}};
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_text rest = mica_text(cases[i].textz), word;
        ck_assert_msg(mica_text_word(&rest, &word) == cases[i].written, "%s",
                      cases[i].textz);
        ck_assert_msg(rest.len == 0, "%s", cases[i].textz);
    }
}
END_TEST

START_TEST(time_is_linear_in_what_looks_far_ahead)
{
    static const char *const units[] = {
        "a'\u0301",   "a.",      "1,",    ". ",  ".)",      ". 1",
        "\u0301",     "a\u200D", "\"",    "א\"", ".\u0301", "🇩🇪",
        "\u200D🙂", "?)",      "a. 1 ", "."};
    static char text[1 << 20];
    for (size_t i = 0; i < MICA_COUNT(units); i++) {
        size_t size = strlen(units[i]), len = 0;
        while (len + size < sizeof text) {
            memcpy(text + len, units[i], size);
            len += size;
        }
        struct mica_text part;
        clock_t began = clock();
        for (struct mica_text rest = {text, len}; rest.len > 0;)
            (void)mica_text_word(&rest, &part);
        for (struct mica_text rest = {text, len}; rest.len > 0;)
            (void)mica_text_sentence(&rest, &part);
        // A square of that length would take hours.
        ck_assert_msg(clock() - began < 20 * CLOCKS_PER_SEC, "%s", units[i]);
    }
}
END_TEST

START_TEST(all_code_points_have_a_class)
{
    char text[4];
    for (uint32_t point = 0; point < 0x110000; point++) {
        if (point >= 0xD800 && point < 0xE000)
            continue;
        struct mica_text rest = {text, mica_utf8_encode(point, text)}, part;
        (void)mica_text_word(&rest, &part);
        ck_assert_uint_eq(rest.len, 0);
        rest = part;
        (void)mica_text_sentence(&rest, &part);
        ck_assert_uint_eq(rest.len, 0);
    }
}
END_TEST

UNIT_MAIN("base_segment", every_case_of_the_standard_holds,
          words_are_told_from_what_stands_between,
          time_is_linear_in_what_looks_far_ahead, all_code_points_have_a_class)
