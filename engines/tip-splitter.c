// SPDX-License-Identifier: Apache-2.0
//
// Splits a bill and its tip so that the shares add up to the total to the last
// cent. All sums are whole numbers of the currency's smallest unit.
#include <math.h>
#include <mica/engine.h>

struct input {
    double amount, tip_percent, round_up_to;
    struct mica_text currency;
    int64_t people;
};
MICA_RECORD(
    input,
    MICA_NUMBER(amount, "Amount of the bill without the tip, in currency.",
                .exclusive_minimum = 0, .maximum = 1e9, .unit = "currency"),
    MICA_TEXT(currency,
              "ISO 4217 code of the bill's currency, e.g. EUR. It "
              "decides the smallest unit: cents for EUR, whole yen "
              "for JPY.",
              .pattern = "^[A-Z]{3}$"),
    MICA_NUMBER(tip_percent, "Tip as a percentage of amount.", .minimum = 0,
                .maximum = 1000, .fallback = MICA_JSON(15)),
    MICA_INTEGER(people, "Number of people who share the total.", .minimum = 1,
                 .maximum = 10000, .fallback = MICA_JSON(1)),
    MICA_NUMBER(round_up_to,
                "Raises the tip until the total is a multiple of this, in "
                "currency: 1 for whole euros, 0.5 for half ones; 0 leaves the "
                "total as it is.",
                .minimum = 0, .maximum = 1e6, .unit = "currency",
                .fallback = MICA_JSON(0)));

struct share {
    int64_t people;
    double amount;
    struct mica_text currency;
};
MICA_RECORD(share, MICA_INTEGER(people, "Number of people who pay this share."),
            MICA_NUMBER(amount, "What each of them pays, tip included.",
                        .unit = "currency"),
            MICA_TEXT(currency, "ISO 4217 code of amount's currency."));

struct output {
    double tip, total, tip_percent;
    struct mica_text currency;
    struct {
        size_t count;
        const struct share *items;
    } shares;
};
MICA_RECORD(output,
            MICA_NUMBER(tip, "What goes on top of the bill.",
                        .unit = "currency"),
            MICA_NUMBER(total, "Bill and tip together.", .unit = "currency"),
            MICA_TEXT(currency, "ISO 4217 code of tip and total."),
            MICA_NUMBER(tip_percent, "The tip that came out, as a percentage "
                                     "of the bill, to two decimal places."),
            MICA_LIST(shares, share,
                      "Who pays what: one entry when the total divides evenly, "
                      "else two that differ by the smallest unit. People × "
                      "amount over all entries is exactly the total."));

static enum mica_status
split(struct mica_call *call, const struct input *in, struct output *out)
{
    unsigned digits = mica_currency_digits(in->currency);
    double scale = mica_power_of_ten((int)digits), people = (double)in->people;
    double bill, tip, total, step, each, extra;
    bool exact = mica_decimal_units(in->amount, digits, &bill);
    struct share *shares = MICA_NEW(call, struct share, 2);
    size_t unused;

    if (bill < 1 || !exact) {
        return mica_fail(call, "AMOUNT_TOO_PRECISE", "amount",
                         "amount=%s cannot be paid in %.*s, which has %u "
                         "decimal places. Pass the bill as it is written, e.g. "
                         "%s.",
                         mica_number(call, in->amount), MICA_ARG(in->currency),
                         digits,
                         mica_fixed(call, fmax(bill, 1) / scale, digits));
    }
    step = fmax(round(in->round_up_to * scale), 1);
    total = ceil((bill + round(bill * in->tip_percent / 100)) / step) * step;
    tip = total - bill;
    each = floor(total / people);
    extra = total - each * people;

    shares[0] =
        (struct share){(int64_t)extra, (each + 1) / scale, in->currency};
    shares[1] =
        (struct share){in->people - (int64_t)extra, each / scale, in->currency};
    unused = extra > 0 ? 0 : 1;
    out->shares.items = shares + unused;
    out->shares.count = 2 - unused;
    out->tip = tip / scale;
    out->total = total / scale;
    out->tip_percent = round(tip / bill * 1e4) / 100;
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
         .error = "AMOUNT_TOO_PRECISE"}));
