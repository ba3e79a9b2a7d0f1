// SPDX-License-Identifier: Apache-2.0
//
// The functions of the system on which mica's threads meet, wait, sleep and read
// clocks. The linker gives them to mica in place of the real ones (meson.build):
// a call of `function` becomes one of __wrap_function.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <time.h>

#include "serve/stop.h"
#include "threads.h"

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *data);
int __wrap_pthread_join(pthread_t thread, void **result_out);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition,
                                  pthread_mutex_t *mutex,
                                  const struct timespec *until);
int __wrap_pthread_cond_signal(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int __real_clock_gettime(clockid_t clock, struct timespec *time_out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time_out);
int __wrap_nanosleep(const struct timespec *wait, struct timespec *left_out);
int __wrap_poll(struct pollfd *descriptors, nfds_t count, int wait_ms);
int __real_epoll_wait(int epoll, struct epoll_event *found, int room,
                      int wait_ms);
int __wrap_epoll_wait(int epoll, struct epoll_event *found, int room,
                      int wait_ms);
unsigned __wrap_mica_stop_count(void);
void __wrap_mica_serving_thread_set(bool serves);
bool __wrap_mica_serving_thread_is(void);

void
__wrap_mica_serving_thread_set(bool serves)
{
    sim_thread_serves(serves);
}

bool
__wrap_mica_serving_thread_is(void)
{
    return sim_thread_is_serving();
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                      void *(*start)(void *), void *data)
{
    (void)attributes;
    *thread = (pthread_t)(uintptr_t)sim_thread_make(start, data);
    return 0;
}

int
__wrap_pthread_join(pthread_t thread, void **result_out)
{
    void *result = sim_thread_join((struct sim_thread *)(uintptr_t)thread);

    if (result_out != NULL)
        *result_out = result;
    return 0;
}

// Outside of all threads no thread holds one.
int
__wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (sim_process_now() == NULL)
        return __real_pthread_mutex_lock(mutex);
    sim_maybe_yield();
    while (pthread_mutex_trylock(mutex) != 0)
        (void)sim_wait(mutex, SIM_NEVER);
    return 0;
}

int
__wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int result = __real_pthread_mutex_unlock(mutex);

    if (sim_process_now() != NULL) {
        sim_rouse(mutex);
        sim_maybe_yield();
    }
    return result;
}

static int
wait_on(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline)
{
    bool in_time;

    (void)__real_pthread_mutex_unlock(mutex);
    sim_rouse(mutex);
    in_time = sim_wait(condition, deadline);
    while (pthread_mutex_trylock(mutex) != 0)
        (void)sim_wait(mutex, SIM_NEVER);
    return in_time ? 0 : ETIMEDOUT;
}

int
__wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait_on(condition, mutex, SIM_NEVER);
}

// All of mica's conditions go by the monotonic clock.
static int64_t
monotonic_ms(const struct timespec *time)
{
    int64_t ms = (int64_t)time->tv_sec * 1000 + time->tv_nsec / 1000000;

    return SIM_BEGIN - 1000000 + ms;
}

int
__wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                              const struct timespec *until)
{
    return wait_on(condition, mutex, monotonic_ms(until));
}

int
__wrap_pthread_cond_signal(pthread_cond_t *condition)
{
    sim_rouse_one(condition);
    return 0;
}

int
__wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
    sim_rouse(condition);
    return 0;
}

// Outside of all threads who measures is the framework of the tests.
int
__wrap_clock_gettime(clockid_t clock, struct timespec *time_out)
{
    bool monotonic =
        clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE;
    int64_t ms = atomic_load(&world.now);

    if (monotonic ? sim_process_now() == NULL
                  : clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return __real_clock_gettime(clock, time_out);
    if (monotonic)
        ms -= SIM_BEGIN - 1000000;
    time_out->tv_sec = (time_t)(ms / 1000);
    time_out->tv_nsec = (long)(ms % 1000) * 1000000;
    return 0;
}

int
__wrap_nanosleep(const struct timespec *wait, struct timespec *left_out)
{
    int64_t ms = (int64_t)wait->tv_sec * 1000 + wait->tv_nsec / 1000000;

    (void)left_out;
    sim_sleep_until(atomic_load(&world.now) + (ms > 0 ? ms : 1));
    return 0;
}

// Either a rest, or a server that waits for its end.
int
__wrap_poll(struct pollfd *descriptors, nfds_t count, int wait_ms)
{
    const struct sim_process *process = sim_process_now();

    (void)descriptors;
    if (count == 0)
        sim_sleep_until(atomic_load(&world.now) + wait_ms);
    else if (!process->ending_asked)
        (void)sim_wait(process, SIM_NEVER);
    return 0;
}

unsigned
__wrap_mica_stop_count(void)
{
    const struct sim_process *process = sim_process_now();

    return process != NULL && process->ending_asked ? 1 : 0;
}

int
__wrap_epoll_wait(int epoll, struct epoll_event *found, int room, int wait_ms)
{
    if (sim_process_now() == NULL || wait_ms == 0)
        return __real_epoll_wait(epoll, found, room, wait_ms);
    return sim_wait_epoll(epoll, found, room,
                          wait_ms < 0 ? SIM_NEVER
                                      : atomic_load(&world.now) + wait_ms);
}
