// SPDX-License-Identifier: Apache-2.0
//
// Totals: the number of rows of each kind in the whole store. A process adds up its changes in
// memory; once a second it writes them to the store and reads what other processes have
// written. So no operation waits for a row that all operations write. The store compares its
// global limits with these numbers; other processes may exceed them by the changes of a second.
//
// The totals are wrong after a process dies with unwritten changes, or when it was unknown
// whether a transaction was committed. Then a process that is alone on the store counts all rows
// again. It must be alone, as other processes would later add changes that are counted already.
#ifndef MICA_STORE_TOTALS_H
#define MICA_STORE_TOTALS_H

#include <pthread.h>
#include <stdatomic.h>

#include <mica/store.h>

enum {
    MICA_STORE_TOTALS_MS = 1000 // the most age of totals that were read
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
    MICA_COUNT_APPS, // and collections: both have a slug, and one limit
    MICA_COUNT_PUBLISHED_APPS,
    MICA_COUNT_APP_VERSIONS,
    MICA_COUNT_APP_WIDGETS,
    MICA_STORE_COUNTERS
};

extern const char *const mica_store_counter_names[MICA_STORE_COUNTERS];

struct mica_store_totals {
    pthread_mutex_t lock;
    int64_t written[MICA_STORE_COUNTERS]; // in the store, at the last read
    int64_t added[MICA_STORE_COUNTERS];   // by this process, not yet written
    int64_t writing[MICA_STORE_COUNTERS]; // in a transaction now
    int64_t read_at;
    bool known, busy;
    unsigned operations;  // in progress: maybe committed, and not yet added
    atomic_bool doubtful; // the rows must be counted again
};

void mica_store_totals_init(struct mica_store *store);
void mica_store_totals_fini(struct mica_store *store);

// Call these before an operation, and after the count of what it has changed.
void mica_store_totals_enter(struct mica_store *store);
void mica_store_totals_leave(struct mica_store *store);

// Adds to a counter; for the `count` function of an operation. `by` may be 0.
void mica_store_count(struct mica_store *store, enum mica_store_counter counter,
                      int64_t by);

// Returns the totals, at most MICA_STORE_TOTALS_MS older than `now`. With
// MICA_STORE_TOTALS_WRITE it writes and reads them first.
#define MICA_STORE_TOTALS_WRITE INT64_MIN
enum mica_status mica_store_totals(struct mica_store *store, int64_t now,
                                   struct mica_error *error,
                                   int64_t totals_out[MICA_STORE_COUNTERS]);

// Writes the changes of a process that becomes idle, so that other processes see them.
void mica_store_totals_idle(struct mica_store *store);

// Counts all rows again. No operation may be in progress, in any process.
enum mica_status mica_store_totals_recount(struct mica_store *store,
                                           struct mica_error *error)
    MICA_MUST_USE;

#endif
