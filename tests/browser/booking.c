// SPDX-License-Identifier: Apache-2.0
//
// A tool that leaves a trace, for apart.mjs: the page of an engine must not be able
// to leave it.
#include <mica/tool.h>
#include <stdio.h>

struct request {
    struct mica_text who;
};
MICA_RECORD(request,
            MICA_TEXT(who, "Who travels.", .fallback = MICA_JSON("a page")));

struct result {
    bool booked;
};
MICA_RECORD(result, MICA_BOOLEAN(booked, "Whether it is done."));

static enum mica_status
booking(struct mica_call *call, const struct request *in, struct result *out)
{
    FILE *trace = fopen("booked", "ae");

    if (trace == NULL)
        return mica_fail(call, "NO_TRACE", "",
                         "There is no place for a trace.");
    (void)fprintf(trace, "%.*s\n", (int)in->who.len, in->who.ptr);
    (void)fclose(trace);
    out->booked = true;
    return MICA_OK;
}
MICA_TOOL(booking, request, result, booking, .title = "Booking",
          .description = "Books a flight for the caller.");
