// SPDX-License-Identifier: Apache-2.0
//
// Every kind of field as it should be: compiles without a warning.
#include <mica/engine.h>

enum mode {
    OF,
    RATIO
};
MICA_CHOICES(mode, [OF] = "of", [RATIO] = "ratio");

struct price {
    double amount;
    struct mica_text currency;
};
MICA_RECORD(price, MICA_NUMBER(amount, "How much.", .unit = "currency"),
            MICA_TEXT(currency, "ISO code.", .pattern = "^[A-Z]{3}$"));

MICA_LIST_TYPE(row, number);

struct input {
    enum mode mode;
    struct price price;
    bool exact, has_day;
    struct mica_date day;
    struct {
        size_t count;
        const struct row *items;
    } rows;
    struct {
        size_t count;
        const struct mica_text *keys;
        const struct price *items;
    } prices;
    struct {
        bool present;
        int64_t value;
    } limit;
    const struct mica_json *more;
};
MICA_RECORD(input, MICA_CHOICE(mode, mode, "Which."),
            MICA_NESTED(price, price, "A price."),
            MICA_BOOLEAN(exact, "Exactly?", .fallback = "true"),
            MICA_DATE(day, "When.", MICA_OPTIONAL(input, day)),
            MICA_LIST(rows, row, "Rows.", .each.minimum = 0),
            MICA_MAP(prices, price, "By name.", .keys.max_length = 9),
            MICA_NULLABLE(limit, integer, "At most."),
            MICA_ANY(more, "Anything else."));

struct output {
    double sum;
};
MICA_RECORD(output, MICA_NUMBER(sum, "The sum."));

static enum mica_status
run(struct mica_call *call, const struct input *in, struct output *out)
{
    (void)call;
    out->sum = in->price.amount;
    return MICA_OK;
}

MICA_ENGINE(good, input, output, run, .title = "Good",
            .description = "Is good.", .category = "test",
            .examples = MICA_EXAMPLES({"none", MICA_JSON({}),
                                       .error = "MISSING_FIELD"}));
