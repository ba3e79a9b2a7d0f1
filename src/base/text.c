// SPDX-License-Identifier: Apache-2.0
//
// Slices of bytes: compare, cut, measure. Code points are in utf8.c.
#include <string.h>

#include <mica/base.h>

#include "base/ascii.h"
#include "base/assert.h"

#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
// The header has them; programs that were built call them here.
extern inline struct mica_text mica_text(const char *textz);
extern inline bool mica_text_equal(struct mica_text a, struct mica_text b);
extern inline bool mica_text_is(struct mica_text a, const char *bz);
extern inline bool mica_text_starts(struct mica_text a, const char *prefixz);
#else
struct mica_text
mica_text(const char *textz)
{
    if (textz == NULL)
        return (struct mica_text){NULL, 0};
    return (struct mica_text){textz, strlen(textz)};
}

bool
mica_text_equal(struct mica_text a, struct mica_text b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool
mica_text_is(struct mica_text a, const char *bz)
{
    return mica_text_equal(a, mica_text(bz));
}

bool
mica_text_starts(struct mica_text a, const char *prefixz)
{
    size_t len = strlen(prefixz);
    return len == 0 || (a.len >= len && memcmp(a.ptr, prefixz, len) == 0);
}
#endif

int
mica_text_compare(struct mica_text a, struct mica_text b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);
    if (order != 0)
        return order;
    return (a.len > b.len) - (a.len < b.len);
}

struct mica_text
mica_text_slice(struct mica_text a, size_t from, size_t to)
{
    if (to > a.len)
        to = a.len;
    if (from > to)
        from = to;
    // Nothing may be added to NULL, not even 0.
    return (struct mica_text){from > 0 ? a.ptr + from : a.ptr, to - from};
}

// ---- Distance --------------------------------------------------------------

enum {
    LIMIT_MAX = 63
};

static size_t
least_of(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

// One row of the usual table, of which only the cells within `limit` of the
// diagonal can matter: row[d] stands for column i + d - limit. Moving down a
// row on that diagonal strip, "above" is d + 1 of the old row and "left" is
// d - 1 of the new one.
static void
next_row(size_t *row, char a, struct mica_text b, size_t i, size_t limit)
{
    size_t width = 2 * limit + 1;
    for (size_t d = 0; d < width; d++) {
        size_t above = d + 1 < width ? row[d + 1] + 1 : limit + 1;
        size_t left = d > 0 ? row[d - 1] + 1 : limit + 1;
        if (i + d < limit || i + d - limit > b.len)
            row[d] = limit + 1;
        else if (i + d == limit)
            row[d] = i;
        else
            row[d] = least_of(
                above, left,
                row[d] + (a != mica_ascii_lower(b.ptr[i + d - limit - 1])));
    }
}

size_t
mica_text_distance(struct mica_text a, struct mica_text b, size_t limit)
{
    size_t row[2 * LIMIT_MAX + 1];
    MICA_ASSERT(limit <= LIMIT_MAX);
    size_t gap = a.len > b.len ? a.len - b.len : b.len - a.len;
    if (gap > limit)
        return limit + 1;
    for (size_t d = 0; d < 2 * limit + 1; d++)
        row[d] = d >= limit && d - limit <= b.len ? d - limit : limit + 1;
    for (size_t i = 1; i <= a.len; i++)
        next_row(row, mica_ascii_lower(a.ptr[i - 1]), b, i, limit);
    size_t distance = row[limit + b.len - a.len];
    return distance <= limit ? distance : limit + 1;
}
