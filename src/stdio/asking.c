// SPDX-License-Identifier: Apache-2.0
//
// A question is a line on stdout, its answer a line on stdin, and the turn that
// follows runs on a worker; the serving thread alone writes what it came to.
#include "stdio/asking.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/system_platform.h"

enum {
    PATIENCE_MS = 2000 // that a turn waits for a slow reader
};

// A call whose request is not answered yet.
struct mica_pipe_waiting {
    struct mica_pipe_waiting *next;
    char call[MICA_CALL_ID_SIZE];
    size_t id_len;
    char id[]; // of its request, JSON
};

// In the arena of the turn.
struct mica_pipe_turn {
    struct mica_pipe_turn *next;
    struct mica_pipe_asking *asking;
    struct mica_queued_turn *run;
    uint32_t patience_ms;
};

static const struct mica_text none = {NULL, 0};

// The serving thread alone changes the list, and looks at it without the lock.
static struct mica_pipe_waiting **
asking_find(struct mica_pipe_asking *asking, struct mica_text call)
{
    struct mica_pipe_waiting **at = &asking->waiting;

    while (*at != NULL && !mica_text_is(call, (*at)->call))
        at = &(*at)->next;
    return at;
}

// From any thread. A call of the client that does not wait has not asked, or was
// given up before: nothing is told of it.
static bool
pipe_asking_waits(struct mica_pipe_asking *asking, struct mica_text call)
{
    bool found;

    pthread_mutex_lock(&asking->lock);
    found = *asking_find(asking, call) != NULL;
    pthread_mutex_unlock(&asking->lock);
    return found;
}

// ---- On a worker -------------------------------------------------------------------

static void
message_emit(struct mica_message *message, struct mica_text notification)
{
    struct mica_pipe_turn *turn = message->reply.emit_data;

    if (mica_outbox_put(turn->asking->outbox, turn, notification,
                        &turn->patience_ms) == 0)
        mica_pipe_count(&turn->asking->counts->missed);
}

static void
message_taken(void *data, struct mica_message *message)
{
    struct mica_pipe_turn *turn =
        mica_arena_zero(message->arena, 1, sizeof *turn);

    message->reply.emit_data = turn;
    if (turn == NULL)
        return;
    turn->asking = data;
    turn->patience_ms = PATIENCE_MS;
    if (pipe_asking_waits(turn->asking, mica_message_kept(message)->id) &&
        !atomic_load(&turn->asking->ended))
        message->reply.emit = message_emit;
}

// What it told is told again.
static void
message_left(void *data, struct mica_message *message)
{
    struct mica_pipe_asking *asking = data;

    if (message->reply.emit_data != NULL)
        mica_outbox_purge(asking->outbox, message->reply.emit_data);
}

static bool
turn_run_ended(void *data, struct mica_queued_turn *run)
{
    struct mica_pipe_asking *asking = data;
    struct mica_pipe_turn *turn = mica_turn_queue_message(run)->reply.emit_data;
    uint64_t one = 1;

    if (turn == NULL)
        return false;
    turn->run = run;
    pthread_mutex_lock(&asking->lock);
    if (asking->done_last != NULL)
        asking->done_last->next = turn;
    else
        asking->done = turn;
    asking->done_last = turn;
    // Under the lock: once it is given up the serving thread may be gone.
    if (write(asking->outbox->wake, &one, sizeof one) < 0)
        abort(); // an eventfd takes any number of these
    pthread_mutex_unlock(&asking->lock);
    return true;
}

// ---- Calls that wait -----------------------------------------------------------------

static void
pipe_asking_forget(struct mica_pipe_asking *asking, struct mica_text call)
{
    struct mica_pipe_waiting **at = asking_find(asking, call), *gone = *at;

    if (gone == NULL)
        return;
    pthread_mutex_lock(&asking->lock);
    *at = gone->next;
    pthread_mutex_unlock(&asking->lock);
    free(gone);
}

static void
pipe_asking_disconnect(struct mica_pipe_asking *asking, struct mica_text call)
{
    const struct mica_resume_cause why = {.call = call,
                                          .ending = MICA_E_DISCONNECTED};
    bool taken_up =
        mica_turn_queue_resume(asking->turn_queue, &why, none, NULL);

    (void)taken_up; // otherwise it ends when it is late
}

static bool
pipe_asking_remember(struct mica_pipe_asking *asking,
                     const struct mica_message *message)
{
    const struct mica_kept_call *kept = mica_message_kept(message);
    struct mica_pipe_waiting *waiting = *asking_find(asking, kept->id);

    if (waiting != NULL)
        return true;
    waiting = malloc(sizeof *waiting + message->request.id.len);
    if (waiting == NULL || kept->id.len >= sizeof waiting->call) {
        free(waiting);
        return false;
    }
    memcpy(waiting->call, kept->id.ptr, kept->id.len);
    waiting->call[kept->id.len] = '\0';
    waiting->id_len = message->request.id.len;
    memcpy(waiting->id, message->request.id.ptr, message->request.id.len);
    pthread_mutex_lock(&asking->lock);
    waiting->next = asking->waiting;
    asking->waiting = waiting;
    pthread_mutex_unlock(&asking->lock);
    return true;
}

// [ASK-LEGACY]
void
mica_pipe_asking_wait(struct mica_pipe_asking *asking,
                      struct mica_message *message)
{
    struct mica_text question;

    if (!pipe_asking_remember(asking, message) || atomic_load(&asking->ended)) {
        pipe_asking_disconnect(asking, mica_message_kept(message)->id);
        return;
    }
    for (size_t i = 0; (question = mica_message_question(message, i)).len > 0;
         i++) {
        mica_stream_write(asking->stream, question);
        mica_pipe_count(&asking->counts->asked);
    }
}

void
mica_pipe_asking_answer(struct mica_pipe_asking *asking,
                        const struct mica_message *message)
{
    const struct mica_resume_cause *answer;

    for (size_t i = 0; (answer = mica_message_answer_at(message, i)) != NULL;
         i++) {
        if (!mica_turn_queue_resume(asking->turn_queue, answer, none, NULL))
            mica_pipe_count(&asking->counts->missed);
    }
}

// A call that its client does not wait for any more.
struct given_up {
    struct mica_worker_job task;
    struct mica_pipe_asking *asking;
    char call[MICA_CALL_ID_SIZE];
};

// On the store thread.
static void
call_cancel(void *data)
{
    struct given_up *given_up = data;
    const struct mica_calls *calls = given_up->asking->server->calls;
    struct mica_error error;
    enum mica_status status =
        calls->cancel(calls->data, mica_text(given_up->call), &error);

    (void)status; // should the store fail, it ends when it is late
    free(given_up);
}

// What cannot be cancelled, for want of memory or of a place, ends when it is late.
static void
give_up(struct mica_pipe_asking *asking, struct mica_text call)
{
    struct given_up *given_up = malloc(sizeof *given_up);

    if (given_up == NULL || call.len >= sizeof given_up->call) {
        free(given_up);
        return;
    }
    given_up->asking = asking;
    memcpy(given_up->call, call.ptr, call.len);
    given_up->call[call.len] = '\0';
    given_up->task =
        (struct mica_worker_job){.run = call_cancel, .data = given_up};
    if (!mica_workers_push(asking->store_thread, &given_up->task, 0)) {
        mica_pipe_count(&asking->counts->missed);
        free(given_up);
    }
}

void
mica_pipe_asking_cancel(struct mica_pipe_asking *asking, struct mica_text id)
{
    for (struct mica_pipe_waiting *waiting = asking->waiting; waiting != NULL;
         waiting = waiting->next) {
        if (mica_text_equal(id,
                            (struct mica_text){waiting->id, waiting->id_len}))
            give_up(asking, mica_text(waiting->call));
    }
}

void
mica_pipe_asking_drop(struct mica_pipe_asking *asking,
                      const struct mica_message *message)
{
    const struct mica_kept_call *kept = mica_message_kept(message);

    if (kept != NULL && kept->mode == MICA_CALL_SESSION &&
        !mica_call_has_ended(kept))
        give_up(asking, kept->id);
}

// ---- Turns that have ended -----------------------------------------------------------

struct mica_pipe_turn *
mica_pipe_asking_take(struct mica_pipe_asking *asking)
{
    struct mica_pipe_turn *turns;

    pthread_mutex_lock(&asking->lock);
    turns = asking->done;
    asking->done = asking->done_last = NULL;
    pthread_mutex_unlock(&asking->lock);
    return turns;
}

// MCP: cancellation: what was cancelled is not answered.
static void
write_end(struct mica_pipe_asking *asking, const struct mica_message *message,
          struct mica_text call)
{
    if (*asking_find(asking, call) != NULL && !atomic_load(&asking->ended) &&
        message->execution.ending != MICA_E_CANCELLED)
        mica_stream_write(asking->stream,
                          mica_buffer_as_text(&message->reply.text));
    pipe_asking_forget(asking, call);
}

static void
write_turn(struct mica_pipe_asking *asking, struct mica_message *message)
{
    const struct mica_kept_call *kept = mica_message_kept(message);

    if (kept == NULL || kept->mode != MICA_CALL_SESSION)
        return;
    if (message->step == MICA_STEP_ASK)
        mica_pipe_asking_wait(asking, message);
    else if (message->step == MICA_STEP_REPLY)
        write_end(asking, message, kept->id);
}

void
mica_pipe_asking_write(struct mica_pipe_asking *asking,
                       struct mica_pipe_turn *turns)
{
    while (turns != NULL) {
        struct mica_pipe_turn *turn = turns;
        turns = turn->next;
        write_turn(asking, mica_turn_queue_message(turn->run));
        mica_turn_queue_finish(turn->run);
    }
}

// ---- Beginning and ending --------------------------------------------------------------

static enum mica_status
open_calls(struct mica_pipe_asking *asking, struct mica_error *error)
{
    struct mica_server *server = asking->server;
    const struct mica_session_store_options memory = {.lazy = true};
    struct mica_call_store_options kept = {.server = server,
                                           .platform = server->platform};

    if (server->calls != NULL)
        return MICA_OK;
    MICA_TRY(
        mica_session_store_open(&memory, error, &asking->own_session_store));
    kept.session_store = asking->own_session_store;
    MICA_TRY(mica_call_store_open(&kept, error, &asking->own_calls));
    server->calls = mica_call_store_calls(asking->own_calls);
    return MICA_OK;
}

enum mica_status
mica_pipe_asking_open(struct mica_pipe_asking *asking,
                      struct mica_server *server, struct mica_outbox *outbox,
                      struct mica_stream *stream,
                      struct mica_pipe_counts *counts,
                      struct mica_workers *workers,
                      struct mica_workers *store_thread,
                      struct mica_error *error)
{
    const struct mica_turn_queue_options options = {.server = server,
                                                    .workers = workers,
                                                    .on_claimed = message_taken,
                                                    .on_retry = message_left,
                                                    .on_ended = turn_run_ended,
                                                    .data = asking};

    asking->server = server;
    asking->outbox = outbox;
    asking->stream = stream;
    asking->counts = counts;
    asking->store_thread = store_thread;
    pthread_mutex_init(&asking->lock, NULL);
    if (server->platform == NULL)
        server->platform = &mica_platform_real;
    MICA_TRY(open_calls(asking, error));
    MICA_TRY(mica_turn_queue_open(&options, error, &asking->turn_queue));
    // In a store of the program's there may be tasks of before.
    return asking->own_calls == NULL
               ? mica_turn_queue_start(asking->turn_queue, error)
               : MICA_OK;
}

void
mica_pipe_asking_prepare(struct mica_pipe_asking *asking,
                         const struct mica_message *message)
{
    struct mica_error error;
    enum mica_status status = MICA_OK;

    if (message->execution.resumable != NULL)
        status = mica_turn_queue_start(asking->turn_queue, &error);
    (void)status; // the call that needs it says what is wrong
}

void
mica_pipe_asking_end(struct mica_pipe_asking *asking)
{
    atomic_store(&asking->ended, true);
    for (struct mica_pipe_waiting *waiting = asking->waiting; waiting != NULL;
         waiting = waiting->next)
        pipe_asking_disconnect(asking, mica_text(waiting->call));
}

bool
mica_pipe_asking_is_busy(struct mica_pipe_asking *asking)
{
    return mica_turn_queue_counts(asking->turn_queue).turns > 0;
}

void
mica_pipe_asking_close(struct mica_pipe_asking *asking)
{
    if (asking->server == NULL)
        return;
    mica_turn_queue_close(&asking->turn_queue);
    if (asking->own_calls != NULL)
        asking->server->calls = NULL;
    mica_call_store_close(&asking->own_calls);
    mica_session_store_close(&asking->own_session_store);
    while (asking->waiting != NULL)
        pipe_asking_forget(asking, mica_text(asking->waiting->call));
    pthread_mutex_destroy(&asking->lock);
}
