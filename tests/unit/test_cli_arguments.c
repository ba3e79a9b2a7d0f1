// SPDX-License-Identifier: Apache-2.0
//
// key=value words of a command line into JSON, by a schema with every kind that
// a tool may take; and the options of a command.
#include <string.h>

#include "cli/arguments.h"
#include "cli/options.h"
#include "unit.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"mode\":{\"type\":\"string\",\"enum\":[\"of\",\"ratio\"]},"
    "\"a\":{\"type\":\"number\"},\"count\":{\"type\":\"integer\"},"
    "\"yes\":{\"type\":\"boolean\"},"
    "\"values\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}},"
    "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
    "\"price\":{\"type\":\"object\",\"properties\":{"
    "\"amount\":{\"type\":\"number\"},\"currency\":{\"type\":\"string\"}},"
    "\"additionalProperties\":false},"
    "\"rates\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
    "\"number\"}},"
    "\"maybe\":{\"type\":[\"number\",\"null\"]},"
    "\"note\":{\"type\":[\"string\",\"null\"]},"
    "\"day\":{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"d\":{\"type\":"
    "\"integer\"}}},{\"type\":\"null\"}]},"
    "\"any\":{},"
    "\"x.y\":{\"type\":\"number\"}"
    "},\"additionalProperties\":false}";

static struct mica_arena arena;
static struct mica_error error;

// Texts by name, as files have them.
static enum mica_status
read_given(void *data, const char *namez, struct mica_error *failure,
           struct mica_text *text_out)
{
    static const struct {
        const char *name;
        const char *text;
    } given[] = {{"lines.txt", "a, b\n\n c\r\nd"},
                 {"numbers.txt", "1\n2,3\n4\n"},
                 {"list.json", " [1, 2] \n"},
                 {"one.txt", " 15\n"},
                 {"choice.txt", "of\n"},
                 {"text.txt", " as\nit is\n"},
                 {"empty.txt", ""},
                 {"latin.txt", "ab\xe4"},
                 {"-", "from stdin"}};

    (void)data;
    for (size_t i = 0; i < MICA_COUNT(given); i++) {
        *text_out = mica_text(given[i].text);
        if (strcmp(namez, given[i].name) == 0)
            return MICA_OK;
    }
    return mica_error_set(failure, MICA_E_NOT_FOUND, "",
                          "there is no file \"%s\"", namez);
}

static const struct mica_argument_files files = {.read = read_given};

static enum mica_status
read_words(const char *const *words, size_t count, struct mica_text *json_out)
{
    struct mica_json schema;

    mica_arena_init(&arena, 8 << 20);
    ck_assert_int_eq(
        mica_json_read(&arena, mica_text(schema_text), NULL, NULL, &schema),
        MICA_OK);
    return mica_arguments_read(&arena, &schema, words, count, &files, &error,
                               json_out);
}

#define READS(json, ...)                                                      \
    do {                                                                      \
        const char *const words[] = {__VA_ARGS__};                            \
        struct mica_text got;                                                 \
        enum mica_status status = read_words(words, MICA_COUNT(words), &got); \
        ck_assert_msg(status == MICA_OK, "%s", error.message);                \
        UNIT_TEXT_EQ(got, json);                                              \
        mica_arena_fini(&arena);                                              \
    } while (0)

#define REFUSES(wanted, path_, ...)                                           \
    do {                                                                      \
        const char *const words[] = {__VA_ARGS__};                            \
        struct mica_text got;                                                 \
        ck_assert_int_eq(read_words(words, MICA_COUNT(words), &got), wanted); \
        ck_assert_str_eq(error.path, path_);                                  \
        mica_arena_fini(&arena);                                              \
    } while (0)

START_TEST(a_value_takes_the_type_of_its_key)
{
    READS("{\"name\":\"15\"}", "name=15");
    READS("{\"name\":\"a=b \\\"c\\\"\"}", "name=a=b \"c\"");
    READS("{\"name\":\"\"}", "name=");
    READS("{\"mode\":\"of\"}", "mode=of");
    READS("{\"a\":-1.50}", "a=-1.50");
    READS("{\"a\":1e3,\"count\":9007199254740993}", "a=1e3",
          "count=9007199254740993");
    READS("{\"yes\":true}", "yes=true");
    READS("{\"yes\":false}", "yes=no");
}
END_TEST

START_TEST(a_list_takes_commas_repeats_or_json)
{
    READS("{\"values\":[1,2.5,-3]}", "values=1,2.5,-3");
    READS("{\"values\":[1,2,3]}", "values=1", "values=2,3");
    READS("{\"values\":[]}", "values=");
    READS("{\"values\":[1,2]}", "values=[1, 2]");
    READS("{\"tags\":[\"a\",\"b\"]}", "tags=a,b");
    READS("{\"tags\":[\"a,b\",\"c\"]}", "tags=a,b", "tags=c");
    READS("{\"rows\":[{\"n\":1}]}", "rows=[{\"n\":1}]");
    READS("{\"rows\":[{\"n\":1},{\"n\":2}]}", "rows={\"n\":1}",
          "rows={\"n\":2}");
}
END_TEST

START_TEST(dots_reach_into_objects_and_maps)
{
    READS("{\"price\":{\"amount\":10,\"currency\":\"EUR\"}}", "price.amount=10",
          "price.currency=EUR");
    READS("{\"price\":{\"amount\":10}}", "price={\"amount\":10}");
    READS("{\"rates\":{\"EUR\":1.1,\"USD\":1}}", "rates.EUR=1.1",
          "rates.USD=1");
    READS("{\"day\":{\"d\":3}}", "day.d=3");
    READS("{\"x.y\":1}", "x.y=1"); // a name that has a dot itself
}
END_TEST

START_TEST(null_and_anything_go_where_the_schema_lets_them)
{
    READS("{\"maybe\":null}", "maybe=null");
    READS("{\"maybe\":4}", "maybe=4");
    READS("{\"note\":null}", "note=null");
    READS("{\"day\":null}", "day=null");
    READS("{\"name\":\"null\"}", "name=null");
    READS("{\"any\":{\"a\":[1]}}", "any={\"a\":[1]}");
    READS("{\"any\":true}", "any=true");
    READS("{\"any\":\"some text\"}", "any=some text");
}
END_TEST

START_TEST(a_wrong_word_is_refused_at_its_key)
{
    REFUSES(MICA_E_TYPE, "/a", "a=ten");
    REFUSES(MICA_E_TYPE, "/a", "a=");
    REFUSES(MICA_E_TYPE, "/a", "a=1,5");
    REFUSES(MICA_E_TYPE, "/count", "count=many");
    ck_assert_str_eq(error.message,
                     "\"count\" takes a whole number, not \"many\"");
    REFUSES(MICA_E_TYPE, "/yes", "yes=maybe");
    REFUSES(MICA_E_TYPE, "/values", "values=1,x");
    REFUSES(MICA_E_TYPE, "/price", "price=10");
    REFUSES(MICA_E_TYPE, "/price/amount", "price.amount=x");
    ck_assert_ptr_nonnull(strstr(error.message, "\"price/amount\" takes"));
    REFUSES(MICA_E_TYPE, "/a", "a=null");
    REFUSES(MICA_E_JSON, "", "rows=[{]");
    ck_assert_ptr_nonnull(strstr(error.message, "/rows"));
    REFUSES(MICA_E_DUPLICATE, "/a", "a=1", "a=2");
    REFUSES(MICA_E_DUPLICATE, "/price", "price={}", "price.amount=1");
    REFUSES(MICA_E_USAGE, "", "10");
    REFUSES(MICA_E_USAGE, "", "=10");
}
END_TEST

START_TEST(a_text_comes_from_a_file_as_it_is)
{
    READS("{\"name\":\" as\\nit is\\n\"}", "name=@text.txt");
    READS("{\"note\":\"\"}", "note=@empty.txt");
    READS("{\"name\":\"from stdin\",\"a\":15}", "name=@-", "a=@one.txt");
    READS("{\"mode\":\"of\",\"count\":15}", "mode=@choice.txt",
          "count=@one.txt");
    READS("{\"price\":{\"currency\":\" as\\nit is\\n\"}}",
          "price.currency=@text.txt");
}
END_TEST

START_TEST(a_list_takes_an_item_from_each_line_of_a_file)
{
    READS("{\"values\":[1,2,3,4]}", "values=@numbers.txt");
    READS("{\"values\":[1,2]}", "values=@list.json");
    READS("{\"values\":[15]}", "values=@one.txt");
    READS("{\"values\":[]}", "values=@empty.txt");
    READS("{\"tags\":[\"a, b\",\"c\",\"d\"]}", "tags=@lines.txt");
}
END_TEST

START_TEST(a_text_that_begins_with_an_at_is_written_with_two)
{
    READS("{\"name\":\"@ada\"}", "name=@@ada");
    READS("{\"name\":\"@\"}", "name=@@");
    READS("{\"name\":\"a@b\",\"tags\":[\"@a\",\"b\"]}", "name=a@b",
          "tags=@@a,b");
    READS("{\"tags\":[\"a\",\"@b\"]}", "tags=a,@b");
    REFUSES(MICA_E_NOT_FOUND, "/name", "name=@ada");
    ck_assert_ptr_nonnull(strstr(error.message, "there is no file \"ada\""));
    ck_assert_ptr_nonnull(strstr(error.message, "name=@@ada"));
    REFUSES(MICA_E_NOT_FOUND, "/price.currency", "price.currency=@EUR");
    REFUSES(MICA_E_FORMAT, "/name", "name=@latin.txt");
    ck_assert_ptr_nonnull(strstr(error.message, "byte 3"));
    REFUSES(MICA_E_USAGE, "/note", "name=@-", "note=@-");
    ck_assert_ptr_nonnull(strstr(error.message, "stdin can be read once"));
    REFUSES(MICA_E_TYPE, "/a", "a=@text.txt");
}
END_TEST

START_TEST(an_unknown_key_brings_the_nearest)
{
    REFUSES(MICA_E_UNKNOWN, "/moed", "moed=of");
    ck_assert_ptr_nonnull(strstr(error.message, "\"mode\""));
    REFUSES(MICA_E_UNKNOWN, "/price/amout", "price.amout=1");
    ck_assert_ptr_nonnull(strstr(error.message, "\"amount\""));
    REFUSES(MICA_E_UNKNOWN, "/zzzzzzzz", "zzzzzzzz=1");
    ck_assert_ptr_nonnull(strstr(error.message, "mica describe"));
}
END_TEST

// ---- Options -------------------------------------------------------------------------

static const struct mica_option table[] = {
    {"listen", MICA_OPTION_VALUE, "HOST:PORT", "where"},
    {"host", MICA_OPTION_REPEAT, "NAME", "who"},
    {"quiet", MICA_OPTION_SWITCH, NULL, "hush"},
    {"json", MICA_OPTION_OBJECT, "{…}", "input"},
    {"root", MICA_OPTION_VALUE, "PATH", "where"},
    {"long", MICA_OPTION_SWITCH, NULL, "more"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

static enum mica_status
read_options(const char *const *words, size_t count,
             struct mica_options *options)
{
    mica_arena_init(&arena, 1 << 20);
    return mica_options_read(table, words, count, &arena, &error, options);
}

START_TEST(options_and_words_may_mix)
{
    const char *const words[] = {"a",          "--listen", "x:1",    "b",
                                 "--host=one", "--quiet",  "--host", "two",
                                 "--",         "--quiet"};
    struct mica_options options;

    ck_assert_int_eq(read_options(words, MICA_COUNT(words), &options), MICA_OK);
    ck_assert_uint_eq(options.word_count, 3);
    ck_assert_str_eq(options.words[2], "--quiet");
    ck_assert_str_eq(mica_options_value(&options, "listen"), "x:1");
    ck_assert(mica_options_has(&options, "quiet"));
    ck_assert(!mica_options_has(&options, "json"));
    const char *const *hosts = mica_options_all(&options, &arena, "host");
    ck_assert_str_eq(hosts[0], "one");
    ck_assert_str_eq(hosts[1], "two");
    ck_assert_ptr_null(hosts[2]);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_letter_means_a_switch_and_a_dash_alone_a_word)
{
    const char *const words[] = {"-", "-l", "--", "-x"};
    struct mica_options options;

    ck_assert_int_eq(read_options(words, 4, &options), MICA_OK);
    ck_assert(mica_options_has(&options, "long"));
    ck_assert_uint_eq(options.word_count, 2);
    ck_assert_str_eq(options.words[0], "-");
    ck_assert_str_eq(options.words[1], "-x");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_object_option_takes_only_an_object)
{
    const char *const with[] = {"--json", "{\"a\":1}", "x"};
    const char *const without[] = {"--json", "x"};
    struct mica_options options;

    ck_assert_int_eq(read_options(with, 3, &options), MICA_OK);
    ck_assert_str_eq(mica_options_value(&options, "json"), "{\"a\":1}");
    ck_assert_uint_eq(options.word_count, 1);
    mica_arena_fini(&arena);
    ck_assert_int_eq(read_options(without, 2, &options), MICA_OK);
    ck_assert(mica_options_has(&options, "json"));
    ck_assert_ptr_null(mica_options_value(&options, "json"));
    ck_assert_uint_eq(options.word_count, 1);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(wrong_options_are_refused_with_advice)
{
    static const struct {
        const char *words[2], *advice;
    } cases[] = {
        {{"--listn", "x"}, "--listen"},
        {{"--zzzzzzzz", "x"}, "--help"},
        {{"x", "--listen"}, "HOST:PORT"},
        {{"--quiet=yes", "x"}, "switch"},
        {{"--port", "x"}, "did you mean --listen HOST:PORT?"},
        {{"--allowed-host", "x"}, "did you mean --host NAME?"},
        {{"--silent", "x"}, "did you mean --quiet?"},
        {{"-x", "x"}, "no option -x"},
        {{"-ll", "x"}, "no option -ll"},
        {{"-q", "x"}, "no option -q"},
    };
    struct mica_options options;

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        ck_assert_int_eq(read_options(cases[i].words, 2, &options),
                         MICA_E_USAGE);
        ck_assert_msg(strstr(error.message, cases[i].advice) != NULL, "%s",
                      error.message);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(a_number_is_read_whole_and_bounded)
{
    static const char *const wrong[] = {"",   "x",   "1x",
                                        "-1", "101", "99999999999"};
    const char *words[] = {"--listen", "100"};
    struct mica_options options;
    unsigned number;

    ck_assert_int_eq(read_options(words, 2, &options), MICA_OK);
    ck_assert_int_eq(
        mica_options_number(&options, "listen", 7, 100, &error, &number),
        MICA_OK);
    ck_assert_uint_eq(number, 100);
    ck_assert_int_eq(
        mica_options_number(&options, "host", 7, 100, &error, &number),
        MICA_OK);
    ck_assert_uint_eq(number, 7);
    mica_arena_fini(&arena);
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        words[1] = wrong[i];
        ck_assert_int_eq(read_options(words, 2, &options), MICA_OK);
        ck_assert_int_eq(
            mica_options_number(&options, "listen", 7, 100, &error, &number),
            MICA_E_USAGE);
        mica_arena_fini(&arena);
    }
}
END_TEST

UNIT_MAIN("cli_arguments", a_value_takes_the_type_of_its_key,
          a_list_takes_commas_repeats_or_json, dots_reach_into_objects_and_maps,
          null_and_anything_go_where_the_schema_lets_them,
          a_wrong_word_is_refused_at_its_key, an_unknown_key_brings_the_nearest,
          a_text_comes_from_a_file_as_it_is,
          a_list_takes_an_item_from_each_line_of_a_file,
          a_text_that_begins_with_an_at_is_written_with_two,
          options_and_words_may_mix,
          a_letter_means_a_switch_and_a_dash_alone_a_word,
          an_object_option_takes_only_an_object,
          wrong_options_are_refused_with_advice,
          a_number_is_read_whole_and_bounded)
