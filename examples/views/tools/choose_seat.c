// SPDX-License-Identifier: Apache-2.0
//
// Asks for a seat on a flight: a tool whose form is shown by a view. The document of the
// view is choose_seat.html beside this file. A client without such views shows the form:
// a list of the free seats.
#include <mica/tool.h>

enum {
    ROWS = 10,
    SEATS = ROWS * 6
};
static const char letters[] = "ABCDEF";

struct request {
    struct mica_text flight;
};
MICA_RECORD(request, MICA_TEXT(flight, "The number of the flight.",
                               .min_length = 2, .max_length = 8));

struct seat {
    struct mica_text seat;
    bool bag;
};
MICA_RECORD(seat, MICA_TEXT(seat, "Where to sit.", .title = "Seat"),
            MICA_BOOLEAN(bag, "Keep room for a bag above the seat.",
                         .title = "Bag", .fallback = "false"));

// Which seats of a flight are taken: a stand-in for an airline, always the same.
static bool
is_taken(struct mica_text flight, int seat)
{
    unsigned hash = 17 + (unsigned)seat * 31;

    for (size_t i = 0; i < flight.len; i++)
        hash = hash * 33 + (unsigned char)flight.ptr[i];
    hash ^= hash >> 7;
    return hash % 5 < 2;
}

// The free seats, with words for people.
static const struct mica_option *
free_seats(struct mica_call *call, struct mica_text flight, size_t *count_out)
{
    static const char *const places[] = {"window", "middle", "aisle"};
    struct mica_option *options = MICA_NEW(call, struct mica_option, SEATS);
    size_t count = 0;

    for (int seat = 0; seat < SEATS; seat++) {
        int column = seat % 6;
        if (is_taken(flight, seat))
            continue;
        options[count].value =
            mica_format(call, "%d%c", seat / 6 + 1, letters[column]);
        options[count].title =
            mica_format(call, "%.*s, %s", MICA_ARG(options[count].value),
                        places[column < 3 ? column : 5 - column]);
        count++;
    }
    *count_out = count;
    return options;
}

MICA_VIEW(seat_map, .file = "choose_seat.html", .title = "Seats",
          .description = "The seats of the cabin, of which the person picks "
                         "one that is free.",
          .border = MICA_BORDERED);

static enum mica_status
choose_seat(struct mica_call *call, const struct request *in, struct seat *out)
{
    const struct mica_option *options;
    size_t count;

    options = free_seats(call, in->flight, &count);
    return mica_elicit(
        call,
        MICA_FORM(seat, out, .view = &mica_view_seat_map,
                  MICA_SET(seat, .options = options, .option_count = count)),
        "Which seat do you want on %.*s?", MICA_ARG(in->flight));
}

MICA_TOOL(choose_seat, request, seat, choose_seat, .title = "Choose a seat",
          .description = "Ask the person for a free seat on a flight.",
          .requires = MICA_ELICITATION,
          .form_views = MICA_FORM_VIEWS(&mica_view_seat_map));
