// SPDX-License-Identifier: Apache-2.0
//
// The threads of simulated processes, all in one thread of the system. One runs
// until it waits (what mica calls to lock, wait or sleep leads here, by system.c),
// or until chance takes its turn away; which one is next is a matter of chance, too.
// Time moves when no thread can run.
//
// A process that dies is not scheduled any more. At the end of the run it becomes
// a ghost: it continues, cut off from all that outlives it, until it has ended in
// good order, so that whatever it held is given back.
#ifndef MICA_TESTS_SIM_THREADS_H
#define MICA_TESTS_SIM_THREADS_H

#include "world.h"

struct sim_thread;
struct epoll_event;

enum {
    SIM_OWN_BYTES = 128
};

enum sim_life {
    SIM_LIVES,
    SIM_DEAD,
    SIM_GHOST
};

// What threads have in common.
struct sim_process {
    int number;
    enum sim_life life;
    int64_t hangs_until; // none of its threads runs before
    bool ending_asked;   // as by a signal
};

struct sim_threads {
    // Of all points at which a thread may lose its turn, one in so many does; 0:
    // none.
    unsigned restless;
    size_t switches;
};
extern struct sim_threads threads;

void sim_threads_begin(void);

// All threads have ended. Gives back their memory.
void sim_threads_end(void);

// A thread of `process` that runs `run(data)`. No thread joins it.
void sim_thread_start(struct sim_process *process, void (*run)(void *data),
                      void *data);

// Of the thread that runs: NULL outside of all.
struct sim_process *sim_process_now(void);

// A thread of the process that runs now, which another joins.
struct sim_thread *sim_thread_make(void *(*start)(void *data), void *data);
void *sim_thread_join(struct sim_thread *thread);

// One thread runs for a while, or time moves to what is next and that happens.
// False: nothing will ever happen any more.
bool sim_step(void);

// ---- From within a thread ----------------------------------------------------------

// SIM_OWN_BYTES that are the thread's own, zeros at first.
void *sim_own(void);

// Others may run first.
void sim_yield(void);

// Until that time.
void sim_sleep_until(int64_t when);

// No other thread may run between this call and the other.
void sim_hold_turn(void);
void sim_let_turn_go(void);

// By chance, as often as `restless` says.
void sim_maybe_yield(void);

// Waits for `what`, which may be any address, until a thread rouses it, or for that
// long. False: none has in time.
#define SIM_NEVER INT64_MAX
bool sim_wait(const void *what, int64_t deadline);
void sim_rouse(const void *what);     // all that wait for it
void sim_rouse_one(const void *what); // any one of them

// The same for descriptors, as epoll_wait.
int sim_wait_epoll(int epoll, struct epoll_event *found, int room,
                   int64_t deadline);

// The process dies here. Returns only when it is a ghost.
void sim_die(void);

// ---- What is to happen -------------------------------------------------------------

struct sim_event {
    int64_t at;
    uint64_t order; // of two at the same time
    void (*happens)(const struct sim_event *event);
    void *data; // on the heap, or NULL; owned by the event
    int64_t number;
};

// In `delay` ms. Takes `event.data` over.
void sim_post(int64_t delay, struct sim_event event);

// All at once: a clock that was set, or a machine that slept.
void sim_jump(int64_t ms);

// store/serving_thread.h, for the thread that runs now.
void sim_thread_serves(bool serves);
bool sim_thread_is_serving(void);

#endif
