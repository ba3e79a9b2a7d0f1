// SPDX-License-Identifier: Apache-2.0
//
// Calls of sessions that wait for their clients, as the store knows them, so that
// it does not matter which process has begun one, or whether that still lives:
// giving one up, asking again who comes back, and saying at last what a process
// has written down and did not live to say.
#include <stdio.h>
#include <string.h>

#include "http/sessions/session_parts.h"
#include "serve/refuse.h"
#include "serve/stored_calls.h"
#include "store/store_calls.h"

enum {
    ARENA_BYTES = 64 << 20,
    EVENTS = 1000, // of a stream, at most
    SETTLED_MS =
        2000, // until the process that ended a call has told it, or died
    QUESTIONS = 1000
};

static const struct mica_text none = {NULL, 0};

// Of that session: ids come from clients, too.
static enum mica_status
find_call(struct mica_session_table *table,
          const struct mica_store_session_key *key, struct mica_text id,
          struct mica_arena *arena, struct mica_kept_call *kept_out)
{
    const struct mica_text session = {(const char *)key->bytes,
                                      sizeof key->bytes};
    struct mica_error error;

    MICA_TRY(mica_call_store_look(mica_call_store_of(table->options.server), id,
                                  arena, &error, kept_out));
    return mica_text_equal(kept_out->session, session) ? MICA_OK
                                                       : MICA_E_NOT_FOUND;
}

// ---- Giving up -----------------------------------------------------------------------

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
    // Should the store fail, the call waits until it is late.
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

// ---- Coming back ---------------------------------------------------------------------

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

static bool
store_events_follows(const struct mica_store_events *events, int64_t seen,
                     struct mica_text question)
{
    for (size_t i = 0; i < events->count; i++) {
        if (events->items[i].sequence > seen &&
            mica_text_equal(events->items[i].data, question))
            return true;
    }
    return false;
}

// [ASK-AGAIN] [SESSION-RESUME]
size_t
mica_session_recovery_ask_again(struct mica_session_table *table,
                                const struct mica_store_session_key *key,
                                int64_t stream, int64_t seen,
                                struct mica_text call, struct mica_text id,
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
            if (!store_events_follows(&events, seen, question))
                count +=
                    mica_sse_send(sse, count == 0 ? id : none, question, 0);
        }
    }
    mica_arena_fini(&arena);
    return count;
}

// ---- What a process did not live to say --------------------------------------------------

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

// [ASK-LEGACY] No process runs what the stream was opened for. A batch has no
// id: its stream ends without a word.
static bool
tell_interrupted(struct mica_session_table *table,
                 const struct mica_store_session_key *key, int64_t stream,
                 struct mica_text request)
{
    char room[MICA_STORE_STREAM_REQUEST_BYTES + 1024];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
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

static bool
tell_end(struct mica_session_table *table,
         const struct mica_store_session_key *key, int64_t stream,
         const struct mica_kept_call *kept, struct mica_arena *arena)
{
    struct mica_text reply = none;
    int64_t sequence;

    // MCP: cancellation: what was cancelled is not answered.
    if (kept->state != MICA_CALL_CANCELLED)
        reply = mica_kept_reply(kept, arena);
    return mica_session_stream_finish(table, key, stream, reply, &sequence) ==
           MICA_OK;
}

// Those that are nowhere on the stream. `*count_out` may be 0.
static enum mica_status
find_unsent(const struct mica_kept_call *kept,
            const struct mica_store_events *events, struct mica_arena *arena,
            struct mica_error *error, struct mica_text **unsent_out,
            size_t *count_out)
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
        if (!store_events_follows(events, 0, question))
            unsent[(*count_out)++] = question;
    }
    return MICA_OK;
}

// [ASK-LEGACY] Its client cannot answer what was not asked. Of two processes that look
// at once only one tells it: the other finds the stream changed.
static bool
tell_late(struct mica_session_table *table,
          const struct mica_store_session_key *key, int64_t stream,
          const struct mica_kept_call *kept, struct mica_arena *arena,
          int64_t *asked)
{
    struct mica_store *store = mica_session_store_backing(table->session_store);
    int64_t now = mica_session_store_now();
    struct mica_store_events events;
    struct mica_text *unsent;
    struct mica_error error;
    size_t count;

    if (mica_store_event_replay(store, key, stream, 0, EVENTS, now, arena,
                                &error, &events) != MICA_OK ||
        find_unsent(kept, &events, arena, &error, &unsent, &count) != MICA_OK)
        return false;
    if (count > 0 &&
        mica_store_events_append(store, key, stream, events.last, now, unsent,
                                 count, &error) != MICA_OK)
        return false;
    *asked = kept->changed;
    return count > 0;
}

// A lease that ran out while the machine slept says nothing.
static bool
runs_here(struct mica_session_table *table,
          const struct mica_store_session_key *key, int64_t stream)
{
    const struct mica_session_call *call = NULL;
    const struct mica_open_session *session;

    pthread_mutex_lock(&table->lock);
    session = mica_open_session_find(table, key);
    if (session != NULL)
        call = session->calls;
    while (call != NULL && call->stream != stream)
        call = call->next;
    pthread_mutex_unlock(&table->lock);
    return call != NULL;
}

// What fails is tried again at the next look.
bool
mica_session_recovery_mend(struct mica_session_table *table,
                           const struct mica_store_session_key *key,
                           int64_t stream,
                           const struct mica_store_events *events,
                           int64_t *asked)
{
    enum mica_status status = MICA_E_NOT_FOUND;
    int64_t now = mica_session_store_now();
    struct mica_kept_call kept;
    struct mica_arena arena;
    bool mended = false;

    mica_arena_init(&arena, ARENA_BYTES);
    if (events->call.len > 0)
        status = find_call(table, key, events->call, &arena, &kept);
    if (status == MICA_E_NOT_FOUND && events->lease <= now &&
        !runs_here(table, key, stream))
        mended = tell_interrupted(table, key, stream, events->request);
    else if (status == MICA_OK && mica_call_has_ended(&kept) &&
             now - kept.changed > SETTLED_MS)
        mended = tell_end(table, key, stream, &kept, &arena);
    else if (status == MICA_OK && kept.state == MICA_CALL_WAITING &&
             kept.changed != *asked && now - kept.changed > SETTLED_MS)
        mended = tell_late(table, key, stream, &kept, &arena, asked);
    mica_arena_fini(&arena);
    return mended;
}
