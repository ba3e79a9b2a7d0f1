// SPDX-License-Identifier: Apache-2.0
//
// The clients of HTTP+SSE: one for each stream, with what they subscribed to and
// the questions that wait for them. A client whose stream has ended is let go of
// when the next one comes, is told something, or asks; and soon when a call of it
// waits.
#include <stdlib.h>
#include <string.h>

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

// The client whose call it is; NULL when it is that of none here.
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
    bool taken_up =
        mica_turn_queue_resume(transport->http->turn_queue, &why, none, NULL);

    (void)taken_up; // otherwise it ends when it is late
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

// Out of the list, and gone when no worker has a message of it.
static void
client_drop(struct mica_http_sse_client **at)
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
                           false); // it may have waited for just that
}

// The client does not read its stream, or nothing will come on it any more.
static bool
client_is_over(const struct mica_http_sse_client *client)
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
        if (all || client_is_over(*at))
            client_drop(at);
        else
            at = &(*at)->next;
    }
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
    size_t at = 0, room = MICA_HTTP_SSE_URIS;

    (void)session;
    for (; at < MICA_HTTP_SSE_URIS; at++) {
        if (client->uris[at] == NULL)
            room = room == MICA_HTTP_SSE_URIS ? at : room;
        else if (mica_text_is(uri, client->uris[at]))
            break;
    }
    if (at < MICA_HTTP_SSE_URIS && !on) {
        free(client->uris[at]);
        client->uris[at] = NULL;
    }
    if (at < MICA_HTTP_SSE_URIS || !on)
        return MICA_OK;
    if (room < MICA_HTTP_SSE_URIS)
        client->uris[room] = strndup(uri.ptr, uri.len);
    if (room == MICA_HTTP_SSE_URIS || client->uris[room] == NULL)
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
    char room[1024];
    struct mica_buffer lost = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    // A reply that the stream could not hold would end it, and the client.
    mica_refuse_write(&lost, id, MICA_REFUSE_INTERNAL, MICA_E_LIMIT,
                      "the result is larger than this transport holds; ask for "
                      "less");
    (void)mica_sse_send(client->sse, none,
                        reply.len <= MICA_HTTP_SSE_STREAM_BYTES / 2
                            ? reply
                            : mica_buffer_as_text(&lost),
                        0);
}
