// SPDX-License-Identifier: Apache-2.0
//
// Background turns: turns that no request runs. A client has answered in its session,
// a call has timed out or was cancelled, or a task works. A worker runs each turn in an
// arena of its own; the adapter that opened the queue gets the outcome.
//
// Invariants:
//  QUEUE-1. This process runs one turn of a call at a time. Answers that arrive meanwhile
//           run after it, in the order of their arrival.
//  QUEUE-2. The queue retries two kinds of turns: those with an answer, and those that
//           end a call because its client has disconnected. So it does not lose an answer
//           that it has accepted while the call may still use it. It retries for two
//           minutes, which is longer than a lease, while another process has claimed the
//           call or the store is busy; and for ten seconds while the build of the call is
//           not here (MICA_E_STRANDED). Every other turn ends; the call scheduler finds
//           its call again.
//  QUEUE-3. At most MICA_TURN_QUEUE_TURNS turns wait or run. The call scheduler offers a
//           call again that the queue has refused. Answers may not use the last
//           MICA_TURN_QUEUE_RESERVED turns, and one call or one session may not use all
//           of the others.
//  QUEUE-4. The queue does not store an answer that is larger than a journal: it gives
//           the call an error that says so.
//  QUEUE-5. The queue notifies the sender of an answer when the answer is committed. From
//           then on the answer does not depend on this process.
#ifndef MICA_SERVE_TURN_QUEUE_H
#define MICA_SERVE_TURN_QUEUE_H

#include "serve/workers.h"
#include "server/server.h"

enum {
    MICA_TURN_QUEUE_TURNS = 1024,
    MICA_TURN_QUEUE_RESERVED = 128, // of these, for turns without an answer
    // Limits for answers that wait or run: of all, of one session, of one call.
    MICA_TURN_QUEUE_BYTES = 64 << 20,
    MICA_TURN_QUEUE_SESSION_BYTES = 16 << 20,
    MICA_TURN_QUEUE_SESSION_TURNS = 256,
    // A call may have more open questions: 16 tools side by side ask 16 each. The queue
    // refuses an answer while so many of the same call wait or run; resend it later.
    MICA_TURN_QUEUE_CALL_TURNS = 16
};

struct mica_turn_queue;
struct mica_queued_turn;

struct mica_turn_queue_options {
    struct mica_server *server;   // has a call store
    struct mica_workers *workers; // outlives the queue
    // The queue calls these three on a worker.
    // The turn has claimed its call and begins to run: the adapter may set the
    // message's `emit`. May be NULL.
    void (*on_claimed)(void *data, struct mica_message *message);
    // The turn could not be committed, and the queue will retry it: the adapter drops
    // its references to the message, which the queue frees after this. on_claimed
    // follows again. May be NULL.
    void (*on_retry)(void *data, struct mica_message *message);
    // The turn has ended; the message's step says how. Returns true if the adapter
    // keeps the turn and calls mica_turn_queue_finish later; otherwise the queue
    // finishes it.
    bool (*on_ended)(void *data, struct mica_queued_turn *turn);
    void *data;
};

// Errors: MICA_E_LIMIT.
enum mica_status
mica_turn_queue_open(const struct mica_turn_queue_options *options,
                     struct mica_error *error,
                     struct mica_turn_queue **turn_queue_out) MICA_MUST_USE;

// From now on the call scheduler queues the server's due calls here. Opens the store. A
// second call has no effect.
enum mica_status mica_turn_queue_start(struct mica_turn_queue *queue,
                                       struct mica_error *error) MICA_MUST_USE;

// The queue calls `notify` once, on any thread, when an answer is concluded (QUEUE-5).
// MICA_OK: the answer is committed, or obsolete (the call no longer waits for it).
// MICA_E_BUSY: it is not committed; the client may resend it.
struct mica_answer_listener {
    void (*notify)(void *data, enum mica_status status);
    void *data;
};

// Queues a turn that continues a call; copies all of `why`. `session_key` is that of the
// client that answers; it is empty if the process has one client. `on_answer` may be NULL.
// Returns false if the queue is full (QUEUE-3); then it does not call `on_answer`.
bool mica_turn_queue_resume(struct mica_turn_queue *queue,
                            const struct mica_resume_cause *why,
                            struct mica_text session_key,
                            const struct mica_answer_listener *on_answer)
    MICA_MUST_USE;

// Begins no more turns. Those that run continue, until _cancel_all cancels them.
void mica_turn_queue_stop(struct mica_turn_queue *queue);
void mica_turn_queue_cancel_all(struct mica_turn_queue *queue);

// Call it after the workers have ended. NULL is allowed.
void mica_turn_queue_close(struct mica_turn_queue **queue);

// The message of a turn that on_ended has kept. _finish frees the turn and its message,
// and begins the next turn of its call.
struct mica_message *mica_turn_queue_message(struct mica_queued_turn *turn);
void mica_turn_queue_finish(struct mica_queued_turn *turn);

struct mica_turn_queue_counts {
    size_t turns, bytes; // turns that wait or run now; bytes of their answers
    uint64_t ended, retried;    // turns that have ended; retries of busy calls
    uint64_t answers, timeouts; // ended turns with an answer, or for a timeout
    uint64_t refused, lost;     // the queue was full; answers never committed
    uint64_t large;             // answers larger than a journal (QUEUE-4)
};
struct mica_turn_queue_counts
mica_turn_queue_counts(struct mica_turn_queue *queue);

#endif
