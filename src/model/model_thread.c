// SPDX-License-Identifier: Apache-2.0
//
// The model thread: one loop around curl_multi_poll, for all calls.
//
//     take what others have submitted and cancelled
//     begin attempts, as many as each provider takes at once
//     let libcurl work; judge the attempts that have ended
//     end or repeat what is due
//     tell of calls of which nothing was told for a while
//     wait for sockets, for a wake-up, or for what is due next
//
// Calls that no attempt runs for are in the timed list, which is looked through only when
// the earliest of them is due.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_state.h"

#include "platform/clock.h"

enum {
    POLL_MS = 60 * 1000, // without anything to wait for
    MOST_RETRY_MS = MICA_MODEL_MOST_SECONDS * 1000 // longer than any call lasts
};

// ---- Lists ---------------------------------------------------------------------------

static void
queue_add(struct mica_model_one *one)
{
    struct mica_model_list *queue = &one->provider->queue;

    mica_model_move(one, MICA_MODEL_QUEUED);
    one->queue_before = queue->last;
    one->queue_after = NULL;
    if (queue->last != NULL)
        queue->last->queue_after = one;
    else
        queue->first = one;
    queue->last = one;
    mica_model_timed_add(one, one->deadline_ms);
}

static void
queue_remove(struct mica_model_one *one)
{
    struct mica_model_list *queue = &one->provider->queue;

    if (one->queue_before != NULL)
        one->queue_before->queue_after = one->queue_after;
    else
        queue->first = one->queue_after;
    if (one->queue_after != NULL)
        one->queue_after->queue_before = one->queue_before;
    else
        queue->last = one->queue_before;
    mica_model_timed_remove(one);
}

// ---- Ending --------------------------------------------------------------------------

static void
count_end(struct mica_model_state *state, const struct mica_model_one *one,
          enum mica_status status)
{
    atomic_ullong *which = status == MICA_OK            ? &state->answered
                           : status == MICA_E_TIMEOUT   ? &state->late
                           : status == MICA_E_LIMIT     ? &state->large
                           : status == MICA_E_CANCELLED ? &state->cancelled
                                                        : &state->failed;

    atomic_fetch_add(which, 1);
    atomic_fetch_add(&state->prompt_tokens, one->prompt_tokens);
    atomic_fetch_add(&state->completion_tokens, one->completion_tokens);
    atomic_fetch_sub(&state->open, 1);
}

static void
slot_give(struct mica_model_state *state, const struct mica_model_one *one)
{
    (void)pthread_mutex_lock(&state->lock);
    state->slots[one->id % MICA_MODEL_CALLS] = NULL;
    (void)pthread_mutex_unlock(&state->lock);
}

// Tells the caller, and frees the call. Its slot is free before the caller is told, so that
// on_done can begin the next call.
static void
one_end(struct mica_model_one *one, enum mica_status status)
{
    struct mica_model_state *state = one->state;
    struct mica_model_answer answer = {
        .status = status,
        .text = {"", 0},
        .message = status == MICA_OK ? "" : one->message,
        .prompt_tokens = one->prompt_tokens,
        .completion_tokens = one->completion_tokens,
        .estimated_tokens = one->estimated_tokens,
        .attempts = one->attempts};

    mica_model_move(one, MICA_MODEL_ENDED);
    state->watched -= one->watched != NULL;
    state->telling -= one->on_progress != NULL;
    slot_give(state, one);
    count_end(state, one, status);
    if (status == MICA_OK) {
        answer.text = mica_buffer_as_text(&one->transfer.reading.text);
        if (one->has_schema)
            answer.text = mica_model_unfenced(answer.text);
        answer.model = mica_buffer_as_text(&one->transfer.reading.model);
        answer.finish =
            one->transfer.reading.cut ? MICA_MODEL_LENGTH : MICA_MODEL_STOPPED;
        if (one->on_progress != NULL)
            one->on_progress(one->data, MICA_MODEL_ALL);
    }
    one->on_done(one->data, &answer);
    mica_model_reading_fini(&one->transfer.reading);
    mica_model_one_free(one);
}

// Takes a call out of whatever holds it.
static void
one_detach(struct mica_model_one *one)
{
    switch (one->stage) {
    case MICA_MODEL_QUEUED:
        queue_remove(one);
        break;
    case MICA_MODEL_LINGERING:
        mica_model_timed_remove(one);
        mica_model_transfer_end(one);
        break;
    case MICA_MODEL_RUNNING:
        mica_model_transfer_end(one);
        break;
    case MICA_MODEL_PAUSING:
        mica_model_timed_remove(one);
        break;
    case MICA_MODEL_SUBMITTED:
    case MICA_MODEL_ENDED:
        break;
    }
}

static void
one_cancel(struct mica_model_one *one)
{
    one_detach(one);
    (void)snprintf(one->message, sizeof one->message,
                   "the model call was cancelled");
    one_end(one, MICA_E_CANCELLED);
}

static void
one_expire(struct mica_model_one *one)
{
    one_detach(one);
    (void)snprintf(one->message, sizeof one->message,
                   one->attempts == 0
                       ? "the provider %.*s took no further request within "
                         "the time of the call"
                       : "the provider %.*s did not answer within the time of "
                         "the call",
                   MICA_ARG(one->provider->name));
    one_end(one, MICA_E_TIMEOUT);
}

// ---- Attempts ------------------------------------------------------------------------

// Waits for another attempt. False if no attempt is left, or no time for it.
static bool
one_pause(struct mica_model_one *one, int64_t retry_after_ms, int64_t now_ms)
{
    int64_t wait_ms =
        mica_model_retry_ms(one->attempts + 1, retry_after_ms, one->id);
    size_t length = strlen(one->message);

    if (one->attempts >= one->provider->options.attempts) {
        if (one->attempts > 1)
            (void)snprintf(one->message + length, sizeof one->message - length,
                           ", in %u attempts", one->attempts);
        return false;
    }
    if (now_ms + wait_ms >= one->deadline_ms) {
        (void)snprintf(one->message + length, sizeof one->message - length,
                       "; the next attempt would come after the time of the "
                       "call");
        return false;
    }
    mica_model_reading_fini(&one->transfer.reading);
    mica_model_move(one, MICA_MODEL_PAUSING);
    atomic_fetch_add(&one->state->retries, 1);
    mica_model_timed_add(one, now_ms + wait_ms);
    return true;
}

static void
attempt_end(struct mica_model_one *one, CURLcode code, int64_t now_ms)
{
    struct mica_model_verdict verdict = mica_model_judge(one, code, now_ms);
    curl_off_t retry_after_s = 0;
    int64_t retry_after_ms = one->transfer.retry_after_ms;

    (void)curl_easy_getinfo(one->transfer.curl, CURLINFO_RETRY_AFTER,
                            &retry_after_s);
    if (retry_after_ms == 0 && retry_after_s > 0)
        retry_after_ms = retry_after_s < MICA_MODEL_MOST_SECONDS
                             ? retry_after_s * 1000
                             : MOST_RETRY_MS;
    // A provider names any number, to which the time is added.
    if (retry_after_ms > MOST_RETRY_MS)
        retry_after_ms = MOST_RETRY_MS;
    one_detach(one);
    if (verdict.again && one_pause(one, retry_after_ms, now_ms))
        return;
    one_end(one, verdict.status);
}

// Begins attempts of a provider, in the order in which the calls came.
static void
provider_begin(struct mica_model_provider_state *provider, int64_t now_ms)
{
    struct mica_model_one *one = provider->queue.first;

    while (one != NULL && provider->running < provider->options.concurrent &&
           (!provider->resolving || now_ms < provider->known_until_ms)) {
        queue_remove(one);
        mica_model_move(one, MICA_MODEL_RUNNING);
        if (!mica_model_transfer_begin(one, now_ms)) {
            mica_model_transfer_end(one);
            (void)snprintf(one->message, sizeof one->message,
                           "there is no memory for a model call");
            one_end(one, MICA_E_LLM);
        }
        one = provider->queue.first;
    }
}

// ---- The loop ------------------------------------------------------------------------

static bool
take_submitted(struct mica_model_state *state)
{
    struct mica_model_one *one, *next;
    bool closing;

    (void)pthread_mutex_lock(&state->lock);
    one = state->submitted_first;
    state->submitted_first = state->submitted_last = NULL;
    closing = state->life == MICA_MODEL_CLOSING;
    (void)pthread_mutex_unlock(&state->lock);
    for (; one != NULL; one = next) {
        next = one->next_submitted;
        state->watched += one->watched != NULL;
        state->telling += one->on_progress != NULL;
        queue_add(one);
        // Cancelled before take_cancels could see it.
        if (atomic_load(&one->cancelled))
            one_cancel(one);
    }
    return !closing;
}

static bool
is_cancelled(const struct mica_model_one *one)
{
    return atomic_load(&one->cancelled) ||
           (one->watched != NULL && atomic_load(one->watched));
}

// Which calls are looked for.
enum wanted {
    WANTED_ALL,
    WANTED_CANCELLED,
    WANTED_SILENT // of whose progress nothing was told for a while
};

static bool
is_wanted(const struct mica_model_one *one, enum wanted wanted, int64_t now_ms)
{
    switch (wanted) {
    case WANTED_CANCELLED:
        return is_cancelled(one);
    case WANTED_SILENT:
        return one->on_progress != NULL &&
               now_ms - one->notified_ms >= MICA_MODEL_SILENCE_MS;
    case WANTED_ALL:
        break;
    }
    return true;
}

// The next such call; not one that is still submitted.
static struct mica_model_one *
find_one(struct mica_model_state *state, enum wanted wanted, unsigned *from)
{
    struct mica_model_one *found = NULL;
    int64_t now_ms = mica_clock_ms();

    (void)pthread_mutex_lock(&state->lock);
    for (; found == NULL && *from < MICA_MODEL_CALLS; (*from)++) {
        struct mica_model_one *one = state->slots[*from];
        if (one != NULL && one->stage != MICA_MODEL_SUBMITTED &&
            is_wanted(one, wanted, now_ms))
            found = one;
    }
    (void)pthread_mutex_unlock(&state->lock);
    return found;
}

static void
cancel_all(struct mica_model_state *state, enum wanted wanted)
{
    struct mica_model_one *one;
    unsigned from = 0;

    while ((one = find_one(state, wanted, &from)) != NULL)
        one_cancel(one);
}

// A provider may be silent for long: its calls rise with time nevertheless.
static void
tell_silent(struct mica_model_state *state)
{
    struct mica_model_one *one;
    int64_t now_ms = mica_clock_ms();
    unsigned from = 0;

    if (state->telling == 0 || now_ms < state->tell_next_ms)
        return;
    state->tell_next_ms = now_ms + MICA_MODEL_SILENCE_MS / 2;
    while ((one = find_one(state, WANTED_SILENT, &from)) != NULL)
        mica_model_tell(one, now_ms);
}

static void
take_cancels(struct mica_model_state *state)
{
    int64_t now_ms = mica_clock_ms();
    bool any;

    (void)pthread_mutex_lock(&state->lock);
    any = state->has_cancels;
    state->has_cancels = false;
    (void)pthread_mutex_unlock(&state->lock);
    if (state->watched > 0 && now_ms >= state->watch_next_ms) {
        state->watch_next_ms = now_ms + MICA_MODEL_WATCH_MS;
        any = true;
    }
    if (any)
        cancel_all(state, WANTED_CANCELLED);
}

static void
take_ended(struct mica_model_state *state)
{
    int64_t now_ms = mica_clock_ms();
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(state->multi, &left)) != NULL) {
        struct mica_model_one *one = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &one);
        attempt_end(one, code, now_ms);
    }
}

static void
timed_expire(struct mica_model_one *one, int64_t now_ms)
{
    if (one->stage == MICA_MODEL_LINGERING) {
        attempt_end(one, CURLE_OK, now_ms);
    } else if (now_ms >= one->deadline_ms) {
        one_expire(one);
    } else {
        mica_model_timed_remove(one);
        queue_add(one);
    }
}

static void
take_due(struct mica_model_state *state)
{
    int64_t now_ms = mica_clock_ms(), next_ms = INT64_MAX;
    struct mica_model_one *one = state->timed.first, *after;

    if (now_ms < state->timed_next_ms)
        return;
    for (; one != NULL; one = after) {
        after = one->timed_after;
        if (one->due_ms <= now_ms)
            timed_expire(one, now_ms);
    }
    for (one = state->timed.first; one != NULL; one = one->timed_after)
        if (one->due_ms < next_ms)
            next_ms = one->due_ms;
    state->timed_next_ms = next_ms;
}

static int
poll_ms(const struct mica_model_state *state)
{
    int64_t wait = POLL_MS, now_ms = mica_clock_ms();

    if (state->timed_next_ms < now_ms + wait)
        wait = state->timed_next_ms - now_ms;
    if (state->watched > 0 && state->watch_next_ms < now_ms + wait)
        wait = state->watch_next_ms - now_ms;
    if (state->telling > 0 && state->tell_next_ms < now_ms + wait)
        wait = state->tell_next_ms - now_ms;
    return wait > 0 ? (int)wait : 0;
}

static void *
model_run(void *data)
{
    struct mica_model_state *state = data;
    int running;

    while (take_submitted(state)) {
        take_cancels(state);
        for (size_t i = 0; i < state->count; i++)
            provider_begin(&state->providers[i], mica_clock_ms());
        (void)curl_multi_perform(state->multi, &running);
        take_ended(state);
        take_due(state);
        tell_silent(state);
        // A call that has ended, or come back, may let another begin.
        for (size_t i = 0; i < state->count; i++)
            provider_begin(&state->providers[i], mica_clock_ms());
        (void)curl_multi_poll(state->multi, NULL, 0, poll_ms(state), NULL);
    }
    cancel_all(state, WANTED_ALL);
    return NULL;
}

enum mica_status
mica_model_thread_start(struct mica_model_state *state,
                        struct mica_error *error)
{
    sigset_t all, before;
    int failure;

    // Signals are for the program's own threads.
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    failure = pthread_create(&state->thread, NULL, model_run, state);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "the thread that calls models did not start "
                              "(error %d); check the limit on threads "
                              "(ulimit -u)",
                              failure);
    state->life = MICA_MODEL_ACTIVE;
    (void)pthread_setname_np(state->thread, "mica-model");
    return MICA_OK;
}

void
mica_model_thread_stop(struct mica_model_state *state)
{
    bool runs;

    (void)pthread_mutex_lock(&state->lock);
    runs = state->life == MICA_MODEL_ACTIVE;
    state->life = MICA_MODEL_CLOSING;
    (void)pthread_mutex_unlock(&state->lock);
    if (!runs)
        return;
    (void)curl_multi_wakeup(state->multi);
    (void)pthread_join(state->thread, NULL);
}
