// SPDX-License-Identifier: Apache-2.0
//
// One lock, one queue, one condition per direction. A thread has the lock only while it
// takes a job from the queue or appends one, not while the job runs, which may take minutes.
#include "serve/workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "platform/clock.h"
#include "serve/stop.h"

struct mica_workers {
    pthread_mutex_t lock;
    pthread_cond_t work;  // a job was queued, or the pool closes
    pthread_cond_t space; // a thread has begun or ended a job
    struct mica_worker_job *head, **tail;
    size_t queued, queue_max;
    size_t running, waiting; // threads with a job, threads without one
    size_t held;             // jobs that may come back
    bool closing;
    unsigned thread_count, thread_max;
    pthread_t threads[];
};

static void
init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

enum mica_status
mica_workers_open(unsigned threads, size_t queue, struct mica_error *error,
                  struct mica_workers **workers_out)
{
    struct mica_workers *workers =
        calloc(1, sizeof *workers + threads * sizeof workers->threads[0]);

    if (workers == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for %u worker threads", threads);
    pthread_mutex_init(&workers->lock, NULL);
    init_condition(&workers->work);
    init_condition(&workers->space);
    workers->tail = &workers->head;
    workers->queue_max = queue;
    workers->thread_max = threads;
    *workers_out = workers;
    return MICA_OK;
}

// With the lock held and a job in the queue.
static struct mica_worker_job *
workers_pop(struct mica_workers *workers)
{
    struct mica_worker_job *job = workers->head;

    workers->head = job->next;
    if (workers->head == NULL)
        workers->tail = &workers->head;
    workers->queued--;
    workers->running++;
    pthread_cond_broadcast(&workers->space);
    return job;
}

static void *
workers_work(void *data)
{
    struct mica_workers *workers = data;

    pthread_mutex_lock(&workers->lock);
    for (;;) {
        workers->waiting++;
        while (workers->head == NULL &&
               !(workers->closing && workers->held == 0))
            pthread_cond_wait(&workers->work, &workers->lock);
        workers->waiting--;
        if (workers->head == NULL)
            break;
        struct mica_worker_job *job = workers_pop(workers);
        pthread_mutex_unlock(&workers->lock);
        job->run(job->data);
        pthread_mutex_lock(&workers->lock);
        workers->running--;
        pthread_cond_broadcast(&workers->space);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

// With the lock held.
static bool
start_thread(struct mica_workers *workers)
{
    pthread_attr_t attributes;
    sigset_t before;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, MICA_THREAD_STACK_BYTES);
    mica_stop_block(&before);
    int failed = pthread_create(&workers->threads[workers->thread_count],
                                &attributes, workers_work, workers);
    mica_stop_unblock(&before);
    pthread_attr_destroy(&attributes);
    if (failed == 0)
        workers->thread_count++;
    return failed == 0;
}

// With the lock held: waits for a change until `deadline`.
static bool
wait_for_space(struct mica_workers *workers, const struct timespec *deadline)
{
    return pthread_cond_timedwait(&workers->space, &workers->lock, deadline) ==
           0;
}

// With the lock held. Returns false if there is no thread for the job.
static bool
workers_append(struct mica_workers *workers, struct mica_worker_job *job)
{
    // A waiting thread that was woken for an earlier job is not free.
    if (workers->waiting <= workers->queued &&
        workers->thread_count < workers->thread_max)
        (void)start_thread(
            workers); // if this fails, another thread runs the job
    if (workers->thread_count == 0)
        return false;
    job->next = NULL;
    *workers->tail = job;
    workers->tail = &job->next;
    workers->queued++;
    pthread_cond_signal(&workers->work);
    return true;
}

bool
mica_workers_push(struct mica_workers *workers, struct mica_worker_job *job,
                  unsigned wait_ms)
{
    struct timespec deadline = mica_clock_after(wait_ms);
    bool pushed = false;

    pthread_mutex_lock(&workers->lock);
    while (workers->queued >= workers->queue_max && !workers->closing &&
           wait_ms > 0) {
        if (!wait_for_space(workers, &deadline))
            break;
    }
    if (workers->closing || workers->queued >= workers->queue_max)
        goto out;
    pushed = workers_append(workers, job);
out:
    pthread_mutex_unlock(&workers->lock);
    return pushed;
}

// ---- Jobs that leave ---------------------------------------------------------------

void
mica_workers_hold(struct mica_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    workers->held++;
    pthread_mutex_unlock(&workers->lock);
}

void
mica_workers_release(struct mica_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    workers->held--;
    pthread_cond_broadcast(&workers->space);
    if (workers->closing)
        pthread_cond_broadcast(&workers->work);
    pthread_mutex_unlock(&workers->lock);
}

void
mica_workers_return(struct mica_workers *workers, struct mica_worker_job *job)
{
    bool queued;

    pthread_mutex_lock(&workers->lock);
    queued = workers_append(workers, job);
    pthread_mutex_unlock(&workers->lock);
    MICA_ASSERT(
        queued); // a thread has run it before, and none ends while it is held
}

// With the lock held: jobs that wait, run or are away. A job that is held may be any of these.
static size_t
workers_count(const struct mica_workers *workers)
{
    size_t here = workers->queued + workers->running;

    return here > workers->held ? here : workers->held;
}

size_t
mica_workers_busy(struct mica_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    size_t busy = workers_count(workers);
    pthread_mutex_unlock(&workers->lock);
    return busy;
}

bool
mica_workers_drain(struct mica_workers *workers, unsigned wait_ms)
{
    struct timespec deadline = mica_clock_after(wait_ms);
    bool in_time = true;

    pthread_mutex_lock(&workers->lock);
    while (workers_count(workers) > 0 && in_time)
        in_time = wait_for_space(workers, &deadline);
    bool idle = workers_count(workers) == 0;
    pthread_mutex_unlock(&workers->lock);
    return idle;
}

bool
mica_workers_stop(struct mica_workers *workers, unsigned wait_ms)
{
    pthread_mutex_lock(&workers->lock);
    workers->closing = true;
    pthread_cond_broadcast(&workers->work);
    pthread_cond_broadcast(&workers->space);
    pthread_mutex_unlock(&workers->lock);
    if (!mica_workers_drain(workers, wait_ms))
        return false;
    for (unsigned i = 0; i < workers->thread_count; i++)
        pthread_join(workers->threads[i], NULL);
    workers->thread_count = 0; // no more threads start
    return true;
}

bool
mica_workers_close(struct mica_workers **workers, unsigned wait_ms)
{
    struct mica_workers *self = *workers;

    if (self == NULL)
        return true;
    if (!mica_workers_stop(self, wait_ms))
        return false;
    pthread_cond_destroy(&self->space);
    pthread_cond_destroy(&self->work);
    pthread_mutex_destroy(&self->lock);
    free(self);
    *workers = NULL;
    return true;
}
