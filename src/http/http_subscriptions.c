// SPDX-License-Identifier: Apache-2.0
//
// MCP: subscriptions/listen. The exchange of a subscription is recycled at once; only
// its small reader remains.
#include <stdlib.h>
#include <string.h>

#include "http/http.h"
#include "server/methods/listening.h"

enum {
    LISTEN_STREAM_BYTES = 256 * 1024, // of queued notifications
    SUBSCRIPTIONS = 100000            // open at once
};

static const struct mica_text none = {NULL, 0};

static void
listener_notify(struct mica_listener *listener,
                const struct mica_change *change)
{
    struct mica_buffer line;
    bool list = change->kind != MICA_CHANGED_CONTENTS;

    // The client has not read the last notification of this kind: one is enough.
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
listener_changed(void *data, const struct mica_change *change)
{
    struct mica_listener *listener = data;
    struct mica_change one = *change;

    if (change->kind != MICA_CHANGED_CONTENTS || change->uri.len > 0) {
        listener_notify(listener, change);
        return;
    }
    for (size_t i = 0; i < listener->listen->uri_count; i++) {
        one.uri = listener->listen->uris[i];
        listener_notify(listener, &one);
    }
}

// If a state cannot be sent, the subscription ends, so that the client reads the state
// and subscribes again; likewise if the state of any task may have changed.
static void
listener_task_changed(void *data, const struct mica_change *change)
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
listener_count_tasks(struct mica_listener *listener, bool on)
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
listener_free(struct mica_listener *listener)
{
    listener_count_tasks(listener, false);
    mica_sse_drop(listener->reader.sse);
    free(listener);
}

// The connection is done with the reader.
static void
listener_leave(struct mica_reader *reader)
{
    struct mica_listener *listener = (struct mica_listener *)(void *)reader;
    struct mica_http *http = reader->http;

    mica_bus_leave(http->bus, &listener->subscriber);
    listener_count_tasks(listener, false);
    mica_subscription_release(http);
}

static struct mica_listener *
listener_create(struct mica_http_exchange *exchange)
{
    const struct mica_listen *listen = exchange->message.reply.listen;
    const struct mica_principal *party = &exchange->principal.party;
    size_t listen_bytes = mica_listen_size(listen);
    struct mica_listener *listener =
        calloc(1, sizeof *listener + listen_bytes + party->scopes.len);
    struct mica_sse *sse = mica_sse_new(LISTEN_STREAM_BYTES);

    if (listener == NULL || sse == NULL) {
        free(listener);
        mica_sse_drop(sse);
        return NULL;
    }
    mica_reader_begin(&listener->reader, MICA_REQUEST_LISTENER, exchange, sse);
    listener->reader.close = listener_leave;
    listener->listen = mica_listen_copy(listen, listener + 1);
    listener->caller = (struct mica_app_caller){
        .has_token = mica_principal_is_known(party),
        .scopes = {(char *)(listener + 1) + listen_bytes, party->scopes.len}};
    if (party->scopes.len > 0)
        memcpy((char *)(listener + 1) + listen_bytes, party->scopes.ptr,
               party->scopes.len);
    listener->subscriber =
        (struct mica_subscriber){.changed = listener_changed,
                                 .task = listener_task_changed,
                                 .data = listener};
    listener_count_tasks(listener, true);
    return listener;
}

// MCP: the first message of a subscription is its acknowledgement.
static bool
listener_acknowledge(struct mica_listener *listener)
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
mica_subscription_claim(struct mica_http *http)
{
    if (atomic_fetch_add(&http->counts.subscriptions, 1) < SUBSCRIPTIONS)
        return true;
    mica_subscription_release(http);
    atomic_fetch_add(&http->counts.unsubscribed, 1);
    return false;
}

void
mica_subscription_release(struct mica_http *http)
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
    if (!mica_subscription_claim(http))
        return NULL;
    listener = listener_create(exchange);
    if (listener != NULL && listener_acknowledge(listener) &&
        mica_bus_join(http->bus, &listener->subscriber))
        return listener;
    if (listener != NULL)
        listener_free(listener);
    mica_subscription_release(http);
    return NULL;
}

// Which subscriptions end.
struct listeners {
    struct mica_text endpoint;
    const struct mica_app_exposure *now;
};

// MCP: a server that ends a subscription sends its result.
static void
listener_end(void *data, void *which)
{
    struct mica_listener *listener = data;
    const struct listeners *ended = which;
    struct mica_registry *registry = &listener->reader.http->server->registry;
    struct mica_buffer line;

    if (ended != NULL &&
        (!mica_registry_has_ended(registry, ended->endpoint,
                                  listener->listen->endpoint) ||
         (ended->now != NULL &&
          mica_app_admits(ended->now, &listener->caller))))
        return;
    mica_buffer_init(&line, NULL, LISTEN_STREAM_BYTES);
    mica_listen_end(listener->listen, &line);
    if (!line.overflow)
        mica_sse_send(listener->reader.sse, none, mica_buffer_as_text(&line),
                      0);
    mica_sse_end(listener->reader.sse);
    mica_buffer_fini(&line);
}

void
mica_listeners_end(struct mica_http *http)
{
    mica_bus_each(http->bus, listener_changed, listener_end, NULL);
}

void
mica_listeners_end_at(struct mica_http *http, struct mica_text endpoint,
                      const struct mica_app_exposure *now)
{
    struct listeners ended = {endpoint, now};

    mica_bus_each(http->bus, listener_changed, listener_end, &ended);
}
