// SPDX-License-Identifier: Apache-2.0
//
// In its own file, so that the linker can replace it by a simulation.
#include "store/store.h"

enum mica_status
mica_store_run(struct mica_store *store, const struct mica_store_part *parts,
               size_t count, struct mica_arena *arena, struct mica_error *error,
               unsigned *refusal_out, bool *unknown_out)
{
    *unknown_out = false; // a commit that fails in a file is rolled back
    return store->backend->run(store->self, parts, count, arena, error,
                               refusal_out);
}
