// SPDX-License-Identifier: Apache-2.0
//
// A thread that looks after calls that no request looks after: it hands over those that are
// due, keeps the leases of those that run, and sweeps the store. It sleeps until
// something is due; what other processes that share the store leave behind it
// finds within a few seconds.
//
// Threads: any. The thread begins with the first claim, or when it is given a function to
// hand calls to, so that a process may fork before.
#ifndef MICA_SERVE_CALL_SCHEDULER_H
#define MICA_SERVE_CALL_SCHEDULER_H

#include "base/platform.h"
#include "serve/builds.h"
#include "serve/leases.h"
#include "serve/stored_sessions.h"

struct mica_call_scheduler_options {
    struct mica_session_store *session_store; // whose store it is
    const struct mica_platform *platform;
    struct mica_leases *leases;
    struct mica_builds
        *builds; // only calls of those that are here are handed on
    unsigned lease_ms;
    unsigned poll_ms;     // its longest sleep
    unsigned stranded_ms; // between two looks for calls that no process can run
};

// Takes a call that has to continue: `ending` as mica_calls.claim_for_scheduler says it.
// On the scheduler's thread, so it puts it into a queue and does not wait. False:
// not now; it comes again in a moment.
typedef bool mica_call_scheduler_due(void *data, struct mica_text id,
                                     enum mica_status ending);

// A call that is claimed here was given up: marks what runs, does not wait.
typedef void mica_call_scheduler_cancelled(void *data, struct mica_text id);

struct mica_call_scheduler;

enum mica_status mica_call_scheduler_open(
    const struct mica_call_scheduler_options *options, struct mica_error *error,
    struct mica_call_scheduler **scheduler_out) MICA_MUST_USE;
void mica_call_scheduler_close(struct mica_call_scheduler **scheduler);

// Sees to it that the thread runs.
enum mica_status mica_call_scheduler_need(struct mica_call_scheduler *scheduler,
                                          struct mica_error *error)
    MICA_MUST_USE;

// From now on calls go to `due`; NULL: calls stay, and when this returns no thread
// is in the function before. Not from within that.
void mica_call_scheduler_hand_to(struct mica_call_scheduler *scheduler,
                                 mica_call_scheduler_due *due, void *data);

// Something is due at that time.
void mica_call_scheduler_expect(struct mica_call_scheduler *scheduler,
                                int64_t when);

// That call continues at once. When too many wait the store finds it.
void mica_call_scheduler_wake(struct mica_call_scheduler *scheduler,
                              struct mica_text id);

// From now on `cancelled` is called, by the next function and by the thread when it
// renews a lease. Before the thread runs.
void mica_call_scheduler_on_cancel(struct mica_call_scheduler *scheduler,
                                   mica_call_scheduler_cancelled *cancelled,
                                   void *data);
void mica_call_scheduler_cancel(struct mica_call_scheduler *scheduler,
                                struct mica_text id);

struct mica_call_scheduler_counts {
    uint64_t handed, renewed, lost, failed;
    uint64_t freed; // calls of processes that have died
};
struct mica_call_scheduler_counts
mica_call_scheduler_counts(struct mica_call_scheduler *scheduler);

#endif
