// SPDX-License-Identifier: Apache-2.0
//
// A tool that takes its time: a view that calls it often shall not hold up the page.
#include <mica/tool.h>
#include <time.h>

struct reply {
    bool waited;
};
MICA_RECORD(reply, MICA_BOOLEAN(waited, "Whether it has waited."));

static enum mica_status
run(struct mica_call *call, const struct mica_nothing *in, struct reply *out)
{
    const struct timespec pause = {.tv_nsec = 50000000};

    (void)in;
    for (int i = 0; i < 1200 && !mica_cancelled(call); i++)
        (void)nanosleep(&pause, NULL);
    out->waited = true;
    return MICA_OK;
}

MICA_TOOL(slow, mica_nothing, reply, run, .title = "Slow",
          .description = "Wait for a minute.", .hints = MICA_READ_ONLY);
