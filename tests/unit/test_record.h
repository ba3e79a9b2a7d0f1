// SPDX-License-Identifier: Apache-2.0
//
// A record with a field of every kind, and what the tests of records do with
// JSON text all the time.
#ifndef MICA_TESTS_TEST_RECORD_H
#define MICA_TESTS_TEST_RECORD_H

#include <string.h>

#include <mica/engine.h>

#include "schema/record.h"
#include "unit.h"

enum color {
    RED,
    GREEN,
    DARK_BLUE
};
MICA_CHOICES(
    color, [RED] = "red", [GREEN] = "green", [DARK_BLUE] = "dark blue");

struct point {
    double x, y;
    struct mica_text label;
    bool has_label;
};
MICA_RECORD(point, MICA_NUMBER(x, "Across."),
            MICA_NUMBER(y, "Up.", .fallback = "0"),
            MICA_TEXT(label, "A name.", MICA_OPTIONAL(point, label)));

MICA_LIST_TYPE(row, number);
MICA_MAP_TYPE(point_map, point);
MICA_NULLABLE_TYPE(maybe_number, number);
MICA_NULLABLE_TYPE(maybe_point, point);
MICA_NULLABLE_TYPE(maybe_decimal, decimal);

// Every kind. All but the first are optional, so that a test names only what it
// is about.
struct all {
    struct mica_text text;
    double number;
    int64_t integer;
    int64_t wide;
    bool boolean;
    enum color color;
    struct point point;
    struct mica_date date;
    struct mica_time time;
    const struct mica_json *any;
    struct {
        size_t count;
        const struct mica_text *items;
    } texts;
    struct {
        size_t count;
        const struct row *items;
    } rows;
    struct {
        size_t count;
        const struct maybe_number *items;
    } gaps;
    struct {
        size_t count;
        const struct mica_text *keys;
        const int64_t *items;
    } counts;
    struct {
        size_t count;
        const struct mica_text *keys;
        const struct point_map *items;
    } maps;
    struct {
        bool present;
        double value;
    } maybe;
    struct {
        bool present;
        struct point value;
    } maybe_point;
    struct {
        bool present;
        enum color value;
    } maybe_color;
    struct mica_decimal decimal;
    struct {
        size_t count;
        const struct maybe_decimal *items;
    } decimals;
    bool has_decimal, has_decimals;
    bool has_number, has_integer, has_wide, has_boolean, has_color, has_point,
        has_date, has_time, has_any, has_texts, has_rows, has_gaps, has_counts,
        has_maps, has_maybe, has_maybe_point, has_maybe_color;
};
MICA_RECORD(
    all, MICA_TEXT(text, "A text.", .fallback = "\"none\""),
    MICA_NUMBER(number, "A number.", MICA_OPTIONAL(all, number)),
    MICA_INTEGER(integer, "A whole number.", MICA_OPTIONAL(all, integer)),
    MICA_INTEGER(wide, "A large one.", MICA_OPTIONAL(all, wide), .wide = true),
    MICA_BOOLEAN(boolean, "Yes or no.", MICA_OPTIONAL(all, boolean)),
    MICA_CHOICE(color, color, "A color.", MICA_OPTIONAL(all, color)),
    MICA_NESTED(point, point, "A point.", MICA_OPTIONAL(all, point)),
    MICA_DATE(date, "A day.", MICA_OPTIONAL(all, date)),
    MICA_DATE_TIME(time, "A moment.", MICA_OPTIONAL(all, time)),
    MICA_ANY(any, "Anything.", MICA_OPTIONAL(all, any)),
    MICA_LIST(texts, text, "Texts.", MICA_OPTIONAL(all, texts), .max_items = 3,
              .each.max_length = 4),
    MICA_LIST(rows, row, "Rows.", MICA_OPTIONAL(all, rows), .min_items = 1,
              .each.minimum = 0),
    MICA_LIST(gaps, maybe_number, "Numbers with gaps.",
              MICA_OPTIONAL(all, gaps), .each.maximum = 9),
    MICA_MAP(counts, integer, "How often.", MICA_OPTIONAL(all, counts),
             .keys.pattern = "^[a-z]+$", .each.minimum = 1, .max_items = 4),
    MICA_MAP(maps, point_map, "Maps.", MICA_OPTIONAL(all, maps)),
    MICA_NULLABLE(maybe, number, "Perhaps a number.", MICA_OPTIONAL(all, maybe),
                  .each.exclusive_minimum = 0),
    MICA_NULLABLE(maybe_point, point, "Perhaps a point.",
                  MICA_OPTIONAL(all, maybe_point)),
    MICA_NULLABLE(maybe_color, color, "Perhaps a color.",
                  MICA_OPTIONAL(all, maybe_color)),
    MICA_DECIMAL(decimal, "An exact number.", MICA_OPTIONAL(all, decimal),
                 .exclusive_maximum = 100),
    MICA_LIST(decimals, maybe_decimal, "Exact ones, with gaps.",
              MICA_OPTIONAL(all, decimals), .each.minimum = 0.01));

static inline struct mica_json
read_json(struct mica_arena *arena, const char *jsonz)
{
    struct mica_json value;
    struct mica_error error;
    enum mica_status status =
        mica_json_read(arena, mica_text(jsonz), NULL, &error, &value);
    ck_assert_msg(status == MICA_OK, "%s: %s", jsonz,
                  status != MICA_OK ? error.message : "");
    return value;
}

// Decodes `jsonz` by `record`; the struct is in the arena.
static inline enum mica_status
decode_json(struct mica_arena *arena, const struct mica_record *record,
            const char *jsonz, struct mica_error *error, void **out)
{
    struct mica_json value = read_json(arena, jsonz);
    *out = mica_arena_zero(arena, 1, record->size);
    return mica_record_decode(record, &value, arena, error, *out);
}

// The struct at `in` as JSON text, NUL-terminated.
static inline enum mica_status
encode_json(struct mica_arena *arena, const struct mica_record *record,
            const void *in, struct mica_error *error, const char **out)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_buffer_init(&buffer, arena, 1 << 20);
    mica_json_writer_init(&writer, &buffer);
    enum mica_status status =
        mica_record_encode(record, in, arena, error, &writer);
    mica_buffer_char(&buffer, '\0');
    ck_assert(!buffer.overflow);
    *out = buffer.ptr;
    return status;
}

// `jsonz` decoded by record `tag` without failure.
#define DECODED(arena, tag, jsonz) \
    ((const struct tag *)decoded(arena, &mica_record_##tag, jsonz))

static inline const void *
decoded(struct mica_arena *arena, const struct mica_record *record,
        const char *jsonz)
{
    struct mica_error error = {.status = MICA_OK};
    void *out;
    enum mica_status status = decode_json(arena, record, jsonz, &error, &out);
    ck_assert_msg(status == MICA_OK, "%s: %s", jsonz, error.message);
    return out;
}

// A JSON text that `record` refuses, and how.
struct refusal {
    const char *jsonz;
    enum mica_status status;
    const char *pathz, *messagez;
};

static inline void
check_refusals(const struct mica_record *record, const struct refusal *cases,
               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct mica_error error = {.status = MICA_OK};
        struct mica_arena arena;
        void *out;
        mica_arena_init(&arena, 1 << 20);
        enum mica_status status =
            decode_json(&arena, record, cases[i].jsonz, &error, &out);
        ck_assert_msg(status == cases[i].status, "%s gives %s: %s",
                      cases[i].jsonz, mica_status_code(status), error.message);
        ck_assert_str_eq(error.message, cases[i].messagez);
        ck_assert_str_eq(error.path, cases[i].pathz);
        ck_assert_str_eq(error.code, mica_status_code(status));
        mica_arena_fini(&arena);
    }
}

#endif
