// SPDX-License-Identifier: Apache-2.0
// mica: libraries sqlite3
//
// Bookings in SQLite. One connection behind a lock: a tool that books is not in
// such a hurry that it would need more.
#include "bookings.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct bookings {
    sqlite3 *db;
    pthread_mutex_t lock; // of the connection
};

static enum mica_status
fail(struct bookings *bookings, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "", "bookings: %s",
                          sqlite3_errmsg(bookings->db));
}

// ---- Opening -------------------------------------------------------------------

static void
close_bookings(void *service)
{
    struct bookings *bookings = service;

    sqlite3_close(bookings->db);
    pthread_mutex_destroy(&bookings->lock);
    free(bookings);
}

static enum mica_status
open_file(struct bookings *bookings, const char *folder,
          struct mica_error *error)
{
    char *path = sqlite3_mprintf("%s/bookings.db", folder);
    int code = SQLITE_NOMEM;

    if (path != NULL)
        code = sqlite3_open(path, &bookings->db);
    sqlite3_free(path);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(bookings->db, 5000);
    if (code == SQLITE_OK)
        code =
            sqlite3_exec(bookings->db,
                         "PRAGMA journal_mode = WAL;"
                         "CREATE TABLE IF NOT EXISTS sessions ("
                         " id TEXT PRIMARY KEY, status TEXT NOT NULL) STRICT;"
                         "CREATE TABLE IF NOT EXISTS bookings ("
                         " number INTEGER PRIMARY KEY AUTOINCREMENT,"
                         " key TEXT NOT NULL UNIQUE," // the idempotency key
                         " session TEXT NOT NULL, flight TEXT NOT NULL,"
                         " seat TEXT NOT NULL) STRICT;",
                         NULL, NULL, NULL);
    return code == SQLITE_OK ? MICA_OK : fail(bookings, error);
}

static enum mica_status
open_bookings(const char *folder, struct mica_error *error, void **service_out)
{
    struct bookings *bookings = calloc(1, sizeof *bookings);
    enum mica_status status;

    if (bookings == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    pthread_mutex_init(&bookings->lock, NULL);
    status = open_file(bookings, folder, error);
    if (status == MICA_OK)
        *service_out = bookings;
    else
        close_bookings(bookings);
    return status;
}

const struct mica_service_definition bookings_service = {
    .name = "bookings", .open = open_bookings, .close = close_bookings};

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

static enum mica_status
bind(struct bookings *bookings, sqlite3_stmt *statement, int index,
     struct mica_text text, struct mica_error *error)
{
    return sqlite3_bind_text64(statement, index, text.ptr, text.len,
                               SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK
               ? MICA_OK
               : fail(bookings, error);
}

// Runs one statement on texts; a number that it returns is in *number_out.
static enum mica_status
run(struct bookings *bookings, const char *sql, const struct mica_text *texts,
    int count, int64_t *number_out, struct mica_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum mica_status status = MICA_OK;
    int code;

    if (sqlite3_prepare_v2(bookings->db, sql, -1, &statement, NULL) !=
        SQLITE_OK)
        return fail(bookings, error);
    for (int i = 0; i < count && status == MICA_OK; i++)
        status = bind(bookings, statement, i + 1, texts[i], error);
    if (status == MICA_OK) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW && number_out != NULL)
            *number_out = sqlite3_column_int64(statement, 0);
        else if (code != SQLITE_DONE)
            status = fail(bookings, error);
    }
    sqlite3_finalize(statement);
    return status;
}

enum mica_status
bookings_session(struct bookings *bookings, struct mica_text session,
                 const char *status, struct mica_error *error)
{
    const struct mica_text texts[] = {session, mica_text(status)};
    enum mica_status done;

    pthread_mutex_lock(&bookings->lock);
    done = run(bookings,
               "INSERT INTO sessions (id, status) VALUES (?1, ?2)"
               " ON CONFLICT (id) DO UPDATE SET status = ?2",
               texts, 2, NULL, error);
    pthread_mutex_unlock(&bookings->lock);
    return done;
}

enum mica_status
bookings_book(struct bookings *bookings, struct mica_text key,
              struct mica_text session, struct mica_text flight,
              const char *seat, struct mica_error *error,
              char number_out[BOOKINGS_NUMBER])
{
    const struct mica_text texts[] = {key, session, flight, mica_text(seat)};
    enum mica_status status;
    int64_t number = 0;

    pthread_mutex_lock(&bookings->lock);
    status = run(bookings,
                 "INSERT INTO bookings (key, session, flight, seat)"
                 " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key) DO NOTHING",
                 texts, 4, NULL, error);
    if (status == MICA_OK)
        status = run(bookings, "SELECT number FROM bookings WHERE key = ?1",
                     texts, 1, &number, error);
    pthread_mutex_unlock(&bookings->lock);
    (void)sqlite3_snprintf(BOOKINGS_NUMBER, number_out, "B%06lld",
                           (long long)number);
    return status;
}
