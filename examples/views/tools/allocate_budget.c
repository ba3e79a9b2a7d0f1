// SPDX-License-Identifier: Apache-2.0
//
// Divides a budget: amounts to the cent that add up to what is divided. The view
// allocate_budget.html has a slider for each category, and tools of its own (get-allocations,
// set-allocation) by which a model moves them; react/allocate_budget.jsx is the same view
// with React.
#include <mica/tool.h>

struct share {
    struct mica_text id;
    struct mica_decimal percent;
};
MICA_RECORD(share,
            MICA_TEXT(id, "The category.", .min_length = 1, .max_length = 40),
            MICA_DECIMAL(percent, "Its part of the budget.", .minimum = 0,
                         .maximum = 100));

struct request {
    struct mica_decimal total;
    struct mica_text currency;
    struct {
        size_t count;
        const struct share *items;
    } shares;
};
MICA_RECORD(request,
            MICA_DECIMAL(total, "The whole budget.", .minimum = 0,
                         .maximum = 1e9, .unit = "currency",
                         .fallback = MICA_JSON(100000)),
            MICA_TEXT(currency, "ISO 4217 code of the budget's currency.",
                      .pattern = "^[A-Z]{3}$", .fallback = MICA_JSON("EUR")),
            MICA_LIST(shares, share, "The categories, each once.",
                      .min_items = 1, .max_items = 20,
                      .fallback = MICA_JSON([
                          {"id": "Marketing", "percent": 25},
                          {"id": "Engineering", "percent": 35},
                          {"id": "Operations", "percent": 20},
                          {"id": "Support", "percent": 10}
                      ])));

struct allocation {
    struct mica_text id;
    struct mica_decimal percent, amount;
    struct mica_text currency;
};
MICA_RECORD(allocation, MICA_TEXT(id, "The category."),
            MICA_DECIMAL(percent, "Its part."),
            MICA_DECIMAL(amount, "The same as money.", .unit = "currency"),
            MICA_TEXT(currency, "ISO 4217 code of the amount."));

struct budget {
    struct mica_decimal total, unallocated, unallocated_percent;
    struct mica_text currency;
    struct {
        size_t count;
        const struct allocation *items;
    } allocations;
};
MICA_RECORD(budget,
            MICA_DECIMAL(total, "The whole budget.", .unit = "currency"),
            MICA_DECIMAL(unallocated, "What is left.", .unit = "currency"),
            MICA_DECIMAL(unallocated_percent, "The same as a part."),
            MICA_TEXT(currency, "ISO 4217 code of all amounts."),
            MICA_LIST(allocations, allocation, "In the order of the input."));

static enum mica_status
check_shares(struct mica_call *call, const struct request *in,
             struct mica_decimal *sum_out)
{
    struct mica_decimal sum = mica_decimal_of(0, 0);

    for (size_t i = 0; i < in->shares.count; i++) {
        sum = mica_decimal_add(sum, in->shares.items[i].percent);
        for (size_t k = 0; k < i; k++)
            if (mica_text_equal(in->shares.items[i].id, in->shares.items[k].id))
                return mica_fail(call, "CATEGORY_TWICE", "shares",
                                 "\"%.*s\" is there twice; name each category "
                                 "once.",
                                 MICA_ARG(in->shares.items[i].id));
    }
    *sum_out = sum;
    if (mica_decimal_compare(sum, mica_decimal_of(100, 0)) <= 0)
        return MICA_OK;
    return mica_fail(call, "OVER_BUDGET", "shares",
                     "The parts add up to %s %%, more than 100; lower one of "
                     "them.",
                     mica_decimal_text(call, sum));
}

// A part of the total, in whole units of the currency.
static struct mica_decimal
part_of(const struct request *in, struct mica_decimal percent)
{
    struct mica_decimal hundredth =
        mica_decimal_multiply(percent, mica_decimal_of(1, -2));

    return mica_decimal_round(mica_decimal_multiply(in->total, hundredth),
                              (int)mica_currency_digits(in->currency),
                              MICA_HALF_UP);
}

static enum mica_status
run(struct mica_call *call, const struct request *in, struct budget *out)
{
    struct allocation *items =
        MICA_NEW(call, struct allocation, in->shares.count);
    struct mica_decimal sum, part = mica_decimal_of(0, 0), given = part;

    MICA_TRY(check_shares(call, in, &sum));
    for (size_t i = 0; i < in->shares.count; i++) {
        // What all parts so far are worth, less what was given: so the amounts add up to
        // the worth of their sum, to the cent.
        part = mica_decimal_add(part, in->shares.items[i].percent);
        struct mica_decimal until = part_of(in, part);
        items[i] =
            (struct allocation){.id = in->shares.items[i].id,
                                .percent = in->shares.items[i].percent,
                                .amount = mica_decimal_subtract(until, given),
                                .currency = in->currency};
        given = until;
    }
    out->total = in->total;
    out->currency = in->currency;
    out->allocations.items = items;
    out->allocations.count = in->shares.count;
    out->unallocated = mica_decimal_subtract(in->total, given);
    out->unallocated_percent =
        mica_decimal_subtract(mica_decimal_of(100, 0), sum);
    return MICA_OK;
}

MICA_VIEW(allocate_budget, .file = "allocate_budget.html",
          .title = "Budget allocator",
          .description = "The budget with a slider for each category.",
          .border = MICA_BORDERED);

MICA_TOOL(allocate_budget, request, budget, run, .title = "Allocate a budget",
          .description = "Divide a budget among categories, to the cent.",
          .hints = MICA_READ_ONLY | MICA_IDEMPOTENT,
          .view = &mica_view_allocate_budget);
