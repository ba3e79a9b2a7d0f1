// SPDX-License-Identifier: Apache-2.0
//
// Serves a client of HTTP+SSE as a pipe is served: with the same state, the same entry
// into the core, and replies on one stream in the order of their completion.
#include "http/http_sse/http_sse.h"

#include <stdlib.h>
#include <string.h>

#include "http/http_sse/http_sse_parts.h"
#include "http/inspect_capture.h"
#include "rest/query.h"
#include "serve/refuse.h"
#include "serve/worker_message.h"
#include "server/message.h"
#include "server/methods/listening.h"

enum {
    CLIENTS = 1000,
    NOTIFICATION_BYTES = 128 << 10 // of one notification
};

static const struct mica_text none = {NULL, 0};

// Returns `wordsz`, followed by the path as the client addresses it.
static const char *
client_address(struct mica_http_exchange *exchange, const char *wordsz,
               const char *pathz)
{
    struct mica_text address = mica_base_path_text(
        &exchange->arena, exchange->request.base, "%s", pathz);

    return mica_base_path_text(&exchange->arena, mica_text(wordsz), "%.*s",
                               MICA_ARG(address))
        .ptr;
}

// ---- Changes -----------------------------------------------------------------------

static bool
client_wants(const struct mica_http_sse_client *client,
             const struct mica_change *change)
{
    if (!client->state.initialized ||
        !mica_change_concerns(change, client->endpoint))
        return false;
    if (change->kind != MICA_CHANGED_CONTENTS)
        return true;
    for (size_t i = 0; i < MICA_HTTP_SSE_URIS; i++) {
        if (client->uris[i] != NULL &&
            mica_listen_covers(mica_text(client->uris[i]), change->uri))
            return true;
    }
    return false;
}

static void
clients_notify(struct mica_http_sse *transport,
               const struct mica_change *change)
{
    struct mica_buffer text;

    mica_buffer_init(&text, NULL, NOTIFICATION_BYTES);
    mica_change_write(change, &text);
    for (struct mica_http_sse_client *client = transport->clients;
         client != NULL && text.len > 0; client = client->next) {
        if (client_wants(client, change))
            (void)mica_sse_offer(client->sse, mica_buffer_as_text(&text));
    }
    mica_buffer_fini(&text);
}

// Any content may have changed: notifies each client of all URIs that it subscribed to.
static void
clients_notify_any_content(struct mica_http_sse *transport)
{
    struct mica_change change = {.everywhere = true,
                                 .kind = MICA_CHANGED_CONTENTS};
    struct mica_buffer text;

    mica_buffer_init(&text, NULL, NOTIFICATION_BYTES);
    for (struct mica_http_sse_client *client = transport->clients;
         client != NULL; client = client->next) {
        for (size_t i = 0; i < MICA_HTTP_SSE_URIS && client->state.initialized;
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

// The bus calls this.
static void
clients_changed(void *data, const struct mica_change *change)
{
    struct mica_http_sse *transport = data;

    pthread_mutex_lock(&transport->lock);
    mica_http_sse_reap(transport, false);
    if (change->kind == MICA_CHANGED_CONTENTS && change->uri.len == 0)
        clients_notify_any_content(transport);
    else
        clients_notify(transport, change);
    pthread_mutex_unlock(&transport->lock);
}

// ---- Open and close ------------------------------------------------------------------

enum mica_status
mica_http_sse_open(struct mica_http *http, struct mica_error *error,
                   struct mica_http_sse **transport_out)
{
    struct mica_http_sse *transport = calloc(1, sizeof *transport);

    if (transport == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    transport->http = http;
    pthread_mutex_init(&transport->lock, NULL);
    transport->subscriber =
        (struct mica_subscriber){.changed = clients_changed, .data = transport};
    *transport_out = transport;
    if (!mica_bus_join(http->bus, &transport->subscriber)) {
        transport->subscriber.changed = NULL;
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    }
    return MICA_OK;
}

static void
transport_end(struct mica_http_sse *transport, bool all)
{
    pthread_mutex_lock(&transport->lock);
    transport->ending = true;
    mica_http_sse_reap(transport, all);
    pthread_mutex_unlock(&transport->lock);
}

void
mica_http_sse_drain(struct mica_http_sse *transport)
{
    transport_end(transport, false);
}

void
mica_http_sse_end(struct mica_http_sse *transport)
{
    transport_end(transport, true);
}

struct mica_http_sse_counts
mica_http_sse_counts(struct mica_http_sse *transport)
{
    struct mica_http_sse_counts counts = {0, 0};

    if (transport == NULL)
        return counts;
    pthread_mutex_lock(&transport->lock);
    counts.asked = transport->asked;
    counts.waiting = transport->waiting;
    pthread_mutex_unlock(&transport->lock);
    return counts;
}

void
mica_http_sse_close(struct mica_http_sse **transport)
{
    if (*transport == NULL)
        return;
    if ((*transport)->subscriber.changed != NULL)
        mica_bus_leave((*transport)->http->bus, &(*transport)->subscriber);
    mica_http_sse_end(*transport);
    pthread_mutex_destroy(&(*transport)->lock);
    free(*transport);
    *transport = NULL;
}

// ---- GET /sse ------------------------------------------------------------------------

// Opens a stream and sends its first event. Owner: the caller has one reference. NULL if
// there are too many, or for want of memory.
static struct mica_sse *
open_stream(struct mica_http_exchange *exchange,
            const struct mica_caller *caller)
{
    struct mica_http_sse *transport = exchange->http->http_sse;
    char storage[MICA_ADDED_PATH_BYTES + 128];
    struct mica_buffer event = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    struct mica_http_sse_client *client = NULL;
    struct mica_sse *sse = NULL;

    pthread_mutex_lock(&transport->lock);
    mica_http_sse_reap(transport, false);
    if (!transport->ending && transport->count < CLIENTS)
        client = mica_http_sse_client_new(transport, caller);
    if (client != NULL) {
        // Only a path: some clients accept no other origin than that of the stream.
        mica_buffer_text(&event, MICA_LITERAL("event: endpoint\ndata: "));
        mica_base_path_add(&event, exchange->request.base,
                           "/messages?session=%s\n\n", client->id);
        mica_inspect_session(exchange, mica_text(client->id));
        (void)mica_sse_write(client->sse, mica_buffer_as_text(&event));
        client->next = transport->clients;
        transport->clients = client;
        transport->count++;
        sse = client->sse;
        mica_sse_hold(sse);
    }
    pthread_mutex_unlock(&transport->lock);
    return sse;
}

static enum MHD_Result
answer_get(struct mica_http_exchange *exchange)
{
    struct mica_caller caller = mica_message_caller(&exchange->message);
    struct mica_sse *sse = open_stream(exchange, &caller);
    enum MHD_Result result;

    if (sse == NULL)
        return mica_exchange_refuse(exchange, 503, MICA_E_LIMIT,
                                    "there are too many streams; try again "
                                    "later");
    mica_exchange_check_stream(exchange);
    result = mica_exchange_stream(exchange, sse);
    mica_sse_drop(sse);
    return result;
}

// ---- POST /messages --------------------------------------------------------------------

// The message is done: removes it, and frees a client that has waited for it.
static void
post_end(struct mica_http_sse_post *post)
{
    struct mica_http_sse_client *client = post->client;
    struct mica_http_sse *transport = client->transport;
    struct mica_http_sse_post **at;

    pthread_mutex_lock(&transport->lock);
    for (at = &client->posted; *at != post; at = &(*at)->next) {
    }
    *at = post->next;
    mica_http_sse_client_free_if_unused(client);
    pthread_mutex_unlock(&transport->lock);
}

// The reply goes out on the stream; the Inspector shows it with the POST, too.
static void
post_inspect(struct mica_http_exchange *exchange)
{
    mica_inspect_name(exchange);
    if (exchange->message.step == MICA_STEP_REPLY)
        mica_inspect_message(
            exchange, mica_buffer_as_text(&exchange->message.reply.text));
}

static void post_work(void *data);

// The model that the message waited for has answered: a worker continues it.
static void
post_wake(struct mica_message *message)
{
    struct mica_http_exchange *exchange = mica_exchange_of(message);

    exchange->job = (struct mica_worker_job){.run = post_work,
                                             .data = message->reply.emit_data};
    mica_workers_return(exchange->http->workers, &exchange->job);
}

// Executes the message, on a worker or on the store thread.
static void
post_work(void *data)
{
    struct mica_http_sse_post *post = data;
    struct mica_http_exchange *exchange = post->exchange;

    if (exchange->message.execution.resumable != NULL)
        mica_http_start_turns(exchange->http);
    if (!mica_worker_execute(exchange->http->workers, &exchange->message,
                             post_wake))
        return;
    mica_http_sse_client_finish(post->client, &exchange->message);
    post_inspect(exchange);
    post_end(post);
    mica_exchange_release(exchange);
}

// Cancels stored calls, on the store thread.
static void
post_cancel(void *data)
{
    struct mica_http_sse_post *post = data;
    struct mica_http_exchange *exchange = post->exchange;

    mica_http_sse_client_cancel(post->client, &exchange->message);
    post_end(post);
    mica_exchange_release(exchange);
}

static void
post_emit(struct mica_message *message, struct mica_text notification)
{
    const struct mica_http_sse_post *post = message->reply.emit_data;

    (void)mica_sse_offer(post->client->sse, notification);
}

// Reads the message as the next one of its client, which stays until post_end. Returns
// false if there is no such client. With the lock held.
static bool
post_begin(struct mica_http_sse_post *post, const char *id)
{
    struct mica_http_exchange *exchange = post->exchange;
    struct mica_message *message = &exchange->message;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_http_sse_client *client =
        mica_http_sse_client_find(exchange->http->http_sse, id, &caller);
    struct mica_text cancels;

    if (client == NULL)
        return false;
    post->next = client->posted;
    post->client = client;
    message->reply.emit = post_emit;
    message->reply.emit_data = post;
    message->execution.can_receive_answers = true;
    message->request.takes = MICA_TAKES_STORE;
    mica_message_line(message, &client->state,
                      mica_buffer_as_text(&exchange->body));
    if (message->step == MICA_STEP_STORE)
        mica_message_defer(message);
    for (size_t i = 0; (cancels = mica_message_cancels(message, i)).len > 0;
         i++)
        for (struct mica_http_sse_post *p = client->posted; p != NULL;
             p = p->next)
            (void)mica_message_cancel(&p->exchange->message, cancels);
    client->posted = post;
    if (client->asking_count >= MICA_HTTP_SSE_WAITING)
        message->context.capabilities = 0; // too many calls ask it already
    if (message->reply.listen != NULL)
        mica_reply_error(message, 200, MICA_RPC_METHOD, MICA_E_NOT_FOUND, none,
                         "This transport tells of changes by itself; for "
                         "%.*s use %s",
                         MICA_ARG(message->request.method),
                         client_address(exchange, "", "/mcp"));
    return true;
}

// 202: the reply is sent on the stream.
static enum MHD_Result
post_accepted(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;

    memset(&response, 0, sizeof response);
    response.status = 202;
    return mica_exchange_send(exchange, &response);
}

// Queues `run` with the post for `workers`. The connection is not suspended: it gets 202
// at once.
static enum MHD_Result
post_hand_over(struct mica_http_sse_post *post, struct mica_workers *workers,
               void (*run)(void *post))
{
    struct mica_http_exchange *exchange = post->exchange;

    mica_exchange_copy_texts(exchange);
    mica_exchange_hold(exchange);
    mica_inspect_name(exchange);
    exchange->job = (struct mica_worker_job){.run = run, .data = post};
    if (mica_workers_push(workers, &exchange->job, 0))
        return post_accepted(exchange);
    post_end(post);
    mica_exchange_release(exchange);
    return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                "too many calls are waiting; try again");
}

static enum MHD_Result
post_step(struct mica_http_sse_post *post)
{
    struct mica_http_exchange *exchange = post->exchange;
    const struct mica_http *http = exchange->http;
    struct mica_message *message = &exchange->message;

    if (message->step == MICA_STEP_WORK && message->execution.deferred != NULL)
        return post_hand_over(post, http->store_thread, post_work);
    if (message->step == MICA_STEP_WORK &&
        !mica_message_execute_inline(message))
        return post_hand_over(post, http->workers, post_work);
    if (mica_http_sse_client_cancels(post->client, message))
        return post_hand_over(post, http->store_thread, post_cancel);
    mica_http_sse_client_finish(post->client, message);
    post_inspect(exchange);
    post_end(post);
    return post_accepted(exchange);
}

static enum MHD_Result
post_answer(struct mica_http_sse_post *post)
{
    if (mica_http_sse_client_queue_answers(post->client,
                                           &post->exchange->message))
        return post_step(post);
    post_end(post);
    return mica_exchange_refuse(post->exchange, 503, MICA_E_BUSY,
                                "too many answers are waiting; send this one "
                                "again");
}

// Reads ?session=ID, which the first event of the stream named; or NULL.
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
    struct mica_http_sse *transport = exchange->http->http_sse;
    const char *id = session_of(exchange);
    struct mica_http_sse_post *post =
        mica_arena_zero(&exchange->arena, 1, sizeof *post);
    bool begun = false;

    if (post == NULL)
        return mica_exchange_refuse(exchange, 503, MICA_E_LIMIT,
                                    "there is no memory for the message; try "
                                    "again");
    post->exchange = exchange;
    pthread_mutex_lock(&transport->lock);
    if (id != NULL)
        begun = post_begin(post, id);
    pthread_mutex_unlock(&transport->lock);
    if (!begun)
        return mica_exchange_refuse(
            exchange, 404, MICA_E_NOT_FOUND,
            client_address(exchange,
                           "there is no such stream, or "
                           "it has ended: open another "
                           "with GET ",
                           "/sse"));
    return post_answer(post);
}

// ---- Both ------------------------------------------------------------------------------

// A page of another origin can post plain text without a CORS preflight.
static bool
is_json(const struct mica_http_exchange *exchange)
{
    const char *type = MHD_lookup_connection_value(
        exchange->connection, MHD_HEADER_KIND, "Content-Type");

    return type != NULL && strncasecmp(type, "application/json", 16) == 0 &&
           (type[16] == '\0' || type[16] == ';' || type[16] == ' ');
}

enum MHD_Result
mica_http_sse_answer(struct mica_http_exchange *exchange)
{
    bool stream = mica_text_is(exchange->request.path, "/sse");

    if (!mica_text_is(exchange->request.method, stream ? "GET" : "POST"))
        return mica_exchange_refuse(exchange, 405, MICA_E_METHOD,
                                    client_address(exchange, "",
                                                   stream ? "/sse answers GET"
                                                          : "/messages answers "
                                                            "POST"));
    mica_exchange_begin_message(exchange);
    if (!mica_message_may_enter(&exchange->message)) // it lacks a scope
        return mica_exchange_reply(exchange);
    if (stream)
        return answer_get(exchange);
    if (!is_json(exchange))
        return mica_exchange_refuse(exchange, 415, MICA_E_MEDIA,
                                    "Content-Type must be application/json");
    return answer_post(exchange);
}
