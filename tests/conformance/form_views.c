// SPDX-License-Identifier: Apache-2.0
//
// A tool whose form has a view, as --form-views and --form-views-off add it: with the first
// the server names the view to clients that answer forms with views.
#include <mica/tool.h>

#include "fixture.h"

MICA_VIEW(seats, .html = "<!doctype html><title>Seats</title>",
          .title = "Seats", .description = "The seats that are free.",
          .border = MICA_BORDERED);

struct seat {
    int64_t row;
    struct mica_text letter;
};
MICA_RECORD(seat, MICA_INTEGER(row, "The row.", .minimum = 1, .maximum = 30),
            MICA_TEXT(letter, "The seat in it.", .min_length = 1,
                      .max_length = 1));

static enum mica_status
choose(struct mica_call *call, const struct mica_nothing *in,
       struct mica_nothing *out)
{
    struct seat seat;

    (void)in;
    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(seat, &seat, .view = &mica_view_seats),
                         "Where do you want to sit?"));
    mica_add_text(call,
                  mica_format(call, "Seat %lld%.*s.", (long long)seat.row,
                              MICA_ARG(seat.letter)),
                  NULL);
    return MICA_OK;
}

MICA_TOOL(choose_seat, mica_nothing, mica_nothing, choose,
          .description = "Asks for a seat.", .requires = MICA_ELICITATION,
          .form_views = MICA_FORM_VIEWS(&mica_view_seats));

enum mica_status
fixture_add_form_views(struct mica_server *server, struct mica_error *error)
{
    return mica_server_add_tool(server, &mica_tool_choose_seat, NULL, error);
}
