// SPDX-License-Identifier: Apache-2.0
//
// Lines that other threads want written: notifications of calls on workers and
// of subscriptions. The serving thread alone writes; it takes them from here.
//
// Invariant:
//  OUTBOX-1. What a call puts here before its reply is handed over is written before
//            that reply: the serving thread takes the replies first, then what is here,
//            and writes in the other order.
#ifndef MICA_STDIO_OUTBOX_H
#define MICA_STDIO_OUTBOX_H

#include <pthread.h>
#include <stdatomic.h>

#include <mica/base.h>

// A line that waits.
struct mica_note {
    struct mica_note *next;
    const void *owner;
    size_t length;
    char text[];
};

struct mica_outbox {
    pthread_mutex_t lock;
    pthread_cond_t taken;
    struct mica_note *head, **tail;
    size_t bytes, max_bytes;
    uint64_t put, gone; // lines: put in, and written or left out
    int wake;           // written to when there is something; borrowed
    bool closed;        // it takes no more
};

void mica_outbox_open(struct mica_outbox *outbox, size_t max_bytes, int wake);
void mica_outbox_close(struct mica_outbox *outbox);

// Copies `line`, from any thread; waits for room for at most `wait_ms`, and takes
// off that what it has waited. The number of the line, from 1; 0 when there was
// no room. `owner` is what mica_outbox_purge knows it by.
uint64_t mica_outbox_put(struct mica_outbox *outbox, const void *owner,
                         struct mica_text line, uint32_t *wait_ms);

// Has the line of that number been taken?
bool mica_outbox_is_gone(struct mica_outbox *outbox, uint64_t number);

// Leaves out what waits of an owner.
void mica_outbox_purge(struct mica_outbox *outbox, const void *owner);

// All that waits, in order. Owner: the caller frees each.
struct mica_note *mica_outbox_take(struct mica_outbox *outbox);

// From here on no thread waits for room.
void mica_outbox_shut(struct mica_outbox *outbox);

#endif
