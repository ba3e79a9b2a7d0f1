// SPDX-License-Identifier: Apache-2.0
//
// Growth of savings under compound interest, in closed form: no error builds up
// from month to month, and only what is shown is rounded. Powers are multiplied
// out where their exponent is whole, so that what is half a cent is half a cent.
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
    struct mica_decimal principal, annual_rate_percent, monthly_contribution;
    struct mica_text currency;
    int64_t months;
    enum compounding compounding;
};
MICA_RECORD(
    input,
    MICA_DECIMAL(principal, "Amount at the start, in currency; may be 0.",
                 .title = "Starting amount", .minimum = 0, .maximum = 1e12,
                 .unit = "currency"),
    MICA_TEXT(currency,
              "ISO 4217 code of the currency, e.g. EUR. It decides "
              "the smallest unit that the answer is rounded to.",
              .pattern = "^[A-Z]{3}$"),
    MICA_DECIMAL(annual_rate_percent,
                 "Nominal interest rate of a year in percent, e.g. 5; below 0 "
                 "for negative interest.",
                 .title = "Interest a year", .minimum = -50, .maximum = 100),
    MICA_INTEGER(months,
                 "How long the money grows, in months: 120 for ten "
                 "years.",
                 .minimum = 1, .maximum = 1200),
    MICA_CHOICE(compounding, compounding,
                "How often interest is added to the balance; 'daily' is 365 "
                "times a year.",
                .fallback = MICA_JSON("yearly")),
    MICA_DECIMAL(monthly_contribution,
                 "Amount added at the end of each month, in currency.",
                 .minimum = 0, .maximum = 1e9, .unit = "currency",
                 .fallback = MICA_JSON(0)));

struct year {
    int64_t month;
    struct mica_decimal balance, contributed, interest;
    struct mica_text currency;
};
MICA_RECORD(
    year, MICA_INTEGER(month, "Months since the start at the end of this row."),
    MICA_DECIMAL(balance, "Balance then.", .unit = "currency"),
    MICA_DECIMAL(contributed, "Paid in until then, the principal included.",
                 .unit = "currency"),
    MICA_DECIMAL(interest, "Interest earned until then: balance - contributed.",
                 .unit = "currency"),
    MICA_TEXT(currency, "ISO 4217 code of this row's amounts."));

struct output {
    struct mica_decimal final_balance, contributed, interest,
        effective_annual_rate_percent;
    struct mica_text currency;
    struct {
        size_t count;
        const struct year *items;
    } years;
};
MICA_RECORD(
    output,
    MICA_DECIMAL(final_balance, "Balance at the end.", .unit = "currency",
                 .answer = true),
    MICA_DECIMAL(contributed, "Principal and all contributions.",
                 .unit = "currency"),
    MICA_DECIMAL(interest, "final_balance - contributed.", .unit = "currency"),
    MICA_TEXT(currency, "ISO 4217 code of all amounts."),
    MICA_DECIMAL(effective_annual_rate_percent,
                 "What a year of this compounding really adds, in percent, to "
                 "six decimal places."),
    MICA_LIST(years, year,
              "How it grows: a row at the end of each year, the last one at "
              "the end of the time asked for.",
              .chart = "contributed + interest over month"));

// How often interest is added in a year; 0 is continuously.
static const int64_t times[] = {
    [YEARLY] = 1,   [HALF_YEARLY] = 2, [QUARTERLY] = 4,
    [MONTHLY] = 12, [DAILY] = 365,     [CONTINUOUS] = 0};

static struct mica_decimal
quotient(struct mica_decimal value, int64_t divisor)
{
    return mica_decimal_divide(value, mica_decimal_of(divisor, 0));
}

// What one unit has become after `months`: (1 + r / n)^(n × months / 12), or
// e^(r × months / 12).
static struct mica_decimal
growth(const struct input *in, int64_t months)
{
    int64_t n = times[in->compounding], steps = n * months;
    struct mica_decimal rate =
        mica_decimal_multiply(in->annual_rate_percent, mica_decimal_of(1, -2));
    struct mica_decimal step;

    if (n == 0) {
        return mica_decimal_exp(quotient(
            mica_decimal_multiply(rate, mica_decimal_of(months, 0)), 12));
    }
    step = mica_decimal_add(mica_decimal_of(1, 0), quotient(rate, n));
    if (steps % 12 == 0)
        return mica_decimal_power(step, (unsigned)(steps / 12));
    return mica_decimal_exp(quotient(
        mica_decimal_multiply(mica_decimal_ln(step), mica_decimal_of(steps, 0)),
        12));
}

// What a unit paid in at the end of each month has become: a geometric series,
// (grown - 1) / (a month's growth - 1). Where the growth of a month is lost in 72
// digits, its beginning: m + r / 12 × m × (m - 1) / 2.
static struct mica_decimal
growth_of_all(const struct input *in, int64_t months, struct mica_decimal grown,
              struct mica_decimal month)
{
    struct mica_decimal one = mica_decimal_of(1, 0);
    struct mica_decimal size = in->annual_rate_percent;

    if (mica_decimal_sign(size) < 0)
        size = mica_decimal_subtract(mica_decimal_of(0, 0), size);
    if (mica_decimal_compare(size, mica_decimal_of(1, -28)) < 0) {
        return mica_decimal_add(
            mica_decimal_of(months, 0),
            quotient(mica_decimal_multiply(
                         in->annual_rate_percent,
                         mica_decimal_of(months * (months - 1), 0)),
                     2400));
    }
    return mica_decimal_divide(mica_decimal_subtract(grown, one),
                               mica_decimal_subtract(month, one));
}

static struct year
after(const struct input *in, struct mica_decimal month, int64_t months,
      int places)
{
    struct mica_decimal grown = growth(in, months);
    struct mica_decimal balance = mica_decimal_add(
        mica_decimal_multiply(in->principal, grown),
        mica_decimal_multiply(in->monthly_contribution,
                              growth_of_all(in, months, grown, month)));
    struct mica_decimal contributed = mica_decimal_add(
        in->principal, mica_decimal_multiply(in->monthly_contribution,
                                             mica_decimal_of(months, 0)));
    struct year row = {
        .month = months,
        .balance = mica_decimal_settle(balance, places, MICA_HALF_UP),
        .contributed = mica_decimal_round(contributed, places, MICA_HALF_UP),
        .currency = in->currency};

    row.interest = mica_decimal_subtract(row.balance, row.contributed);
    return row;
}

static enum mica_status
grow(struct mica_call *call, const struct input *in, struct output *out)
{
    int places = (int)mica_currency_digits(in->currency);
    size_t count = (size_t)(in->months + 11) / 12;
    struct mica_decimal month = growth(in, 1), more;
    struct year *rows = MICA_NEW(call, struct year, count);

    for (size_t i = 0; i < count; i++) {
        int64_t end = 12 * (int64_t)(i + 1);

        rows[i] = after(in, month, end < in->months ? end : in->months, places);
        if (!mica_decimal_fits(rows[i].balance) ||
            !mica_decimal_fits(rows[i].interest)) {
            return mica_fail(call, "RESULT_TOO_LARGE", "months",
                             "After %lld months the balance needs more than %d "
                             "digits. Pass fewer months, a lower rate or a "
                             "smaller principal.",
                             (long long)rows[i].month, MICA_DECIMAL_DIGITS);
        }
    }
    out->final_balance = rows[count - 1].balance;
    out->contributed = rows[count - 1].contributed;
    out->interest = rows[count - 1].interest;
    out->currency = in->currency;
    more = mica_decimal_subtract(growth(in, 12), mica_decimal_of(1, 0));
    out->effective_annual_rate_percent = mica_decimal_settle(
        mica_decimal_multiply(more, mica_decimal_of(100, 0)), 6, MICA_HALF_UP);
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
                       MICA_JSON({"final_balance": 110, "interest": 0})},
                      {"Negative interest", MICA_JSON({
                           "principal": 1000,
                           "currency": "EUR",
                           "annual_rate_percent": -0.5,
                           "months": 12
                       }),
                       MICA_JSON({"final_balance": 995, "interest": -5})},
                      {"More digits than a number has", MICA_JSON({
                           "principal": 1e12,
                           "currency": "EUR",
                           "annual_rate_percent": 99.9,
                           "months": 1200
                       }),
                       .error = "RESULT_TOO_LARGE"}));
