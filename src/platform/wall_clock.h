// SPDX-License-Identifier: Apache-2.0
//
// The time of day, for what outlives a process or is read by people: expiry times, logs,
// tokens. It can be set back and forth; time-outs and durations take platform/clock.h.
#ifndef MICA_PLATFORM_WALL_CLOCK_H
#define MICA_PLATFORM_WALL_CLOCK_H

#include <stdint.h>
#include <time.h>

// Milliseconds since 1970, UTC, without leap seconds.
static inline int64_t
mica_wall_clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// To the tick of the kernel (a few milliseconds), at a third of the price.
static inline int64_t
mica_wall_clock_coarse_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
