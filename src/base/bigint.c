// SPDX-License-Identifier: Apache-2.0
//
// School arithmetic on 32-bit limbs: products fit 64 bits everywhere, and the
// slow path that needs this is rare.
#include "base/bigint.h"

#include <string.h>

#include "base/assert.h"

static void
bigint_push(struct mica_bigint *big, uint32_t limb)
{
    MICA_ASSERT(big->count < MICA_BIGINT_LIMBS);
    big->limbs[big->count++] = limb;
}

static void
bigint_trim(struct mica_bigint *big)
{
    while (big->count > 0 && big->limbs[big->count - 1] == 0)
        big->count--;
}

void
mica_bigint_set(struct mica_bigint *big, uint64_t value)
{
    big->count = 0;
    for (; value > 0; value >>= 32)
        bigint_push(big, (uint32_t)value);
}

void
mica_bigint_multiply(struct mica_bigint *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0)
        bigint_push(big, (uint32_t)carry);
}

void
mica_bigint_scale5(struct mica_bigint *big, unsigned exponent)
{
    static const uint32_t powers[] = {
        1,     5,      25,      125,     625,      3125,      15625,
        78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125};
    enum {
        LAST = sizeof powers / sizeof powers[0] - 1
    };
    for (; exponent > LAST; exponent -= LAST)
        mica_bigint_multiply(big, powers[LAST], 0);
    mica_bigint_multiply(big, powers[exponent], 0);
}

void
mica_bigint_shift_left(struct mica_bigint *big, unsigned bits)
{
    if (big->count == 0)
        return;
    mica_bigint_multiply(big, (uint32_t)1 << bits % 32, 0);
    size_t limbs = bits / 32;
    MICA_ASSERT(limbs <= MICA_BIGINT_LIMBS - big->count);
    memmove(big->limbs + limbs, big->limbs, big->count * sizeof big->limbs[0]);
    memset(big->limbs, 0, limbs * sizeof big->limbs[0]);
    big->count += limbs;
}

void
mica_bigint_shift_right(struct mica_bigint *big, unsigned bits)
{
    if (bits == 0)
        return;
    size_t limbs = bits / 32;
    unsigned rest = bits % 32;
    // The highest bit that leaves decides the rounding.
    size_t at = (bits - 1) / 32;
    uint32_t half = at < big->count ? big->limbs[at] >> (bits - 1) % 32 & 1 : 0;
    size_t count = big->count > limbs ? big->count - limbs : 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t pair = big->limbs[i + limbs];
        if (i + limbs + 1 < big->count)
            pair |= (uint64_t)big->limbs[i + limbs + 1] << 32;
        big->limbs[i] = (uint32_t)(pair >> rest);
    }
    big->count = count;
    bigint_trim(big);
    mica_bigint_multiply(big, 1, half);
}

uint32_t
mica_bigint_divide(struct mica_bigint *big, uint32_t divisor)
{
    uint64_t rest = 0;
    for (size_t i = big->count; i-- > 0;) {
        rest = rest << 32 | big->limbs[i];
        big->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    bigint_trim(big);
    return (uint32_t)rest;
}

int
mica_bigint_compare(const struct mica_bigint *a, const struct mica_bigint *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}
