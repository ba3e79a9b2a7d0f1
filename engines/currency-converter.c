// SPDX-License-Identifier: Apache-2.0
//
// Converts an amount at a rate that the caller passes, and rounds it to what
// the target currency has as its smallest unit.
#include <math.h>
#include <mica/engine.h>
#include <string.h>

enum rounding {
    HALF_UP,
    HALF_EVEN,
    DOWN
};
MICA_CHOICES(rounding, [HALF_UP] = "half-up", [HALF_EVEN] = "half-even",
             [DOWN] = "down");

struct input {
    double amount, rate;
    struct mica_text from, to;
    enum rounding rounding;
};
MICA_RECORD(
    input,
    MICA_NUMBER(amount,
                "Amount to convert, in the currency `from`; below 0 "
                "for a debt or a refund.",
                .minimum = -1e12, .maximum = 1e12, .unit = "from"),
    MICA_TEXT(from, "ISO 4217 code of amount's currency, e.g. USD.",
              .pattern = "^[A-Z]{3}$"),
    MICA_TEXT(to, "ISO 4217 code of the currency to convert to, e.g. EUR.",
              .pattern = "^[A-Z]{3}$"),
    MICA_NUMBER(rate,
                "How many units of `to` one unit of `from` buys, e.g. "
                "0.92 from USD to EUR. Look it up first.",
                .minimum = 1e-9, .maximum = 1e9),
    MICA_CHOICE(rounding, rounding,
                "What to do with half of the smallest unit and less: "
                "'half-up' rounds a half away from zero, 'half-even' to the "
                "even neighbour, 'down' drops every fraction.",
                .fallback = MICA_JSON("half-up")));

struct output {
    double amount, unrounded, inverse_rate;
    struct mica_text currency, expression;
    int64_t minor_digits;
};
MICA_RECORD(output,
            MICA_NUMBER(amount, "The converted amount, rounded.",
                        .unit = "currency"),
            MICA_TEXT(currency, "ISO 4217 code of amount and unrounded."),
            MICA_NUMBER(unrounded, "The converted amount before rounding.",
                        .unit = "currency"),
            MICA_INTEGER(minor_digits,
                         "Decimal places of the currency's smallest unit: "
                         "2 for EUR, 0 for JPY, 3 for KWD."),
            MICA_NUMBER(inverse_rate, "The rate of the way back: 1 / rate."),
            MICA_TEXT(expression,
                      "The conversion, e.g. '100 USD × 0.92 = 92.00 EUR'."));

// The codes in use by ISO 4217, list one, amendment 180, each with its number
// of decimal places; metals and units of account, which have none, left out.
static const char codes[] =
    "AED2AFN2ALL2AMD2AOA2ARS2AUD2AWG2AZN2BAM2BBD2BDT2BHD3BIF0BMD2BND2"
    "BOB2BOV2BRL2BSD2BTN2BWP2BYN2BZD2CAD2CDF2CHE2CHF2CHW2CLF4CLP0CNY2"
    "COP2COU2CRC2CUP2CVE2CZK2DJF0DKK2DOP2DZD2EGP2ERN2ETB2EUR2FJD2FKP2"
    "GBP2GEL2GHS2GIP2GMD2GNF0GTQ2GYD2HKD2HNL2HTG2HUF2IDR2ILS2INR2IQD3"
    "IRR2ISK0JMD2JOD3JPY0KES2KGS2KHR2KMF0KPW2KRW0KWD3KYD2KZT2LAK2LBP2"
    "LKR2LRD2LSL2LYD3MAD2MDL2MGA2MKD2MMK2MNT2MOP2MRU2MUR2MVR2MWK2MXN2"
    "MXV2MYR2MZN2NAD2NGN2NIO2NOK2NPR2NZD2OMR3PAB2PEN2PGK2PHP2PKR2PLN2"
    "PYG0QAR2RON2RSD2RUB2RWF0SAR2SBD2SCR2SDG2SEK2SGD2SHP2SLE2SOS2SRD2"
    "SSP2STN2SVC2SYP2SZL2THB2TJS2TMT2TND3TOP2TRY2TTD2TWD2TZS2UAH2UGX0"
    "USD2USN2UYI0UYU2UYW4UZS2VED2VES2VND0VUV0WST2XAD2XAF0XCD2XCG2XOF0"
    "XPF0YER2ZAR2ZMW2ZWG2";

// Sets the number of decimal places of `code`, which is the input `path`.
static enum mica_status
find(struct mica_call *call, const char *path, struct mica_text code,
     int64_t *digits_out)
{
    const char *nearest = codes;
    size_t best = 4;

    for (size_t i = 0; i + 4 < sizeof(codes); i += 4) {
        struct mica_text known = {codes + i, 3};
        size_t distance = mica_text_distance(code, known, 3);

        nearest = distance < best ? codes + i : nearest;
        best = distance < best ? distance : best;
    }
    if (best > 0) {
        return mica_fail(call, "UNKNOWN_CURRENCY", path,
                         "%s='%.*s' is no ISO 4217 code in use. Did you mean "
                         "'%.*s'? Pass the three-letter code of the currency.",
                         path, MICA_ARG(code), 3, nearest);
    }
    *digits_out = nearest[3] - '0';
    return MICA_OK;
}

// Takes off the noise of binary floating point, so that what is half a cent in
// decimals is half a cent here.
static double
settled(double value)
{
    return fabs(value) < 1e11 ? round(value * 1e4) / 1e4 : value;
}

static enum mica_status
convert(struct mica_call *call, const struct input *in, struct output *out)
{
    static double (*const roundings[])(double) = {
        [HALF_UP] = round, [HALF_EVEN] = rint, [DOWN] = trunc};
    int64_t from_digits;
    double scale;

    MICA_TRY(find(call, "from", in->from, &from_digits));
    MICA_TRY(find(call, "to", in->to, &out->minor_digits));
    scale = pow(10, (double)out->minor_digits);
    out->unrounded = in->amount * in->rate;
    out->amount =
        roundings[in->rounding](settled(out->unrounded * scale)) / scale + 0.0;
    out->currency = in->to;
    out->inverse_rate = 1 / in->rate;
    out->expression = mica_format(
        call, "%s %.*s × %s = %s %.*s", mica_number(call, in->amount),
        MICA_ARG(in->from), mica_number(call, in->rate),
        mica_fixed(call, out->amount, (unsigned)out->minor_digits),
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
        {"Half a cent goes to the even neighbour", MICA_JSON({
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
        {"No such currency",
         MICA_JSON({"amount": 1, "from": "USD", "to": "EUX", "rate": 1}),
         .error = "UNKNOWN_CURRENCY"}));
