// SPDX-License-Identifier: Apache-2.0
//
// Bookings in SQLite, and a timetable that is computed.
#include "bookings.h"

#include <stdlib.h>
#include <string.h>

static enum mica_status
open_bookings(const char *folder, struct mica_error *error, void **service_out)
{
    return database_open(folder, "bookings.db",
                         "CREATE TABLE IF NOT EXISTS sessions ("
                         " id TEXT PRIMARY KEY, status TEXT NOT NULL) STRICT;"
                         "CREATE TABLE IF NOT EXISTS bookings ("
                         " number INTEGER PRIMARY KEY AUTOINCREMENT,"
                         " key TEXT NOT NULL UNIQUE," // the idempotency key
                         " session TEXT NOT NULL, flight TEXT NOT NULL,"
                         " seat TEXT NOT NULL) STRICT;",
                         error, service_out);
}

const struct mica_service_definition bookings_service = {
    .name = "bookings", .open = open_bookings, .close = database_close};

// ---- The timetable ---------------------------------------------------------------

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
    const struct bookings_flight *left = a, *right = b;

    return (left->price_cents > right->price_cents) -
           (left->price_cents < right->price_cents);
}

size_t
bookings_search(struct mica_text destination, struct mica_date date,
                struct bookings_flight flights_out[BOOKINGS_FLIGHTS])
{
    uint32_t hash = mix(2166136261u, destination.ptr, destination.len);
    size_t count;

    hash = mix(hash, &date, sizeof date);
    count = 3 + hash % 4;
    for (size_t i = 0; i < count; i++) {
        struct bookings_flight *flight = &flights_out[i];
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

// ---- What is kept ------------------------------------------------------------------

enum mica_status
bookings_session(struct database *bookings, struct mica_text session,
                 const char *status, struct mica_error *error)
{
    const struct database_value values[] = {database_text(session),
                                            database_text(mica_text(status))};

    MICA_TRY(database_begin(bookings, error));
    return database_end(
        bookings,
        database_run(bookings,
                     "INSERT INTO sessions (id, status) VALUES (?1, ?2)"
                     " ON CONFLICT (id) DO UPDATE SET status = ?2",
                     values, 2, NULL, error),
        error);
}

enum mica_status
bookings_leave(struct database *bookings, struct mica_text session,
               struct mica_error *error)
{
    const struct database_value values[] = {database_text(session)};

    MICA_TRY(database_begin(bookings, error));
    return database_end(
        bookings,
        database_run(bookings,
                     "UPDATE sessions SET status = '" BOOKINGS_CANCELLED "'"
                     " WHERE id = ?1 AND status = '" BOOKINGS_SEARCHING "'",
                     values, 1, NULL, error),
        error);
}

enum mica_status
bookings_book(struct database *bookings, struct mica_text key,
              struct mica_text session, struct mica_text flight,
              const char *seat, struct mica_error *error, int64_t *number_out)
{
    const struct database_value values[] = {
        database_text(key), database_text(session), database_text(flight),
        database_text(mica_text(seat))};
    enum mica_status status;

    MICA_TRY(database_begin(bookings, error));
    status = database_run(bookings,
                          "INSERT INTO bookings (key, session, flight, seat)"
                          " VALUES (?1, ?2, ?3, ?4)"
                          " ON CONFLICT (key) DO NOTHING",
                          values, 4, NULL, error);
    if (status == MICA_OK)
        status =
            database_run(bookings, "SELECT number FROM bookings WHERE key = ?1",
                         values, 1, number_out, error);
    return database_end(bookings, status, error);
}
