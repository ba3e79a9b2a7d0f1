// SPDX-License-Identifier: Apache-2.0
//
// Stands in for tools/lib/bookings.c: flights that are known, and what is booked is
// counted. A booking is found again by its key, as in the real one.
#include <mica/server.h>

#include "../../tools/lib/bookings.h"
#include "world.h"

// A node gives it to its server, which so never opens it.
const struct mica_service_definition bookings_service = {.name = "bookings"};

// Clients ask for a flight to their own number; it comes first in the name of a
// session, so that all that follows is known to be theirs.
static int64_t searching;

size_t
bookings_search(struct mica_text destination, struct mica_date date,
                struct bookings_flight flights_out[BOOKINGS_FLIGHTS])
{
    (void)date;
    SIM_MUST(mica_integer_read(destination, &searching), "no number");
    flights_out[0] = (struct bookings_flight){"MC1", "07:00", "09:00", 9900};
    flights_out[1] = (struct bookings_flight){"MC2", "17:00", "19:00", 8800};
    return 2;
}

static int64_t
owner_of(struct mica_text session)
{
    static struct {
        char session[200];
        int64_t who;
    } known[SIM_EFFECTS];
    static size_t next;

    for (size_t i = 0; i < MICA_COUNT(known); i++) {
        if (mica_text_is(session, known[i].session))
            return known[i].who;
    }
    snprintf(known[next].session, sizeof known[next].session, "%.*s",
             MICA_ARG(session));
    known[next].who = searching;
    next = (next + 1) % MICA_COUNT(known);
    return searching;
}

enum mica_status
bookings_session(struct database *bookings, struct mica_text session,
                 const char *status, struct mica_error *error)
{
    char key[200];

    (void)bookings;
    (void)error;
    snprintf(key, sizeof key, "%.*s %s", MICA_ARG(session), status);
    sim_effect_of_key(mica_text(key), status, owner_of(session));
    return MICA_OK;
}

// Changes nothing that a client could notice: what ended well is no more searching.
enum mica_status
bookings_leave(struct database *bookings, struct mica_text session,
               struct mica_error *error)
{
    (void)bookings;
    (void)session;
    (void)error;
    return MICA_OK;
}

enum mica_status
bookings_book(struct database *bookings, struct mica_text key,
              struct mica_text session, struct mica_text flight,
              const char *seat, struct mica_error *error, int64_t *number_out)
{
    (void)bookings;
    (void)flight;
    (void)seat;
    (void)error;
    sim_effect_of_key(key, "book", owner_of(session));
    *number_out = 1000 + owner_of(session);
    return MICA_OK;
}
