// SPDX-License-Identifier: Apache-2.0
//
// Converts an amount at a rate that the caller passes, and rounds it to what
// the target currency has as its smallest unit.
#include <mica/engine.h>

enum rounding {
    HALF_UP,
    HALF_EVEN,
    DOWN
};
MICA_CHOICES(rounding, [HALF_UP] = "half-up", [HALF_EVEN] = "half-even",
             [DOWN] = "down");

struct input {
    struct mica_decimal amount, rate;
    struct mica_text from, to;
    enum rounding rounding;
};
MICA_RECORD(
    input,
    MICA_DECIMAL(amount,
                 "Amount to convert, in its currency; below 0 "
                 "for a debt or a refund.",
                 .minimum = -1e12, .maximum = 1e12, .unit = "from"),
    MICA_TEXT(from, "ISO 4217 code of amount's currency, e.g. USD.",
              .pattern = "^[A-Z]{3}$"),
    MICA_TEXT(to, "ISO 4217 code of the currency to convert to, e.g. EUR.",
              .pattern = "^[A-Z]{3}$"),
    MICA_DECIMAL(
        rate,
        "How many units of the other currency one unit of amount's buys, e.g. "
        "0.92 from USD to EUR. Look it up first.",
        .minimum = 1e-9, .maximum = 1e9),
    MICA_CHOICE(rounding, rounding,
                "What to do with half of the smallest unit and less: "
                "'half-up' rounds a half away from zero, 'half-even' to the "
                "even neighbor, 'down' drops every fraction.",
                .fallback = MICA_JSON("half-up")));

struct output {
    struct mica_decimal amount, unrounded, inverse_rate;
    struct mica_text currency, expression;
    int64_t minor_digits;
};
MICA_RECORD(
    output,
    MICA_DECIMAL(amount, "The converted amount, rounded.", .unit = "currency"),
    MICA_TEXT(currency, "ISO 4217 code of amount and unrounded."),
    MICA_DECIMAL(unrounded,
                 "The converted amount before rounding, to 34 significant "
                 "digits and 99 decimal places.",
                 .unit = "currency"),
    MICA_INTEGER(minor_digits,
                 "Decimal places of the currency's smallest unit: "
                 "2 for EUR, 0 for JPY, 3 for KWD."),
    MICA_DECIMAL(inverse_rate,
                 "The rate of the way back: 1 / rate, to 34 significant "
                 "digits."),
    MICA_TEXT(expression,
              "The conversion, e.g. '100 USD × 0.92 = 92.00 EUR'."));

// Sets the number of decimal places of `code`, which is the input `path`.
static enum mica_status
find(struct mica_call *call, const char *path, struct mica_text code,
     int64_t *digits_out)
{
    struct mica_text nearest = mica_currency_nearest(code);

    if (!mica_text_equal(nearest, code)) {
        return mica_fail(call, "UNKNOWN_CURRENCY", path,
                         "%s='%.*s' is no ISO 4217 code in use. Did you mean "
                         "'%.*s'? Pass the three-letter code of the currency.",
                         path, MICA_ARG(code), MICA_ARG(nearest));
    }
    *digits_out = mica_currency_digits(code);
    return MICA_OK;
}

static enum mica_status
convert(struct mica_call *call, const struct input *in, struct output *out)
{
    static const enum mica_rounding roundings[] = {[HALF_UP] = MICA_HALF_UP,
                                                   [HALF_EVEN] = MICA_HALF_EVEN,
                                                   [DOWN] = MICA_DOWN};
    const unsigned most = MICA_DECIMAL_DIGITS;
    struct mica_decimal product = mica_decimal_multiply(in->amount, in->rate);
    int64_t from_digits;

    MICA_TRY(find(call, "from", in->from, &from_digits));
    MICA_TRY(find(call, "to", in->to, &out->minor_digits));
    out->amount = mica_decimal_round(product, (int)out->minor_digits,
                                     roundings[in->rounding]);
    out->unrounded = mica_decimal_round(
        mica_decimal_precision(product, most, MICA_HALF_EVEN),
        MICA_DECIMAL_EXPONENT, MICA_HALF_EVEN);
    out->currency = in->to;
    out->inverse_rate = mica_decimal_precision(
        mica_decimal_divide(mica_decimal_of(1, 0), in->rate), most,
        MICA_HALF_EVEN);
    out->expression = mica_format(
        call, "%s %.*s × %s = %s %.*s", mica_decimal_text(call, in->amount),
        MICA_ARG(in->from), mica_decimal_text(call, in->rate),
        mica_decimal_fixed(call, out->amount, (unsigned)out->minor_digits),
        MICA_ARG(in->to));
    return MICA_OK;
}

MICA_ENGINE(
    currency_converter, input, output, convert, .title = "Currency converter",
    .category = "money",
    .description =
        "Convert an amount of money at a given exchange rate and round it to "
        "the smallest unit of the target currency (ISO 4217). Rates are "
        "inputs: this tool knows none.",
    .examples = MICA_EXAMPLES(
        {"Dollars to euros",
         MICA_JSON({"amount": 100, "from": "USD", "to": "EUR", "rate": 0.92}),
         MICA_JSON({
             "amount": 92,
             "currency": "EUR",
             "minor_digits": 2,
             "expression": "100 USD × 0.92 = 92.00 EUR"
         })},
        {"To yen, which have no decimal places",
         MICA_JSON(
             {"amount": 19.99, "from": "EUR", "to": "JPY", "rate": 162.35}),
         MICA_JSON({"amount": 3245, "currency": "JPY", "minor_digits": 0})},
        {"Half a cent goes up",
         MICA_JSON({"amount": 1.005, "from": "EUR", "to": "USD", "rate": 1}),
         MICA_JSON({"amount": 1.01})},
        {"Half a cent goes to the even neighbor", MICA_JSON({
             "amount": -2.345,
             "from": "EUR",
             "to": "USD",
             "rate": 1,
             "rounding": "half-even"
         }),
         MICA_JSON({"amount": -2.34})},
        {"Every fraction is dropped", MICA_JSON({
             "amount": 1,
             "from": "USD",
             "to": "KWD",
             "rate": 0.30699,
             "rounding": "down"
         }),
         MICA_JSON({"amount": 0.306, "minor_digits": 3})},
        {"A large amount, to the last cent", MICA_JSON({
             "amount": -4883606806.73,
             "from": "EUR",
             "to": "USD",
             "rate": 1,
             "rounding": "down"
         }),
         MICA_JSON({"amount": -4883606806.73, "unrounded": -4883606806.73})},
        {"Next to nothing",
         MICA_JSON({"amount": 1e-95, "from": "EUR", "to": "USD", "rate": 1e-9}),
         MICA_JSON({"amount": 0, "unrounded": 0})},
        {"No such currency",
         MICA_JSON({"amount": 1, "from": "USD", "to": "EUX", "rate": 1}),
         .error = "UNKNOWN_CURRENCY"}));
