// SPDX-License-Identifier: Apache-2.0
//
// Turns that no request runs: an answer came in a session, a call is late or was
// given up, a task works. Each runs on a worker, in memory of its own, and says
// through the surface that opened the queue what it comes to.
//
// Invariants:
//  R1. Of one call one turn runs here at a time; answers that come meanwhile wait
//      behind it, in their order.
//  R2. An answer that was taken is not dropped while the call may still take it:
//      a call that another process runs is tried again, for longer than a lease.
//  R3. At most MICA_TURN_QUEUE_TURNS wait or run; what is refused for that, and comes
//      from the store, is offered again by it. Answers leave a part of them to it,
//      and no call and no session has all of what is left.
//  R4. An answer that no journal could hold is not held here either: what its call
//      gets is an error that says so.
//  R5. Who brings an answer may be told when it is committed. From then on it does
//      not depend on this process.
#ifndef MICA_SERVE_TURN_QUEUE_H
#define MICA_SERVE_TURN_QUEUE_H

#include "serve/workers.h"
#include "server/server.h"

enum {
    MICA_TURN_QUEUE_TURNS = 1024,
    MICA_TURN_QUEUE_RESERVED = 128, // of these, not for answers
    // Of answers that wait or run: all, those of a session, and of a call.
    MICA_TURN_QUEUE_BYTES = 64 << 20,
    MICA_TURN_QUEUE_SESSION_BYTES = 16 << 20,
    MICA_TURN_QUEUE_SESSION_TURNS = 256,
    MICA_TURN_QUEUE_CALL_TURNS = 16 // as many as it may ask at once
};

struct mica_turn_queue;
struct mica_queued_turn;

struct mica_turn_queue_options {
    struct mica_server *server;   // with calls
    struct mica_workers *workers; // outlives the queue
    // All on a worker. The call is claimed and its turn begins: the message may
    // be given `emit`. NULL: nothing is done.
    void (*taken)(void *data, struct mica_message *message);
    // A turn that was taken could not be kept and is tried again: let go of what
    // is in its memory. It is taken once more. NULL: nothing is done.
    void (*left)(void *data, struct mica_message *message);
    // The turn has ended, the message's step says how. True: the turn is given
    // back later, by mica_turn_queue_give, and not before.
    bool (*ended)(void *data, struct mica_queued_turn *turn);
    void *data;
};

// Errors: MICA_E_LIMIT.
enum mica_status
mica_turn_queue_open(const struct mica_turn_queue_options *options,
                     struct mica_error *error,
                     struct mica_turn_queue **turn_queue_out) MICA_MUST_USE;

// Has the calls of the server that are due, from now on. Opens the store. A
// second time nothing happens.
enum mica_status mica_turn_queue_start(struct mica_turn_queue *queue,
                                       struct mica_error *error) MICA_MUST_USE;

// Called once, on any thread, when an answer is committed or lost (R5). MICA_OK: it
// is committed, or no request waits for it; MICA_E_BUSY: it is lost, and may come again.
struct mica_settled {
    void (*tell)(void *data, enum mica_status status);
    void *data;
};

// Continues a call: all of `why` is copied. `session_key` is that of the client that
// answers, or empty: then there is but one. `settled` may be NULL. False: too many
// wait (R3), and `settled` is not told.
bool mica_turn_queue_resume(struct mica_turn_queue *queue,
                            const struct mica_resume_cause *why,
                            struct mica_text session_key,
                            const struct mica_settled *settled) MICA_MUST_USE;

// No more turns begin; those that run continue, until they are told to stop.
void mica_turn_queue_stop(struct mica_turn_queue *queue);
void mica_turn_queue_cancel_all(struct mica_turn_queue *queue);

// The workers have ended. NULL is allowed.
void mica_turn_queue_close(struct mica_turn_queue **queue);

// What has ended, until it is given back; from then on the next of its call runs.
struct mica_message *mica_turn_queue_message(struct mica_queued_turn *turn);
void mica_turn_queue_give(struct mica_queued_turn *turn);

struct mica_turn_queue_counts {
    size_t turns, bytes;        // that wait or run, now; bytes: of answers
    uint64_t ended, again;      // turns; times that a busy call was tried again
    uint64_t answers, timeouts; // that turns were for
    uint64_t refused, lost;     // too many waited; an answer was given up
    uint64_t large;             // answers (R4)
};
struct mica_turn_queue_counts
mica_turn_queue_counts(struct mica_turn_queue *queue);

#endif
