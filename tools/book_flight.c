// SPDX-License-Identifier: Apache-2.0
//
// Books a flight in conversation: looks for flights once, lets the person pick
// one, has the model put it into words, asks whether to book, and books once.
#include <inttypes.h>
#include <mica/tool.h>

#include "lib/bookings.h"

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
    struct bookings_flight flights[BOOKINGS_FLIGHTS];
    struct database *bookings = mica_service(call, "bookings");
    struct flight *items;
    struct mica_error error;

    out->flights.count = bookings_search(in->destination, in->date, flights);
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
    if (bookings_session(bookings, out->session, BOOKINGS_SEARCHING, &error) !=
        MICA_OK)
        return mica_fail(call, "BOOKINGS_UNAVAILABLE", "", "%s", error.message);
    return MICA_OK;
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
    struct mica_error error;

    if (bookings_leave(mica_service(call, "bookings"), found->session,
                       &error) != MICA_OK)
        mica_log(call, MICA_LOG_WARNING, "the session is left open: %s",
                 error.message);
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

static enum mica_status
after(struct mica_server_call *call, const struct found *found,
      const struct choice *choice, struct mica_nothing *out)
{
    struct database *bookings = mica_service(call, "bookings");
    const char *status =
        choice->reason == BOOK ? BOOKINGS_CONFIRMED : BOOKINGS_CANCELLED;
    int64_t number = 0;
    struct mica_error error;

    (void)out;
    if (choice->reason == BOOK &&
        bookings_book(bookings, mica_idempotency_key(call), found->session,
                      choice->flight, mica_choices_seat[choice->seat], &error,
                      &number) != MICA_OK)
        return mica_fail(call, "BOOKINGS_UNAVAILABLE", "", "%s", error.message);
    if (bookings_session(bookings, found->session, status, &error) != MICA_OK)
        return mica_fail(call, "BOOKINGS_UNAVAILABLE", "", "%s", error.message);
    mica_add_text(call,
                  choice->reason == BOOK
                      ? mica_format(call, "Booked flight B%06" PRId64, number)
                      : mica_format(call, "Booking cancelled: %s",
                                    mica_choices_reason[choice->reason]),
                  NULL);
    return MICA_OK;
}

MICA_HANDOFF(book_flight, request, found, choice, mica_nothing, before, client,
             after, .title = "Book a flight",
             .description = "Find a flight to a place on a day, let the person "
                            "pick one and confirm, and book it.",
             .requires = MICA_ELICITATION | MICA_SAMPLING,
             .services = MICA_SERVICES(&bookings_service),
             .hints = MICA_OPEN_WORLD);
