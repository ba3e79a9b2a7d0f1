// SPDX-License-Identifier: Apache-2.0
//
// One thread's place to run modules in: its guard and instance, its memory, and
// what the watchdog needs to stop it. A thread has at most one call inside a
// module at a time: a module imports nothing, so it cannot call out.
#ifndef MICA_SANDBOX_SLOT_H
#define MICA_SANDBOX_SLOT_H

#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <time.h>

#include "sandbox/pool.h"
#include "sandbox/sandbox.h"

enum {
    MICA_INSTANCE_MAX = 4096
}; // bytes of an instance: globals and handles

enum mica_stop {
    MICA_STOP_NONE,
    MICA_STOP_TIME,
    MICA_STOP_CANCELLED
};

// What the watchdog saw at the first tick of a generation. Its own.
struct mica_sighting {
    uint32_t generation;
    int64_t wall_ns, cpu_ns;
};

struct mica_slot {
    // Written by the thread before it enters, read by the watchdog.
    _Atomic(uint32_t) limit_ms;
    _Atomic(const atomic_bool *) cancelled;
    // Written by the watchdog.
    _Atomic(uint32_t) reason;  // enum mica_stop of the last fuse it blew
    _Atomic(uint32_t) peeking; // generation whose `cancelled` it looks at, or 0
    struct mica_sighting sighting;

    // Set once.
    struct mica_slot *next; // in the registry, under its lock
    pthread_t thread;
    clockid_t cpu_clock;
    bool has_cpu_clock;

    // The thread's own.
    jmp_buf unwind;
    enum mica_trap trap;
    uint32_t memory_max;        // pages, of the module that runs
    struct mica_memory *memory; // in `instance`; NULL before it is made
    struct mica_pool pool;
    // Counters, written by the thread, read by anyone.
    _Atomic(uint64_t) calls, traps, timeouts, limits, cancellations;

    alignas(64) struct mica_guard guard;
    alignas(16) unsigned char instance[MICA_INSTANCE_MAX];
};

// The calling thread's slot, made at its first call and freed when it ends.
// NULL when there is no memory for one.
struct mica_slot *mica_slot_mine(void);

// The slot of a thread that is inside a module now.
struct mica_slot *mica_slot_inside(void);

// Opens and closes the time in which the watchdog may stop the call.
// mica_slot_leave tells whether and why it did.
void mica_slot_enter(struct mica_slot *slot, uint32_t stack_bytes,
                     uint32_t limit_ms, const atomic_bool *cancelled);
enum mica_stop mica_slot_leave(struct mica_slot *slot);

// Whether the watchdog has blown the fuse of the call that runs.
bool mica_slot_stopped(const struct mica_slot *slot);

// The functions that translated code is bound to.
extern const struct mica_runtime mica_slot_runtime;

static inline void
mica_count(_Atomic(uint64_t) *counter)
{
    // One writer: no need for an atomic addition.
    uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + 1, memory_order_relaxed);
}

#endif
