// SPDX-License-Identifier: Apache-2.0
//
// The clients of HTTP+SSE: one for each stream, with its subscriptions and the calls that
// ask it. A client whose stream has ended is removed when another stream opens, when a
// change is published, or, if calls wait, at the next tick of the session thread.
#include <stdlib.h>
#include <string.h>

#include "apps/app_access.h"
#include "http/http_sse/http_sse_parts.h"
#include "serve/refuse.h"

enum {
    PRINCIPAL_BYTES = 64 << 10
};

static const struct mica_text none = {NULL, 0};

// ---- Questions that wait, with the lock held ----------------------------------------

struct mica_http_sse_question **
mica_http_sse_question_find(struct mica_http_sse_client *client,
                            struct mica_text call)
{
    struct mica_http_sse_question **at = &client->asking;

    while (*at != NULL && !mica_text_is(call, (*at)->call))
        at = &(*at)->next;
    return at;
}

void
mica_http_sse_question_remove(struct mica_http_sse_client *client,
                              struct mica_text call)
{
    struct mica_http_sse_question **at =
                                      mica_http_sse_question_find(client, call),
                                  *gone = *at;

    if (gone == NULL)
        return;
    *at = gone->next;
    client->asking_count--;
    client->transport->waiting--;
    free(gone);
}

struct mica_http_sse_client *
mica_http_sse_client_of(const struct mica_http_sse *transport,
                        struct mica_text call)
{
    struct mica_http_sse_client *client = transport->clients;

    while (client != NULL && *mica_http_sse_question_find(client, call) == NULL)
        client = client->next;
    return client;
}

void
mica_http_sse_question_disconnect(struct mica_http_sse *transport,
                                  struct mica_text call)
{
    const struct mica_resume_cause why = {.call = call,
                                          .ending = MICA_E_DISCONNECTED};
    bool queued =
        mica_turn_queue_resume(transport->http->turn_queue, &why, none, NULL);

    (void)queued; // otherwise the call ends at its time limit
}

void
mica_http_sse_client_disconnect(struct mica_http_sse_client *client)
{
    while (client->asking != NULL) {
        struct mica_text call = mica_text(client->asking->call);
        mica_http_sse_question_disconnect(client->transport, call);
        mica_http_sse_question_remove(client, call);
    }
}

// ---- Clients, with the lock held ---------------------------------------------------

static void
client_free(struct mica_http_sse_client *client)
{
    for (size_t i = 0; i < MICA_HTTP_SSE_URIS; i++)
        free(client->uris[i]);
    mica_sse_drop(client->sse);
    mica_arena_fini(&client->arena);
    free(client);
}

// Removes the client from the list; frees it when it has no message and no turn.
static void
client_remove(struct mica_http_sse_client **at)
{
    struct mica_http_sse_client *client = *at;

    *at = client->next;
    client->transport->count--;
    client->gone = true;
    mica_sse_end(client->sse);
    for (struct mica_http_sse_post *p = client->posted; p != NULL; p = p->next)
        atomic_store(&p->exchange->message.execution.cancelled, true);
    mica_http_sse_client_disconnect(client);
    if (client->posted == NULL && client->turns == 0)
        client_free(client);
}

void
mica_http_sse_client_free_if_unused(struct mica_http_sse_client *client)
{
    struct mica_http_sse *transport = client->transport;

    if (client->gone && client->posted == NULL && client->turns == 0)
        client_free(client);
    if (transport->ending)
        mica_http_sse_reap(transport,
                           false); // this client may have nothing left to do
}

// Has the stream ended? Or does the server end, and no reply is due on the stream?
static bool
client_has_ended(const struct mica_http_sse_client *client)
{
    return !mica_sse_is_open(client->sse) ||
           (client->transport->ending && client->posted == NULL &&
            client->turns == 0);
}

void
mica_http_sse_reap(struct mica_http_sse *transport, bool all)
{
    struct mica_http_sse_client **at = &transport->clients;

    while (*at != NULL) {
        if (all || client_has_ended(*at))
            client_remove(at);
        else
            at = &(*at)->next;
    }
}

static bool
client_is_admitted(const struct mica_http_sse_client *client,
                   const struct mica_app_exposure *now)
{
    const struct mica_app_caller caller = {
        .has_token = mica_principal_is_known(&client->principal),
        .scopes = client->principal.scopes};

    return now != NULL && mica_app_admits(now, &caller);
}

void
mica_http_sse_end_at(struct mica_http_sse *transport, struct mica_text endpoint,
                     const struct mica_app_exposure *now)
{
    struct mica_registry *registry = &transport->http->server->registry;
    struct mica_http_sse_client **at;

    pthread_mutex_lock(&transport->lock);
    for (at = &transport->clients; *at != NULL;) {
        if (mica_registry_has_ended(registry, endpoint, (*at)->endpoint) &&
            !client_is_admitted(*at, now))
            client_remove(at);
        else
            at = &(*at)->next;
    }
    pthread_mutex_unlock(&transport->lock);
}

static bool
client_is_of(const struct mica_http_sse_client *client,
             const struct mica_caller *caller)
{
    const struct mica_principal *principal = caller->principal;

    if (!mica_text_equal(client->endpoint, caller->endpoint))
        return false;
    if (principal == NULL || !client->has_principal)
        return principal == NULL && !client->has_principal;
    return mica_text_equal(client->principal.issuer, principal->issuer) &&
           mica_text_equal(client->principal.subject, principal->subject);
}

struct mica_http_sse_client *
mica_http_sse_client_find(const struct mica_http_sse *transport, const char *id,
                          const struct mica_caller *caller)
{
    struct mica_http_sse_client *client = transport->clients;

    while (client != NULL &&
           (strcmp(client->id, id) != 0 || !client_is_of(client, caller) ||
            !mica_sse_is_open(client->sse)))
        client = client->next;
    return client;
}

// ---- A client ----------------------------------------------------------------------

// Called by the core inside mica_message_line, with the lock held.
static enum mica_status
client_subscribe(void *data, const struct mica_session *session,
                 struct mica_text uri, bool on, struct mica_error *error)
{
    struct mica_http_sse_client *client = data;
    size_t at = 0, unused = MICA_HTTP_SSE_URIS;

    (void)session;
    for (; at < MICA_HTTP_SSE_URIS; at++) {
        if (client->uris[at] == NULL)
            unused = unused == MICA_HTTP_SSE_URIS ? at : unused;
        else if (mica_text_is(uri, client->uris[at]))
            break;
    }
    if (at < MICA_HTTP_SSE_URIS && !on) {
        free(client->uris[at]);
        client->uris[at] = NULL;
    }
    if (at < MICA_HTTP_SSE_URIS || !on)
        return MICA_OK;
    if (unused < MICA_HTTP_SSE_URIS)
        client->uris[unused] = strndup(uri.ptr, uri.len);
    if (unused == MICA_HTTP_SSE_URIS || client->uris[unused] == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "a client may subscribe to %d resources",
                              MICA_HTTP_SSE_URIS);
    return MICA_OK;
}

struct mica_http_sse_client *
mica_http_sse_client_new(struct mica_http_sse *transport,
                         const struct mica_caller *caller)
{
    const struct mica_principal *principal = caller->principal;
    struct mica_http_sse_client *client = calloc(1, sizeof *client);

    if (client == NULL)
        return NULL;
    client->transport = transport;
    mica_store_id_make(client->id);
    mica_arena_init(&client->arena, PRINCIPAL_BYTES);
    client->sse = mica_sse_new(MICA_HTTP_SSE_STREAM_BYTES);
    client->has_principal = principal != NULL;
    if (principal != NULL) {
        client->principal.issuer =
            mica_arena_text(&client->arena, principal->issuer);
        client->principal.subject =
            mica_arena_text(&client->arena, principal->subject);
        client->principal.scopes =
            mica_arena_text(&client->arena, principal->scopes);
    }
    client->endpoint = mica_arena_text(&client->arena, caller->endpoint);
    client->sessions =
        (struct mica_sessions){.data = client, .subscribe = client_subscribe};
    client->state.sessions = &client->sessions;
    if (client->sse != NULL && !client->arena.overflow)
        return client;
    client_free(client);
    return NULL;
}

void
mica_http_sse_client_reply(struct mica_http_sse_client *client,
                           struct mica_text id, struct mica_text reply)
{
    char storage[1024];
    struct mica_buffer lost = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    // A reply that exceeds the queue would end the stream, and with it the client.
    mica_refuse_write(&lost, id, MICA_REFUSE_INTERNAL, MICA_E_LIMIT,
                      "the result is larger than this transport holds; ask for "
                      "less");
    (void)mica_sse_send(client->sse, none,
                        reply.len <= MICA_HTTP_SSE_STREAM_BYTES / 2
                            ? reply
                            : mica_buffer_as_text(&lost),
                        0);
}
