// SPDX-License-Identifier: Apache-2.0
//
// A store whose operations wait while its latch is closed. For programs that are linked with
// --wrap=mica_store_run, by which every operation passes here.
#ifndef MICA_TESTS_STORE_LATCH_H
#define MICA_TESTS_STORE_LATCH_H

#include <pthread.h>

#include "store/serving_thread.h"
#include "store/store_operation.h"
#include "unit.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closed;
    unsigned waiting; // operations
    unsigned serving; // operations that a serving thread has run
} store_latch = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0,
                 0};

static inline void
store_latch_set(bool closed)
{
    pthread_mutex_lock(&store_latch.lock);
    store_latch.closed = closed;
    pthread_cond_broadcast(&store_latch.changed);
    pthread_mutex_unlock(&store_latch.lock);
}

static inline unsigned
store_latch_read(const unsigned *count)
{
    unsigned value;

    pthread_mutex_lock(&store_latch.lock);
    value = *count;
    pthread_mutex_unlock(&store_latch.lock);
    return value;
}

static inline unsigned
store_latch_waiting(void)
{
    return store_latch_read(&store_latch.waiting);
}

static inline unsigned
store_latch_serving(void)
{
    return store_latch_read(&store_latch.serving);
}

enum mica_status __real_mica_store_run(struct mica_store *opened,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *error,
                                       unsigned *refusal_out,
                                       bool *unknown_out);
enum mica_status __wrap_mica_store_run(struct mica_store *opened,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *error,
                                       unsigned *refusal_out,
                                       bool *unknown_out);

enum mica_status
__wrap_mica_store_run(struct mica_store *opened,
                      const struct mica_store_part *parts, size_t count,
                      struct mica_arena *arena, struct mica_error *error,
                      unsigned *refusal_out, bool *unknown_out)
{
    pthread_mutex_lock(&store_latch.lock);
    store_latch.waiting++;
    store_latch.serving += mica_serving_thread_is();
    while (store_latch.closed)
        pthread_cond_wait(&store_latch.changed, &store_latch.lock);
    store_latch.waiting--;
    pthread_mutex_unlock(&store_latch.lock);
    return __real_mica_store_run(opened, parts, count, arena, error,
                                 refusal_out, unknown_out);
}

#endif
