// SPDX-License-Identifier: Apache-2.0
//
// The parts of `mica check` that read: names, characters, source, expectations,
// random inputs. What a check finds in whole engines is tested in tests/check.
#include <string.h>

#include <mica/decimal.h>

#include "base/unicode.h"
#include "check/assigned.h"
#include "check/branches.h"
#include "check/field_names.h"
#include "check/fields.h"
#include "check/match.h"
#include "check/random_inputs.h"
#include "check/shrink.h"
#include "check/source.h"
#include "unit.h"

// Of the test that runs; each has a process of its own.
static struct mica_arena room;

static struct mica_arena *
arena(void)
{
    if (room.cap == 0) {
        mica_arena_init(&room, 256 << 20);
    }
    return &room;
}

static struct mica_json
json(const char *textz)
{
    struct mica_json value;
    struct mica_error error;

    ck_assert_msg(mica_json_read(arena(), mica_text(textz), NULL, &error,
                                 &value) == MICA_OK,
                  "%s: %s", textz, error.message);
    return value;
}

// ---- Names -------------------------------------------------------------------

START_TEST(names_of_quantities_are_known_by_their_head)
{
    static const char *const quantities[] = {
        "price",         "unit_price",   "unitPrice",      "prices",
        "pricePerNight", "amount_due",   "total_with_tax", "grossWeight",
        "weight_max",    "taxes",        "balanceAfter",   "HTTPLatency",
        "time",          "cost_of_item", "interest",       "length"};
    static const char *const others[] = {"people",
                                         "price_count",
                                         "tax_rate",
                                         "interest_rate_percent",
                                         "days",
                                         "duration_ms",
                                         "a",
                                         "total_words",
                                         "term_months",
                                         "years",
                                         "priceless",
                                         "discount_percent",
                                         "",
                                         "heightCm",
                                         "index",
                                         "width_px"};

    for (size_t i = 0; i < MICA_COUNT(quantities); i++) {
        ck_assert_msg(mica_name_is_quantity(mica_text(quantities[i]), false),
                      "%s", quantities[i]);
    }
    for (size_t i = 0; i < MICA_COUNT(others); i++) {
        ck_assert_msg(!mica_name_is_quantity(mica_text(others[i]), false), "%s",
                      others[i]);
    }
}
END_TEST

START_TEST(an_integer_length_counts)
{
    ck_assert(!mica_name_is_quantity(mica_text("length"), true));
    ck_assert(!mica_name_is_quantity(mica_text("sample_size"), true));
    ck_assert(mica_name_is_quantity(mica_text("distance"), true));
}
END_TEST

START_TEST(names_that_say_when)
{
    static const char *const times[] = {"date",  "startDate", "created_at",
                                        "when",  "deadline",  "due",
                                        "dates", "birthday",  "arrival_time"};
    static const char *const others[] = {"day_of_week", "time_zone", "format",
                                         "dated",       "update",    "latest",
                                         "candidate",   "at_home",   "weekday"};

    for (size_t i = 0; i < MICA_COUNT(times); i++) {
        ck_assert_msg(mica_name_is_time(mica_text(times[i])), "%s", times[i]);
    }
    for (size_t i = 0; i < MICA_COUNT(others); i++) {
        ck_assert_msg(!mica_name_is_time(mica_text(others[i])), "%s",
                      others[i]);
    }
}
END_TEST

START_TEST(forms_of_codes_and_slugs)
{
    ck_assert(mica_is_upper_snake(mica_text("DIVISION_BY_ZERO")));
    ck_assert(mica_is_upper_snake(mica_text("E2")));
    ck_assert(!mica_is_upper_snake(mica_text("E")));
    ck_assert(!mica_is_upper_snake(mica_text("_E2")));
    ck_assert(!mica_is_upper_snake(mica_text("A__B")));
    ck_assert(!mica_is_upper_snake(mica_text("AB_")));
    ck_assert(!mica_is_upper_snake(mica_text("2AB")));
    ck_assert(!mica_is_upper_snake(mica_text("Ab")));
    ck_assert(!mica_is_upper_snake(mica_text("")));
    ck_assert(mica_is_kebab(mica_text("a-1-b")));
    ck_assert(!mica_is_kebab(mica_text("a--b")));
    ck_assert(!mica_is_kebab(mica_text("-a")));
    ck_assert(!mica_is_kebab(mica_text("a_b")));
    ck_assert(!mica_is_kebab(mica_text("")));
}
END_TEST

START_TEST(prose_adds_words_or_not)
{
    ck_assert(!mica_words_add(mica_text("The tip."), mica_text("tip")));
    ck_assert(
        !mica_words_add(mica_text("Unit prices"), mica_text("unitPrice")));
    ck_assert(
        mica_words_add(mica_text("Number of values."), mica_text("count")));
    ck_assert(!mica_words_add(mica_text(""), mica_text("count")));
}
END_TEST

// ---- Characters ----------------------------------------------------------------

static uint32_t
hidden(const char *textz)
{
    size_t index;

    return mica_hidden_find(mica_text(textz), &index);
}

START_TEST(hidden_characters_are_found_and_emoji_are_not)
{
    size_t index = 99;

    ck_assert_uint_eq(hidden("plain\ttext\nof “all” sorts: café, 中文, עברית"),
                      0);
    ck_assert_uint_eq(mica_hidden_find(mica_text("aé\u200b"), &index), 0x200B);
    ck_assert_uint_eq(index, 2);
    ck_assert_uint_eq(hidden("a\u202Eb"), 0x202E);
    ck_assert_uint_eq(hidden("a\u2066b"), 0x2066);
    ck_assert_uint_eq(hidden("a\uFEFF"), 0xFEFF);
    ck_assert_uint_eq(hidden("a\U000E0061"), 0xE0061);
    ck_assert_uint_eq(hidden("a\U000E0101"), 0xE0101);
    ck_assert_uint_eq(hidden("a\uE000"), 0xE000);
    ck_assert_uint_eq(hidden("a\u3164"), 0x3164);
    ck_assert_uint_eq(hidden("so\u00ADft"), 0xAD);
    ck_assert_uint_eq(hidden("bell\a"), 7);
    ck_assert_uint_eq(hidden("❤\uFE0F 1\uFE0F\u20E3"), 0);
    ck_assert_uint_eq(hidden("👩\u200D💻 👨\u200D👩\u200D👧"), 0);
    ck_assert_uint_eq(hidden("a\uFE0F"), 0xFE0F);
    ck_assert_uint_eq(hidden("1\uFE0F"), 0xFE0F);
    ck_assert_uint_eq(hidden("❤\uFE0F\uFE0F"), 0xFE0F);
    ck_assert_uint_eq(hidden("👩\u200D"), 0x200D);
    ck_assert_uint_eq(hidden("a\u200Db"), 0x200D);
    ck_assert_str_eq(mica_hidden_name(0x200B), "zero-width space");
}
END_TEST

static uint32_t
covert(const char *textz)
{
    size_t index;

    return mica_covert_find(mica_text(textz), &index);
}

#define ENGLAND "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067"

START_TEST(covert_characters_are_those_that_no_writing_needs)
{
    size_t index = 99;

    ck_assert_uint_eq(covert("plain, می\u200Cخواهم, so\u00ADft, 👩\u200D💻"), 0);
    ck_assert_uint_eq(covert("\u2068name\u2069 \u200Fא a\uFE0F line\r\n"), 0);
    ck_assert_uint_eq(covert("葛\U000E0100城"), 0); // a variant of a name
    ck_assert_uint_eq(covert("葛\U000E0100\U000E0101"), 0xE0101);
    ck_assert_uint_eq(covert("a\U000E0100"), 0xE0100);
    ck_assert_uint_eq(mica_covert_find(mica_text("aé\u200B\U000E0049"), &index),
                      0xE0049);
    ck_assert_uint_eq(index, 3);
    ck_assert_uint_eq(covert("a\u202E"), 0x202E);
    ck_assert_uint_eq(covert("a\u2063"), 0x2063);
    ck_assert_uint_eq(covert("a\U000E0FFF"), 0xE0FFF);
    ck_assert_uint_eq(covert("a\a"), 7);
    // Two marks may meet; three in a row say something.
    ck_assert_uint_eq(covert("a\u200F\u2069b\u200F\u2069"), 0);
    ck_assert_uint_eq(covert("a\u200B\u200C\u200Bb"), 0x200B);
    ck_assert_uint_eq(covert("❤\uFE0F\uFE0F\uFE0E\uFE0F"), 0xFE0F);
    // The flags of England, Scotland and Wales are the only ones with tags.
    ck_assert_uint_eq(covert(ENGLAND "\U000E007F"), 0);
    ck_assert_uint_eq(hidden(ENGLAND "\U000E007F!"), 0);
    ck_assert_uint_eq(hidden(ENGLAND), 0xE0067);
    ck_assert_uint_eq(hidden(ENGLAND "\U000E007F\U000E0061"), 0xE0061);
    ck_assert_uint_eq(covert("\U0001F3F4\U000E0067\U000E007F"), 0xE0067);
    ck_assert_uint_eq(covert(ENGLAND "\U000E0067\U000E007F"), 0xE0067);
}
END_TEST

START_TEST(lookalikes_inside_a_word_are_found)
{
    struct mica_text word;
    uint32_t letter;

    ck_assert(mica_lookalike_find(mica_text("the pаrcel"), &word, &letter));
    ck_assert_uint_eq(letter, 0x430);
    ck_assert(mica_text_is(word, "pа"));
    ck_assert(mica_lookalike_find(mica_text("Οne"), &word, &letter));
    ck_assert(mica_lookalike_find(mica_text("ａb"), &word, &letter));
    ck_assert(!mica_lookalike_find(mica_text("посылка and parcel, 5 μm, Ω, π"),
                                   &word, &letter));
}
END_TEST

// ---- Source ------------------------------------------------------------------

static struct mica_source
source(const char *textz)
{
    struct mica_source read;

    mica_source_init(&read, arena(), mica_text(textz));
    return read;
}

START_TEST(comments_texts_and_directives_are_blank)
{
    struct mica_source read = source("a \"if (\\\"x\" /* if */ b // if\n"
                                     "#define if \\\n  else /* \n */\n"
                                     "'\"' c # d");

    ck_assert_msg(mica_text_is(read.code, "a \"       \"          b      \n"
                                          "            \n          \n   \n"
                                          "' ' c # d"),
                  "%.*s", MICA_ARG(read.code));
    ck_assert_uint_eq(read.code.len, read.text.len);
}
END_TEST

START_TEST(arguments_are_split_outside_brackets)
{
    struct mica_source read =
        source("f(a, g(b, c), {d, e}, \"x, y\" \"z\", h[1, 2] )");
    struct mica_text parts[8], literal;
    size_t at = 0;

    ck_assert_uint_eq(mica_source_arguments(&read, 1, parts, 8), 5);
    ck_assert(mica_text_is(parts[1], "g(b, c)"));
    ck_assert(mica_text_is(parts[4], "h[1, 2]"));
    ck_assert(mica_source_is_literal(&read, parts[3]));
    ck_assert(!mica_source_is_literal(&read, parts[1]));
    ck_assert(mica_source_literal(&read, arena(), parts[3], &at, &literal));
    ck_assert(mica_text_is(literal, "x, yz"));
    ck_assert(!mica_source_literal(&read, arena(), parts[3], &at, &literal));
}
END_TEST

START_TEST(broken_sources_are_read_to_their_end)
{
    static const char *const texts[] = {"",
                                        "\"",
                                        "'",
                                        "/*",
                                        "//",
                                        "#",
                                        "#\\",
                                        "if",
                                        "if (",
                                        "if ()",
                                        "case",
                                        "case x",
                                        "default",
                                        "f(",
                                        "f(a, (",
                                        "if (x) else",
                                        "\"a\\",
                                        "((((((((",
                                        "))))",
                                        "if (a) if (b) if (c) do while (d) {",
                                        "MICA_RECORD(",
                                        "\\"};

    for (size_t i = 0; i < MICA_COUNT(texts); i++) {
        struct mica_source read = source(texts[i]);
        struct mica_branch *branches;
        struct mica_text word, parts[4];

        (void)mica_branches_find(&read, arena(), &branches);
        for (size_t at = 0; mica_source_word(&read, &at, &word);) {
        }
        for (size_t at = 0; at < read.text.len; at++) {
            ck_assert_uint_le(mica_source_close(&read, at), read.text.len);
            (void)mica_source_arguments(&read, at, parts, 4);
        }
    }
}
END_TEST

START_TEST(branches_know_their_bodies_and_what_cannot_happen)
{
    struct mica_source read =
        source("if (a) { MICA_UNREACHABLE; } else if (b) c; "
               "if (d) for (;;) if (e) f; else MICA_UNREACHABLE;"
               "switch (g) { case 1 ? 2 : 3: default: MICA_UNREACHABLE; }"
               "int x = _Generic(y, int: 1, default: 2);");
    struct mica_branch *branches;

    ck_assert_uint_eq(mica_branches_find(&read, arena(), &branches), 6);
    ck_assert(!branches[0].true_counts && branches[0].false_counts);
    ck_assert(branches[1].true_counts && branches[1].false_counts);
    ck_assert(mica_text_is(branches[1].what, "b"));
    ck_assert_int_eq(read.text.ptr[branches[1].body], 'c');
    ck_assert(branches[2].true_counts && branches[2].false_counts);
    ck_assert(branches[3].true_counts && !branches[3].false_counts);
    ck_assert_int_eq(branches[5].kind, MICA_BRANCH_DEFAULT);
    ck_assert(!branches[5].true_counts);
}
END_TEST

START_TEST(lines_columns_and_offsets_agree)
{
    struct mica_source read = source("ab\n\ncd");

    ck_assert_uint_eq(mica_source_line(&read, 5), 3);
    ck_assert_uint_eq(mica_source_column(&read, 5), 2);
    ck_assert_uint_eq(mica_source_offset(&read, 3, 2), 5);
    ck_assert_uint_eq(mica_source_offset(&read, 9, 1), 6);
}
END_TEST

// ---- Expectations ----------------------------------------------------------------

static const char *
difference(const char *expectedz, const char *actualz)
{
    struct mica_json expected = json(expectedz), actual = json(actualz);
    const struct mica_json *wanted, *got;
    struct mica_buffer path;

    mica_buffer_init(&path, arena(), 1000);
    if (mica_match(&expected, &actual, &path, &wanted, &got)) {
        return "same";
    }
    mica_buffer_char(&path, '\0');
    return path.ptr;
}

START_TEST(expectations_compare_named_members_and_values)
{
    ck_assert_str_eq(difference("{\"a\":1.0}", "{\"a\":1,\"b\":2}"), "same");
    ck_assert_str_eq(difference("{}", "{\"a\":1}"), "same");
    ck_assert_str_eq(difference("{\"c\":1}", "{\"a\":1}"), "/c");
    ck_assert_str_eq(difference("{\"a\":[{\"b\":1},{\"b\":2}]}",
                                "{\"a\":[{\"b\":1,\"c\":0},{\"b\":3}]}"),
                     "/a/1/b");
    ck_assert_str_eq(difference("{\"a\":[1]}", "{\"a\":[1,2]}"), "/a");
    ck_assert_str_eq(difference("{\"a\":\"1\"}", "{\"a\":1}"), "/a");
    ck_assert_str_eq(difference("{\"a\":null}", "{}"), "/a");
    ck_assert_str_eq(difference("{\"a/b\":true}", "{\"a/b\":false}"), "/a~1b");
}
END_TEST

START_TEST(paths_lead_to_what_the_schema_has)
{
    struct mica_json schema =
        json("{\"type\":\"object\",\"properties\":{"
             "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
             "\"properties\":{\"price\":{\"type\":[\"number\",\"null\"]}}}},"
             "\"rates\":{\"type\":\"object\",\"additionalProperties\":"
             "{\"type\":\"number\"}},\"any\":{\"description\":\"x\"},"
             "\"maybe\":{\"anyOf\":[{\"type\":\"array\",\"items\":"
             "{\"type\":\"string\"}},{\"type\":\"null\"}]}}}");
    static const char *const good[] = {"",        "rows",      "rows/2/price",
                                       "/rows/0", "rates/EUR", "any/x/1",
                                       "/maybe/3"};
    static const char *const bad[] = {"row",         "rows/x",
                                      "rows/2/cost", "rows/2/price/x",
                                      "rates/EUR/x", "maybe/x"};

    for (size_t i = 0; i < MICA_COUNT(good); i++) {
        ck_assert_msg(mica_path_leads(&schema, mica_text(good[i])), "%s",
                      good[i]);
    }
    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        ck_assert_msg(!mica_path_leads(&schema, mica_text(bad[i])), "%s",
                      bad[i]);
    }
}
END_TEST

// ---- Random inputs ---------------------------------------------------------------

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"n\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":10},"
    "\"i\":{\"type\":\"integer\",\"minimum\":-3,\"maximum\":3},"
    "\"b\":{\"type\":\"boolean\"},"
    "\"c\":{\"type\":\"string\",\"enum\":[\"x\",\"y\"]},"
    "\"t\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":5},"
    "\"p\":{\"type\":\"string\",\"pattern\":\"^[A-Z]{3}(-[0-9]+)?$\"},"
    "\"d\":{\"type\":\"string\",\"format\":\"date\"},"
    "\"m\":{\"type\":\"string\",\"format\":\"date-time\"},"
    "\"l\":{\"type\":\"array\",\"items\":{\"type\":[\"integer\",\"null\"]},"
    "\"maxItems\":4},"
    "\"r\":{\"type\":\"object\",\"additionalProperties\":"
    "{\"type\":\"number\"}},"
    "\"a\":{\"description\":\"anything\"}},"
    "\"required\":[\"n\",\"i\",\"b\",\"c\",\"t\",\"p\",\"d\",\"m\",\"l\","
    "\"r\"],\"additionalProperties\":false}";

enum {
    INPUTS = 3000
};

static struct mica_text
inputs(uint64_t seed)
{
    struct mica_random random = {seed};
    struct mica_json schema = json(schema_text);
    struct mica_json examples =
        json("[{\"input\":{\"n\":1,\"i\":1,\"t\":\"abc\"}}]");
    struct mica_buffer all;

    mica_buffer_init(&all, arena(), 32 << 20);
    for (size_t i = 0; i < INPUTS; i++) {
        mica_random_input(&random, arena(), &schema, &examples, &all);
        mica_buffer_char(&all, '\n');
    }
    ck_assert(!all.overflow && !room.overflow);
    return mica_buffer_as_text(&all);
}

START_TEST(a_seed_gives_its_inputs_again)
{
    struct mica_text first = inputs(7);

    ck_assert(mica_text_equal(first, inputs(7)));
    ck_assert(!mica_text_equal(first, inputs(8)));
}
END_TEST

// More of them than a field takes would only ever test the refusal.
START_TEST(a_random_decimal_has_as_many_digits_as_a_field_takes)
{
    struct mica_random random = {.state = 1};
    struct mica_json schema;

    ck_assert_int_eq(
        mica_json_read(arena(), MICA_LITERAL("{}"), NULL, NULL, &schema),
        MICA_OK);
    for (int i = 0; i < 20000; i++) {
        struct mica_json_writer writer;
        struct mica_decimal value;
        struct mica_buffer text;

        mica_buffer_init(&text, NULL, 128);
        mica_json_writer_init(&writer, &text);
        mica_random_decimal(&random, &schema, false, &writer);
        ck_assert_msg(mica_decimal_read(mica_buffer_as_text(&text), &value),
                      "%.*s", MICA_ARG(mica_buffer_as_text(&text)));
        mica_buffer_fini(&text);
    }
}
END_TEST

// Of a value that is not wild by its member's name.
static bool
is_valid(const char *name, const struct mica_json *value)
{
    double number = 0;
    struct mica_date date;
    struct mica_time time;

    switch (*name) {
    case 'n':
        return mica_number_read(value->text, &number) && number > 0 &&
               number <= 10;
    case 'i':
        return mica_number_read(value->text, &number) && number >= -3 &&
               number <= 3;
    case 't':
        return mica_text_length(value->text) >= 2 &&
               mica_text_length(value->text) <= 5;
    case 'p':
        return value->text.len >= 3 && value->text.ptr[0] >= 'A' &&
               value->text.ptr[0] <= 'Z';
    case 'd':
        return mica_date_read(value->text, &date);
    default:
        return mica_time_read(value->text, &time);
    }
}

START_TEST(most_inputs_are_valid_and_some_are_not)
{
    static const char *const names[] = {"n", "i", "t", "p", "d", "m"};
    struct mica_text rest = inputs(1);
    size_t good[MICA_COUNT(names)] = {0}, read = 0;

    while (rest.len > 0) {
        size_t end =
            (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr);
        struct mica_json input;

        if (mica_json_read(arena(), mica_text_slice(rest, 0, end), NULL, NULL,
                           &input) == MICA_OK) {
            read++;
            for (size_t i = 0; i < MICA_COUNT(names); i++) {
                const struct mica_json *value = mica_json_get(&input, names[i]);

                good[i] += value != NULL && is_valid(names[i], value);
            }
        }
        rest = mica_text_slice(rest, end + 1, rest.len);
    }
    ck_assert_uint_ge(read, INPUTS * 9 / 10);
    ck_assert_uint_lt(read, INPUTS);
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        ck_assert_msg(good[i] > INPUTS * 8 / 10 && good[i] < read,
                      "%s: %zu of %zu", names[i], good[i], read);
    }
}
END_TEST

// ---- Members that are assigned ---------------------------------------------------

START_TEST(members_are_assigned_in_many_forms)
{
    static const char *const assigned[] = {
        "out->x = 1;",
        "out->rows[i].x += 2;",
        "out->x.ptr = p;",
        "(*out).x <<= 1;",
        "out->x++;",
        "--out->x;",
        "fill(call, &out->x);",
        "fill(&(out->rows[i + 1].x));",
        "*out = (struct o){.x = 1};",
        "#define SET(o) ((o)->x = 1)\nSET(out);",
        "#define SET(o, f, v) (o)->f = (v)\nSET(out, x, 1);",
        "MICA_RECORD(row, MICA_TEXT(x, \"w\"));\n"
        "static const struct row rows[] = {{MICA_TEXTS(1), 2}};",
        "MICA_RECORD(row, MICA_TEXT(x, \"w\"));\n*out = (struct row){1, 2};"};
    static const char *const not_assigned[] = {
        "out->y = in->x;",
        "if (out->x == 1) return;",
        "double x = 1; f(call, x);",
        "// out->x = 1;\n",
        "f(\"out->x = 1\");",
        "a = b && out->x;",
        "MICA_RECORD(row, MICA_TEXT(x, \"w\"));\nstruct row row = {0};",
        "MICA_RECORD(row, MICA_TEXT(x, \"w\"));\nstruct row { int x; };"};

    for (size_t i = 0; i < MICA_COUNT(assigned); i++) {
        struct mica_source read = source(assigned[i]);
        ck_assert_msg(mica_source_assigns(&read, MICA_LITERAL("x")), "%s",
                      assigned[i]);
    }
    for (size_t i = 0; i < MICA_COUNT(not_assigned); i++) {
        struct mica_source read = source(not_assigned[i]);
        ck_assert_msg(!mica_source_assigns(&read, MICA_LITERAL("x")), "%s",
                      not_assigned[i]);
    }
}
END_TEST

// ---- Smaller inputs ------------------------------------------------------------------

// Fails on a list with a number above 9 in it.
static bool
has_large(void *data, struct mica_text input)
{
    struct mica_json value;
    const struct mica_json *list;
    double number;

    ++*(size_t *)data;
    ck_assert_int_eq(mica_json_read(arena(), input, NULL, NULL, &value),
                     MICA_OK);
    list = mica_json_get(&value, "list");
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (mica_number_read(list->items[i].raw, &number) && number > 9)
            return true;
    return false;
}

START_TEST(an_input_is_made_as_small_as_it_can_be)
{
    const struct mica_text input =
        MICA_LITERAL("{\"name\":\"a long name\",\"on\":true,"
                     "\"list\":[1,2.5,7000,{\"a\":[]},12]}");
    size_t tries = 0;
    struct mica_text smallest =
        mica_shrink(arena(), input, 300, has_large, &tries);

    ck_assert_msg(mica_text_is(smallest, "{\"list\":[12]}") ||
                      mica_text_is(smallest, "{\"list\":[70]}"),
                  "%.*s", MICA_ARG(smallest));
    ck_assert(tries > 3 && tries <= 300);
    tries = 0;
    smallest = mica_shrink(arena(), input, 2, has_large, &tries);
    ck_assert_uint_eq(tries, 2);
    smallest = mica_shrink(arena(), MICA_LITERAL("{"), 9, has_large, &tries);
    ck_assert(mica_text_is(smallest, "{"));
}
END_TEST

UNIT_MAIN("check", members_are_assigned_in_many_forms,
          an_input_is_made_as_small_as_it_can_be,
          names_of_quantities_are_known_by_their_head, an_integer_length_counts,
          names_that_say_when, forms_of_codes_and_slugs,
          prose_adds_words_or_not,
          hidden_characters_are_found_and_emoji_are_not,
          covert_characters_are_those_that_no_writing_needs,
          lookalikes_inside_a_word_are_found,
          comments_texts_and_directives_are_blank,
          arguments_are_split_outside_brackets,
          broken_sources_are_read_to_their_end,
          branches_know_their_bodies_and_what_cannot_happen,
          lines_columns_and_offsets_agree,
          expectations_compare_named_members_and_values,
          paths_lead_to_what_the_schema_has, a_seed_gives_its_inputs_again,
          a_random_decimal_has_as_many_digits_as_a_field_takes,
          most_inputs_are_valid_and_some_are_not)
