// SPDX-License-Identifier: Apache-2.0
//
// The level payment of a loan and its schedule. Every row is in whole cents, as
// a bank books it; the last payment takes up what the rounding left, so that
// the schedule ends at exactly zero.
#include <mica/engine.h>

enum detail {
    MONTHLY,
    YEARLY,
    NONE
};
MICA_CHOICES(
    detail, [MONTHLY] = "monthly", [YEARLY] = "yearly", [NONE] = "none");

struct input {
    struct mica_decimal principal, annual_rate_percent;
    struct mica_text currency;
    int64_t term_months;
    struct mica_date first_payment;
    bool has_first_payment;
    enum detail schedule;
};
MICA_RECORD(
    input,
    MICA_DECIMAL(principal, "Amount borrowed, in currency.",
                 .title = "Amount borrowed", .exclusive_minimum = 0,
                 .maximum = 1e10, .unit = "currency"),
    MICA_TEXT(currency,
              "ISO 4217 code of the loan's currency, e.g. EUR. It "
              "decides the smallest unit that payments are rounded "
              "to.",
              .pattern = "^[A-Z]{3}$"),
    MICA_DECIMAL(annual_rate_percent,
                 "Nominal interest rate of a year in percent, e.g. 4.5; a "
                 "twelfth of it is charged each month on what is still owed.",
                 .title = "Interest a year", .minimum = 0, .maximum = 100),
    MICA_INTEGER(term_months,
                 "Number of monthly payments, e.g. 360 for 30 years. Fewer "
                 "are made where the rounded payment pays a small loan back "
                 "sooner.",
                 .title = "Term", .minimum = 1, .maximum = 600),
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
    struct mica_decimal payment, interest, principal, balance;
    struct mica_text currency;
};
MICA_RECORD(row,
            MICA_INTEGER(payment_number,
                         "Number of the row's last payment, counted from 1."),
            MICA_DATE(date,
                      "Day of the row's last payment, when first_payment was "
                      "given.",
                      MICA_OPTIONAL(row, date)),
            MICA_DECIMAL(payment, "Paid in this row.", .unit = "currency"),
            MICA_DECIMAL(interest, "Part of payment that is interest.",
                         .unit = "currency"),
            MICA_DECIMAL(principal, "Part of payment that reduces the debt.",
                         .title = "Repaid", .unit = "currency"),
            MICA_DECIMAL(balance, "Still owed after the row's last payment.",
                         .unit = "currency"),
            MICA_TEXT(currency, "ISO 4217 code of this row's amounts."));

struct output {
    struct mica_decimal payment, last_payment, total_paid, total_interest;
    struct mica_text currency;
    struct {
        size_t count;
        const struct row *items;
    } schedule;
};
MICA_RECORD(
    output,
    MICA_DECIMAL(payment, "The level monthly payment.", .unit = "currency",
                 .title = "Monthly payment", .answer = true),
    MICA_DECIMAL(last_payment, "The last payment, which makes up for rounding.",
                 .unit = "currency"),
    MICA_DECIMAL(total_paid, "All payments together.", .unit = "currency"),
    MICA_DECIMAL(total_interest, "total_paid less the principal.",
                 .unit = "currency"),
    MICA_TEXT(currency, "ISO 4217 code of all amounts."),
    MICA_LIST(schedule, row, "The amortization schedule, in order of time.",
              .chart = "principal + interest over payment_number"));

// Sums of one row, and of the whole loan, in smallest units.
struct sums {
    int64_t payment, interest, principal, balance, last;
};

// How a loan is paid back, in smallest units and months.
struct loan {
    struct mica_decimal percent; // of a year
    int64_t principal, level;
    size_t months, per_row;
};

static int64_t
nearest_unit(struct mica_decimal value)
{
    int64_t units = 0;

    // The bounds of the fields keep it far below 2^63.
    (void)mica_decimal_integer(mica_decimal_settle(value, 0, MICA_HALF_UP),
                               &units);
    return units;
}

// The payment that brings the principal p to zero in n months at the monthly rate
// i: p × i × q / (q - 1) with q = (1 + i)^n. For a rate so small that 1 + i is 1
// in 72 digits, the series in i: p / n × (1 + i × (n + 1) / 2).
static struct mica_decimal
level_payment(const struct loan *loan)
{
    struct mica_decimal one = mica_decimal_of(1, 0);
    struct mica_decimal principal = mica_decimal_of(loan->principal, 0);
    struct mica_decimal months = mica_decimal_of((int64_t)loan->months, 0);
    struct mica_decimal rate =
        mica_decimal_divide(loan->percent, mica_decimal_of(1200, 0));
    struct mica_decimal growth, more;

    if (mica_decimal_compare(rate, mica_decimal_of(1, -30)) < 0) {
        more = mica_decimal_multiply(
            rate, mica_decimal_of((int64_t)(loan->months + 1) * 5, -1));
        return mica_decimal_divide(
            mica_decimal_multiply(principal, mica_decimal_add(one, more)),
            months);
    }
    growth =
        mica_decimal_power(mica_decimal_add(one, rate), (unsigned)loan->months);
    return mica_decimal_divide(
        mica_decimal_multiply(mica_decimal_multiply(principal, rate), growth),
        mica_decimal_subtract(growth, one));
}

// A month's interest: exact, and rounded once.
static int64_t
interest_on(const struct loan *loan, int64_t balance)
{
    int64_t interest = 0;

    (void)mica_decimal_integer(
        mica_decimal_round(
            mica_decimal_divide(mica_decimal_multiply(
                                    mica_decimal_of(balance, 0), loan->percent),
                                mica_decimal_of(1200, 0)),
            0, MICA_HALF_UP),
        &interest);
    return interest;
}

// Fills the sums of the rows and of all; returns the number of rows. A payment that
// was rounded up may pay the loan back early: `months` becomes how many were made.
static size_t
amortize(struct loan *loan, struct sums *rows, struct sums *all)
{
    int64_t balance = loan->principal;
    size_t i;

    for (i = 0; i < loan->months && balance > 0; i++) {
        struct sums *row = &rows[i / loan->per_row];
        int64_t interest = interest_on(loan, balance);
        int64_t owed = balance + interest;
        int64_t paid =
            i + 1 == loan->months || owed < loan->level ? owed : loan->level;

        balance = owed - paid;
        row->payment += paid;
        row->interest += interest;
        row->principal += paid - interest;
        row->balance = balance;
        all->payment += paid;
        all->interest += interest;
        all->last = paid;
    }
    loan->months = i;
    return (loan->months - 1) / loan->per_row + 1;
}

static void
fill_rows(const struct input *in, const struct loan *loan, int places,
          const struct sums *sums, size_t count, struct row *rows)
{
    for (size_t i = 0; i < count; i++) {
        size_t number = (i + 1) * loan->per_row;

        if (number > loan->months)
            number = loan->months;
        rows[i] = (struct row){
            .payment_number = (int64_t)number,
            .has_date = in->has_first_payment,
            .date =
                mica_date_add_months(in->first_payment, (int64_t)number - 1),
            .payment = mica_decimal_of(sums[i].payment, -places),
            .interest = mica_decimal_of(sums[i].interest, -places),
            .principal = mica_decimal_of(sums[i].principal, -places),
            .balance = mica_decimal_of(sums[i].balance, -places),
            .currency = in->currency};
    }
}

// Counts the principal in smallest units, of which it has to be a whole number.
static enum mica_status
count_principal(struct mica_call *call, const struct input *in, int places,
                int64_t *units_out)
{
    int64_t units = nearest_unit(
        mica_decimal_multiply(in->principal, mica_decimal_of(1, places)));

    *units_out = units;
    if (units >= 1 && mica_decimal_compare(mica_decimal_of(units, -places),
                                           in->principal) == 0)
        return MICA_OK;
    return mica_fail(call, "AMOUNT_TOO_PRECISE", "principal",
                     "principal=%s is no amount of %.*s, which has %d "
                     "decimal places. Pass e.g. %s.",
                     mica_decimal_text(call, in->principal),
                     MICA_ARG(in->currency), places,
                     mica_decimal_fixed(
                         call, mica_decimal_of(units < 1 ? 1 : units, -places),
                         (unsigned)places));
}

static enum mica_status
repay(struct mica_call *call, const struct input *in, struct output *out)
{
    static const size_t per_row[] = {
        [MONTHLY] = 1, [YEARLY] = 12, [NONE] = 600};
    int places = (int)mica_currency_digits(in->currency);
    struct loan loan = {.percent = in->annual_rate_percent,
                        .months = (size_t)in->term_months,
                        .per_row = per_row[in->schedule]};
    struct sums *sums = MICA_NEW(call, struct sums, loan.months), all = {0};
    struct row *rows;
    size_t count;

    MICA_TRY(count_principal(call, in, places, &loan.principal));
    loan.level = nearest_unit(level_payment(&loan));
    count = amortize(&loan, sums, &all);
    if (in->has_first_payment &&
        mica_date_add_months(in->first_payment, (int64_t)loan.months - 1)
                .year == 0) {
        return mica_fail(call, "DATE_OUT_OF_RANGE", "first_payment",
                         "With first_payment in %d, payment %lld would fall "
                         "after the year 9999. Pass an earlier date.",
                         in->first_payment.year, (long long)loan.months);
    }
    out->schedule.count = in->schedule == NONE ? 0 : count;
    rows = MICA_NEW(call, struct row, out->schedule.count);
    fill_rows(in, &loan, places, sums, out->schedule.count, rows);
    out->schedule.items = rows;
    out->payment = mica_decimal_of(loan.level, -places);
    out->last_payment = mica_decimal_of(all.last, -places);
    out->total_paid = mica_decimal_of(all.payment, -places);
    out->total_interest = mica_decimal_of(all.interest, -places);
    out->currency = in->currency;
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
                              {"Fourteen months, by year", MICA_JSON({
                                   "principal": 1200,
                                   "currency": "EUR",
                                   "annual_rate_percent": 0,
                                   "term_months": 14,
                                   "schedule": "yearly"
                               }),
                               MICA_JSON({
                                   "payment": 85.71,
                                   "last_payment": 85.77,
                                   "schedule": [
                                       {
                                           "payment_number": 12,
                                           "payment": 1028.52,
                                           "interest": 0,
                                           "principal": 1028.52,
                                           "balance": 171.48,
                                           "currency": "EUR"
                                       },
                                       {
                                           "payment_number": 14,
                                           "payment": 171.48,
                                           "interest": 0,
                                           "principal": 171.48,
                                           "balance": 0,
                                           "currency": "EUR"
                                       }
                                   ]
                               })},
                              {"A cent a month", MICA_JSON({
                                   "principal": 0.03,
                                   "currency": "EUR",
                                   "annual_rate_percent": 0,
                                   "term_months": 5,
                                   "schedule": "yearly"
                               }),
                               MICA_JSON({
                                   "payment": 0.01,
                                   "last_payment": 0.01,
                                   "total_paid": 0.03,
                                   "schedule": [{
                                       "payment_number": 3,
                                       "payment": 0.03,
                                       "interest": 0,
                                       "principal": 0.03,
                                       "balance": 0,
                                       "currency": "EUR"
                                   }]
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
