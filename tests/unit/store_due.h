// SPDX-License-Identifier: Apache-2.0
//
// What is due in a store of which a test runs all calls, whatever their builds.
#ifndef MICA_TESTS_STORE_DUE_H
#define MICA_TESTS_STORE_DUE_H

#include "store/store_calls.h"

// What calls of all builds are due.
static inline enum mica_status
store_due(struct mica_store *store, int64_t now, size_t limit, int64_t again_ms,
          struct mica_arena *arena, struct mica_error *why,
          struct mica_store_due *due_out)
{
    struct mica_store_build_set all = {.count = 0};
    struct mica_store_builds builds;
    int64_t *numbers;
    enum mica_status status =
        mica_store_call_builds(store, arena, why, &builds);

    if (status != MICA_OK)
        return status;
    numbers = mica_arena_zero(arena, builds.count, sizeof *numbers);
    if (numbers == NULL)
        return MICA_E_LIMIT;
    for (; all.count < builds.count; all.count++)
        numbers[all.count] = builds.items[all.count].number;
    all.numbers = numbers;
    return mica_store_call_due_of(store, &all, now, limit, again_ms, arena, why,
                                  due_out);
}

#endif
