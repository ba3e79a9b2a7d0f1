// SPDX-License-Identifier: Apache-2.0
//
// A turn goes from its caller to a worker, or, when its call is busy, to
// the thread that tries it again a little later. That thread starts with the
// first turn that needs it.
#include "serve/runner.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "call/journal.h"
#include "platform/clock.h"
#include "serve/stop.h"
#include "serve/stored_calls.h"

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

struct mica_turn_run {
    struct mica_turn_run *next;   // among those that run, or that wait
    struct mica_turn_run *behind; // of the same call, after this one (R1)
    struct mica_runner *runner;
    struct mica_worker_job task;
    struct mica_arena arena;
    struct mica_message message;
    struct mica_answered why; // its texts are in `room`
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

struct mica_runner {
    struct mica_runner_options options;
    pthread_mutex_t lock; // of all that follows
    pthread_cond_t changed;
    pthread_t thread;
    bool has_thread, started, stopping;
    struct mica_turn_run *running; // with the workers
    struct mica_turn_run *waiting; // for the thread
    struct mica_runner_counts counts;
};

// ---- Memory ----------------------------------------------------------------------

static struct mica_text
runner_copy(char **at, struct mica_text text)
{
    struct mica_text copied = {*at, text.len};

    if (text.len > 0)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copied;
}

static bool
is_large(const struct mica_answered *why)
{
    return why->answer != NULL && why->answer->raw.len > MICA_JOURNAL_BYTES;
}

// R4. As the client might have said it.
static struct mica_answered
instead_of(const struct mica_answered *why)
{
    static const char text[] = "{\"code\":-32603,\"message\":"
                               "\"the answer is larger than a call can keep\"}";
    static const struct mica_json error = {.kind = MICA_JSON_OBJECT,
                                           .raw = {text, sizeof text - 1}};
    struct mica_answered instead = *why;

    instead.answer = &error;
    instead.is_error = true;
    return instead;
}

static struct mica_turn_run *
runner_make(struct mica_runner *runner, const struct mica_answered *why,
            struct mica_text session_key, const struct mica_settled *settled)
{
    size_t size = why->call.len + session_key.len +
                  (why->answer != NULL ? why->answer->raw.len : 0);
    struct mica_turn_run *turn = calloc(1, sizeof *turn + size);
    char *at;

    if (turn == NULL)
        return NULL;
    turn->runner = runner;
    if (settled != NULL)
        turn->settled = *settled;
    turn->why = *why;
    at = turn->room;
    turn->why.call = runner_copy(&at, why->call);
    turn->session_key = runner_copy(&at, session_key);
    if (why->answer != NULL) {
        turn->answer.kind = why->answer->kind;
        turn->answer.raw = runner_copy(&at, why->answer->raw);
        turn->why.answer = &turn->answer;
        turn->bytes = why->answer->raw.len;
    }
    turn->insists = why->answer != NULL || why->ending == MICA_E_DISCONNECTED;
    turn->pause_ms = AGAIN_MS;
    turn->began_ms = mica_clock_coarse_ms();
    mica_arena_init(&turn->arena, runner->options.server->options.call_bytes);
    return turn;
}

// R5. Not with the lock held: who is told may come back at once.
static void
turn_run_settle(struct mica_turn_run *turn, enum mica_status status)
{
    struct mica_settled settled = turn->settled;

    turn->settled.tell = NULL;
    if (settled.tell != NULL)
        settled.tell(settled.data, status);
}

static void
turn_run_release(struct mica_turn_run *turn)
{
    turn_run_settle(turn, MICA_E_BUSY);
    mica_arena_fini(&turn->arena);
    free(turn);
}

struct mica_message *
mica_runner_message(struct mica_turn_run *turn)
{
    return &turn->message;
}

// ---- Lists, with the lock held -----------------------------------------------------

static struct mica_turn_run *
turn_run_find(struct mica_turn_run *list, struct mica_text call)
{
    while (list != NULL && !mica_text_equal(list->why.call, call))
        list = list->next;
    return list;
}

static void
take_out(struct mica_turn_run **list, const struct mica_turn_run *turn)
{
    while (*list != turn)
        list = &(*list)->next;
    *list = turn->next;
}

static void
wait_again(struct mica_turn_run *turn)
{
    struct mica_runner *runner = turn->runner;

    turn->again_ms = mica_clock_coarse_ms() + turn->pause_ms;
    turn->pause_ms =
        turn->pause_ms * 2 < AGAIN_MOST_MS ? turn->pause_ms * 2 : AGAIN_MOST_MS;
    turn->next = runner->waiting;
    runner->waiting = turn;
    runner->counts.again++;
    pthread_cond_signal(&runner->changed);
}

static void *try_again(void *data);

static bool
need_thread(struct mica_runner *runner)
{
    sigset_t before;

    if (runner->has_thread)
        return true;
    mica_stop_block(&before);
    runner->has_thread =
        pthread_create(&runner->thread, NULL, try_again, runner) == 0;
    mica_stop_unblock(&before);
    return runner->has_thread;
}

// ---- Running -----------------------------------------------------------------------

static void runner_work(void *data);

// With the lock held; it may go to a worker at once, and from there away.
static void
send_off(struct mica_turn_run *turn)
{
    struct mica_runner *runner = turn->runner;

    turn->next = runner->running;
    runner->running = turn;
    turn->task = (struct mica_worker_job){.run = runner_work, .data = turn};
    if (mica_workers_push(runner->options.workers, &turn->task, 0))
        return;
    runner->running = turn->next;
    wait_again(turn);
}

// With the lock held: these will not run. They are to be released.
static void
give_up(struct mica_runner *runner, const struct mica_turn_run *turns)
{
    for (; turns != NULL; turns = turns->behind) {
        runner->counts.turns--;
        runner->counts.bytes -= turns->bytes;
        runner->counts.lost += turns->why.answer != NULL;
    }
}

static void
release_all(struct mica_turn_run *turns)
{
    while (turns != NULL) {
        struct mica_turn_run *next = turns->behind;
        turn_run_release(turns);
        turns = next;
    }
}

// With the lock held: the next of its call (R1). Those to be released, as the
// server ends, or NULL.
static struct mica_turn_run *
runner_follow(struct mica_runner *runner, struct mica_turn_run *behind)
{
    if (behind != NULL && !runner->stopping) {
        send_off(behind);
        return NULL;
    }
    give_up(runner, behind);
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
    struct mica_turn_run *turn = message->execution.taken_data;
    const struct mica_runner_options *options = &turn->runner->options;

    turn->is_taken = true;
    if (options->taken != NULL)
        options->taken(options->data, message);
}

static void
message_recorded(struct mica_message *message)
{
    turn_run_settle(message->execution.taken_data, MICA_OK);
}

// Its memory is freed: the adapter is told before.
static void
turn_run_leave(struct mica_turn_run *turn)
{
    const struct mica_runner_options *options = &turn->runner->options;

    if (turn->is_taken && options->left != NULL)
        options->left(options->data, &turn->message);
    turn->is_taken = false;
    mica_message_end(&turn->message);
    mica_arena_reset(&turn->arena);
}

// R2. True: it waits to be tried again.
static bool
comes_again(struct mica_turn_run *turn)
{
    struct mica_runner *runner = turn->runner;
    struct mica_turn_run *dropped = NULL;
    bool again =
        is_busy(&turn->message) && turn->insists &&
        mica_clock_coarse_ms() - turn->began_ms < patience_ms(&turn->message);

    if (!again)
        return false;
    pthread_mutex_lock(&runner->lock);
    again = !runner->stopping;
    if (again)
        turn->runs = false; // it is not cancelled any more
    pthread_mutex_unlock(&runner->lock);
    if (!again)
        return false;
    turn_run_leave(turn);
    pthread_mutex_lock(&runner->lock);
    take_out(&runner->running, turn);
    if (!runner->stopping) {
        wait_again(turn);
    } else {
        give_up(runner, turn);
        dropped = turn;
    }
    pthread_mutex_unlock(&runner->lock);
    release_all(dropped);
    return true;
}

static void
runner_work(void *data)
{
    struct mica_turn_run *turn = data;
    struct mica_runner *runner = turn->runner;
    struct mica_message *message = &turn->message;

    mica_message_init(message, runner->options.server, &turn->arena);
    message->context.session_key = turn->session_key;
    message->execution.taken = message_taken;
    message->execution.recorded = message_recorded;
    message->execution.taken_data = turn;
    pthread_mutex_lock(&runner->lock);
    turn->runs = true;
    pthread_mutex_unlock(&runner->lock);
    mica_message_resume(message, &turn->why);
    if (!comes_again(turn) &&
        !runner->options.ended(runner->options.data, turn))
        mica_runner_give(turn);
}

static void
runner_count(struct mica_runner *runner, const struct mica_turn_run *turn)
{
    bool lost = turn->why.answer != NULL && is_busy(&turn->message);

    runner->counts.turns--;
    runner->counts.bytes -= turn->bytes;
    runner->counts.ended++;
    runner->counts.lost += lost;
    runner->counts.answers += turn->why.answer != NULL && !lost;
    runner->counts.timeouts += turn->message.execution.ending == MICA_E_TIMEOUT;
}

void
mica_runner_give(struct mica_turn_run *turn)
{
    struct mica_runner *runner = turn->runner;
    struct mica_turn_run *dropped;

    mica_message_end(&turn->message);
    pthread_mutex_lock(&runner->lock);
    take_out(&runner->running, turn);
    runner_count(runner, turn);
    dropped = runner_follow(runner, turn->behind);
    pthread_mutex_unlock(&runner->lock);
    release_all(dropped);
    turn_run_release(turn);
}

// ---- Again -------------------------------------------------------------------------

// With the lock held: how long nothing has to be done.
static uint64_t
rest_ms(const struct mica_runner *runner)
{
    uint64_t now = mica_clock_coarse_ms(), rest = IDLE_MS;

    for (const struct mica_turn_run *turn = runner->waiting; turn != NULL;
         turn = turn->next) {
        uint64_t left = turn->again_ms > now ? turn->again_ms - now : 0;
        rest = left < rest ? left : rest;
    }
    return rest;
}

static void
send_due(struct mica_runner *runner)
{
    uint64_t now = mica_clock_coarse_ms();
    struct mica_turn_run *list = runner->waiting;

    runner->waiting = NULL;
    while (list != NULL) {
        struct mica_turn_run *turn = list;
        list = turn->next;
        if (turn->again_ms <= now) {
            send_off(turn);
        } else {
            turn->next = runner->waiting;
            runner->waiting = turn;
        }
    }
}

static void *
try_again(void *data)
{
    struct mica_runner *runner = data;

    pthread_mutex_lock(&runner->lock);
    while (!runner->stopping) {
        uint64_t rest = rest_ms(runner);
        if (rest > 0) {
            struct timespec until = mica_clock_after((unsigned)rest + 1);
            (void)pthread_cond_timedwait(&runner->changed, &runner->lock,
                                         &until);
        }
        if (!runner->stopping)
            send_due(runner);
    }
    pthread_mutex_unlock(&runner->lock);
    return NULL;
}

// ---- What others bring ---------------------------------------------------------------

struct share {
    size_t turns, bytes;
};

// What answers to the call of `turn`, and those of its session, have of a list.
static void
add_shares(const struct mica_turn_run *list, const struct mica_turn_run *turn,
           struct share *call, struct share *session)
{
    for (; list != NULL; list = list->next) {
        bool same = mica_text_equal(list->why.call, turn->why.call);
        for (const struct mica_turn_run *t = list; t != NULL; t = t->behind) {
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
has_room(const struct mica_runner *runner, const struct mica_turn_run *turn)
{
    const struct mica_runner_counts *counts = &runner->counts;
    struct share call = {0, 0}, session = {0, 0};

    if (turn->why.answer == NULL)
        return counts->turns < MICA_RUNNER_TURNS;
    if (counts->turns >= MICA_RUNNER_TURNS - MICA_RUNNER_RESERVED ||
        counts->bytes + turn->bytes > MICA_RUNNER_BYTES)
        return false;
    add_shares(runner->running, turn, &call, &session);
    add_shares(runner->waiting, turn, &call, &session);
    if (call.turns >= MICA_RUNNER_CALL_TURNS)
        return false;
    return turn->session_key.len == 0 ||
           (session.turns < MICA_RUNNER_SESSION_TURNS &&
            session.bytes + turn->bytes <= MICA_RUNNER_SESSION_BYTES);
}

// With the lock held.
static void
runner_admit(struct mica_runner *runner, struct mica_turn_run *turn)
{
    struct mica_turn_run *same = turn_run_find(runner->running, turn->why.call);

    runner->counts.turns++;
    runner->counts.bytes += turn->bytes;
    if (same == NULL)
        same = turn_run_find(runner->waiting, turn->why.call);
    if (same == NULL) {
        send_off(turn);
        return;
    }
    while (same->behind != NULL)
        same = same->behind;
    same->behind = turn;
}

bool
mica_runner_go_on(struct mica_runner *runner, const struct mica_answered *why,
                  struct mica_text session_key,
                  const struct mica_settled *settled)
{
    const struct mica_answered taken_as =
        is_large(why) ? instead_of(why) : *why;
    struct mica_turn_run *turn =
        runner_make(runner, &taken_as, session_key, settled);
    bool room;

    if (turn == NULL)
        return false;
    pthread_mutex_lock(&runner->lock);
    // Without the thread nothing could be tried again (R2).
    room = !runner->stopping && has_room(runner, turn) && need_thread(runner);
    runner->counts.large += is_large(why);
    if (room)
        runner_admit(runner, turn);
    else
        runner->counts.refused++;
    pthread_mutex_unlock(&runner->lock);
    if (room)
        return true;
    turn->settled.tell = NULL;
    turn_run_release(turn);
    return false;
}

// What it comes to is asked once more when it is claimed: it may have been answered
// meanwhile.
static bool
runner_due(void *data, struct mica_text id, enum mica_status ending)
{
    const struct mica_answered why = {.call = id, .ending = MICA_OK};

    (void)ending;
    return mica_runner_go_on(data, &why, (struct mica_text){NULL, 0}, NULL);
}

// A turn of a call that its client has given up: it need not continue.
static void
runner_cancelled(void *data, struct mica_text id)
{
    struct mica_runner *runner = data;
    struct mica_turn_run *turn;

    pthread_mutex_lock(&runner->lock);
    turn = turn_run_find(runner->running, id);
    if (turn != NULL && turn->runs)
        atomic_store(&turn->message.execution.cancelled, true);
    pthread_mutex_unlock(&runner->lock);
}

// ---- Beginning and ending --------------------------------------------------------------

enum mica_status
mica_runner_open(const struct mica_runner_options *options,
                 struct mica_error *error, struct mica_runner **runner_out)
{
    struct mica_runner *runner = calloc(1, sizeof *runner);
    pthread_condattr_t attributes;

    MICA_ASSERT(mica_call_store_of(options->server) != NULL);
    if (runner == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    runner->options = *options;
    pthread_mutex_init(&runner->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&runner->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    mica_call_store_on_cancel(mica_call_store_of(options->server),
                              runner_cancelled, runner);
    *runner_out = runner;
    return MICA_OK;
}

enum mica_status
mica_runner_start(struct mica_runner *runner, struct mica_error *error)
{
    enum mica_status status = MICA_OK;
    bool first;

    pthread_mutex_lock(&runner->lock);
    first = !runner->started && !runner->stopping;
    runner->started = true;
    pthread_mutex_unlock(&runner->lock);
    if (first)
        status =
            mica_call_store_start(mica_call_store_of(runner->options.server),
                                  runner_due, runner, error);
    if (status != MICA_OK) {
        pthread_mutex_lock(&runner->lock);
        runner->started = false;
        pthread_mutex_unlock(&runner->lock);
    }
    return status;
}

// They are not tried again.
static void
drop_waiting(struct mica_runner *runner)
{
    struct mica_turn_run *list;

    pthread_mutex_lock(&runner->lock);
    list = runner->waiting;
    runner->waiting = NULL;
    for (const struct mica_turn_run *turn = list; turn != NULL;
         turn = turn->next)
        give_up(runner, turn);
    pthread_mutex_unlock(&runner->lock);
    while (list != NULL) {
        struct mica_turn_run *next = list->next;
        release_all(list);
        list = next;
    }
}

void
mica_runner_stop(struct mica_runner *runner)
{
    bool has_thread;

    struct mica_call_store *call_store =
        mica_call_store_of(runner->options.server);

    mica_call_store_stop(call_store);
    mica_call_store_on_cancel(call_store, NULL, NULL);
    pthread_mutex_lock(&runner->lock);
    runner->stopping = true;
    has_thread = runner->has_thread;
    runner->has_thread = false;
    pthread_cond_broadcast(&runner->changed);
    pthread_mutex_unlock(&runner->lock);
    if (has_thread)
        pthread_join(runner->thread, NULL);
    drop_waiting(runner);
}

void
mica_runner_cancel_all(struct mica_runner *runner)
{
    pthread_mutex_lock(&runner->lock);
    for (struct mica_turn_run *turn = runner->running; turn != NULL;
         turn = turn->next) {
        if (turn->runs)
            atomic_store(&turn->message.execution.cancelled, true);
    }
    pthread_mutex_unlock(&runner->lock);
}

void
mica_runner_close(struct mica_runner **runner)
{
    struct mica_runner *closed = *runner;

    if (closed == NULL)
        return;
    mica_runner_stop(closed);
    MICA_ASSERT(closed->running == NULL && closed->waiting == NULL);
    pthread_cond_destroy(&closed->changed);
    pthread_mutex_destroy(&closed->lock);
    free(closed);
    *runner = NULL;
}

struct mica_runner_counts
mica_runner_counts(struct mica_runner *runner)
{
    struct mica_runner_counts counts;

    pthread_mutex_lock(&runner->lock);
    counts = runner->counts;
    pthread_mutex_unlock(&runner->lock);
    return counts;
}
