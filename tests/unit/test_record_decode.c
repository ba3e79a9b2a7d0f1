// SPDX-License-Identifier: Apache-2.0
//
// JSON to struct: every kind as it should be, every refusal with its words.
#include <math.h>

#include "test_record.h"

static struct mica_arena arena;

static void
setup(void)
{
    mica_arena_init(&arena, 1 << 20);
}

START_TEST(scalars_arrive_in_the_struct)
{
    setup();
    const struct all *all = DECODED(
        &arena, all,
        "{\"text\":\"a\\u0000b\",\"number\":-2.5e3,\"integer\":-7,"
        "\"wide\":9223372036854775807,\"boolean\":true,\"color\":\"dark blue\","
        "\"date\":\"2024-02-29\",\"time\":\"2026-11-20T09:30:00.5+01:00\","
        "\"decimal\":99.99999999999999999999999999999999}");
    ck_assert(mica_text_equal(all->text, MICA_LITERAL("a\0b")));
    ck_assert(all->number == -2500);
    ck_assert_int_eq(all->integer, -7);
    ck_assert(all->wide == INT64_MAX);
    ck_assert(all->boolean);
    ck_assert_int_eq(all->color, DARK_BLUE);
    ck_assert_int_eq(all->date.year, 2024);
    ck_assert_int_eq(all->date.day, 29);
    ck_assert_int_eq(all->time.hour, 9);
    ck_assert_int_eq(all->time.nanosecond, 500000000);
    ck_assert_int_eq(all->time.offset_minutes, 60);
    ck_assert_int_eq(
        mica_decimal_compare(all->decimal,
                             mica_decimal_subtract(mica_decimal_of(100, 0),
                                                   mica_decimal_of(1, -32))),
        0);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(whole_values_in_any_spelling_are_integers)
{
    static const struct {
        const char *jsonz;
        int64_t value;
    } cases[] = {{"{\"integer\":42.0}", 42},
                 {"{\"integer\":4.2e1}", 42},
                 {"{\"integer\":-0}", 0},
                 {"{\"integer\":9007199254740991}", 9007199254740991},
                 {"{\"integer\":-9007199254740991}", -9007199254740991}};
    setup();
    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        ck_assert_int_eq(DECODED(&arena, all, cases[i].jsonz)->integer,
                         cases[i].value);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(absent_fields_take_their_fallback_or_stay_absent)
{
    setup();
    const struct all *all = DECODED(&arena, all, "{}");
    UNIT_TEXT_EQ(all->text, "none");
    ck_assert(!all->has_number && !all->has_texts && !all->has_any);
    ck_assert(all->any == NULL);
    all = DECODED(&arena, all, "{\"number\":0,\"point\":{\"x\":1}}");
    ck_assert(all->has_number && all->has_point);
    ck_assert(!all->point.has_label && all->point.y == 0);
    all = DECODED(&arena, all, "{\"point\":{\"label\":\"A\",\"x\":1}}");
    ck_assert(all->point.has_label);
    UNIT_TEXT_EQ(all->point.label, "A");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(lists_maps_and_nullables_nest)
{
    setup();
    const struct all *all =
        DECODED(&arena, all,
                "{\"texts\":[\"a\",\"b\"],\"rows\":[[1,2],[],[3]],"
                "\"gaps\":[null,4],\"counts\":{\"b\":2,\"a\":1},"
                "\"maps\":{\"m\":{\"p\":{\"x\":5}}},\"maybe\":null,"
                "\"maybe_point\":{\"x\":6},\"maybe_color\":\"green\"}");
    ck_assert_uint_eq(all->texts.count, 2);
    UNIT_TEXT_EQ(all->texts.items[1], "b");
    ck_assert_uint_eq(all->rows.count, 3);
    ck_assert_uint_eq(all->rows.items[1].count, 0);
    ck_assert(all->rows.items[0].items[1] == 2);
    ck_assert(!all->gaps.items[0].present && all->gaps.items[1].present);
    ck_assert(all->gaps.items[1].value == 4);
    UNIT_TEXT_EQ(all->counts.keys[0], "b");
    ck_assert_int_eq(all->counts.items[0], 2);
    UNIT_TEXT_EQ(all->maps.items[0].keys[0], "p");
    ck_assert(all->maps.items[0].items[0].x == 5);
    ck_assert(all->has_maybe && !all->maybe.present);
    ck_assert(all->maybe_point.present && all->maybe_point.value.x == 6);
    ck_assert(all->maybe_color.present && all->maybe_color.value == GREEN);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(any_is_the_value_as_it_was_read)
{
    setup();
    const struct all *all = DECODED(&arena, all, "{\"any\":{\"a\":[1e2]}}");
    ck_assert_int_eq(all->any->kind, MICA_JSON_OBJECT);
    UNIT_TEXT_EQ(all->any->raw, "{\"a\":[1e2]}");
    all = DECODED(&arena, all, "{\"any\":null}");
    ck_assert(all->has_any && all->any->kind == MICA_JSON_NULL);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(field_order_does_not_matter)
{
    setup();
    const struct point *a =
        DECODED(&arena, point, "{\"label\":\"l\",\"y\":2,\"x\":1}");
    ck_assert(a->x == 1 && a->y == 2 && a->has_label);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_unknown_name_is_refused_with_the_nearest)
{
    static const struct refusal cases[] = {
        {"{\"numbr\":1}", MICA_E_UNKNOWN, "/numbr",
         "\"numbr\" is no field of this object; did you mean \"number\"?"},
        {"{\"NUMBER\":1}", MICA_E_UNKNOWN, "/NUMBER",
         "\"NUMBER\" is no field of this object; did you mean \"number\"?"},
        {"{\"point\":{\"x\":1,\"lable\":\"\"}}", MICA_E_UNKNOWN, "/point/lable",
         "\"point/lable\" is no field of this object; did you mean "
         "\"label\"?"},
        {"{\"point\":{\"zenith\":1}}", MICA_E_UNKNOWN, "/point/zenith",
         "\"point/zenith\" is no field of this object; its fields are \"x\", "
         "\"y\", \"label\""},
        {"{\"point\":{\"\":1}}", MICA_E_UNKNOWN, "/point/",
         "\"point/\" is no field of this object; its fields are \"x\", "
         "\"y\", \"label\""},
        {"{\"point\":{\"x\\u0000\":1}}", MICA_E_UNKNOWN, "/point/x", NULL},
        {"{\"a/b~c\":1}", MICA_E_UNKNOWN, "/a~1b~0c", NULL},
    };
    check_refusals(&mica_record_all, cases, 5);
    // A name with a NUL is not the name before the NUL.
    struct mica_error error;
    void *out;
    setup();
    ck_assert_int_eq(
        decode_json(&arena, &mica_record_all, cases[5].jsonz, &error, &out),
        MICA_E_UNKNOWN);
    ck_assert_int_eq(
        decode_json(&arena, &mica_record_all, cases[6].jsonz, &error, &out),
        MICA_E_UNKNOWN);
    ck_assert_str_eq(error.path, cases[6].pathz);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_missing_field_is_named_with_its_description)
{
    static const struct refusal cases[] = {
        {"{\"point\":{}}", MICA_E_REQUIRED, "/point/x",
         "\"point/x\" is required; pass a number: Across."},
        {"{\"maps\":{\"a\":{\"b\":{\"y\":1}}}}", MICA_E_REQUIRED, "/maps/a/b/x",
         "\"maps/a/b/x\" is required; pass a number: Across."},
    };
    check_refusals(&mica_record_all, cases, MICA_COUNT(cases));
}
END_TEST

START_TEST(a_wrong_type_is_refused_with_advice)
{
    static const struct refusal cases[] = {
        {"{\"number\":\"1.5\"}", MICA_E_TYPE, "/number",
         "\"number\" must be a number, but is the string \"1.5\"; write 1.5 "
         "without quotes"},
        {"{\"number\":\"many\"}", MICA_E_TYPE, "/number",
         "\"number\" must be a number, but is the string \"many\""},
        {"{\"number\":null}", MICA_E_TYPE, "/number",
         "\"number\" must be a number, but is null; leave it out instead"},
        {"{\"text\":12}", MICA_E_TYPE, "/text",
         "\"text\" must be a string, but is the number 12; write \"12\" with "
         "quotes"},
        {"{\"boolean\":\"true\"}", MICA_E_TYPE, "/boolean",
         "\"boolean\" must be true or false, but is the string \"true\"; "
         "write true without quotes"},
        {"{\"boolean\":1}", MICA_E_TYPE, "/boolean",
         "\"boolean\" must be true or false, but is the number 1"},
        {"{\"integer\":2.5}", MICA_E_TYPE, "/integer",
         "\"integer\" must be a whole number, but is the number 2.5"},
        {"{\"integer\":1e-400}", MICA_E_TYPE, "/integer",
         "\"integer\" must be a whole number, but is the number 1e-400"},
        {"{\"color\":1}", MICA_E_TYPE, "/color",
         "\"color\" must be a string, one of the choices, but is the number "
         "1"},
        {"{\"point\":[]}", MICA_E_TYPE, "/point",
         "\"point\" must be an object, but is an array"},
        {"{\"date\":20261120}", MICA_E_TYPE, "/date",
         "\"date\" must be a date in a string, like \"2026-11-20\", but is "
         "the number 20261120"},
        {"{\"time\":{}}", MICA_E_TYPE, "/time",
         "\"time\" must be a date and time in a string, like "
         "\"2026-11-20T09:30:00+01:00\", but is an object"},
        {"{\"texts\":\"a\"}", MICA_E_TYPE, "/texts",
         "\"texts\" must be an array, but is the string \"a\"; put it in [ ]"},
        {"{\"texts\":[\"a\",false]}", MICA_E_TYPE, "/texts/1",
         "\"texts/1\" must be a string, but is false"},
        {"{\"rows\":[[0],[0,null]]}", MICA_E_TYPE, "/rows/1/1",
         "\"rows/1/1\" must be a number, but is null"},
        {"{\"counts\":[]}", MICA_E_TYPE, "/counts",
         "\"counts\" must be an object, but is an array"},
        {"{\"decimal\":\"1.5\"}", MICA_E_TYPE, "/decimal",
         "\"decimal\" must be a decimal number, but is the string \"1.5\"; write 1.5 without quotes"},
        {"{\"maybe\":\"x\"}", MICA_E_TYPE, "/maybe",
         "\"maybe\" must be a number, but is the string \"x\""},
        {"[1]", MICA_E_TYPE, "", NULL},
    };
    check_refusals(&mica_record_all, cases, MICA_COUNT(cases) - 1);
    static const struct refusal whole = {
        "[1]", MICA_E_TYPE, "",
        "the input must be an object, but is an array; its fields are \"x\", "
        "\"y\", \"label\""};
    check_refusals(&mica_record_point, &whole, 1);
}
END_TEST

START_TEST(a_value_out_of_bounds_is_refused_with_the_bounds)
{
    static const struct refusal cases[] = {
        {"{\"integer\":9007199254740992}", MICA_E_RANGE, "/integer",
         "\"integer\" must be from -9007199254740991 to 9007199254740991, "
         "where every JSON reader is exact, but is 9007199254740992"},
        {"{\"integer\":1e30}", MICA_E_RANGE, "/integer",
         "\"integer\" is larger than a number of its kind can be: 1e30"},
        {"{\"wide\":9223372036854775808}", MICA_E_RANGE, "/wide",
         "\"wide\" is larger than a number of its kind can be: "
         "9223372036854775808"},
        {"{\"number\":-1e400}", MICA_E_RANGE, "/number",
         "\"number\" is larger than a number of its kind can be: -1e400"},
        {"{\"rows\":[[1],[-1]]}", MICA_E_RANGE, "/rows/1/0",
         "\"rows/1/0\" must be at least 0, but is -1"},
        {"{\"rows\":[]}", MICA_E_RANGE, "/rows",
         "\"rows\" must have at least 1 item, but has 0"},
        {"{\"texts\":[\"\",\"\",\"\",\"\"]}", MICA_E_RANGE, "/texts",
         "\"texts\" must have at most 3 items, but has 4"},
        {"{\"texts\":[\"äöüß\",\"abcde\"]}", MICA_E_RANGE, "/texts/1",
         "\"texts/1\" must have at most 4 characters, but has 5"},
        {"{\"gaps\":[null,10]}", MICA_E_RANGE, "/gaps/1",
         "\"gaps/1\" must be at most 9, but is 10"},
        {"{\"counts\":{\"a\":0}}", MICA_E_RANGE, "/counts/a",
         "\"counts/a\" must be a whole number at least 1, but is 0"},
        {"{\"counts\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1}}", MICA_E_RANGE,
         "/counts", "\"counts\" must have at most 4 names, but has 5"},
        {"{\"decimal\":100.00}", MICA_E_RANGE, "/decimal",
         "\"decimal\" must be less than 100, but is 100"},
        {"{\"decimals\":[null,0.009999999999999999999999]}", MICA_E_RANGE,
         "/decimals/1",
         "\"decimals/1\" must be at least 0.01, but is 0.009999999999999999999999"},
        {"{\"maybe\":0}", MICA_E_RANGE, "/maybe",
         "\"maybe\" must be greater than 0, but is 0"},
    };
    check_refusals(&mica_record_all, cases, MICA_COUNT(cases));
}
END_TEST

START_TEST(a_text_of_another_form_is_refused_with_the_form)
{
    static const struct refusal cases[] = {
        {"{\"color\":\"Red\"}", MICA_E_CHOICE, "/color",
         "\"color\" is not one of its choices: \"Red\"; did you mean \"red\"? "
         "the choices are \"red\", \"green\", \"dark blue\""},
        {"{\"color\":\"mauve\"}", MICA_E_CHOICE, "/color",
         "\"color\" is not one of its choices: \"mauve\"; the choices are "
         "\"red\", \"green\", \"dark blue\""},
        {"{\"date\":\"2026-02-29\"}", MICA_E_FORMAT, "/date",
         "\"date\" must be a date of the calendar like 2026-11-20, but is "
         "\"2026-02-29\""},
        {"{\"time\":\"2026-11-20 09:30\"}", MICA_E_FORMAT, "/time",
         "\"time\" must be a date and time with its offset from UTC like "
         "2026-11-20T09:30:00+01:00 or 2026-11-20T08:30:00Z, but is "
         "\"2026-11-20 09:30\""},
        {"{\"counts\":{\"a\":1,\"B\":1}}", MICA_E_FORMAT, "/counts/B",
         "a name in the object: \"counts/B\" must match the pattern ^[a-z]+$, "
         "but is \"B\""},
    };
    check_refusals(&mica_record_all, cases, MICA_COUNT(cases));
}
END_TEST

enum size {
    SMALL,
    LARGE
};
MICA_CHOICES(size, [SMALL] = "small", [LARGE] = "large");
struct bounded {
    double open;
    int64_t between, huge;
    struct mica_text code, mail, link, id;
};
MICA_RECORD(bounded,
            MICA_NUMBER(open, "o", .exclusive_minimum = 0,
                        .exclusive_maximum = 1, .fallback = "0.5"),
            MICA_INTEGER(between, "b", .minimum = 0.5, .maximum = 3.5,
                         .fallback = "1"),
            MICA_INTEGER(huge, "h", .wide = true, .maximum = 0x1p60,
                         .exclusive_minimum = -0x1p60, .fallback = "0"),
            MICA_TEXT(code, "c", .min_length = 2, .pattern = "^[A-Z]+$",
                      .fallback = "\"AB\""),
            MICA_TEXT(mail, "m", .format = MICA_EMAIL, .fallback = "\"a@b.c\""),
            MICA_TEXT(link, "l", .format = MICA_URI, .fallback = "\"a:b\""),
            MICA_TEXT(id, "i", .format = MICA_UUID,
                      .fallback = "\"00000000-0000-0000-0000-000000000000\""));

START_TEST(bounds_are_exact_at_their_edges)
{
    static const struct refusal cases[] = {
        {"{\"open\":0}", MICA_E_RANGE, "/open",
         "\"open\" must be greater than 0 and less than 1, but is 0"},
        {"{\"open\":1}", MICA_E_RANGE, "/open",
         "\"open\" must be greater than 0 and less than 1, but is 1"},
        {"{\"between\":0}", MICA_E_RANGE, "/between",
         "\"between\" must be a whole number at least 0.5 and at most 3.5, "
         "but is 0"},
        {"{\"between\":4}", MICA_E_RANGE, "/between",
         "\"between\" must be a whole number at least 0.5 and at most 3.5, "
         "but is 4"},
        {"{\"huge\":1152921504606846977}", MICA_E_RANGE, "/huge",
         "\"huge\" must be a whole number greater than -1152921504606847000 "
         "and at most 1152921504606847000, but is 1152921504606846977"},
        {"{\"huge\":-1152921504606846976}", MICA_E_RANGE, "/huge",
         "\"huge\" must be a whole number greater than -1152921504606847000 "
         "and at most 1152921504606847000, but is -1152921504606846976"},
        {"{\"code\":\"A\"}", MICA_E_RANGE, "/code",
         "\"code\" must have at least 2 characters, but has 1"},
        {"{\"code\":\"ab\"}", MICA_E_FORMAT, "/code",
         "\"code\" must match the pattern ^[A-Z]+$, but is \"ab\""},
        {"{\"mail\":\"ab\"}", MICA_E_FORMAT, "/mail",
         "\"mail\" must be of the format email, like name@example.org, but is \"ab\""},
        {"{\"link\":\"/ab\"}", MICA_E_FORMAT, "/link",
         "\"link\" must be of the format uri, like https://example.org/page, but is "
         "\"/ab\""},
        {"{\"id\":\"1\"}", MICA_E_FORMAT, "/id",
         "\"id\" must be of the format uuid, like f81d4fae-7dec-41d0-a765-00a0c91e6bf6, "
         "but is \"1\""},
    };
    check_refusals(&mica_record_bounded, cases, MICA_COUNT(cases));
    setup();
    (void)DECODED(&arena, bounded,
                  "{\"open\":5e-324,\"between\":3,"
                  "\"huge\":1152921504606846976,\"code\":\"XYZ\"}");
    ck_assert(
        DECODED(&arena, bounded, "{\"huge\":-1152921504606846975}")->huge ==
        -1152921504606846975);
    mica_arena_fini(&arena);
}
END_TEST

// What an object is told whose one name is `bytes` long and unknown.
static const char *
unknown_name(struct mica_error *error, size_t bytes)
{
    struct mica_buffer json;
    void *out;
    mica_buffer_init(&json, &arena, 1 << 20);
    mica_buffer_format(&json, "{\"");
    for (size_t i = 0; i < bytes; i += 2)
        mica_buffer_format(&json, "ü");
    mica_buffer_format(&json, "\":1}");
    mica_buffer_char(&json, '\0');
    ck_assert_int_eq(
        decode_json(&arena, &mica_record_all, json.ptr, error, &out),
        MICA_E_UNKNOWN);
    return error->message;
}

START_TEST(an_unknown_name_of_any_length_is_named)
{
    static const size_t sizes[] = {150,  156,  158,  160,   162,   186,  188,
                                   190,  192,  194,  196,   198,   200,  202,
                                   260,  480,  500,  512,   514,   1000, 4094,
                                   4096, 4098, 9000, 65536, 100000};
    struct mica_error error;
    for (size_t i = 0; i < MICA_COUNT(sizes); i++) {
        setup();
        const char *messagez = unknown_name(&error, sizes[i]);
        ck_assert_msg(strncmp(messagez, "\"üüüüüüüüüü", 21) == 0, "%zu: %s",
                      sizes[i], messagez);
        ck_assert_msg(strstr(messagez, "\" is no field of this object; its "
                                       "fields are \"text\", ") != NULL,
                      "%zu: %s", sizes[i], messagez);
        ck_assert_int_eq(strncmp(error.path, "/üüüüüüüüüü", 21), 0);
        ck_assert_uint_eq(mica_utf8_valid(mica_text(messagez)),
                          strlen(messagez));
        ck_assert_uint_eq(mica_utf8_valid(mica_text(error.path)),
                          strlen(error.path));
        ck_assert_int_eq(sizes[i] <= 160, strstr(error.path, "…") == NULL);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(long_values_and_paths_are_cut_between_characters)
{
    struct mica_error error;
    struct mica_buffer json;
    void *out;
    setup();
    mica_buffer_init(&json, &arena, 1 << 16);
    mica_buffer_format(&json, "{\"color\":\"");
    for (int i = 0; i < 500; i++)
        mica_buffer_format(&json, "ü");
    mica_buffer_format(&json, "\",\"%0300d\":1}", 0);
    mica_buffer_char(&json, '\0');
    ck_assert_int_eq(
        decode_json(&arena, &mica_record_all, json.ptr, &error, &out),
        MICA_E_CHOICE);
    ck_assert_uint_eq(mica_utf8_valid(mica_text(error.message)),
                      strlen(error.message));
    ck_assert_ptr_nonnull(strstr(error.message, "üüü…\""));
    ck_assert_ptr_nonnull(strstr(error.message, "\"dark blue\""));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_full_arena_is_a_limit_and_no_crash)
{
    struct mica_arena small;
    struct mica_error error = {.status = MICA_OK};
    setup();
    struct mica_json value =
        read_json(&arena, "{\"rows\":[[1,2,3],[4,5,6]],\"counts\":{\"a\":1},"
                          "\"point\":{\"x\":1}}");
    size_t refused = 0;
    for (size_t cap = 0; cap < 4096; cap += 16) {
        struct all out = {.number = 0};
        mica_arena_init(&small, cap);
        enum mica_status status =
            mica_record_decode(&mica_record_all, &value, &small, &error, &out);
        ck_assert(status == MICA_OK || status == MICA_E_LIMIT);
        refused += status == MICA_E_LIMIT;
        mica_arena_fini(&small);
    }
    ck_assert_uint_gt(refused, 4);
    ck_assert_uint_lt(refused, 4096 / 16);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_error_is_not_needed_to_fail)
{
    void *out;
    setup();
    ck_assert_int_eq(decode_json(&arena, &mica_record_all,
                                 "{\"counts\":{\"B\":1}}", NULL, &out),
                     MICA_E_FORMAT);
    ck_assert_int_eq(
        decode_json(&arena, &mica_record_all, "{\"x\":1}", NULL, &out),
        MICA_E_UNKNOWN);
    ck_assert_int_eq(decode_json(&arena, &mica_record_all, "1", NULL, &out),
                     MICA_E_TYPE);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("record_decode", scalars_arrive_in_the_struct,
          whole_values_in_any_spelling_are_integers,
          absent_fields_take_their_fallback_or_stay_absent,
          lists_maps_and_nullables_nest, any_is_the_value_as_it_was_read,
          field_order_does_not_matter,
          an_unknown_name_is_refused_with_the_nearest,
          an_unknown_name_of_any_length_is_named,
          a_missing_field_is_named_with_its_description,
          a_wrong_type_is_refused_with_advice,
          a_value_out_of_bounds_is_refused_with_the_bounds,
          a_text_of_another_form_is_refused_with_the_form,
          bounds_are_exact_at_their_edges,
          long_values_and_paths_are_cut_between_characters,
          a_full_arena_is_a_limit_and_no_crash, an_error_is_not_needed_to_fail)
