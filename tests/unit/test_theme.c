// SPDX-License-Identifier: Apache-2.0
//
// Themes of published apps: names, the grammar of values, injections, contrast.
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/theme.h"
#include "apps/theme_color.h"
#include "apps/theme_defaults.h"
#include "view/view_protocol.h"

static struct mica_arena arena;
static struct mica_json theme;
static struct mica_theme_findings findings;

// Reads and checks a theme; the result stays until `end`.
static void
check(const char *json)
{
    struct mica_error error;

    mica_arena_init(&arena, 16 << 20);
    ck_assert_msg(mica_json_read(&arena, mica_text(json), NULL, &error,
                                 &theme) == MICA_OK,
                  "%s", error.message);
    ck_assert_uint_eq(mica_theme_check(&theme, &arena, &findings), MICA_OK);
}

static bool
text_has(struct mica_text text, const char *partz)
{
    size_t size = strlen(partz);

    for (size_t at = 0; at + size <= text.len; at++) {
        if (memcmp(text.ptr + at, partz, size) == 0)
            return true;
    }
    return false;
}

static void
end(void)
{
    mica_arena_fini(&arena);
}

static bool
is_value(enum mica_theme_kind kind, const char *value)
{
    return mica_theme_value(kind, mica_text(value));
}

// ---- Names -----------------------------------------------------------------------

START_TEST(each_variable_has_a_kind)
{
    enum mica_theme_kind kind;
    size_t counts[6] = {0};

    for (size_t i = 0; i < MICA_VIEW_STYLES; i++) {
        ck_assert(mica_theme_kind(mica_text(mica_view_styles[i]), &kind));
        counts[kind]++;
    }
    ck_assert_uint_eq(counts[MICA_THEME_COLOR], 37);
    ck_assert_uint_eq(counts[MICA_THEME_FONT], 2);
    ck_assert_uint_eq(counts[MICA_THEME_WEIGHT], 4);
    ck_assert_uint_eq(counts[MICA_THEME_LENGTH], 18);
    ck_assert_uint_eq(counts[MICA_THEME_LINE], 11);
    ck_assert_uint_eq(counts[MICA_THEME_SHADOW], 4);
    for (size_t i = 0; i < MICA_THEME_OWN; i++)
        ck_assert(mica_theme_kind(mica_text(mica_theme_own[i].name), &kind));
    ck_assert(!mica_theme_kind(MICA_LITERAL("--color"), &kind));
    ck_assert(!mica_theme_kind(MICA_LITERAL("color"), &kind));
    ck_assert(!mica_theme_kind(MICA_LITERAL(""), &kind));
    ck_assert(!mica_theme_kind(MICA_LITERAL("--font-sans\0"), &kind));
}
END_TEST

START_TEST(a_wrong_name_is_told_the_nearest)
{
    check("{\"--color-text-primery\":\"red\",\"__proto__\":\"red\","
          "\"--mica-acent\":\"red\",\"--color-text-primary;}*{x:y\":\"red\"}");
    ck_assert_uint_eq(findings.count, 4);
    ck_assert_uint_eq(findings.errors, 4);
    ck_assert_str_eq(findings.items[0].code, "THEME_UNKNOWN");
    ck_assert(findings.items[0].error);
    ck_assert(mica_text_is(findings.items[0].message,
                           "No variable is named --color-text-primery; did you "
                           "mean --color-text-primary?"));
    ck_assert(mica_text_is(
        findings.items[1].message,
        "No variable is named __proto__. The names are the 76 of MCP Apps and "
        "those that begin with --mica-."));
    ck_assert(mica_text_is(findings.items[3].variable,
                           "--color-text-primary;}*{x:y"));
    end();
}
END_TEST

START_TEST(a_theme_is_an_object_of_strings)
{
    check("[]");
    ck_assert_uint_eq(findings.count, 1);
    ck_assert_str_eq(findings.items[0].code, "THEME_TYPE");
    ck_assert_uint_eq(findings.items[0].variable.len, 0);
    end();
    check("{\"--font-sans\":1,\"--font-weight-bold\":700}");
    ck_assert_uint_eq(findings.errors, 2);
    ck_assert_str_eq(findings.items[1].code, "THEME_TYPE");
    ck_assert(mica_text_is(findings.items[1].message,
                           "--font-weight-bold must be a string: a number from "
                           "1 to 1000, normal or bold."));
    end();
    check("{}");
    ck_assert_uint_eq(findings.count, 0);
    end();
    mica_arena_init(&arena, 1 << 20);
    ck_assert_uint_eq(mica_theme_check(NULL, &arena, &findings), MICA_OK);
    ck_assert_uint_eq(findings.count, 0);
    end();
}
END_TEST

// ---- Values ----------------------------------------------------------------------

START_TEST(values_of_each_kind_are_known)
{
    static const struct {
        enum mica_theme_kind kind;
        const char *value;
    } good[] = {
        {MICA_THEME_COLOR, "#fff"},
        {MICA_THEME_COLOR, "#FfF8"},
        {MICA_THEME_COLOR, "#0d6757"},
        {MICA_THEME_COLOR, "#0d6757cc"},
        {MICA_THEME_COLOR, "rgb(255, 0, 0)"},
        {MICA_THEME_COLOR, "rgba(255,0,0,.5)"},
        {MICA_THEME_COLOR, "rgb(255 0 0 / 50%)"},
        {MICA_THEME_COLOR, "rgb(100% 0% 0%)"},
        {MICA_THEME_COLOR, "RGB( 1  2  3 )"},
        {MICA_THEME_COLOR, "hsl(210, 50%, 40%)"},
        {MICA_THEME_COLOR, "hsla(210deg 50% 40% / 0.5)"},
        {MICA_THEME_COLOR, "hsl(-90.5 50% 40%)"},
        {MICA_THEME_COLOR, "oklch(0.7 0.1 200)"},
        {MICA_THEME_COLOR, "oklch(70% 25% 200deg / 80%)"},
        {MICA_THEME_COLOR, "light-dark(#fff, #000)"},
        {MICA_THEME_COLOR, "light-dark(rgb(1,2,3),hsl(1 2% 3%))"},
        {MICA_THEME_COLOR, "rebeccapurple"},
        {MICA_THEME_COLOR, "Transparent"},
        {MICA_THEME_FONT, "sans-serif"},
        {MICA_THEME_FONT, "Inter, \"Noto Sans\", ui-sans-serif"},
        {MICA_THEME_FONT, "Source Sans, \"Source Sans 3\""},
        {MICA_THEME_FONT, "\"3270 Nerd.Font\""},
        {MICA_THEME_WEIGHT, "400"},
        {MICA_THEME_WEIGHT, "bold"},
        {MICA_THEME_LENGTH, "0"},
        {MICA_THEME_LENGTH, "12px"},
        {MICA_THEME_LENGTH, ".875rem"},
        {MICA_THEME_LENGTH, "1.5em"},
        {MICA_THEME_LENGTH, "50%"},
        {MICA_THEME_LENGTH, "9999px"},
        {MICA_THEME_LINE, "1.5"},
        {MICA_THEME_LINE, "24px"},
        {MICA_THEME_SHADOW, "none"},
        {MICA_THEME_SHADOW, "0 1px 3px #0003"},
        {MICA_THEME_SHADOW, "inset 0 0 0 1px rgb(0 0 0 / 10%)"},
        {MICA_THEME_SHADOW,
         "0 1px 2px -1px #0001, 0 1px 3px light-dark(#0001,#000)"},
    };

    for (size_t i = 0; i < MICA_COUNT(good); i++)
        ck_assert_msg(is_value(good[i].kind, good[i].value), "%s",
                      good[i].value);
}
END_TEST

START_TEST(all_else_is_refused)
{
    static const struct {
        enum mica_theme_kind kind;
        const char *value;
    } bad[] = {
        {MICA_THEME_COLOR, ""},
        {MICA_THEME_COLOR, " #fff"},
        {MICA_THEME_COLOR, "#fff "},
        {MICA_THEME_COLOR, "#ff"},
        {MICA_THEME_COLOR, "#fffff"},
        {MICA_THEME_COLOR, "#fffffffff"},
        {MICA_THEME_COLOR, "#ggg"},
        {MICA_THEME_COLOR, "reddish"},
        {MICA_THEME_COLOR, "red "},
        {MICA_THEME_COLOR, "red, blue"},
        {MICA_THEME_COLOR, "currentColor"},
        {MICA_THEME_COLOR, "inherit"},
        {MICA_THEME_COLOR, "var(--x)"},
        {MICA_THEME_COLOR, "rgb(1,2)"},
        {MICA_THEME_COLOR, "rgb(1 2 3"},
        {MICA_THEME_COLOR, "rgb(1 2 3))"},
        {MICA_THEME_COLOR, "rgb(1, 2 3)"},
        {MICA_THEME_COLOR, "rgb(1 2 3, 4)"},
        {MICA_THEME_COLOR, "rgb(1 2 3 / )"},
        {MICA_THEME_COLOR, "rgb(1% 2 3)"},
        {MICA_THEME_COLOR, "rgb(1deg 2 3)"},
        {MICA_THEME_COLOR, "rgb(1.2.3 4)"},
        {MICA_THEME_COLOR, "rgb(1e2 2 3)"},
        {MICA_THEME_COLOR, "rgb(1111111111111 2 3)"},
        {MICA_THEME_COLOR, "rgb (1 2 3)"},
        {MICA_THEME_COLOR, "hsl(1 2 3)"},
        {MICA_THEME_COLOR, "hsl(50% 2% 3%)"},
        {MICA_THEME_COLOR, "oklch(1 2 50%)"},
        {MICA_THEME_COLOR, "lab(1 2 3)"},
        {MICA_THEME_COLOR, "light-dark(#fff)"},
        {MICA_THEME_COLOR, "light-dark(#fff,#000,#000)"},
        {MICA_THEME_COLOR, "light-dark(light-dark(#fff,#000),#000)"},
        {MICA_THEME_COLOR, "linear-gradient(red,blue)"},
        {MICA_THEME_FONT, "Inter,"},
        {MICA_THEME_FONT, ",Inter"},
        {MICA_THEME_FONT, "\"Inter"},
        {MICA_THEME_FONT, "'Inter'"},
        {MICA_THEME_FONT, "Inter\""},
        {MICA_THEME_FONT, "\"\""},
        {MICA_THEME_FONT, "3 Inter"},
        {MICA_THEME_FONT, "Source Sans 3"},
        {MICA_THEME_FONT, "a,b,c,d,e,f,g,h,i"},
        {MICA_THEME_FONT, "M\xc3\xbcller"},
        {MICA_THEME_FONT, "local(Inter)"},
        {MICA_THEME_WEIGHT, "0"},
        {MICA_THEME_WEIGHT, "1001"},
        {MICA_THEME_WEIGHT, "bolder"},
        {MICA_THEME_WEIGHT, "400px"},
        {MICA_THEME_LENGTH, "1"},
        {MICA_THEME_LENGTH, "-1px"},
        {MICA_THEME_LENGTH, "1 px"},
        {MICA_THEME_LENGTH, "1vh"},
        {MICA_THEME_LENGTH, "1e3px"},
        {MICA_THEME_LENGTH, "10001px"},
        {MICA_THEME_LENGTH, "calc(1px + 1px)"},
        {MICA_THEME_LENGTH, "1px 2px"},
        {MICA_THEME_LENGTH, "NaNpx"},
        {MICA_THEME_LENGTH, "."},
        {MICA_THEME_LINE, "0"},
        {MICA_THEME_LINE, "11"},
        {MICA_THEME_LINE, "normal"},
        {MICA_THEME_SHADOW, "1px #000"},
        {MICA_THEME_SHADOW, "0 0"},
        {MICA_THEME_SHADOW, "0 0 -1px #000"},
        {MICA_THEME_SHADOW, "0 0 1px 1px 1px #000"},
        {MICA_THEME_SHADOW, "0 0 1px #000,"},
        {MICA_THEME_SHADOW, "0 0 #000, 0 0 #000, 0 0 #000, 0 0 #000, 0 0 #000"},
        {MICA_THEME_SHADOW, "0 0 5% #000"},
    };

    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(!is_value(bad[i].kind, bad[i].value), "%s", bad[i].value);
}
END_TEST

// Values that mean harm: each with what could become of it if it were written.
static const char *const injections[] = {
    "red;background:url(https://a.example/)",
    "red;}body{display:none",
    "red}</style><script>alert(1)</script>",
    "</style",
    "url(https://a.example/x)",
    "URL(\"https://a.example/x\")",
    "u\\72l(https://a.example/)",
    "\\75rl(https://a.example/)",
    "image-set(\"https://a.example/\" 1x)",
    "src(\"https://a.example/\")",
    "expression(alert(1))",
    "@import \"https://a.example/\"",
    "red/**/",
    "red/*",
    "*/red",
    "red!important",
    "<!--",
    "-->",
    "red\n;x:y",
    "red\t",
    "red\r",
    "red\f",
    "\xe2\x80\xaered",
    "red\xc2\xa0",
    "\xef\xbc\x9bred",
    "env(safe-area-inset-top)",
    "attr(data-x)",
    "var(--color-text-primary)",
    "paint(x)",
    "element(#x)",
    "cross-fade(red,blue)",
    "#fff\\",
    "\"",
    "'",
    "`",
    "javascript:alert(1)",
    "-moz-binding:x",
    "behavior:x",
};

START_TEST(no_injection_is_a_value_of_any_kind)
{
    for (size_t i = 0; i < MICA_COUNT(injections); i++) {
        for (int kind = MICA_THEME_COLOR; kind <= MICA_THEME_SHADOW; kind++)
            ck_assert_msg(!is_value((enum mica_theme_kind)kind, injections[i]),
                          "%s", injections[i]);
    }
    ck_assert(!mica_theme_value(MICA_THEME_COLOR, MICA_LITERAL("red\0")));
    ck_assert(!mica_theme_value(MICA_THEME_FONT, MICA_LITERAL("a\0b")));
}
END_TEST

START_TEST(an_injection_is_an_error_and_never_written)
{
    struct mica_buffer json, css;

    for (size_t i = 0; i < MICA_COUNT(injections); i++) {
        mica_arena_init(&arena, 1 << 20);
        mica_buffer_init(&json, &arena, 1 << 12);
        mica_buffer_text(&json, MICA_LITERAL("{\"--color-text-primary\":\""));
        mica_json_escape(&json, mica_text(injections[i]));
        mica_buffer_text(&json,
                         MICA_LITERAL("\",\"--color-text-info\":\"red\"}"));
        struct mica_error error;
        ck_assert_uint_eq(mica_json_read(&arena, mica_buffer_as_text(&json),
                                         NULL, &error, &theme),
                          MICA_OK);
        ck_assert_uint_eq(mica_theme_check(&theme, &arena, &findings), MICA_OK);
        ck_assert_msg(findings.errors == 1, "%s", injections[i]);
        ck_assert(
            mica_text_is(findings.items[0].variable, "--color-text-primary"));
        mica_buffer_init(&css, &arena, 1 << 12);
        mica_theme_write(&theme, &css);
        ck_assert(
            mica_text_is(mica_buffer_as_text(&css), "--color-text-info:red;"));
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(a_finding_says_what_is_forbidden)
{
    check("{\"--color-text-primary\":\"url(x)\",\"--font-sans\":\"a\\u202e\","
          "\"--border-radius-sm\":\"1vh\"}");
    ck_assert_uint_eq(findings.errors, 3);
    ck_assert_str_eq(findings.items[0].code, "THEME_FORBIDDEN");
    ck_assert(mica_text_is(
        findings.items[0].message,
        "--color-text-primary may not have 'url(' in its value. It is a color: "
        "#rrggbb, rgb(), hsl(), oklch(), a name, or light-dark(COLOR, COLOR)."));
    ck_assert_str_eq(findings.items[1].code, "THEME_VALUE");
    ck_assert(mica_text_is(findings.items[1].message,
                           "--font-sans is names of fonts with commas between, "
                           "as \"Noto Sans\", sans-serif, not 'a\\u202e'."));
    end();
}
END_TEST

START_TEST(values_and_findings_have_a_limit)
{
    struct mica_buffer json;
    struct mica_error error;

    mica_arena_init(&arena, 16 << 20);
    mica_buffer_init(&json, &arena, 1 << 20);
    mica_buffer_text(&json, MICA_LITERAL("{\"--font-sans\":\""));
    for (int i = 0; i <= MICA_THEME_VALUE_BYTES; i++)
        mica_buffer_char(&json, 'a');
    mica_buffer_char(&json, '"');
    for (int i = 0; i < 2 * MICA_THEME_FINDINGS; i++)
        mica_buffer_format(&json, ",\"x%d\":1", i);
    mica_buffer_text(&json, MICA_LITERAL("}"));
    ck_assert_uint_eq(mica_json_read(&arena, mica_buffer_as_text(&json), NULL,
                                     &error, &theme),
                      MICA_OK);
    ck_assert_uint_eq(mica_theme_check(&theme, &arena, &findings), MICA_OK);
    ck_assert_uint_eq(findings.count, MICA_THEME_FINDINGS);
    ck_assert_str_eq(findings.items[0].code, "THEME_LIMIT");
    end();
}
END_TEST

// ---- Colors ----------------------------------------------------------------------

static void
ck_color(const char *text, double red, double green, double blue, double alpha)
{
    struct mica_color_pair pair;

    ck_assert_msg(mica_color_read(mica_text(text), &pair), "%s", text);
    ck_assert_msg(fabs(pair.light.red - red) < 0.004 &&
                      fabs(pair.light.green - green) < 0.004 &&
                      fabs(pair.light.blue - blue) < 0.004 &&
                      fabs(pair.light.alpha - alpha) < 0.004,
                  "%s: %f %f %f %f", text, pair.light.red, pair.light.green,
                  pair.light.blue, pair.light.alpha);
}

START_TEST(colors_are_what_a_browser_makes_of_them)
{
    ck_color("#f80", 1, 0.533, 0, 1);
    ck_color("#ff880080", 1, 0.533, 0, 0.502);
    ck_color("rgb(255 136 0 / 25%)", 1, 0.533, 0, 0.25);
    ck_color("rgb(300, -5, 0)", 1, 0, 0, 1);
    ck_color("hsl(120 100% 25%)", 0, 0.5, 0, 1);
    ck_color("hsl(-240 100% 25%)", 0, 0.5, 0, 1);
    ck_color("hsl(30, 100%, 50%)", 1, 0.5, 0, 1);
    // As Chromium computes them.
    ck_color("oklch(0.7 0.1 200)", 0.2510, 0.6941, 0.7176, 1);
    ck_color("oklch(70% 25% 200deg)", 0.2510, 0.6941, 0.7176, 1);
    ck_color("oklch(60% 0.2 20)", 0.8706, 0.2235, 0.2941, 1);
    ck_color("oklch(50% 0 0)", 0.3882, 0.3882, 0.3882, 1);
    ck_color("oklch(1 0 0)", 1, 1, 1, 1);
    ck_color("tomato", 1, 0.388, 0.278, 1);
    ck_color("transparent", 0, 0, 0, 0);
    struct mica_color_pair pair;
    ck_assert(mica_color_read(MICA_LITERAL("light-dark(#fff, black)"), &pair));
    ck_assert(pair.light.red > 0.99 && pair.dark.red < 0.01);
}
END_TEST

START_TEST(contrast_is_that_of_wcag)
{
    struct mica_color_pair a, b;
    static const struct {
        const char *text, *background;
        double contrast;
    } known[] = {{"#000", "#fff", 21},       {"#fff", "#fff", 1},
                 {"#777", "#fff", 4.48},     {"#767676", "#fff", 4.54},
                 {"#00f", "#fff", 8.59},     {"#ff0", "#fff", 1.07},
                 {"#00000080", "#fff", 3.98}};

    for (size_t i = 0; i < MICA_COUNT(known); i++) {
        ck_assert(mica_color_read(mica_text(known[i].text), &a));
        ck_assert(mica_color_read(mica_text(known[i].background), &b));
        double contrast = mica_color_contrast(a.light, b.light, b.light);
        ck_assert_msg(fabs(contrast - known[i].contrast) < 0.03, "%s: %f",
                      known[i].text, contrast);
    }
}
END_TEST

START_TEST(text_that_cannot_be_read_is_a_warning)
{
    check("{\"--color-text-primary\":\"#ccc\"}");
    ck_assert_uint_eq(findings.errors, 0);
    ck_assert_uint_ge(findings.count, 1);
    ck_assert_str_eq(findings.items[0].code, "THEME_CONTRAST");
    ck_assert(!findings.items[0].error);
    ck_assert(mica_text_is(
        findings.items[0].message,
        "--color-text-primary on --color-background-primary has a contrast of "
        "1.6 to 1 in a light theme; text that all can read has 4.5 to 1 or "
        "more."));
    // All of them in the light theme: in a dark one it can be read.
    for (size_t i = 0; i < findings.count; i++)
        ck_assert(text_has(findings.items[i].message, "in a light theme"));
    end();
    check("{\"--color-text-primary\":\"light-dark(#222,#ccc)\"}");
    ck_assert_uint_eq(findings.count, 0);
    end();
    // Both schemes are one finding, at a variable that is set.
    check("{\"--color-text-primary\":\"#777\","
          "\"--color-background-primary\":\"#888\"}");
    ck_assert_uint_eq(findings.count, 7);
    for (size_t i = 0; i < findings.count; i++)
        ck_assert(
            mica_text_is(findings.items[i].variable, "--color-text-primary") ||
            mica_text_is(findings.items[i].variable,
                         "--color-background-primary"));
    ck_assert(text_has(findings.items[0].message, "in light and dark themes"));
    end();
    check("{\"--mica-color-accent\":\"#ffd700\"}");
    ck_assert_uint_ge(findings.count, 2);
    end();
}
END_TEST

START_TEST(the_defaults_are_a_theme_without_findings)
{
    enum mica_theme_kind kind;
    struct mica_buffer json;
    struct mica_error error;
    size_t count = 0;

    mica_arena_init(&arena, 1 << 20);
    mica_buffer_init(&json, &arena, 1 << 16);
    for (size_t i = 0; i < MICA_THEME_NAMES; i++) {
        const char *name = i < MICA_VIEW_STYLES
                               ? mica_view_styles[i]
                               : mica_theme_own[i - MICA_VIEW_STYLES].name;
        const char *value = mica_theme_default(name);
        ck_assert(mica_theme_kind(mica_text(name), &kind));
        if (value == NULL)
            continue;
        ck_assert_msg(is_value(kind, value), "%s: %s", name, value);
        mica_buffer_format(&json, "%s\"%s\":\"", count++ == 0 ? "{" : ",",
                           name);
        mica_json_escape(&json, mica_text(value));
        mica_buffer_text(&json, MICA_LITERAL("\""));
    }
    mica_buffer_text(&json, MICA_LITERAL("}"));
    ck_assert_uint_gt(count, 40);
    ck_assert_uint_eq(mica_json_read(&arena, mica_buffer_as_text(&json), NULL,
                                     &error, &theme),
                      MICA_OK);
    ck_assert_uint_eq(mica_theme_check(&theme, &arena, &findings), MICA_OK);
    ck_assert_msg(findings.count == 0, "%.*s",
                  MICA_ARG(findings.items[0].message));
    end();
}
END_TEST

UNIT_MAIN("theme", each_variable_has_a_kind, a_wrong_name_is_told_the_nearest,
          a_theme_is_an_object_of_strings, values_of_each_kind_are_known,
          all_else_is_refused, no_injection_is_a_value_of_any_kind,
          an_injection_is_an_error_and_never_written,
          a_finding_says_what_is_forbidden, values_and_findings_have_a_limit,
          colors_are_what_a_browser_makes_of_them, contrast_is_that_of_wcag,
          text_that_cannot_be_read_is_a_warning,
          the_defaults_are_a_theme_without_findings)
