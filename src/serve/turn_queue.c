// SPDX-License-Identifier: Apache-2.0
//
// The queue pushes a turn to a worker. If its call is busy, the retry thread pushes the
// turn again a little later. That thread starts with the first turn.
//
//     QUEUED -> RUNNING:   a worker begins the turn
//     QUEUED -> RETRY:     all workers are busy and their queue is full
//     RUNNING -> CLAIMED:  the turn has claimed its call
//     RUNNING -> RETRY:    another process has claimed the call, or the store is busy
//     CLAIMED -> RETRY:    the turn could not be committed
//     RETRY -> QUEUED:     the pause is over
//     RUNNING, CLAIMED:    the turn ends, and is freed
//     RETRY, and QUEUED behind another turn of its call:
//                          the server ends, and the turn is freed
//
// Owner: `running` and `waiting` have the first turn of each call; the turns after it
// (next_of_call) are QUEUED. While a turn is RUNNING or CLAIMED its worker alone uses
// the message; other threads only set its `cancelled`, with the lock held. A turn that
// has ended belongs to its worker, or to the adapter that keeps it, until
// mica_turn_queue_finish.
#include "serve/turn_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "call/journal.h"
#include "platform/clock.h"
#include "serve/stop.h"
#include "serve/stored_calls.h"
#include "serve/worker_message.h"
#include "server/call_rules.h"

enum {
    RETRY_MS = 25, // before the first retry; doubles with each, up to
    RETRY_MOST_MS = 1000,
    PATIENCE_MS = 120 * 1000, // longer than the lease of a process that died
    // The build of an edited tool is ready within seconds; otherwise another process may
    // have the build that the call needs.
    BUILD_PATIENCE_MS = 10 * 1000,
    IDLE_MS = 3600 * 1000
};

enum queued_turn_state {
    TURN_QUEUED, // waits for a worker; `message` is not initialized
    TURN_RUNNING, // a worker uses `message`; other threads may set its `cancelled`
    TURN_CLAIMED, // RUNNING, and the adapter knows the message (on_claimed)
    TURN_RETRY // its call was busy; its worker frees `message`, then it waits
};

struct mica_queued_turn {
    struct mica_queued_turn *next;         // in `running` or `waiting`
    struct mica_queued_turn *next_of_call; // runs after this one (QUEUE-1)
    struct mica_turn_queue *queue;
    struct mica_worker_job job;
    enum queued_turn_state state; // guarded by the lock
    struct mica_arena arena;
    struct mica_message message;
    struct mica_resume_cause why; // its texts are in `storage`
    struct mica_json answer;
    struct mica_text session_key;
    struct mica_answer_listener
        on_answer;               // `notify` is NULL once it was called
    size_t bytes;                // of its answer
    uint64_t began_ms, retry_ms; // when it was accepted; when to retry
    unsigned pause_ms;           // before the next retry
    char storage[];
};

struct mica_turn_queue {
    struct mica_turn_queue_options options;
    pthread_mutex_t lock; // guards all members below
    pthread_cond_t changed;
    pthread_t thread;
    bool has_thread, started, stopping;
    struct mica_queued_turn *running; // a worker has them, or will have
    struct mica_queued_turn *waiting; // RETRY: the thread queues them again
    struct mica_turn_queue_counts counts;
};

// ---- Memory ----------------------------------------------------------------------

static struct mica_text
turn_queue_copy(char **at, struct mica_text text)
{
    struct mica_text copied = {*at, text.len};

    if (text.len > 0)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copied;
}

static bool
is_large(const struct mica_resume_cause *why)
{
    return why->answer != NULL && why->answer->raw.len > MICA_JOURNAL_BYTES;
}

// QUEUE-4. Replaces the answer by an error, as if the client had answered with it.
static struct mica_resume_cause
replace_large_answer(const struct mica_resume_cause *why)
{
    static const char text[] = "{\"code\":-32603,\"message\":"
                               "\"the answer is larger than a call can keep\"}";
    static const struct mica_json error = {.kind = MICA_JSON_OBJECT,
                                           .raw = {text, sizeof text - 1}};
    struct mica_resume_cause replaced = *why;

    replaced.answer = &error;
    replaced.is_error = true;
    return replaced;
}

static struct mica_queued_turn *
turn_queue_make(struct mica_turn_queue *queue,
                const struct mica_resume_cause *why,
                struct mica_text session_key,
                const struct mica_answer_listener *on_answer)
{
    size_t size = why->call.len + session_key.len +
                  (why->answer != NULL ? why->answer->raw.len : 0);
    struct mica_queued_turn *turn = calloc(1, sizeof *turn + size);
    char *at;

    if (turn == NULL)
        return NULL;
    turn->queue = queue;
    if (on_answer != NULL)
        turn->on_answer = *on_answer;
    turn->why = *why;
    at = turn->storage;
    turn->why.call = turn_queue_copy(&at, why->call);
    turn->session_key = turn_queue_copy(&at, session_key);
    if (why->answer != NULL) {
        turn->answer.kind = why->answer->kind;
        turn->answer.raw = turn_queue_copy(&at, why->answer->raw);
        turn->why.answer = &turn->answer;
        turn->bytes = why->answer->raw.len;
    }
    turn->pause_ms = RETRY_MS;
    turn->began_ms = mica_clock_coarse_ms();
    mica_arena_init(&turn->arena, queue->options.server->options.call_bytes);
    return turn;
}

// QUEUE-5. Without the lock held: `notify` may call the queue.
static void
queued_turn_conclude(struct mica_queued_turn *turn, enum mica_status status)
{
    struct mica_answer_listener on_answer = turn->on_answer;

    turn->on_answer.notify = NULL;
    if (on_answer.notify != NULL)
        on_answer.notify(on_answer.data, status);
}

// Frees a turn that is in no list and whose message has ended.
static void
queued_turn_free(struct mica_queued_turn *turn)
{
    queued_turn_conclude(turn, MICA_E_BUSY);
    mica_arena_fini(&turn->arena);
    free(turn);
}

struct mica_message *
mica_turn_queue_message(struct mica_queued_turn *turn)
{
    return &turn->message;
}

// ---- Lists; the caller holds the lock ----------------------------------------------

static struct mica_queued_turn *
queued_turn_find(struct mica_queued_turn *list, struct mica_text call)
{
    while (list != NULL && !mica_text_equal(list->why.call, call))
        list = list->next;
    return list;
}

static void
queued_turn_unlink(struct mica_queued_turn **list,
                   const struct mica_queued_turn *turn)
{
    while (*list != turn)
        list = &(*list)->next;
    *list = turn->next;
}

// Transfers the turn to the retry thread, which may push it to a worker as soon as the
// lock is free.
static void
queued_turn_wait(struct mica_queued_turn *turn)
{
    struct mica_turn_queue *queue = turn->queue;

    turn->state = TURN_RETRY;
    turn->retry_ms = mica_clock_coarse_ms() + turn->pause_ms;
    turn->pause_ms =
        turn->pause_ms * 2 < RETRY_MOST_MS ? turn->pause_ms * 2 : RETRY_MOST_MS;
    turn->next = queue->waiting;
    queue->waiting = turn;
    queue->counts.retried++;
    pthread_cond_signal(&queue->changed);
}

static void *retry_thread_run(void *data);

static bool
start_retry_thread(struct mica_turn_queue *queue)
{
    sigset_t before;

    if (queue->has_thread)
        return true;
    mica_stop_block(&before);
    queue->has_thread =
        pthread_create(&queue->thread, NULL, retry_thread_run, queue) == 0;
    mica_stop_unblock(&before);
    return queue->has_thread;
}

// ---- Turns on workers --------------------------------------------------------------

static void turn_queue_work(void *data);

// With the lock held. Transfers the turn to a worker, or to the retry thread when the
// workers' queue is full. A worker may have freed `turn` before this returns.
static void
push_to_worker(struct mica_queued_turn *turn)
{
    struct mica_turn_queue *queue = turn->queue;

    turn->state = TURN_QUEUED;
    turn->next = queue->running;
    queue->running = turn;
    turn->job = (struct mica_worker_job){.run = turn_queue_work, .data = turn};
    if (mica_workers_push(queue->options.workers, &turn->job, 0))
        return;
    queue->running = turn->next;
    queued_turn_wait(turn);
}

// With the lock held. Counts the turns of a call as lost; the caller frees them.
static void
count_abandoned(struct mica_turn_queue *queue,
                const struct mica_queued_turn *turns)
{
    for (; turns != NULL; turns = turns->next_of_call) {
        queue->counts.turns--;
        queue->counts.bytes -= turns->bytes;
        queue->counts.lost += turns->why.answer != NULL;
    }
}

// Frees all turns of a call. Without the lock held, as this concludes their answers.
static void
free_turns_of_call(struct mica_queued_turn *turns)
{
    while (turns != NULL) {
        struct mica_queued_turn *next = turns->next_of_call;
        queued_turn_free(turns);
        turns = next;
    }
}

// With the lock held. Begins the next turn of a call (QUEUE-1). Returns NULL; or, when the
// server ends, the turns that the caller frees after it has unlocked.
static struct mica_queued_turn *
begin_next_of_call(struct mica_turn_queue *queue, struct mica_queued_turn *next)
{
    if (next != NULL && !queue->stopping) {
        push_to_worker(next);
        return NULL;
    }
    count_abandoned(queue, next);
    return next;
}

static bool
has_code(const struct mica_message *message, enum mica_status status)
{
    const char *code = message->reply.error_code;

    return code != NULL && strcmp(code, mica_status_code(status)) == 0;
}

static bool
is_busy(const struct mica_message *message)
{
    return message->step == MICA_STEP_SILENT &&
           (has_code(message, MICA_E_CALL_BUSY) ||
            has_code(message, MICA_E_BUSY) ||
            has_code(message, MICA_E_STRANDED));
}

static uint64_t
patience_ms(const struct mica_message *message)
{
    return has_code(message, MICA_E_STRANDED) ? BUILD_PATIENCE_MS : PATIENCE_MS;
}

// Returns the state that the turn had.
static enum queued_turn_state
queued_turn_move(struct mica_queued_turn *turn, enum queued_turn_state state)
{
    enum queued_turn_state before;

    pthread_mutex_lock(&turn->queue->lock);
    before = turn->state;
    turn->state = state;
    pthread_mutex_unlock(&turn->queue->lock);
    return before;
}

static bool
message_is_used(const struct mica_queued_turn *turn)
{
    return turn->state == TURN_RUNNING || turn->state == TURN_CLAIMED;
}

static void
queued_turn_claimed(struct mica_message *message)
{
    struct mica_queued_turn *turn = message->execution.callback_data;
    const struct mica_turn_queue_options *options = &turn->queue->options;

    (void)queued_turn_move(turn, TURN_CLAIMED);
    if (options->on_claimed != NULL)
        options->on_claimed(options->data, message);
}

static void
queued_turn_committed(struct mica_message *message)
{
    queued_turn_conclude(message->execution.callback_data, MICA_OK);
}

// Moves the turn to RETRY, after which no thread cancels it, and frees its message.
static void
queued_turn_reset(struct mica_queued_turn *turn)
{
    const struct mica_turn_queue_options *options = &turn->queue->options;

    if (queued_turn_move(turn, TURN_RETRY) == TURN_CLAIMED &&
        options->on_retry != NULL)
        options->on_retry(options->data, &turn->message);
    mica_message_end(&turn->message);
    mica_arena_reset(&turn->arena);
}

static bool
is_stopping(struct mica_turn_queue *queue)
{
    bool stopping;

    pthread_mutex_lock(&queue->lock);
    stopping = queue->stopping;
    pthread_mutex_unlock(&queue->lock);
    return stopping;
}

// QUEUE-2. Answers, and the end of a session, are worth a retry; the call scheduler finds
// every other call again.
static bool
needs_retry(const struct mica_queued_turn *turn)
{
    bool insists =
        turn->why.answer != NULL || turn->why.ending == MICA_E_DISCONNECTED;

    return insists && is_busy(&turn->message) &&
           mica_clock_coarse_ms() - turn->began_ms <
               patience_ms(&turn->message) &&
           !is_stopping(turn->queue);
}

// Transfers the turn from its worker to the retry thread; frees it, with the turns after
// it, if the server has begun to end meanwhile. The worker must not use `turn` any more.
static void
queued_turn_retry(struct mica_queued_turn *turn)
{
    struct mica_turn_queue *queue = turn->queue;
    struct mica_queued_turn *abandoned = NULL;

    queued_turn_reset(turn);
    pthread_mutex_lock(&queue->lock);
    queued_turn_unlink(&queue->running, turn);
    if (!queue->stopping) {
        queued_turn_wait(turn);
    } else {
        count_abandoned(queue, turn);
        abandoned = turn;
    }
    pthread_mutex_unlock(&queue->lock);
    free_turns_of_call(abandoned);
}

// The turn has ended. On return another owner has it, or it is freed.
static void
queued_turn_ended(struct mica_queued_turn *turn)
{
    struct mica_turn_queue *queue = turn->queue;

    if (needs_retry(turn))
        queued_turn_retry(turn);
    else if (!queue->options.on_ended(queue->options.data, turn))
        mica_turn_queue_finish(turn);
}

static void turn_queue_continue(void *data);

// The model that the turn waited for has answered: a worker continues it.
static void
queued_turn_wake(struct mica_message *message)
{
    struct mica_queued_turn *turn = message->execution.callback_data;

    turn->job =
        (struct mica_worker_job){.run = turn_queue_continue, .data = turn};
    mica_workers_return(turn->queue->options.workers, &turn->job);
}

static void
turn_queue_continue(void *data)
{
    struct mica_queued_turn *turn = data;

    if (mica_worker_execute(turn->queue->options.workers, &turn->message,
                            queued_turn_wake))
        queued_turn_ended(turn);
}

// The job of a worker. On return another owner has the turn, or it is freed; or the turn
// waits for a model, and stays RUNNING or CLAIMED.
static void
turn_queue_work(void *data)
{
    struct mica_queued_turn *turn = data;
    struct mica_turn_queue *queue = turn->queue;
    struct mica_message *message = &turn->message;

    mica_message_init(message, queue->options.server, &turn->arena);
    message->context.session_key = turn->session_key;
    message->execution.on_claimed = queued_turn_claimed;
    message->execution.on_recorded = queued_turn_committed;
    message->execution.callback_data = turn;
    (void)queued_turn_move(turn, TURN_RUNNING);
    if (mica_worker_resume(queue->options.workers, message, &turn->why,
                           queued_turn_wake))
        queued_turn_ended(turn);
}

static void
turn_queue_count(struct mica_turn_queue *queue,
                 const struct mica_queued_turn *turn)
{
    bool lost = turn->why.answer != NULL && is_busy(&turn->message);

    queue->counts.turns--;
    queue->counts.bytes -= turn->bytes;
    queue->counts.ended++;
    queue->counts.lost += lost;
    queue->counts.answers += turn->why.answer != NULL && !lost;
    queue->counts.timeouts += turn->message.execution.ending == MICA_E_TIMEOUT;
}

void
mica_turn_queue_finish(struct mica_queued_turn *turn)
{
    struct mica_turn_queue *queue = turn->queue;
    struct mica_queued_turn *abandoned;

    mica_rules_record(&turn->message);
    mica_message_end(&turn->message);
    pthread_mutex_lock(&queue->lock);
    queued_turn_unlink(&queue->running, turn);
    turn_queue_count(queue, turn);
    abandoned = begin_next_of_call(queue, turn->next_of_call);
    pthread_mutex_unlock(&queue->lock);
    free_turns_of_call(abandoned);
    queued_turn_free(turn);
}

// ---- Retry thread ------------------------------------------------------------------

// With the lock held: milliseconds until the next retry.
static uint64_t
next_retry_ms(const struct mica_turn_queue *queue)
{
    uint64_t now = mica_clock_coarse_ms(), rest = IDLE_MS;

    for (const struct mica_queued_turn *turn = queue->waiting; turn != NULL;
         turn = turn->next) {
        uint64_t left = turn->retry_ms > now ? turn->retry_ms - now : 0;
        rest = left < rest ? left : rest;
    }
    return rest;
}

// With the lock held.
static void
push_due_turns(struct mica_turn_queue *queue)
{
    uint64_t now = mica_clock_coarse_ms();
    struct mica_queued_turn *list = queue->waiting;

    queue->waiting = NULL;
    while (list != NULL) {
        struct mica_queued_turn *turn = list;
        list = turn->next;
        if (turn->retry_ms <= now) {
            push_to_worker(turn);
        } else {
            turn->next = queue->waiting;
            queue->waiting = turn;
        }
    }
}

static void *
retry_thread_run(void *data)
{
    struct mica_turn_queue *queue = data;

    pthread_mutex_lock(&queue->lock);
    while (!queue->stopping) {
        uint64_t rest = next_retry_ms(queue);
        if (rest > 0) {
            struct timespec until = mica_clock_after((unsigned)rest + 1);
            (void)pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
        }
        if (!queue->stopping)
            push_due_turns(queue);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

// ---- Submit --------------------------------------------------------------------------

struct share {
    size_t turns, bytes;
};

// Adds the answers in a list that belong to the call of `turn`, and to its session.
static void
add_shares(const struct mica_queued_turn *list,
           const struct mica_queued_turn *turn, struct share *call,
           struct share *session)
{
    for (; list != NULL; list = list->next) {
        bool same = mica_text_equal(list->why.call, turn->why.call);
        for (const struct mica_queued_turn *t = list; t != NULL;
             t = t->next_of_call) {
            if (t->why.answer == NULL)
                continue;
            call->turns += same;
            if (!mica_text_equal(t->session_key, turn->session_key))
                continue;
            session->turns++;
            session->bytes += t->bytes;
        }
    }
}

// QUEUE-3. With the lock held.
static bool
has_capacity(const struct mica_turn_queue *queue,
             const struct mica_queued_turn *turn)
{
    const struct mica_turn_queue_counts *counts = &queue->counts;
    struct share call = {0, 0}, session = {0, 0};

    if (turn->why.answer == NULL)
        return counts->turns < MICA_TURN_QUEUE_TURNS;
    if (counts->turns >= MICA_TURN_QUEUE_TURNS - MICA_TURN_QUEUE_RESERVED ||
        counts->bytes + turn->bytes > MICA_TURN_QUEUE_BYTES)
        return false;
    add_shares(queue->running, turn, &call, &session);
    add_shares(queue->waiting, turn, &call, &session);
    if (call.turns >= MICA_TURN_QUEUE_CALL_TURNS)
        return false;
    return turn->session_key.len == 0 ||
           (session.turns < MICA_TURN_QUEUE_SESSION_TURNS &&
            session.bytes + turn->bytes <= MICA_TURN_QUEUE_SESSION_BYTES);
}

// With the lock held. Transfers the turn to a worker or the retry thread, or appends it
// to the turns of its call.
static void
turn_queue_admit(struct mica_turn_queue *queue, struct mica_queued_turn *turn)
{
    struct mica_queued_turn *same =
        queued_turn_find(queue->running, turn->why.call);

    queue->counts.turns++;
    queue->counts.bytes += turn->bytes;
    if (same == NULL)
        same = queued_turn_find(queue->waiting, turn->why.call);
    if (same == NULL) {
        push_to_worker(turn);
        return;
    }
    while (same->next_of_call != NULL)
        same = same->next_of_call;
    same->next_of_call = turn;
}

bool
mica_turn_queue_resume(struct mica_turn_queue *queue,
                       const struct mica_resume_cause *why,
                       struct mica_text session_key,
                       const struct mica_answer_listener *on_answer)
{
    const struct mica_resume_cause accepted =
        is_large(why) ? replace_large_answer(why) : *why;
    struct mica_queued_turn *turn =
        turn_queue_make(queue, &accepted, session_key, on_answer);
    bool admitted;

    if (turn == NULL)
        return false;
    pthread_mutex_lock(&queue->lock);
    // The queue accepts no turn that it could not retry (QUEUE-2).
    admitted = !queue->stopping && has_capacity(queue, turn) &&
               start_retry_thread(queue);
    queue->counts.large += is_large(why);
    if (admitted)
        turn_queue_admit(queue, turn);
    else
        queue->counts.refused++;
    pthread_mutex_unlock(&queue->lock);
    if (admitted)
        return true;
    turn->on_answer.notify = NULL;
    queued_turn_free(turn);
    return false;
}

// The scheduler has found a due call. Ignores `ending`: the store says it again when the
// turn claims the call, as its client may have answered meanwhile.
static bool
turn_queue_due(void *data, struct mica_text id, enum mica_status ending)
{
    const struct mica_resume_cause why = {.call = id, .ending = MICA_OK};

    (void)ending;
    return mica_turn_queue_resume(data, &why, (struct mica_text){NULL, 0},
                                  NULL);
}

// Cancels the turn that runs of a call that its client has cancelled.
static void
turn_queue_cancelled(void *data, struct mica_text id)
{
    struct mica_turn_queue *queue = data;
    struct mica_queued_turn *turn;

    pthread_mutex_lock(&queue->lock);
    turn = queued_turn_find(queue->running, id);
    if (turn != NULL && message_is_used(turn))
        atomic_store(&turn->message.execution.cancelled, true);
    pthread_mutex_unlock(&queue->lock);
}

// ---- Open and close ------------------------------------------------------------------

enum mica_status
mica_turn_queue_open(const struct mica_turn_queue_options *options,
                     struct mica_error *error,
                     struct mica_turn_queue **turn_queue_out)
{
    struct mica_turn_queue *queue = calloc(1, sizeof *queue);
    pthread_condattr_t attributes;

    MICA_ASSERT(mica_call_store_of(options->server) != NULL);
    if (queue == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    queue->options = *options;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    mica_call_store_on_cancel(mica_call_store_of(options->server),
                              turn_queue_cancelled, queue);
    *turn_queue_out = queue;
    return MICA_OK;
}

enum mica_status
mica_turn_queue_start(struct mica_turn_queue *queue, struct mica_error *error)
{
    enum mica_status status = MICA_OK;
    bool first;

    pthread_mutex_lock(&queue->lock);
    first = !queue->started && !queue->stopping;
    queue->started = true;
    pthread_mutex_unlock(&queue->lock);
    if (first)
        status =
            mica_call_store_start(mica_call_store_of(queue->options.server),
                                  turn_queue_due, queue, error);
    if (status != MICA_OK) {
        pthread_mutex_lock(&queue->lock);
        queue->started = false;
        pthread_mutex_unlock(&queue->lock);
    }
    return status;
}

// Frees the turns that wait for a retry; their answers are lost.
static void
abandon_waiting(struct mica_turn_queue *queue)
{
    struct mica_queued_turn *list;

    pthread_mutex_lock(&queue->lock);
    list = queue->waiting;
    queue->waiting = NULL;
    for (const struct mica_queued_turn *turn = list; turn != NULL;
         turn = turn->next)
        count_abandoned(queue, turn);
    pthread_mutex_unlock(&queue->lock);
    while (list != NULL) {
        struct mica_queued_turn *next = list->next;
        free_turns_of_call(list);
        list = next;
    }
}

void
mica_turn_queue_stop(struct mica_turn_queue *queue)
{
    bool has_thread;

    struct mica_call_store *call_store =
        mica_call_store_of(queue->options.server);

    mica_call_store_stop(call_store);
    mica_call_store_on_cancel(call_store, NULL, NULL);
    pthread_mutex_lock(&queue->lock);
    queue->stopping = true;
    has_thread = queue->has_thread;
    queue->has_thread = false;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    if (has_thread)
        pthread_join(queue->thread, NULL);
    abandon_waiting(queue);
}

void
mica_turn_queue_cancel_all(struct mica_turn_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    for (struct mica_queued_turn *turn = queue->running; turn != NULL;
         turn = turn->next) {
        if (message_is_used(turn))
            atomic_store(&turn->message.execution.cancelled, true);
    }
    pthread_mutex_unlock(&queue->lock);
}

void
mica_turn_queue_close(struct mica_turn_queue **queue)
{
    struct mica_turn_queue *closed = *queue;

    if (closed == NULL)
        return;
    mica_turn_queue_stop(closed);
    MICA_ASSERT(closed->running == NULL && closed->waiting == NULL);
    pthread_cond_destroy(&closed->changed);
    pthread_mutex_destroy(&closed->lock);
    free(closed);
    *queue = NULL;
}

struct mica_turn_queue_counts
mica_turn_queue_counts(struct mica_turn_queue *queue)
{
    struct mica_turn_queue_counts counts;

    pthread_mutex_lock(&queue->lock);
    counts = queue->counts;
    pthread_mutex_unlock(&queue->lock);
    return counts;
}
