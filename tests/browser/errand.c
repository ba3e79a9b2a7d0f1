// SPDX-License-Identifier: Apache-2.0
//
// A task that tells how far it is and what it finds, for asking.mjs: its page is not
// there when it begins, and asks again and again.
#include <mica/tool.h>
#include <time.h>

struct request {
    int64_t stops, pause_ms;
};
MICA_RECORD(request,
            MICA_INTEGER(stops, "How many places it goes to.", .minimum = 0,
                         .maximum = 100, .fallback = MICA_JSON(4)),
            MICA_INTEGER(pause_ms, "How long it stays, in milliseconds.",
                         .minimum = 0, .maximum = 5000,
                         .fallback = MICA_JSON(1200)));

struct result {
    int64_t visited;
};
MICA_RECORD(result, MICA_INTEGER(visited, "How many places it was at."));

static enum mica_status
errand(struct mica_call *call, const struct request *in, struct result *out)
{
    struct timespec pause = {.tv_sec = in->pause_ms / 1000,
                             .tv_nsec = in->pause_ms % 1000 * 1000000};

    for (int64_t i = 1; i <= in->stops; i++) {
        mica_log(call, MICA_LOG_INFO, "stop %d is closed", (int)i);
        mica_progress(call, (double)i, (double)in->stops, "stop %d of %d",
                      (int)i, (int)in->stops);
        (void)nanosleep(&pause, NULL);
    }
    out->visited = in->stops;
    return MICA_OK;
}
MICA_TOOL(errand, request, result, errand, .title = "Errand",
          .description = "Goes from place to place by itself, and tells.",
          .task = MICA_TASK_REQUIRED);
