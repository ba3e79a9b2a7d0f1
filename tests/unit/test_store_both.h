// SPDX-License-Identifier: Apache-2.0
//
// What the programs share that are built once for each back end: the store that
// a test opens. MICA_TEST_STORE names the back end.
#ifndef MICA_TESTS_STORE_BOTH_H
#define MICA_TESTS_STORE_BOTH_H

#include "test_store.h"

static struct mica_store *store;
static struct mica_arena arena;

static inline void
open_with(const struct mica_store_options *options)
{
    mica_arena_init(&arena, 64 << 20);
    MUST(mica_store_open(store_spec(MICA_TEST_STORE, "mica.db"), options,
                         &error, &store));
}

static inline void
end_test(void)
{
    store_must_be_sound(store);
    mica_store_close(&store);
    ck_assert_ptr_null(store);
    mica_store_close(&store); // again: nothing
    mica_arena_fini(&arena);
    store_remove_folder();
}

// ---- Short forms -----------------------------------------------------------------

static inline int64_t
open_stream(const struct mica_store_session_key *key)
{
    int64_t stream;

    MUST(mica_store_stream_open(store, key, STREAM_FOR, 1, STREAM_MS, &error,
                                &stream));
    return stream;
}

static inline int64_t
append(const struct mica_store_session_key *key, int64_t stream, int64_t now,
       const char *text)
{
    int64_t sequence;

    MUST(mica_store_event_append(store, key, stream, now, mica_text(text),
                                 &error, &sequence));
    return sequence;
}

static inline struct mica_store_events
replay(const struct mica_store_session_key *key, int64_t stream, int64_t after,
       size_t limit)
{
    struct mica_store_events events;

    MUST(mica_store_event_replay(store, key, stream, after, limit, 1, &arena,
                                 &error, &events));
    return events;
}

#endif
