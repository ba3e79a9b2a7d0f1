// SPDX-License-Identifier: Apache-2.0
//
// Patterns: a table of what matches what, what is refused and why, and the work
// that matching takes.
#include "schema/regex.h"
#include "unit.h"

#include <string.h>

static struct mica_arena arena;
static struct mica_error error;

static enum mica_status
compile(const char *patternz, struct mica_regex *regex)
{
    memset(&error, 0, sizeof error);
    return mica_regex_compile(&arena, mica_text(patternz), &error, regex);
}

static bool
matches(const char *patternz, const char *textz)
{
    struct mica_regex regex;
    ck_assert_msg(compile(patternz, &regex) == MICA_OK, "%s", error.message);
    return mica_regex_match(&regex, mica_text(textz), NULL);
}

// A pattern, texts that it matches, texts that it does not.
struct pattern {
    const char *patternz;
    const char *yes[6], *no[6];
};

static void
check_patterns(const struct pattern *patterns, size_t count)
{
    mica_arena_init(&arena, 1 << 22);
    for (size_t i = 0; i < count; i++) {
        const struct pattern *p = &patterns[i];
        for (size_t k = 0; k < MICA_COUNT(p->yes) && p->yes[k] != NULL; k++)
            ck_assert_msg(matches(p->patternz, p->yes[k]), "/%s/ on \"%s\"",
                          p->patternz, p->yes[k]);
        for (size_t k = 0; k < MICA_COUNT(p->no) && p->no[k] != NULL; k++)
            ck_assert_msg(!matches(p->patternz, p->no[k]), "/%s/ on \"%s\"",
                          p->patternz, p->no[k]);
    }
    mica_arena_fini(&arena);
}

START_TEST(literals_and_anchors_match_where_they_stand)
{
    static const struct pattern patterns[] = {
        {"", {"", "a"}, {NULL}},
        {"b", {"b", "abc"}, {"", "a"}},
        {"^b", {"b", "bc"}, {"ab", ""}},
        {"b$", {"b", "ab"}, {"ba", ""}},
        {"^$", {""}, {"a"}},
        {"^abc$", {"abc"}, {"abcd", "xabc", "ab"}},
        {"a^b", {NULL}, {"ab", "a\nb"}},
        {"a$b", {NULL}, {"ab", "a\nb"}},
        {"^é$", {"é"}, {"e", "éé"}},
        {"^.$", {"a", "é", "😀", "\t"}, {"", "\n", "\r", "ab"}},
        {"^.$", {"\xE2\x80\xA7"}, {"\xE2\x80\xA8", "\xE2\x80\xA9"}},
        {"a/b", {"a/b"}, {"ab"}},
        {"-", {"a-b"}, {"ab"}},
        {"a,b=c!d:e'f\"g<h>i&j%k#l@m~n`o;p_q",
         {"a,b=c!d:e'f\"g<h>i&j%k#l@m~n`o;p_q"},
         {NULL}},
    };
    check_patterns(patterns, MICA_COUNT(patterns));
}
END_TEST

START_TEST(classes_hold_ranges_sets_and_their_opposites)
{
    static const struct pattern patterns[] = {
        {"^[abc]$", {"a", "c"}, {"d", "", "ab"}},
        {"^[a-c]$", {"a", "b", "c"}, {"d", "-"}},
        {"^[^a-c]$", {"d", "é", "\n", "😀"}, {"a", "c", ""}},
        {"^[a-]$", {"a", "-"}, {"b"}},
        {"^[-a]$", {"a", "-"}, {"b"}},
        {"^[a\\-c]$", {"a", "-", "c"}, {"b"}},
        {"^[\\]\\\\]$", {"]", "\\"}, {"["}},
        {"^[[]$", {"["}, {"]"}},
        {"^[.*+?(){}|$^/]+$", {".*+?(){}|$^/"}, {"a"}},
        {"^[^]$", {"a", "\n", "^"}, {""}},
        {"^[]$", {NULL}, {"", "a", "]"}},
        {"^[À-ÿ]+$", {"é", "ÀÿÖ"}, {"a", "Ā"}},
        {"^[\\u{1F600}-\\u{1F64F}]$", {"😀"}, {"a", "🚀"}},
        {"^\\d+$", {"0123456789"}, {"", "a", "٣"}},
        {"^\\D+$", {"abc é", "٣"}, {"a1", ""}},
        {"^\\w+$", {"aZ_09"}, {"é", "-", ""}},
        {"^\\W+$", {"é-", " "}, {"_", "a"}},
        {"^\\s+$",
         {" \t\n\v\f\r", "\xC2\xA0", "\xE3\x80\x80", "\xEF\xBB\xBF"},
         {"", "a"}},
        {"^\\S+$", {"aé😀"}, {" ", "\xE2\x80\x83", "\xE1\x9A\x80"}},
        {"^[\\s\\d]+$", {"1 2"}, {"a"}},
        {"^[^\\s\\d]+$", {"ab"}, {"1", " "}},
        {"^[\\W_]+$", {"-_"}, {"a"}},
        {"^[\\b]$", {"\b"}, {"b"}},
    };
    check_patterns(patterns, MICA_COUNT(patterns));
}
END_TEST

START_TEST(escapes_name_characters)
{
    static const struct pattern patterns[] = {
        {"^\\t\\n\\r\\v\\f$", {"\t\n\r\v\f"}, {"tnrvf"}},
        {"^\\x41\\u0042\\u{43}\\u{00044}$", {"ABCD"}, {"AB"}},
        {"^\\uD83D\\uDE00$", {"😀"}, {"a"}},
        {"^\\uD83Dx$", {NULL}, {"x", "😀x"}},
        {"^\\cJ\\cj$", {"\n\n"}, {"JJ"}},
        {"^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$",
         {"^$\\.*+?()[]{}|/"},
         {""}},
    };
    check_patterns(patterns, MICA_COUNT(patterns));
    struct mica_regex regex;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(compile("^a\\0b$", &regex), MICA_OK);
    ck_assert(mica_regex_match(&regex, MICA_LITERAL("a\0b"), NULL));
    ck_assert(!mica_regex_match(&regex, MICA_LITERAL("a0b"), NULL));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(repeats_count)
{
    static const struct pattern patterns[] = {
        {"^a*$", {"", "a", "aaaa"}, {"b", "ab"}},
        {"^a+$", {"a", "aaaa"}, {"", "b"}},
        {"^a?$", {"", "a"}, {"aa"}},
        {"^a*?b$", {"b", "aab"}, {"a"}},
        {"^a+?$", {"aa"}, {""}},
        {"^a??$", {"", "a"}, {"aa"}},
        {"^a{3}$", {"aaa"}, {"aa", "aaaa", ""}},
        {"^a{0}$", {""}, {"a"}},
        {"^a{0}b$", {"b"}, {"ab"}},
        {"^a{2,}$", {"aa", "aaaaa"}, {"a", ""}},
        {"^a{0,}$", {"", "aa"}, {"b"}},
        {"^a{2,4}$", {"aa", "aaa", "aaaa"}, {"a", "aaaaa"}},
        {"^a{0,2}$", {"", "a", "aa"}, {"aaa"}},
        {"^a{1,1}$", {"a"}, {"", "aa"}},
        {"^(ab){2}$", {"abab"}, {"ab", "aabb"}},
        {"^(ab|c){1,3}d$", {"abd", "cabcd"}, {"d", "ababababd"}},
        {"^([a-z]{2}-){0,2}\\d$", {"1", "ab-1", "ab-cd-1"}, {"ab-cd-ef-1"}},
        {"^((a{2}){2}){2}$", {"aaaaaaaa"}, {"aaaaaaa", "aaaaaaaaa"}},
        {"^(a*)*$", {"", "aaa"}, {"b"}},
        {"^(a*)+b$", {"b", "aab"}, {"aa"}},
        {"^(a|)+$", {"", "aa"}, {"b"}},
        {"^(|a){3}$", {"", "a", "aaa"}, {"aaaa"}},
        {"^()*x$", {"x"}, {""}},
        {"^(){2,5}x$", {"x"}, {""}},
        {"^(?:){3}x$", {"x"}, {""}},
        {"^[0-9]{4}-[0-9]{2}$", {"2026-11"}, {"2026-1"}},
        {"x{2,3}?y", {"xxy", "xxxxy"}, {"xy"}},
    };
    check_patterns(patterns, MICA_COUNT(patterns));
}
END_TEST

START_TEST(groups_and_alternatives_nest)
{
    static const struct pattern patterns[] = {
        {"^(a|b|c)$", {"a", "b", "c"}, {"d", "ab", ""}},
        {"^a|b$", {"ax", "xb"}, {"xax"}},
        {"^(?:a|bc)+$", {"abca", "bc"}, {"b", ""}},
        {"a|", {"", "b"}, {NULL}},
        {"^(|a)$", {"", "a"}, {"b"}},
        {"^(a(b(c|d)|e)|f)$", {"abc", "abd", "ae", "f"}, {"ab", "af"}},
        {"^(one|two|three|four|five|six)$", {"one", "four", "six"}, {"seven"}},
        {"(^|,)a(,|$)", {"a", "b,a", "a,b", "b,a,c"}, {"ba", "ab"}},
        {"^(a|ab)(c|bcd)$", {"ac", "abc", "abcd"}, {"abcdd"}},
    };
    check_patterns(patterns, MICA_COUNT(patterns));
}
END_TEST

START_TEST(word_edges_are_ascii)
{
    static const struct pattern patterns[] = {
        {"\\bcat\\b", {"cat", "a cat.", "écat"}, {"cats", "concat"}},
        {"\\Bcat", {"concat"}, {"cat", " cat"}},
        {"^\\b$", {NULL}, {""}},
        {"^\\B$", {""}, {"a"}},
        {"a\\b$", {"a"}, {"ab"}},
    };
    check_patterns(patterns, MICA_COUNT(patterns));
}
END_TEST

START_TEST(what_is_not_understood_is_refused_with_the_place)
{
    static const struct {
        const char *patternz, *messagez;
    } cases[] = {
        {"a(?=b)", "the pattern a(?=b), up to byte 3: of the groups that "
                   "start with (? only (?: is supported; look-around would "
                   "not be linear"},
        {"(?<!a)b", NULL},
        {"(?<name>a)", NULL},
        {"(a)\\1", "the pattern (a)\\1, up to byte 5: back-references are not "
                   "supported; they cannot be matched in linear time"},
        {"\\k<a>", NULL},
        {"\\01", NULL},
        {"\\p{L}", "the pattern \\p{L}, up to byte 2: \\p{…} is not "
                   "supported; list the ranges in a class: [A-Za-zÀ-ÿ]"},
        {"(a", "the pattern (a, up to byte 2: a ( has no )"},
        {"a)", "the pattern a), up to byte 1: a ) has no ("},
        {"[a", "the pattern [a, up to byte 2: a [ has no ]"},
        {"[a-", NULL},
        {"[a\\", NULL},
        {"a\\", "the pattern a\\, up to byte 2: a \\ has nothing behind it"},
        {"\\a", "the pattern \\a, up to byte 2: this escape means nothing; "
                "write the character without \\"},
        {"\\-", NULL},
        {"\\é", NULL},
        {"\\c1", NULL},
        {"\\c", NULL},
        {"\\x4", "the pattern \\x4, up to byte 3: \\x takes 2 hex digits and "
                 "\\u takes 4, or \\u{…}"},
        {"\\u12", NULL},
        {"\\u{}", NULL},
        {"\\u{110000}", NULL},
        {"\\u{12", NULL},
        {"*a", "the pattern *a, up to byte 1: there is nothing for * to "
               "repeat; for the character itself write \\*"},
        {"a|+", NULL},
        {"(?)", NULL},
        {"a**", NULL},
        {"a{1}{2}", NULL},
        {"^*", "the pattern ^*, up to byte 2: ^, $, \\b and \\B take no "
               "repeat"},
        {"\\b+", NULL},
        {"a{", NULL},
        {"a{1", NULL},
        {"a{1,2", NULL},
        {"a{,2}", "the pattern a{,2}, up to byte 2: a repeat is {m}, {m,} or "
                  "{m,n}; for the character { itself write \\{"},
        {"a{2,1}", "the pattern a{2,1}, up to byte 6: the repeat has its "
                   "larger number first"},
        {"}", NULL},
        {"]", NULL},
        {"[b-a]", "the pattern [b-a], up to byte 4: a range in a class runs "
                  "backwards"},
        {"[\\d-z]", NULL},
        {"[a-\\d]", NULL},
    };
    mica_arena_init(&arena, 1 << 22);
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_regex regex;
        ck_assert_msg(compile(cases[i].patternz, &regex) == MICA_E_USAGE,
                      "/%s/", cases[i].patternz);
        if (cases[i].messagez != NULL)
            ck_assert_str_eq(error.message, cases[i].messagez);
        ck_assert_ptr_nonnull(strstr(error.message, cases[i].patternz));
    }
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_pattern_that_grows_too_large_is_refused)
{
    static const char *const patterns[] = {
        "a{2001}",           "a{99999999999999999999}", "(a{50}){50}",
        "((a{10}){20}){30}", "(a{0,999}){3}",           "[ab]{1000,2100}"};
    struct mica_regex regex;
    mica_arena_init(&arena, 1 << 22);
    for (size_t i = 0; i < MICA_COUNT(patterns); i++) {
        ck_assert_msg(compile(patterns[i], &regex) == MICA_E_LIMIT, "/%s/",
                      patterns[i]);
        ck_assert_ptr_nonnull(strstr(error.message, "use smaller"));
    }
    ck_assert_int_eq(compile("a{1998}", &regex), MICA_OK);
    ck_assert_int_eq(compile("()(){99999999}", &regex), MICA_OK);
    // Groups deeper than any pattern needs do not exhaust the stack.
    char deep[20001];
    memset(deep, '(', 10000);
    memset(deep + 10000, ')', 10000);
    deep[20000] = '\0';
    ck_assert_int_eq(compile(deep, &regex), MICA_E_LIMIT);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_full_arena_is_a_limit)
{
    struct mica_regex regex;
    for (size_t cap = 0; cap < 3000; cap += 50) {
        mica_arena_init(&arena, cap);
        enum mica_status status =
            compile("^([a-z]{3}[^0-9\\s]|x{20}){2,4}$", &regex);
        ck_assert(status == MICA_E_LIMIT);
        mica_arena_fini(&arena);
    }
}
END_TEST

// The classic bombs for engines that go back. The work is counted, so that the
// test does not depend on the machine.
START_TEST(the_work_is_linear_in_the_text)
{
    static const char *const patterns[] = {
        "(a*)*b",         "(a+)+$b",        "^(a|a)*$b",     "(a|aa)+b",
        "(.*)(.*)(.*)c$", "(a?){30}a{30}b", "([a-z]*\\b)*1", "a.*a.*a.*a.*b"};
    enum {
        LENGTH = 50000
    };
    static char text[LENGTH];
    memset(text, 'a', sizeof text);
    mica_arena_init(&arena, 1 << 22);
    for (size_t i = 0; i < MICA_COUNT(patterns); i++) {
        struct mica_regex regex;
        uint64_t half, whole;
        ck_assert_msg(compile(patterns[i], &regex) == MICA_OK, "%s",
                      error.message);
        ck_assert(!mica_regex_match(
            &regex, (struct mica_text){text, LENGTH / 2}, &half));
        ck_assert(!mica_regex_match(&regex, (struct mica_text){text, LENGTH},
                                    &whole));
        ck_assert_uint_le(whole, regex.step_count * (LENGTH + 1));
        // Twice the text, twice the work, but for the way in.
        ck_assert_uint_le(whole, 2 * half + 100 * regex.step_count);
        ck_assert_uint_gt(whole, LENGTH);
    }
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_anchored_pattern_stops_when_it_cannot_match)
{
    static char text[50000];
    struct mica_regex regex;
    uint64_t work;
    memset(text, 'a', sizeof text);
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(compile("^ab", &regex), MICA_OK);
    ck_assert(!mica_regex_match(&regex, (struct mica_text){text, sizeof text},
                                &work));
    ck_assert_uint_lt(work, 10);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_compiled_pattern_matches_again_and_again)
{
    struct mica_regex regex;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(compile("^(a|b)*c$", &regex), MICA_OK);
    for (int i = 0; i < 100; i++) {
        ck_assert(mica_regex_match(&regex, MICA_LITERAL("abac"), NULL));
        ck_assert(!mica_regex_match(&regex, MICA_LITERAL("abad"), NULL));
    }
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("regex", literals_and_anchors_match_where_they_stand,
          classes_hold_ranges_sets_and_their_opposites, escapes_name_characters,
          repeats_count, groups_and_alternatives_nest, word_edges_are_ascii,
          what_is_not_understood_is_refused_with_the_place,
          a_pattern_that_grows_too_large_is_refused, a_full_arena_is_a_limit,
          the_work_is_linear_in_the_text,
          an_anchored_pattern_stops_when_it_cannot_match,
          a_compiled_pattern_matches_again_and_again)
