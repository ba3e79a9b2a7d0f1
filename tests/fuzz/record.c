// SPDX-License-Identifier: Apache-2.0
//
// The field decoder, on a record with a field of every kind. What it accepts
// must encode, and the encoding must decode and encode to the same bytes.
#include <string.h>

#include <mica/engine.h>

#include "schema/record.h"
#include "target.h"

enum color {
    RED,
    GREEN
};
MICA_CHOICES(color, [RED] = "red", [GREEN] = "green");

struct point {
    double x, y;
};
MICA_RECORD(point, MICA_NUMBER(x, "Across."),
            MICA_NUMBER(y, "Up.", .fallback = MICA_JSON(0)));

MICA_NULLABLE_TYPE(gap, number);
MICA_LIST_TYPE(row, gap);
MICA_MAP_TYPE(colors, color);

struct everything {
    struct mica_text text, code, mail, link, id;
    double number;
    int64_t integer;
    bool boolean, has_integer;
    enum color color;
    struct point point;
    struct mica_date day;
    struct mica_time moment;
    const struct mica_json *any;
    struct {
        size_t count;
        const struct point *items;
    } points;
    struct {
        size_t count;
        const struct mica_text *keys;
        const double *items;
    } rates;
    struct {
        bool present;
        double value;
    } maybe;
    struct {
        size_t count;
        const struct row *items;
    } rows;
    struct {
        size_t count;
        const struct mica_text *keys;
        const struct colors *items;
    } palettes;
    struct {
        bool present;
        struct point value;
    } perhaps;
    int64_t wide;
    struct mica_decimal price;
    struct {
        size_t count;
        const struct mica_decimal *items;
    } prices;
};
MICA_RECORD(
    everything,
    MICA_TEXT(text, "Any text.", .fallback = MICA_JSON(""), .max_length = 20),
    MICA_TEXT(code, "A code.", .fallback = MICA_JSON("EUR"),
              .pattern = "^[A-Z]{3}$"),
    MICA_TEXT(mail, "An address.", .fallback = MICA_JSON("a@b.example"),
              .format = MICA_EMAIL),
    MICA_NUMBER(number, "Any number.", .fallback = MICA_JSON(1.5),
                .exclusive_maximum = 1000),
    MICA_INTEGER(integer, "Perhaps an integer.",
                 MICA_OPTIONAL(everything, integer)),
    MICA_BOOLEAN(boolean, "Yes or no.", .fallback = MICA_JSON(false)),
    MICA_CHOICE(color, color, "A color.", .fallback = MICA_JSON("red")),
    MICA_NESTED(point, point, "A point.", .fallback = MICA_JSON({"x": 1})),
    MICA_DATE(day, "A day.", .fallback = MICA_JSON("2026-11-20")),
    MICA_DATE_TIME(moment, "A moment.",
                   .fallback = MICA_JSON("2026-11-20T09:30:00Z")),
    MICA_ANY(any, "Anything.", .fallback = MICA_JSON(null)),
    MICA_LIST(points, point, "Points.", .fallback = MICA_JSON([]),
              .max_items = 5),
    MICA_MAP(rates, number, "Rates.", .fallback = MICA_JSON({}),
             .each.minimum = 0),
    MICA_NULLABLE(maybe, number, "A number or null.",
                  .fallback = MICA_JSON(null)),
    MICA_TEXT(link, "A link.", .fallback = MICA_JSON("a:b"),
              .format = MICA_URI),
    MICA_TEXT(id, "An id.", .format = MICA_UUID,
              .fallback = MICA_JSON("00000000-0000-0000-0000-000000000000")),
    MICA_LIST(rows, row, "Rows.", .fallback = MICA_JSON([]), .each.maximum = 9),
    MICA_MAP(palettes, colors, "Palettes.", .fallback = MICA_JSON({}),
             .keys.pattern = "^(?:[a-z]+-?)*$"),
    MICA_NULLABLE(perhaps, point, "A point or null.",
                  .fallback = MICA_JSON(null)),
    MICA_INTEGER(wide, "Any size.", .wide = true, .fallback = MICA_JSON(0),
                 .maximum = 0x1p62),
    MICA_DECIMAL(price, "An exact number.", .fallback = MICA_JSON(0.1),
                 .exclusive_maximum = 1e30),
    MICA_LIST(prices, decimal, "Exact ones.", .fallback = MICA_JSON([]),
              .each.minimum = -0.01));

// The struct as JSON text; ends the program when it does not encode.
static struct mica_text
encode(const struct everything *value, struct mica_arena *arena)
{
    struct mica_buffer *buffer = mica_arena_alloc(arena, sizeof *buffer);
    struct mica_json_writer writer;
    struct mica_error error;

    FUZZ_MUST(buffer != NULL);
    mica_buffer_init(buffer, arena, 16 << 20);
    mica_json_writer_init(&writer, buffer);
    FUZZ_MUST(mica_record_encode(&mica_record_everything, value, arena, &error,
                                 &writer) == MICA_OK);
    FUZZ_MUST(!buffer->overflow);
    return mica_buffer_as_text(buffer);
}

static void
must_come_back(struct mica_text text, struct mica_arena *arena)
{
    struct everything again;
    struct mica_json value;
    struct mica_error error;

    memset(&again, 0, sizeof again);
    FUZZ_MUST(mica_json_read(arena, text, NULL, &error, &value) == MICA_OK);
    FUZZ_MUST(mica_record_decode(&mica_record_everything, &value, arena, &error,
                                 &again) == MICA_OK);
    FUZZ_MUST(mica_text_equal(text, encode(&again, arena)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_arena arena;
    struct mica_error error = {.status = MICA_OK};
    struct mica_json value;
    struct everything decoded;

    if (size > 16 * 1024)
        return 0;
    memset(&decoded, 0, sizeof decoded);
    mica_arena_init(&arena, 64 << 20);
    if (mica_json_read(&arena, (struct mica_text){(const char *)bytes, size},
                       NULL, NULL, &value) == MICA_OK) {
        if (mica_record_decode(&mica_record_everything, &value, &arena, &error,
                               &decoded) == MICA_OK)
            must_come_back(encode(&decoded, &arena), &arena);
        else
            FUZZ_MUST(error.status != MICA_OK && error.message[0] != '\0');
    }
    mica_arena_fini(&arena);
    return 0;
}
