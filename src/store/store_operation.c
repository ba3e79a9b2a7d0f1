// SPDX-License-Identifier: Apache-2.0
//
// Runs operations on a back end. When it is unknown whether a transaction was committed, it
// finds out, or runs the transaction again.
#include "store/store_operation.h"

#include "base/assert.h"
#include "store/serving_thread.h"
#include "store/store.h"

enum {
    TRIES = 3 // of a transaction with an unknown outcome
};

// Runs the `done` query of a part. Sets *done_out if the part, and with it the whole
// transaction, was committed.
static enum mica_status
find_part_outcome(struct mica_store *store, const struct mica_store_part *part,
                  struct mica_arena *arena, struct mica_error *error,
                  bool *done_out)
{
    struct mica_store_given given[MICA_STORE_STEPS] = {{.count = 0}};
    struct mica_store_operation look = {.name = part->operation->name,
                                        .takes = part->operation->takes,
                                        .steps = {part->operation->done}};
    const struct mica_store_part question = {&look, part->values, given};
    unsigned refusal = 0;
    bool unknown = false;
    struct mica_arena own;
    enum mica_status status;

    look.steps[0].refusal = 0;
    mica_arena_init(&own, 1 << 20);
    status = mica_store_run(store, &question, 1, arena != NULL ? arena : &own,
                            error, &refusal, &unknown);
    *done_out = status == MICA_OK && given[0].count > 0;
    if (*done_out && part->given != NULL)
        part->given[0] = given[0];
    mica_arena_fini(&own);
    return status;
}

// Finds out whether the transaction was committed. Parts without a `done` query are skipped:
// they may run twice.
static enum mica_status
find_outcome(struct mica_store *store, const struct mica_store_part *parts,
             size_t count, struct mica_arena *arena, struct mica_error *error,
             bool *done_out)
{
    bool done = true;

    *done_out = false;
    for (size_t i = 0; i < count && done; i++) {
        if (parts[i].operation->done.sql == NULL)
            continue;
        MICA_TRY(find_part_outcome(store, &parts[i], arena, error, &done));
        *done_out = done;
    }
    return MICA_OK;
}

static enum mica_status
parts_run(struct mica_store *store, const struct mica_store_part *parts,
          size_t count, struct mica_arena *arena, struct mica_error *error,
          unsigned *refusal_out)
{
    enum mica_status status = MICA_OK;
    bool unknown = true, done = false;

    for (unsigned i = 0; i < TRIES && unknown; i++) {
        *refusal_out = 0;
        if (i > 0) {
            atomic_store(&store->totals.doubtful, true);
            MICA_TRY(find_outcome(store, parts, count, arena, error, &done));
        }
        if (done)
            return MICA_OK;
        unknown = false;
        status = mica_store_run(store, parts, count, arena, error, refusal_out,
                                &unknown);
    }
    if (unknown)
        atomic_store(&store->totals.doubtful, true);
    if (status != MICA_OK || *refusal_out != 0)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].operation->count != NULL)
            parts[i].operation->count(store, &parts[i]);
    }
    return MICA_OK;
}

enum mica_status
mica_store_perform(struct mica_store *store,
                   const struct mica_store_part *parts, size_t count,
                   struct mica_arena *arena, struct mica_error *error,
                   unsigned *refusal_out)
{
    enum mica_status status;

    MICA_DCHECK(!mica_serving_thread_is());
    mica_store_totals_enter(store);
    status = parts_run(store, parts, count, arena, error, refusal_out);
    mica_store_totals_leave(store);
    return status;
}

enum mica_status
mica_store_do(struct mica_store *store,
              const struct mica_store_operation *operation,
              const union mica_store_value *values,
              struct mica_store_given *given, struct mica_arena *arena,
              struct mica_error *error, unsigned *refusal_out)
{
    const struct mica_store_part part = {operation, values, given};

    return mica_store_perform(store, &part, 1, arena, error, refusal_out);
}
