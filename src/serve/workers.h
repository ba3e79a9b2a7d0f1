// SPDX-License-Identifier: Apache-2.0
//
// Worker threads for jobs that may block: native handlers, and engines that need more than
// their inline budget. A thread starts when there is a job and no free thread, so that an idle
// server has no workers.
//
// Threads: every function but open and close may be called from any thread.
#ifndef MICA_SERVE_WORKERS_H
#define MICA_SERVE_WORKERS_H

#include <mica/base.h>

enum {
    // Stack of every thread that may run an engine: the sandbox needs 2 MiB, and a native
    // handler may need more. Unused pages cost nothing.
    MICA_THREAD_STACK_BYTES = 4 * 1024 * 1024
};

// A job, embedded in the object that it works on. The pool uses it only before `run`, so
// `run` may free it.
struct mica_worker_job {
    struct mica_worker_job *next;
    void (*run)(void *data);
    void *data;
};

struct mica_workers;

// Opens a pool with at most `threads` threads and `queue` waiting jobs.
enum mica_status mica_workers_open(unsigned threads, size_t queue,
                                   struct mica_error *error,
                                   struct mica_workers **workers_out)
    MICA_MUST_USE;

// Queues `job`; if the queue is full, waits for at most `wait_ms`. Returns false if the queue
// is still full, the pool closes, or no thread can start; then the job does not run.
bool mica_workers_push(struct mica_workers *workers,
                       struct mica_worker_job *job, unsigned wait_ms)
    MICA_MUST_USE;

// For a job that may leave its thread before its work is done, and be queued again by
// another thread. From _hold to _release the pool does not close, whether the job runs or
// not. _return queues it again, beyond the limit of the queue, as it had a place.
void mica_workers_hold(struct mica_workers *workers);
void mica_workers_return(struct mica_workers *workers,
                         struct mica_worker_job *job);
void mica_workers_release(struct mica_workers *workers);

// Jobs that wait or run, or are held.
size_t mica_workers_busy(struct mica_workers *workers);

// Waits until no job waits, runs or is held. Returns false if that takes longer than `wait_ms`.
bool mica_workers_drain(struct mica_workers *workers, unsigned wait_ms)
    MICA_MUST_USE;

// Refuses further jobs, runs the queued ones, and ends the threads. Other threads may still
// call the pool. Returns false if a job has not ended after `wait_ms`.
bool mica_workers_stop(struct mica_workers *workers, unsigned wait_ms)
    MICA_MUST_USE;

// Stops the pool and frees it. Returns false if a job has not ended after `wait_ms`: then it
// frees nothing, *workers is unchanged, and the caller must not free what the jobs use.
bool mica_workers_close(struct mica_workers **workers, unsigned wait_ms)
    MICA_MUST_USE;

#endif
