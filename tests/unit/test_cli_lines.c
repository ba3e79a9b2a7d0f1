// SPDX-License-Identifier: Apache-2.0
//
// Lines of a terminal that are cut to its width, and the name that was meant by a wrong
// one.
#include <string.h>

#include "cli/columns.h"
#include "cli/near.h"
#include "unit.h"

static void
assert_cut(const char *text, size_t most, const char *wanted)
{
    struct mica_buffer out;

    mica_buffer_init(&out, NULL, 1 << 16);
    mica_columns_cut(&out, mica_text(text), most);
    UNIT_TEXT_EQ(mica_buffer_as_text(&out), wanted);
    ck_assert_uint_le(mica_columns(mica_buffer_as_text(&out)), most);
    mica_buffer_fini(&out);
}

START_TEST(a_text_that_does_not_fit_is_cut_and_says_so)
{
    assert_cut("percent", 7, "percent");
    assert_cut("percent", 6, "perce…");
    assert_cut("per cent", 5, "per…"); // no blank before the sign
    assert_cut("percent", 1, "…");
    assert_cut("", 1, "");
    assert_cut("Größe", 5, "Größe");
    assert_cut("Größe", 4, "Grö…");
}
END_TEST

START_TEST(a_wide_character_takes_two_columns_and_a_mark_none)
{
    ck_assert_uint_eq(mica_columns(mica_text("日本")), 4);
    ck_assert_uint_eq(mica_columns(mica_text("e\u0301")), 1);
    ck_assert_uint_eq(mica_columns(mica_text("🙂a")), 3);
    assert_cut("日本語", 6, "日本語");
    assert_cut("日本語", 5, "日本…");
    assert_cut("日本語", 4, "日…");
    assert_cut("e\u0301e\u0301e\u0301", 2, "e\u0301…");
}
END_TEST

START_TEST(a_line_has_one_blank_where_others_were)
{
    struct mica_buffer out;

    mica_buffer_init(&out, NULL, 1 << 16);
    mica_columns_line(&out, mica_text("  a\n\n b\tc \r\n"));
    UNIT_TEXT_EQ(mica_buffer_as_text(&out), "a b c");
    mica_buffer_fini(&out);
}
END_TEST

START_TEST(a_wrong_name_brings_the_one_that_was_meant)
{
    static const char *const names[] = {
        "listen",   "root",  "allow-host",   "allow-origin",
        "sessions", "quiet", "trusted-proxy"};
    static const struct mica_synonym synonyms[] = {{"port", "listen"},
                                                   {"silent", "hush"},
                                                   {"silent", "quiet"},
                                                   {NULL, NULL}};
    static const struct {
        const char *word, *meant;
    } cases[] = {
        {"listn", "listen"},        // a slip
        {"LISTEN", "listen"},       // case
        {"port", "listen"},         // not root, which differs in two letters
        {"silent", "quiet"},        // the synonym that is there
        {"origin", "allow-origin"}, // a whole word of it
        {"allow-all-origin", "allow-origin"}, // the most words
        {"proxy_trusted", "trusted-proxy"},
        {"sess", "sessions"}, // its beginning
        {"lisetn", "listen"}, // two letters of six
        {"zzzzzz", NULL},
        {"boot", "root"},
        {"loot", "root"},
        {"ro", NULL},
        {"", NULL},
        {"-", NULL},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        const char *found = mica_near(mica_text(cases[i].word), names,
                                      MICA_COUNT(names), synonyms);
        if (cases[i].meant == NULL)
            ck_assert_msg(found == NULL, "%s: %s", cases[i].word, found);
        else
            ck_assert_msg(found != NULL && strcmp(found, cases[i].meant) == 0,
                          "%s: %s", cases[i].word, found);
    }
}
END_TEST

UNIT_MAIN("cli_lines", a_text_that_does_not_fit_is_cut_and_says_so,
          a_wide_character_takes_two_columns_and_a_mark_none,
          a_line_has_one_blank_where_others_were,
          a_wrong_name_brings_the_one_that_was_meant)
