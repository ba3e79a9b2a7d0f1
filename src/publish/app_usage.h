// SPDX-License-Identifier: Apache-2.0
//
// Usage and budgets of apps. The calls of an app are counted in memory, in one counter for
// all of its loaded versions, and added to the store about each second: those of the apps
// that wait for it longest, so that ten thousand apps which are called all the time cost
// the store no more than a thousand. What a counter did not add yet is lost with its process.
//
// A budget of a day is compared with what the store had when the counter last read it, and
// what this process counted since. So processes that share a store may exceed it together
// by what they count within a second. Calls at once are counted by each process for itself.
//
//   USAGE-1  A call is counted once, on the UTC day on which it begins.
//   USAGE-2  A counter is freed when no version holds it and the store has its counts.
//   USAGE-3  The budget of an app is that of the newest version that was held.
//
// Internal to this folder.
#ifndef MICA_PUBLISH_APP_USAGE_H
#define MICA_PUBLISH_APP_USAGE_H

#include <pthread.h>

#include "apps/app_meter.h"
#include "apps/app_record.h"
#include "store/store_apps.h"

enum {
    MICA_USAGE_WAIT_MS =
        10 * 60 * 1000,    // a call that waits counts as one at once
    MICA_USAGE_BATCH = 256 // counters that one flush adds
};

struct mica_app_counter;

struct mica_app_usages {
    pthread_mutex_t lock; // guards all below, and the counters
    struct mica_app_counter **buckets;
    size_t bucket_count, count;
    // Those with counts that the store lacks, in the order in which they got them.
    struct mica_app_counter *added, **added_end;
    bool closed;
    uint64_t slots;          // names of calls without an id
    int64_t (*now_ms)(void); // since 1970
};

// Errors: MICA_E_LIMIT.
enum mica_status mica_app_usages_open(struct mica_error *error,
                                      struct mica_app_usages **usages_out)
    MICA_MUST_USE;

// Frees the counters that no version holds. A version may outlive this (an operator's rules
// keep catalogs); then its drop frees the rest. NULL is allowed.
void mica_app_usages_close(struct mica_app_usages *usages);

// Finds or makes the counter of the app, which the caller holds, and gives it the budget of
// this version, unless a newer one has given its own (USAGE-3). Reads the usage of the day
// from `store` (NULL: none) for a new counter with a budget of a day. NULL for want of
// memory. Any thread that may wait for a store.
struct mica_app_meter *
mica_app_usages_hold(struct mica_app_usages *usages, struct mica_text id,
                     int64_t version, const struct mica_app_budget *budget,
                     struct mica_store *store);
void mica_app_usages_drop(struct mica_app_meter *meter); // NULL is allowed

// Adds the counts to the store, at most MICA_USAGE_BATCH apps; true: there is more. What
// the store does not take is tried again at the next flush. Waits for the store.
bool mica_app_usages_flush(struct mica_app_usages *usages,
                           struct mica_store *store);

#endif
