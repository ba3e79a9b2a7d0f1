// SPDX-License-Identifier: Apache-2.0
//
// The service "bookings": flights, the sessions in which people look for one, and
// what they have booked, in a SQLite file of its own. What has an effect takes the
// idempotency key of the step that it belongs to, and a key that was seen before
// changes nothing: so a step that was cut off may run again.
//
// Threads: any number at once.
#ifndef TOOLS_BOOKINGS_H
#define TOOLS_BOOKINGS_H

#include <mica/server.h>

#include "database.h"

// Opens $folder/bookings.db: what mica_service gives is a struct database.
extern const struct mica_service_definition bookings_service;

struct bookings_flight {
    char id[16];         // "MC101"
    char departs[8];     // "07:40", local time
    char arrives[8];     // the same
    int64_t price_cents; // in euros, of one seat
};

#define BOOKINGS_FLIGHTS 8

// The flights to a destination on a day, cheapest first; at most
// BOOKINGS_FLIGHTS. The timetable is an invention: the same words give the same
// flights. Returns how many.
size_t bookings_search(struct mica_text destination, struct mica_date date,
                       struct bookings_flight flights_out[BOOKINGS_FLIGHTS]);

// Where a session stands.
#define BOOKINGS_SEARCHING "searching"
#define BOOKINGS_CONFIRMED "confirmed"
#define BOOKINGS_CANCELLED "cancelled"

// Begins or moves a session. Errors: MICA_E_IO.
enum mica_status bookings_session(struct database *bookings,
                                  struct mica_text session, const char *status,
                                  struct mica_error *error) MICA_MUST_USE;

// Cancels a session that is still searching.
// Errors: MICA_E_IO.
enum mica_status bookings_leave(struct database *bookings,
                                struct mica_text session,
                                struct mica_error *error) MICA_MUST_USE;

// Books a seat, or finds what was booked with this key; gives its number.
// Errors: MICA_E_IO.
enum mica_status bookings_book(struct database *bookings, struct mica_text key,
                               struct mica_text session,
                               struct mica_text flight, const char *seat,
                               struct mica_error *error, int64_t *number_out)
    MICA_MUST_USE;

#endif
