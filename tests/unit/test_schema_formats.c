// SPDX-License-Identifier: Apache-2.0
//
// Values of `format` by tables: what the grammars allow, and the near misses. The
// official suite has many more (test_schema_suite.c); here are those that its
// packaged edition does not know.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <mica/schema.h>

#include "unit.h"

static bool
matches_text(const char *formatz, struct mica_text instance)
{
    const struct mica_schema_options options = {.assert_formats = true};
    struct mica_arena arena;
    struct mica_error error;
    struct mica_schema *schema;
    char text[256];
    mica_arena_init(&arena, 16 << 20);
    snprintf(text, sizeof text, "{\"format\": \"%s\"}", formatz);
    ck_assert_int_eq(
        mica_schema_compile(&arena, mica_text(text), &options, &error, &schema),
        MICA_OK);
    const struct mica_json value = {.kind = MICA_JSON_STRING, .text = instance};
    bool valid =
        mica_schema_validate(schema, &value, NULL, &arena, NULL) == MICA_OK;
    mica_arena_fini(&arena);
    return valid;
}

static bool
matches(const char *formatz, const char *textz)
{
    return matches_text(formatz, mica_text(textz));
}

static void
check(const char *formatz, bool expected, const char *const *texts,
      size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(matches(formatz, texts[i]) == expected, "%s \"%s\" is %s",
                      formatz, texts[i], expected ? "refused" : "allowed");
}

#define CHECK(formatz, expected, ...)                       \
    do {                                                    \
        static const char *const texts[] = {__VA_ARGS__};   \
        check(formatz, expected, texts, MICA_COUNT(texts)); \
    } while (0)

// RFC 3339 appendix A.
START_TEST(a_duration_has_no_number_without_its_unit)
{
    CHECK("duration", true, "P1D", "P1DT3H", "PT36H", "P2W", "P1Y2M3DT4H5M6S",
          "P01D", "P99999999999999999999D");
    CHECK("duration", false, "P1D2T3H", "P1D2", "PT3H2", "P1DT", "PT1H2S",
          "P1Y2D", "P1W2D", "P2WT1H", "P1", "P", "PT", "P-1D", "PT0.5S",
          "P1DT2T3H", "P1D ", "");
}
END_TEST

// RFC 6570 section 2, with erratum 6937 on the apostrophe.
START_TEST(a_uri_template_has_names_and_modifiers_of_its_grammar)
{
    CHECK("uri-template", true, "{a.b}", "{%41}", "{a%41.b}", "{v:1}",
          "{v:9999}", "{v*}", "{+a,b:3,c*}", "a'b", "a%41b", "");
    CHECK("uri-template", false, "{a..b}", "{.}", "{a.}", "{+.a}", "{a.,b}",
          "{v:01}", "{v:0}", "{v:}", "{v:10000}", "{v:3*}", "{v*:3}", "{v**}",
          "{%4}", "{%}", "{a%g1}", "a%4", "a%", "a%zzb", "{a", "a}", "{}",
          "{a,}", "{a b}");
}
END_TEST

START_TEST(an_a_label_is_the_punycode_of_a_valid_label)
{
    CHECK("hostname", true, "xn--mnchen-3ya.example", "XN--MNCHEN-3YA.example",
          "xn--ihqwcrb4cv8a8dqg056pqjye", "xn--4gbwdl.xn--wgbh1c",
          "a-b.example", "a--b.example", "1.2");
    CHECK("hostname", false, "xn--x", "xn--", "xn--a-", "xn--abc-",
          "ab--cd.org", "xn--99999999", "xn--0", // too large, and cut short
          "xn--07jt112bpxg", "xn--a\xC3\xA4",
          "xn--07jceefgh4c", // begins with a mark
          "1.xn--4gbwdl",    // a digit first, in a name that runs both ways
          "xn--al-0ea", "xn--", "a.xn--x.b");
}
END_TEST

START_TEST(internationalized_names_follow_idna_2008)
{
    CHECK("idn-hostname", true, "example.org", "münchen.example", "faß.de",
          "日本語.jp", "日本語。jp", "l·l.cat", "͵α", "א׳", "ア・イ",
          "क्\xE2\x80\x8Dष", "ن\xE2\x80\x8Cی", "xn--mnchen-3ya.example",
          "العربية", "א1", "a1.א");
    CHECK("idn-hostname", false, "München", "mu\xCC\x88nchen", "é\xCC\xA7", ".",
          "a..b", "a.", "a。", "l·a", "·", "͵a", "a׳", "a・b",
          "a\xE2\x80\x8D"
          "b",
          "a\xE2\x80\x8C"
          "b",
          "٠۰", "ａ", "\xCC\x88ü", "-ü", "ü-", "üa--b", "אa", "1א", "1.א",
          "א.1a", "א1٠", "☃", "a b", "\xF0\x9F\x98\x80");
}
END_TEST

// One byte too many as an A-label, though not as typed.
START_TEST(the_limits_of_a_name_hold_for_its_a_labels)
{
    char name[1024] = "";
    for (int i = 0; i < 56; i++)
        strcat(name, "ü");
    ck_assert(matches("idn-hostname", name));
    strcat(name, "üüü");
    ck_assert(!matches("idn-hostname", name));
    *name = '\0';
    for (int i = 0; i < 27; i++)
        strcat(name, i == 0 ? "ü.ü" : ".ü"); // "xn--tda." 28 times
    ck_assert(matches("idn-hostname", name));
    strcat(name, ".ü.ü.ü.ü");
    ck_assert(!matches("idn-hostname", name));
}
END_TEST

// Of 8 MiB only the beginning can be read: to read on would end the test.
START_TEST(a_name_is_read_until_it_is_too_long)
{
    enum {
        PAGE = 1 << 16,
        SIZE = 8 << 20
    };
    char *name = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(name != MAP_FAILED);
    for (size_t at = 0; at + 3 <= PAGE; at += 3)
        memcpy(name + at, "ü.", 3);
    ck_assert_int_eq(mprotect(name + PAGE, SIZE - PAGE, PROT_NONE), 0);
    ck_assert(!matches_text("idn-hostname", (struct mica_text){name, SIZE}));
    ck_assert_int_eq(munmap(name, SIZE), 0);
}
END_TEST

UNIT_MAIN("schema_formats", a_duration_has_no_number_without_its_unit,
          a_uri_template_has_names_and_modifiers_of_its_grammar,
          an_a_label_is_the_punycode_of_a_valid_label,
          internationalized_names_follow_idna_2008,
          the_limits_of_a_name_hold_for_its_a_labels,
          a_name_is_read_until_it_is_too_long)
