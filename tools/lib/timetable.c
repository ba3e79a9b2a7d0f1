// SPDX-License-Identifier: Apache-2.0
//
// See timetable.h.
#include "timetable.h"

#include <stdlib.h>
#include <string.h>

// FNV-1a: the same destination and day give the same flights.
static uint32_t
mix(uint32_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 16777619u;
    return hash;
}

static void
write_time(char out[8], uint32_t minutes)
{
    uint32_t hour = minutes / 60 % 24, minute = minutes % 60;

    out[0] = (char)('0' + hour / 10);
    out[1] = (char)('0' + hour % 10);
    out[2] = ':';
    out[3] = (char)('0' + minute / 10);
    out[4] = (char)('0' + minute % 10);
    out[5] = '\0';
}

static int
by_price(const void *a, const void *b)
{
    const struct timetable_flight *left = a, *right = b;

    return (left->price_cents > right->price_cents) -
           (left->price_cents < right->price_cents);
}

size_t
timetable_search(struct mica_text destination, struct mica_date date,
                 struct timetable_flight flights_out[TIMETABLE_FLIGHTS])
{
    uint32_t hash = mix(2166136261u, destination.ptr, destination.len);
    size_t count;

    hash = mix(hash, &date, sizeof date);
    count = 3 + hash % 4;
    for (size_t i = 0; i < count; i++) {
        struct timetable_flight *flight = &flights_out[i];
        uint32_t departs, number;
        hash = mix(hash, &i, sizeof i);
        departs = 360 + hash % 900 / 5 * 5;
        number = 100 + (uint32_t)i * 100 + hash % 100;
        memcpy(flight->id, "MC", 2);
        for (unsigned digit = 0; digit < 3; digit++) {
            flight->id[4 - digit] = (char)('0' + number % 10);
            number /= 10;
        }
        flight->id[5] = '\0';
        write_time(flight->departs, departs);
        write_time(flight->arrives, departs + 75 + hash % 200);
        flight->price_cents = 4900 + (int64_t)(hash % 30000);
    }
    qsort(flights_out, count, sizeof flights_out[0], by_price);
    return count;
}
