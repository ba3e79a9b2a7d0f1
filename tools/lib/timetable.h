// SPDX-License-Identifier: Apache-2.0
//
// The flights of book_flight: a timetable that is an invention. The same words give the
// same flights.
#ifndef TOOLS_TIMETABLE_H
#define TOOLS_TIMETABLE_H

#include <mica/server.h>

struct timetable_flight {
    char id[16];         // "MC101"
    char departs[8];     // "07:40", local time
    char arrives[8];     // the same
    int64_t price_cents; // in euros, of one seat
};

#define TIMETABLE_FLIGHTS 8

// The flights to a destination on a day, cheapest first; at most TIMETABLE_FLIGHTS.
// Returns how many.
size_t timetable_search(struct mica_text destination, struct mica_date date,
                        struct timetable_flight flights_out[TIMETABLE_FLIGHTS]);

#endif
