// SPDX-License-Identifier: Apache-2.0
//
// The mutex is held for moments only; who is inside is a flag, so that the wait
// can end on the monotonic clock.
#include "store/gate.h"

#include <errno.h>

#include "platform/clock.h"

void
mica_gate_init(struct mica_gate *gate, unsigned wait_ms)
{
    pthread_condattr_t attributes;

    *gate = (struct mica_gate){.wait_ms = wait_ms};
    pthread_mutex_init(&gate->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&gate->left, &attributes);
    pthread_condattr_destroy(&attributes);
}

void
mica_gate_fini(struct mica_gate *gate)
{
    pthread_cond_destroy(&gate->left);
    pthread_mutex_destroy(&gate->lock);
}

// With the lock held: until no thread is inside. False: waited in vain.
static bool
gate_await(struct mica_gate *gate)
{
    struct timespec end = mica_clock_after(gate->wait_ms);

    while (gate->inside) {
        if (pthread_cond_timedwait(&gate->left, &gate->lock, &end) ==
                ETIMEDOUT &&
            gate->inside) {
            gate->waits_vain++;
            return false;
        }
    }
    gate->waits_ended++;
    return true;
}

enum mica_status
mica_gate_enter(struct mica_gate *gate, struct mica_error *error)
{
    enum mica_status status = MICA_OK;

    pthread_mutex_lock(&gate->lock);
    if (gate->inside && pthread_equal(gate->owner, pthread_self()) != 0)
        status = mica_error_set(error, MICA_E_USAGE, "",
                                "The store is used inside its own transaction; "
                                "use the one that the transaction was given.");
    else if (gate->inside && !gate_await(gate))
        status = mica_error_set(error, MICA_E_BUSY, "",
                                "Other threads have held the store for %u ms; "
                                "try again.",
                                gate->wait_ms);
    if (status == MICA_OK) {
        gate->inside = true;
        gate->owner = pthread_self();
    }
    pthread_mutex_unlock(&gate->lock);
    return status;
}

void
mica_gate_leave(struct mica_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->inside = false;
    pthread_mutex_unlock(&gate->lock);
    pthread_cond_signal(&gate->left);
}

void
mica_gate_waits(struct mica_gate *gate, uint64_t *ended_out, uint64_t *vain_out)
{
    pthread_mutex_lock(&gate->lock);
    *ended_out = gate->waits_ended;
    *vain_out = gate->waits_vain;
    pthread_mutex_unlock(&gate->lock);
}
