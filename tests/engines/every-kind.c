// SPDX-License-Identifier: Apache-2.0
//
// An engine with an input of every kind, which it gives back: what the tests of
// forms fill in and read.
#include <mica/engine.h>

enum size {
    SMALL,
    MEDIUM,
    LARGE
};
MICA_CHOICES(size, [SMALL] = "small", [MEDIUM] = "medium", [LARGE] = "large");

struct point {
    double x, y;
    bool has_y;
};
MICA_RECORD(point, MICA_NUMBER(x, "To the right."),
            MICA_NUMBER(y, "Up.", MICA_OPTIONAL(point, y)));
MICA_LIST_TYPE(numbers, number);
MICA_NULLABLE_TYPE(maybe_decimal, decimal);

struct input {
    struct mica_text text, note;
    bool has_note, yes;
    double number;
    int64_t integer;
    enum size size, other;
    struct point point;
    struct mica_date day;
    struct mica_time time;
    bool has_day, has_time;
    const struct mica_json *any;
    bool has_any;
    struct {
        size_t count;
        const struct point *items;
    } points;
    bool has_points;
    struct {
        size_t count;
        const struct numbers *items;
    } rows;
    bool has_rows;
    struct {
        size_t count;
        const struct mica_text *keys;
        const int64_t *items;
    } counts;
    bool has_counts;
    struct {
        bool present;
        double value;
    } maybe;
    struct {
        bool present;
        enum size value;
    } maybe_size;
    bool has_maybe_size;
    struct mica_decimal price;
    bool has_price;
    struct {
        size_t count;
        const struct maybe_decimal *items;
    } prices;
    bool has_prices;
};
MICA_RECORD(input, MICA_TEXT(text, "A text.", .min_length = 1),
            MICA_TEXT(note, "A short one.", MICA_OPTIONAL(input, note),
                      .max_length = 20),
            MICA_BOOLEAN(yes, "Yes or no.", .fallback = MICA_JSON(true)),
            MICA_NUMBER(number, "A number.", .minimum = -10, .maximum = 1e6),
            MICA_INTEGER(integer, "A whole one.", .fallback = MICA_JSON(7)),
            MICA_CHOICE(size, size, "One of three."),
            MICA_CHOICE(other, size, "Another of three.",
                        .fallback = MICA_JSON("medium")),
            MICA_NESTED(point, point, "A place."),
            MICA_DATE(day, "A day.", MICA_OPTIONAL(input, day)),
            MICA_DATE_TIME(time, "A moment.", MICA_OPTIONAL(input, time)),
            MICA_ANY(any, "Anything.", MICA_OPTIONAL(input, any)),
            MICA_LIST(points, point, "Places.", MICA_OPTIONAL(input, points),
                      .max_items = 3),
            MICA_LIST(rows, numbers, "Rows of numbers.",
                      MICA_OPTIONAL(input, rows), .each.maximum = 9),
            MICA_MAP(counts, integer, "How often.",
                     MICA_OPTIONAL(input, counts), .keys.pattern = "^[a-z]+$",
                     .each.minimum = 1),
            MICA_NULLABLE(maybe, number, "Perhaps a number."),
            MICA_NULLABLE(maybe_size, size, "Perhaps one of three.",
                          MICA_OPTIONAL(input, maybe_size)),
            MICA_DECIMAL(price, "An exact one.", MICA_OPTIONAL(input, price),
                         .minimum = 0.01),
            MICA_LIST(prices, maybe_decimal, "Exact ones, with gaps.",
                      MICA_OPTIONAL(input, prices)));

struct output {
    struct input input;
};
MICA_RECORD(output, MICA_NESTED(input, input, "What was given."));

static enum mica_status
echo(struct mica_call *call, const struct input *in, struct output *out)
{
    (void)call;
    out->input = *in;
    return MICA_OK;
}

MICA_ENGINE(
    every_kind, input, output, echo, .title = "Every kind",
    .description = "Give back an input of every kind.", .category = "test",
    .examples = MICA_EXAMPLES({"The least", MICA_JSON({
                                   "text": "a",
                                   "number": 1,
                                   "size": "small",
                                   "point": {"x": 1},
                                   "maybe": null
                               }),
                               MICA_JSON({})},
                              {"All of it", MICA_JSON({
                                   "text": "two\nlines",
                                   "note": "n",
                                   "yes": false,
                                   "number": -0.5,
                                   "integer": -3,
                                   "size": "large",
                                   "other": "small",
                                   "point": {"x": 1, "y": 2},
                                   "day": "2026-11-20",
                                   "time": "2026-11-20T09:30:00+01:00",
                                   "any": {"a": [1, null]},
                                   "points": [{"x": 1}, {"x": 2, "y": 3}],
                                   "rows": [[1, 2], [], [3]],
                                   "counts": {"a": 1, "b": 2},
                                   "maybe": 4.5,
                                   "maybe_size": null,
                                   "price": 0.12345678901234567890123456,
                                   "prices": [1e+99, null, -1e-99]
                               }),
                               MICA_JSON({})}));
