// SPDX-License-Identifier: Apache-2.0
//
// Answers that are streams, beside those of sessions: a call whose handler tells
// something before it ends, and subscriptions/listen.
//
// A call begins like any other, its connection suspended. What it tells first
// makes the answer a stream; until then it can still be refused with a status of
// its own. From there on connection and worker hold the exchange together, and
// whoever ends last gives it back. A subscription gives its exchange back at
// once: what stays is small.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "http/http.h"
#include "serve/refuse.h"
#include "serve/time.h"
#include "server/message_surface.h"
#include "server/methods/listening.h"

enum {
    CALL_STREAM_BYTES = 1 << 20,      // of notifications that wait
    PATIENCE_MS = 2000,               // that a handler waits for a slow reader
    FRAME_BYTES = 16,                 // around the data of an event
    LISTEN_STREAM_BYTES = 256 * 1024, // of notifications that wait
    SUBSCRIPTIONS = 100000,           // at once
    VANISHED_MS = 60 * 1000           // until a silent peer counts as gone
};

static const struct mica_text none = {NULL, 0};

// ---- A call that tells something -------------------------------------------------

void
mica_exchange_keep(struct mica_http_exchange *exchange)
{
    struct mica_arena *arena = &exchange->arena;
    struct mica_message *message = &exchange->message;

    exchange->request.method = mica_arena_text(arena, exchange->request.method);
    exchange->request.path = mica_arena_text(arena, exchange->request.path);
    message->trace = mica_arena_text(arena, message->trace);
    message->origin = mica_arena_text(arena, message->origin);
}

// On the worker: has the I/O thread answer with a stream.
static bool
open_stream(struct mica_http_exchange *exchange)
{
    exchange->stream = mica_sse_new(CALL_STREAM_BYTES);
    if (exchange->stream == NULL)
        return false;
    mica_exchange_keep(exchange);
    mica_exchange_hold(exchange);
    exchange->patience_ms = PATIENCE_MS;
    mica_exchange_move(exchange, MICA_EXCHANGE_STEP);
    return true;
}

// MCP gives the data of an event, another surface the event itself.
static bool
offer(struct mica_http_exchange *exchange, struct mica_text notification)
{
    return exchange->message.surface == NULL
               ? mica_sse_offer(exchange->stream, notification)
               : mica_sse_write(exchange->stream, notification);
}

// A reader that is slow holds its call up for a while, then it misses something:
// progress and log messages can be missed, the result cannot.
static void
pass_on(struct mica_http_exchange *exchange, struct mica_text notification)
{
    uint64_t began, waited;
    bool sent = offer(exchange, notification);

    if (!sent && exchange->patience_ms > 0) {
        began = mica_time_coarse_ms();
        sent = mica_sse_await(exchange->stream, notification.len + FRAME_BYTES,
                              exchange->patience_ms) &&
               offer(exchange, notification);
        waited = mica_time_coarse_ms() - began;
        exchange->patience_ms -= waited < exchange->patience_ms
                                     ? (uint32_t)waited
                                     : exchange->patience_ms;
    }
    if (!sent)
        atomic_fetch_add(&exchange->http->counts.missed, 1);
}

static void
emit(struct mica_message *message, struct mica_text notification)
{
    struct mica_http_exchange *exchange = message->emit_data;
    bool first = exchange->stream == NULL;

    if (first && !open_stream(exchange))
        return;
    pass_on(exchange, notification);
    if (first)
        MHD_resume_connection(exchange->connection);
}

void
mica_call_stream_prepare(struct mica_http_exchange *exchange)
{
    if (!exchange->message.takes_stream)
        return;
    exchange->message.emit = emit;
    exchange->message.emit_data = exchange;
}

// The connection is done with the request, perhaps before its call is.
void
mica_call_stream_left(struct mica_http_exchange *exchange)
{
    struct mica_message *message = &exchange->message;
    bool ended = mica_sse_state(exchange->stream) == MICA_SSE_ENDED;

    // Before the exchange goes: the watcher points into it.
    exchange->ending = mica_watch_resume(exchange->http->watch, exchange->link);
    // MCP: cancellation: closing the stream cancels, on modern.
    if (!ended && mica_revision_features(message->revision)->modern)
        atomic_store(&message->cancelled, true);
    mica_sse_hang_up(exchange->stream);
}

// The last event of another surface has a name, which says what its data is.
static void
name_last(struct mica_http_exchange *exchange, const char *namez)
{
    char room[64];
    struct mica_buffer line = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_buffer_format(&line, "event: %s\n", namez);
    (void)mica_sse_write(exchange->stream, mica_buffer_as_text(&line));
}

// Cancelled: if somebody still reads, it was for the time it took.
static void
end_late(struct mica_http_exchange *exchange)
{
    static const char why[] =
        "the call took longer than this server waits; ask for less";
    char room[1024];
    struct mica_buffer refusal = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    if (exchange->message.surface != NULL) {
        name_last(exchange, "problem");
        mica_problem_details_write(&refusal, 504, MICA_E_TIMEOUT, "%s", why);
    } else {
        mica_refuse_write(&refusal, exchange->message.id, MICA_REFUSE_INTERNAL,
                          MICA_E_TIMEOUT, "%s", why);
    }
    mica_sse_send(exchange->stream, none, mica_buffer_as_text(&refusal), 0);
    mica_sse_end(exchange->stream);
}

void
mica_call_stream_end(struct mica_http_exchange *exchange)
{
    const struct mica_message *message = &exchange->message;

    if (message->step == MICA_STEP_REPLY) {
        if (message->surface != NULL)
            name_last(exchange, message->surface->last_event(message));
        mica_sse_end_with(exchange->stream,
                          mica_buffer_as_text(&message->reply));
    } else {
        end_late(exchange);
    }
    mica_exchange_release(exchange);
}

// ---- Any stream on a connection ---------------------------------------------------

// A peer that has vanished without a word is noticed by what it does not
// acknowledge; the kernel alone would wait for a quarter of an hour.
static void
notice_silence(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    unsigned ms = VANISHED_MS;

    if (info != NULL)
        (void)setsockopt(info->connect_fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms,
                         sizeof ms);
}

// [HTTP-SSE]
struct MHD_Response *
mica_stream_begin(struct mica_http *http, struct mica_link *link,
                  struct mica_sse *sse, struct MHD_Connection *connection)
{
    struct MHD_Response *response = mica_sse_response(sse, connection);

    if (response == NULL)
        return NULL;
    notice_silence(connection);
    mica_watch_stream(http->watch, link, sse);
    atomic_fetch_add(&http->counts.streams, 1);
    return response;
}

void
mica_stream_done(struct mica_http *http, struct mica_link *link,
                 struct mica_sse *sse)
{
    mica_sse_hang_up(sse); // unless it has ended
    mica_watch_unstream(http->watch, link);
    atomic_fetch_sub(&http->counts.streams, 1);
    if (mica_sse_state(sse) == MICA_SSE_FULL)
        atomic_fetch_add(&http->counts.unread, 1);
}

// ---- Subscriptions ----------------------------------------------------------------

static void
told(struct mica_listener *listener, const struct mica_change *change)
{
    struct mica_buffer line;
    bool list = change->kind != MICA_CHANGED_CONTENTS;

    // One that it has not read yet says as much as another.
    if (list &&
        listener->sent[change->kind] > mica_sse_bytes(listener->reader.sse))
        return;
    mica_buffer_init(&line, NULL, LISTEN_STREAM_BYTES);
    if (mica_listen_tell(listener->listen, change, &line) && !line.overflow &&
        mica_sse_send(listener->reader.sse, none, mica_buffer_as_text(&line),
                      0) &&
        list)
        listener->sent[change->kind] = mica_sse_position(listener->reader.sse);
    mica_buffer_fini(&line);
}

static void
changed(void *data, const struct mica_change *change)
{
    struct mica_listener *listener = data;
    struct mica_change one = *change;

    if (change->kind != MICA_CHANGED_CONTENTS || change->uri.len > 0) {
        told(listener, change);
        return;
    }
    for (size_t i = 0; i < listener->listen->uri_count; i++) {
        one.uri = listener->listen->uris[i];
        told(listener, &one);
    }
}

// A state that cannot be told ends the subscription: its client asks again. So does
// the news that any state may have changed.
static void
task_changed(void *data, const struct mica_change *change)
{
    struct mica_listener *listener = data;
    struct mica_buffer line;
    bool mine;

    if (listener->listen->task_count == 0)
        return;
    if (change->uri.len == 0) {
        mica_sse_end(listener->reader.sse);
        return;
    }
    mica_buffer_init(&line, NULL, LISTEN_STREAM_BYTES);
    mine = mica_listen_tell(listener->listen, change, &line);
    if (mine &&
        (line.overflow || !mica_sse_send(listener->reader.sse, none,
                                         mica_buffer_as_text(&line), 0)))
        mica_sse_end(listener->reader.sse);
    mica_buffer_fini(&line);
}

static void
follow(struct mica_listener *listener, bool on)
{
    struct mica_http *http = listener->reader.http;

    if (listener->listen->task_count == 0)
        return;
    if (on)
        atomic_fetch_add(&http->counts.following, 1);
    else
        atomic_fetch_sub(&http->counts.following, 1);
    if (on)
        mica_session_changes_follow(http->sessions);
}

static void
free_listener(struct mica_listener *listener)
{
    follow(listener, false);
    mica_sse_drop(listener->reader.sse);
    free(listener);
}

static struct mica_listener *
create(struct mica_http_exchange *exchange)
{
    const struct mica_listen *listen = exchange->message.listen;
    struct mica_listener *listener =
        calloc(1, sizeof *listener + mica_listen_size(listen));
    struct mica_sse *sse = mica_sse_new(LISTEN_STREAM_BYTES);

    if (listener == NULL || sse == NULL) {
        free(listener);
        mica_sse_drop(sse);
        return NULL;
    }
    mica_reader_begin(&listener->reader, MICA_REQUEST_LISTENS, exchange, sse);
    listener->listen = mica_listen_copy(listen, listener + 1);
    listener->subscriber = (struct mica_subscriber){
        .changed = changed, .task = task_changed, .data = listener};
    follow(listener, true);
    return listener;
}

// MCP: the acknowledgement is the first message, and sent at once.
static bool
acknowledge(struct mica_listener *listener)
{
    struct mica_buffer line;
    bool sent;

    mica_buffer_init(&line, NULL, LISTEN_STREAM_BYTES);
    mica_listen_acknowledge(listener->listen, &line);
    sent = !line.overflow && mica_sse_send(listener->reader.sse, none,
                                           mica_buffer_as_text(&line), 0);
    mica_buffer_fini(&line);
    return sent;
}

bool
mica_subscription_take(struct mica_http *http)
{
    if (atomic_fetch_add(&http->counts.subscriptions, 1) < SUBSCRIPTIONS)
        return true;
    mica_subscription_give(http);
    atomic_fetch_add(&http->counts.unsubscribed, 1);
    return false;
}

void
mica_subscription_give(struct mica_http *http)
{
    atomic_fetch_sub(&http->counts.subscriptions, 1);
}

struct mica_listener *
mica_listener_open(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    struct mica_listener *listener;

    if (atomic_load(&http->draining))
        return NULL;
    if (!mica_subscription_take(http))
        return NULL;
    listener = create(exchange);
    if (listener != NULL && acknowledge(listener) &&
        mica_bus_join(http->bus, &listener->subscriber))
        return listener;
    if (listener != NULL)
        free_listener(listener);
    mica_subscription_give(http);
    return NULL;
}

void
mica_listener_close(struct mica_listener *listener)
{
    struct mica_http *http = listener->reader.http;

    mica_bus_leave(http->bus, &listener->subscriber);
    follow(listener, false);
    mica_subscription_give(http);
}

// MCP: a subscription that the server ends has a result.
static void
end_one(void *data)
{
    struct mica_listener *listener = data;
    struct mica_buffer line;

    mica_buffer_init(&line, NULL, LISTEN_STREAM_BYTES);
    mica_listen_end(listener->listen, listener->reader.http->server, &line);
    if (!line.overflow)
        mica_sse_send(listener->reader.sse, none, mica_buffer_as_text(&line),
                      0);
    mica_sse_end(listener->reader.sse);
    mica_buffer_fini(&line);
}

void
mica_listeners_end(struct mica_http *http)
{
    mica_bus_each(http->bus, changed, end_one);
}
