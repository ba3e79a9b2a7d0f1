// SPDX-License-Identifier: Apache-2.0
//
// Clients of the oldest transport are served like pipes: the same state, the
// same entry into the core, and replies on the one stream in the order of their
// completion. A client whose stream has ended is let go of when the next one
// comes, is told something, or asks; and soon when a call of it waits.
#include "http/http_sse/http_sse.h"

#include <stdlib.h>
#include <string.h>

#include "http/http_sse/http_sse_parts.h"
#include "rest/query.h"
#include "serve/refuse.h"
#include "server/message.h"
#include "server/methods/listening.h"

enum {
    CLIENTS = 1000,
    STREAM_BYTES = 4 << 20, // that wait for a slow reader
    TOLD_BYTES = 128 << 10, // of one notification
    PRINCIPAL_BYTES = 64 << 10
};

static const struct mica_text none = {NULL, 0};

// ---- Clients, with the lock held ---------------------------------------------------

static void
free_client(struct mica_client *client)
{
    for (size_t i = 0; i < MICA_OLDEST_URIS; i++)
        free(client->uris[i]);
    mica_sse_drop(client->sse);
    mica_arena_fini(&client->arena);
    free(client);
}

// Out of the list, and gone when no worker has a message of it.
static void
drop(struct mica_client **at)
{
    struct mica_client *client = *at;

    *at = client->next;
    client->oldest->count--;
    client->gone = true;
    mica_sse_end(client->sse);
    for (struct mica_posted *p = client->posted; p != NULL; p = p->next)
        atomic_store(&p->exchange->message.cancelled, true);
    mica_client_disconnect(client);
    if (client->posted == NULL && client->turns == 0)
        free_client(client);
}

void
mica_client_tidy(struct mica_client *client)
{
    struct mica_oldest *oldest = client->oldest;

    if (client->gone && client->posted == NULL && client->turns == 0)
        free_client(client);
    if (oldest->ending)
        mica_oldest_reap(oldest, false); // it may have waited for just that
}

// Nobody reads its stream, or nothing will come on it any more.
static bool
is_over(const struct mica_client *client)
{
    return !mica_sse_is_open(client->sse) ||
           (client->oldest->ending && client->posted == NULL &&
            client->turns == 0);
}

void
mica_oldest_reap(struct mica_oldest *oldest, bool all)
{
    struct mica_client **at = &oldest->clients;

    while (*at != NULL) {
        if (all || is_over(*at))
            drop(at);
        else
            at = &(*at)->next;
    }
}

static bool
is_of(const struct mica_client *client, const struct mica_principal *principal)
{
    if (principal == NULL || !client->has_principal)
        return principal == NULL && !client->has_principal;
    return mica_text_equal(client->principal.issuer, principal->issuer) &&
           mica_text_equal(client->principal.subject, principal->subject);
}

static struct mica_client *
find(const struct mica_oldest *oldest, const char *id,
     const struct mica_principal *principal)
{
    struct mica_client *client = oldest->clients;

    while (client != NULL &&
           (strcmp(client->id, id) != 0 || !is_of(client, principal) ||
            !mica_sse_is_open(client->sse)))
        client = client->next;
    return client;
}

// ---- Changes -----------------------------------------------------------------------

// Called by the core inside mica_message_line, with the lock held.
static enum mica_status
subscribe(void *data, const struct mica_session *session, struct mica_text uri,
          bool on, struct mica_error *error)
{
    struct mica_client *client = data;
    size_t at = 0, room = MICA_OLDEST_URIS;

    (void)session;
    for (; at < MICA_OLDEST_URIS; at++) {
        if (client->uris[at] == NULL)
            room = room == MICA_OLDEST_URIS ? at : room;
        else if (mica_text_is(uri, client->uris[at]))
            break;
    }
    if (at < MICA_OLDEST_URIS && !on) {
        free(client->uris[at]);
        client->uris[at] = NULL;
    }
    if (at < MICA_OLDEST_URIS || !on)
        return MICA_OK;
    if (room < MICA_OLDEST_URIS)
        client->uris[room] = strndup(uri.ptr, uri.len);
    if (room == MICA_OLDEST_URIS || client->uris[room] == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "a client may subscribe to %d resources",
                              MICA_OLDEST_URIS);
    return MICA_OK;
}

static bool
wants(const struct mica_client *client, const struct mica_change *change)
{
    if (!client->state.initialized)
        return false;
    if (change->kind != MICA_CHANGED_CONTENTS)
        return true;
    for (size_t i = 0; i < MICA_OLDEST_URIS; i++) {
        if (client->uris[i] != NULL &&
            mica_listen_covers(mica_text(client->uris[i]), change->uri))
            return true;
    }
    return false;
}

static void
tell(struct mica_oldest *oldest, const struct mica_change *change)
{
    struct mica_buffer text;

    mica_buffer_init(&text, NULL, TOLD_BYTES);
    mica_change_write(change, &text);
    for (struct mica_client *client = oldest->clients;
         client != NULL && text.len > 0; client = client->next) {
        if (wants(client, change))
            (void)mica_sse_offer(client->sse, mica_buffer_as_text(&text));
    }
    mica_buffer_fini(&text);
}

// The contents of anything may have changed: each client is told of all that it
// follows.
static void
tell_of_any(struct mica_oldest *oldest)
{
    struct mica_change change = {.kind = MICA_CHANGED_CONTENTS};
    struct mica_buffer text;

    mica_buffer_init(&text, NULL, TOLD_BYTES);
    for (struct mica_client *client = oldest->clients; client != NULL;
         client = client->next) {
        for (size_t i = 0; i < MICA_OLDEST_URIS && client->state.initialized;
             i++) {
            if (client->uris[i] == NULL)
                continue;
            text.len = 0;
            change.uri = mica_text(client->uris[i]);
            mica_change_write(&change, &text);
            if (text.len > 0)
                (void)mica_sse_offer(client->sse, mica_buffer_as_text(&text));
        }
    }
    mica_buffer_fini(&text);
}

// From the bus.
static void
changed(void *data, const struct mica_change *change)
{
    struct mica_oldest *oldest = data;

    pthread_mutex_lock(&oldest->lock);
    mica_oldest_reap(oldest, false);
    if (change->kind == MICA_CHANGED_CONTENTS && change->uri.len == 0)
        tell_of_any(oldest);
    else
        tell(oldest, change);
    pthread_mutex_unlock(&oldest->lock);
}

// ---- Opening and closing -------------------------------------------------------------

enum mica_status
mica_oldest_open(struct mica_http *http, struct mica_error *error,
                 struct mica_oldest **oldest_out)
{
    struct mica_oldest *oldest = calloc(1, sizeof *oldest);

    if (oldest == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    oldest->http = http;
    pthread_mutex_init(&oldest->lock, NULL);
    oldest->subscriber =
        (struct mica_subscriber){.changed = changed, .data = oldest};
    *oldest_out = oldest;
    if (!mica_bus_join(http->bus, &oldest->subscriber)) {
        oldest->subscriber.changed = NULL;
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    }
    return MICA_OK;
}

static void
end(struct mica_oldest *oldest, bool all)
{
    pthread_mutex_lock(&oldest->lock);
    oldest->ending = true;
    mica_oldest_reap(oldest, all);
    pthread_mutex_unlock(&oldest->lock);
}

void
mica_oldest_drain(struct mica_oldest *oldest)
{
    end(oldest, false);
}

void
mica_oldest_end(struct mica_oldest *oldest)
{
    end(oldest, true);
}

struct mica_oldest_counts
mica_oldest_counts(struct mica_oldest *oldest)
{
    struct mica_oldest_counts counts = {0, 0};

    if (oldest == NULL)
        return counts;
    pthread_mutex_lock(&oldest->lock);
    counts.asked = oldest->asked;
    counts.waiting = oldest->waiting;
    pthread_mutex_unlock(&oldest->lock);
    return counts;
}

void
mica_oldest_close(struct mica_oldest **oldest)
{
    if (*oldest == NULL)
        return;
    if ((*oldest)->subscriber.changed != NULL)
        mica_bus_leave((*oldest)->http->bus, &(*oldest)->subscriber);
    mica_oldest_end(*oldest);
    pthread_mutex_destroy(&(*oldest)->lock);
    free(*oldest);
    *oldest = NULL;
}

// ---- GET /sse ------------------------------------------------------------------------

static struct mica_client *
create(struct mica_oldest *oldest, const struct mica_principal *principal)
{
    struct mica_client *client = calloc(1, sizeof *client);

    if (client == NULL)
        return NULL;
    client->oldest = oldest;
    mica_store_id_make(client->id);
    mica_arena_init(&client->arena, PRINCIPAL_BYTES);
    client->sse = mica_sse_new(STREAM_BYTES);
    client->has_principal = principal != NULL;
    if (principal != NULL) {
        client->principal.issuer =
            mica_arena_text(&client->arena, principal->issuer);
        client->principal.subject =
            mica_arena_text(&client->arena, principal->subject);
    }
    client->sessions =
        (struct mica_sessions){.data = client, .subscribe = subscribe};
    client->state.sessions = &client->sessions;
    if (client->sse != NULL && !client->arena.overflow)
        return client;
    free_client(client);
    return NULL;
}

// The stream with its first event, for the caller too; or NULL.
static struct mica_sse *
open_stream(struct mica_oldest *oldest, const struct mica_principal *principal)
{
    char room[128];
    struct mica_buffer event = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_client *client = NULL;
    struct mica_sse *sse = NULL;

    pthread_mutex_lock(&oldest->lock);
    mica_oldest_reap(oldest, false);
    if (!oldest->ending && oldest->count < CLIENTS)
        client = create(oldest, principal);
    if (client != NULL) {
        mica_buffer_format(&event,
                           "event: endpoint\ndata: /messages?session=%s\n\n",
                           client->id);
        (void)mica_sse_write(client->sse, mica_buffer_as_text(&event));
        client->next = oldest->clients;
        oldest->clients = client;
        oldest->count++;
        sse = client->sse;
        mica_sse_hold(sse);
    }
    pthread_mutex_unlock(&oldest->lock);
    return sse;
}

static enum MHD_Result
answer_get(struct mica_http_exchange *exchange)
{
    struct mica_sse *sse =
        open_stream(exchange->http->oldest, exchange->message.principal);
    enum MHD_Result result;

    if (sse == NULL)
        return mica_exchange_refuse(exchange, 503, MICA_E_LIMIT,
                                    "there are too many streams; try again "
                                    "later");
    result = mica_exchange_stream(exchange, sse);
    mica_sse_drop(sse);
    return result;
}

// ---- POST /messages --------------------------------------------------------------------

void
mica_client_reply(struct mica_client *client, struct mica_text id,
                  struct mica_text reply)
{
    char room[1024];
    struct mica_buffer lost = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    // A reply that the stream could not hold would end it, and the client.
    mica_refuse_write(&lost, id, MICA_REFUSE_INTERNAL, MICA_E_LIMIT,
                      "the result is larger than this transport holds; ask for "
                      "less");
    (void)mica_sse_send(
        client->sse, none,
        reply.len <= STREAM_BYTES / 2 ? reply : mica_buffer_as_text(&lost), 0);
}

// The message is not under way any more, and with it perhaps its client.
static void
leave(struct mica_posted *posted)
{
    struct mica_client *client = posted->client;
    struct mica_oldest *oldest = client->oldest;
    struct mica_posted **at;

    pthread_mutex_lock(&oldest->lock);
    for (at = &client->posted; *at != posted; at = &(*at)->next) {
    }
    *at = posted->next;
    mica_client_tidy(client);
    pthread_mutex_unlock(&oldest->lock);
}

// On a worker.
static void
work(void *data)
{
    struct mica_http_exchange *exchange = data;

    if (exchange->message.round != NULL)
        mica_http_asks(exchange->http);
    mica_message_work(&exchange->message);
    mica_client_settle(exchange->posted.client, &exchange->message);
    leave(&exchange->posted);
    mica_exchange_release(exchange);
}

// By the scribe.
static void
cancel(void *data)
{
    struct mica_http_exchange *exchange = data;

    mica_client_cancel(exchange->posted.client, &exchange->message);
    leave(&exchange->posted);
    mica_exchange_release(exchange);
}

static void
emit(struct mica_message *message, struct mica_text notification)
{
    const struct mica_http_exchange *exchange = message->emit_data;

    (void)mica_sse_offer(exchange->posted.client->sse, notification);
}

// With the lock held: reads the message as the next one of its client, which
// holds the client from here on. False when there is none.
static bool
begin(struct mica_http_exchange *exchange, const char *id)
{
    struct mica_oldest *oldest = exchange->http->oldest;
    struct mica_message *message = &exchange->message;
    struct mica_client *client = find(oldest, id, message->principal);
    struct mica_text cancels;

    if (client == NULL)
        return false;
    exchange->posted = (struct mica_posted){
        .next = client->posted, .client = client, .exchange = exchange};
    message->emit = emit;
    message->emit_data = exchange;
    message->answers_later = true;
    mica_message_line(message, &client->state,
                      mica_buffer_as_text(&exchange->body));
    for (size_t i = 0; (cancels = mica_message_cancels(message, i)).len > 0;
         i++)
        for (struct mica_posted *p = client->posted; p != NULL; p = p->next)
            (void)mica_message_cancel(&p->exchange->message, cancels);
    client->posted = &exchange->posted;
    if (client->asking_count >= MICA_OLDEST_WAITING)
        message->client = 0; // it has enough to answer
    if (message->step == MICA_STEP_LISTEN)
        mica_reply_error(message, 200, MICA_RPC_METHOD, MICA_E_NOT_FOUND, none,
                         "This transport tells of changes by itself; for "
                         "%.*s use /mcp",
                         MICA_ARG(message->method));
    return true;
}

// 202: the reply comes on the stream, or has come.
static enum MHD_Result
accepted(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;

    memset(&response, 0, sizeof response);
    response.status = 202;
    return mica_exchange_send(exchange, &response);
}

// Has `run` called with the exchange by one of `workers`.
static enum MHD_Result
hand_over(struct mica_http_exchange *exchange, struct mica_workers *workers,
          void (*run)(void *exchange))
{
    mica_exchange_keep(exchange);
    mica_exchange_hold(exchange);
    exchange->task = (struct mica_task){.run = run, .data = exchange};
    if (mica_workers_push(workers, &exchange->task, 0))
        return accepted(exchange);
    leave(&exchange->posted);
    mica_exchange_release(exchange);
    return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                "too many calls are waiting; try again");
}

static enum MHD_Result
take_step(struct mica_http_exchange *exchange)
{
    const struct mica_http *http = exchange->http;
    struct mica_message *message = &exchange->message;
    struct mica_client *client = exchange->posted.client;

    if (message->step == MICA_STEP_WORK && message->later != NULL)
        return hand_over(exchange, http->scribe, work);
    if (message->step == MICA_STEP_WORK && !mica_message_try(message))
        return hand_over(exchange, http->workers, work);
    if (mica_client_cancels(client, message))
        return hand_over(exchange, http->scribe, cancel);
    mica_client_settle(client, message);
    leave(&exchange->posted);
    return accepted(exchange);
}

static enum MHD_Result
run(struct mica_http_exchange *exchange)
{
    if (mica_client_answers(exchange->posted.client, &exchange->message))
        return take_step(exchange);
    leave(&exchange->posted);
    return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                "too many answers are waiting; send this one "
                                "again");
}

// ?session=ID, as the stream has told its client; or NULL.
static const char *
session_of(struct mica_http_exchange *exchange)
{
    struct mica_query query;
    struct mica_error error;

    if (mica_query_read(&exchange->arena, exchange->request.query, &error,
                        &query) != MICA_OK)
        return NULL;
    for (size_t i = 0; i < query.count; i++) {
        if (mica_text_is(query.pairs[i].name, "session"))
            return mica_arena_text(&exchange->arena, query.pairs[i].value).ptr;
    }
    return NULL;
}

static enum MHD_Result
answer_post(struct mica_http_exchange *exchange)
{
    struct mica_oldest *oldest = exchange->http->oldest;
    const char *id = session_of(exchange);
    bool begun = false;

    pthread_mutex_lock(&oldest->lock);
    if (id != NULL)
        begun = begin(exchange, id);
    pthread_mutex_unlock(&oldest->lock);
    if (!begun)
        return mica_exchange_refuse(exchange, 404, MICA_E_NOT_FOUND,
                                    "there is no such stream, or it has ended: "
                                    "open another with GET /sse");
    return run(exchange);
}

// ---- Either ----------------------------------------------------------------------------

// A page of another origin may post plain text without being asked first.
static bool
is_json(const struct mica_http_exchange *exchange)
{
    const char *type = MHD_lookup_connection_value(
        exchange->connection, MHD_HEADER_KIND, "Content-Type");

    return type != NULL && strncasecmp(type, "application/json", 16) == 0 &&
           (type[16] == '\0' || type[16] == ';' || type[16] == ' ');
}

enum MHD_Result
mica_oldest_answer(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    bool stream = mica_text_is(exchange->request.path, "/sse");

    if (!mica_text_is(exchange->request.method, stream ? "GET" : "POST"))
        return mica_exchange_refuse(exchange, 405, MICA_E_METHOD,
                                    stream ? "/sse answers GET"
                                           : "/messages answers POST");
    mica_message_init(&exchange->message, http->server, &exchange->arena);
    exchange->is_message = true;
    if (http->auth != NULL)
        exchange->message.principal = &exchange->principal.party;
    if (stream)
        return answer_get(exchange);
    if (!is_json(exchange))
        return mica_exchange_refuse(exchange, 415, MICA_E_MEDIA,
                                    "Content-Type must be application/json");
    return answer_post(exchange);
}
