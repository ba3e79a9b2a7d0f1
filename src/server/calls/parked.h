// SPDX-License-Identifier: Apache-2.0
//
// A message that waits for answers of the server's model provider, without a thread.
//
//     owner    mica_parked_make, begins each errand, mica_parked_settle
//     errands  mica_parked_percent, mica_parked_outcome: on any thread
//     owner    mica_parked_settle again, as execution.wake had it called
//
//  PARK-1. One thread owns the message: the one that has not given away its last signal.
//          A signal counts what happens to the message. The thread that adds the first
//          one becomes the owner and calls execution.wake, which hands the ownership to a
//          worker; the owner leaves by taking off all signals that it has seen, in one
//          step, and stays if there are more by then. An errand adds its signal last, and
//          touches the message no more unless it is the owner. So no lock is held, and
//          the message ends only when each errand has added its outcome.
#ifndef MICA_SERVER_CALLS_PARKED_H
#define MICA_SERVER_CALLS_PARKED_H

#include "server/calls/resumable.h"

// One errand.
struct mica_parked_errand {
    struct mica_parked *parked;
    uint32_t number; // of the question in the journal
    enum mica_ask_kind kind;
    double progress_from, progress_to; // equal: none
    atomic_uint percent;               // the last one; written by the errand
    unsigned sent;                     // the last one that the client was sent
    // Written before the outcome's signal:
    enum mica_status status;
    struct mica_buffer answer; // JSON, on the heap
    int64_t tokens;            // that it cost
};

struct mica_parked {
    struct mica_message *message;
    void (*wake)(struct mica_message *message);
    atomic_ullong
        signals; // outcomes in the high 32 bits, signals in the low ones
    uint32_t count;
    struct mica_parked_errand errands[];
};

// With room for `count` errands, owned by the caller; NULL if the arena has no memory.
struct mica_parked *mica_parked_make(struct mica_message *message,
                                     uint32_t count);

// Of an errand whose provider has begun it.
void mica_parked_percent(struct mica_parked_errand *errand, unsigned percent);
void mica_parked_outcome(struct mica_parked_errand *errand,
                         const struct mica_model_outcome *outcome);

// The outcome of an errand that could not begin; by the owner.
void mica_parked_fail(struct mica_parked_errand *errand,
                      const struct mica_error *error);

// By the owner: tells the client of progress. Returns true when each errand has its
// outcome; false if the caller is not the owner any more, and must not touch the message.
bool mica_parked_settle(struct mica_parked *parked);

#endif
