// SPDX-License-Identifier: Apache-2.0
//
// A thread that serves calls that no request runs: it gives due calls to the turn queue,
// renews the leases of calls that run, and sweeps the store. It sleeps until a call is
// due, and finds within a few seconds what other processes on the same store have left.
//
// Threads: any. _need starts the thread: before the first claim of this process, and in
// mica_call_store_start. A process may fork before that.
#ifndef MICA_SERVE_CALL_SCHEDULER_H
#define MICA_SERVE_CALL_SCHEDULER_H

#include "base/platform.h"
#include "serve/builds.h"
#include "serve/leases.h"
#include "serve/stored_sessions.h"

struct mica_call_scheduler_options {
    struct mica_session_store *session_store; // has the store
    const struct mica_platform *platform;
    struct mica_leases *leases;
    // The scheduler gives calls of builds that are here to the queue, and no others.
    struct mica_builds *builds;
    unsigned lease_ms;
    unsigned poll_ms;     // its longest sleep
    unsigned stranded_ms; // between two searches for stranded calls
};

// Queues a call that has to continue; `ending` is as mica_calls.claim_for_turn returns it. The
// scheduler calls it on its thread, so it must not wait. Returns false if the queue is
// full; the scheduler offers the call again in a moment.
typedef bool mica_call_scheduler_due(void *data, struct mica_text id,
                                     enum mica_status ending);

// Cancels the turn that runs here of a call that its client has cancelled. Must not wait.
typedef void mica_call_scheduler_cancelled(void *data, struct mica_text id);

struct mica_call_scheduler;

enum mica_status mica_call_scheduler_open(
    const struct mica_call_scheduler_options *options, struct mica_error *error,
    struct mica_call_scheduler **scheduler_out) MICA_MUST_USE;
void mica_call_scheduler_close(struct mica_call_scheduler **scheduler);

// Starts the thread if it does not run. Errors: MICA_E_IO.
enum mica_status mica_call_scheduler_need(struct mica_call_scheduler *scheduler,
                                          struct mica_error *error)
    MICA_MUST_USE;

// From now on the scheduler gives due calls to `due`. NULL: to no function; when this
// returns, no thread runs the previous function. `due` itself must not call this.
void mica_call_scheduler_on_due(struct mica_call_scheduler *scheduler,
                                mica_call_scheduler_due *due, void *data);

// Announces that a call becomes due at that time.
void mica_call_scheduler_expect(struct mica_call_scheduler *scheduler,
                                int64_t when);

// Has the call continue at once. When the list of woken calls is full, the scheduler
// finds the call in the store later.
void mica_call_scheduler_wake(struct mica_call_scheduler *scheduler,
                              struct mica_text id);

// From now on _cancel calls `cancelled`, and so does the thread when it renews the lease
// of a cancelled call. NULL: they call no function. When this returns, no thread runs the
// previous function. `cancelled` must not call this or _cancel.
void mica_call_scheduler_on_cancel(struct mica_call_scheduler *scheduler,
                                   mica_call_scheduler_cancelled *cancelled,
                                   void *data);
void mica_call_scheduler_cancel(struct mica_call_scheduler *scheduler,
                                struct mica_text id);

struct mica_call_scheduler_counts {
    uint64_t queued, renewed, lost, failed; // as in mica_call_store_counts
    uint64_t freed;
};
struct mica_call_scheduler_counts
mica_call_scheduler_counts(struct mica_call_scheduler *scheduler);

#endif
