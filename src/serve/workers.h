// SPDX-License-Identifier: Apache-2.0
//
// Worker threads for what may block: native handlers, and engines that need
// more than their inline budget. A thread starts when there is work that no
// waiting one can take, so that an idle server has none.
//
// Threads: every function but open and close may be called from any thread.
#ifndef MICA_SERVE_WORKERS_H
#define MICA_SERVE_WORKERS_H

#include <mica/base.h>

enum {
    // Of every thread that may run an engine: the sandbox needs 2 MiB, a native
    // handler may want some beside it. Untouched pages cost nothing.
    MICA_THREAD_STACK_BYTES = 4 * 1024 * 1024
};

// One piece of work, embedded in whatever it works on. The pool touches it only
// before `run`, so `run` may free it.
struct mica_worker_job {
    struct mica_worker_job *next;
    void (*run)(void *data);
    void *data;
};

struct mica_workers;

// At most `threads` threads, at most `queue` tasks waiting for one.
enum mica_status mica_workers_open(unsigned threads, size_t queue,
                                   struct mica_error *error,
                                   struct mica_workers **workers_out)
    MICA_MUST_USE;

// Queues `task`; waits up to `wait_ms` for a place when the queue is full. False
// when there was none, when the pool closes, or when no thread can be started;
// then nothing has happened.
bool mica_workers_push(struct mica_workers *workers,
                       struct mica_worker_job *task, unsigned wait_ms)
    MICA_MUST_USE;

// Jobs that wait or run.
size_t mica_workers_busy(struct mica_workers *workers);

// Waits until no task waits or runs; false when that took longer.
bool mica_workers_drain(struct mica_workers *workers, unsigned wait_ms)
    MICA_MUST_USE;

// Takes no more tasks (a push is refused), runs those that are queued, and ends
// the threads. The pool stays, for those who may still ask it. False when a task
// had not ended after `wait_ms`.
bool mica_workers_stop(struct mica_workers *workers, unsigned wait_ms)
    MICA_MUST_USE;

// The same, and frees the pool. False
// when a task had not ended after `wait_ms`: then the pool, and what its tasks
// use, must be left as it is, and *workers keeps it.
bool mica_workers_close(struct mica_workers **workers, unsigned wait_ms)
    MICA_MUST_USE;

#endif
