// SPDX-License-Identifier: Apache-2.0
//
// `mica dev`: the build state of the tool sources, and a stream that notifies open pages
// of its changes.
#include "http/dev_events.h"

#include <stdlib.h>

#include "http/http.h"

enum {
    STREAM_BYTES = 16 * 1024, // of queued events, which are all the same
    STATE_BYTES = 64 << 20
};

#define CHANGED_EVENT "event: changed\ndata: {}\n\n"

struct mica_follower {
    struct mica_reader reader; // the first member
    struct mica_subscriber subscriber;
    size_t sent; // where the last event ends
};

// ---- The stream ------------------------------------------------------------------

static void
change_ignore(void *data, const struct mica_change *change)
{
    (void)data;
    (void)change; // a change of definitions follows one of their sources
}

static void
sources_changed(void *data)
{
    struct mica_follower *follower = data;

    if (follower->sent > mica_sse_bytes(follower->reader.sse))
        return; // the page has not read the last event yet
    if (mica_sse_write(follower->reader.sse, MICA_LITERAL(CHANGED_EVENT)))
        follower->sent = mica_sse_position(follower->reader.sse);
}

// The connection is done with the reader.
static void
follower_leave(struct mica_reader *reader)
{
    struct mica_follower *follower = (struct mica_follower *)(void *)reader;

    mica_bus_leave(reader->http->bus, &follower->subscriber);
    mica_subscription_release(reader->http);
}

static struct mica_reader *
open_follower(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    struct mica_follower *follower = calloc(1, sizeof *follower);
    struct mica_sse *sse = mica_sse_new(STREAM_BYTES);
    bool joined = false;

    if (follower != NULL && sse != NULL) {
        mica_reader_begin(&follower->reader, MICA_REQUEST_DEV_EVENTS, exchange,
                          sse);
        follower->reader.close = follower_leave;
        follower->subscriber =
            (struct mica_subscriber){.changed = change_ignore,
                                     .sources = sources_changed,
                                     .data = follower};
        joined = mica_bus_join(http->bus, &follower->subscriber);
    }
    if (!joined) {
        mica_sse_drop(sse);
        free(follower);
        return NULL;
    }
    sources_changed(follower); // earlier changes
    return &follower->reader;
}

enum MHD_Result
mica_dev_answer_events(struct mica_http_exchange *exchange)
{
    return mica_exchange_follow(exchange, open_follower);
}

static void
end_one(void *data, void *context)
{
    struct mica_follower *follower = data;

    (void)context;
    mica_sse_end(follower->reader.sse);
}

void
mica_followers_end(struct mica_http *http)
{
    mica_bus_each(http->bus, change_ignore, end_one, NULL);
}

// ---- The state -------------------------------------------------------------------

enum MHD_Result
mica_dev_answer_state(struct mica_http_exchange *exchange)
{
    const struct mica_development *development =
        exchange->http->server->development;
    struct mica_http_response response = {.status = 200, .header_count = 3};
    struct mica_buffer text;

    mica_buffer_init(&text, &exchange->arena, STATE_BYTES);
    development->write(development->data, &text);
    if (text.overflow)
        return mica_exchange_refuse(exchange, 500, MICA_E_LIMIT,
                                    "there is more to say than there is memory "
                                    "for; build/dev.json has all of it");
    response.headers[0] = (struct mica_header){
        MICA_LITERAL("Content-Type"), MICA_LITERAL("application/json")};
    response.headers[1] = (struct mica_header){MICA_LITERAL("Cache-Control"),
                                               MICA_LITERAL("no-store")};
    response.headers[2] = (struct mica_header){
        MICA_LITERAL("X-Content-Type-Options"), MICA_LITERAL("nosniff")};
    response.body = mica_buffer_as_text(&text);
    return mica_exchange_send(exchange, &response);
}
