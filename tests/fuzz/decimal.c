// SPDX-License-Identifier: Apache-2.0
//
// Decimals: what is read is written in one form, which reads back as the same
// value; sums, products and quotients undo each other where nothing was rounded.
#include <string.h>

#include <mica/decimal.h>

#include "target.h"

static void
write_and_read(struct mica_decimal value)
{
    char text[MICA_DECIMAL_SIZE], again[MICA_DECIMAL_SIZE];
    struct mica_decimal read;
    size_t len = mica_decimal_write(value, text);

    FUZZ_MUST(len == strlen(text) && len < sizeof text);
    if (!mica_decimal_fits(value))
        return;
    FUZZ_MUST(mica_decimal_read((struct mica_text){text, len}, &read));
    FUZZ_MUST(mica_decimal_compare(read, value) == 0);
    FUZZ_MUST(mica_decimal_write(read, again) == len);
    FUZZ_MUST(memcmp(text, again, len) == 0);
}

static void
compare(struct mica_decimal a, struct mica_decimal b)
{
    int order = mica_decimal_compare(a, b);

    FUZZ_MUST(order == -mica_decimal_compare(b, a));
    FUZZ_MUST(a.fault != MICA_DECIMAL_FINE || b.fault != MICA_DECIMAL_FINE ||
              mica_decimal_sign(a) == mica_decimal_sign(b) ||
              order == (mica_decimal_sign(a) > mica_decimal_sign(b) ? 1 : -1));
}

// In arithmetic the range is wider than on the wire: a, b, their tenth powers and
// the inverse of these.
static void
compare_far(struct mica_decimal a, struct mica_decimal b)
{
    struct mica_decimal one = mica_decimal_of(1, 0);
    struct mica_decimal far_a = mica_decimal_power(a, 10);
    struct mica_decimal far_b = mica_decimal_power(b, 10);

    compare(far_a, far_b);
    compare(mica_decimal_divide(one, far_a), mica_decimal_divide(one, far_b));
    compare(far_a, mica_decimal_divide(one, far_b));
    compare(mica_decimal_multiply(far_a, a), mica_decimal_multiply(far_b, a));
    far_b.negative = !far_b.negative && mica_decimal_sign(far_b) != 0;
    compare(far_a, far_b);
    // What scales both scales neither's order; powers of ten scale exactly.
    for (int exponent = -900; exponent <= 900; exponent += 300) {
        struct mica_decimal scale = mica_decimal_of(1, exponent);
        struct mica_decimal scaled_a = mica_decimal_multiply(a, scale);
        struct mica_decimal scaled_b = mica_decimal_multiply(b, scale);
        FUZZ_MUST(scaled_a.fault != MICA_DECIMAL_FINE ||
                  scaled_b.fault != MICA_DECIMAL_FINE ||
                  mica_decimal_compare(scaled_a, scaled_b) ==
                      mica_decimal_compare(a, b));
    }
}

static void
calculate(struct mica_decimal a, struct mica_decimal b, int places)
{
    struct mica_decimal sum = mica_decimal_add(a, b);
    struct mica_decimal product = mica_decimal_multiply(a, b);

    write_and_read(sum);
    write_and_read(product);
    FUZZ_MUST(sum.inexact ||
              mica_decimal_compare(mica_decimal_subtract(sum, b), a) == 0);
    FUZZ_MUST(!product.inexact); // 34 digits by 34 are at most 68
    if (mica_decimal_sign(b) != 0)
        FUZZ_MUST(mica_decimal_compare(mica_decimal_divide(product, b), a) ==
                  0);
    compare(a, b);
    compare_far(a, b);
    for (int way = MICA_HALF_UP; way <= MICA_CEILING; way++) {
        struct mica_decimal rounded =
            mica_decimal_round(a, places, (enum mica_rounding)way);
        write_and_read(rounded);
        FUZZ_MUST(rounded.fault != MICA_DECIMAL_FINE ||
                  mica_decimal_sign(rounded) == 0 ||
                  rounded.exponent >= -places);
    }
}

// Two numbers with a blank between them, and the places to round to.
int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    struct mica_decimal a, b;
    const char *blank = size > 1 ? memchr(text, ' ', size - 1) : NULL;

    if (blank == NULL) {
        if (mica_decimal_read((struct mica_text){text, size}, &a))
            write_and_read(a);
        return 0;
    }
    size_t first = (size_t)(blank - text);
    if (mica_decimal_read((struct mica_text){text, first}, &a) &&
        mica_decimal_read((struct mica_text){blank + 1, size - first - 2}, &b))
        calculate(a, b, (int)(bytes[size - 1] % 64) - 16);
    return 0;
}
