// SPDX-License-Identifier: Apache-2.0
//
// Takes a long feed of contacts into an address book, a step for each part. For a
// client that knows tasks it is one: it is told at once that the import continues,
// asks how far it is, and may cancel. After a restart it continues behind the last
// part that was recorded.
#include <inttypes.h>
#include <mica/tool.h>
#include <time.h>

#include "lib/contacts.h"

enum {
    PART = 200 // rows
};

struct request {
    struct mica_text feed;
    int64_t rows, part_ms;
};
MICA_RECORD(
    request,
    MICA_TEXT(feed, "Name of the feed.", .pattern = "^[a-z0-9-]{1,40}$"),
    MICA_INTEGER(rows, "How many of its rows, from the first.", .minimum = 1,
                 .maximum = 200000, .fallback = MICA_JSON(1000)),
    MICA_INTEGER(part_ms,
                 "How long the feed takes for 200 rows, in "
                 "milliseconds.",
                 .minimum = 0, .maximum = 10000, .fallback = MICA_JSON(0)));

struct summary {
    int64_t import, taken, skipped;
};
MICA_RECORD(summary, MICA_INTEGER(import, "Number of the import."),
            MICA_INTEGER(taken, "Rows that are in the address book now."),
            MICA_INTEGER(skipped, "Rows without an address."));

static enum mica_status
unavailable(struct mica_server_call *call, const struct mica_error *error)
{
    return mica_fail(call, "CONTACTS_UNAVAILABLE", "", "%s", error->message);
}

// ---- Steps -----------------------------------------------------------------------

struct begun {
    int64_t import;
};
MICA_RECORD(begun, MICA_INTEGER(import, "Number of the import."));

static enum mica_status
begin(struct mica_server_call *call, const struct request *in,
      struct begun *out)
{
    struct mica_error error;

    if (contacts_begin(mica_service(call, "contacts"),
                       mica_idempotency_key(call), in->feed, &error,
                       &out->import) != MICA_OK)
        return unavailable(call, &error);
    return MICA_OK;
}
MICA_STEP(begin, request, begun, begin);

// A part is as its rows are, so it needs no key: taken again, nothing changes.
struct part {
    int64_t import, from, to, part_ms;
    struct mica_text feed;
};
MICA_RECORD(part, MICA_INTEGER(import, "Where to."),
            MICA_INTEGER(from, "The first row."),
            MICA_INTEGER(to, "The row behind the last."),
            MICA_INTEGER(part_ms, "How long the feed takes."),
            MICA_TEXT(feed, "Name of the feed."));

struct taken {
    int64_t rows;
};
MICA_RECORD(taken, MICA_INTEGER(rows, "With an address."));

static enum mica_status
take(struct mica_server_call *call, const struct part *in, struct taken *out)
{
    const struct timespec pause = {.tv_sec = in->part_ms / 1000,
                                   .tv_nsec = in->part_ms % 1000 * 1000000};
    struct mica_error error;

    (void)nanosleep(&pause, NULL);
    if (contacts_take(mica_service(call, "contacts"), in->import, in->feed,
                      in->from, in->to, &error, &out->rows) != MICA_OK)
        return unavailable(call, &error);
    return MICA_OK;
}
MICA_STEP(take, part, taken, take);

// ---- The clean-up ----------------------------------------------------------------

// An import that was cancelled or failed is not left running. The rows that it has
// taken stay: the next import of the feed is another one.
static void
stop(struct mica_server_call *call, const void *data)
{
    const struct begun *begun = data;
    struct mica_error error;

    if (contacts_end(mica_service(call, "contacts"), begun->import,
                     CONTACTS_STOPPED, &error) != MICA_OK)
        mica_log(call, MICA_LOG_WARNING, "import %" PRId64 ": %s",
                 begun->import, error.message);
}

struct end {
    int64_t import;
};
MICA_RECORD(end, MICA_INTEGER(import, "What is finished."));

static enum mica_status
finish(struct mica_server_call *call, const struct end *in,
       struct mica_nothing *out)
{
    struct mica_error error;

    (void)out;
    if (contacts_end(mica_service(call, "contacts"), in->import,
                     CONTACTS_FINISHED, &error) != MICA_OK)
        return unavailable(call, &error);
    return MICA_OK;
}
MICA_STEP(finish, end, mica_nothing, finish);

// ---- The handler -----------------------------------------------------------------

static enum mica_status
take_all(struct mica_call *call, const struct request *in, int64_t import,
         int64_t *taken_out)
{
    for (int64_t from = 0; from < in->rows; from += PART) {
        int64_t to = from + PART < in->rows ? from + PART : in->rows;
        struct part part = {.import = import,
                            .from = from,
                            .to = to,
                            .part_ms = in->part_ms,
                            .feed = in->feed};
        struct taken taken;

        if (mica_cancelled(call))
            return MICA_E_CANCELLED;
        MICA_TRY(MICA_RUN_STEP(take, call, &part, &taken));
        *taken_out += taken.rows;
        mica_progress(call, (double)to, (double)in->rows,
                      "%" PRId64 " of %" PRId64 " rows", to, in->rows);
    }
    return MICA_OK;
}

static enum mica_status
handle(struct mica_call *call, const struct request *in, struct summary *out)
{
    struct begun *begun = MICA_NEW(call, struct begun, 1);
    struct mica_nothing nothing;

    MICA_TRY(MICA_RUN_STEP(begin, call, in, begun));
    mica_defer(call, "stop", stop, begun);
    MICA_TRY(take_all(call, in, begun->import, &out->taken));
    MICA_TRY(MICA_RUN_STEP(finish, call,
                           &((struct end){.import = begun->import}), &nothing));
    out->import = begun->import;
    out->skipped = in->rows - out->taken;
    return MICA_OK;
}

MICA_TOOL(
    import, request, summary, handle, .title = "Import contacts",
    .description = "Take rows of a feed into the address book. Takes long "
                   "for many rows, and can be cancelled.",
    .steps = MICA_STEPS("begin", "take", "finish"),
    .services = MICA_SERVICES(&contacts_service), .task = MICA_TASK_OPTIONAL,
    .examples = MICA_EXAMPLES({"Twenty rows, of which two have no address",
                               MICA_JSON({"feed": "trade-fair", "rows": 20}),
                               MICA_JSON({"taken": 18, "skipped": 2})}));
