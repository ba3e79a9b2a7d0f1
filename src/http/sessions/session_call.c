// SPDX-License-Identifier: Apache-2.0
//
// A call of a session while a worker has it: found by its id to be cancelled,
// and, when its answer is a stream, written down event by event, so that a
// client whose connection broke comes back for the rest. That a client has gone
// is no reason to stop (MCP: cancellation is a notification of its own).
#include <string.h>

#include "http/http.h"
#include "http/sessions/session_parts.h"
#include "serve/refuse.h"
#include "serve/time.h"
#include "server/calls/kept_call.h"
#include "server/message.h"

static const struct mica_text none = {NULL, 0};

enum {
    CLOSE_TRIES = 3,
    ASK_TRIES = 3
};

// ---- Beginning ---------------------------------------------------------------------

// With the lock held.
static void
put_in(struct mica_legacy *legacy, struct mica_live *live, struct mica_run *run)
{
    run->live = live;
    run->next = live->runs;
    live->runs = run;
    legacy->counts.runs++;
}

bool
mica_run_begin(struct mica_legacy *legacy, struct mica_run *run,
               struct mica_message *message, bool streams,
               struct mica_sse **sse_out)
{
    struct mica_store_session_key key =
        mica_store_session_key_of(message->session.id);
    struct mica_live *live;

    *sse_out = NULL;
    *run = (struct mica_run){.message = message,
                             .began_ms = mica_time_coarse_ms()};
    run->leased_ms = run->began_ms;
    if (streams) {
        run->sse = mica_sse_new(MICA_STREAM_BYTES);
        if (run->sse == NULL)
            return false;
        mica_sse_hold(run->sse);
        *sse_out = run->sse;
    }
    pthread_mutex_lock(&legacy->lock);
    live = mica_live_need(legacy, &key);
    if (live != NULL) {
        put_in(legacy, live, run);
        if (run->sse != NULL)
            (void)mica_legacy_wake(legacy); // keeps the stream alive
    }
    pthread_mutex_unlock(&legacy->lock);
    if (live == NULL) {
        mica_sse_drop(*sse_out);
        mica_stream_end(&run->sse);
    }
    return live != NULL;
}

// A stream without a number is one that cannot be resumed: better than none.
void
mica_run_open_stream(struct mica_legacy *legacy, struct mica_run *run)
{
    struct mica_store *store = mica_keeper_store(legacy->keeper);
    struct mica_error error;
    int64_t stream = 0;

    if (mica_store_stream_open(store, &run->live->key, run->message->id,
                               mica_keeper_now(), MICA_STREAM_LEASE_MS, &error,
                               &stream) != MICA_OK)
        stream = 0;
    if (stream > 0)
        run->message->said_bytes = MICA_STREAM_BYTES / 2;
    pthread_mutex_lock(&legacy->lock);
    run->stream = stream;
    // Nobody comes back for one that is not recorded.
    run->limit_ms = stream > 0 ? MICA_RUN_MS : legacy->http->idle_ms;
    pthread_mutex_unlock(&legacy->lock);
}

// MCP: 2025-11-25, resumability: an id to come back with, from the start.
void
mica_run_prime(struct mica_legacy *legacy, struct mica_run *run)
{
    if (run->stream == 0 ||
        !mica_revision_features(run->message->revision)->priming)
        return;
    pthread_mutex_lock(&legacy->lock);
    if (run->sse != NULL) // the session goes on
        (void)mica_event_prime(run->sse, run->stream, 0);
    pthread_mutex_unlock(&legacy->lock);
}

// ---- Events ------------------------------------------------------------------------

// The number of the event in the store; 0 when it is not there.
static int64_t
record(struct mica_legacy *legacy, struct mica_run *run, struct mica_text data,
       enum mica_status *status_out)
{
    int64_t sequence = 0;
    struct mica_error error;

    *status_out = MICA_OK;
    if (run->stream == 0)
        return 0;
    *status_out = mica_store_event_append(
        mica_keeper_store(legacy->keeper), &run->live->key, run->stream,
        mica_keeper_now(), data, &error, &sequence);
    return *status_out == MICA_OK ? sequence : 0;
}

// One that is not in the store has none, unless it is the first that its client
// gets (L4): the id is then that of the stream's beginning.
static bool
has_id(const struct mica_run *run, int64_t sequence)
{
    bool begun = mica_revision_features(run->message->revision)->priming ||
                 run->told > 0;

    return run->stream > 0 && (sequence > 0 || !begun);
}

// Sends an event to whoever listens. L2. When others have said something on the
// stream before it, as the process of the call seemed dead, that comes first. With
// the lock held.
static void
tell_one(struct mica_legacy *legacy, struct mica_run *run, int64_t sequence,
         struct mica_text data, bool last)
{
    char room[MICA_EVENT_ID_SIZE];
    struct mica_text id = none;

    if (has_id(run, sequence))
        id = mica_event_id(room, run->stream, sequence);
    if (sequence > run->told + 1 && run->sse != NULL)
        mica_resumed_take(legacy, run);
    if (run->sse != NULL && data.len > 0)
        (void)mica_sse_send(run->sse, id, data, 0);
    if (sequence > 0)
        run->told = sequence;
    if (last)
        mica_stream_end(&run->sse);
    if (run->stream > 0 && !mica_resumed_tell(legacy, run->live, run->stream,
                                              sequence, data, last))
        mica_resumed_poke(legacy, run->live, run->stream);
}

static void
tell(struct mica_legacy *legacy, struct mica_run *run, int64_t sequence,
     struct mica_text data, bool last)
{
    pthread_mutex_lock(&legacy->lock);
    tell_one(legacy, run, sequence, data, last);
    pthread_mutex_unlock(&legacy->lock);
}

void
mica_run_emit(struct mica_legacy *legacy, struct mica_run *run,
              struct mica_text notification)
{
    enum mica_status status;
    int64_t sequence = record(legacy, run, notification, &status);

    // What could not be recorded is left out for everybody: whoever resumes
    // would miss it and never know (L2).
    if (status == MICA_OK)
        tell(legacy, run, sequence, notification, false);
}

// What stands for a reply that the store does not take.
static void
write_loss(const struct mica_run *run, enum mica_status status,
           struct mica_buffer *text)
{
    mica_refuse_write(text, run->message->id, MICA_REFUSE_INTERNAL, status,
                      "the result could not be kept until it was fetched: %s",
                      mica_status_meaning(status));
}

// The session may have ended: then there is nothing to close. What others hold for
// too long is left: who comes back gets it all the same, from the call, or is told
// that the call is lost.
static enum mica_status
finish_patiently(struct mica_legacy *legacy, const struct mica_run *run,
                 struct mica_text data, int64_t *sequence_out)
{
    enum mica_status status = MICA_E_BUSY;

    for (int i = 0; i < CLOSE_TRIES && status == MICA_E_BUSY; i++)
        status = mica_stream_finish(legacy, &run->live->key, run->stream, data,
                                    sequence_out);
    return status;
}

// Whoever looks at the stream next tells how its call has ended (mica_waiting_mend).
// What is too large for it is so for ever.
static bool
is_told_later(const struct mica_run *run, enum mica_status status)
{
    return status == MICA_E_BUSY ||
           (status != MICA_E_LIMIT && mica_message_kept(run->message) != NULL);
}

// The number of the last event in the store; 0 when it is not there.
static int64_t
finish(struct mica_legacy *legacy, const struct mica_run *run,
       struct mica_text reply)
{
    int64_t sequence = 0, instead;
    enum mica_status status = MICA_OK;
    char room[1024];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    if (run->stream > 0)
        status = finish_patiently(legacy, run, reply, &sequence);
    if (status == MICA_OK || status == MICA_E_NOT_FOUND ||
        is_told_later(run, status))
        return sequence;
    if (run->message->id.len > 0)
        write_loss(run, status, &text);
    // Who listens now gets the result itself.
    (void)finish_patiently(legacy, run, mica_buffer_as_text(&text), &instead);
    return 0;
}

// What is said instead of a reply that is too large for the stream, which would
// end without one, or that took too long; otherwise nothing.
static void
write_instead(struct mica_legacy *legacy, const struct mica_run *run,
              struct mica_text reply, struct mica_buffer *text)
{
    bool late;

    pthread_mutex_lock(&legacy->lock);
    late = run->late;
    pthread_mutex_unlock(&legacy->lock);
    if (reply.len > MICA_STREAM_BYTES / 2)
        mica_refuse_write(text, run->message->id, MICA_REFUSE_INTERNAL,
                          MICA_E_LIMIT,
                          "the result is larger than a stream of a session "
                          "holds; ask for less");
    else if (reply.len == 0 && late)
        mica_refuse_write(text, run->message->id, MICA_REFUSE_INTERNAL,
                          MICA_E_TIMEOUT,
                          "the call took longer than this server waits; ask "
                          "for less");
}

// With the lock held.
static void
take_out(struct mica_legacy *legacy, struct mica_run *run)
{
    struct mica_run **at = &run->live->runs;

    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    legacy->counts.runs--;
    mica_live_tidy(legacy, run->live);
}

// Its client wants no more of a call that is kept: it is ended in a turn. Behind
// take_out: from there on a cancellation finds the call in the store.
static void
give_up(struct mica_legacy *legacy, struct mica_run *run)
{
    const struct mica_kept_call *kept = mica_message_kept(run->message);
    const struct mica_calls *calls = legacy->http->server->calls;
    struct mica_error error;
    bool given_up;

    pthread_mutex_lock(&legacy->lock);
    given_up = run->given_up;
    pthread_mutex_unlock(&legacy->lock);
    // Nobody else sets it now. What fails here is found when the call is late.
    if (given_up && kept != NULL && !mica_call_has_ended(kept))
        (void)calls->cancel(calls->data, kept->id, &error);
}

// The last event is in the store, if it has a number.
static void
leave_with(struct mica_legacy *legacy, struct mica_run *run, int64_t sequence,
           struct mica_text reply)
{
    pthread_mutex_lock(&legacy->lock);
    tell_one(legacy, run, sequence, reply, true);
    take_out(legacy, run);
    pthread_mutex_unlock(&legacy->lock);
    give_up(legacy, run);
}

void
mica_run_end(struct mica_legacy *legacy, struct mica_run *run,
             struct mica_text reply)
{
    char room[1024];
    struct mica_buffer instead = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    write_instead(legacy, run, reply, &instead);
    if (instead.len > 0)
        reply = mica_buffer_as_text(&instead);
    leave_with(legacy, run, finish(legacy, run, reply), reply);
}

bool
mica_run_close_stream(struct mica_legacy *legacy, struct mica_run *run)
{
    bool closes;

    pthread_mutex_lock(&legacy->lock);
    closes = run->stream > 0 && run->sse != NULL;
    if (closes)
        mica_stream_end(&run->sse);
    pthread_mutex_unlock(&legacy->lock);
    return closes;
}

// ---- On the thread -------------------------------------------------------------------

// One that has not said for a while that it runs, or NULL.
static struct mica_run *
find_quiet(const struct mica_legacy *legacy, uint64_t now_ms)
{
    for (size_t i = 0; i < MICA_LEGACY_BUCKETS; i++) {
        const struct mica_live *live = legacy->buckets[i];
        for (; live != NULL; live = live->next) {
            struct mica_run *run = live->runs;
            while (run != NULL &&
                   (run->stream == 0 ||
                    now_ms - run->leased_ms < MICA_STREAM_LEASE_MS / 3))
                run = run->next;
            if (run != NULL)
                return run;
        }
    }
    return NULL;
}

void
mica_runs_renew(struct mica_legacy *legacy)
{
    uint64_t now_ms = mica_time_coarse_ms();
    struct mica_run *run;

    while (!legacy->ending && (run = find_quiet(legacy, now_ms)) != NULL) {
        struct mica_store_session_key key = run->live->key;
        int64_t stream = run->stream;
        struct mica_error error;
        enum mica_status status;

        run->leased_ms = now_ms;
        pthread_mutex_unlock(&legacy->lock);
        status = mica_store_stream_renew(mica_keeper_store(legacy->keeper),
                                         &key, stream, mica_keeper_now(),
                                         MICA_STREAM_LEASE_MS, &error);
        (void)status; // there are two more times before the lease has run out
        pthread_mutex_lock(&legacy->lock);
    }
}

// ---- Calls that wait -----------------------------------------------------------------

// One that cannot be recorded is sent all the same: who comes back is asked again.
static void
ask(struct mica_legacy *legacy, struct mica_run *run, struct mica_text question)
{
    enum mica_status status = MICA_E_BUSY;
    int64_t sequence = 0;

    for (int i = 0; i < ASK_TRIES && status == MICA_E_BUSY; i++)
        sequence = record(legacy, run, question, &status);
    tell(legacy, run, sequence, question, false);
}

// [ASK-LEGACY]
void
mica_run_wait(struct mica_legacy *legacy, struct mica_run *run,
              struct mica_message *message)
{
    struct mica_text question;
    size_t count = 0;

    const struct mica_turn_events *said = mica_message_said(message);

    while (said == NULL &&
           (question = mica_message_question(message, count)).len > 0) {
        ask(legacy, run, question);
        count++;
    }
    pthread_mutex_lock(&legacy->lock);
    for (; said != NULL && count < said->count; count++)
        tell_one(legacy, run, said->first + (int64_t)count, said->events[count],
                 false);
    legacy->counts.asked += count;
    // What is sent and adopted at once, nobody answers in between.
    mica_resumed_adopt(legacy, run, mica_message_kept(message)->id,
                       said == NULL);
    take_out(legacy, run);
    pthread_mutex_unlock(&legacy->lock);
    give_up(legacy, run);
}

bool
mica_run_continue(struct mica_legacy *legacy, struct mica_run *run,
                  struct mica_message *message)
{
    const struct mica_kept_call *kept = mica_message_kept(message);
    struct mica_store_session_key key;
    struct mica_live *live;

    if (kept->session.len != sizeof key.bytes)
        return false;
    memcpy(key.bytes, kept->session.ptr, sizeof key.bytes);
    if (kept->stream > 0)
        message->said_bytes = MICA_STREAM_BYTES / 2;
    *run = (struct mica_run){.message = message,
                             .stream = kept->stream,
                             .began_ms = mica_time_coarse_ms(),
                             .limit_ms = MICA_RUN_MS};
    pthread_mutex_lock(&legacy->lock);
    run->leased_ms = run->began_ms;
    live = mica_live_need(legacy, &key);
    if (live != NULL) {
        put_in(legacy, live, run);
        (void)mica_legacy_wake(legacy);
    }
    pthread_mutex_unlock(&legacy->lock);
    return live != NULL;
}

void
mica_run_leave(struct mica_legacy *legacy, struct mica_run *run)
{
    pthread_mutex_lock(&legacy->lock);
    mica_resumed_adopt(legacy, run, mica_message_kept(run->message)->id, true);
    take_out(legacy, run);
    pthread_mutex_unlock(&legacy->lock);
    give_up(legacy, run);
}

bool
mica_run_settle(struct mica_legacy *legacy, struct mica_run *run)
{
    struct mica_message *message = run->message;
    const struct mica_kept_call *kept = mica_message_kept(message);
    const struct mica_turn_events *said = mica_message_said(message);
    struct mica_text reply = none;

    if (message->step == MICA_STEP_ASK) {
        mica_run_wait(legacy, run, message);
        return true;
    }
    if (message->step == MICA_STEP_SILENT && kept != NULL &&
        !mica_call_has_ended(kept)) {
        mica_run_leave(legacy, run);
        return true;
    }
    if (said != NULL) {
        leave_with(legacy, run, said->first, said->events[0]);
        return false;
    }
    // MCP: cancellation: what was cancelled is not answered.
    if (message->step == MICA_STEP_REPLY && message->ending != MICA_E_CANCELLED)
        reply = mica_buffer_as_text(&message->reply);
    mica_run_end(legacy, run, reply);
    return false;
}
