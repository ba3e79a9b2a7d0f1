// SPDX-License-Identifier: Apache-2.0
//
// The call store: implements struct mica_calls (src/server/calls/calls_interface.h) on a store.
// It renews the lease of a call while this process works on it, and its call scheduler
// finds the calls that no process works on.
//
// A claim has a lease of 30 seconds. The scheduler renews it every 10 seconds, however
// long a turn runs. A process that hangs loses its claims, and the store refuses its late
// commits by the fence. The claims of a process that has died are free at once where a
// lock proves its death (mica_store_reap), otherwise when their leases expire.
//
// The store counts how many claims of a call were lost (CALL-5). This process runs the
// calls that were lost twice one at a time: any of them may be the one that crashes it.
#ifndef MICA_SERVE_STORED_CALLS_H
#define MICA_SERVE_STORED_CALLS_H

#include "base/platform.h"
#include "serve/call_scheduler.h"
#include "serve/stored_sessions.h"
#include "server/calls/calls_interface.h"

struct mica_call_store;

struct mica_call_store_options {
    struct mica_session_store *session_store; // has the store; outlives this
    // Has the tools with which calls continue (CALL-6); outlives this. May be NULL: then
    // this process continues any call.
    struct mica_server *server;
    const struct mica_platform *platform; // NULL: mica_platform_real
    unsigned lease_ms;                    // 0: 30000
    // How soon this process finds calls that others have left; 0: 5000.
    unsigned poll_ms;
    // For how long after its start this process ends no stranded call: another process
    // may have the build. It searches for them three times in that interval. 0:
    // MICA_CALL_STRANDED_MS.
    unsigned stranded_ms;
};

// Errors: MICA_E_LIMIT.
enum mica_status
mica_call_store_open(const struct mica_call_store_options *options,
                     struct mica_error *error,
                     struct mica_call_store **call_store_out) MICA_MUST_USE;

// Releases all claims, frees the call store and sets *call_store to NULL. NULL is allowed.
void mica_call_store_close(struct mica_call_store **call_store);

const struct mica_calls *
mica_call_store_calls(struct mica_call_store *call_store);

// The call store of a server with mica_server_use_store, or NULL.
struct mica_call_store *mica_call_store_of(const struct mica_server *server);

// Reads a call of any owner, its texts in `arena`. Errors: MICA_E_NOT_FOUND,
// those of the store.
enum mica_status
mica_call_store_find(struct mica_call_store *call_store, struct mica_text id,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_kept_call *call_out) MICA_MUST_USE;

// From now on the scheduler gives `due` the calls that have to continue
// (mica_calls.claim_for_turn): a call was woken or timed out, its session has ended,
// or the process that ran it has died. That includes calls that an earlier process has
// left. Opens the store.
// Errors: those of mica_store_open, MICA_E_IO (no thread).
enum mica_status mica_call_store_start(struct mica_call_store *call_store,
                                       mica_call_scheduler_due *due, void *data,
                                       struct mica_error *error) MICA_MUST_USE;

// `due` gets no more calls; when this returns, no thread runs it.
void mica_call_store_stop(struct mica_call_store *call_store);

// From now on this calls `cancelled`, on any thread, for calls that this process has
// claimed and that their client has cancelled. `cancelled` must not wait. Call this before
// the server serves calls.
void mica_call_store_on_cancel(struct mica_call_store *call_store,
                               mica_call_scheduler_cancelled *cancelled,
                               void *data);

// Counts of this process.
struct mica_call_store_counts {
    uint64_t begun, refused; // calls; refused: too many of them, or too large
    uint64_t busy; // claims refused because another process had the call
    // Calls that have crashed MICA_CALL_MOST_LOST_CLAIMS processes.
    uint64_t crashed;
    uint64_t stranded; // calls that ended because no process had their build
    uint64_t freed;    // calls of processes that have died
    uint64_t queued;   // calls that `due` has accepted
    uint64_t renewed,
        lost;         // leases; lost: another process has claimed the call
    uint64_t failed;  // operations of the scheduler that the store has failed
    uint64_t claimed; // calls that this process has claimed now
};
struct mica_call_store_counts
mica_call_store_counts(struct mica_call_store *call_store);

#endif
