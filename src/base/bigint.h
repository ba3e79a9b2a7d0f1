// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers of up to 3072 bits on the stack, for the few conversions that
// 128 bits cannot decide: a decimal within a hair of the middle between two
// doubles, and fixed decimals of the exact value.
#ifndef MICA_BASE_BIGINT_H
#define MICA_BASE_BIGINT_H

#include <stddef.h>
#include <stdint.h>

enum {
    MICA_BIGINT_LIMBS = 96
};

struct mica_bigint {
    size_t count; // limbs in use, the last one not 0; zero has none
    uint32_t limbs[MICA_BIGINT_LIMBS]; // least first
};

void mica_bigint_set(struct mica_bigint *big, uint64_t value);

// big × factor + addend.
void mica_bigint_multiply(struct mica_bigint *big, uint32_t factor,
                          uint32_t addend);

// big × 5^exponent.
void mica_bigint_scale5(struct mica_bigint *big, unsigned exponent);
void mica_bigint_shift_left(struct mica_bigint *big, unsigned bits);

// big / 2^bits, rounded to nearest, half up.
void mica_bigint_shift_right(struct mica_bigint *big, unsigned bits);

// big / divisor; returns the remainder.
uint32_t mica_bigint_divide(struct mica_bigint *big, uint32_t divisor);

// <0, 0, >0.
int mica_bigint_compare(const struct mica_bigint *a,
                        const struct mica_bigint *b);

#endif
