// SPDX-License-Identifier: Apache-2.0
//
// How many of each kind the whole store has. A process adds its changes up here and
// writes them to the store once a second, together with reading what others have
// written: so no operation waits for a row that all operations write. Limits over all
// are compared with these numbers, and may be exceeded by what other processes keep in
// a second.
//
// What a process has not written when it dies is missing until the totals are counted
// anew (mica_store_reap). So are they when it was not known whether a transaction was
// committed.
#ifndef MICA_STORE_TOTALS_H
#define MICA_STORE_TOTALS_H

#include <pthread.h>
#include <stdatomic.h>

#include <mica/store.h>

enum {
    MICA_STORE_TOTALS_MS = 1000 // how old they may be
};

enum mica_store_counter {
    MICA_COUNT_KEYS,
    MICA_COUNT_SESSIONS,
    MICA_COUNT_STREAMS,
    MICA_COUNT_EVENTS,
    MICA_COUNT_EVENT_BYTES,
    MICA_COUNT_CHANGES,
    MICA_COUNT_SUBSCRIPTIONS,
    MICA_COUNT_EVENTS_DROPPED,
    MICA_COUNT_CHANGES_DROPPED,
    MICA_COUNT_SESSIONS_EXPIRED,
    MICA_COUNT_CALLS,
    MICA_COUNT_OPEN_CALLS,
    MICA_COUNT_CALL_BYTES,
    MICA_COUNT_ROUNDS,
    MICA_COUNT_CALLS_EXPIRED,
    MICA_COUNT_CALLS_STRANDED,
    MICA_COUNT_SESSIONS_DISPLACED,
    MICA_COUNT_TAKEN_OVER,
    MICA_STORE_COUNTERS
};

extern const char *const mica_store_counter_names[MICA_STORE_COUNTERS];

struct mica_store_totals {
    pthread_mutex_t lock;
    int64_t written[MICA_STORE_COUNTERS]; // in the store, when it was last read
    int64_t added[MICA_STORE_COUNTERS];   // here, and not yet written
    int64_t writing[MICA_STORE_COUNTERS]; // being written
    int64_t read_at;
    bool known, busy;
    atomic_bool doubtful; // it is not known what a transaction has changed
};

// Adds to a counter. `by` may be 0.
void mica_store_count(struct mica_store *store, enum mica_store_counter counter,
                      int64_t by);

// The totals, at most MICA_STORE_TOTALS_MS older than `now`. With
// MICA_STORE_TOTALS_WRITE they are written and read first.
#define MICA_STORE_TOTALS_WRITE INT64_MIN
enum mica_status mica_store_totals(struct mica_store *store, int64_t now,
                                   struct mica_error *error,
                                   int64_t totals_out[MICA_STORE_COUNTERS]);

// Counts everything anew.
enum mica_status mica_store_totals_recount(struct mica_store *store,
                                           struct mica_error *error)
    MICA_MUST_USE;

#endif
