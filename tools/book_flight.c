// SPDX-License-Identifier: Apache-2.0
//
// Books a flight in conversation: looks for flights once, lets the person pick
// one, has the model put it into words, asks whether to book, and books once. What it
// keeps is in its own database: each search is a session, and ends as a booking or not.
#include <inttypes.h>
#include <mica/keep.h>

#include "lib/timetable.h"

struct request {
    struct mica_text destination;
    struct mica_date date;
};
MICA_RECORD(request,
            MICA_TEXT(destination, "Where to: a city or an airport.",
                      .min_length = 1, .max_length = 80),
            MICA_DATE(date, "The day of the flight."));

// ---- What is found, chosen and booked -------------------------------------------

struct flight {
    struct mica_text id, departs, arrives;
    double price;
};
MICA_RECORD(flight, MICA_TEXT(id, "Number of the flight."),
            MICA_TEXT(departs, "Local time."), MICA_TEXT(arrives, "The same."),
            MICA_NUMBER(price, "Of one seat, in euros."));

struct found {
    struct mica_text session, destination;
    struct {
        size_t count;
        const struct flight *items;
    } flights;
};
MICA_RECORD(found, MICA_TEXT(session, "Of this search."),
            MICA_TEXT(destination, "As it was asked for."),
            MICA_LIST(flights, flight, "Cheapest first."));

enum seat {
    WINDOW,
    AISLE,
    ANY_SEAT
};
MICA_CHOICES(seat, [WINDOW] = "window", [AISLE] = "aisle", [ANY_SEAT] = "none");

// The form: which flight there is to pick from is set when it is asked.
struct selection {
    struct mica_text flightId;
    enum seat seatPreference;
};
MICA_RECORD(selection, MICA_TEXT(flightId, "The flight to take."),
            MICA_CHOICE(seatPreference, seat, "Where to sit.",
                        .fallback = MICA_JSON("none")));

struct confirmation {
    bool confirmed;
};
MICA_RECORD(confirmation, MICA_BOOLEAN(confirmed, "Book this flight?"));

enum reason {
    BOOK,
    USER_DECLINED,
    USER_DISMISSED,
    NOT_CONFIRMED
};
MICA_CHOICES(
    reason, [BOOK] = "book", [USER_DECLINED] = "user_declined",
    [USER_DISMISSED] = "user_dismissed", [NOT_CONFIRMED] = "not_confirmed");

struct choice {
    enum reason reason; // BOOK: the others say why not
    struct mica_text flight;
    enum seat seat;
};
MICA_RECORD(choice, MICA_CHOICE(reason, reason, "Whether to book, or why not."),
            MICA_TEXT(flight, "Number of the flight, or empty."),
            MICA_CHOICE(seat, seat, "Where to sit."));

// ---- Once: look ------------------------------------------------------------------

static enum mica_status
before(struct mica_server_call *call, const struct request *in,
       struct found *out)
{
    struct timetable_flight flights[TIMETABLE_FLIGHTS];
    struct flight *items;

    out->flights.count = timetable_search(in->destination, in->date, flights);
    items = MICA_NEW(call, struct flight, out->flights.count);
    for (size_t i = 0; i < out->flights.count; i++) {
        items[i].id = mica_format(call, "%s", flights[i].id);
        items[i].departs = mica_format(call, "%s", flights[i].departs);
        items[i].arrives = mica_format(call, "%s", flights[i].arrives);
        items[i].price = (double)flights[i].price_cents / 100;
    }
    out->flights.items = items;
    out->destination = in->destination;
    out->session = mica_idempotency_key(call);
    return mica_sql(call,
                    &(struct mica_sql){.key = "session",
                                       .run = MICA_RUN(MICA_SQL(
                                           "INSERT INTO sessions (id, status)"
                                           " VALUES (?1, 'searching')",
                                           out->session))},
                    (struct mica_into){NULL, NULL});
}

// ---- The conversation --------------------------------------------------------------

static const struct mica_option *
flight_options(struct mica_client_call *call, const struct found *found)
{
    struct mica_option *options =
        MICA_NEW(call, struct mica_option, found->flights.count);

    for (size_t i = 0; i < found->flights.count; i++) {
        const struct flight *flight = &found->flights.items[i];
        options[i].value = flight->id;
        options[i].title = mica_format(
            call, "%.*s, %.*s to %.*s, %s EUR", MICA_ARG(flight->id),
            MICA_ARG(flight->departs), MICA_ARG(flight->arrives),
            mica_fixed(call, flight->price, 2));
    }
    return options;
}

static enum mica_status
summarize(struct mica_client_call *call, const struct found *found,
          const struct selection *pick, struct mica_text *summary)
{
    return mica_sample(
        call,
        &(struct mica_sampling){
            .key = "summary",
            .prompt = mica_format(
                call,
                "Summarize in one sentence: flight %.*s to %.*s, seat: "
                "%s.",
                MICA_ARG(pick->flightId), MICA_ARG(found->destination),
                mica_choices_seat[pick->seatPreference]),
            .max_tokens = 100},
        summary);
}

// After a conversation that broke off, `after` does not run.
static void
leave(struct mica_server_call *call, const void *data)
{
    const struct found *found = data;
    enum mica_status status = mica_sql(
        call,
        &(struct mica_sql){
            .run = MICA_RUN(MICA_SQL("UPDATE sessions SET status = 'cancelled'"
                                     " WHERE id = ?1 AND status = 'searching'",
                                     found->session))},
        (struct mica_into){NULL, NULL});

    if (status != MICA_OK)
        mica_log(call, MICA_LOG_WARNING, "the session is left open: %s",
                 mica_status_meaning(status));
}

static enum mica_status
client(struct mica_client_call *call, const struct found *found,
       struct choice *out)
{
    struct selection pick;
    struct confirmation sure;
    struct mica_text summary;
    enum mica_action action;

    mica_defer(call, "leave", leave, found);
    mica_log(call, MICA_LOG_INFO, "Found %zu flights", found->flights.count);
    MICA_TRY(mica_elicit_action(
        call,
        MICA_FORM(selection, &pick,
                  MICA_SET(flightId, .options = flight_options(call, found),
                           .option_count = found->flights.count)),
        &action, "Found %zu flights to %.*s. Pick one:", found->flights.count,
        MICA_ARG(found->destination)));
    if (action != MICA_ACCEPTED) {
        out->reason = action == MICA_DECLINED ? USER_DECLINED : USER_DISMISSED;
        return MICA_OK;
    }
    MICA_TRY(summarize(call, found, &pick, &summary));
    MICA_TRY(mica_elicit_action(call, MICA_FORM(confirmation, &sure), &action,
                                "%.*s\n\nConfirm this booking?",
                                MICA_ARG(summary)));
    out->reason =
        action == MICA_ACCEPTED && sure.confirmed ? BOOK : NOT_CONFIRMED;
    out->flight = pick.flightId;
    out->seat = pick.seatPreference;
    return MICA_OK;
}

// ---- Once: book --------------------------------------------------------------------

struct booked {
    int64_t number;
};
MICA_RECORD(booked, MICA_INTEGER(number, "Of the booking."));

static enum mica_status
book(struct mica_server_call *call, const struct found *found,
     const struct choice *choice)
{
    struct booked booked;

    MICA_TRY(mica_sql(
        call,
        &(struct mica_sql){
            .key = "book",
            .run =
                MICA_RUN(MICA_SQL("INSERT INTO bookings (session, flight, seat)"
                                  " VALUES (?1, ?2, ?3) RETURNING number",
                                  found->session, choice->flight,
                                  mica_choices_seat[choice->seat]),
                         MICA_SQL("UPDATE sessions SET status = 'confirmed'"
                                  " WHERE id = ?1",
                                  found->session))},
        MICA_INTO(booked, &booked)));
    mica_add_text(call,
                  mica_format(call, "Booked flight B%06" PRId64, booked.number),
                  NULL);
    return MICA_OK;
}

static enum mica_status
after(struct mica_server_call *call, const struct found *found,
      const struct choice *choice, struct mica_nothing *out)
{
    (void)out;
    if (choice->reason == BOOK)
        return book(call, found, choice);
    MICA_TRY(mica_sql(
        call,
        &(struct mica_sql){
            .key = "cancel",
            .run = MICA_RUN(MICA_SQL("UPDATE sessions SET status = 'cancelled'"
                                     " WHERE id = ?1",
                                     found->session))},
        (struct mica_into){NULL, NULL}));
    mica_add_text(call,
                  mica_format(call, "Booking cancelled: %s",
                              mica_choices_reason[choice->reason]),
                  NULL);
    return MICA_OK;
}

MICA_HANDOFF(
    book_flight, request, found, choice, mica_nothing, before, client, after,
    .title = "Book a flight",
    .description = "Find a flight to a place on a day, let the person "
                   "pick one and confirm, and book it.",
    .requires = MICA_ELICITATION | MICA_SAMPLING, .keeps = MICA_KEEPS_OWN,
    .tables = MICA_TABLES("CREATE TABLE sessions (id TEXT PRIMARY KEY,"
                          " status TEXT NOT NULL) STRICT",
                          "CREATE TABLE bookings (number INTEGER PRIMARY KEY"
                          " AUTOINCREMENT, session TEXT NOT NULL UNIQUE"
                          " REFERENCES sessions, flight TEXT NOT NULL,"
                          " seat TEXT NOT NULL) STRICT"),
    .hints = MICA_OPEN_WORLD);
