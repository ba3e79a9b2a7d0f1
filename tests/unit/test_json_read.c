// SPDX-License-Identifier: Apache-2.0
//
// The JSON reader: what comes out of good texts, what is said about bad ones,
// limits, memory, and time on texts made to be slow.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mica/json.h>

#include "unit.h"

// Reads from a copy of exactly that size, so that a sanitizer sees a read
// behind its end.
struct reading {
    struct mica_arena arena;
    struct mica_error error;
    struct mica_json value;
    char *text;
    enum mica_status status;
};

static void
start(struct reading *reading, struct mica_text text, size_t cap,
      const struct mica_json_limits *limits)
{
    memset(reading, 0, sizeof *reading);
    mica_arena_init(&reading->arena, cap);
    reading->text = malloc(text.len > 0 ? text.len : 1);
    memcpy(reading->text, text.ptr, text.len);
    reading->status = mica_json_read(
        &reading->arena, (struct mica_text){reading->text, text.len}, limits,
        &reading->error, &reading->value);
}

static void
end(struct reading *reading)
{
    mica_arena_fini(&reading->arena);
    free(reading->text);
}

static void
start_good(struct reading *reading, const char *textz)
{
    start(reading, mica_text(textz), 1 << 24, NULL);
    ck_assert_msg(reading->status == MICA_OK, "%s: %s", textz,
                  reading->error.message);
}

START_TEST(a_text_becomes_a_tree)
{
    struct reading reading;
    start_good(&reading, " {\"a\": [1, -2.50e+3, \"x\"], \"b\":{},\n\t\"\":"
                         "[ ],\"t\":true,\"f\":false,\"n\":null} \r\n");
    const struct mica_json *root = &reading.value;
    ck_assert_int_eq(root->kind, MICA_JSON_OBJECT);
    ck_assert_uint_eq(root->count, 6);
    UNIT_TEXT_EQ(root->members[0].name, "a");
    const struct mica_json *a = &root->members[0].value;
    ck_assert_int_eq(a->kind, MICA_JSON_ARRAY);
    ck_assert_uint_eq(a->count, 3);
    ck_assert_int_eq(a->items[1].kind, MICA_JSON_NUMBER);
    UNIT_TEXT_EQ(a->items[1].text, "-2.50e+3");
    UNIT_TEXT_EQ(a->items[2].text, "x");
    ck_assert_uint_eq(root->members[1].value.count, 0);
    UNIT_TEXT_EQ(root->members[2].name, "");
    ck_assert_int_eq(root->members[2].value.kind, MICA_JSON_ARRAY);
    ck_assert_int_eq(root->members[3].value.kind, MICA_JSON_TRUE);
    ck_assert_int_eq(root->members[4].value.kind, MICA_JSON_FALSE);
    ck_assert_int_eq(root->members[5].value.kind, MICA_JSON_NULL);
    end(&reading);
}
END_TEST

START_TEST(raw_is_the_exact_span_of_each_value)
{
    struct reading reading;
    start_good(&reading, " { \"a\" : [ 1 ,\"\\u0041\" ] , \"b\" : { } } ");
    const struct mica_json *root = &reading.value;
    UNIT_TEXT_EQ(root->raw, "{ \"a\" : [ 1 ,\"\\u0041\" ] , \"b\" : { } }");
    UNIT_TEXT_EQ(root->members[0].value.raw, "[ 1 ,\"\\u0041\" ]");
    UNIT_TEXT_EQ(root->members[0].value.items[0].raw, "1");
    UNIT_TEXT_EQ(root->members[0].value.items[1].raw, "\"\\u0041\"");
    UNIT_TEXT_EQ(root->members[1].value.raw, "{ }");
    ck_assert_ptr_eq(root->raw.ptr, reading.text + 1);
    end(&reading);
}
END_TEST

START_TEST(strings_are_decoded)
{
    struct reading reading;
    start_good(&reading, "[\"\", \"plain\", \"h\xC3\xA9\", "
                         "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", "
                         "\"a\\u0000b\", \"\\u00e9\\u20AC\\ud83d\\ude00\", "
                         "\"\\uFFFF\\uDBFF\\uDFFF\", \"\\\\u0041\"]");
    const struct mica_json *items = reading.value.items;
    UNIT_TEXT_EQ(items[0].text, "");
    UNIT_TEXT_EQ(items[1].text, "plain");
    UNIT_TEXT_EQ(items[2].text, "h\xC3\xA9");
    UNIT_TEXT_EQ(items[3].text, "\"\\/\b\f\n\r\t");
    ck_assert_uint_eq(items[4].text.len, 3);
    ck_assert_mem_eq(items[4].text.ptr, "a\0b", 3);
    UNIT_TEXT_EQ(items[5].text, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    UNIT_TEXT_EQ(items[6].text, "\xEF\xBF\xBF\xF4\x8F\xBF\xBF");
    UNIT_TEXT_EQ(items[7].text, "\\u0041");
    // Without an escape there is no copy.
    ck_assert_ptr_eq(items[1].text.ptr, items[1].raw.ptr + 1);
    end(&reading);
}
END_TEST

// Puts a byte at each place of strings of each length, so that it meets the
// reader in and between its words of eight bytes.
START_TEST(special_bytes_are_found_at_every_place)
{
    static const char bytes[] = "\"\\\n\x1F\x7F\x80\xFF\x20\x21\x5B\x5D";
    for (size_t len = 1; len < 40; len++)
        for (size_t at = 0; at < len; at++)
            for (size_t b = 0; b < sizeof bytes; b++) {
                char text[64] = "\"";
                memset(text + 1, 'x', len);
                text[1 + at] = bytes[b];
                text[1 + len] = '"';
                struct reading reading;
                start(&reading, (struct mica_text){text, len + 2}, 1 << 16,
                      NULL);
                bool good =
                    strchr(" !]\x5B\x7F", bytes[b]) != NULL && bytes[b] != '\0';
                UNIT_MUST((reading.status == MICA_OK) == good &&
                              (!good || reading.value.text.len == len),
                          "byte %02X", (unsigned)(unsigned char)bytes[b]);
                end(&reading);
            }
}
END_TEST

// A text and the message about it.
static const char *const faults[][2] = {
    {"", "line 1, column 1 (byte 0): expected a value, found the end of "
         "the text"},
    {"[1,]", "line 1, column 4 (byte 3): expected a value, found \"]\""},
    {"{\n  \"a\": 1,\n}", "line 3, column 1 (byte 12): expected a name in "
                          "double quotes after \",\", found \"}\""},
    {"{'a':1}", "line 1, column 2 (byte 1): expected a name in double "
                "quotes or \"}\", found \"'\""},
    {"{\"a\" 1}", "line 1, column 6 (byte 5): expected \":\" after a "
                  "name, found \"1\""},
    {"[\"h\xC3\xA9\" \"x\"]", "line 1, column 7 (byte 7): expected \",\" "
                              "or \"]\" after an item, found a double "
                              "quote"},
    {"{\"a\":1", "line 1, column 7 (byte 6): expected \",\" or \"}\" "
                 "after a member, found the end of the text"},
    {"True", "line 1, column 1 (byte 0): expected a value, found \"T\""},
    {"nul", "line 1, column 4 (byte 3): expected \"null\", found the end "
            "of the text"},
    {"trux", "line 1, column 4 (byte 3): expected \"true\", found \"x\""},
    {"01", "line 1, column 1 (byte 0): a number must not start with 0 and "
           "another digit"},
    {"-x", "line 1, column 2 (byte 1): expected a digit, found \"x\""},
    {"[1.]", "line 1, column 4 (byte 3): expected a digit after the "
             "point, found \"]\""},
    {"1e\x01", "line 1, column 3 (byte 2): expected a digit of the "
               "exponent, found U+0001"},
    {"1 \xE2\x82\xAC", "line 1, column 3 (byte 2): expected the end of "
                       "the text after its value, found U+20AC"},
    {"\xFF", "line 1, column 1 (byte 0): expected a value, found byte "
             "0xFF, which is no UTF-8 there"},
    {"\"abc", "line 1, column 5 (byte 4): the string that starts at byte "
              "0 has no closing double quote"},
    {"\"abc\\", "line 1, column 6 (byte 5): the string that starts at "
                "byte 0 has no closing double quote"},
    {"\"a\\x\"", "line 1, column 4 (byte 3): expected one of \\\" \\\\ "
                 "\\/ \\b \\f \\n \\r \\t \\u after a backslash, found "
                 "\"x\""},
    {"\"\\u12\"", "line 1, column 6 (byte 5): expected four hexadecimal "
                  "digits after \\u, found a double quote"},
    {"\"\\ud800\\u0041\"",
     "line 1, column 2 (byte 1): \\uD800 is half of a surrogate pair and "
     "no character: a second half (\\uDC00 to \\uDFFF) must follow it"},
    {"\"\\uDC00\"",
     "line 1, column 2 (byte 1): \\uDC00 is half of a surrogate pair and "
     "no character: a first half (\\uD800 to \\uDBFF) must stand before "
     "it"},
    {"\"a\nb\"", "line 1, column 3 (byte 2): the control character "
                 "U+000A must be written as \\n in a string"},
    {"\"\x02\"", "line 1, column 2 (byte 1): the control character U+0002 "
                 "must be written as \\u0002 in a string"},
    {"\"ab\xC0\xAF\"",
     "line 1, column 4 (byte 3): byte 0xC0 is not valid UTF-8 there"},
    {"\xEF\xBB\xBF{}", "line 1, column 1 (byte 0): the text starts with a "
                       "byte order mark (U+FEFF); leave it out"},
};

START_TEST(errors_say_where_what_was_expected_and_what_was_found)
{
    for (size_t i = 0; i < MICA_COUNT(faults); i++) {
        struct reading reading;
        start(&reading, mica_text(faults[i][0]), 1 << 16, NULL);
        ck_assert_int_eq(reading.status, MICA_E_JSON);
        ck_assert_str_eq(reading.error.code, "INVALID_JSON");
        ck_assert_str_eq(reading.error.message, faults[i][1]);
        end(&reading);
    }
}
END_TEST

START_TEST(an_error_may_be_dropped_and_leaves_the_value_alone)
{
    struct mica_arena arena;
    struct mica_json value = {.count = 77};
    mica_arena_init(&arena, 1 << 16);
    ck_assert_int_eq(
        mica_json_read(&arena, MICA_LITERAL("[1,"), NULL, NULL, &value),
        MICA_E_JSON);
    ck_assert_uint_eq(value.count, 77);
    ck_assert_int_eq(
        mica_json_read(&arena, (struct mica_text){NULL, 0}, NULL, NULL, &value),
        MICA_E_JSON);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Duplicate names -----------------------------------------------------------

START_TEST(the_second_of_two_equal_names_is_reported)
{
    static const char *const cases[][2] = {
        {"{\"a\":1,\"b\":2, \"a\":3}",
         "line 1, column 15 (byte 14): the object has the name \"a\" twice; "
         "keep one"},
        {"{\"a\":1,\"\\u0061\" :3}",
         "line 1, column 8 (byte 7): the object has the name \"a\" twice; keep "
         "one"},
        {"{\"\\\\\\\"\":1,\"\\\\\\\"\": 2}",
         "line 1, column 11 (byte 10): the object has the name \"\\\"\" twice; "
         "keep one"},
        {"[{\"x\":{\"\":0,\"\":0}}]",
         "line 1, column 13 (byte 12): the object has the name \"\" twice; "
         "keep one"},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct reading reading;
        start(&reading, mica_text(cases[i][0]), 1 << 16, NULL);
        ck_assert_int_eq(reading.status, MICA_E_DUPLICATE);
        ck_assert_str_eq(reading.error.code, "DUPLICATE_FIELD");
        ck_assert_str_eq(reading.error.message, cases[i][1]);
        end(&reading);
    }
}
END_TEST

// How the names of an object are made from a number.
struct form {
    const char *head;
    int width;
    const char *tail;
};

// An object of `count` names, of which `second` is the same as `first`.
static void
put_object(struct mica_buffer *text, unsigned count, unsigned first,
           unsigned second, struct form form)
{
    text->len = 0;
    mica_buffer_char(text, '{');
    for (unsigned i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%0*u%s", form.head, form.width,
                 i == second ? first : i, form.tail);
        mica_buffer_format(text, "%s\"%s\":%u", i > 0 ? "," : "", name, i);
    }
    mica_buffer_char(text, '}');
}

START_TEST(equal_names_are_found_in_objects_of_every_size)
{
    static const struct form forms[] = {
        {"n", 0, ""},
        {"a name of many bytes ", 7, ""},
        {"", 7, " the same end of a name"},
        {"head.... ", 0, " ....tail"},
        {"\\u0041", 0, ""},
    };
    struct mica_buffer text;
    mica_buffer_init(&text, NULL, 1 << 20);
    for (unsigned count = 2; count < 70; count++)
        for (unsigned second = 1; second < count; second++) {
            unsigned first = (second * 7 + count) % second;
            put_object(&text, count, first, second,
                       forms[(count + second) % MICA_COUNT(forms)]);
            struct reading reading;
            start(&reading, mica_buffer_as_text(&text), 1 << 20, NULL);
            ck_assert_int_eq(reading.status, MICA_E_DUPLICATE);
            // The byte is that of the opening quote of the second one.
            const char *at = strstr(reading.error.message, "(byte ");
            unsigned long byte = strtoul(at + 6, NULL, 10);
            char value[16];
            snprintf(value, sizeof value, "\":%u", second);
            ck_assert(text.ptr[byte] == '"' &&
                      (text.ptr[byte - 1] == ',' || text.ptr[byte - 1] == '{'));
            const char *end_of_name = memchr(text.ptr + byte + 1, '"', 64);
            ck_assert(strncmp(end_of_name, value, strlen(value)) == 0);
            end(&reading);
        }
    mica_buffer_fini(&text);
}
END_TEST

START_TEST(many_different_names_are_fine)
{
    struct mica_buffer text;
    mica_buffer_init(&text, NULL, 1 << 24);
    for (unsigned count = 0; count < 3000; count += 1 + count / 4) {
        put_object(&text, count, 0, count + 1, (struct form){"n", 0, ""});
        struct reading reading;
        start(&reading, mica_buffer_as_text(&text), 1 << 24, NULL);
        ck_assert_int_eq(reading.status, MICA_OK);
        ck_assert_uint_eq(reading.value.count, count);
        end(&reading);
    }
    mica_buffer_fini(&text);
}
END_TEST

START_TEST(duplicates_are_kept_when_allowed_and_the_last_is_found)
{
    const struct mica_json_limits limits = {.duplicate_names = true};
    struct reading reading;
    start(&reading, MICA_LITERAL("{\"a\":1,\"b\":2,\"a\":3}"), 1 << 16,
          &limits);
    ck_assert_int_eq(reading.status, MICA_OK);
    ck_assert_uint_eq(reading.value.count, 3);
    UNIT_TEXT_EQ(mica_json_get(&reading.value, "a")->text, "3");
    end(&reading);
}
END_TEST

static double
seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// Names that agree in length and both ends have one hash; quadratic work on
// these would take minutes.
START_TEST(names_with_equal_hashes_stay_fast)
{
    struct mica_buffer text;
    mica_buffer_init(&text, NULL, 1 << 24);
    put_object(&text, 100000, 0, 100001,
               (struct form){"same head ", 8, " same tail"});
    double before = seconds();
    struct reading reading;
    start(&reading, mica_buffer_as_text(&text), 1 << 26, NULL);
    ck_assert_int_eq(reading.status, MICA_OK);
    ck_assert_double_lt(seconds() - before, 10);
    end(&reading);
    mica_buffer_fini(&text);
}
END_TEST

// ---- Limits ---------------------------------------------------------------------

START_TEST(depth_is_limited_to_64_and_at_most_512)
{
    static const struct {
        size_t limit, depth;
        bool good;
    } cases[] = {{0, 64, true},     {0, 65, false},    {3, 3, true},
                 {3, 4, false},     {1, 1, true},      {512, 512, true},
                 {512, 513, false}, {9999, 512, true}, {9999, 513, false}};
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_json_limits limits = {.depth = cases[i].limit};
        struct mica_buffer text;
        struct reading reading;
        mica_buffer_init(&text, NULL, 1 << 16);
        for (size_t k = 0; k < cases[i].depth; k++)
            mica_buffer_format(&text, "%s", k % 2 ? "[" : "{\"a\":");
        mica_buffer_char(&text, '1');
        for (size_t k = cases[i].depth; k-- > 0;)
            mica_buffer_char(&text, k % 2 ? ']' : '}');
        start(&reading, mica_buffer_as_text(&text), 1 << 20, &limits);
        ck_assert_int_eq(reading.status,
                         cases[i].good ? MICA_OK : MICA_E_LIMIT);
        end(&reading);
        mica_buffer_fini(&text);
    }
}
END_TEST

START_TEST(bytes_are_limited_to_16_mib)
{
    struct mica_text text = {malloc((16 << 20) + 1), 16 << 20};
    char *bytes;
    memcpy(&bytes, &text.ptr, sizeof bytes);
    memset(bytes, ' ', (16 << 20) + 1);
    bytes[0] = '1';
    struct reading reading;
    start(&reading, text, 1 << 16, NULL);
    ck_assert_int_eq(reading.status, MICA_OK);
    end(&reading);
    text.len++;
    start(&reading, text, 1 << 16, NULL);
    ck_assert_int_eq(reading.status, MICA_E_LIMIT);
    ck_assert_str_eq(reading.error.message,
                     "the JSON text has 16777217 bytes, more than the limit of "
                     "16777216");
    end(&reading);
    free(bytes);
    struct mica_json_limits limits = {.bytes = 3};
    start(&reading, MICA_LITERAL("123"), 1 << 16, &limits);
    ck_assert_int_eq(reading.status, MICA_OK);
    end(&reading);
    start(&reading, MICA_LITERAL("1234"), 1 << 16, &limits);
    ck_assert_int_eq(reading.status, MICA_E_LIMIT);
    end(&reading);
}
END_TEST

START_TEST(every_cap_on_memory_gives_a_value_or_a_limit)
{
    struct mica_buffer text;
    mica_buffer_init(&text, NULL, 1 << 20);
    mica_buffer_char(&text, '[');
    for (unsigned i = 0; i < 100; i++)
        mica_buffer_format(&text, "%s{\"a\":\"\\u0041 %u\",\"b\":[1,2,3]}",
                           i > 0 ? "," : "", i);
    mica_buffer_char(&text, ']');
    size_t good = 0, limited = 0;
    for (size_t cap = 0; cap < 120000; cap += 97) {
        struct reading reading;
        start(&reading, mica_buffer_as_text(&text), cap, NULL);
        ck_assert(reading.status == MICA_OK || reading.status == MICA_E_LIMIT);
        good += reading.status == MICA_OK;
        limited += reading.status == MICA_E_LIMIT;
        // Once it fits, it fits with more.
        ck_assert(reading.status == MICA_OK || good == 0);
        end(&reading);
    }
    ck_assert_uint_gt(good, 0);
    ck_assert_uint_gt(limited, 0);
    mica_buffer_fini(&text);
}
END_TEST

START_TEST(large_arrays_and_objects_are_read_whole)
{
    struct mica_buffer text;
    struct reading reading;
    mica_buffer_init(&text, NULL, 1 << 24);
    mica_buffer_char(&text, '[');
    for (unsigned i = 0; i < 100000; i++)
        mica_buffer_format(&text, "%s%u", i > 0 ? "," : "", i);
    mica_buffer_char(&text, ']');
    start(&reading, mica_buffer_as_text(&text), 1 << 26, NULL);
    ck_assert_int_eq(reading.status, MICA_OK);
    ck_assert_uint_eq(reading.value.count, 100000);
    for (unsigned i = 0; i < 100000; i++) {
        int64_t value;
        UNIT_MUST(mica_integer_read(reading.value.items[i].text, &value) &&
                      value == i,
                  "%u", i);
    }
    end(&reading);
    mica_buffer_fini(&text);
}
END_TEST

UNIT_MAIN("json_read", a_text_becomes_a_tree,
          raw_is_the_exact_span_of_each_value, strings_are_decoded,
          special_bytes_are_found_at_every_place,
          errors_say_where_what_was_expected_and_what_was_found,
          an_error_may_be_dropped_and_leaves_the_value_alone,
          the_second_of_two_equal_names_is_reported,
          equal_names_are_found_in_objects_of_every_size,
          many_different_names_are_fine,
          duplicates_are_kept_when_allowed_and_the_last_is_found,
          names_with_equal_hashes_stay_fast,
          depth_is_limited_to_64_and_at_most_512, bytes_are_limited_to_16_mib,
          every_cap_on_memory_gives_a_value_or_a_limit,
          large_arrays_and_objects_are_read_whole)
