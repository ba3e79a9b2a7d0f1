// SPDX-License-Identifier: Apache-2.0
//
// Questions to clients of HTTP+SSE. They are sent on the client's stream, and the client
// posts the answers. A call that waits is in the store, so another process may end it
// when it is due: this process polls the store and then sends the reply. When the stream
// ends, the client has disconnected, and its calls end with MICA_E_DISCONNECTED.
#include <stdlib.h>
#include <string.h>

#include "http/http_sse/http_sse_parts.h"
#include "platform/clock.h"
#include "serve/refuse.h"
#include "server/message.h"

enum {
    POLL_MS = 5000, // between two polls of a call that waits
    GRACE_MS = 2000 // for the process that ended a call to send its reply
};

static const struct mica_text none = {NULL, 0};

static bool
question_add(struct mica_http_sse_client *client,
             const struct mica_message *message)
{
    struct mica_text call = mica_message_kept(message)->id;
    struct mica_http_sse_question *asking =
        *mica_http_sse_question_find(client, call);

    if (asking != NULL)
        return true;
    if (client->gone || call.len >= sizeof asking->call)
        return false;
    asking = malloc(sizeof *asking + message->request.id.len);
    if (asking == NULL)
        return false;
    memcpy(asking->call, call.ptr, call.len);
    asking->call[call.len] = '\0';
    asking->id_len = message->request.id.len;
    memcpy(asking->id, message->request.id.ptr, message->request.id.len);
    asking->polled_ms = mica_clock_coarse_ms();
    asking->next = client->asking;
    client->asking = asking;
    client->asking_count++;
    client->transport->waiting++;
    return true;
}

// ---- Ask -----------------------------------------------------------------------------

// [ASK-LEGACY]
static void
client_ask(struct mica_http_sse_client *client, struct mica_message *message)
{
    struct mica_http_sse *transport = client->transport;
    struct mica_text question;

    if (!question_add(client, message)) {
        mica_http_sse_question_disconnect(transport,
                                          mica_message_kept(message)->id);
        return;
    }
    for (size_t i = 0; (question = mica_message_question(message, i)).len > 0;
         i++) {
        (void)mica_sse_send(client->sse, none, question, 0);
        transport->asked++;
    }
}

static void transport_poll_calls(void *data);

// Sends the questions or the reply of a turn. With the lock held.
static void
client_finish_turn(struct mica_http_sse_client *client,
                   struct mica_message *message)
{
    const struct mica_kept_call *kept = mica_message_kept(message);

    if (message->step == MICA_STEP_ASK) {
        client_ask(client, message);
        return;
    }
    if (message->step != MICA_STEP_REPLY)
        return; // another turn continues it, or its client disconnected
    // MCP: cancellation: a cancelled request gets no reply.
    if (message->execution.ending != MICA_E_CANCELLED)
        mica_http_sse_client_reply(client, message->request.id,
                                   mica_buffer_as_text(&message->reply.text));
    if (kept != NULL)
        mica_http_sse_question_remove(client, kept->id);
}

static void
cancel_call(struct mica_http_sse *transport, struct mica_text call)
{
    const struct mica_calls *calls = transport->http->server->calls;
    struct mica_error error;
    enum mica_status status = calls->cancel(calls->data, call, &error);

    (void)status; // if the store fails, the call ends at its time limit
}

void
mica_http_sse_client_finish(struct mica_http_sse_client *client,
                            struct mica_message *message)
{
    const struct mica_kept_call *kept = mica_message_kept(message);
    struct mica_http_sse *transport = client->transport;
    bool begins;

    // MCP: a cancelled request gets no reply.
    if (atomic_load(&message->execution.cancelled)) {
        if (kept != NULL && kept->mode == MICA_CALL_SESSION &&
            !mica_call_has_ended(kept))
            cancel_call(transport, kept->id);
        return;
    }
    pthread_mutex_lock(&transport->lock);
    client_finish_turn(client, message);
    begins = !transport->polls && transport->waiting > 0;
    transport->polls = transport->polls || begins;
    pthread_mutex_unlock(&transport->lock);
    if (begins)
        mica_session_table_set_on_tick(transport->http->sessions,
                                       transport_poll_calls, transport);
}

// ---- Answers and cancellations ----------------------------------------------------------

static bool
client_has_question(struct mica_http_sse_client *client, struct mica_text call)
{
    bool found;

    pthread_mutex_lock(&client->transport->lock);
    found = *mica_http_sse_question_find(client, call) != NULL;
    pthread_mutex_unlock(&client->transport->lock);
    return found;
}

bool
mica_http_sse_client_queue_answers(struct mica_http_sse_client *client,
                                   const struct mica_message *message)
{
    struct mica_turn_queue *turn_queue = client->transport->http->turn_queue;
    const struct mica_resume_cause *answer;
    bool queued = true;

    // Ignore answers to questions of another client.
    for (size_t i = 0; (answer = mica_message_answer_at(message, i)) != NULL;
         i++) {
        if (client_has_question(client, answer->call) &&
            !mica_turn_queue_resume(turn_queue, answer, none, NULL))
            queued = false;
    }
    return queued;
}

// Finds the call that a request of that id began, after `skip` such calls; or empty. A
// client may use an id twice. With the lock held.
static struct mica_text
call_begun_by(const struct mica_http_sse_client *client, struct mica_text id,
              size_t skip)
{
    for (const struct mica_http_sse_question *asking = client->asking;
         asking != NULL; asking = asking->next) {
        if (mica_text_equal(id,
                            (struct mica_text){asking->id, asking->id_len}) &&
            skip-- == 0)
            return mica_text(asking->call);
    }
    return none;
}

bool
mica_http_sse_client_cancels(struct mica_http_sse_client *client,
                             const struct mica_message *message)
{
    struct mica_text id;
    bool found = false;

    pthread_mutex_lock(&client->transport->lock);
    for (size_t i = 0;
         !found && (id = mica_message_cancels(message, i)).len > 0; i++)
        found = call_begun_by(client, id, 0).len > 0;
    pthread_mutex_unlock(&client->transport->lock);
    return found;
}

void
mica_http_sse_client_cancel(struct mica_http_sse_client *client,
                            const struct mica_message *message)
{
    struct mica_http_sse *transport = client->transport;
    char storage[MICA_CALL_ID_SIZE];
    struct mica_text id, call;

    for (size_t i = 0; (id = mica_message_cancels(message, i)).len > 0; i++) {
        for (size_t skip = 0;; skip++) {
            pthread_mutex_lock(&transport->lock);
            call = call_begun_by(client, id, skip);
            if (call.len > 0)
                memcpy(storage, call.ptr, call.len);
            pthread_mutex_unlock(&transport->lock);
            if (call.len == 0)
                break;
            cancel_call(transport, (struct mica_text){storage, call.len});
        }
    }
}

// ---- Turns -----------------------------------------------------------------------------

struct mica_http_sse_client *
mica_http_sse_turn_begin(struct mica_http_sse *transport,
                         const struct mica_kept_call *kept)
{
    struct mica_http_sse_client *client;

    pthread_mutex_lock(&transport->lock);
    client = mica_http_sse_client_of(transport, kept->id);
    if (client != NULL)
        client->turns++;
    pthread_mutex_unlock(&transport->lock);
    return client;
}

void
mica_http_sse_turn_notify(struct mica_http_sse_client *client,
                          struct mica_text notification)
{
    (void)mica_sse_offer(client->sse, notification);
}

void
mica_http_sse_turn_end(struct mica_http_sse_client *client,
                       struct mica_message *ended)
{
    struct mica_http_sse *transport = client->transport;

    pthread_mutex_lock(&transport->lock);
    if (ended != NULL)
        client_finish_turn(client, ended);
    client->turns--;
    mica_http_sse_client_free_if_unused(client);
    pthread_mutex_unlock(&transport->lock);
}

// ---- Calls that another process ended----------------------------------------------------------

// Finds a call that is due to be polled, and its client. With the lock held.
static struct mica_http_sse_client *
find_poll_due(const struct mica_http_sse *transport, uint64_t now_ms,
              char call_out[MICA_CALL_ID_SIZE])
{
    for (struct mica_http_sse_client *client = transport->clients;
         client != NULL; client = client->next) {
        struct mica_http_sse_question *asking = client->asking;
        while (asking != NULL && now_ms - asking->polled_ms < POLL_MS)
            asking = asking->next;
        if (asking == NULL)
            continue;
        asking->polled_ms = now_ms;
        memcpy(call_out, asking->call, sizeof asking->call);
        return client;
    }
    return NULL;
}

// Replies that the call was deleted. With the lock held.
static void
reply_lost(struct mica_http_sse_client *client,
           const struct mica_http_sse_question *asking)
{
    const struct mica_text id = {asking->id, asking->id_len};
    char storage[1024];
    struct mica_buffer text = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    mica_refuse_write(&text, id, MICA_REFUSE_INTERNAL, MICA_E_NOT_FOUND,
                      "the call is no longer kept: an operator deleted it");
    mica_http_sse_client_reply(client, id, mica_buffer_as_text(&text));
}

// Sends the reply of a call that another process has ended, or that was deleted.
static void
poll_call(struct mica_http_sse *transport, struct mica_text call)
{
    struct mica_kept_call kept;
    const struct mica_http_sse_question *asking;
    struct mica_http_sse_client *client;
    struct mica_arena arena;
    struct mica_error error;
    enum mica_status status;

    mica_arena_init(&arena, transport->http->server->options.call_bytes);
    status = mica_call_store_find(mica_call_store_of(transport->http->server),
                                  call, &arena, &error, &kept);
    pthread_mutex_lock(&transport->lock);
    client = mica_http_sse_client_of(transport, call);
    asking = client != NULL ? *mica_http_sse_question_find(client, call) : NULL;
    if (asking != NULL && status == MICA_E_NOT_FOUND) {
        reply_lost(client, asking);
        mica_http_sse_question_remove(client, call);
    } else if (asking != NULL && status == MICA_OK &&
               mica_call_has_ended(&kept) &&
               mica_session_store_now() - kept.changed > GRACE_MS) {
        if (kept.state != MICA_CALL_CANCELLED)
            mica_http_sse_client_reply(client, mica_kept_request(&kept, &arena),
                                       mica_kept_reply(&kept, &arena));
        mica_http_sse_question_remove(client, call);
    }
    pthread_mutex_unlock(&transport->lock);
    mica_arena_fini(&arena);
}

// The session thread calls this every second.
static void
transport_poll_calls(void *data)
{
    struct mica_http_sse *transport = data;
    uint64_t now_ms = mica_clock_coarse_ms();
    char call[MICA_CALL_ID_SIZE];
    bool more;

    pthread_mutex_lock(&transport->lock);
    mica_http_sse_reap(transport, false);
    pthread_mutex_unlock(&transport->lock);
    do {
        pthread_mutex_lock(&transport->lock);
        more = find_poll_due(transport, now_ms, call) != NULL;
        pthread_mutex_unlock(&transport->lock);
        if (more)
            poll_call(transport, mica_text(call));
    } while (more);
}
