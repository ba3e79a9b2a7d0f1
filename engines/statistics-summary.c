// SPDX-License-Identifier: Apache-2.0
//
// The usual figures of a list of numbers. Sums are exact: each number is added to
// an integer of 2304 bits, and the sum is rounded once. The variance is taken in a
// second pass from the mean, which has twice the digits of a double, so that large
// numbers with small differences keep theirs.
#include <math.h>
#include <mica/engine.h>
#include <string.h>

enum method {
    LINEAR,
    WEIBULL,
    HAZEN,
    MEDIAN_UNBIASED
};
MICA_CHOICES(method, [LINEAR] = "linear", [WEIBULL] = "weibull",
             [HAZEN] = "hazen", [MEDIAN_UNBIASED] = "median-unbiased");

MICA_LIST_TYPE(numbers, number);

struct input {
    struct numbers values;
    enum method quartile_method;
};
MICA_RECORD(
    input,
    MICA_LIST(values, number, "The numbers, in any order, all in one unit.",
              .min_items = 1, .max_items = 50000, .each.minimum = -1e150,
              .each.maximum = 1e150),
    MICA_CHOICE(quartile_method, method,
                "How quartiles between two values are found: 'linear' as "
                "Excel's QUARTILE.INC, NumPy and R (type 7), 'weibull' as "
                "QUARTILE.EXC, SPSS and Minitab (type 6), 'hazen' (type 5), "
                "'median-unbiased' (type 8, advised by Hyndman and Fan).",
                .fallback = MICA_JSON("linear")));

MICA_NULLABLE_TYPE(maybe, number);

struct output {
    int64_t count;
    double sum, mean, median, minimum, maximum, range;
    double first_quartile, third_quartile, interquartile_range;
    enum method quartile_method;
    double population_variance, population_standard_deviation;
    struct maybe sample_variance, sample_standard_deviation;
    struct numbers modes, outliers;
};
MICA_RECORD(
    output, MICA_INTEGER(count, "Number of values."),
    MICA_NUMBER(sum, "Sum of the values."),
    MICA_NUMBER(mean, "Arithmetic mean.", .answer = true),
    MICA_NUMBER(median, "Value in the middle, or the mean of the two there."),
    MICA_NUMBER(minimum, "Smallest value."),
    MICA_NUMBER(maximum, "Largest value."),
    MICA_NUMBER(range, "maximum - minimum."),
    MICA_NUMBER(first_quartile, "A quarter of the values lies below it."),
    MICA_NUMBER(third_quartile, "Three quarters of the values lie below it."),
    MICA_NUMBER(interquartile_range, "third_quartile - first_quartile."),
    MICA_CHOICE(quartile_method, method, "Method that gave the quartiles."),
    MICA_NUMBER(population_variance,
                "Mean squared distance from the mean: the variance when the "
                "values are everything there is."),
    MICA_NUMBER(population_standard_deviation,
                "Square root of population_variance."),
    MICA_NULLABLE(sample_variance, number,
                  "The same with n - 1 instead of n: the variance estimated "
                  "when the values are a sample. Null for a single value."),
    MICA_NULLABLE(sample_standard_deviation, number,
                  "Square root of sample_variance. Null for a single value."),
    MICA_LIST(modes, number,
              "The values that occur most often, rising; empty "
              "when none occurs twice."),
    MICA_LIST(outliers, number,
              "Values more than 1.5 interquartile ranges below the first or "
              "above the third quartile (Tukey), rising."));

static int
by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

// ---- Exact sums ------------------------------------------------------------

enum {
    LOWEST = 1152, // 2^-1152 is the unit of the first limb
    LIMBS = 72
};

// A sum of doubles, in limbs of 32 bits, the first the lowest. Limbs have signs and
// room for carries of 2^30 numbers.
struct sum {
    int64_t limbs[LIMBS];
};

static void
add(struct sum *sum, double value)
{
    int exponent;
    int64_t bits = (int64_t)ldexp(frexp(value, &exponent), 53);
    int64_t sign = bits < 0 ? -1 : 1;
    uint64_t size = (uint64_t)(bits * sign);
    unsigned at = (unsigned)(exponent - 53 + LOWEST);

    for (unsigned half = 0; half < 2; half++, at += 32, size >>= 32) {
        uint64_t part = (size & UINT32_MAX) << at % 32;

        sum->limbs[at / 32] += sign * (int64_t)(part & UINT32_MAX);
        sum->limbs[at / 32 + 1] += sign * (int64_t)(part >> 32);
    }
}

// Makes all limbs but the last one numbers of 32 bits; true when the sum is negative.
static bool
carry(struct sum *sum)
{
    for (unsigned i = 0; i + 1 < LIMBS; i++) {
        sum->limbs[i + 1] += sum->limbs[i] >> 32;
        sum->limbs[i] &= UINT32_MAX;
    }
    return sum->limbs[LIMBS - 1] < 0;
}

// The double next to the sum, ties to even.
static double
rounded(const struct sum *of)
{
    struct sum sum = *of;
    bool negative = carry(&sum);
    unsigned top = LIMBS - 1;
    uint64_t bits, rest = 0;
    int shift = 0;

    if (negative) {
        for (unsigned i = 0; i < LIMBS; i++) {
            sum.limbs[i] = -sum.limbs[i];
        }
        (void)carry(&sum);
    }
    while (top > 2 && sum.limbs[top] == 0) {
        top--;
    }
    // 64 bits from the highest one on, the last set if anything is below.
    bits = (uint64_t)sum.limbs[top] << 32 | (uint64_t)sum.limbs[top - 1];
    while (bits >> 63 == 0 && shift < 32) {
        bits = bits << 1 | ((uint64_t)sum.limbs[top - 2] >> (31 - shift) & 1);
        shift++;
    }
    rest = shift < 32 ? (uint64_t)sum.limbs[top - 2] << shift & UINT32_MAX : 0;
    for (unsigned i = 0; i + 2 < top; i++) {
        rest |= (uint64_t)sum.limbs[i];
    }
    bits |= rest != 0;
    // To 53 bits.
    rest = bits & 2047;
    bits >>= 11;
    bits += rest > 1024 || (rest == 1024 && (bits & 1));
    return ldexp(negative ? -(double)bits : (double)bits,
                 (int)(top - 1) * 32 - LOWEST - shift + 11);
}

// ---- Numbers with twice the digits -----------------------------------------

struct twice {
    double high, low; // |low| is at most half a last digit of `high`
};

static struct twice
two_sum(double a, double b)
{
    double high = a + b, part = high - a;

    return (struct twice){high, (a - (high - part)) + (b - part)};
}

// a * b (Dekker), where neither is too large or too small.
static struct twice
two_product(double a, double b)
{
    double high = a * b, a_half = a * 134217729, b_half = b * 134217729;
    double a_high = a_half - (a_half - a), b_high = b_half - (b_half - b);
    double a_low = a - a_high, b_low = b - b_high;

    return (struct twice){
        high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) +
                  a_low * b_low};
}

// The sum divided by a small number.
static struct twice
divided(const struct sum *of, double by)
{
    struct sum rest = *of;
    struct twice back, quotient;

    quotient.high = rounded(&rest) / by;
    back = two_product(quotient.high, by);
    add(&rest, -back.high);
    add(&rest, -back.low);
    quotient.low = rounded(&rest) / by;
    return two_sum(quotient.high, quotient.low);
}

// The root of a number that is neither too large nor too small.
static double
root(struct twice square)
{
    double root = sqrt(square.high);
    struct twice back = two_product(root, root);

    return root > 0
               ? root + ((square.high - back.high) - back.low + square.low) /
                            (2 * root)
               : 0;
}

// ---- Spread ----------------------------------------------------------------

// The squares of the distances from the mean, each multiplied with 4^-exponent,
// so that neither the largest nor the smallest distance is too far from 1.
struct spread {
    struct sum squares;
    int exponent;
};

static struct twice
distance(double value, struct twice mean)
{
    struct twice distance = two_sum(value, -mean.high);

    return two_sum(distance.high, distance.low - mean.low);
}

static void
measure(struct numbers sorted, struct twice mean, struct spread *spread_out)
{
    double first = fabs(distance(sorted.items[0], mean).high);
    double last = fabs(distance(sorted.items[sorted.count - 1], mean).high);

    memset(spread_out, 0, sizeof *spread_out);
    (void)frexp(fmax(first, last), &spread_out->exponent);
    for (size_t i = 0; i < sorted.count; i++) {
        struct twice far = distance(sorted.items[i], mean), square;

        far.high = ldexp(far.high, -spread_out->exponent);
        far.low = ldexp(far.low, -spread_out->exponent);
        square = two_product(far.high, far.high);
        add(&spread_out->squares, square.high);
        add(&spread_out->squares, square.low + 2 * far.high * far.low);
    }
}

static double
variance(const struct spread *spread, double by, double *deviation_out)
{
    struct twice mean = divided(&spread->squares, by);

    *deviation_out = ldexp(root(mean), spread->exponent);
    return ldexp(mean.high, 2 * spread->exponent);
}

// ---- Figures ---------------------------------------------------------------

// The quantile of sorted values at `part`, between the neighbors of its
// position 1 + ... n; `a` is the constant of the method (Hyndman and Fan 1996,
// with their a = b).
static double
quantile(struct numbers sorted, double part, double a)
{
    double n = (double)sorted.count;
    double place = fmin(fmax(a + part * (n + 1 - 2 * a), 1), n);
    size_t low = (size_t)place - 1;
    size_t high = low + 1 < sorted.count ? low + 1 : low;

    return sorted.items[low] +
           (place - floor(place)) * (sorted.items[high] - sorted.items[low]);
}

// Those that occur most often, if that is more than once.
static struct numbers
modes(struct mica_call *call, struct numbers sorted)
{
    double *items = MICA_NEW(call, double, sorted.count);
    size_t most = 2, run = 0, count = 0;

    for (size_t i = 0; i < sorted.count; i++) {
        run = i > 0 && sorted.items[i] == sorted.items[i - 1] ? run + 1 : 1;
        count = run > most ? 0 : count; // a new record forgets the old ones
        most = run > most ? run : most;
        items[count] = sorted.items[i];
        count += run == most;
    }
    return (struct numbers){count, items};
}

static struct numbers
outliers(struct mica_call *call, struct numbers sorted, double low, double high)
{
    double *items = MICA_NEW(call, double, sorted.count + 1);
    size_t count = 0;

    for (size_t i = 0; i < sorted.count; i++) {
        items[count] = sorted.items[i];
        count += sorted.items[i] < low || sorted.items[i] > high;
    }
    return (struct numbers){count, items};
}

static enum mica_status
summarize(struct mica_call *call, const struct input *in, struct output *out)
{
    static const double constants[] = {[LINEAR] = 1,
                                       [WEIBULL] = 0,
                                       [HAZEN] = 0.5,
                                       [MEDIAN_UNBIASED] = 1.0 / 3};
    double a = constants[in->quartile_method], n = (double)in->values.count;
    double *items = MICA_NEW(call, double, in->values.count), fence;
    struct numbers sorted = {in->values.count, items};
    struct sum sum = {{0}};
    struct spread spread;
    struct twice mean;

    for (size_t i = 0; i < sorted.count; i++) {
        items[i] = in->values.items[i];
        add(&sum, items[i]);
    }
    mica_sort(call, items, sorted.count, sizeof(double), by_value);
    out->count = (int64_t)sorted.count;
    mean = divided(&sum, n);
    out->sum = rounded(&sum);
    out->mean = mean.high;
    out->median = quantile(sorted, 0.5, a);
    out->minimum = sorted.items[0];
    out->maximum = sorted.items[sorted.count - 1];
    out->range = out->maximum - out->minimum;
    out->first_quartile = quantile(sorted, 0.25, a);
    out->third_quartile = quantile(sorted, 0.75, a);
    out->interquartile_range = out->third_quartile - out->first_quartile;
    out->quartile_method = in->quartile_method;
    measure(sorted, mean, &spread);
    out->population_variance =
        variance(&spread, n, &out->population_standard_deviation);
    out->sample_variance.present = sorted.count > 1;
    out->sample_standard_deviation.present = sorted.count > 1;
    out->sample_variance.value = variance(
        &spread, fmax(n - 1, 1), &out->sample_standard_deviation.value);
    out->modes = modes(call, sorted);
    fence = 1.5 * out->interquartile_range;
    out->outliers = outliers(call, sorted, out->first_quartile - fence,
                             out->third_quartile + fence);
    return MICA_OK;
}

MICA_ENGINE(
    statistics_summary, input, output, summarize, .title = "Statistics summary",
    .category = "math",
    .description =
        "Summarize a list of numbers: count, sum, mean, median, quartiles by a "
        "named method, variance and standard deviation of a population and of "
        "a sample, range, modes and outliers. All in the unit of the values, "
        "variances in its square. Sums, mean and variances are exact to the last digit "
        "of a double.",
    .examples = MICA_EXAMPLES(
        {"Ten values with an outlier",
         MICA_JSON({"values": [7, 15, 36, 39, 40, 41, 42, 43, 47, 49]}),
         MICA_JSON({
             "count": 10,
             "sum": 359,
             "mean": 35.9,
             "median": 40.5,
             "first_quartile": 36.75,
             "third_quartile": 42.75,
             "interquartile_range": 6,
             "minimum": 7,
             "maximum": 49,
             "range": 42,
             "quartile_method": "linear",
             "modes": [],
             "outliers": [7, 15]
         })},
        {"Quartiles as QUARTILE.EXC", MICA_JSON({
             "values": [6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49],
             "quartile_method": "weibull"
         }),
         MICA_JSON({"first_quartile": 15, "median": 40, "third_quartile": 43})},
        {"Two modes and both variances",
         MICA_JSON({"values": [2, 4, 4, 4, 5, 5, 7, 9, 5]}), MICA_JSON({
             "modes": [4, 5],
             "mean": 5,
             "population_variance": 3.5555555555555554,
             "sample_variance": 4,
             "sample_standard_deviation": 2
         })},
        {"What cancels", MICA_JSON({"values": [1e150, 1, -1e150]}),
         MICA_JSON({"sum": 1, "mean": 0.3333333333333333})},
        {"Large values, near each other",
         MICA_JSON({"values": [1e16, 10000000000000002]}), MICA_JSON({
             "population_variance": 1,
             "population_standard_deviation": 1,
             "sample_variance": 2
         })},
        {"A single value", MICA_JSON({"values": [3]}), MICA_JSON({
             "median": 3,
             "population_variance": 0,
             "sample_variance": null,
             "sample_standard_deviation": null
         })}));
