// SPDX-License-Identifier: Apache-2.0
//
// Every 27th power of ten to 192 bits; the powers between are one of them times
// a small power of five. 192 bits are enough for the first 128 of each product
// to be exact, which a unit test verifies for every exponent. The full table
// would add 10 KB to each module.
#include "base/power10.h"

#include "base/assert.h"

enum {
    STEP = 27
};

static const uint64_t large[][3] = {
    {0x8049a4ac0c5811ae, 0x205b896d777d6278, 0xac261e9f5141430b}, // 10^-351
    {0xcf42894a5dce35ea, 0x52064cac828675b9, 0x475f2b7d7df1ad7a}, // 10^-324
    {0xa76c582338ed2621, 0xaf2af2b80af6f24e, 0x657c8f4d43323a36}, // 10^-297
    {0x873e4f75e2224e68, 0x5a7744a6e804a291, 0xcc35eddfcf0996d7}, // 10^-270
    {0xda7f5bf590966848, 0xaf39a475506a899e, 0xa30294cc2934e662}, // 10^-243
    {0xb080392cc4349dec, 0xbd8d794d96aacfb3, 0xfe13a5c86af64418}, // 10^-216
    {0x8e938662882af53e, 0x547eb47b7282ee9c, 0x41b0230e1421487d}, // 10^-189
    {0xe65829b3046b0afa, 0x0cb4a5a3112a5112, 0xa3b561b1cb208396}, // 10^-162
    {0xba121a4650e4ddeb, 0x92f34d62616ce413, 0x21a0183e10583cd3}, // 10^-135
    {0x964e858c91ba2655, 0x3a6a07f8d510f86f, 0xe9082f25e9c5e9ec}, // 10^-108
    {0xf2d56790ab41c2a2, 0xfae27299423fb9c3, 0x3695dad7e8858901}, // 10^-81
    {0xc428d05aa4751e4c, 0xaa97e14c3c26b886, 0x96842dc95323f5a8}, // 10^-54
    {0x9e74d1b791e07e48, 0x775ea264cf55347d, 0xca49f1c05120c9c7}, // 10^-27
    {0x8000000000000000, 0x0000000000000000, 0x0000000000000000}, // 10^0
    {0xcecb8f27f4200f3a, 0x0000000000000000, 0x0000000000000000}, // 10^27
    {0xa70c3c40a64e6c51, 0x999090b65f67d924, 0x0000000000000000}, // 10^54
    {0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3, 0xdf9f915627c04e28}, // 10^81
    {0xda01ee641a708de9, 0xe80e6f4820cc9495, 0xd74baad03bc1d8d3}, // 10^108
    {0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f, 0xc04c79ffe324301f}, // 10^135
    {0x8e41ade9fbebc27d, 0x14588f13be847307, 0x23bd6a2059c002f5}, // 10^162
    {0xe5d3ef282a242e81, 0x8f1668c8a86da5fa, 0xf0b5ccf5176ecc7c}, // 10^189
    {0xb9a74a0637ce2ee1, 0x6d953e2bd7173692, 0x88efb0037ac08bde}, // 10^216
    {0x95f83d0a1fb69cd9, 0x4abdaf101564f98e, 0x0d5a4af7b3a98e47}, // 10^243
    {0xf24a01a73cf2dccf, 0xbc633b39673c8cec, 0x3d9c44cd2f36917c}, // 10^270
    {0xc3b8358109e84f07, 0x0a862f80ec4700c8, 0x02606ea01029dc37}, // 10^297
    {0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1, 0x4944d9f52cd0dec2}, // 10^324
};

static const uint64_t small[STEP] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
};

struct mica_wide
mica_power10(int exponent)
{
    MICA_ASSERT(exponent >= MICA_POWER10_MIN && exponent <= MICA_POWER10_MAX);
    unsigned index = (unsigned)(exponent - MICA_POWER10_MIN);
    const uint64_t *base = large[index / STEP];
    uint64_t factor = small[index % STEP];
    if (factor == 1)
        return (struct mica_wide){base[0], base[1]};
    // (base[0], base[1], base[2]) × factor, of which the lowest word only
    // gives its carry.
    struct mica_wide top = mica_wide_multiply(base[0], factor);
    struct mica_wide middle = mica_wide_multiply(base[1], factor);
    struct mica_wide bottom = mica_wide_multiply(base[2], factor);
    uint64_t third = middle.low + bottom.high;
    uint64_t second = top.low + middle.high;
    uint64_t first = top.high + (second < top.low);
    second += third < middle.low;
    first += second == 0 && third < middle.low;
    int shift = __builtin_clzll(first);
    return (struct mica_wide){first << shift | second >> (64 - shift),
                              second << shift | third >> (64 - shift)};
}
