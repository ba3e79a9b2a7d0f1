// SPDX-License-Identifier: Apache-2.0
//
// Fixed decimals of the exact value of a double, by whole numbers of any size:
// 1.005 is a little less than it looks, and its two places are "1.00".
#include <string.h>

#include <mica/base.h>

#include "base/assert.h"
#include "base/bigint.h"
#include "base/digits.h"

enum {
    MOST_PLACES = 100,
    // The largest double has 309 digits; one with places has at most 16 before
    // the point.
    MOST_DIGITS = 320,
    GROUP = 9 // digits taken off at a time
};

// size × 10^places rounded to a whole number, for a finite size >= 0.
static void
bigint_scale(struct mica_bigint *big, double size, unsigned places)
{
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    bits &= ~((uint64_t)1 << 63); // of negative zero
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int biased = (int)(bits >> 52);
    MICA_ASSERT(biased < 0x7FF);
    if (biased > 0)
        fraction |= (uint64_t)1 << 52;
    int binary = (biased > 0 ? biased : 1) - 1075 + (int)places;
    mica_bigint_set(big, fraction);
    mica_bigint_scale5(big, places);
    if (binary >= 0)
        mica_bigint_shift_left(big, (unsigned)binary);
    else
        mica_bigint_shift_right(big, (unsigned)-binary);
}

// The digits of `big` into the end of `out`, at least `least` of them; returns
// where they start.
static size_t
put_digits(struct mica_bigint *big, char *out, size_t size, size_t least)
{
    size_t at = size;
    memset(out, '0', size);
    while (big->count > 0) {
        char group[MICA_DIGITS_SIZE];
        size_t count =
            mica_digits_write(mica_bigint_divide(big, 1000000000), group);
        memcpy(out + at - count, group, count);
        // Only the first group of the number is not padded.
        at -= big->count > 0 ? GROUP : count;
    }
    return at < size - least ? at : size - least;
}

void
mica_number_fixed(struct mica_buffer *buffer, double value, unsigned digits)
{
    MICA_ASSERT(digits <= MOST_PLACES);
    // A large double is whole, so its places are zeros and need no arithmetic.
    bool whole = value >= 9007199254740992.0 || value <= -9007199254740992.0;
    unsigned places = whole ? 0 : digits;
    struct mica_bigint big;
    char out[MOST_DIGITS];
    bigint_scale(&big, value < 0 ? -value : value, places);
    size_t start = put_digits(&big, out, sizeof out, places + 1);

    size_t len = sizeof out - start + 2 + digits;
    char text[MOST_DIGITS + 2 + MOST_PLACES];
    size_t at = 0;
    MICA_ASSERT(len <= sizeof text);
    if (value < 0)
        text[at++] = '-';
    size_t before = sizeof out - start - places;
    memcpy(text + at, out + start, before);
    at += before;
    if (digits > 0)
        text[at++] = '.';
    memcpy(text + at, out + start + before, places);
    at += places;
    memset(text + at, '0', digits - places);
    at += digits - places;
    mica_buffer_add(buffer, text, at);
}
