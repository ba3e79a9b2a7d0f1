// SPDX-License-Identifier: Apache-2.0
//
// One thread that looks at every slot about once a millisecond while calls are
// made, and sleeps when there have been none for a while. A call pays two
// atomic stores and no system call; the clocks are read here.
//
// A limit counts the thread's own processor time, so that a busy machine does
// not stop an innocent call; eight times the limit on the wall clock ends it in
// any case. Time starts at the first tick that sees the call, so a call may
// take its limit and a tick or two.
#include "sandbox/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "platform/clock.h"

enum {
    TICK_NS = 1000000,
    SHORTEST_TICK_NS = 100000, // near the end of a call's time
    IDLE_TICKS = 64,           // without a call, before it lies down
    WALL_FACTOR = 8
};

// Guards the registry and the sleep. No call waits for it: only the first and
// last moments of a thread, the watchdog, and a call that has to wake it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static struct mica_slot *slots;
static struct mica_sandbox_counters ended; // of threads that are gone
static _Atomic(bool) running, sleeping;

// ---- One look at one slot ------------------------------------------------------

static bool
is_cancelled(struct mica_slot *slot, uint64_t word)
{
    const atomic_bool *flag =
        atomic_load_explicit(&slot->cancelled, memory_order_acquire);
    if (flag == NULL)
        return false;
    bool cancelled = false;
    // SANDBOX-4
    atomic_store(&slot->peeking, MICA_GUARD_GENERATION(word));
    if (__atomic_load_n(&slot->guard.word, __ATOMIC_SEQ_CST) == word)
        cancelled = atomic_load(flag);
    atomic_store(&slot->peeking, 0);
    return cancelled;
}

static int64_t
cpu_ns(const struct mica_slot *slot)
{
    struct timespec used;

    if (!slot->has_cpu_clock || clock_gettime(slot->cpu_clock, &used) != 0)
        return -1;
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

// Nanoseconds that the call may still have; 0 or less: it is late.
static int64_t
time_left(struct mica_slot *slot, uint32_t generation, int64_t wall)
{
    struct mica_sighting *first = &slot->sighting;
    int64_t limit = 1000000 * (int64_t)atomic_load_explicit(
                                  &slot->limit_ms, memory_order_acquire);
    if (first->generation != generation) {
        *first = (struct mica_sighting){generation, wall, cpu_ns(slot)};
        return limit;
    }
    int64_t spent = wall - first->wall_ns;
    if (spent < limit)
        return limit - spent;
    if (first->cpu_ns < 0 || spent >= WALL_FACTOR * limit)
        return 0;
    int64_t cpu = cpu_ns(slot);
    return cpu < 0 ? 0 : limit - (cpu - first->cpu_ns);
}

static void
blow_fuse(struct mica_slot *slot, uint64_t word, enum mica_stop reason)
{
    // Read by the thread only after it has seen the fuse blown.
    atomic_store(&slot->reason, (uint32_t)reason);
    uint64_t blown = (uint64_t)MICA_GUARD_GENERATION(word) << 32;
    (void)__atomic_compare_exchange_n(&slot->guard.word, &word, blown, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

// What a look at the slots found.
struct view {
    int64_t wall_ns; // when it was taken
    int64_t wait_ns; // until the next one
    bool busy;       // a call is inside, or was since the last one
};

static void
look_at(struct mica_slot *slot, struct view *view)
{
    uint64_t word = __atomic_load_n(&slot->guard.word, __ATOMIC_SEQ_CST);
    uint32_t generation = MICA_GUARD_GENERATION(word);
    if (generation % 2 == 0) {
        view->busy |= slot->sighting.generation != generation;
        slot->sighting.generation = generation;
        return;
    }
    view->busy = true;
    if (MICA_GUARD_FUSE(word) == 0)
        return;
    int64_t left = time_left(slot, generation, view->wall_ns);
    if (is_cancelled(slot, word))
        blow_fuse(slot, word, MICA_STOP_CANCELLED);
    else if (left <= 0)
        blow_fuse(slot, word, MICA_STOP_TIME);
    else if (left < view->wait_ns)
        view->wait_ns = left;
}

static struct view
look_at_all(void)
{
    struct view view = {.wall_ns = (int64_t)mica_clock_ns(),
                        .wait_ns = TICK_NS};
    for (struct mica_slot *slot = slots; slot != NULL; slot = slot->next)
        look_at(slot, &view);
    if (view.wait_ns < SHORTEST_TICK_NS)
        view.wait_ns = SHORTEST_TICK_NS;
    return view;
}

// ---- The thread ------------------------------------------------------------------

// With the lock held.
static void
lie_down(void)
{
    // A call that enters after this store wakes us; one that entered before it
    // is seen by the look that follows.
    atomic_store(&sleeping, true);
    if (look_at_all().busy)
        atomic_store(&sleeping, false);
    while (atomic_load(&sleeping))
        (void)pthread_cond_wait(&woken, &lock);
}

static void *
watchdog_watch(void *data)
{
    (void)data;
    int idle = 0;
    struct timespec wait = {0, TICK_NS};
    for (;;) {
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
        (void)pthread_mutex_lock(&lock);
        struct view view = look_at_all();
        wait.tv_nsec = view.wait_ns;
        idle = view.busy ? 0 : idle + 1;
        if (idle > IDLE_TICKS) {
            lie_down();
            idle = 0;
        }
        (void)pthread_mutex_unlock(&lock);
    }
    return NULL;
}

bool
mica_watchdog_runs(void)
{
    return atomic_load_explicit(&running, memory_order_acquire);
}

bool
mica_watchdog_sleeps(void)
{
    return atomic_load(&sleeping);
}

void
mica_watchdog_wake(void)
{
    (void)pthread_mutex_lock(&lock);
    atomic_store(&sleeping, false);
    (void)pthread_cond_signal(&woken);
    (void)pthread_mutex_unlock(&lock);
}

// ---- Start, and forks ---------------------------------------------------------------

static void
before_fork(void)
{
    (void)pthread_mutex_lock(&lock);
}

static void
after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&lock);
}

// The slot of the forking thread, alone and ready for use; NULL without one.
static struct mica_slot *
slot_after_fork(void)
{
    struct mica_slot *slot = slots;

    while (slot != NULL && !pthread_equal(slot->thread, pthread_self()))
        slot = slot->next;
    if (slot == NULL)
        return NULL;
    slot->next = NULL;
    slot->sighting = (struct mica_sighting){0};
    // The clock belongs to a thread that is not here.
    slot->has_cpu_clock =
        pthread_getcpuclockid(pthread_self(), &slot->cpu_clock) == 0;
    return slot;
}

// Only the forking thread lives on here, and the watchdog does not.
static void
after_fork_in_child(void)
{
    atomic_store(&running, false);
    atomic_store(&sleeping, false);
    (void)pthread_cond_init(&woken, NULL);
    slots = slot_after_fork();
    (void)pthread_mutex_unlock(&lock);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork_in_parent,
                         after_fork_in_child);
}

static int
create_thread(void)
{
    pthread_attr_t attributes;
    int failure = pthread_attr_init(&attributes);
    if (failure != 0)
        return failure;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // Signals are for the program's own threads.
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    failure = pthread_create(&thread, &attributes, watchdog_watch, NULL);
    if (failure == 0)
        (void)pthread_setname_np(thread, "mica-watchdog");
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return failure;
}

enum mica_status
mica_watchdog_start(struct mica_error *error)
{
    if (mica_watchdog_runs())
        return MICA_OK;
    (void)pthread_once(&once, watch_forks);
    (void)pthread_mutex_lock(&lock);
    int failure = atomic_load(&running) ? 0 : create_thread();
    if (failure == 0)
        atomic_store(&running, true);
    (void)pthread_mutex_unlock(&lock);
    if (failure == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "The watchdog thread of the sandbox did not start "
                          "(error %d). Check the limit on threads (ulimit -u).",
                          failure);
}

// ---- The registry ----------------------------------------------------------------------

void
mica_watchdog_add(struct mica_slot *slot)
{
    (void)pthread_mutex_lock(&lock);
    slot->next = slots;
    slots = slot;
    (void)pthread_mutex_unlock(&lock);
}

static void
sandbox_counters_sum(struct mica_sandbox_counters *total,
                     struct mica_slot *slot)
{
    total->calls += atomic_load(&slot->calls);
    total->traps += atomic_load(&slot->traps);
    total->timeouts += atomic_load(&slot->timeouts);
    total->limits += atomic_load(&slot->limits);
    total->cancelled += atomic_load(&slot->cancellations);
}

void
mica_watchdog_remove(struct mica_slot *slot)
{
    (void)pthread_mutex_lock(&lock);
    for (struct mica_slot **at = &slots; *at != NULL; at = &(*at)->next) {
        if (*at == slot) {
            *at = slot->next;
            break;
        }
    }
    sandbox_counters_sum(&ended, slot);
    (void)pthread_mutex_unlock(&lock);
}

struct mica_sandbox_counters
mica_watchdog_counters(void)
{
    (void)pthread_mutex_lock(&lock);
    struct mica_sandbox_counters total = ended;
    for (struct mica_slot *slot = slots; slot != NULL; slot = slot->next)
        sandbox_counters_sum(&total, slot);
    (void)pthread_mutex_unlock(&lock);
    return total;
}
