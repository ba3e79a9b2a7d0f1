// SPDX-License-Identifier: Apache-2.0
//
// Growth of savings under compound interest, in closed form: no error builds up
// from month to month, and only what is shown is rounded.
#include <math.h>
#include <mica/engine.h>

enum compounding {
    YEARLY,
    HALF_YEARLY,
    QUARTERLY,
    MONTHLY,
    DAILY,
    CONTINUOUS
};
MICA_CHOICES(compounding, [YEARLY] = "yearly", [HALF_YEARLY] = "half-yearly",
             [QUARTERLY] = "quarterly", [MONTHLY] = "monthly",
             [DAILY] = "daily", [CONTINUOUS] = "continuous");

struct input {
    double principal, annual_rate_percent, monthly_contribution;
    struct mica_text currency;
    int64_t months;
    enum compounding compounding;
};
MICA_RECORD(
    input,
    MICA_NUMBER(principal, "Amount at the start, in currency; may be 0.",
                .minimum = 0, .maximum = 1e12, .unit = "currency"),
    MICA_TEXT(currency,
              "ISO 4217 code of the currency, e.g. EUR. It decides "
              "the smallest unit that the answer is rounded to.",
              .pattern = "^[A-Z]{3}$"),
    MICA_NUMBER(annual_rate_percent,
                "Nominal interest rate of a year in percent, e.g. 5; below 0 "
                "for negative interest.",
                .minimum = -50, .maximum = 100),
    MICA_INTEGER(months,
                 "How long the money grows, in months: 120 for ten "
                 "years.",
                 .minimum = 1, .maximum = 1200),
    MICA_CHOICE(compounding, compounding,
                "How often interest is added to the balance; 'daily' is 365 "
                "times a year.",
                .fallback = MICA_JSON("yearly")),
    MICA_NUMBER(monthly_contribution,
                "Amount added at the end of each month, in currency.",
                .minimum = 0, .maximum = 1e9, .unit = "currency",
                .fallback = MICA_JSON(0)));

struct year {
    int64_t month;
    double balance, contributed, interest;
    struct mica_text currency;
};
MICA_RECORD(
    year, MICA_INTEGER(month, "Months since the start at the end of this row."),
    MICA_NUMBER(balance, "Balance then.", .unit = "currency"),
    MICA_NUMBER(contributed, "Paid in until then, the principal included.",
                .unit = "currency"),
    MICA_NUMBER(interest, "Interest earned until then: balance - contributed.",
                .unit = "currency"),
    MICA_TEXT(currency, "ISO 4217 code of this row's amounts."));

struct output {
    double final_balance, contributed, interest, effective_annual_rate_percent;
    struct mica_text currency;
    struct {
        size_t count;
        const struct year *items;
    } years;
};
MICA_RECORD(
    output,
    MICA_NUMBER(final_balance, "Balance at the end.", .unit = "currency"),
    MICA_NUMBER(contributed, "Principal and all contributions.",
                .unit = "currency"),
    MICA_NUMBER(interest, "final_balance - contributed.", .unit = "currency"),
    MICA_TEXT(currency, "ISO 4217 code of all amounts."),
    MICA_NUMBER(effective_annual_rate_percent,
                "What a year of this compounding really adds, in percent, to "
                "six decimal places."),
    MICA_LIST(years, year,
              "How it grows: a row at the end of each year, the last one at "
              "the end of the time asked for."));

// The natural logarithm of one month's growth.
static double
monthly_growth(const struct input *in)
{
    static const double times[] = {
        [YEARLY] = 1,   [HALF_YEARLY] = 2, [QUARTERLY] = 4,
        [MONTHLY] = 12, [DAILY] = 365,     [CONTINUOUS] = 0};
    double rate = in->annual_rate_percent / 100, n = times[in->compounding];

    return (n > 0 ? n * log1p(rate / n) : rate) / 12;
}

static struct year
after(const struct input *in, double growth, double month, unsigned digits)
{
    double grown = expm1(growth * month); // what one unit has become, less 1
    // Each contribution grows from the end of its month: a geometric series.
    double factor = growth == 0 ? month : grown / expm1(growth);
    struct year row = {
        .month = (int64_t)month,
        .balance = mica_round(in->principal * (1 + grown) +
                                  in->monthly_contribution * factor,
                              digits),
        .contributed = mica_round(
            in->principal + in->monthly_contribution * month, digits),
        .currency = in->currency};

    row.interest = mica_round(row.balance - row.contributed, digits);
    return row;
}

static enum mica_status
grow(struct mica_call *call, const struct input *in, struct output *out)
{
    unsigned digits = mica_currency_digits(in->currency);
    double growth = monthly_growth(in);
    size_t count = (size_t)(in->months + 11) / 12;
    struct year *rows = MICA_NEW(call, struct year, count);

    for (size_t i = 0; i < count; i++) {
        rows[i] = after(in, growth,
                        fmin(12 * (double)(i + 1), (double)in->months), digits);
    }
    out->final_balance = rows[count - 1].balance;
    out->contributed = rows[count - 1].contributed;
    out->interest = rows[count - 1].interest;
    out->currency = in->currency;
    out->effective_annual_rate_percent =
        mica_round(expm1(12 * growth) * 100, 6);
    out->years.items = rows;
    out->years.count = count;
    return MICA_OK;
}

MICA_ENGINE(
    compound_interest, input, output, grow, .title = "Compound interest",
    .category = "money",
    .description =
        "Work out how savings grow under compound interest, with an optional "
        "contribution at the end of each month, year by year. Between two "
        "dates of compounding the balance grows at the rate that gives the "
        "same year. Amounts are rounded to the currency's smallest unit only "
        "where they are shown.",
    .examples =
        MICA_EXAMPLES({"Ten years at 5 %", MICA_JSON({
                           "principal": 1000,
                           "currency": "EUR",
                           "annual_rate_percent": 5,
                           "months": 120
                       }),
                       MICA_JSON({
                           "final_balance": 1628.89,
                           "contributed": 1000,
                           "interest": 628.89,
                           "effective_annual_rate_percent": 5
                       })},
                      {"A monthly plan for a year and a half", MICA_JSON({
                           "principal": 0,
                           "currency": "USD",
                           "annual_rate_percent": 6,
                           "months": 18,
                           "compounding": "monthly",
                           "monthly_contribution": 100
                       }),
                       MICA_JSON({
                           "final_balance": 1878.58,
                           "contributed": 1800,
                           "interest": 78.58,
                           "effective_annual_rate_percent": 6.167781,
                           "years": [
                               {
                                   "month": 12,
                                   "balance": 1233.56,
                                   "contributed": 1200,
                                   "interest": 33.56,
                                   "currency": "USD"
                               },
                               {
                                   "month": 18,
                                   "balance": 1878.58,
                                   "contributed": 1800,
                                   "interest": 78.58,
                                   "currency": "USD"
                               }
                           ]
                       })},
                      {"Continuous, in yen", MICA_JSON({
                           "principal": 1000000,
                           "currency": "JPY",
                           "annual_rate_percent": 1,
                           "months": 12,
                           "compounding": "continuous"
                       }),
                       MICA_JSON({"final_balance": 1010050})},
                      {"No interest at all", MICA_JSON({
                           "principal": 50,
                           "currency": "EUR",
                           "annual_rate_percent": 0,
                           "months": 6,
                           "monthly_contribution": 10
                       }),
                       MICA_JSON({"final_balance": 110, "interest": 0})}));
