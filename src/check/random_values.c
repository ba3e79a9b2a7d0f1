// SPDX-License-Identifier: Apache-2.0
//
// Chance, and values of one kind with a liking for edges: bounds and their
// neighbors, powers of two and ten, halves, leap days.
#include <math.h>
#include <string.h>

#include <mica/decimal.h>

#include "check/random_inputs.h"

#define SAFE 9007199254740991.0

// splitmix64 (Steele, Lea and Flood 2014).
uint64_t
mica_random_next(struct mica_random *random)
{
    uint64_t value = random->state += UINT64_C(0x9E3779B97F4A7C15);

    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

size_t
mica_random_below(struct mica_random *random, size_t count)
{
    return count == 0 ? 0 : (size_t)(mica_random_next(random) % count);
}

bool
mica_random_chance(struct mica_random *random, unsigned percent)
{
    return mica_random_below(random, 100) < percent;
}

// ---- Numbers ---------------------------------------------------------------------

static double
value_bound(const struct mica_json *schema, const char *namez, double none)
{
    const struct mica_json *value = mica_json_get(schema, namez);
    double number = none;

    if (value != NULL) {
        (void)mica_number_read(value->text, &number);
    }
    return number;
}

// The least and the greatest that a schema allows.
static void
read_bounds(const struct mica_json *schema, double *least, double *most)
{
    double above = value_bound(schema, "exclusiveMinimum", -HUGE_VAL);
    double below = value_bound(schema, "exclusiveMaximum", HUGE_VAL);

    *least = value_bound(schema, "minimum", -HUGE_VAL);
    *most = value_bound(schema, "maximum", HUGE_VAL);
    if (above >= *least) {
        *least = nextafter(above, HUGE_VAL);
    }
    if (below <= *most) {
        *most = nextafter(below, -HUGE_VAL);
    }
    *least = fmax(*least, -1.7976931348623157e308);
    *most = fmin(*most, 1.7976931348623157e308);
}

static double
unit_interval(struct mica_random *random)
{
    return (double)(mica_random_next(random) >> 11) / 9007199254740992.0;
}

static double
any_double(struct mica_random *random)
{
    uint64_t bits = mica_random_next(random);
    double value;

    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0.1;
}

static double
odd_number(struct mica_random *random)
{
    static const double numbers[] = {
        0,        -0.0,       1,        -1,       0.5,       -0.5,
        1.5,      2.5,        0.1,      0.3,      1.0 / 3,   2.675,
        1.005,    99.995,     10,       100,      1000,      12,
        60,       365,        1e-7,     1e-6,     123.456,   1e21,
        1e20,     123456789,  SAFE,     SAFE + 1, -SAFE,     4294967296.0,
        1e15,     5e-324,     2.2e-308, 1e300,    1.7e308,   -1.7e308,
        0.999999, 1.00000001, 255,      256,      65535,     2147483647,
        37.5,     -40,        -273.15,  98.6,     3.14159265};

    return numbers[mica_random_below(random, MICA_COUNT(numbers))];
}

// Like what people type: a few digits before the point and a few behind.
static double
typed_number(struct mica_random *random)
{
    static const double scales[] = {1, 1, 10, 100, 100, 1000, 1e6};
    static const size_t sizes[] = {10, 100, 1000, 100000, 10000000};
    double whole = (double)mica_random_below(
        random, sizes[mica_random_below(random, MICA_COUNT(sizes))]);
    double value =
        whole / scales[mica_random_below(random, MICA_COUNT(scales))];

    return mica_random_chance(random, 20) ? -value : value;
}

static size_t
count_digits(const char *text, size_t len)
{
    size_t count = 0;

    for (size_t i = 0; i < len; i++) {
        count += text[i] >= '0' && text[i] <= '9';
    }
    return count;
}

// A decimal as JSON text: a number of the schema, half of the time with digits
// behind it that no double has.
void
mica_random_decimal(struct mica_random *random, const struct mica_json *schema,
                    bool wild, struct mica_json_writer *writer)
{
    enum {
        MOST_MORE = 16
    };
    double least, most, value = mica_random_number(random, schema, wild);
    char text[MICA_NUMBER_SIZE + 1 + MOST_MORE];

    read_bounds(schema, &least, &most);
    if (!wild && value != 0 && (fabs(value) > 1e90 || fabs(value) < 1e-90)) {
        value = fmin(fmax(1, ceil(least)), most);
    }
    size_t len = mica_number_write(value, text);
    // Digits that are added stay within the bounds where a whole one would.
    if (memchr(text, 'e', len) == NULL && value + 1 <= most &&
        value - 1 >= least && mica_random_chance(random, 50)) {
        if (memchr(text, '.', len) == NULL) {
            text[len++] = '.';
        }
        // A double without an exponent has 24 digits at most.
        size_t room = MICA_DECIMAL_DIGITS - count_digits(text, len);
        size_t more = 1 + mica_random_below(random, MOST_MORE);
        for (more = more < room ? more : room; more > 0; more--) {
            text[len++] = (char)('0' + mica_random_below(random, 10));
        }
    }
    mica_json_raw(writer, (struct mica_text){text, len});
}

double
mica_random_number(struct mica_random *random, const struct mica_json *schema,
                   bool wild)
{
    double least, most, value;

    read_bounds(schema, &least, &most);
    switch (mica_random_below(random, 8)) {
    case 0:
        value = mica_random_chance(random, 50) ? least : most;
        break;
    case 1:
        value = mica_random_chance(random, 50) ? nextafter(least, HUGE_VAL)
                                               : nextafter(most, -HUGE_VAL);
        break;
    case 2:
        value = odd_number(random);
        break;
    case 3:
        value = least + (most / 2 - least / 2) * 2 * unit_interval(random);
        break;
    case 4:
        value = any_double(random);
        break;
    default:
        value = typed_number(random);
        break;
    }
    if (wild && mica_random_chance(random, 30)) {
        value = mica_random_chance(random, 50) ? nextafter(most, HUGE_VAL)
                                               : nextafter(least, -HUGE_VAL);
    } else if (!wild) {
        value = fmin(fmax(value, least), most);
    }
    return isfinite(value) ? value : 1;
}

int64_t
mica_random_integer(struct mica_random *random, const struct mica_json *schema,
                    bool wild)
{
    double value = mica_random_number(random, schema, wild), least, most;

    read_bounds(schema, &least, &most);
    if (mica_random_chance(random, 30) && most - least < 1e6) {
        value = least +
                (double)mica_random_below(random, (size_t)(most - least) + 1);
    }
    value = value < 0 ? ceil(value) : floor(value);
    value = fmin(fmax(value, -9223372036854774784.0), 9223372036854774784.0);
    return (int64_t)value;
}

// ---- Days and moments --------------------------------------------------------------

static struct mica_date
any_date(struct mica_random *random)
{
    static const struct mica_date edges[] = {
        {1, 1, 1},      {9999, 12, 31}, {1970, 1, 1},  {2000, 2, 29},
        {1900, 2, 28},  {1900, 3, 1},   {2024, 2, 29}, {2023, 12, 31},
        {1582, 10, 15}, {2038, 1, 19}};

    if (mica_random_chance(random, 25)) {
        return edges[mica_random_below(random, MICA_COUNT(edges))];
    }
    if (mica_random_chance(random, 50)) { // near today
        return mica_date_from_days(18000 +
                                   (int64_t)mica_random_below(random, 5000));
    }
    return mica_date_from_days((int64_t)mica_random_below(random, 3652059) -
                               719162);
}

void
mica_random_date(struct mica_random *random, bool wild,
                 struct mica_buffer *text)
{
    static const char *const wrong[] = {
        "2026-02-30", "2026-13-01", "0000-01-01", "2026-1-1", "10000-01-01",
        "2026-02-29", "20260101",   "today",      ""};

    if (wild && mica_random_chance(random, 50)) {
        mica_buffer_text(
            text,
            mica_text(wrong[mica_random_below(random, MICA_COUNT(wrong))]));
        return;
    }
    mica_date_write(text, any_date(random));
}

void
mica_random_moment(struct mica_random *random, bool wild,
                   struct mica_buffer *text)
{
    static const char *const wrong[] = {"2026-11-20",
                                        "2026-11-20T24:00:00Z",
                                        "2026-11-20T09:30:60Z",
                                        "2026-11-20T09:30:00",
                                        "2026-11-20T09:30:00+25:00",
                                        "now",
                                        ""};
    static const int32_t offsets[] = {0,    60,    -300, 330, 345,
                                      1439, -1439, -1,   845, -720};
    static const int32_t fractions[] = {0,         0,         0,        1,
                                        500000000, 999999999, 120000000};
    struct mica_time time = {.date = any_date(random)};

    time.hour = (int32_t)mica_random_below(random, 24);
    time.minute = (int32_t)mica_random_below(random, 60);
    time.second = (int32_t)mica_random_below(random, 60);
    time.nanosecond =
        fractions[mica_random_below(random, MICA_COUNT(fractions))];
    time.offset_minutes =
        offsets[mica_random_below(random, MICA_COUNT(offsets))];
    if (wild && mica_random_chance(random, 50)) {
        mica_buffer_text(
            text,
            mica_text(wrong[mica_random_below(random, MICA_COUNT(wrong))]));
        return;
    }
    mica_time_write(text, time);
}
