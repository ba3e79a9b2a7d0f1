// SPDX-License-Identifier: Apache-2.0
//
// Tables that compile and are wrong all the same: each is found, and named.
#include <math.h>

#include "test_record.h"

static void
check_wrong(const struct mica_record *record, const char *messagez)
{
    struct mica_arena arena;
    struct mica_error error = {.status = MICA_OK};
    mica_arena_init(&arena, 1 << 20);
    ck_assert_msg(mica_record_check(record, &arena, &error) == MICA_E_USAGE,
                  "%s is taken, instead of: %s", record->tag, messagez);
    ck_assert_str_eq(error.message, messagez);
    mica_arena_fini(&arena);
}

#define HAS_NONE                                                              \
    ", which its kind does not have; bounds of the values in a list, map or " \
    "nullable are .each.…, of a map's names .keys.…"

START_TEST(good_records_pass)
{
    struct mica_arena arena;
    struct mica_error error = {.status = MICA_OK};
    mica_arena_init(&arena, 1 << 20);
    ck_assert_msg(mica_record_check(&mica_record_all, &arena, &error) ==
                      MICA_OK,
                  "%s", error.message);
    ck_assert_int_eq(mica_record_check(&mica_record_point, &arena, &error),
                     MICA_OK);
    mica_arena_fini(&arena);
}
END_TEST

// Records of one wrong field each.
struct one {
    double n;
    int64_t i;
    struct mica_text t;
    bool b;
    bool has_n;
    struct {
        size_t count;
        const double *items;
    } list;
    struct {
        size_t count;
        const struct mica_text *keys;
        const double *items;
    } map;
};

#define ONE(name, ...)                                                       \
    MICA_QUIET_                                                              \
    static const struct mica_field fields_##name[] = {                       \
        MICA_EACH_(MICA_FIELD_, struct one, __VA_ARGS__)};                   \
    static const struct mica_record record_##name = {                        \
        #name, sizeof(struct one), fields_##name, MICA_COUNT(fields_##name), \
        sizeof(struct mica_field)};                                          \
    MICA_LOUD_                                                               \
    _Static_assert(1, "")

ONE(minimum_of_text, MICA_TEXT(t, "", .minimum = 0));
ONE(pattern_of_number, MICA_NUMBER(n, "", .pattern = "a"));
ONE(length_of_boolean, MICA_BOOLEAN(b, "", .max_length = 3));
ONE(wide_number, MICA_NUMBER(n, "", .wide = true));
ONE(minimum_of_list, MICA_LIST(list, number, "", .minimum = 0));
ONE(each_of_number, MICA_NUMBER(n, "", .each.minimum = 0));
ONE(each_of_other_kind, MICA_LIST(list, number, "", .each.min_length = 1));
ONE(keys_of_list, MICA_LIST(list, number, "", .keys.min_length = 1));
ONE(keys_with_minimum, MICA_MAP(map, number, "", .keys.minimum = 1));
ONE(items_of_text, MICA_TEXT(t, "", .max_items = 1));

START_TEST(options_that_a_kind_does_not_have_are_found)
{
    check_wrong(&record_minimum_of_text,
                "\"t\" sets .minimum or .maximum" HAS_NONE);
    check_wrong(&record_pattern_of_number,
                "\"n\" sets lengths, a pattern or a format" HAS_NONE);
    check_wrong(&record_length_of_boolean,
                "\"b\" sets lengths, a pattern or a format" HAS_NONE);
    check_wrong(&record_wide_number, "\"n\" sets .wide" HAS_NONE);
    check_wrong(&record_minimum_of_list,
                "\"list\" sets .minimum or .maximum" HAS_NONE);
    check_wrong(&record_each_of_number,
                "\"n\" sets .each.minimum or .maximum" HAS_NONE);
    check_wrong(&record_each_of_other_kind,
                "\"list\" sets .each: lengths, a pattern or a format" HAS_NONE);
    check_wrong(&record_keys_of_list,
                "\"list\" sets .keys: lengths, a pattern or a format" HAS_NONE);
    check_wrong(&record_keys_with_minimum,
                "\"map\" sets .keys.minimum or .maximum" HAS_NONE);
    check_wrong(&record_items_of_text, "\"t\" sets .min_items or .max_items, "
                                       "but is no list or map");
}
END_TEST

ONE(crossed, MICA_NUMBER(n, "", .minimum = 1, .maximum = 0));
ONE(open_point, MICA_NUMBER(n, "", .minimum = 1, .exclusive_maximum = 1));
ONE(no_integer, MICA_INTEGER(i, "", .minimum = 0.2, .maximum = 0.8));
ONE(no_open_integer,
    MICA_INTEGER(i, "", .exclusive_minimum = 1, .exclusive_maximum = 2));
ONE(bound_nan, MICA_NUMBER(n, "", .minimum = __builtin_nan("")));
ONE(bound_large, MICA_INTEGER(i, "", .maximum = 1e18));
ONE(bound_far, MICA_INTEGER(i, "", .minimum = 1e17));
ONE(lengths, MICA_TEXT(t, "", .min_length = 3, .max_length = 2));
ONE(items, MICA_LIST(list, number, "", .min_items = 3, .max_items = 2));
ONE(pattern, MICA_TEXT(t, "", .pattern = "(a"));
ONE(pattern_bytes, MICA_TEXT(t, "", .pattern = "\xFF"));
ONE(each_crossed,
    MICA_LIST(list, number, "", .each.minimum = 1, .each.maximum = 0));
ONE(keys_pattern, MICA_MAP(map, number, "", .keys.pattern = "["));

START_TEST(bounds_that_nothing_keeps_are_found)
{
    check_wrong(&record_crossed, "\"n\" has bounds that no number keeps");
    check_wrong(&record_open_point, "\"n\" has bounds that no number keeps");
    check_wrong(&record_no_integer,
                "\"i\" has bounds that no whole number keeps");
    check_wrong(&record_no_open_integer,
                "\"i\" has bounds that no whole number keeps");
    check_wrong(&record_bound_nan, "\"n\" has a bound that is not a number");
    check_wrong(&record_bound_large,
                "\"i\" has a bound beyond 2^53 - 1; say `.wide = true` to "
                "allow integers that large");
    check_wrong(&record_bound_far,
                "\"i\" has a bound beyond 2^53 - 1; say `.wide = true` to "
                "allow integers that large");
    check_wrong(&record_lengths, "\"t\" has a .min_length above its "
                                 ".max_length");
    check_wrong(&record_items, "\"list\" has .min_items above .max_items");
    check_wrong(&record_pattern,
                "\"t\" has a .pattern that is not understood: the pattern "
                "(a, up to byte 2: a ( has no )");
    check_wrong(&record_pattern_bytes, "\"t\" has a .pattern that is not "
                                       "UTF-8");
    check_wrong(&record_each_crossed,
                "\"list\" has bounds that no number keeps");
    check_wrong(&record_keys_pattern,
                "\"map\" has a .pattern that is not understood: the pattern "
                "[, up to byte 1: a [ has no ]");
}
END_TEST

ONE(fallback_type, MICA_NUMBER(n, "", .fallback = "\"1\""));
ONE(fallback_range, MICA_NUMBER(n, "", .maximum = 2, .fallback = "3"));
ONE(fallback_json, MICA_NUMBER(n, "", .fallback = "1,"));
ONE(fallback_zeros, MICA_NUMBER(n, "", .fallback = "007"));
ONE(fallback_empty, MICA_NUMBER(n, "", .fallback = ""));
ONE(unit, MICA_NUMBER(n, "", .unit = "currency"));
ONE(own_unit, MICA_NUMBER(n, "", .unit = "n"));
ONE(twice, MICA_NUMBER(n, ""), MICA_TEXT(t, ""), MICA_NUMBER(n, ""));
ONE(both, MICA_NUMBER(n, "", .fallback = "1", MICA_OPTIONAL(one, n)));
ONE(only_optional, MICA_NUMBER(n, "", .optional = true));
ONE(no_description, MICA_NUMBER(n, NULL));
ONE(description_bytes, MICA_NUMBER(n, "\xC0"));
ONE(title_bytes, MICA_NUMBER(n, "", .title = "\xC0"));

START_TEST(fields_that_contradict_themselves_are_found)
{
    check_wrong(&record_fallback_type,
                "\"n\" has a .fallback that it refuses itself: \"n\" must be "
                "a number, but is the string \"1\"; write 1 without quotes");
    check_wrong(&record_fallback_range,
                "\"n\" has a .fallback that it refuses itself: \"n\" must be "
                "at most 2, but is 3");
    check_wrong(&record_unit, "\"n\" sets .unit = \"currency\", but there is "
                              "no field of that name beside it");
    check_wrong(&record_own_unit, "\"n\" sets .unit = \"n\", but there is no "
                                  "field of that name beside it");
    check_wrong(&record_twice, "\"n\" is in the record twice");
    check_wrong(&record_both, "\"n\" has a .fallback and is MICA_OPTIONAL; "
                              "choose one");
    check_wrong(&record_only_optional, "\"n\" is optional without a `bool "
                                       "has_…`; say MICA_OPTIONAL");
    check_wrong(&record_no_description, "\"n\" has no description");
    check_wrong(&record_description_bytes,
                "\"n\" has a description or a title that is not UTF-8");
    check_wrong(&record_title_bytes,
                "\"n\" has a description or a title that is not UTF-8");
    struct mica_arena arena;
    struct mica_error error = {.status = MICA_OK};
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_record_check(&record_fallback_json, &arena, &error),
                     MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "line 1, column 2"));
    ck_assert_int_eq(mica_record_check(&record_fallback_zeros, &arena, &error),
                     MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "must not start with 0"));
    ck_assert_int_eq(mica_record_check(&record_fallback_empty, &arena, &error),
                     MICA_E_USAGE);
    mica_arena_fini(&arena);
}
END_TEST

enum holed {
    FIRST,
    SECOND,
    THIRD
};
MICA_CHOICES(holed, [FIRST] = "first", [THIRD] = "third");
enum doubled {
    ONE_NAME,
    SAME_NAME
};
MICA_CHOICES(doubled, [ONE_NAME] = "same", [SAME_NAME] = "same");
struct holder {
    enum holed holed;
};
MICA_RECORD(holder, MICA_CHOICE(holed, holed, ""));
struct outer {
    struct {
        size_t count;
        const struct holder *items;
    } holders;
};
MICA_RECORD(outer, MICA_LIST(holders, holder, ""));
struct doubler {
    enum doubled doubled;
};
MICA_RECORD(doubler, MICA_CHOICE(doubled, doubled, ""));

MICA_NULLABLE_TYPE(null_once, number);
MICA_NULLABLE_TYPE(null_twice, null_once);
struct nulls {
    struct null_twice value;
};
MICA_RECORD(nulls, MICA_NESTED(value, null_twice, ""));

MICA_LIST_TYPE(l1, number);
MICA_LIST_TYPE(l2, l1);
MICA_LIST_TYPE(l3, l2);
MICA_LIST_TYPE(l4, l3);
MICA_LIST_TYPE(l5, l4);
MICA_LIST_TYPE(l6, l5);
MICA_LIST_TYPE(l7, l6);
MICA_LIST_TYPE(l8, l7);
MICA_LIST_TYPE(l9, l8);
MICA_LIST_TYPE(l10, l9);
MICA_LIST_TYPE(l11, l10);
MICA_LIST_TYPE(l12, l11);
MICA_LIST_TYPE(l13, l12);
MICA_LIST_TYPE(l14, l13);
MICA_LIST_TYPE(l15, l14);
MICA_LIST_TYPE(l16, l15);
struct deep {
    struct l15 fits;
};
MICA_RECORD(deep, MICA_NESTED(fits, l15, ""));
struct deeper {
    struct l16 one_more;
};
MICA_RECORD(deeper, MICA_NESTED(one_more, l16, ""));

START_TEST(types_that_cannot_be_told_apart_or_end_are_found)
{
    struct mica_arena arena;
    struct mica_error error;
    check_wrong(&mica_record_outer,
                "\"holders/holed\" has a hole: the constant 1 of enum holed "
                "has no name in MICA_CHOICES");
    check_wrong(&mica_record_doubler,
                "\"doubled\" has the choice \"same\" twice");
    check_wrong(&mica_record_nulls, "\"value\" is a nullable of a nullable; "
                                    "JSON has one null");
    check_wrong(&mica_record_deeper, "\"one_more\" nests more than 16 deep");
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_record_check(&mica_record_deep, &arena, &error),
                     MICA_OK);
    mica_arena_fini(&arena);
}
END_TEST

ONE(chart_of_number, MICA_NUMBER(n, "", .chart = "n over n"));
ONE(chart_of_numbers, MICA_LIST(list, number, "", .chart = "n over n"));

#define CHART(suffix, words)                             \
    static const struct mica_field fields_##suffix[] = { \
        {.name = "rows",                                 \
         .type = &rows_of_points,                        \
         .description = "",                              \
         .bounds = {MICA_UNBOUNDED_},                    \
         .each = {MICA_UNBOUNDED_},                      \
         .keys = {MICA_UNBOUNDED_},                      \
         .chart = (words)}};                             \
    static const struct mica_record record_##suffix = {  \
        #suffix, 64, fields_##suffix, 1, sizeof(struct mica_field)}

static const struct mica_type rows_of_points = {.kind = MICA_KIND_LIST,
                                                .codec = &mica_codec_list,
                                                .size = sizeof(struct row),
                                                .element = &mica_type_point};
CHART(chart, "x, y over label");
CHART(chart_stacked, "x + y over x");
CHART(chart_text, "label over x");
CHART(chart_missing, "z over x");
CHART(chart_endless, "x + y");
CHART(chart_longer, "x over y y");

START_TEST(charts_name_columns_of_the_rows)
{
    struct mica_arena arena;
    struct mica_error error = {.status = MICA_OK};
    mica_arena_init(&arena, 1 << 20);
    ck_assert_msg(mica_record_check(&record_chart, &arena, &error) == MICA_OK,
                  "%s", error.message);
    ck_assert_int_eq(mica_record_check(&record_chart_stacked, &arena, &error),
                     MICA_OK);
    mica_arena_fini(&arena);
    check_wrong(&record_chart_of_number,
                "\"n\" sets .chart, but is no list of records");
    check_wrong(&record_chart_of_numbers,
                "\"list\" sets .chart, but is no list of records");
    check_wrong(&record_chart_text,
                "\"rows\" sets .chart = \"label over x\", but \"label\" is no "
                "number of its rows; write e.g. \"paid + owed over month\"");
    check_wrong(&record_chart_missing,
                "\"rows\" sets .chart = \"z over x\", but \"z\" is no number "
                "of its rows; write e.g. \"paid + owed over month\"");
    check_wrong(&record_chart_endless,
                "\"rows\" sets a .chart that does not end with \" over \" and "
                "the field that the rows run over");
    check_wrong(&record_chart_longer,
                "\"rows\" sets a .chart that does not end with \" over \" and "
                "the field that the rows run over");
}
END_TEST

START_TEST(a_record_with_too_many_fields_is_found)
{
    static struct mica_field fields[49];
    static char names[49][8];
    struct mica_record record = {"many", sizeof(struct one), fields, 49,
                                 sizeof *fields};
    for (size_t i = 0; i < 49; i++) {
        fields[i] = mica_record_point.fields[0];
        memcpy(names[i], (char[]){'f', (char)('A' + i), '\0'}, 3);
        fields[i].name = names[i];
    }
    check_wrong(&record, "the object has more than 48 fields; put some "
                         "together in a record of their own");
    struct mica_arena arena;
    struct mica_error error;
    record.count = 48;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_record_check(&record, &arena, &error), MICA_OK);
    fields[3].offset = sizeof(struct one);
    ck_assert_int_eq(mica_record_check(&record, &arena, &error), MICA_E_USAGE);
    ck_assert_str_eq(error.message, "\"fD\" lies outside its struct");
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("record_check", good_records_pass,
          options_that_a_kind_does_not_have_are_found,
          bounds_that_nothing_keeps_are_found,
          fields_that_contradict_themselves_are_found,
          types_that_cannot_be_told_apart_or_end_are_found,
          charts_name_columns_of_the_rows,
          a_record_with_too_many_fields_is_found)
