// SPDX-License-Identifier: Apache-2.0
//
// Converts money at the reference rates of the European Central Bank, which
// frankfurter.dev publishes: one request, of which two fields are read.
#include <mica/fetch.h>
#include <mica/tool.h>

#define RATES "https://api.frankfurter.dev"

struct request {
    struct mica_decimal amount;
    struct mica_text from, to;
};
MICA_RECORD(request,
            MICA_DECIMAL(amount, "How much money.", .minimum = 0,
                         .unit = "from"),
            MICA_TEXT(from, "Its currency, as ISO 4217 has it: EUR.",
                      .pattern = "^[A-Z]{3}$"),
            MICA_TEXT(to, "The currency that is wanted: USD.",
                      .pattern = "^[A-Z]{3}$"));

// What is read of {"amount":1.0,"base":"EUR","date":"…","rates":{"USD":1.0823}}.
struct rates {
    struct mica_date date;
    struct {
        size_t count;
        const struct mica_text *keys;
        const struct mica_decimal *items;
    } rates;
};
MICA_RECORD(rates, MICA_DATE(date, "Of the rates."),
            MICA_MAP(rates, decimal, "By currency."));

struct result {
    struct mica_decimal amount, rate;
    struct mica_text currency;
    struct mica_date date;
};
MICA_RECORD(result,
            MICA_DECIMAL(amount, "The money in the other currency.",
                         .unit = "currency", .answer = true),
            MICA_TEXT(currency,
                      "The one that the amount is in, as ISO 4217 has it."),
            MICA_DECIMAL(rate, "What one unit of the first currency costs."),
            MICA_DATE(date, "The day that the rate is of."));

static enum mica_status
convert(struct mica_call *call, const struct request *in, struct result *out)
{
    struct rates rates;
    unsigned status;
    const struct mica_fetch fetch = {
        .key = "rates",
        .url = mica_format(call, RATES "/v1/latest?base=%.*s&symbols=%.*s",
                           MICA_ARG(mica_fetch_escape(call, in->from)),
                           MICA_ARG(mica_fetch_escape(call, in->to))),
        .status_out = &status};

    if (mica_text_equal(in->from, in->to))
        return mica_fail(call, "SAME_CURRENCY", "to",
                         "Both currencies are %.*s; name another one.",
                         MICA_ARG(in->to));
    MICA_TRY(mica_fetch(call, &fetch, MICA_INTO(rates, &rates)));
    if (status == 404 || status == 422 ||
        (status == 200 && rates.rates.count == 0))
        return mica_fail(call, "UNKNOWN_CURRENCY", "",
                         "There is no rate from %.*s to %.*s; use currencies "
                         "that the European Central Bank has rates of.",
                         MICA_ARG(in->from), MICA_ARG(in->to));
    if (status != 200)
        return mica_fail(call, "RATES_UNAVAILABLE", "",
                         "The rates cannot be had now (HTTP status %u); try "
                         "again later.",
                         status);
    out->rate = rates.rates.items[0];
    out->amount =
        mica_decimal_settle(mica_decimal_multiply(in->amount, out->rate),
                            (int)mica_currency_digits(in->to), MICA_HALF_UP);
    out->currency = in->to;
    out->date = rates.date;
    return MICA_OK;
}

MICA_TOOL(exchange_rate, request, result, convert, .title = "Convert money",
          .description = "Convert an amount of money into another currency at "
                         "the latest reference rate of the European Central "
                         "Bank.",
          .hints = MICA_READ_ONLY, .fetches = MICA_FETCHES(RATES));
