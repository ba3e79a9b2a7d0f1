// SPDX-License-Identifier: Apache-2.0
//
// The 128-bit product of two 64-bit numbers. In a module there is no such
// instruction, and the compiler would call a helper of its runtime library.
#ifndef MICA_BASE_WIDE_H
#define MICA_BASE_WIDE_H

#include <stdint.h>

struct mica_wide {
    uint64_t high, low;
};

static inline struct mica_wide
mica_wide_multiply(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
    __extension__ typedef unsigned __int128 uint128;
    uint128 product = (uint128)a * b;
    return (struct mica_wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a0 = a & 0xFFFFFFFF, a1 = a >> 32;
    uint64_t b0 = b & 0xFFFFFFFF, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32);
    uint64_t other = a0 * b1 + (middle & 0xFFFFFFFF);
    return (struct mica_wide){a1 * b1 + (middle >> 32) + (other >> 32),
                              other << 32 | (low & 0xFFFFFFFF)};
#endif
}

#endif
