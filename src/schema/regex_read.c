// SPDX-License-Identifier: Apache-2.0
//
// Escapes, classes and repeat counts of a pattern, as ECMA-262 with the flag u
// has them: an escape that means nothing is refused rather than guessed.
#include "schema/regex_read.h"

#include <string.h>

#include "base/ascii.h"

#define LAST_CODE_POINT 0x10FFFFu

enum {
    RANGE_LIMIT = 2000,
    FIRST_RANGES = 16
};

void
mica_regex_refuse(struct mica_regex_reader *in, enum mica_status status,
                  const char *formatz, ...)
{
    if (in->failed)
        return;
    va_list arguments;
    va_start(arguments, formatz);
    in->failed = true;
    in->status =
        mica_error_vset(in->error, status, NULL, "", formatz, arguments);
    va_end(arguments);
    size_t at = in->pattern.len - in->rest.len;
    mica_error_prefix(in->error, "the pattern %.*s, up to byte %zu",
                      MICA_ARG(mica_text_slice(in->pattern, 0, 200)), at);
}

bool
mica_regex_take(struct mica_regex_reader *in, char byte)
{
    if (in->failed || in->rest.len == 0 || in->rest.ptr[0] != byte)
        return false;
    in->rest = mica_text_slice(in->rest, 1, in->rest.len);
    return true;
}

// ---- Ranges ----------------------------------------------------------------

void
mica_regex_add_range(struct mica_regex_reader *in, uint32_t first,
                     uint32_t last)
{
    struct mica_regex *regex = in->regex;
    if (in->failed)
        return;
    if (regex->range_count == RANGE_LIMIT) {
        mica_regex_refuse(in, MICA_E_LIMIT,
                          "its classes have more than %d ranges", RANGE_LIMIT);
        return;
    }
    if (regex->range_count == in->range_capacity) {
        size_t capacity =
            in->range_capacity == 0 ? FIRST_RANGES : 2 * in->range_capacity;
        struct mica_regex_range *ranges =
            mica_arena_alloc(in->arena, capacity * sizeof *ranges);
        if (ranges == NULL) {
            mica_regex_refuse(in, MICA_E_LIMIT, "there is no memory for it");
            return;
        }
        if (regex->range_count > 0)
            memcpy(ranges, regex->ranges, regex->range_count * sizeof *ranges);
        regex->ranges = ranges;
        in->range_capacity = capacity;
    }
    regex->ranges[regex->range_count++] =
        (struct mica_regex_range){first, last};
}

// Sorted, so that the gaps between them are the opposite set.
static const struct mica_regex_range digits[] = {{'0', '9'}};
static const struct mica_regex_range word[] = {
    {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const struct mica_regex_range space[] = {
    {0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
    {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};

// Adds \d \w \s, or the opposite for a capital letter.
static bool
add_named_set(struct mica_regex_reader *in, uint32_t letter)
{
    static const struct {
        char letter;
        const struct mica_regex_range *ranges;
        size_t count;
    } sets[] = {{'d', digits, MICA_COUNT(digits)},
                {'w', word, MICA_COUNT(word)},
                {'s', space, MICA_COUNT(space)}};
    for (size_t i = 0; i < MICA_COUNT(sets); i++) {
        if ((letter | 0x20) != (uint32_t)sets[i].letter)
            continue;
        uint32_t gap = 0;
        for (size_t k = 0; k < sets[i].count; k++) {
            struct mica_regex_range range = sets[i].ranges[k];
            if (letter == (uint32_t)sets[i].letter)
                mica_regex_add_range(in, range.first, range.last);
            else
                mica_regex_add_range(in, gap, range.first - 1);
            gap = range.last + 1;
        }
        if (letter != (uint32_t)sets[i].letter)
            mica_regex_add_range(in, gap, LAST_CODE_POINT);
        return true;
    }
    return false;
}

// ---- Escapes ---------------------------------------------------------------

// Exactly `count` hex digits, or a failure.
static uint32_t
read_hex(struct mica_regex_reader *in, size_t count)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = in->rest.len > 0 ? mica_ascii_hex(in->rest.ptr[0]) : -1;
        if (digit < 0) {
            mica_regex_refuse(in, MICA_E_USAGE,
                              "\\x takes 2 hex digits and \\u takes 4, or "
                              "\\u{…}");
            return 0;
        }
        value = value * 16 + (uint32_t)digit;
        in->rest = mica_text_slice(in->rest, 1, in->rest.len);
    }
    return value;
}

static uint32_t
read_braced_hex(struct mica_regex_reader *in)
{
    uint32_t value = 0;
    do {
        value = value * 16 + read_hex(in, 1);
    } while (!in->failed && value <= LAST_CODE_POINT &&
             !mica_regex_take(in, '}'));
    if (value > LAST_CODE_POINT)
        mica_regex_refuse(in, MICA_E_USAGE, "code points end at \\u{10FFFF}");
    return value;
}

// After \u. Two escaped surrogates in a row are one character.
static uint32_t
read_unicode(struct mica_regex_reader *in)
{
    if (mica_regex_take(in, '{'))
        return read_braced_hex(in);
    uint32_t value = read_hex(in, 4);
    if (value < 0xD800 || value > 0xDBFF || !mica_text_starts(in->rest, "\\u"))
        return value;
    struct mica_text rest = in->rest;
    in->rest = mica_text_slice(in->rest, 2, in->rest.len);
    uint32_t low =
        in->rest.len >= 4 && in->rest.ptr[0] != '{' ? read_hex(in, 4) : 0;
    if (low >= 0xDC00 && low <= 0xDFFF)
        return 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
    in->rest = rest;
    return value;
}

static void
refuse_escape(struct mica_regex_reader *in, uint32_t c)
{
    if (c == 'p' || c == 'P')
        mica_regex_refuse(in, MICA_E_USAGE,
                          in->property == NULL
                              ? "\\p{…} is not supported; list the ranges "
                                "in a class: [A-Za-zÀ-ÿ]"
                              : "of \\p{…} general categories like \\p{L} and "
                                "\\p{Nd} are supported, and Any, ASCII and "
                                "Assigned; list other ranges in a class");
    else if ((c >= '0' && c <= '9') || c == 'k')
        mica_regex_refuse(in, MICA_E_USAGE,
                          "back-references are not supported; they cannot be "
                          "matched in linear time");
    else if (c == UINT32_MAX)
        mica_regex_refuse(in, MICA_E_USAGE, "a \\ has nothing behind it");
    else
        mica_regex_refuse(in, MICA_E_USAGE,
                          "this escape means nothing; write the character "
                          "without \\");
}

// After \p or \P.
static bool
add_property(struct mica_regex_reader *in, bool opposite)
{
    struct mica_text rest = in->rest;
    const char *end = rest.len > 0 ? memchr(rest.ptr, '}', rest.len) : NULL;
    if (in->property == NULL || end == NULL || rest.ptr[0] != '{')
        return false;
    size_t size = (size_t)(end - rest.ptr);
    if (!in->property(in, mica_text_slice(rest, 1, size), opposite))
        return false;
    in->rest = mica_text_slice(rest, size + 1, rest.len);
    return true;
}

bool
mica_regex_read_escape(struct mica_regex_reader *in, bool in_class,
                       uint32_t *code_point_out)
{
    static const char names[] = "tnvfr0";
    static const char values[] = "\t\n\v\f\r";
    uint32_t c = mica_text_next(&in->rest);
    *code_point_out = c;
    const char *name = c != 0 && c < 0x80 ? strchr(names, (int)c) : NULL;
    bool digit_next =
        in->rest.len > 0 && in->rest.ptr[0] >= '0' && in->rest.ptr[0] <= '9';
    if (name != NULL && !(c == '0' && digit_next)) {
        *code_point_out = (unsigned char)values[name - names];
    } else if (c == 'x') {
        *code_point_out = read_hex(in, 2);
    } else if (c == 'u') {
        *code_point_out = read_unicode(in);
    } else if (c == 'c' && in->rest.len > 0 &&
               (in->rest.ptr[0] | 0x20) >= 'a' &&
               (in->rest.ptr[0] | 0x20) <= 'z') {
        *code_point_out = mica_text_next(&in->rest) & 0x1F;
    } else if (c == 'b' && in_class) {
        *code_point_out = '\b';
    } else if ((c < 0x80 && add_named_set(in, c)) ||
               ((c == 'p' || c == 'P') && add_property(in, c == 'P'))) {
        return false;
    } else if (c == 0 || c >= 0x80 ||
               (strchr("^$\\.*+?()[]{}|/", (int)c) == NULL &&
                !(c == '-' && in_class))) {
        refuse_escape(in, c);
    }
    return !in->failed;
}

// ---- Classes ---------------------------------------------------------------

// One end of a range, or a set like \d (false).
static bool
read_class_atom(struct mica_regex_reader *in, uint32_t *code_point_out)
{
    if (mica_regex_take(in, '\\'))
        return mica_regex_read_escape(in, true, code_point_out);
    *code_point_out = mica_text_next(&in->rest);
    return true;
}

// A "-" that stands between two ends, taken.
static bool
take_range_dash(struct mica_regex_reader *in)
{
    return in->rest.len >= 2 && in->rest.ptr[1] != ']' &&
           mica_regex_take(in, '-');
}

void
mica_regex_read_class(struct mica_regex_reader *in)
{
    while (!in->failed && !mica_regex_take(in, ']')) {
        uint32_t first, last;
        if (in->rest.len == 0) {
            mica_regex_refuse(in, MICA_E_USAGE, "a [ has no ]");
            return;
        }
        bool single = read_class_atom(in, &first);
        if (!take_range_dash(in)) {
            if (single)
                mica_regex_add_range(in, first, first);
            continue;
        }
        if (!single || !read_class_atom(in, &last)) {
            mica_regex_refuse(in, MICA_E_USAGE,
                              "a range in a class ends in two characters, not "
                              "in a set; for the character - itself write \\-");
            return;
        }
        if (first > last) {
            mica_regex_refuse(in, MICA_E_USAGE,
                              "a range in a class runs backwards");
            return;
        }
        mica_regex_add_range(in, first, last);
    }
}

// ---- Repeats ---------------------------------------------------------------

static bool
read_count(struct mica_regex_reader *in, size_t *count_out)
{
    size_t start = in->rest.len;
    size_t count = 0;
    while (in->rest.len > 0 && in->rest.ptr[0] >= '0' &&
           in->rest.ptr[0] <= '9') {
        // Far past every limit is far enough.
        if (count < 1000000)
            count = count * 10 + (size_t)(in->rest.ptr[0] - '0');
        in->rest = mica_text_slice(in->rest, 1, in->rest.len);
    }
    *count_out = count;
    return in->rest.len < start;
}

// After "{".
static void
read_counts(struct mica_regex_reader *in, size_t *least_out, size_t *most_out)
{
    bool good = read_count(in, least_out);
    *most_out = *least_out;
    if (good && mica_regex_take(in, ',') && !read_count(in, most_out))
        *most_out = MICA_REGEX_UNLIMITED;
    if (!good || !mica_regex_take(in, '}'))
        mica_regex_refuse(in, MICA_E_USAGE,
                          "a repeat is {m}, {m,} or {m,n}; for the character "
                          "{ itself write \\{");
    else if (*least_out > *most_out)
        mica_regex_refuse(in, MICA_E_USAGE,
                          "the repeat has its larger number first");
}

bool
mica_regex_read_repeat(struct mica_regex_reader *in, size_t *least_out,
                       size_t *most_out)
{
    *least_out = 0;
    *most_out = MICA_REGEX_UNLIMITED;
    if (mica_regex_take(in, '{'))
        read_counts(in, least_out, most_out);
    else if (mica_regex_take(in, '+'))
        *least_out = 1;
    else if (mica_regex_take(in, '?'))
        *most_out = 1;
    else if (!mica_regex_take(in, '*'))
        return false;
    (void)mica_regex_take(in, '?');
    return true;
}
