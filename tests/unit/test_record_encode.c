// SPDX-License-Identifier: Apache-2.0
//
// Struct to JSON: round trips, and every value that an engine must not answer.
#include <math.h>

#include "test_record.h"

static struct mica_arena arena;

static void
setup(void)
{
    mica_arena_init(&arena, 1 << 20);
}

START_TEST(what_is_decoded_encodes_to_the_same_text)
{
    static const char *const texts[] = {
        "{\"text\":\"none\"}",
        "{\"text\":\"\\\"\\\\\\n\\u0000é😀\",\"number\":0.1,\"integer\":-3,"
        "\"wide\":-9223372036854775808,\"boolean\":false,\"color\":\"red\","
        "\"point\":{\"x\":1e+21,\"y\":0,\"label\":\"\"},"
        "\"date\":\"0001-01-01\",\"time\":\"9999-12-31T23:59:59.000001Z\","
        "\"any\":[1.50,{\"a\":null}],\"texts\":[],\"rows\":[[],[1,2]],"
        "\"gaps\":[null,-1],\"counts\":{\"z\":1,\"a\":2},"
        "\"maps\":{\"\":{\"~/\":{\"x\":1,\"y\":2}}},\"maybe\":null,"
        "\"maybe_point\":null,\"maybe_color\":null,"
        "\"decimal\":-1234567890.123456789012345678901234,"
        "\"decimals\":[0.01,null,1.5e+34]}",
        "{\"text\":\"\",\"any\":null,\"maybe\":5e-324,"
        "\"maybe_point\":{\"x\":0,\"y\":0},\"maybe_color\":\"dark blue\"}",
    };
    setup();
    for (size_t i = 0; i < MICA_COUNT(texts); i++) {
        struct mica_error error = {.status = MICA_OK};
        const char *jsonz;
        const struct all *all = DECODED(&arena, all, texts[i]);
        enum mica_status status =
            encode_json(&arena, &mica_record_all, all, &error, &jsonz);
        ck_assert_msg(status == MICA_OK, "%s", error.message);
        ck_assert_str_eq(jsonz, texts[i]);
    }
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(negative_zero_is_zero)
{
    struct point point = {.x = -0.0, .y = 0};
    struct mica_error error;
    const char *jsonz;
    setup();
    ck_assert_int_eq(
        encode_json(&arena, &mica_record_point, &point, &error, &jsonz),
        MICA_OK);
    ck_assert_str_eq(jsonz, "{\"x\":0,\"y\":0}");
    mica_arena_fini(&arena);
}
END_TEST

// One change to a struct that was right, and the refusal it must bring.
struct fault {
    void (*spoil)(struct all *all);
    enum mica_status status;
    const char *pathz, *messagez;
};

static void
spoil_number_nan(struct all *all)
{
    all->has_number = true;
    all->number = (double)NAN;
}

static void
spoil_number_infinite(struct all *all)
{
    all->has_number = true;
    all->number = -(double)INFINITY;
}

static void
spoil_integer(struct all *all)
{
    all->has_integer = true;
    all->integer = INT64_C(-9007199254740992);
}

static void
spoil_color_negative(struct all *all)
{
    int value = -1;
    all->has_color = true;
    memcpy(&all->color, &value, sizeof value);
}

static void
spoil_color_large(struct all *all)
{
    int value = 3;
    all->maybe_color.present = all->has_maybe_color = true;
    memcpy(&all->maybe_color.value, &value, sizeof value);
}

static void
spoil_text(struct all *all)
{
    all->text = MICA_LITERAL("abc\xC3");
}

static void
spoil_text_pointer(struct all *all)
{
    all->text = (struct mica_text){NULL, 3};
}

static void
spoil_date(struct all *all)
{
    all->has_date = true;
}

static void
spoil_time(struct all *all)
{
    all->has_time = true;
    all->time.date = (struct mica_date){2026, 11, 20};
    all->time.hour = 24;
}

static void
spoil_list(struct all *all)
{
    static const double numbers[] = {1, -2};
    static const struct row rows[] = {{0, NULL}, {2, numbers}};
    all->has_rows = true;
    all->rows.count = 2;
    all->rows.items = rows;
}

static void
spoil_list_pointer(struct all *all)
{
    all->has_texts = true;
    all->texts.count = 2;
}

static void
spoil_list_count(struct all *all)
{
    all->has_rows = true;
}

static const struct mica_text two_keys[] = {{"a", 1}, {"a", 1}};
static const int64_t two_counts[] = {1, 2};

static void
spoil_map_repeated(struct all *all)
{
    all->has_counts = true;
    all->counts.count = 2;
    all->counts.keys = two_keys;
    all->counts.items = two_counts;
}

static void
spoil_map_pointer(struct all *all)
{
    all->has_counts = true;
    all->counts.count = 1;
    all->counts.keys = two_keys;
}

static void
spoil_map_key(struct all *all)
{
    static const struct mica_text keys[] = {{"A", 1}};
    all->has_counts = true;
    all->counts.count = 1;
    all->counts.keys = keys;
    all->counts.items = two_counts;
}

static void
spoil_map_key_bytes(struct all *all)
{
    static const struct mica_text keys[] = {{"\xFF", 1}};
    spoil_map_key(all);
    all->counts.keys = keys;
}

static void
spoil_map_value(struct all *all)
{
    static const int64_t counts[] = {0};
    spoil_map_repeated(all);
    all->counts.count = 1;
    all->counts.items = counts;
}

static void
spoil_nullable(struct all *all)
{
    all->has_maybe = all->maybe.present = true;
    all->maybe.value = -1;
}

static void
spoil_nested(struct all *all)
{
    all->has_maybe_point = all->maybe_point.present = true;
    all->maybe_point.value.y = (double)NAN;
}

START_TEST(a_value_that_breaks_its_field_is_not_encoded)
{
    static const struct fault faults[] = {
        {spoil_number_nan, MICA_E_RANGE, "/number",
         "\"number\" must be a finite number, but is not a number (NaN)"},
        {spoil_number_infinite, MICA_E_RANGE, "/number",
         "\"number\" must be a finite number, but is -Infinity"},
        {spoil_integer, MICA_E_RANGE, "/integer",
         "\"integer\" must be from -9007199254740991 to 9007199254740991, "
         "where every JSON reader is exact, but is -9007199254740992"},
        {spoil_color_negative, MICA_E_CHOICE, "/color",
         "\"color\" is enum color -1, which has no name in MICA_CHOICES"},
        {spoil_color_large, MICA_E_CHOICE, "/maybe_color",
         "\"maybe_color\" is enum color 3, which has no name in MICA_CHOICES"},
        {spoil_text, MICA_E_FORMAT, "/text",
         "\"text\" must be UTF-8, but its byte 3 (0xc3) is not"},
        {spoil_text_pointer, MICA_E_TYPE, "/text",
         "\"text\" has 3 bytes, but `ptr` is NULL"},
        {spoil_date, MICA_E_FORMAT, "/date",
         "\"date\" must be a date of the calendar, but is year 0, month 0, "
         "day 0"},
        {spoil_time, MICA_E_FORMAT, "/time",
         "\"time\" must be a moment of the calendar, but is year 2026, month "
         "11, day 20, 24:0:0 and 0 ns, 0 minutes east of UTC"},
        {spoil_list, MICA_E_RANGE, "/rows/1/1",
         "\"rows/1/1\" must be at least 0, but is -2"},
        {spoil_list_pointer, MICA_E_TYPE, "/texts",
         "\"texts\" has 2 items, but `items` is NULL"},
        {spoil_list_count, MICA_E_RANGE, "/rows",
         "\"rows\" must have at least 1 item, but has 0"},
        {spoil_map_repeated, MICA_E_DUPLICATE, "/counts",
         "\"counts\" has the name \"a\" twice"},
        {spoil_map_pointer, MICA_E_TYPE, "/counts",
         "\"counts\" has 1 entries, but `keys` or `items` is NULL"},
        {spoil_map_key, MICA_E_FORMAT, "/counts/A",
         "a name in the object: \"counts/A\" must match the pattern "
         "^[a-z]+$, but is \"A\""},
        {spoil_map_key_bytes, MICA_E_FORMAT, "/counts",
         "\"counts\" must be UTF-8, but its byte 0 (0xff) is not"},
        {spoil_map_value, MICA_E_RANGE, "/counts/a",
         "\"counts/a\" must be a whole number at least 1, but is 0"},
        {spoil_nullable, MICA_E_RANGE, "/maybe",
         "\"maybe\" must be greater than 0, but is -1"},
        {spoil_nested, MICA_E_RANGE, "/maybe_point/y",
         "\"maybe_point/y\" must be a finite number, but is not a number "
         "(NaN)"},
    };
    for (size_t i = 0; i < MICA_COUNT(faults); i++) {
        struct all all = {.number = 0};
        struct mica_error error = {.status = MICA_OK};
        const char *jsonz;
        setup();
        faults[i].spoil(&all);
        ck_assert_int_eq(
            encode_json(&arena, &mica_record_all, &all, &error, &jsonz),
            faults[i].status);
        ck_assert_str_eq(error.message, faults[i].messagez);
        ck_assert_str_eq(error.path, faults[i].pathz);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(a_large_map_finds_its_repeated_name)
{
    enum {
        MANY = 3000
    };
    static struct mica_text keys[MANY];
    static struct point_map items[MANY];
    struct all all = {.number = 0};
    struct mica_error error;
    const char *jsonz;
    setup();
    for (size_t i = 0; i < MANY; i++) {
        struct mica_buffer name;
        mica_buffer_init(&name, &arena, 100);
        mica_buffer_format(&name, "name %zu", i);
        keys[i] = mica_buffer_as_text(&name);
    }
    all.has_maps = true;
    all.maps.count = MANY;
    all.maps.keys = keys;
    all.maps.items = items;
    ck_assert_int_eq(
        encode_json(&arena, &mica_record_all, &all, &error, &jsonz), MICA_OK);
    keys[MANY - 1] = MICA_LITERAL("name 17");
    ck_assert_int_eq(
        encode_json(&arena, &mica_record_all, &all, &error, &jsonz),
        MICA_E_DUPLICATE);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_absent_optional_is_left_out_and_a_zeroed_list_is_empty)
{
    struct all all = {.has_texts = true, .number = 4};
    struct mica_error error;
    const char *jsonz;
    setup();
    ck_assert_int_eq(
        encode_json(&arena, &mica_record_all, &all, &error, &jsonz), MICA_OK);
    ck_assert_str_eq(jsonz, "{\"text\":\"\",\"texts\":[]}");
    mica_arena_fini(&arena);
}
END_TEST

// Every double that is finite comes back as it was.
START_TEST(random_numbers_survive_the_round_trip)
{
    uint64_t state = 88172645463325252u;
    setup();
    for (int i = 0; i < 20000; i++) {
        struct point in = {.x = 0}, out = {.x = 0};
        struct mica_error error = {.status = MICA_OK};
        const char *jsonz;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(&in.x, &state, sizeof in.x);
        if (!isfinite(in.x) || in.x == 0)
            continue;
        mica_arena_reset(&arena);
        ck_assert_int_eq(
            encode_json(&arena, &mica_record_point, &in, &error, &jsonz),
            MICA_OK);
        struct mica_json value = read_json(&arena, jsonz);
        ck_assert_int_eq(mica_record_decode(&mica_record_point, &value, &arena,
                                            &error, &out),
                         MICA_OK);
        ck_assert(memcmp(&in.x, &out.x, sizeof in.x) == 0);
    }
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("record_encode", what_is_decoded_encodes_to_the_same_text,
          negative_zero_is_zero, a_value_that_breaks_its_field_is_not_encoded,
          a_large_map_finds_its_repeated_name,
          an_absent_optional_is_left_out_and_a_zeroed_list_is_empty,
          random_numbers_survive_the_round_trip)
