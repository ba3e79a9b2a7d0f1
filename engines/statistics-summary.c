// SPDX-License-Identifier: Apache-2.0
//
// The usual figures of a list of numbers. Sums are compensated (Neumaier), and
// the variance is taken from the mean in a second pass, so that large numbers
// with small differences keep their digits.
#include <math.h>
#include <mica/engine.h>

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
    MICA_NUMBER(mean, "Arithmetic mean."),
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

// The sum of (value - from)^power, power 1 or 2.
static double
sum_of(struct numbers values, double from, bool squared)
{
    double sum = 0, lost = 0;

    for (size_t i = 0; i < values.count; i++) {
        double distance = values.items[i] - from;
        double next = squared ? distance * distance : distance;
        double total = sum + next;

        lost += fabs(sum) >= fabs(next) ? (sum - total) + next
                                        : (next - total) + sum;
        sum = total;
    }
    return sum + lost;
}

// The quantile of sorted values at `part`, between the neighbours of its
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
    double *items = MICA_NEW(call, double, in->values.count), squares, fence;
    struct numbers sorted = {in->values.count, items};

    for (size_t i = 0; i < sorted.count; i++) {
        items[i] = in->values.items[i];
    }
    mica_sort(call, items, sorted.count, sizeof(double), by_value);
    out->count = (int64_t)sorted.count;
    out->sum = sum_of(sorted, 0, false);
    out->mean = out->sum / n;
    out->median = quantile(sorted, 0.5, a);
    out->minimum = sorted.items[0];
    out->maximum = sorted.items[sorted.count - 1];
    out->range = out->maximum - out->minimum;
    out->first_quartile = quantile(sorted, 0.25, a);
    out->third_quartile = quantile(sorted, 0.75, a);
    out->interquartile_range = out->third_quartile - out->first_quartile;
    out->quartile_method = in->quartile_method;
    squares = sum_of(sorted, out->mean, true);
    out->population_variance = squares / n;
    out->population_standard_deviation = sqrt(squares / n);
    out->sample_variance.present = sorted.count > 1;
    out->sample_variance.value = squares / fmax(n - 1, 1);
    out->sample_standard_deviation.present = sorted.count > 1;
    out->sample_standard_deviation.value = sqrt(out->sample_variance.value);
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
        "variances in its square.",
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
        {"A single value", MICA_JSON({"values": [3]}), MICA_JSON({
             "median": 3,
             "population_variance": 0,
             "sample_variance": null,
             "sample_standard_deviation": null
         })}));
