// SPDX-License-Identifier: Apache-2.0
//
// What the TOML reader says of places, limits and faults. The language itself is the
// business of test_toml_suite.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "toml/toml.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_error error;

static void
set_up(void)
{
    mica_arena_init(&arena, 64 << 20);
    memset(&error, 0, sizeof error);
}

static struct mica_toml *
read_text(const char *textz)
{
    struct mica_toml *root = NULL;

    set_up();
    ck_assert_msg(mica_toml_read(&arena, mica_text(textz), &error, &root) ==
                      MICA_OK,
                  "%s", error.message);
    return root;
}

// The fault of a text that is refused.
static const char *
fault_of(const char *textz, enum mica_status wanted)
{
    struct mica_toml *root;

    set_up();
    enum mica_status status =
        mica_toml_read(&arena, mica_text(textz), &error, &root);
    ck_assert_msg(status == wanted, "%s: %s", textz, error.message);
    ck_assert_int_eq(error.status, wanted);
    return error.message;
}

static const struct mica_toml *
get(const struct mica_toml *table, const char *namez)
{
    const struct mica_toml *value = mica_toml_member(table, mica_text(namez));

    ck_assert_msg(value != NULL, "%s is missing", namez);
    return value;
}

START_TEST(a_file_of_settings_is_read)
{
    const struct mica_toml *root = read_text("# A server.\n"
                                             "name = \"weather\" # short\n"
                                             "[http]\n"
                                             "listen = '127.0.0.1:0'\n"
                                             "allow_hosts = [\n"
                                             "  \"a.example\", # one\n"
                                             "  \"b.example\",\n"
                                             "]\n"
                                             "pages = false\n"
                                             "limit = 1_000\n"
                                             "half = 0.5\n");
    const struct mica_toml *http = get(root, "http");

    ck_assert(mica_text_is(get(root, "name")->text, "weather"));
    ck_assert(mica_text_is(get(http, "listen")->text, "127.0.0.1:0"));
    ck_assert_uint_eq(get(http, "allow_hosts")->count, 2);
    ck_assert(
        mica_text_is(get(http, "allow_hosts")->items->next->text, "b.example"));
    ck_assert(!get(http, "pages")->boolean);
    ck_assert_int_eq(get(http, "limit")->integer, 1000);
    ck_assert(get(http, "half")->number == 0.5);
    ck_assert_ptr_null(mica_toml_member(root, mica_text("listen")));
    ck_assert_ptr_null(mica_toml_member(get(root, "name"), mica_text("a")));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_value_knows_where_it_stands)
{
    const char *text = "a = 1\r\n[t]\n  \"\xC3\xA9\" = [ 'x',\n    2 ]\n";
    const struct mica_toml *value = get(get(read_text(text), "t"), "\xC3\xA9");

    ck_assert_uint_eq(mica_toml_line(mica_text(text), value->name_offset), 3);
    (void)mica_toml_fault(&error, MICA_E_TYPE, mica_text(text), value->offset,
                          "no %s", "list");
    ck_assert_str_eq(error.message, "line 3, column 9: no list");
    (void)mica_toml_fault(&error, MICA_E_TYPE, mica_text(text),
                          value->items->next->offset, "no number");
    ck_assert_str_eq(error.message, "line 4, column 5: no number");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_fault_names_line_column_and_what_to_do)
{
    static const struct {
        const char *text;
        enum mica_status status;
        const char *message;
    } cases[] = {
        {"a = \n", MICA_E_FORMAT,
         "line 1, column 5: a value is expected here, and the line ends"},
        {"a", MICA_E_FORMAT,
         "line 1, column 2: \"=\" is expected here, and the file ends"},
        {"\n\n  = 1", MICA_E_FORMAT,
         "line 3, column 3: a key is expected here, not \"=\""},
        {"a = 1 b = 2", MICA_E_FORMAT,
         "line 1, column 7: the end of the line is expected here, not \"b\""},
        {"a = [1 2]", MICA_E_FORMAT,
         "line 1, column 8: \",\" or \"]\" is expected here, not \"2\""},
        {"a = {b = 1", MICA_E_FORMAT,
         "line 1, column 11: \",\" or \"}\" is expected here, and the file "
         "ends"},
        {"a = \"x\nb = 1", MICA_E_FORMAT,
         "line 1, column 5: the text that begins here has no \" at the end of "
         "its line"},
        {"a = '''x\n", MICA_E_FORMAT,
         "line 1, column 5: the text that begins here has no ''' at its end"},
        {"a = \"\\q\"", MICA_E_FORMAT,
         "line 1, column 6: there is no such escape; write \\\\ for a "
         "backslash, or the text in single quotes"},
        {"a = \"\\uD800\"", MICA_E_FORMAT,
         "line 1, column 6: this escape is no Unicode character"},
        {"a = weather", MICA_E_FORMAT,
         "line 1, column 5: \"weather\" is no value; a text stands in quotes, "
         "a number is one like 8 or 0.5, and true and false are written so"},
        {"a = 1979-05-27", MICA_E_FORMAT,
         "line 1, column 5: mica reads TOML without dates and times; write "
         "this one as a text, in quotes"},
        {"a = 08", MICA_E_FORMAT,
         "line 1, column 5: a number does not begin with 0"},
        {"a = 9223372036854775808", MICA_E_FORMAT,
         "line 1, column 5: this number does not fit in 64 bits"},
        {"a = 1\na = 2", MICA_E_DUPLICATE,
         "line 2, column 1: \"a\" is a whole number already, by line 1, and "
         "cannot be written again"},
        {"[t]\n[t]", MICA_E_DUPLICATE,
         "line 2, column 2: \"t\" is a table already, by line 1, and cannot be "
         "written again"},
        {"a = 1 # \x01", MICA_E_FORMAT,
         "line 1, column 9: a comment holds no control character (U+0001 "
         "here)"},
        {"a = \"\xFF\"", MICA_E_FORMAT,
         "line 1, column 6: the file is not UTF-8 from here on"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        ck_assert_str_eq(fault_of(cases[i].text, cases[i].status),
                         cases[i].message);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(numbers_reach_as_far_as_64_bits)
{
    const struct mica_toml *root = read_text("most = 9223372036854775807\n"
                                             "least = -9223372036854775808\n"
                                             "hex = 0xDEAD_beef\n"
                                             "small = -0\n"
                                             "far = -inf\n"
                                             "none = nan\n");

    ck_assert(get(root, "most")->integer == INT64_MAX);
    ck_assert(get(root, "least")->integer == INT64_MIN);
    ck_assert_int_eq(get(root, "hex")->integer, 0xDEADBEEF);
    ck_assert_int_eq(get(root, "small")->integer, 0);
    ck_assert(isinf(get(root, "far")->number) && get(root, "far")->number < 0);
    ck_assert(isnan(get(root, "none")->number));
    mica_arena_fini(&arena);
}
END_TEST

// A text of `count` times `partz`, after `headz`.
static char *
repeat(const char *headz, const char *partz, size_t count)
{
    size_t head = strlen(headz), part = strlen(partz);
    char *text = malloc(head + part * count + 1);

    memcpy(text, headz, head);
    for (size_t i = 0; i < count; i++)
        memcpy(text + head + i * part, partz, part);
    text[head + part * count] = '\0';
    return text;
}

START_TEST(limits_are_refused_with_their_number)
{
    static const struct {
        const char *head, *part;
        size_t count;
        const char *message;
    } cases[] = {
        {"a = ", "[", MICA_TOML_DEPTH + 1,
         "line 1, column 37: more than 32 values stand inside each other"},
        {"a", ".a", MICA_TOML_DEPTH,
         "line 1, column 1: a key has at most 32 parts"},
        {"a = [", "1,", MICA_TOML_VALUES,
         "line 1, column 16386: the file has more than 8192 values"},
        {"", "#", MICA_TOML_BYTES + 1, "the file is larger than 256 KiB"},
        {"a = ", "1", 512,
         "line 1, column 5: a number has at most 511 "
         "characters"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        char *text = repeat(cases[i].head, cases[i].part, cases[i].count);
        const char *message = fault_of(text, MICA_E_LIMIT);
        ck_assert_msg(
            strncmp(message, cases[i].message, strlen(cases[i].message)) == 0,
            "%s", message);
        mica_arena_fini(&arena);
        free(text);
    }
}
END_TEST

START_TEST(what_just_fits_is_read)
{
    char *text = repeat("a = ", "[", MICA_TOML_DEPTH);
    char *whole = repeat(text, "]", MICA_TOML_DEPTH);

    (void)read_text(whole);
    mica_arena_fini(&arena);
    free(text);
    free(whole);
    text = repeat("", "#", MICA_TOML_BYTES);
    (void)read_text(text);
    mica_arena_fini(&arena);
    free(text);
}
END_TEST

START_TEST(without_memory_it_is_a_limit)
{
    struct mica_toml *root;

    for (size_t cap = 0; cap < 64 << 10; cap += 4096) {
        mica_arena_init(&arena, cap);
        enum mica_status status = mica_toml_read(
            &arena, mica_text("[a.b]\nc = \"long enough\"\nd = [1, 2, 3]\n"),
            &error, &root);
        ck_assert(status == MICA_OK || status == MICA_E_LIMIT);
        ck_assert(cap > 0 || status == MICA_E_LIMIT);
        mica_arena_fini(&arena);
    }
}
END_TEST

UNIT_MAIN("toml_read", a_file_of_settings_is_read,
          a_value_knows_where_it_stands,
          a_fault_names_line_column_and_what_to_do,
          numbers_reach_as_far_as_64_bits, limits_are_refused_with_their_number,
          what_just_fits_is_read, without_memory_it_is_a_limit)
