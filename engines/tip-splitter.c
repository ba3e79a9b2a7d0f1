// SPDX-License-Identifier: Apache-2.0
//
// Splits a bill and its tip so that the shares add up to the total to the last
// cent. All sums are whole numbers of the currency's smallest unit.
#include <mica/engine.h>

struct input {
    struct mica_decimal amount, tip_percent, round_up_to;
    struct mica_text currency;
    int64_t people;
};
MICA_RECORD(
    input,
    MICA_DECIMAL(amount, "Amount of the bill without the tip, in currency.",
                 .exclusive_minimum = 0, .maximum = 1e9, .unit = "currency"),
    MICA_TEXT(currency,
              "ISO 4217 code of the bill's currency, e.g. EUR. It "
              "decides the smallest unit: cents for EUR, whole yen "
              "for JPY.",
              .pattern = "^[A-Z]{3}$"),
    MICA_DECIMAL(tip_percent, "Tip as a percentage of amount.", .minimum = 0,
                 .maximum = 1000, .fallback = MICA_JSON(15)),
    MICA_INTEGER(people, "Number of people who share the total.", .minimum = 1,
                 .maximum = 10000, .fallback = MICA_JSON(1)),
    MICA_DECIMAL(round_up_to,
                 "Raises the tip until the total is a multiple of this, in "
                 "currency: 1 for whole euros, 0.5 for half ones; 0 leaves the "
                 "total as it is. A sum that can be paid in currency.",
                 .minimum = 0, .maximum = 1e6, .unit = "currency",
                 .fallback = MICA_JSON(0)));

struct share {
    int64_t people;
    struct mica_decimal amount;
    struct mica_text currency;
};
MICA_RECORD(share, MICA_INTEGER(people, "Number of people who pay this share."),
            MICA_DECIMAL(amount, "What each of them pays, tip included.",
                         .unit = "currency"),
            MICA_TEXT(currency, "ISO 4217 code of amount's currency."));

struct output {
    struct mica_decimal tip, total, tip_percent;
    struct mica_text currency;
    struct {
        size_t count;
        const struct share *items;
    } shares;
};
MICA_RECORD(output,
            MICA_DECIMAL(tip, "What is added to the bill.", .unit = "currency"),
            MICA_DECIMAL(total, "Bill and tip together.", .unit = "currency",
                         .answer = true),
            MICA_TEXT(currency, "ISO 4217 code of tip and total."),
            MICA_DECIMAL(tip_percent, "The tip that came out, as a percentage "
                                      "of the bill, to two decimal places."),
            MICA_LIST(shares, share,
                      "Who pays what: one entry when the total divides evenly, "
                      "else two that differ by the smallest unit. People × "
                      "amount over all entries is exactly the total."));

// A sum of the input in smallest units, halves up. The bounds of the fields keep
// it far below 2^63.
static int64_t
count_units(struct mica_decimal amount, int places)
{
    struct mica_decimal units =
        mica_decimal_multiply(mica_decimal_round(amount, places, MICA_HALF_UP),
                              mica_decimal_of(1, places));
    int64_t count = 0;

    return mica_decimal_integer(units, &count) ? count : 0;
}

// The bill with its tip in smallest units, raised to a multiple of `step`.
static int64_t
add_tip(const struct input *in, int places, int64_t bill, int64_t step)
{
    struct mica_decimal percent =
        mica_decimal_multiply(in->tip_percent, mica_decimal_of(1, -2));
    int64_t total =
        bill + count_units(mica_decimal_multiply(mica_decimal_of(bill, -places),
                                                 percent),
                           places);

    return (total + step - 1) / step * step;
}

// Neither the bill nor the step is rounded without a word: `units` of the smallest
// unit have to be all of it.
static enum mica_status
check_units(struct mica_call *call, const struct input *in, const char *fieldz,
            struct mica_decimal amount, int64_t units, int places)
{
    if (mica_decimal_compare(mica_decimal_of(units, -places), amount) == 0)
        return MICA_OK;
    return mica_fail(
        call, "AMOUNT_TOO_PRECISE", fieldz,
        "%s=%s cannot be paid in %.*s, which has %d decimal places. Pass e.g. "
        "%s.",
        fieldz, mica_decimal_text(call, amount), MICA_ARG(in->currency), places,
        mica_decimal_fixed(call,
                           mica_decimal_of(units < 1 ? 1 : units, -places),
                           (unsigned)places));
}

static enum mica_status
split(struct mica_call *call, const struct input *in, struct output *out)
{
    int places = (int)mica_currency_digits(in->currency);
    int64_t bill = count_units(in->amount, places), total, each, extra;
    int64_t step = count_units(in->round_up_to, places);
    struct share *shares = MICA_NEW(call, struct share, 2);
    size_t unused;

    MICA_TRY(check_units(call, in, "amount", in->amount, bill, places));
    MICA_TRY(
        check_units(call, in, "round_up_to", in->round_up_to, step, places));
    total = add_tip(in, places, bill, step > 0 ? step : 1);
    each = total / in->people;
    extra = total % in->people;

    shares[0] =
        (struct share){extra, mica_decimal_of(each + 1, -places), in->currency};
    shares[1] = (struct share){in->people - extra,
                               mica_decimal_of(each, -places), in->currency};
    unused = extra > 0 ? 0 : 1;
    out->shares.items = shares + unused;
    out->shares.count = 2 - unused;
    out->tip = mica_decimal_of(total - bill, -places);
    out->total = mica_decimal_of(total, -places);
    out->tip_percent =
        mica_decimal_round(mica_decimal_divide(mica_decimal_of(total - bill, 2),
                                               mica_decimal_of(bill, 0)),
                           2, MICA_HALF_UP);
    out->currency = in->currency;
    return MICA_OK;
}

MICA_ENGINE(
    tip_splitter, input, output, split, .title = "Tip splitter",
    .category = "money",
    .description =
        "Add a tip to a bill and split the total among people, exact to the "
        "currency's smallest unit: where it does not divide evenly, some pay "
        "one cent more. The tip is rounded to the smallest unit, halves up, "
        "and can be raised to make the total round.",
    .examples = MICA_EXAMPLES(
        {"Three people, 18 %", MICA_JSON({
             "amount": 84.5,
             "currency": "USD",
             "tip_percent": 18,
             "people": 3
         }),
         MICA_JSON({
             "tip": 15.21,
             "total": 99.71,
             "currency": "USD",
             "tip_percent": 18,
             "shares": [
                 {"people": 2, "amount": 33.24, "currency": "USD"},
                 {"people": 1, "amount": 33.23, "currency": "USD"}
             ]
         })},
        {"To whole euros", MICA_JSON({
             "amount": 47.3,
             "currency": "EUR",
             "tip_percent": 10,
             "round_up_to": 1
         }),
         MICA_JSON({
             "tip": 5.7,
             "total": 53,
             "tip_percent": 12.05,
             "shares": [{"people": 1, "amount": 53, "currency": "EUR"}]
         })},
        {"Yen have no decimal places", MICA_JSON({
             "amount": 9999,
             "currency": "JPY",
             "tip_percent": 5,
             "people": 4
         }),
         MICA_JSON({"tip": 500, "total": 10499})},
        {"Half a yen", MICA_JSON({"amount": 100.5, "currency": "JPY"}),
         .error = "AMOUNT_TOO_PRECISE"},
        {"A step of half a yen", MICA_JSON({
             "amount": 10,
             "currency": "JPY",
             "tip_percent": 0,
             "round_up_to": 2.5
         }),
         .error = "AMOUNT_TOO_PRECISE"}));
