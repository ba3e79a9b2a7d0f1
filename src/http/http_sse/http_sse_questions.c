// SPDX-License-Identifier: Apache-2.0
//
// Questions to clients of the oldest transport. They go out on the one stream, and
// answers are posted like everything else. A call that waits is in the store, as all
// are, and so is what it does in another process that finds it late: of that the
// client is told when the store is looked at. With its stream the client is gone, and
// its calls clean up.
#include <stdlib.h>
#include <string.h>

#include "http/http_sse/http_sse_parts.h"
#include "serve/refuse.h"
#include "serve/time.h"
#include "server/message.h"

enum {
    LOOK_MS = 5000,   // between two looks at a call that waits
    SETTLED_MS = 2000 // until whoever ended a call has said so
};

static const struct mica_text none = {NULL, 0};

// ---- Lists, with the lock held -------------------------------------------------------

static struct mica_asking **
find(struct mica_client *client, struct mica_text call)
{
    struct mica_asking **at = &client->asking;

    while (*at != NULL && !mica_text_is(call, (*at)->call))
        at = &(*at)->next;
    return at;
}

static void
forget(struct mica_client *client, struct mica_text call)
{
    struct mica_asking **at = find(client, call), *gone = *at;

    if (gone == NULL)
        return;
    *at = gone->next;
    client->asking_count--;
    client->oldest->waiting--;
    free(gone);
}

// The client whose call it is; NULL when it is that of none here.
static struct mica_client *
client_of(const struct mica_oldest *oldest, struct mica_text call)
{
    struct mica_client *client = oldest->clients;

    while (client != NULL && *find(client, call) == NULL)
        client = client->next;
    return client;
}

static bool
remember(struct mica_client *client, const struct mica_message *message)
{
    struct mica_text call = mica_message_kept(message)->id;
    struct mica_asking *asking = *find(client, call);

    if (asking != NULL)
        return true;
    if (client->gone || call.len >= sizeof asking->call)
        return false;
    asking = malloc(sizeof *asking + message->id.len);
    if (asking == NULL)
        return false;
    memcpy(asking->call, call.ptr, call.len);
    asking->call[call.len] = '\0';
    asking->id_len = message->id.len;
    memcpy(asking->id, message->id.ptr, message->id.len);
    asking->looked_ms = mica_time_coarse_ms();
    asking->next = client->asking;
    client->asking = asking;
    client->asking_count++;
    client->oldest->waiting++;
    return true;
}

// ---- Asking --------------------------------------------------------------------------

static void
disconnect(struct mica_oldest *oldest, struct mica_text call)
{
    const struct mica_answered why = {.call = call,
                                      .ending = MICA_E_DISCONNECTED};
    bool taken_up = mica_runner_go_on(oldest->http->runner, &why, none, NULL);

    (void)taken_up; // otherwise it ends when it is late
}

void
mica_client_disconnect(struct mica_client *client)
{
    while (client->asking != NULL) {
        struct mica_text call = mica_text(client->asking->call);
        disconnect(client->oldest, call);
        forget(client, call);
    }
}

// [ASK-LEGACY]
static void
ask(struct mica_client *client, struct mica_message *message)
{
    struct mica_oldest *oldest = client->oldest;
    struct mica_text question;

    if (!remember(client, message)) {
        disconnect(oldest, mica_message_kept(message)->id);
        return;
    }
    for (size_t i = 0; (question = mica_message_question(message, i)).len > 0;
         i++) {
        (void)mica_sse_send(client->sse, none, question, 0);
        oldest->asked++;
    }
}

static void look(void *data);

// With the lock held.
static void
settle(struct mica_client *client, struct mica_message *message)
{
    const struct mica_kept_call *kept = mica_message_kept(message);

    if (message->step == MICA_STEP_ASK) {
        ask(client, message);
        return;
    }
    if (message->step != MICA_STEP_REPLY)
        return; // somebody else goes on with it, or nobody waits
    // MCP: cancellation: what was cancelled is not answered.
    if (message->ending != MICA_E_CANCELLED)
        mica_client_reply(client, message->id,
                          mica_buffer_as_text(&message->reply));
    if (kept != NULL)
        forget(client, kept->id);
}

static void
give_up(struct mica_oldest *oldest, struct mica_text call)
{
    const struct mica_calls *calls = oldest->http->server->calls;
    struct mica_error error;
    enum mica_status status = calls->cancel(calls->data, call, &error);

    (void)status; // should the store fail, it ends when it is late
}

void
mica_client_settle(struct mica_client *client, struct mica_message *message)
{
    const struct mica_kept_call *kept = mica_message_kept(message);
    struct mica_oldest *oldest = client->oldest;
    bool begins;

    // MCP: a cancelled request is not answered.
    if (atomic_load(&message->cancelled)) {
        if (kept != NULL && kept->way == MICA_CALL_SESSION &&
            !mica_call_has_ended(kept))
            give_up(oldest, kept->id);
        return;
    }
    pthread_mutex_lock(&oldest->lock);
    settle(client, message);
    begins = !oldest->looks && oldest->waiting > 0;
    oldest->looks = oldest->looks || begins;
    pthread_mutex_unlock(&oldest->lock);
    if (begins)
        mica_legacy_attend(oldest->http->legacy, look, oldest);
}

// ---- What a client posts ---------------------------------------------------------------

static bool
waits(struct mica_client *client, struct mica_text call)
{
    bool found;

    pthread_mutex_lock(&client->oldest->lock);
    found = *find(client, call) != NULL;
    pthread_mutex_unlock(&client->oldest->lock);
    return found;
}

bool
mica_client_answers(struct mica_client *client,
                    const struct mica_message *message)
{
    struct mica_runner *runner = client->oldest->http->runner;
    const struct mica_answered *answer;
    bool room = true;

    // An answer to the question of another client is none.
    for (size_t i = 0; (answer = mica_message_answered(message, i)) != NULL;
         i++) {
        if (waits(client, answer->call) &&
            !mica_runner_go_on(runner, answer, none, NULL))
            room = false;
    }
    return room;
}

// With the lock held: the call that a request of that id has begun, behind `after`
// in the list; empty when there is none. A client may use an id twice.
static struct mica_text
begun_by(const struct mica_client *client, struct mica_text id, size_t skip)
{
    for (const struct mica_asking *asking = client->asking; asking != NULL;
         asking = asking->next) {
        if (mica_text_equal(id,
                            (struct mica_text){asking->id, asking->id_len}) &&
            skip-- == 0)
            return mica_text(asking->call);
    }
    return none;
}

bool
mica_client_cancels(struct mica_client *client,
                    const struct mica_message *message)
{
    struct mica_text id;
    bool found = false;

    pthread_mutex_lock(&client->oldest->lock);
    for (size_t i = 0;
         !found && (id = mica_message_cancels(message, i)).len > 0; i++)
        found = begun_by(client, id, 0).len > 0;
    pthread_mutex_unlock(&client->oldest->lock);
    return found;
}

void
mica_client_cancel(struct mica_client *client,
                   const struct mica_message *message)
{
    struct mica_oldest *oldest = client->oldest;
    char room[MICA_CALL_ID_SIZE];
    struct mica_text id, call;

    for (size_t i = 0; (id = mica_message_cancels(message, i)).len > 0; i++) {
        for (size_t skip = 0;; skip++) {
            pthread_mutex_lock(&oldest->lock);
            call = begun_by(client, id, skip);
            if (call.len > 0)
                memcpy(room, call.ptr, call.len);
            pthread_mutex_unlock(&oldest->lock);
            if (call.len == 0)
                break;
            give_up(oldest, (struct mica_text){room, call.len});
        }
    }
}

// ---- Turns -----------------------------------------------------------------------------

struct mica_client *
mica_oldest_turn_taken(struct mica_oldest *oldest,
                       const struct mica_kept_call *kept)
{
    struct mica_client *client;

    pthread_mutex_lock(&oldest->lock);
    client = client_of(oldest, kept->id);
    if (client != NULL)
        client->turns++;
    pthread_mutex_unlock(&oldest->lock);
    return client;
}

void
mica_oldest_turn_tell(struct mica_client *client, struct mica_text notification)
{
    (void)mica_sse_offer(client->sse, notification);
}

void
mica_oldest_turn_left(struct mica_client *client, struct mica_message *ended)
{
    struct mica_oldest *oldest = client->oldest;

    pthread_mutex_lock(&oldest->lock);
    if (ended != NULL)
        settle(client, ended);
    client->turns--;
    mica_client_tidy(client);
    pthread_mutex_unlock(&oldest->lock);
}

// ---- What others have done ---------------------------------------------------------------

// With the lock held: one that was not looked at for a while, and its call.
static struct mica_client *
find_quiet(const struct mica_oldest *oldest, uint64_t now_ms,
           char call_out[MICA_CALL_ID_SIZE])
{
    for (struct mica_client *client = oldest->clients; client != NULL;
         client = client->next) {
        struct mica_asking *asking = client->asking;
        while (asking != NULL && now_ms - asking->looked_ms < LOOK_MS)
            asking = asking->next;
        if (asking == NULL)
            continue;
        asking->looked_ms = now_ms;
        memcpy(call_out, asking->call, sizeof asking->call);
        return client;
    }
    return NULL;
}

// With the lock held.
static void
tell_lost(struct mica_client *client, const struct mica_asking *asking)
{
    const struct mica_text id = {asking->id, asking->id_len};
    char room[1024];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_refuse_write(&text, id, MICA_REFUSE_INTERNAL, MICA_E_NOT_FOUND,
                      "the call is no longer kept: somebody has deleted it");
    mica_client_reply(client, id, mica_buffer_as_text(&text));
}

// It may have come to its end in another process, or be gone.
static void
look_at(struct mica_oldest *oldest, struct mica_text call)
{
    struct mica_kept_call kept;
    const struct mica_asking *asking;
    struct mica_client *client;
    struct mica_arena arena;
    struct mica_error error;
    enum mica_status status;

    mica_arena_init(&arena, oldest->http->server->options.call_bytes);
    status = mica_call_keeper_look(mica_call_keeper_of(oldest->http->server),
                                   call, &arena, &error, &kept);
    pthread_mutex_lock(&oldest->lock);
    client = client_of(oldest, call);
    asking = client != NULL ? *find(client, call) : NULL;
    if (asking != NULL && status == MICA_E_NOT_FOUND) {
        tell_lost(client, asking);
        forget(client, call);
    } else if (asking != NULL && status == MICA_OK &&
               mica_call_has_ended(&kept) &&
               mica_keeper_now() - kept.changed > SETTLED_MS) {
        if (kept.state != MICA_CALL_CANCELLED)
            mica_client_reply(client, mica_kept_request(&kept, &arena),
                              mica_kept_reply(&kept, &arena));
        forget(client, call);
    }
    pthread_mutex_unlock(&oldest->lock);
    mica_arena_fini(&arena);
}

// On the thread of sessions, now and then.
static void
look(void *data)
{
    struct mica_oldest *oldest = data;
    uint64_t now_ms = mica_time_coarse_ms();
    char call[MICA_CALL_ID_SIZE];
    bool more;

    pthread_mutex_lock(&oldest->lock);
    mica_oldest_reap(oldest, false);
    pthread_mutex_unlock(&oldest->lock);
    do {
        pthread_mutex_lock(&oldest->lock);
        more = find_quiet(oldest, now_ms, call) != NULL;
        pthread_mutex_unlock(&oldest->lock);
        if (more)
            look_at(oldest, mica_text(call));
    } while (more);
}
