// SPDX-License-Identifier: Apache-2.0
//
// Values of one kind, with a liking for edges: bounds and their neighbours,
// powers of two and ten, halves, long texts, leap days.
#include <math.h>
#include <string.h>

#include "check/random.h"
#include "schema/regex.h"

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
bound(const struct mica_json *schema, const char *namez, double none)
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
    double above = bound(schema, "exclusiveMinimum", -HUGE_VAL);
    double below = bound(schema, "exclusiveMaximum", HUGE_VAL);

    *least = bound(schema, "minimum", -HUGE_VAL);
    *most = bound(schema, "maximum", HUGE_VAL);
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

// ---- Texts -----------------------------------------------------------------------

static void
put(struct mica_buffer *text, uint32_t code_point)
{
    char bytes[4];

    mica_buffer_add(text, bytes, mica_utf8_encode(code_point, bytes));
}

static uint32_t
odd_character(struct mica_random *random)
{
    static const uint32_t odd[] = {
        0,       1,       9,       10,      13,      0x1F,   '"',    '\'',
        '\\',    '/',     '%',     '$',     '{',     '<',    0x7F,   0x80,
        0xA0,    0xAD,    0xDF,    0x130,   0x301,   0x3B1,  0x5D0,  0x627,
        0x200B,  0x200D,  0x202E,  0x2028,  0x20AC,  0x2212, 0xD7,   0xF7,
        0x4E2D,  0xAC00,  0xD7FF,  0xE000,  0xFE0F,  0xFFFD, 0xFFFF, 0x10000,
        0x1F469, 0x1F600, 0x1F1E9, 0xE0041, 0x10FFFF};

    return odd[mica_random_below(random, MICA_COUNT(odd))];
}

static uint32_t
character(struct mica_random *random)
{
    static const char common[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "          .,;:-+*/()[]{}#%&=!?_^<>|~@";

    if (mica_random_chance(random, 6)) {
        return odd_character(random);
    }
    return (unsigned char)common[mica_random_below(random, sizeof common - 1)];
}

static void
put_random(struct mica_random *random, struct mica_buffer *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(text, character(random));
    }
}

static uint32_t
in_class(struct mica_random *random, const struct mica_regex *regex,
         const struct mica_regex_step *step)
{
    const struct mica_regex_range *range;

    if (step->b <= 0) {
        return 'x';
    }
    range = &regex->ranges[(size_t)step->a +
                           mica_random_below(random, (size_t)step->b)];
    return range->first +
           (uint32_t)mica_random_below(random, range->last - range->first + 1);
}

// Walks the compiled pattern and writes what it meets; edges and the outside of
// a class are left to chance.
static void
put_matching(struct mica_random *random, const struct mica_regex *regex,
             struct mica_buffer *text, size_t most)
{
    size_t at = 0, written = 0;

    for (size_t turns = 0; turns < 10000 && written < most; turns++) {
        const struct mica_regex_step *step = &regex->steps[at];

        switch (step->op) {
        case MICA_REGEX_MATCH:
            return;
        case MICA_REGEX_SPLIT:
            at = (size_t)((int64_t)at +
                          (mica_random_chance(random, 50) ? step->a : step->b));
            continue;
        case MICA_REGEX_JUMP:
            at = (size_t)((int64_t)at + step->a);
            continue;
        case MICA_REGEX_CHAR:
            put(text, (uint32_t)step->a);
            written++;
            break;
        case MICA_REGEX_CLASS:
            put(text, in_class(random, regex, step));
            written++;
            break;
        case MICA_REGEX_ANY:
        case MICA_REGEX_OUTSIDE:
            put(text, character(random));
            written++;
            break;
        case MICA_REGEX_BEGIN:
        case MICA_REGEX_END:
        case MICA_REGEX_EDGE:
        case MICA_REGEX_NO_EDGE:
            break;
        }
        at++;
    }
}

static size_t
size_of(const struct mica_json *schema, const char *namez, size_t none)
{
    double size = bound(schema, namez, (double)none);

    return size < 1e6 ? (size_t)size : 1000000;
}

static bool
put_formatted(struct mica_random *random, struct mica_text format,
              struct mica_buffer *text)
{
    static const char *const emails[] = {
        "a@b.co", "first.last+tag@example.org", "x@y", "a@b@c.de", "@", ""};
    static const char *const uris[] = {"https://example.org/a?b=c#d",
                                       "urn:isbn:0451450523",
                                       "http://[::1]:8",
                                       "//no-scheme",
                                       "mailto:a@b.co",
                                       "a b"};

    if (mica_text_is(format, "email")) {
        mica_buffer_text(text, mica_text(emails[mica_random_below(random, 6)]));
    } else if (mica_text_is(format, "uri")) {
        mica_buffer_text(text, mica_text(uris[mica_random_below(random, 6)]));
    } else if (mica_text_is(format, "uuid")) {
        uint64_t high = mica_random_next(random);
        uint64_t low = mica_random_next(random);

        mica_buffer_format(
            text, "%08x-%04x-4%03x-a%03x-%012llx", (unsigned)(high >> 32),
            (unsigned)(high >> 16 & 0xFFFF), (unsigned)(high & 0xFFF),
            (unsigned)(low >> 52), (unsigned long long)(low & 0xFFFFFFFFFFFF));
    } else {
        return false;
    }
    return true;
}

void
mica_random_text(struct mica_random *random, struct mica_arena *arena,
                 const struct mica_json *schema, bool wild,
                 struct mica_buffer *text)
{
    struct mica_text pattern = mica_json_get_text(schema, "pattern");
    size_t least = size_of(schema, "minLength", 0), length;
    size_t most = size_of(schema, "maxLength", 6000);
    struct mica_regex regex;

    if (!(wild && mica_random_chance(random, 40))) {
        if (pattern.len > 0 &&
            mica_regex_compile(arena, pattern, NULL, &regex) == MICA_OK) {
            put_matching(random, &regex, text, most < 200 ? most : 200);
            return;
        }
        if (put_formatted(random, mica_json_get_text(schema, "format"), text)) {
            return;
        }
    }
    length = least + mica_random_below(random, 24);
    if (mica_random_chance(random, 2)) {
        length = most;
    } else if (mica_random_chance(random, 5)) {
        length = least + mica_random_below(random, 400);
    }
    if (wild && mica_random_chance(random, 30)) {
        length =
            mica_random_chance(random, 50) && least > 0 ? least - 1 : most + 1;
    } else if (!wild && length > most) {
        length = most;
    }
    put_random(random, text, length);
}

void
mica_random_mutate(struct mica_random *random, struct mica_text text,
                   struct mica_buffer *mutated)
{
    size_t from = mica_random_below(random, text.len + 1);
    size_t to = from + mica_random_below(random, 6);

    // Only between characters.
    while (from > 0 && from < text.len && (text.ptr[from] & 0xC0) == 0x80) {
        from--;
    }
    to = to < text.len ? to : text.len;
    while (to < text.len && (text.ptr[to] & 0xC0) == 0x80) {
        to++;
    }
    mica_buffer_text(mutated, mica_text_slice(text, 0, from));
    switch (mica_random_below(random, 4)) {
    case 0: // without a part
        break;
    case 1: // a part twice
        mica_buffer_text(mutated, mica_text_slice(text, from, to));
        mica_buffer_text(mutated, mica_text_slice(text, from, to));
        break;
    case 2: // something else in its place
        put_random(random, mutated, 1 + mica_random_below(random, 3));
        break;
    default: // something between
        put_random(random, mutated, 1);
        mica_buffer_text(mutated, mica_text_slice(text, from, to));
        break;
    }
    mica_buffer_text(mutated, mica_text_slice(text, to, text.len));
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
