// SPDX-License-Identifier: Apache-2.0
//
// Percentages in the three ways people ask for them. The reference for the
// shape of an engine: a choice, bounds, a default, two refusals, and an example
// for every branch.
#include <math.h>
#include <mica/engine.h>

enum mode {
    OF,
    RATIO,
    CHANGE
};
MICA_CHOICES(mode, [OF] = "of", [RATIO] = "ratio", [CHANGE] = "change");

struct input {
    enum mode mode;
    double a, b;
    int64_t precision;
};
MICA_RECORD(
    input,
    MICA_CHOICE(
        mode, mode,
        "Which percentage operation. 'of' = X% of Y, 'ratio' = X is "
        "what % of Y, 'change' = % change from X to Y; X is a, Y is b."),
    MICA_NUMBER(a, "First number, X. With 'of' it is a percentage; with "
                   "'ratio' the part; with 'change' the starting value, which "
                   "must not be 0."),
    MICA_NUMBER(b, "Second number, Y. With 'of' the whole, in any unit; with "
                   "'ratio' the whole, in the unit of a, not 0; with 'change' "
                   "the new value, in the unit of a."),
    MICA_INTEGER(precision, "Decimal places in the result.", .minimum = 0,
                 .maximum = 10, .fallback = MICA_JSON(2)));

struct output {
    double result;
    struct mica_text formula, explanation;
};
MICA_RECORD(output,
            MICA_NUMBER(result,
                        "The answer, rounded. With 'of' in the unit of b; with "
                        "'ratio' and 'change' a percentage."),
            MICA_TEXT(formula, "What was calculated, with the numbers put in."),
            MICA_TEXT(explanation, "The question that the result answers."));

// JavaScript's Math.round(value * 10^digits) / 10^digits: halves go up. A value
// too large to scale has no decimal places to lose and stays as it is.
static double
rounded(double value, int64_t digits)
{
    double scale = mica_power_of_ten((int)digits);
    double scaled = value * scale, below = floor(scaled);

    return isfinite(scaled) ? (below + (scaled - below >= 0.5)) / scale : value;
}

static enum mica_status
calculate(struct mica_call *call, const struct input *in, struct output *out)
{
    const char *a = mica_number(call, in->a), *b = mica_number(call, in->b);
    double value = 0;

    switch (in->mode) {
    case OF:
        value = in->a / 100 * in->b;
        out->formula = mica_format(call, "(%s / 100) × %s", a, b);
        out->explanation = mica_format(call, "%s%% of %s", a, b);
        break;
    case RATIO:
        if (in->b == 0) {
            return mica_fail(
                call, "DIVISION_BY_ZERO", "b",
                "Cannot compute a ratio when the second number (b) is zero — "
                "division by zero. Did you mean mode='of' instead? Otherwise "
                "pass the whole that a=%s is a part of as b.",
                a);
        }
        value = in->a / in->b * 100;
        out->formula = mica_format(call, "(%s / %s) × 100", a, b);
        out->explanation = mica_format(call, "%s is what %% of %s", a, b);
        break;
    case CHANGE:
        if (in->a == 0) {
            return mica_fail(
                call, "DIVISION_BY_ZERO", "a",
                "Cannot compute %% change from zero — the starting value (a) "
                "is undefined as a base. Pass a starting value other than 0; "
                "the difference to b=%s has no percentage.",
                b);
        }
        value = (in->b - in->a) / in->a * 100;
        out->formula = mica_format(call, "((%s - %s) / %s) × 100", b, a, a);
        out->explanation = mica_format(call, "%% change from %s to %s", a, b);
        break;
    }
    if (!isfinite(value)) {
        return mica_fail(call, "RESULT_NOT_FINITE", "",
                         "The result for a=%s and b=%s is beyond the largest "
                         "number (about 1.8e308). Pass numbers that are closer "
                         "together or of smaller size.",
                         a, b);
    }
    out->result = rounded(value, in->precision);
    return MICA_OK;
}

MICA_ENGINE(
    percentage_calculator, input, output, calculate,
    .title = "Percentage calculator", .category = "math",
    .description =
        "Calculate percentages three ways: what's X% of Y, what % is X of Y, "
        "and what's the % change from X to Y. Use mode='of' for the first "
        "form, mode='ratio' for the second, mode='change' for the third. The "
        "result is rounded as Math.round(x × 10^p) / 10^p does, with p the "
        "precision, so halves go up: 0.125 gives 0.13 and -0.125 gives "
        "-0.12.",
    .examples = MICA_EXAMPLES(
        {"15% of 200", MICA_JSON({"mode": "of", "a": 15, "b": 200}), MICA_JSON({
             "result": 30,
             "formula": "(15 / 100) × 200",
             "explanation": "15% of 200"
         })},
        {"40 is what % of 200", MICA_JSON({"mode": "ratio", "a": 40, "b": 200}),
         MICA_JSON({"result": 20, "formula": "(40 / 200) × 100"})},
        {"% change from 50 to 75",
         MICA_JSON({"mode": "change", "a": 50, "b": 75}),
         MICA_JSON({"result": 50, "formula": "((75 - 50) / 50) × 100"})},
        {"A third, to four places",
         MICA_JSON({"mode": "ratio", "a": 1, "b": 3, "precision": 4}),
         MICA_JSON({"result": 33.3333})},
        {"Halves go up, also below zero",
         MICA_JSON({"mode": "of", "a": -12.5, "b": 1}),
         MICA_JSON({"result": -0.12})},
        {"What % of nothing?", MICA_JSON({"mode": "ratio", "a": 1, "b": 0}),
         .error = "DIVISION_BY_ZERO"},
        {"% change from nothing", MICA_JSON({"mode": "change", "a": 0, "b": 5}),
         .error = "DIVISION_BY_ZERO"},
        {"Too large for a number",
         MICA_JSON({"mode": "of", "a": 1e300, "b": 1e300}),
         .error = "RESULT_NOT_FINITE"}));
