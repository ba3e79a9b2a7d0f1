// SPDX-License-Identifier: Apache-2.0
//
// Slugs: the rule of the contract by examples, what every slug is whatever the name, and
// the same slugs as a second implementation makes them.
#include "apps/app_slug.h"

#include <string.h>

#include "unit.h"

#define ID MICA_LITERAL("7F-3a9c2e41d0b6")

static const char *
slug_of(const char *namez)
{
    static char slug[MICA_APP_SLUG_SIZE];
    size_t length = mica_app_slug(mica_text(namez), ID, slug);

    ck_assert_uint_eq(length, strlen(slug));
    return slug;
}

START_TEST(a_slug_is_the_name_in_lower_case_with_hyphens)
{
    ck_assert_str_eq(slug_of("My Support Bot"), "my-support-bot");
    ck_assert_str_eq(slug_of("API"), "api-app");
    ck_assert_str_eq(slug_of("  Q&A -- for  you "), "qa-for-you");
    ck_assert_str_eq(slug_of("Tip-Splitter 2000"), "tip-splitter-2000");
    ck_assert_str_eq(slug_of("under_score.dot/slash"), "underscoredotslash");
    ck_assert_str_eq(slug_of("Caf\u00e9 Bot"), "caf-bot");
    ck_assert_str_eq(slug_of("a\u00a0b\u3000c\td\ne"), "a-b-c-d-e");
    ck_assert_str_eq(slug_of("-a-"), "a");
    ck_assert_str_eq(slug_of("a - b"), "a-b");
    ck_assert_str_eq(slug_of("<script>alert(1)</script>"),
                     "scriptalert1script");
    ck_assert_str_eq(slug_of("../../etc/passwd"), "etcpasswd");
    // The Kelvin sign and letters of other widths are special characters.
    ck_assert_str_eq(slug_of("\u212aelvin \uff21b"), "elvin-b");
}
END_TEST

START_TEST(where_nothing_is_left_the_id_gives_the_slug)
{
    char slug[MICA_APP_SLUG_SIZE];

    ck_assert_str_eq(slug_of("\u65e5\u672c\u8a9e"), "app-7f3a9c");
    ck_assert_str_eq(slug_of(""), "app-7f3a9c");
    ck_assert_str_eq(slug_of(" - - "), "app-7f3a9c");
    ck_assert_str_eq(slug_of("!!!"), "app-7f3a9c");
    mica_app_slug(MICA_LITERAL("?"), MICA_LITERAL("ab"), slug);
    ck_assert_str_eq(slug, "app-ab");
    // Without an id, too, it is a slug that an app may have.
    mica_app_slug(MICA_LITERAL("?"), MICA_LITERAL("_"), slug);
    ck_assert_str_eq(slug, "app-app");
}
END_TEST

START_TEST(reserved_slugs_are_for_no_app)
{
    static const char *const names[] = {
        "mcp", "api", "UI", "Console", "Builder", "well-known", "servers"};

    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        const char *slug = slug_of(names[i]);
        ck_assert_msg(mica_app_slug_wrong(mica_text(slug)) == NULL, "%s", slug);
        ck_assert_str_eq(slug + strlen(slug) - 4, "-app");
    }
    ck_assert(mica_app_slug_reserved(MICA_LITERAL("mcp")));
    ck_assert(!mica_app_slug_reserved(MICA_LITERAL("mcp-2")));
    ck_assert_str_eq(mica_app_slug_wrong(MICA_LITERAL("mcp")), "is reserved");
    ck_assert(mica_app_slug_valid(MICA_LITERAL("mcp")));
}
END_TEST

START_TEST(a_clash_counts_and_the_suffix_fits)
{
    char slug[MICA_APP_SLUG_SIZE];
    char long_name[201], cut[201];

    mica_app_slug_numbered(MICA_LITERAL("a"), 1, slug);
    ck_assert_str_eq(slug, "a");
    mica_app_slug_numbered(MICA_LITERAL("a"), 2, slug);
    ck_assert_str_eq(slug, "a-2");
    mica_app_slug_numbered(MICA_LITERAL("a"), 4000000000, slug);
    ck_assert_str_eq(slug, "a-4000000000");

    memset(long_name, 'x', 200);
    long_name[200] = '\0';
    ck_assert_uint_eq(strlen(slug_of(long_name)), 64);
    mica_app_slug_numbered((struct mica_text){long_name, 64}, 17, slug);
    ck_assert_uint_eq(strlen(slug), 64);
    ck_assert_str_eq(slug + 60, "x-17");
    // A cut before a hyphen does not leave it at the end.
    memcpy(cut, long_name, 201);
    cut[61] = '-';
    mica_app_slug_numbered((struct mica_text){cut, 64}, 2, slug);
    ck_assert_str_eq(slug + 58, "xxx-2");
    cut[63] = ' ';
    ck_assert_str_eq(slug_of(cut) + 60, "x-x");
    // In place.
    memcpy(slug, "tip", 4);
    mica_app_slug_numbered((struct mica_text){slug, 3}, 3, slug);
    ck_assert_str_eq(slug, "tip-3");
}
END_TEST

START_TEST(what_is_no_slug_is_told)
{
    static const char *const wrong[] = {"",   "-a",  "a-",  "a--b",   "A",
                                        "a_", "a b", "a/b", "\u00e9", "a\n"};
    char longest[66];

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        ck_assert_msg(mica_app_slug_wrong(mica_text(wrong[i])) != NULL, "%s",
                      wrong[i]);
        ck_assert(!mica_app_slug_valid(mica_text(wrong[i])));
    }
    memset(longest, 'a', 65);
    ck_assert(mica_app_slug_valid((struct mica_text){longest, 64}));
    ck_assert(!mica_app_slug_valid((struct mica_text){longest, 65}));
    ck_assert(!mica_app_slug_valid((struct mica_text){"a\0b", 3}));
}
END_TEST

// ---- Against a second implementation ---------------------------------------------

static uint64_t seed = 0x5eed;

static unsigned
draw(unsigned below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % below;
}

// Names of pieces, in which each kind of character is frequent.
static size_t
draw_name(char *name, size_t room)
{
    static const char *const pieces[] = {
        "a",       "Z",      "9",      " ",      "  ",     "-",
        "--",      "_",      ".",      "mcp",    "Bot",    "\t",
        "\u00e9",  "\u65e5", "\u00a0", "\u2003", "\u202e", "\U0001f916",
        "console", "api",    "x1",     "\ufeff", "%",      "\xc2\x80"};
    size_t length = 0;

    for (unsigned count = draw(40); count > 0; count--) {
        const char *piece = pieces[draw(MICA_COUNT(pieces))];
        size_t size = strlen(piece);
        if (length + size < room) {
            memcpy(name + length, piece, size);
            length += size;
        }
    }
    return length;
}

static bool
model_keeps(unsigned char c)
{
    return strchr("abcdefghijklmnopqrstuvwxyz0123456789-", c) != NULL && c != 0;
}

// Three passes over a copy, as the contract words the rule: lower case, spaces to
// hyphens, the rest removed; then hyphens are joined and cut off. Slow and plain.
static size_t
model_slug(struct mica_text name, char *out)
{
    char text[1024], joined[1024];
    size_t length = 0, count = 0;

    while (name.len > 0) {
        uint32_t c = mica_text_next(&name);
        bool space = c == 0xa0 || c == 0x2003 || c == 0xfeff ||
                     (c < 0x80 && c != 0 && strchr(" \t\n\v\f\r", (int)c));
        if (c >= 'A' && c <= 'Z')
            c += 32;
        if (space)
            c = '-';
        if (c < 0x80 && model_keeps((unsigned char)c))
            text[length++] = (char)c;
    }
    for (size_t i = 0; i < length; i++)
        if (text[i] != '-' || (count > 0 && joined[count - 1] != '-'))
            joined[count++] = text[i];
    if (count > 64)
        count = 64;
    while (count > 0 && joined[count - 1] == '-')
        count--;
    memcpy(out, joined, count);
    return count;
}

START_TEST(every_name_gives_a_slug_that_an_app_may_have)
{
    char name[256], slug[MICA_APP_SLUG_SIZE], next[MICA_APP_SLUG_SIZE];
    char expected[1024];
    unsigned by_name = 0, by_id = 0, reserved = 0;

    for (unsigned round = 0; round < 20000; round++) {
        struct mica_text text = {name, draw_name(name, sizeof name)};
        struct mica_text made = {slug, mica_app_slug(text, ID, slug)};
        size_t length = model_slug(text, expected);
        unsigned attempt = 1 + draw(2000);

        ck_assert_ptr_null(mica_app_slug_wrong(made));
        mica_app_slug_numbered(made, attempt, next);
        ck_assert_ptr_null(mica_app_slug_wrong(mica_text(next)));
        ck_assert(attempt == 1 || strcmp(slug, next) != 0);
        if (length == 0) {
            by_id++;
            ck_assert_str_eq(slug, "app-7f3a9c");
            continue;
        }
        if (mica_app_slug_reserved((struct mica_text){expected, length})) {
            reserved++;
            memcpy(expected + length, "-app", 4);
            length += 4;
        }
        expected[length] = '\0';
        ck_assert_str_eq(slug, expected);
        by_name++;
    }
    // The names are of all kinds, or the loop says nothing.
    ck_assert_uint_gt(by_name, 10000);
    ck_assert_uint_gt(by_id, 100);
    ck_assert_uint_gt(reserved, 20);
}
END_TEST

UNIT_MAIN("app_slug", a_slug_is_the_name_in_lower_case_with_hyphens,
          where_nothing_is_left_the_id_gives_the_slug,
          reserved_slugs_are_for_no_app, a_clash_counts_and_the_suffix_fits,
          what_is_no_slug_is_told, every_name_gives_a_slug_that_an_app_may_have)
