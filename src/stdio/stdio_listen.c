// SPDX-License-Identifier: Apache-2.0
//
// Subscriptions of a pipe. A list that changes twice before the client was told
// once is told once. MCP: a server that ends a subscription on a pipe sends
// notifications/cancelled, then the response.
#include "stdio/stdio_listen.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIPE_SUBSCRIPTIONS = 1000, // at once
    PIPE_URIS = 1000,          // of a client of a session revision
    LINE_BYTES = 256 * 1024
};

struct mica_pipe_subscription {
    struct mica_pipe_subscription *next;
    struct mica_pipe_listen *all;
    struct mica_subscriber subscriber;
    pthread_mutex_t
        lock; // of `listen`, which a client of a session revision changes
    struct mica_listen *listen;
    enum mica_revision revision;
    uint64_t started_ns;
    uint64_t sent[MICA_CHANGED_CONTENTS]; // the last line of its kind
    atomic_bool lost;                     // a line
};

// ---- Telling, on the bus's thread --------------------------------------------------

static void
tell_one(struct mica_pipe_subscription *subscription,
         const struct mica_change *change)
{
    struct mica_outbox *outbox = subscription->all->outbox;
    bool list = change->kind != MICA_CHANGED_CONTENTS;
    struct mica_buffer line;
    uint32_t no_time = 0;
    uint64_t number;

    if (list && subscription->sent[change->kind] > 0 &&
        !mica_outbox_is_gone(outbox, subscription->sent[change->kind]))
        return;
    mica_buffer_init(&line, NULL, LINE_BYTES);
    if (mica_listen_tell(subscription->listen, change, &line)) {
        number = line.overflow
                     ? 0
                     : mica_outbox_put(outbox, subscription,
                                       mica_buffer_as_text(&line), &no_time);
        if (number == 0) {
            atomic_store(&subscription->lost, true);
            mica_pipe_count(&subscription->all->counts->missed);
        } else if (list)
            subscription->sent[change->kind] = number;
    }
    mica_buffer_fini(&line);
}

static void
change_take(void *data, const struct mica_change *change)
{
    struct mica_pipe_subscription *subscription = data;
    struct mica_change one = *change;

    pthread_mutex_lock(&subscription->lock);
    if (change->kind != MICA_CHANGED_CONTENTS || change->uri.len > 0) {
        tell_one(subscription, change);
    } else { // any of them
        for (size_t i = 0; i < subscription->listen->uri_count; i++) {
            one.uri = subscription->listen->uris[i];
            tell_one(subscription, &one);
        }
    }
    pthread_mutex_unlock(&subscription->lock);
}

static void
task_changed(void *data, const struct mica_change *change)
{
    struct mica_pipe_subscription *subscription = data;
    struct mica_outbox *outbox = subscription->all->outbox;
    struct mica_buffer line;
    uint32_t no_time = 0;

    if (subscription == subscription->all->session)
        return;
    mica_buffer_init(&line, NULL, LINE_BYTES);
    if (mica_listen_tell(subscription->listen, change, &line) &&
        (line.overflow ||
         mica_outbox_put(outbox, subscription, mica_buffer_as_text(&line),
                         &no_time) == 0)) {
        atomic_store(&subscription->lost, true);
        mica_pipe_count(&subscription->all->counts->missed);
    }
    mica_buffer_fini(&line);
}

// ---- Beginning and ending ------------------------------------------------------------

static struct mica_listen *
listen_copy(const struct mica_listen *listen)
{
    void *room = malloc(mica_listen_size(listen));

    return room != NULL ? mica_listen_copy(listen, room) : NULL;
}

static void
pipe_subscription_release(struct mica_pipe_subscription *subscription)
{
    pthread_mutex_destroy(&subscription->lock);
    free(subscription->listen);
    free(subscription);
}

static struct mica_pipe_subscription *
pipe_listen_join(struct mica_pipe_listen *listen,
                 const struct mica_listen *wanted)
{
    struct mica_pipe_subscription *subscription =
        calloc(1, sizeof *subscription);

    if (subscription == NULL)
        return NULL;
    pthread_mutex_init(&subscription->lock, NULL);
    subscription->all = listen;
    subscription->subscriber = (struct mica_subscriber){
        .changed = change_take, .task = task_changed, .data = subscription};
    subscription->listen = listen_copy(wanted);
    if (subscription->listen == NULL ||
        !mica_bus_join(listen->bus, &subscription->subscriber)) {
        pipe_subscription_release(subscription);
        return NULL;
    }
    subscription->next = listen->subscriptions;
    listen->subscriptions = subscription;
    listen->count++;
    return subscription;
}

static void
pipe_subscription_leave(struct mica_pipe_subscription **at)
{
    struct mica_pipe_subscription *subscription = *at;
    struct mica_pipe_listen *listen = subscription->all;

    *at = subscription->next;
    listen->count--;
    if (listen->session == subscription)
        listen->session = NULL;
    else
        mica_pipe_counts_unsubscribed(listen->counts, subscription->revision,
                                      subscription->started_ns);
    mica_bus_leave(listen->bus, &subscription->subscriber);
    mica_outbox_purge(listen->outbox, subscription);
    pipe_subscription_release(subscription);
}

enum mica_status
mica_pipe_listen_begin(struct mica_pipe_listen *listen,
                       const struct mica_listen *wanted,
                       enum mica_revision revision)
{
    struct mica_pipe_subscription *subscription;
    enum mica_status status = MICA_E_LIMIT;
    struct mica_buffer line;

    if (listen->count >= PIPE_SUBSCRIPTIONS) {
        mica_pipe_count(&listen->counts->unsubscribed);
        return MICA_E_BUSY;
    }
    mica_buffer_init(&line, NULL, LINE_BYTES);
    mica_listen_acknowledge(wanted, &line);
    // What it is told lies in the outbox, and is written after this.
    if (!line.overflow &&
        (subscription = pipe_listen_join(listen, wanted)) != NULL) {
        subscription->revision = revision;
        subscription->started_ns = mica_pipe_counts_now(listen->counts);
        mica_pipe_counts_subscribed(listen->counts);
        mica_stream_write(listen->stream, mica_buffer_as_text(&line));
        status = MICA_OK;
    }
    mica_buffer_fini(&line);
    return status;
}

void
mica_pipe_listen_handshake(struct mica_pipe_listen *listen)
{
    struct mica_listen all = {.lists = {true, true, true}};

    if (listen->session == NULL)
        listen->session = pipe_listen_join(listen, &all);
}

bool
mica_pipe_listen_cancel(struct mica_pipe_listen *listen, struct mica_text id)
{
    struct mica_pipe_subscription **at = &listen->subscriptions;

    while (*at != NULL &&
           (id.len == 0 || !mica_text_equal((*at)->listen->id, id)))
        at = &(*at)->next;
    if (*at == NULL)
        return false;
    pipe_subscription_leave(at);
    return true;
}

static void
end_one(struct mica_pipe_subscription **at)
{
    struct mica_pipe_subscription *subscription = *at;
    struct mica_pipe_listen *listen = subscription->all;
    struct mica_buffer line;

    mica_buffer_init(&line, NULL, LINE_BYTES);
    if (subscription->listen->id.len > 0) {
        mica_listen_cancel(subscription->listen, &line);
        mica_stream_write(listen->stream, mica_buffer_as_text(&line));
        line.len = 0;
        mica_listen_end(subscription->listen, &line);
        mica_stream_write(listen->stream, mica_buffer_as_text(&line));
    }
    mica_buffer_fini(&line);
    pipe_subscription_leave(at);
}

void
mica_pipe_listen_tidy(struct mica_pipe_listen *listen)
{
    struct mica_pipe_subscription **at = &listen->subscriptions;

    while (*at != NULL) {
        if (!atomic_load_explicit(&(*at)->lost, memory_order_relaxed))
            at = &(*at)->next;
        else if (*at == listen->session) // it has no end: it misses that line
            atomic_store(&(*at)->lost, false);
        else
            end_one(at);
    }
}

void
mica_pipe_listen_end(struct mica_pipe_listen *listen)
{
    while (listen->subscriptions != NULL)
        end_one(&listen->subscriptions);
}

// ---- Resources of a client of a session revision -------------------------------

static size_t
find_uri(const struct mica_listen *listen, struct mica_text uri)
{
    size_t i = 0;

    while (i < listen->uri_count && !mica_text_equal(listen->uris[i], uri))
        i++;
    return i;
}

// `listen` with or without the URI; NULL for want of memory.
static struct mica_listen *
with_uri(const struct mica_listen *listen, struct mica_text uri, bool on)
{
    struct mica_listen next = *listen;
    struct mica_listen *made;
    size_t at = find_uri(listen, uri);

    next.uris = malloc((listen->uri_count + 1) * sizeof *next.uris);
    if (next.uris == NULL)
        return NULL;
    if (listen->uri_count > 0)
        memcpy(next.uris, listen->uris, listen->uri_count * sizeof *next.uris);
    if (on && at == listen->uri_count)
        next.uris[next.uri_count++] = uri;
    else if (!on && at < listen->uri_count)
        next.uris[at] = next.uris[--next.uri_count];
    made = listen_copy(&next);
    free(next.uris);
    return made;
}

static enum mica_status
session_subscribe(void *data, const struct mica_session *session,
                  struct mica_text uri, bool on, struct mica_error *error)
{
    struct mica_pipe_listen *listen = data;
    struct mica_pipe_subscription *subscription = listen->session;
    struct mica_listen *next, *old;

    (void)session;
    if (subscription == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    if (on && subscription->listen->uri_count >= PIPE_URIS)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%d resources are subscribed to already; "
                              "unsubscribe from some, or subscribe to one "
                              "above them",
                              PIPE_URIS);
    next = with_uri(subscription->listen, uri, on);
    if (next == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    pthread_mutex_lock(&subscription->lock);
    old = subscription->listen;
    subscription->listen = next;
    pthread_mutex_unlock(&subscription->lock);
    free(old);
    return MICA_OK;
}

enum mica_status
mica_pipe_listen_open(struct mica_pipe_listen *listen,
                      struct mica_server *server, struct mica_outbox *outbox,
                      struct mica_stream *stream,
                      struct mica_pipe_counts *counts, struct mica_error *error)
{
    *listen = (struct mica_pipe_listen){
        .server = server,
        .outbox = outbox,
        .stream = stream,
        .counts = counts,
        .sessions = {.data = listen, .subscribe = session_subscribe}};
    return mica_bus_of(server, error, &listen->bus);
}
