// SPDX-License-Identifier: Apache-2.0
//
// The JSON writer: commas, escapes, numbers, and values written again.
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <mica/json.h>

#include "base/assert.h"
#include "unit.h"

START_TEST(commas_and_colons_come_by_themselves)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_buffer_init(&buffer, NULL, 1000);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "list");
    mica_json_open_array(&writer);
    mica_json_integer(&writer, 1);
    mica_json_open_array(&writer);
    mica_json_close_array(&writer);
    mica_json_open_object(&writer);
    mica_json_close_object(&writer);
    mica_json_boolean(&writer, true);
    mica_json_boolean(&writer, false);
    mica_json_null(&writer);
    mica_json_close_array(&writer);
    mica_json_field(&writer, "text", MICA_LITERAL("x"));
    mica_json_name_text(&writer, MICA_LITERAL("raw"));
    mica_json_raw(&writer, MICA_LITERAL("[1, 2]"));
    mica_json_name(&writer, "z");
    mica_json_stringz(&writer, "y");
    mica_json_close_object(&writer);
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer),
                 "{\"list\":[1,[],{},true,false,null],\"text\":\"x\","
                 "\"raw\":[1, 2],\"z\":\"y\"}");
    ck_assert_uint_eq(writer.depth, 0);
    mica_buffer_fini(&buffer);
}
END_TEST

static void
check_string(struct mica_text text, const char *expectedz)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_buffer_init(&buffer, NULL, 1000);
    mica_json_writer_init(&writer, &buffer);
    mica_json_string(&writer, text);
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), expectedz);
    mica_buffer_fini(&buffer);
}

START_TEST(strings_are_escaped_minimally)
{
    check_string(MICA_LITERAL(""), "\"\"");
    check_string((struct mica_text){NULL, 0}, "\"\"");
    check_string(MICA_LITERAL("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
    check_string(MICA_LITERAL("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
    check_string(MICA_LITERAL("\0\x1F\x7F"), "\"\\u0000\\u001f\x7F\"");
    check_string(MICA_LITERAL("h\xC3\xA9 \xE2\x80\xA8"),
                 "\"h\xC3\xA9 \xE2\x80\xA8\"");
    check_string(MICA_LITERAL("12345678\"12345678\n"),
                 "\"12345678\\\"12345678\\n\"");
}
END_TEST

START_TEST(every_string_reads_back)
{
    for (size_t len = 0; len < 24; len++)
        for (unsigned byte = 0; byte < 0x80; byte++)
            for (size_t at = 0; at < len; at++) {
                char text[32];
                memset(text, 'x', sizeof text);
                text[at] = (char)byte;
                struct mica_arena arena;
                struct mica_buffer buffer;
                struct mica_json_writer writer;
                struct mica_json value;
                mica_arena_init(&arena, 1 << 16);
                mica_buffer_init(&buffer, &arena, 1000);
                mica_json_writer_init(&writer, &buffer);
                mica_json_string(&writer, (struct mica_text){text, len});
                ck_assert_int_eq(mica_json_read(&arena,
                                                mica_buffer_as_text(&buffer),
                                                NULL, NULL, &value),
                                 MICA_OK);
                ck_assert(
                    mica_text_equal(value.text, (struct mica_text){text, len}));
                mica_arena_fini(&arena);
            }
}
END_TEST

// A byte at each place of texts of each length, so that it meets the scanner in each
// of its steps; alone it meets only the last.
START_TEST(special_bytes_are_escaped_at_every_place)
{
    static const char bytes[] = "\"\\\n\x1F\x7F\x80\xFF\x20\x21\x5B\x5D";
    for (size_t len = 1; len < 40; len++)
        for (size_t at = 0; at < len; at++)
            for (size_t b = 0; b < sizeof bytes; b++) {
                char text[40];
                struct mica_buffer whole, parts;
                memset(text, 'x', len);
                text[at] = bytes[b];
                mica_buffer_init(&whole, NULL, 1000);
                mica_buffer_init(&parts, NULL, 1000);
                mica_json_escape(&whole, (struct mica_text){text, len});
                for (size_t i = 0; i < len; i++)
                    mica_json_escape(&parts, (struct mica_text){text + i, 1});
                UNIT_MUST(mica_text_equal(mica_buffer_as_text(&whole),
                                          mica_buffer_as_text(&parts)),
                          "byte %02X of %zu at %zu",
                          (unsigned)(unsigned char)bytes[b], len, at);
                mica_buffer_fini(&whole);
                mica_buffer_fini(&parts);
            }
}
END_TEST

START_TEST(numbers_are_written_in_their_shortest_form)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_buffer_init(&buffer, NULL, 1000);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_array(&writer);
    mica_json_number(&writer, 0.1);
    mica_json_number(&writer, -0.0);
    mica_json_number(&writer, 1e21);
    mica_json_number(&writer, -DBL_MAX);
    mica_json_integer(&writer, 0);
    mica_json_integer(&writer, INT64_MAX);
    mica_json_integer(&writer, INT64_MIN);
    mica_json_close_array(&writer);
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer),
                 "[0.1,0,1e+21,-1.7976931348623157e+308,0,"
                 "9223372036854775807,-9223372036854775808]");
    mica_buffer_fini(&buffer);
}
END_TEST

static void
write_number(double value)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_buffer_init(&buffer, NULL, 1000);
    mica_json_writer_init(&writer, &buffer);
    mica_json_number(&writer, value);
    mica_buffer_fini(&buffer);
}

START_TEST(nan_stops_the_program)
{
    write_number((double)NAN);
}
END_TEST

START_TEST(infinity_stops_the_program)
{
    write_number(-(double)INFINITY);
}
END_TEST

START_TEST(a_text_that_just_fits_fits_and_one_byte_less_overflows)
{
    static const char expected[] = "{\"name\":[1,\"te\\nxt\",null]}";
    for (size_t max = 0; max <= sizeof expected; max++) {
        struct mica_buffer buffer;
        struct mica_json_writer writer;
        mica_buffer_init(&buffer, NULL, max);
        mica_json_writer_init(&writer, &buffer);
        mica_json_open_object(&writer);
        mica_json_name(&writer, "name");
        mica_json_open_array(&writer);
        mica_json_integer(&writer, 1);
        mica_json_stringz(&writer, "te\nxt");
        mica_json_null(&writer);
        mica_json_close_array(&writer);
        mica_json_close_object(&writer);
        ck_assert_int_eq(buffer.overflow, max < sizeof expected - 1);
        ck_assert_uint_le(buffer.len, max);
        if (!buffer.overflow)
            UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), expected);
        mica_buffer_fini(&buffer);
    }
}
END_TEST

// ---- Values again ---------------------------------------------------------------

enum form {
    COMPACT,
    PRETTY,
    CANONICAL
};

static void
check_form(enum form form, const char *textz, const char *expectedz)
{
    struct mica_arena arena;
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    struct mica_json value;
    struct mica_error error;
    mica_arena_init(&arena, 1 << 20);
    mica_buffer_init(&buffer, NULL, 1 << 16);
    mica_json_writer_init(&writer, &buffer);
    ck_assert_msg(mica_json_read(&arena, mica_text(textz), NULL, &error,
                                 &value) == MICA_OK,
                  "%s", error.message);
    switch (form) {
    case COMPACT:
        mica_json_value(&writer, &value);
        break;
    case PRETTY:
        mica_json_pretty(&buffer, &value);
        break;
    case CANONICAL:
        ck_assert_int_eq(mica_json_canonical(&arena, &buffer, &value), MICA_OK);
        break;
    }
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), expectedz);
    mica_buffer_fini(&buffer);
    mica_arena_fini(&arena);
}

START_TEST(a_value_is_written_compact_with_number_text_and_order_kept)
{
    check_form(COMPACT, " { \"b\" : 1.50 , \"a\" : [ 1e2 , \"x\" ] } ",
               "{\"b\":1.50,\"a\":[1e2,\"x\"]}");
    check_form(COMPACT, "[\"\\u0041\\/\\u001F\\u000a\\u00e9\"]",
               "[\"A/\\u001f\\n\xC3\xA9\"]");
    check_form(COMPACT, "{\"\\u0041\\n\": null}", "{\"A\\n\":null}");
    check_form(COMPACT, "123456789012345678901234567890",
               "123456789012345678901234567890");
}
END_TEST

START_TEST(a_value_is_indented_by_two)
{
    check_form(PRETTY, "{\"a\":[1,{\"b\":\"x\\u0041\"}],\"c\":{},\"d\":[]}",
               "{\n"
               "  \"a\": [\n"
               "    1,\n"
               "    {\n"
               "      \"b\": \"xA\"\n"
               "    }\n"
               "  ],\n"
               "  \"c\": {},\n"
               "  \"d\": []\n"
               "}");
    check_form(PRETTY, "7.0", "7.0");
}
END_TEST

// The example of RFC 8785 section 3.2.2 and the order of section 3.2.3.
START_TEST(canonical_form_is_that_of_rfc_8785)
{
    check_form(CANONICAL,
               "{\"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, "
               "0.000000000000000000000000001],"
               "\"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c"
               "\\\\\\\"\\/\",\"literals\": [null, true, false]}",
               "{\"literals\":[null,true,false],\"numbers\":"
               "[333333333.3333333,1e+30,4.5,0.002,1e-27],\"string\":"
               "\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    check_form(CANONICAL,
               "{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\","
               "\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\",\"1\":\"One\","
               "\"\\ud83d\\ude00\":\"Emoji: Grinning Face\","
               "\"\\u0080\":\"Control\","
               "\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}",
               "{\"\\r\":\"Carriage Return\",\"1\":\"One\","
               "\"\xC2\x80\":\"Control\","
               "\"\xC3\xB6\":\"Latin Small Letter O With Diaeresis\","
               "\"\xE2\x82\xAC\":\"Euro Sign\","
               "\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\","
               "\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
    check_form(CANONICAL, "[-0, 0.0, 1e0, 100e-2]", "[0,0,1,1]");
    check_form(CANONICAL, "{\"b\":{\"d\":1,\"c\":2},\"ab\":0,\"a\":1,\"\":2}",
               "{\"\":2,\"a\":1,\"ab\":0,\"b\":{\"c\":2,\"d\":1}}");
}
END_TEST

START_TEST(canonical_form_refuses_what_no_double_holds)
{
    static const char *const bad[] = {"1e400", "[1,{\"a\":-1e999}]"};
    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        struct mica_arena arena;
        struct mica_buffer buffer;
        struct mica_json value;
        mica_arena_init(&arena, 1 << 16);
        mica_buffer_init(&buffer, &arena, 1000);
        ck_assert_int_eq(
            mica_json_read(&arena, mica_text(bad[i]), NULL, NULL, &value),
            MICA_OK);
        ck_assert_int_eq(mica_json_canonical(&arena, &buffer, &value),
                         MICA_E_RANGE);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(canonical_form_tells_when_the_buffer_is_full)
{
    struct mica_arena arena;
    struct mica_buffer buffer;
    struct mica_json value;
    mica_arena_init(&arena, 1 << 16);
    mica_buffer_init(&buffer, NULL, 5);
    ck_assert_int_eq(
        mica_json_read(&arena, MICA_LITERAL("[1,2,3]"), NULL, NULL, &value),
        MICA_OK);
    ck_assert_int_eq(mica_json_canonical(&arena, &buffer, &value),
                     MICA_E_LIMIT);
    mica_buffer_fini(&buffer);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(canonical_form_tells_when_the_arena_is_full)
{
    struct mica_arena arena, small;
    struct mica_buffer buffer;
    struct mica_json value;
    mica_arena_init(&arena, 1 << 16);
    mica_arena_init(&small, 10);
    mica_buffer_init(&buffer, &arena, 1000);
    ck_assert_int_eq(
        mica_json_read(&arena, MICA_LITERAL("{\"a\":1}"), NULL, NULL, &value),
        MICA_OK);
    ck_assert_int_eq(mica_json_canonical(&small, &buffer, &value),
                     MICA_E_LIMIT);
    mica_arena_fini(&small);
    mica_arena_fini(&arena);
}
END_TEST

#ifdef MICA_DEBUG
START_TEST(closing_more_than_was_opened_stops_a_debug_build)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_buffer_init(&buffer, NULL, 1000);
    mica_json_writer_init(&writer, &buffer);
    mica_json_close_array(&writer);
    mica_buffer_fini(&buffer);
}
END_TEST
#endif

int
main(void)
{
    Suite *suite = suite_create("json_write");
    TCase *cases = tcase_create("json_write");
    const TTest *const tests[] = {
        commas_and_colons_come_by_themselves,
        strings_are_escaped_minimally,
        every_string_reads_back,
        special_bytes_are_escaped_at_every_place,
        numbers_are_written_in_their_shortest_form,
        a_text_that_just_fits_fits_and_one_byte_less_overflows,
        a_value_is_written_compact_with_number_text_and_order_kept,
        a_value_is_indented_by_two,
        canonical_form_is_that_of_rfc_8785,
        canonical_form_refuses_what_no_double_holds,
        canonical_form_tells_when_the_buffer_is_full,
        canonical_form_tells_when_the_arena_is_full,
    };
    for (size_t i = 0; i < MICA_COUNT(tests); i++)
        tcase_add_test(cases, tests[i]);
    tcase_add_test_raise_signal(cases, nan_stops_the_program, SIGILL);
    tcase_add_test_raise_signal(cases, infinity_stops_the_program, SIGILL);
#ifdef MICA_DEBUG
    tcase_add_test_raise_signal(
        cases, closing_more_than_was_opened_stops_a_debug_build, SIGILL);
#endif
    suite_add_tcase(suite, cases);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}
