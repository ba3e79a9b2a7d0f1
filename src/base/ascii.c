// SPDX-License-Identifier: Apache-2.0
//
// Words without regard to case. Every header of every request is compared with the
// names that mica knows, so that is done eight bytes at a time.
#include "base/ascii.h"

#include <string.h>

// Eight bytes, their capital letters made small: a byte below 0x80 plus 0x80 - 'A' has
// bit 7 from 'A' on, and plus 0x7F - 'Z' from behind 'Z' on. No sum reaches the next byte.
static uint64_t
lower_eight(const char *bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    uint64_t low = word & ones * 0x7F;
    uint64_t from_a = low + ones * (0x80 - 'A');
    uint64_t behind_z = low + ones * (0x7F - 'Z');
    uint64_t capitals = (from_a ^ behind_z) & ~word & ones * 0x80;
    return word | capitals >> 2;
}

static bool
is_same_eight(const char *bytes, const char *lowercase)
{
    uint64_t wanted;
    memcpy(&wanted, lowercase, sizeof wanted);
    return lower_eight(bytes) == wanted;
}

bool
mica_ascii_same(const char *bytes, const char *lowercase, size_t size)
{
    size_t i = 0;
    for (; size - i >= 8; i += 8)
        if (!is_same_eight(bytes + i, lowercase + i))
            return false;
    if (i > 0) // the last eight, of which some were compared before
        return is_same_eight(bytes + size - 8, lowercase + size - 8);
    for (; i < size; i++)
        if (mica_ascii_lower(bytes[i]) != lowercase[i])
            return false;
    return true;
}
