// SPDX-License-Identifier: Apache-2.0
//
// Stored calls of sessions, in whichever process they began: cancels open calls, sends
// open questions again to a client that resumes a stream, and appends the events that a
// process committed to the call but did not append to the stream before it died.
#include <stdio.h>
#include <string.h>

#include "http/sessions/session_parts.h"
#include "serve/refuse.h"
#include "serve/stored_calls.h"
#include "store/store_calls.h"

enum {
    ARENA_BYTES = 64 << 20,
    EVENTS = 1000,   // of a stream, at most
    GRACE_MS = 2000, // for the process of a call to append its events
    QUESTIONS = 1000 // of a call, at most
};

static const struct mica_text none = {NULL, 0};

// Finds a call of that session: some ids come from clients.
static enum mica_status
find_call(struct mica_session_table *table,
          const struct mica_store_session_key *key, struct mica_text id,
          struct mica_arena *arena, struct mica_kept_call *kept_out)
{
    const struct mica_text session = {(const char *)key->bytes,
                                      sizeof key->bytes};
    struct mica_error error;

    MICA_TRY(mica_call_store_find(mica_call_store_of(table->options.server), id,
                                  arena, &error, kept_out));
    return mica_text_equal(kept_out->session, session) ? MICA_OK
                                                       : MICA_E_NOT_FOUND;
}

// ---- Cancel --------------------------------------------------------------------------

void
mica_session_recovery_cancel(struct mica_session_table *table,
                             const struct mica_store_session_key *key,
                             struct mica_text id)
{
    const struct mica_calls *calls = table->options.server->calls;
    struct mica_store_answering answering = {.count = 0};
    struct mica_kept_call kept;
    struct mica_arena arena;
    struct mica_error error;

    mica_arena_init(&arena, ARENA_BYTES);
    // If the store fails, the calls end at their time limit.
    if (mica_store_answering(mica_session_store_backing(table->session_store),
                             key, 0, &arena, &error, &answering) != MICA_OK)
        answering.count = 0;
    for (size_t i = 0; i < answering.count; i++) {
        if (find_call(table, key, answering.ids[i], &arena, &kept) == MICA_OK &&
            mica_text_equal(mica_kept_request(&kept, &arena), id))
            (void)calls->cancel(calls->data, kept.id, &error);
    }
    mica_arena_fini(&arena);
}

// ---- Open questions ------------------------------------------------------------------

static void
read_events(struct mica_session_table *table,
            const struct mica_store_session_key *key, int64_t stream,
            struct mica_arena *arena, struct mica_store_events *events)
{
    *events = (struct mica_store_events){.count = 0};
    if (mica_store_event_replay(
            mica_session_store_backing(table->session_store), key, stream, 0,
            EVENTS, mica_session_store_now(), arena, NULL, events) != MICA_OK)
        events->count = 0;
}

// Is the question among the events after `after`?
static bool
events_have_question(const struct mica_store_events *events, int64_t after,
                     struct mica_text question)
{
    for (size_t i = 0; i < events->count; i++) {
        if (events->items[i].sequence > after &&
            mica_text_equal(events->items[i].data, question))
            return true;
    }
    return false;
}

// [ASK-AGAIN] [SESSION-RESUME]
size_t
mica_session_recovery_resend_questions(struct mica_session_table *table,
                                       const struct mica_store_session_key *key,
                                       int64_t stream, int64_t resume_after,
                                       struct mica_text call,
                                       struct mica_text id,
                                       struct mica_sse *sse)
{
    struct mica_store_events events;
    struct mica_kept_call kept;
    struct mica_text question;
    struct mica_arena arena;
    size_t count = 0;

    mica_arena_init(&arena, ARENA_BYTES);
    if (find_call(table, key, call, &arena, &kept) == MICA_OK &&
        mica_call_asks(&kept) && kept.stream == stream) {
        read_events(table, key, stream, &arena, &events);
        for (size_t i = 0; i < QUESTIONS; i++) {
            question = mica_kept_question(&kept, i, &arena);
            if (question.len == 0)
                break;
            if (!events_have_question(&events, resume_after, question))
                count +=
                    mica_sse_send(sse, count == 0 ? id : none, question, 0);
        }
    }
    mica_arena_fini(&arena);
    return count;
}

// ---- Events that a dead process did not append ------------------------------------------

enum mica_status
mica_session_stream_finish(struct mica_session_table *table,
                           const struct mica_store_session_key *key,
                           int64_t stream, struct mica_text data,
                           int64_t *sequence_out)
{
    struct mica_error error;
    enum mica_status status = mica_store_stream_end(
        mica_session_store_backing(table->session_store), key, stream,
        mica_session_store_now(), data, &error, sequence_out);

    if (status != MICA_OK)
        *sequence_out = 0;
    return status;
}

// Ends the stream of a request that no process runs, with INTERRUPTED. A batch has no
// id, so its stream ends without an event. [ASK-LEGACY]
static bool
append_interrupted(struct mica_session_table *table,
                   const struct mica_store_session_key *key, int64_t stream,
                   struct mica_text request)
{
    char storage[MICA_STORE_STREAM_REQUEST_BYTES + 1024];
    struct mica_buffer text = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    int64_t sequence;

    if (request.len > 0)
        mica_refuse_write(&text, request, MICA_REFUSE_INTERNAL,
                          MICA_E_INTERRUPTED,
                          "the server that ran this call has died, and what it "
                          "has done is not known: look before you call again");
    return mica_session_stream_finish(table, key, stream,
                                      mica_buffer_as_text(&text),
                                      &sequence) == MICA_OK;
}

// Ends the stream of a call that has ended, with its reply.
static bool
append_reply(struct mica_session_table *table,
             const struct mica_store_session_key *key, int64_t stream,
             const struct mica_kept_call *kept, struct mica_arena *arena)
{
    struct mica_text reply = none;
    int64_t sequence;

    // MCP: cancellation: a cancelled request gets no reply.
    if (kept->state != MICA_CALL_CANCELLED)
        reply = mica_kept_reply(kept, arena);
    return mica_session_stream_finish(table, key, stream, reply, &sequence) ==
           MICA_OK;
}

// Finds the questions that are not on the stream. `*count_out` may be 0.
static enum mica_status
find_unsent_questions(const struct mica_kept_call *kept,
                      const struct mica_store_events *events,
                      struct mica_arena *arena, struct mica_error *error,
                      struct mica_text **unsent_out, size_t *count_out)
{
    struct mica_text *unsent =
        mica_arena_zero(arena, QUESTIONS, sizeof *unsent);
    struct mica_text question;

    *count_out = 0;
    *unsent_out = unsent;
    if (unsent == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the questions of a call");
    for (size_t i = 0; i < QUESTIONS; i++) {
        question = mica_kept_question(kept, i, arena);
        if (question.len == 0)
            break;
        if (!events_have_question(events, 0, question))
            unsent[(*count_out)++] = question;
    }
    return MICA_OK;
}

// Appends the questions that the client has never got. If two processes try at once,
// the store refuses the second, because the stream has changed. [ASK-LEGACY]
static bool
append_unsent_questions(struct mica_session_table *table,
                        const struct mica_store_session_key *key,
                        int64_t stream, const struct mica_kept_call *kept,
                        struct mica_arena *arena, int64_t *checked_change)
{
    struct mica_store *store = mica_session_store_backing(table->session_store);
    int64_t now = mica_session_store_now();
    struct mica_store_events events;
    struct mica_text *unsent;
    struct mica_error error;
    size_t count;

    if (mica_store_event_replay(store, key, stream, 0, EVENTS, now, arena,
                                &error, &events) != MICA_OK ||
        find_unsent_questions(kept, &events, arena, &error, &unsent, &count) !=
            MICA_OK)
        return false;
    if (count > 0 &&
        mica_store_events_append(store, key, stream, events.last, now, unsent,
                                 count, &error) != MICA_OK)
        return false;
    *checked_change = kept->changed;
    return count > 0;
}

// The lease may expire while the system sleeps, although the call still runs here.
static bool
runs_here(struct mica_session_table *table,
          const struct mica_store_session_key *key, int64_t stream)
{
    const struct mica_session_turn *turn = NULL;
    const struct mica_open_session *session;

    pthread_mutex_lock(&table->lock);
    session = mica_open_session_find(table, key);
    if (session != NULL)
        turn = session->turns;
    while (turn != NULL && turn->stream != stream)
        turn = turn->next;
    pthread_mutex_unlock(&table->lock);
    return turn != NULL;
}

bool
mica_session_recovery_append_missing(struct mica_session_table *table,
                                     const struct mica_store_session_key *key,
                                     int64_t stream,
                                     const struct mica_store_events *events,
                                     int64_t *checked_change)
{
    enum mica_status status = MICA_E_NOT_FOUND;
    int64_t now = mica_session_store_now();
    struct mica_kept_call kept;
    struct mica_arena arena;
    bool appended = false;

    mica_arena_init(&arena, ARENA_BYTES);
    if (events->call.len > 0)
        status = find_call(table, key, events->call, &arena, &kept);
    if (status == MICA_E_NOT_FOUND && events->lease <= now &&
        !runs_here(table, key, stream))
        appended = append_interrupted(table, key, stream, events->request);
    else if (status == MICA_OK && mica_call_has_ended(&kept) &&
             now - kept.changed > GRACE_MS)
        appended = append_reply(table, key, stream, &kept, &arena);
    else if (status == MICA_OK && kept.state == MICA_CALL_WAITING &&
             kept.changed != *checked_change && now - kept.changed > GRACE_MS)
        appended = append_unsent_questions(table, key, stream, &kept, &arena,
                                           checked_change);
    mica_arena_fini(&arena);
    return appended;
}
