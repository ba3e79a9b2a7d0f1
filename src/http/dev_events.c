// SPDX-License-Identifier: Apache-2.0
//
// While the tools that are served are written (mica dev): what came of their
// sources, and a stream on which open pages are told to look at it again.
#include "http/dev_events.h"

#include <stdlib.h>

#include "http/http.h"

enum {
    STREAM_BYTES = 16 * 1024, // of events that wait: each says the same
    STATE_BYTES = 64 << 20
};

#define LOOK "event: changed\ndata: {}\n\n"

struct mica_follower {
    struct mica_reader reader; // the first member
    struct mica_subscriber subscriber;
    size_t sent; // where the last event ends
};

// ---- The stream ------------------------------------------------------------------

static void
change_take(void *data, const struct mica_change *change)
{
    (void)data;
    (void)change; // of what is offered: its sources are told, too
}

static void
sources_changed(void *data)
{
    struct mica_follower *follower = data;

    if (follower->sent > mica_sse_bytes(follower->reader.sse))
        return; // it has not read the last one yet
    if (mica_sse_write(follower->reader.sse, MICA_LITERAL(LOOK)))
        follower->sent = mica_sse_position(follower->reader.sse);
}

// Its connection is done with it.
static void
follower_leave(struct mica_reader *reader)
{
    struct mica_follower *follower = (struct mica_follower *)(void *)reader;

    mica_bus_leave(reader->http->bus, &follower->subscriber);
    mica_subscription_release(reader->http);
}

static struct mica_follower *
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
            (struct mica_subscriber){.changed = change_take,
                                     .sources = sources_changed,
                                     .data = follower};
        joined = mica_bus_join(http->bus, &follower->subscriber);
    }
    if (!joined) {
        mica_sse_drop(sse);
        free(follower);
        return NULL;
    }
    sources_changed(follower); // what happened before it came
    return follower;
}

enum MHD_Result
mica_dev_answer_events(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    struct mica_follower *follower = NULL;

    mica_exchange_begin_message(exchange); // of which the head is made
    if (!atomic_load(&http->draining) && mica_subscription_claim(http)) {
        follower = open_follower(exchange);
        if (follower == NULL)
            mica_subscription_release(http);
    }
    if (follower == NULL)
        return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                    "too many pages are open; close some");
    exchange->reader = &follower->reader;
    return mica_exchange_stream(exchange, follower->reader.sse);
}

static void
end_one(void *data)
{
    struct mica_follower *follower = data;

    mica_sse_end(follower->reader.sse);
}

void
mica_followers_end(struct mica_http *http)
{
    mica_bus_each(http->bus, change_take, end_one);
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
