// SPDX-License-Identifier: Apache-2.0
//
// A stable merge sort that does the same steps on every machine; the C library's qsort is
// not stable, and differs between machines. It sorts short runs by insertion, then merges
// pairs, without recursion.
#include <string.h>

#include "call/call.h"

enum {
    RUN = 8
};

struct sort {
    char *items, *spare; // spare: memory for half of the items
    size_t count, size;
    int (*compare)(const void *a, const void *b);
};

static void
sort_run(const struct sort *sort, size_t from, size_t to)
{
    size_t size = sort->size;
    for (size_t i = from + 1; i < to; i++) {
        char *at = sort->items + i * size;
        size_t k = i;
        while (k > from && sort->compare(sort->items + (k - 1) * size, at) > 0)
            k--;
        if (k == i)
            continue;
        char *to_place = sort->items + k * size;
        memcpy(sort->spare, at, size);
        memmove(to_place + size, to_place, (i - k) * size);
        memcpy(to_place, sort->spare, size);
    }
}

// Merges [from, middle) and [middle, to). The left half is copied to spare memory; on a tie
// its item goes first.
static void
sort_merge(const struct sort *sort, size_t from, size_t middle, size_t to)
{
    size_t size = sort->size;
    char *out = sort->items + from * size;
    char *right = sort->items + middle * size;
    const char *end = sort->items + to * size;
    const char *left = sort->spare;
    const char *left_end = left + (middle - from) * size;
    if (sort->compare(right - size, right) <= 0)
        return;
    memcpy(sort->spare, out, (middle - from) * size);
    while (left < left_end && right < end) {
        bool take_left = sort->compare(left, right) <= 0;
        memcpy(out, take_left ? left : right, size);
        out += size;
        if (take_left)
            left += size;
        else
            right += size;
    }
    memcpy(out, left, (size_t)(left_end - left));
}

void
mica_sort(struct mica_call *call, void *items, size_t count, size_t size,
          int (*compare)(const void *a, const void *b))
{
    if (count < 2 || size == 0)
        return;
    // The left side of a merge is the largest power of two times RUN below `count`, so
    // spare memory may have to hold all items but one.
    struct sort sort = {items, mica_arena_alloc(call->arena, count * size),
                        count, size, compare};
    if (sort.spare == NULL)
        mica_call_exceed(call);
    for (size_t from = 0; from < count; from += RUN)
        sort_run(&sort, from, count - from < RUN ? count : from + RUN);
    for (size_t width = RUN; width < count; width *= 2)
        for (size_t from = 0; count - from > width; from += 2 * width) {
            size_t to = count - from < 2 * width ? count : from + 2 * width;
            sort_merge(&sort, from, from + width, to);
            if (to == count)
                break;
        }
}
