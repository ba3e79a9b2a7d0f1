// SPDX-License-Identifier: Apache-2.0
//
// A step that is given another struct.
// native
// expect: incompatible pointer type
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
charge(struct mica_server_call *call, const struct a *in, struct a *out)
{
    (void)call;
    out->x = in->x;
    return MICA_OK;
}
MICA_STEP(charge, a, a, charge);

static enum mica_status
run(struct mica_call *call, const struct b *in, struct a *out)
{
    return MICA_RUN_STEP(charge, call, in, out);
}

MICA_TOOL(wrong, b, a, run, .description = "Wrong.");
