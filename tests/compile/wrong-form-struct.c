// SPDX-License-Identifier: Apache-2.0
//
// A form whose answer would go into another struct.
// native
// expect: what is given is no pointer to a struct b
#include <mica/tool.h>

struct a {
    double x;
};
MICA_RECORD(a, MICA_NUMBER(x, "A number."));

struct b {
    bool yes;
};
MICA_RECORD(b, MICA_BOOLEAN(yes, "Yes?"));

static enum mica_status
ask(struct mica_call *call, const struct a *in, struct b *out)
{
    struct a other = *in;

    MICA_TRY(mica_elicit(call, MICA_FORM(b, &other), "Really?"));
    out->yes = other.x > 0;
    return MICA_OK;
}

MICA_TOOL(wrong, a, b, ask, .description = "Wrong.");
