// SPDX-License-Identifier: Apache-2.0
//
// Keeps calls in a store: what src/server/calls/call_store.h asks for, with the lease that lasts
// for as long as this process works on a call, and a thread that finds calls
// that no process works on.
//
// A claim has a lease of 30 seconds, renewed every 10, however long a turn runs: one
// that hangs loses its calls, its late commits being refused by the fence. What a
// process held that has died is free at once where a lock proves its death
// (mica_store_reap), and half a minute later elsewhere.
//
// A claim that was lost is counted in the store (C5). Calls that were lost twice are
// claimed one by one here: one of them may be what ends the process.
#ifndef MICA_SERVE_STORED_CALLS_H
#define MICA_SERVE_STORED_CALLS_H

#include "base/platform.h"
#include "serve/call_scheduler.h"
#include "serve/stored_sessions.h"
#include "server/calls/call_store.h"

struct mica_call_store;

struct mica_call_store_options {
    struct mica_session_store
        *session_store; // whose store is used; outlives this
    // Calls continue with its tools (C6); outlives this. NULL: any call continues.
    struct mica_server *server;
    const struct mica_platform *platform; // NULL: mica_platform_real
    unsigned lease_ms;                    // 0: 30000
    // How soon calls are found that others have left; 0: 5000.
    unsigned poll_ms;
    // How long after its start this process leaves calls of which it has not got the
    // build to others; three times the time between two looks for them. 0:
    // MICA_CALL_STRANDED_MS.
    unsigned stranded_ms;
};

// Errors: MICA_E_LIMIT.
enum mica_status
mica_call_store_open(const struct mica_call_store_options *options,
                     struct mica_error *error,
                     struct mica_call_store **call_store_out) MICA_MUST_USE;

// Gives back what is still claimed, and sets *call_store to NULL; it may be so before.
void mica_call_store_close(struct mica_call_store **call_store);

const struct mica_calls *
mica_call_store_calls(struct mica_call_store *call_store);

// The one that mica_server_use_store made, or NULL.
struct mica_call_store *mica_call_store_of(const struct mica_server *server);

// Reads a call of any owner, its texts in `arena`. Errors: MICA_E_NOT_FOUND,
// those of the store.
enum mica_status
mica_call_store_look(struct mica_call_store *call_store, struct mica_text id,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_kept_call *call_out) MICA_MUST_USE;

// From now on `due` is given the calls that have to continue (mica_calls.
// take) because they were woken, they are late, their session has ended, or who
// ran them has died; those too that an earlier process has left. Opens the store.
// Errors: those of mica_store_open, MICA_E_IO (no thread).
enum mica_status mica_call_store_start(struct mica_call_store *call_store,
                                       mica_call_scheduler_due *due, void *data,
                                       struct mica_error *error) MICA_MUST_USE;

// `due` gets no more calls; when this returns, no thread is in it.
void mica_call_store_stop(struct mica_call_store *call_store);

// From now on `cancelled` is called for calls that are claimed here and that their
// client has given up; on any thread, so it marks what runs and does not wait.
// Before calls are served.
void mica_call_store_on_cancel(struct mica_call_store *call_store,
                               mica_call_scheduler_cancelled *cancelled,
                               void *data);

// Of this process.
struct mica_call_store_counts {
    uint64_t begun, refused; // refused: there were too many, or too large ones
    uint64_t busy;           // claims that met another's
    uint64_t crashed;  // calls that have ended as many processes as they may
    uint64_t stranded; // calls that have ended as no process had their build
    uint64_t freed;    // calls of processes that have died
    uint64_t handed;   // calls given to `due`
    uint64_t renewed, lost; // leases; lost: another process had taken the call
    uint64_t failed;        // times the store failed the thread
    uint64_t claimed;       // now
};
struct mica_call_store_counts
mica_call_store_counts(struct mica_call_store *call_store);

#endif
