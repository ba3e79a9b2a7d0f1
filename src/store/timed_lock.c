// SPDX-License-Identifier: Apache-2.0
//
// A flag says that a thread is inside, and the mutex guards the flag for moments only. So the
// wait for the flag can have a limit on the monotonic clock.
#include "store/timed_lock.h"

#include <errno.h>

#include "platform/clock.h"

void
mica_timed_lock_init(struct mica_timed_lock *timed_lock, unsigned wait_ms)
{
    pthread_condattr_t attributes;

    *timed_lock = (struct mica_timed_lock){.wait_ms = wait_ms};
    pthread_mutex_init(&timed_lock->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&timed_lock->left, &attributes);
    pthread_condattr_destroy(&attributes);
}

void
mica_timed_lock_fini(struct mica_timed_lock *timed_lock)
{
    pthread_cond_destroy(&timed_lock->left);
    pthread_mutex_destroy(&timed_lock->lock);
}

// With the mutex locked: waits until no thread is inside. Returns false after wait_ms.
static bool
timed_lock_await(struct mica_timed_lock *timed_lock)
{
    struct timespec end = mica_clock_after(timed_lock->wait_ms);

    while (timed_lock->inside) {
        if (pthread_cond_timedwait(&timed_lock->left, &timed_lock->lock,
                                   &end) == ETIMEDOUT &&
            timed_lock->inside) {
            timed_lock->waits_vain++;
            return false;
        }
    }
    timed_lock->waits_ended++;
    return true;
}

enum mica_status
mica_timed_lock_enter(struct mica_timed_lock *timed_lock,
                      struct mica_error *error)
{
    enum mica_status status = MICA_OK;

    pthread_mutex_lock(&timed_lock->lock);
    if (timed_lock->inside &&
        pthread_equal(timed_lock->owner, pthread_self()) != 0)
        status = mica_error_set(error, MICA_E_USAGE, "",
                                "The store is used inside its own transaction; "
                                "use the one that the transaction was given.");
    else if (timed_lock->inside && !timed_lock_await(timed_lock))
        status = mica_error_set(error, MICA_E_BUSY, "",
                                "Other threads have held the store for %u ms; "
                                "try again.",
                                timed_lock->wait_ms);
    if (status == MICA_OK) {
        timed_lock->inside = true;
        timed_lock->owner = pthread_self();
    }
    pthread_mutex_unlock(&timed_lock->lock);
    return status;
}

void
mica_timed_lock_leave(struct mica_timed_lock *timed_lock)
{
    pthread_mutex_lock(&timed_lock->lock);
    timed_lock->inside = false;
    pthread_mutex_unlock(&timed_lock->lock);
    pthread_cond_signal(&timed_lock->left);
}

void
mica_timed_lock_waits(struct mica_timed_lock *timed_lock, uint64_t *ended_out,
                      uint64_t *vain_out)
{
    pthread_mutex_lock(&timed_lock->lock);
    *ended_out = timed_lock->waits_ended;
    *vain_out = timed_lock->waits_vain;
    pthread_mutex_unlock(&timed_lock->lock);
}
