// SPDX-License-Identifier: Apache-2.0
//
// A lock that a thread waits for with a limit. A thread that locks it twice gets an error.
#ifndef MICA_STORE_TIMED_LOCK_H
#define MICA_STORE_TIMED_LOCK_H

#include <mica/base.h>
#include <pthread.h>

struct mica_timed_lock {
    pthread_mutex_t lock;
    pthread_cond_t left;
    bool inside;
    pthread_t owner; // while `inside`
    unsigned wait_ms;
    uint64_t waits_ended, waits_vain;
};

void mica_timed_lock_init(struct mica_timed_lock *timed_lock, unsigned wait_ms);
void mica_timed_lock_fini(struct mica_timed_lock *timed_lock);

// Errors: MICA_E_BUSY (waited for wait_ms), MICA_E_USAGE (this thread has the lock already).
enum mica_status mica_timed_lock_enter(struct mica_timed_lock *timed_lock,
                                       struct mica_error *error) MICA_MUST_USE;
void mica_timed_lock_leave(struct mica_timed_lock *timed_lock);

// Reads how many waits have ended with the lock, and how many in vain.
void mica_timed_lock_waits(struct mica_timed_lock *timed_lock,
                           uint64_t *ended_out, uint64_t *vain_out);

#endif
