// SPDX-License-Identifier: Apache-2.0
//
// A lock that waits for a limited time, and that notices a thread which waits
// for itself.
#ifndef MICA_STORE_GATE_H
#define MICA_STORE_GATE_H

#include <mica/base.h>
#include <pthread.h>

struct mica_gate {
    pthread_mutex_t lock;
    pthread_cond_t left;
    bool inside;
    pthread_t owner; // while `inside`
    unsigned wait_ms;
    uint64_t waits_ended, waits_vain;
};

void mica_gate_init(struct mica_gate *gate, unsigned wait_ms);
void mica_gate_fini(struct mica_gate *gate);

// Errors: MICA_E_BUSY (waited for wait_ms), MICA_E_USAGE (this thread is in it).
enum mica_status mica_gate_enter(struct mica_gate *gate,
                                 struct mica_error *error) MICA_MUST_USE;
void mica_gate_leave(struct mica_gate *gate);

// The two counters.
void mica_gate_waits(struct mica_gate *gate, uint64_t *ended_out,
                     uint64_t *vain_out);

#endif
