// SPDX-License-Identifier: Apache-2.0
//
// What is set for a field that the form does not have.
// native
// gcc: has no member named 'dihs'; did you mean 'dish'?
// clang: no member named 'dihs' in 'order'
#include <mica/tool.h>

struct order {
    struct mica_text dish;
    int64_t portions;
};
MICA_RECORD(order, MICA_TEXT(dish, "What to eat."),
            MICA_INTEGER(portions, "How many."));

static enum mica_status
ask(struct mica_call *call, const struct mica_nothing *in, struct order *out)
{
    (void)in;
    return mica_elicit(
        call,
        MICA_FORM(order, out, .key = "today",
                  MICA_SET(dihs, .title = "Today's dish"),
                  MICA_SET(portions, .has_maximum = true, .maximum = 2)),
        "What would you like?");
}

MICA_TOOL(lunch, mica_nothing, order, ask, .description = "Lunch.");
