// SPDX-License-Identifier: Apache-2.0
//
// The level payment of a loan and its schedule. Every row is in whole cents, as
// a bank books it; the last payment takes up what the rounding left, so that
// the schedule ends at exactly zero.
#include <math.h>
#include <mica/engine.h>

enum detail {
    MONTHLY,
    YEARLY,
    NONE
};
MICA_CHOICES(
    detail, [MONTHLY] = "monthly", [YEARLY] = "yearly", [NONE] = "none");

struct input {
    double principal, annual_rate_percent;
    struct mica_text currency;
    int64_t term_months;
    struct mica_date first_payment;
    bool has_first_payment;
    enum detail schedule;
};
MICA_RECORD(
    input,
    MICA_NUMBER(principal, "Amount borrowed, in currency.",
                .exclusive_minimum = 0, .maximum = 1e10, .unit = "currency"),
    MICA_TEXT(currency,
              "ISO 4217 code of the loan's currency, e.g. EUR. It "
              "decides the smallest unit that payments are rounded "
              "to.",
              .pattern = "^[A-Z]{3}$"),
    MICA_NUMBER(annual_rate_percent,
                "Nominal interest rate of a year in percent, e.g. 4.5; a "
                "twelfth of it is charged each month on what is still owed.",
                .minimum = 0, .maximum = 100),
    MICA_INTEGER(term_months,
                 "Number of monthly payments, e.g. 360 for 30 years.",
                 .minimum = 1, .maximum = 600),
    MICA_DATE(first_payment,
              "Day of the first payment. The others fall on the same day of "
              "each following month, or on its last day where it is shorter. "
              "Without it the schedule has no dates.",
              MICA_OPTIONAL(input, first_payment)),
    MICA_CHOICE(schedule, detail,
                "Rows of the schedule: 'monthly' gives one for each payment, "
                "'yearly' adds up twelve in each row, 'none' leaves it empty. "
                "Take 'yearly' or 'none' to keep the answer short.",
                .fallback = MICA_JSON("monthly")));

struct row {
    int64_t payment_number;
    struct mica_date date;
    bool has_date;
    double payment, interest, principal, balance;
    struct mica_text currency;
};
MICA_RECORD(row,
            MICA_INTEGER(payment_number,
                         "Number of the row's last payment, counted from 1."),
            MICA_DATE(date,
                      "Day of the row's last payment, when first_payment was "
                      "given.",
                      MICA_OPTIONAL(row, date)),
            MICA_NUMBER(payment, "Paid in this row.", .unit = "currency"),
            MICA_NUMBER(interest, "Part of payment that is interest.",
                        .unit = "currency"),
            MICA_NUMBER(principal, "Part of payment that reduces the debt.",
                        .unit = "currency"),
            MICA_NUMBER(balance, "Still owed after the row's last payment.",
                        .unit = "currency"),
            MICA_TEXT(currency, "ISO 4217 code of this row's amounts."));

struct output {
    double payment, last_payment, total_paid, total_interest;
    struct mica_text currency;
    struct {
        size_t count;
        const struct row *items;
    } schedule;
};
MICA_RECORD(
    output,
    MICA_NUMBER(payment, "The level monthly payment.", .unit = "currency"),
    MICA_NUMBER(last_payment, "The last payment, which makes up for rounding.",
                .unit = "currency"),
    MICA_NUMBER(total_paid, "All payments together.", .unit = "currency"),
    MICA_NUMBER(total_interest, "total_paid less the principal.",
                .unit = "currency"),
    MICA_TEXT(currency, "ISO 4217 code of all amounts."),
    MICA_LIST(schedule, row, "The amortization schedule, in order of time."));

// The payment that brings `principal` to zero in `months`, not rounded.
static double
level_payment(double principal, double rate, double months)
{
    return rate > 0 ? principal * rate / -expm1(-months * log1p(rate))
                    : principal / months;
}

// Fills the rows and `out` in smallest units; returns the number of rows.
static size_t
amortize(const struct input *in, double scale, size_t per_row, struct row *rows,
         struct output *out)
{
    double rate = in->annual_rate_percent / 1200;
    double balance = round(in->principal * scale);
    size_t months = (size_t)in->term_months;
    double level = round(level_payment(balance, rate, (double)months));

    for (size_t i = 0; i < months; i++) {
        struct row *row = &rows[i / per_row];
        double interest = round(balance * rate), owed = balance + interest;
        double paid = i + 1 == months ? owed : fmin(level, owed);

        balance = owed - paid;
        row->payment_number = (int64_t)i + 1;
        row->payment += paid;
        row->interest += interest;
        row->principal += paid - interest;
        row->balance = balance;
        out->last_payment = paid;
        out->total_paid += paid;
        out->total_interest += interest;
    }
    out->payment = level;
    return (months - 1) / per_row + 1;
}

static enum mica_status
repay(struct mica_call *call, const struct input *in, struct output *out)
{
    static const size_t per_row[] = {
        [MONTHLY] = 1, [YEARLY] = 12, [NONE] = 600};
    unsigned digits = mica_currency_digits(in->currency);
    double scale = mica_power_of_ten((int)digits), principal;
    bool exact = mica_decimal_units(in->principal, digits, &principal);
    struct row *rows = MICA_NEW(call, struct row, (size_t)in->term_months);
    size_t count;

    if (principal < 1 || !exact) {
        return mica_fail(call, "AMOUNT_TOO_PRECISE", "principal",
                         "principal=%s is no amount of %.*s, which has %u "
                         "decimal places. Pass e.g. %s.",
                         mica_number(call, in->principal),
                         MICA_ARG(in->currency), digits,
                         mica_fixed(call, fmax(principal, 1) / scale, digits));
    }
    if (in->has_first_payment &&
        mica_date_add_months(in->first_payment, in->term_months - 1).year ==
            0) {
        return mica_fail(call, "DATE_OUT_OF_RANGE", "first_payment",
                         "With first_payment in %d, payment %lld would fall "
                         "after the year 9999. Pass an earlier date.",
                         in->first_payment.year, (long long)in->term_months);
    }
    count = amortize(in, scale, per_row[in->schedule], rows, out);
    for (size_t i = 0; i < count; i++) {
        rows[i].has_date = in->has_first_payment;
        rows[i].date =
            mica_date_add_months(in->first_payment, rows[i].payment_number - 1);
        rows[i].payment /= scale;
        rows[i].interest /= scale;
        rows[i].principal /= scale;
        rows[i].balance /= scale;
        rows[i].currency = in->currency;
    }
    out->payment /= scale;
    out->last_payment /= scale;
    out->total_paid /= scale;
    out->total_interest /= scale;
    out->currency = in->currency;
    out->schedule.items = rows;
    out->schedule.count = in->schedule == NONE ? 0 : count;
    return MICA_OK;
}

MICA_ENGINE(
    loan_payment, input, output, repay, .title = "Loan payment",
    .category = "money",
    .description =
        "Work out the level monthly payment of a loan, what it costs in all, "
        "and its amortization schedule. Payments and interest are rounded to "
        "the currency's smallest unit, halves up, as a bank books them; the "
        "last payment makes up for it, so that nothing is left.",
    .examples = MICA_EXAMPLES({"Three payments with dates", MICA_JSON({
                                   "principal": 1000,
                                   "currency": "EUR",
                                   "annual_rate_percent": 6,
                                   "term_months": 3,
                                   "first_payment": "2026-11-30"
                               }),
                               MICA_JSON({
                                   "payment": 336.67,
                                   "last_payment": 336.68,
                                   "total_paid": 1010.02,
                                   "total_interest": 10.02
                               })},
                              {"Thirty years, by year", MICA_JSON({
                                   "principal": 200000,
                                   "currency": "USD",
                                   "annual_rate_percent": 6.5,
                                   "term_months": 360,
                                   "schedule": "yearly"
                               }),
                               MICA_JSON({"payment": 1264.14})},
                              {"Without interest", MICA_JSON({
                                   "principal": 100,
                                   "currency": "EUR",
                                   "annual_rate_percent": 0,
                                   "term_months": 3,
                                   "schedule": "none"
                               }),
                               MICA_JSON({
                                   "payment": 33.33,
                                   "last_payment": 33.34,
                                   "total_paid": 100,
                                   "total_interest": 0,
                                   "schedule": []
                               })},
                              {"A tenth of a cent", MICA_JSON({
                                   "principal": 99.999,
                                   "currency": "EUR",
                                   "annual_rate_percent": 5,
                                   "term_months": 12
                               }),
                               .error = "AMOUNT_TOO_PRECISE"},
                              {"Past the last year", MICA_JSON({
                                   "principal": 100,
                                   "currency": "EUR",
                                   "annual_rate_percent": 5,
                                   "term_months": 12,
                                   "first_payment": "9999-06-01"
                               }),
                               .error = "DATE_OUT_OF_RANGE"}));
