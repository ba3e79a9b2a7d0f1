// SPDX-License-Identifier: Apache-2.0
//
// The monotonic clock, for how long to wait for others. What is stored gets its
// times from the caller. (src/serve has such a clock, too, but lies below.)
#ifndef MICA_STORE_CLOCK_H
#define MICA_STORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t
mica_store_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The moment `ms` from now, for pthread_cond_timedwait on that clock.
static inline struct timespec
mica_store_clock_after(unsigned ms)
{
    uint64_t then = mica_store_clock_ns() + (uint64_t)ms * 1000000u;

    return (struct timespec){.tv_sec = (time_t)(then / 1000000000u),
                             .tv_nsec = (long)(then % 1000000000u)};
}

#endif
