// SPDX-License-Identifier: Apache-2.0
//
// A clean-up that would be forgotten.
// native
// expect: name clean-ups in `client`
#include <mica/tool.h>

struct a {
    double x;
};
MICA_RECORD(a, MICA_NUMBER(x, "A number."));

static void
clean(struct mica_server_call *call, const void *data)
{
    (void)call, (void)data;
}

static enum mica_status
before(struct mica_server_call *call, const struct a *in, struct a *out)
{
    mica_defer(call, "clean", clean, NULL);
    out->x = in->x;
    return MICA_OK;
}

static enum mica_status
client(struct mica_client_call *call, const struct a *found, struct a *out)
{
    (void)found;
    (void)out;
    return mica_elicit(call, MICA_FORM(a, out), "How many?");
}

static enum mica_status
after(struct mica_server_call *call, const struct a *found,
      const struct a *choice, struct a *out)
{
    (void)call, (void)found;
    out->x = choice->x;
    return MICA_OK;
}

MICA_HANDOFF(wrong, a, a, a, a, before, client, after, .description = "Wrong.");
