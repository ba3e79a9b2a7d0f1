// SPDX-License-Identifier: Apache-2.0
//
// A turn goes from its caller to a worker, or, when its call is busy, to
// the thread that tries it again a little later. That thread starts with the
// first turn that needs it.
#include "serve/turn_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "call/journal.h"
#include "platform/clock.h"
#include "serve/stop.h"
#include "serve/stored_calls.h"
#include "server/call_rules.h"

enum {
    KEY_BYTES = 32,
    AGAIN_MS = 25, // the first time; then twice as long, up to
    AGAIN_MOST_MS = 1000,
    PATIENCE_MS = 120 * 1000, // longer than the lease of a process that died
    // A tool that was edited is built, or swapped in, in seconds; else another process
    // may have the build.
    BUILD_PATIENCE_MS = 10 * 1000,
    IDLE_MS = 3600 * 1000
};

struct mica_queued_turn {
    struct mica_queued_turn *next;   // among those that run, or that wait
    struct mica_queued_turn *behind; // of the same call, after this one (R1)
    struct mica_turn_queue *queue;
    struct mica_worker_job task;
    struct mica_arena arena;
    struct mica_message message;
    struct mica_resume_cause why; // its texts are in `room`
    struct mica_json answer;
    struct mica_text session_key;
    struct mica_settled settled; // until it is told
    size_t bytes;                // of its answer
    bool runs;                   // `message` is in use
    bool is_taken;               // and the surface has it
    bool insists;                // is tried again when its call is busy
    uint64_t began_ms, again_ms; // again: when, and
    unsigned pause_ms;           // how long after the last time
    char room[];
};

struct mica_turn_queue {
    struct mica_turn_queue_options options;
    pthread_mutex_t lock; // of all that follows
    pthread_cond_t changed;
    pthread_t thread;
    bool has_thread, started, stopping;
    struct mica_queued_turn *running; // with the workers
    struct mica_queued_turn *waiting; // for the thread
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

// R4. As the client might have said it.
static struct mica_resume_cause
instead_of(const struct mica_resume_cause *why)
{
    static const char text[] = "{\"code\":-32603,\"message\":"
                               "\"the answer is larger than a call can keep\"}";
    static const struct mica_json error = {.kind = MICA_JSON_OBJECT,
                                           .raw = {text, sizeof text - 1}};
    struct mica_resume_cause instead = *why;

    instead.answer = &error;
    instead.is_error = true;
    return instead;
}

static struct mica_queued_turn *
turn_queue_make(struct mica_turn_queue *queue,
                const struct mica_resume_cause *why,
                struct mica_text session_key,
                const struct mica_settled *settled)
{
    size_t size = why->call.len + session_key.len +
                  (why->answer != NULL ? why->answer->raw.len : 0);
    struct mica_queued_turn *turn = calloc(1, sizeof *turn + size);
    char *at;

    if (turn == NULL)
        return NULL;
    turn->queue = queue;
    if (settled != NULL)
        turn->settled = *settled;
    turn->why = *why;
    at = turn->room;
    turn->why.call = turn_queue_copy(&at, why->call);
    turn->session_key = turn_queue_copy(&at, session_key);
    if (why->answer != NULL) {
        turn->answer.kind = why->answer->kind;
        turn->answer.raw = turn_queue_copy(&at, why->answer->raw);
        turn->why.answer = &turn->answer;
        turn->bytes = why->answer->raw.len;
    }
    turn->insists = why->answer != NULL || why->ending == MICA_E_DISCONNECTED;
    turn->pause_ms = AGAIN_MS;
    turn->began_ms = mica_clock_coarse_ms();
    mica_arena_init(&turn->arena, queue->options.server->options.call_bytes);
    return turn;
}

// R5. Not with the lock held: who is told may come back at once.
static void
queued_turn_settle(struct mica_queued_turn *turn, enum mica_status status)
{
    struct mica_settled settled = turn->settled;

    turn->settled.tell = NULL;
    if (settled.tell != NULL)
        settled.tell(settled.data, status);
}

static void
queued_turn_release(struct mica_queued_turn *turn)
{
    queued_turn_settle(turn, MICA_E_BUSY);
    mica_arena_fini(&turn->arena);
    free(turn);
}

struct mica_message *
mica_turn_queue_message(struct mica_queued_turn *turn)
{
    return &turn->message;
}

// ---- Lists, with the lock held -----------------------------------------------------

static struct mica_queued_turn *
queued_turn_find(struct mica_queued_turn *list, struct mica_text call)
{
    while (list != NULL && !mica_text_equal(list->why.call, call))
        list = list->next;
    return list;
}

static void
take_out(struct mica_queued_turn **list, const struct mica_queued_turn *turn)
{
    while (*list != turn)
        list = &(*list)->next;
    *list = turn->next;
}

static void
wait_again(struct mica_queued_turn *turn)
{
    struct mica_turn_queue *queue = turn->queue;

    turn->again_ms = mica_clock_coarse_ms() + turn->pause_ms;
    turn->pause_ms =
        turn->pause_ms * 2 < AGAIN_MOST_MS ? turn->pause_ms * 2 : AGAIN_MOST_MS;
    turn->next = queue->waiting;
    queue->waiting = turn;
    queue->counts.again++;
    pthread_cond_signal(&queue->changed);
}

static void *try_again(void *data);

static bool
need_thread(struct mica_turn_queue *queue)
{
    sigset_t before;

    if (queue->has_thread)
        return true;
    mica_stop_block(&before);
    queue->has_thread =
        pthread_create(&queue->thread, NULL, try_again, queue) == 0;
    mica_stop_unblock(&before);
    return queue->has_thread;
}

// ---- Running -----------------------------------------------------------------------

static void turn_queue_work(void *data);

// With the lock held; it may go to a worker at once, and from there away.
static void
send_off(struct mica_queued_turn *turn)
{
    struct mica_turn_queue *queue = turn->queue;

    turn->next = queue->running;
    queue->running = turn;
    turn->task = (struct mica_worker_job){.run = turn_queue_work, .data = turn};
    if (mica_workers_push(queue->options.workers, &turn->task, 0))
        return;
    queue->running = turn->next;
    wait_again(turn);
}

// With the lock held: these will not run. They are to be released.
static void
give_up(struct mica_turn_queue *queue, const struct mica_queued_turn *turns)
{
    for (; turns != NULL; turns = turns->behind) {
        queue->counts.turns--;
        queue->counts.bytes -= turns->bytes;
        queue->counts.lost += turns->why.answer != NULL;
    }
}

static void
release_all(struct mica_queued_turn *turns)
{
    while (turns != NULL) {
        struct mica_queued_turn *next = turns->behind;
        queued_turn_release(turns);
        turns = next;
    }
}

// With the lock held: the next of its call (R1). Those to be released, as the
// server ends, or NULL.
static struct mica_queued_turn *
turn_queue_follow(struct mica_turn_queue *queue,
                  struct mica_queued_turn *behind)
{
    if (behind != NULL && !queue->stopping) {
        send_off(behind);
        return NULL;
    }
    give_up(queue, behind);
    return behind;
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

static void
message_taken(struct mica_message *message)
{
    struct mica_queued_turn *turn = message->execution.callback_data;
    const struct mica_turn_queue_options *options = &turn->queue->options;

    turn->is_taken = true;
    if (options->taken != NULL)
        options->taken(options->data, message);
}

static void
message_recorded(struct mica_message *message)
{
    queued_turn_settle(message->execution.callback_data, MICA_OK);
}

// Its memory is freed: the adapter is told before.
static void
queued_turn_leave(struct mica_queued_turn *turn)
{
    const struct mica_turn_queue_options *options = &turn->queue->options;

    if (turn->is_taken && options->left != NULL)
        options->left(options->data, &turn->message);
    turn->is_taken = false;
    mica_message_end(&turn->message);
    mica_arena_reset(&turn->arena);
}

// R2. True: it waits to be tried again.
static bool
comes_again(struct mica_queued_turn *turn)
{
    struct mica_turn_queue *queue = turn->queue;
    struct mica_queued_turn *dropped = NULL;
    bool again =
        is_busy(&turn->message) && turn->insists &&
        mica_clock_coarse_ms() - turn->began_ms < patience_ms(&turn->message);

    if (!again)
        return false;
    pthread_mutex_lock(&queue->lock);
    again = !queue->stopping;
    if (again)
        turn->runs = false; // it is not cancelled any more
    pthread_mutex_unlock(&queue->lock);
    if (!again)
        return false;
    queued_turn_leave(turn);
    pthread_mutex_lock(&queue->lock);
    take_out(&queue->running, turn);
    if (!queue->stopping) {
        wait_again(turn);
    } else {
        give_up(queue, turn);
        dropped = turn;
    }
    pthread_mutex_unlock(&queue->lock);
    release_all(dropped);
    return true;
}

static void
turn_queue_work(void *data)
{
    struct mica_queued_turn *turn = data;
    struct mica_turn_queue *queue = turn->queue;
    struct mica_message *message = &turn->message;

    mica_message_init(message, queue->options.server, &turn->arena);
    message->context.session_key = turn->session_key;
    message->execution.on_claimed = message_taken;
    message->execution.on_recorded = message_recorded;
    message->execution.callback_data = turn;
    pthread_mutex_lock(&queue->lock);
    turn->runs = true;
    pthread_mutex_unlock(&queue->lock);
    mica_message_resume(message, &turn->why);
    if (!comes_again(turn) && !queue->options.ended(queue->options.data, turn))
        mica_turn_queue_give(turn);
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
mica_turn_queue_give(struct mica_queued_turn *turn)
{
    struct mica_turn_queue *queue = turn->queue;
    struct mica_queued_turn *dropped;

    mica_rules_record(&turn->message);
    mica_message_end(&turn->message);
    pthread_mutex_lock(&queue->lock);
    take_out(&queue->running, turn);
    turn_queue_count(queue, turn);
    dropped = turn_queue_follow(queue, turn->behind);
    pthread_mutex_unlock(&queue->lock);
    release_all(dropped);
    queued_turn_release(turn);
}

// ---- Again -------------------------------------------------------------------------

// With the lock held: how long nothing has to be done.
static uint64_t
rest_ms(const struct mica_turn_queue *queue)
{
    uint64_t now = mica_clock_coarse_ms(), rest = IDLE_MS;

    for (const struct mica_queued_turn *turn = queue->waiting; turn != NULL;
         turn = turn->next) {
        uint64_t left = turn->again_ms > now ? turn->again_ms - now : 0;
        rest = left < rest ? left : rest;
    }
    return rest;
}

static void
send_due(struct mica_turn_queue *queue)
{
    uint64_t now = mica_clock_coarse_ms();
    struct mica_queued_turn *list = queue->waiting;

    queue->waiting = NULL;
    while (list != NULL) {
        struct mica_queued_turn *turn = list;
        list = turn->next;
        if (turn->again_ms <= now) {
            send_off(turn);
        } else {
            turn->next = queue->waiting;
            queue->waiting = turn;
        }
    }
}

static void *
try_again(void *data)
{
    struct mica_turn_queue *queue = data;

    pthread_mutex_lock(&queue->lock);
    while (!queue->stopping) {
        uint64_t rest = rest_ms(queue);
        if (rest > 0) {
            struct timespec until = mica_clock_after((unsigned)rest + 1);
            (void)pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
        }
        if (!queue->stopping)
            send_due(queue);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

// ---- What others bring ---------------------------------------------------------------

struct share {
    size_t turns, bytes;
};

// What answers to the call of `turn`, and those of its session, have of a list.
static void
add_shares(const struct mica_queued_turn *list,
           const struct mica_queued_turn *turn, struct share *call,
           struct share *session)
{
    for (; list != NULL; list = list->next) {
        bool same = mica_text_equal(list->why.call, turn->why.call);
        for (const struct mica_queued_turn *t = list; t != NULL;
             t = t->behind) {
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

// R3. With the lock held.
static bool
has_room(const struct mica_turn_queue *queue,
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

// With the lock held.
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
        send_off(turn);
        return;
    }
    while (same->behind != NULL)
        same = same->behind;
    same->behind = turn;
}

bool
mica_turn_queue_resume(struct mica_turn_queue *queue,
                       const struct mica_resume_cause *why,
                       struct mica_text session_key,
                       const struct mica_settled *settled)
{
    const struct mica_resume_cause taken_as =
        is_large(why) ? instead_of(why) : *why;
    struct mica_queued_turn *turn =
        turn_queue_make(queue, &taken_as, session_key, settled);
    bool room;

    if (turn == NULL)
        return false;
    pthread_mutex_lock(&queue->lock);
    // Without the thread nothing could be tried again (R2).
    room = !queue->stopping && has_room(queue, turn) && need_thread(queue);
    queue->counts.large += is_large(why);
    if (room)
        turn_queue_admit(queue, turn);
    else
        queue->counts.refused++;
    pthread_mutex_unlock(&queue->lock);
    if (room)
        return true;
    turn->settled.tell = NULL;
    queued_turn_release(turn);
    return false;
}

// What it comes to is asked once more when it is claimed: it may have been answered
// meanwhile.
static bool
turn_queue_due(void *data, struct mica_text id, enum mica_status ending)
{
    const struct mica_resume_cause why = {.call = id, .ending = MICA_OK};

    (void)ending;
    return mica_turn_queue_resume(data, &why, (struct mica_text){NULL, 0},
                                  NULL);
}

// A turn of a call that its client has given up: it need not continue.
static void
turn_queue_cancelled(void *data, struct mica_text id)
{
    struct mica_turn_queue *queue = data;
    struct mica_queued_turn *turn;

    pthread_mutex_lock(&queue->lock);
    turn = queued_turn_find(queue->running, id);
    if (turn != NULL && turn->runs)
        atomic_store(&turn->message.execution.cancelled, true);
    pthread_mutex_unlock(&queue->lock);
}

// ---- Beginning and ending --------------------------------------------------------------

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

// They are not tried again.
static void
drop_waiting(struct mica_turn_queue *queue)
{
    struct mica_queued_turn *list;

    pthread_mutex_lock(&queue->lock);
    list = queue->waiting;
    queue->waiting = NULL;
    for (const struct mica_queued_turn *turn = list; turn != NULL;
         turn = turn->next)
        give_up(queue, turn);
    pthread_mutex_unlock(&queue->lock);
    while (list != NULL) {
        struct mica_queued_turn *next = list->next;
        release_all(list);
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
    drop_waiting(queue);
}

void
mica_turn_queue_cancel_all(struct mica_turn_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    for (struct mica_queued_turn *turn = queue->running; turn != NULL;
         turn = turn->next) {
        if (turn->runs)
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
