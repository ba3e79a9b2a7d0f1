// SPDX-License-Identifier: Apache-2.0
//
// How many of each kind the whole store has. A process adds its changes up here and
// writes them to the store once a second, together with reading what others have
// written: so no operation waits for a row that all operations write. Limits over all
// are compared with these numbers, and may be exceeded by what other processes keep in
// a second.
//
// What a process has not written when it dies is missing until the totals are counted
// anew, and so it is when it was not known whether a transaction was committed. They
// are counted by a process that has the store alone: others would add what they have
// not written to a number that it is in already.
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
    unsigned
        operations; // that are under way: committed, maybe, and not yet added
    atomic_bool doubtful; // they have to be counted anew
};

void mica_store_totals_init(struct mica_store *store);
void mica_store_totals_fini(struct mica_store *store);

// Around an operation and the counting of what it has changed.
void mica_store_totals_enter(struct mica_store *store);
void mica_store_totals_leave(struct mica_store *store);

// Adds to a counter, from the `count` of an operation. `by` may be 0.
void mica_store_count(struct mica_store *store, enum mica_store_counter counter,
                      int64_t by);

// The totals, at most MICA_STORE_TOTALS_MS older than `now`. With
// MICA_STORE_TOTALS_WRITE they are written and read first.
#define MICA_STORE_TOTALS_WRITE INT64_MIN
enum mica_status mica_store_totals(struct mica_store *store, int64_t now,
                                   struct mica_error *error,
                                   int64_t totals_out[MICA_STORE_COUNTERS]);

// Writes them where there is nothing else to do: others shall not miss what a process
// has changed before it became idle.
void mica_store_totals_idle(struct mica_store *store);

// Counts everything anew. Nothing else may be under way, in any process.
enum mica_status mica_store_totals_recount(struct mica_store *store,
                                           struct mica_error *error)
    MICA_MUST_USE;

#endif
