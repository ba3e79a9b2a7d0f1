// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers in decimal: count the digits first, then fill from the right.
#include "base/digits.h"

#include <string.h>

static const char pairs[200] =
    "0001020304050607080910111213141516171819202122232425262728293031323334"
    "3536373839404142434445464748495051525354555657585960616263646566676869"
    "707172737475767778798081828384858687888990919293949596979899";

static size_t
count_digits(uint64_t value)
{
    size_t count = 1;
    for (; value >= 10000; value /= 10000)
        count += 4;
    return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

size_t
mica_digits_write(uint64_t value, char *out)
{
    size_t count = count_digits(value);
    size_t at = count;
    for (; value >= 100; value /= 100)
        memcpy(out + (at -= 2), pairs + 2 * (value % 100), 2);
    if (value >= 10)
        memcpy(out, pairs + 2 * value, 2);
    else
        out[0] = (char)('0' + value);
    return count;
}

bool
mica_digits_read(struct mica_text text, int64_t *value_out)
{
    int64_t value = 0;

    if (text.len == 0 || (text.len > 1 && text.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        int digit = text.ptr[i] - '0';
        if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *value_out = value;
    return true;
}
