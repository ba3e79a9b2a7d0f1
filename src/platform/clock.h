// SPDX-License-Identifier: Apache-2.0
//
// The monotonic clock, for time-outs and durations. Never the time of day, which is in
// platform/wall_clock.h.
#ifndef MICA_PLATFORM_CLOCK_H
#define MICA_PLATFORM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t
mica_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Signed, for deadlines from which a moment is subtracted.
static inline int64_t
mica_clock_ms(void)
{
    return (int64_t)(mica_clock_ns() / 1000000u);
}

// To the tick of the kernel (a few milliseconds), at a third of the price.
static inline uint64_t
mica_clock_coarse_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

// The moment `ms` from now, for pthread_cond_timedwait on that clock.
static inline struct timespec
mica_clock_after(unsigned ms)
{
    uint64_t then = mica_clock_ns() + (uint64_t)ms * 1000000u;

    return (struct timespec){.tv_sec = (time_t)(then / 1000000000u),
                             .tv_nsec = (long)(then % 1000000000u)};
}

#endif
