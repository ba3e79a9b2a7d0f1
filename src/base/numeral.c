// SPDX-License-Identifier: Apache-2.0
//
// The grammar of JSON numbers (RFC 8259 section 6), and what it says about the
// value.
#include "base/numeral.h"

struct spans {
    const char *whole, *whole_end;
    const char *fraction, *fraction_end;
    int64_t exponent;
};

static const char *
skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

// Reads the digits of an exponent; far out, more of them change nothing.
static const char *
read_exponent(const char *at, const char *end, int64_t *exponent_out)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    int64_t exponent = 0;
    const char *start = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (exponent < MICA_NUMERAL_FAR / 10)
            exponent = exponent * 10 + (*at - '0');
    *exponent_out = negative ? -exponent : exponent;
    return at == start ? NULL : at;
}

// Splits an unsigned number; false when the text is no number.
static bool
spans_split(const char *at, const char *end, struct spans *spans)
{
    spans->whole = at;
    at = spans->whole_end = skip_digits(at, end);
    spans->fraction = spans->fraction_end = at;
    spans->exponent = 0;
    size_t digits = (size_t)(at - spans->whole);
    if (digits == 0 || (digits > 1 && *spans->whole == '0'))
        return false;
    if (at < end && *at == '.') {
        spans->fraction = at + 1;
        at = spans->fraction_end = skip_digits(at + 1, end);
        if (at == spans->fraction)
            return false;
    }
    if (at < end && (*at == 'e' || *at == 'E'))
        at = read_exponent(at + 1, end, &spans->exponent);
    return at == end;
}

bool
mica_numeral_read(struct mica_text text, struct mica_numeral *numeral_out)
{
    struct spans spans;
    if (text.len == 0)
        return false;
    const char *at = text.ptr;
    bool negative = *at == '-';
    if (!spans_split(at + negative, text.ptr + text.len, &spans))
        return false;

    // First and last digit that count, wherever the point is.
    const char *first = spans.whole;
    const char *end = spans.fraction_end;
    while (first < end && (*first == '0' || *first == '.'))
        first++;
    while (end > first && (end[-1] == '0' || end[-1] == '.'))
        end--;
    bool split_by_point = first < spans.whole_end && end > spans.whole_end;
    *numeral_out = (struct mica_numeral){
        .negative = negative,
        .digits = first,
        .count = (size_t)(end - first) - split_by_point,
    };
    if (first < spans.whole_end)
        numeral_out->point = spans.exponent + (spans.whole_end - first);
    else
        numeral_out->point = spans.exponent - (first - spans.fraction);
    if (numeral_out->count == 0)
        numeral_out->point = 0;
    return true;
}

bool
mica_numeral_equal(const struct mica_numeral *a, const struct mica_numeral *b)
{
    if (a->count != b->count || a->point != b->point)
        return false;
    if (a->count > 0 && a->negative != b->negative)
        return false;
    const char *in_a = a->digits, *in_b = b->digits;
    for (size_t i = 0; i < a->count; i++)
        if (mica_numeral_digit(&in_a) != mica_numeral_digit(&in_b))
            return false;
    return true;
}
