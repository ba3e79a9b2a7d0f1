// SPDX-License-Identifier: Apache-2.0
//
// Part of bench-slow, which is mica with a store that can be slow: each operation of the
// store first sleeps for $MICA_BENCH_STORE_MS milliseconds. The program is linked with
// --wrap=mica_store_run, by which every operation passes here.
#include <stdlib.h>
#include <time.h>

#include "store/store_operation.h"

enum mica_status __real_mica_store_run(struct mica_store *store,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *error,
                                       unsigned *refusal_out,
                                       bool *unknown_out);
enum mica_status __wrap_mica_store_run(struct mica_store *store,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *error,
                                       unsigned *refusal_out,
                                       bool *unknown_out);

enum mica_status
__wrap_mica_store_run(struct mica_store *store,
                      const struct mica_store_part *parts, size_t count,
                      struct mica_arena *arena, struct mica_error *error,
                      unsigned *refusal_out, bool *unknown_out)
{
    const char *set = getenv("MICA_BENCH_STORE_MS");
    long ms = set != NULL ? strtol(set, NULL, 10) : 0;
    struct timespec pause = {.tv_sec = ms / 1000,
                             .tv_nsec = ms % 1000 * 1000000};

    if (ms > 0)
        nanosleep(&pause, NULL);
    return __real_mica_store_run(store, parts, count, arena, error, refusal_out,
                                 unknown_out);
}
