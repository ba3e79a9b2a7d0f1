// SPDX-License-Identifier: Apache-2.0
//
// Shows the Inspector's ring to the pages of this server. What clients send is private:
// these routes answer connections from this machine alone, and no page of another
// origin, also where the server allows both for everything else.
#include "http/inspect_routes.h"

#include <stdlib.h>
#include <string.h>

#include "http/http.h"
#include "http/http_pages.h"
#include "http/inspection.h"
#include "http/local_client.h"
#include "protocol/header_value.h"

enum {
    // All heads that the ring may have, as JSON: of one list, and of what waits.
    LIST_BYTES = 16 << 20,
    STREAM_BYTES = LIST_BYTES + 64,
    // Of one exchange: a character of its bodies may be six of JSON.
    ONE_BYTES = 2 * 6 * MICA_INSPECTION_BODY_BYTES + (64 << 10)
};

struct inspect_follower {
    struct mica_reader reader; // the first member
    struct mica_subscriber subscriber;
    uint64_t change; // the last that the page knows
    bool begun;      // it has the first list
};

// ---- Who may look ----------------------------------------------------------------

// A browser says where a request comes from: in Origin, or for a plain GET in
// Sec-Fetch-Site alone. A program says neither.
static bool
is_same_origin(const struct mica_http_exchange *exchange)
{
    const struct mica_http_request *request = &exchange->request;
    struct mica_text origin, site;

    if (mica_header_find(request, "sec-fetch-site", &site) &&
        !mica_text_is(site, "same-origin") && !mica_text_is(site, "none"))
        return false;
    if (!mica_header_find(request, "origin", &origin))
        return true;
    if (mica_text_starts(origin, "http://"))
        origin = mica_text_slice(origin, 7, origin.len);
    else if (mica_text_starts(origin, "https://"))
        origin = mica_text_slice(origin, 8, origin.len);
    return mica_text_equal(origin, exchange->host);
}

static enum MHD_Result
refuse_remote(struct mica_http_exchange *exchange)
{
    return mica_exchange_refuse(exchange, 403, MICA_E_FORBIDDEN,
                                "the Inspector answers on the machine of the "
                                "server alone, as localhost and without a "
                                "proxy; open it there, or through ssh -L");
}

static enum MHD_Result
refuse_foreign(struct mica_http_exchange *exchange)
{
    return mica_exchange_refuse(exchange, 403, MICA_E_FORBIDDEN,
                                "only pages of this server may read what "
                                "clients sent; open /inspect");
}

// ---- Lists -----------------------------------------------------------------------

static enum MHD_Result
send_json(struct mica_http_exchange *exchange, const struct mica_buffer *text)
{
    struct mica_http_response response = {.status = 200, .header_count = 3};

    if (text->overflow)
        return mica_exchange_refuse(exchange, 500, MICA_E_LIMIT,
                                    "there is more to show than there is "
                                    "memory for");
    response.headers[0] = (struct mica_header){
        MICA_LITERAL("Content-Type"), MICA_LITERAL("application/json")};
    response.headers[1] = (struct mica_header){MICA_LITERAL("Cache-Control"),
                                               MICA_LITERAL("no-store")};
    response.headers[2] = (struct mica_header){
        MICA_LITERAL("X-Content-Type-Options"), MICA_LITERAL("nosniff")};
    response.body = mica_buffer_as_text(text);
    return mica_exchange_send(exchange, &response);
}

static enum MHD_Result
send_list(struct mica_http_exchange *exchange)
{
    struct mica_text query = exchange->request.query;
    struct mica_buffer text;
    int64_t after = 0;

    if (query.len > 0 &&
        (!mica_text_starts(query, "after=") ||
         !mica_integer_read(mica_text_slice(query, 6, query.len), &after) ||
         after < 0))
        return mica_exchange_refuse(exchange, 400, MICA_E_FORMAT,
                                    "this list takes ?after=CHANGE, a number, "
                                    "and nothing else");
    mica_buffer_init(&text, &exchange->arena, LIST_BYTES);
    (void)mica_inspection_list(exchange->http->inspection, (uint64_t)after,
                               &text);
    return send_json(exchange, &text);
}

static enum MHD_Result
send_one(struct mica_http_exchange *exchange, struct mica_text number)
{
    struct mica_buffer text;
    int64_t wanted = 0;

    mica_buffer_init(&text, &exchange->arena, ONE_BYTES);
    if (!mica_integer_read(number, &wanted) || wanted < 1 ||
        !mica_inspection_write(exchange->http->inspection, (uint64_t)wanted,
                               &text))
        return mica_exchange_refuse(exchange, 404, MICA_E_NOT_FOUND,
                                    "there is no such exchange, or no longer; "
                                    "the oldest are forgotten first");
    return send_json(exchange, &text);
}

enum MHD_Result
mica_inspect_exchanges(struct mica_http_exchange *exchange)
{
    struct mica_text path = exchange->request.path;
    size_t length = exchange->route->length;

    if (!mica_exchange_is_local(exchange))
        return refuse_remote(exchange);
    if (!is_same_origin(exchange))
        return refuse_foreign(exchange);
    return path.len > length
               ? send_one(exchange, mica_text_slice(path, length + 1, path.len))
               : send_list(exchange);
}

// The page shows nothing by itself, so a link may lead to it from anywhere.
enum MHD_Result
mica_inspect_page(struct mica_http_exchange *exchange)
{
    return mica_exchange_is_local(exchange) ? mica_web_inspect(exchange)
                                            : refuse_remote(exchange);
}

// ---- The stream ------------------------------------------------------------------

static void
offers_changed(void *data, const struct mica_change *change)
{
    (void)data;
    (void)change; // the page follows exchanges alone
}

// From the bus, whose thread alone uses `change` and `begun`. What finds no room is sent
// with the next change.
static void
exchanges_changed(void *data)
{
    struct inspect_follower *follower = data;
    struct mica_inspection *inspection = follower->reader.http->inspection;
    struct mica_buffer event;
    uint64_t change;

    mica_buffer_init(&event, NULL, LIST_BYTES);
    mica_buffer_text(&event, MICA_LITERAL("event: exchanges\ndata: "));
    change = mica_inspection_list(inspection, follower->change, &event);
    mica_buffer_text(&event, MICA_LITERAL("\n\n"));
    if ((change != follower->change || !follower->begun) && !event.overflow &&
        mica_sse_write(follower->reader.sse, mica_buffer_as_text(&event))) {
        follower->change = change;
        follower->begun = true;
    }
    mica_buffer_fini(&event);
}

// Its connection is done with it.
static void
follower_leave(struct mica_reader *reader)
{
    struct inspect_follower *follower =
        (struct inspect_follower *)(void *)reader;

    mica_bus_leave(reader->http->bus, &follower->subscriber);
    mica_subscription_release(reader->http);
}

static struct mica_reader *
open_follower(struct mica_http_exchange *exchange)
{
    const struct mica_change first = {.kind = MICA_CHANGED_EXCHANGES};
    struct inspect_follower *follower = calloc(1, sizeof *follower);
    struct mica_sse *sse = mica_sse_new(STREAM_BYTES);
    bool joined = false;

    if (follower != NULL && sse != NULL) {
        mica_reader_begin(&follower->reader, MICA_REQUEST_DEV_EVENTS, exchange,
                          sse);
        follower->reader.close = follower_leave;
        follower->subscriber =
            (struct mica_subscriber){.changed = offers_changed,
                                     .exchanges = exchanges_changed,
                                     .data = follower};
        joined = mica_bus_join(exchange->http->bus, &follower->subscriber);
    }
    if (!joined) {
        mica_sse_drop(sse);
        free(follower);
        return NULL;
    }
    mica_bus_publish(exchange->http->bus, &first); // what is there now
    return &follower->reader;
}

enum MHD_Result
mica_inspect_events(struct mica_http_exchange *exchange)
{
    if (!mica_exchange_is_local(exchange))
        return refuse_remote(exchange);
    if (!is_same_origin(exchange))
        return refuse_foreign(exchange);
    return mica_exchange_follow(exchange, open_follower);
}

static void
end_one(void *data, void *context)
{
    struct inspect_follower *follower = data;

    (void)context;
    mica_sse_end(follower->reader.sse);
}

void
mica_inspect_events_end(struct mica_http *http)
{
    mica_bus_each(http->bus, offers_changed, end_one, NULL);
}
