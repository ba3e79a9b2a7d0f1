// SPDX-License-Identifier: Apache-2.0
//
// Calls of sessions that wait for their clients, as the store knows them, so that
// it does not matter which process has begun one, or whether that still lives:
// giving one up, asking again who comes back, and saying at last what a process
// has written down and did not live to say.
#include <stdio.h>
#include <string.h>

#include "http/http.h"
#include "http/legacy_parts.h"

enum {
    ARENA_BYTES = 64 << 20,
    EVENTS = 1000,     // of a stream, at most
    SETTLED_MS = 2000, // until whoever ended a call has said so, or died
    QUESTIONS = 1000
};

static const struct mica_text none = {NULL, 0};

// Of that session: ids come from events too, and in those from clients.
static bool
find_call(struct mica_legacy *legacy, const struct mica_store_session_key *key,
          struct mica_text id, struct mica_arena *arena,
          struct mica_kept_call *kept_out)
{
    const struct mica_text session = {(const char *)key->bytes,
                                      sizeof key->bytes};
    struct mica_store_call call;

    if (mica_store_call_find(mica_keeper_store(legacy->keeper), id, NULL,
                             mica_keeper_now(), arena, NULL,
                             &call) != MICA_OK ||
        !mica_text_equal(call.session, session))
        return false;
    *kept_out =
        (struct mica_kept_call){.id = id,
                                .state = (enum mica_call_state)call.state,
                                .way = (enum mica_call_way)call.way,
                                .context = call.context,
                                .journal = call.journal,
                                .asks = call.asks,
                                .reply = call.reply,
                                .session = call.session,
                                .stream = call.stream,
                                .changed = call.changed};
    return true;
}

// ---- Giving up -----------------------------------------------------------------------

void
mica_waiting_cancel(struct mica_legacy *legacy,
                    const struct mica_store_session_key *key,
                    struct mica_text id)
{
    const struct mica_calls *calls = legacy->http->server->calls;
    struct mica_store_answering answering = {.count = 0};
    struct mica_kept_call kept;
    struct mica_arena arena;
    struct mica_error error;

    mica_arena_init(&arena, ARENA_BYTES);
    // Should the store fail, the call waits until it is late.
    if (mica_store_answering(mica_keeper_store(legacy->keeper), key, 0, &arena,
                             &error, &answering) != MICA_OK)
        answering.count = 0;
    for (size_t i = 0; i < answering.count; i++) {
        if (find_call(legacy, key, answering.ids[i], &arena, &kept) &&
            mica_text_equal(mica_kept_request(&kept, &arena), id))
            (void)calls->cancel(calls->data, kept.id, &error);
    }
    mica_arena_fini(&arena);
}

// ---- Coming back ---------------------------------------------------------------------

// The call whose question an event is; empty when it is none.
static struct mica_text
asked_by(struct mica_text event)
{
    const struct mica_text head =
        MICA_LITERAL("{\"jsonrpc\":\"2.0\",\"id\":\"");
    size_t end = head.len + MICA_CALL_ID_SIZE - 1;

    if (event.len <= end || memcmp(event.ptr, head.ptr, head.len) != 0 ||
        event.ptr[end] != '.')
        return none;
    return mica_text_slice(event, head.len, end);
}

static void
read_events(struct mica_legacy *legacy,
            const struct mica_store_session_key *key, int64_t stream,
            struct mica_arena *arena, struct mica_store_events *events)
{
    *events = (struct mica_store_events){.count = 0};
    if (mica_store_event_replay(mica_keeper_store(legacy->keeper), key, stream,
                                0, EVENTS, mica_keeper_now(), arena, NULL,
                                events) != MICA_OK)
        events->count = 0;
}

void
mica_waiting_find(struct mica_legacy *legacy,
                  const struct mica_store_session_key *key, int64_t stream,
                  struct mica_waiting *waiting_out)
{
    struct mica_store_answering answering = {.count = 0};
    struct mica_store_events events;
    struct mica_text call = none;
    struct mica_arena arena;

    mica_arena_init(&arena, ARENA_BYTES);
    if (mica_store_answering(mica_keeper_store(legacy->keeper), key, stream,
                             &arena, NULL, &answering) == MICA_OK &&
        answering.count > 0)
        call = answering.ids[0];
    // One that has ended is on no stream any more, but it has asked something.
    read_events(legacy, key, stream, &arena, &events);
    for (size_t i = 0; i < events.count && call.len == 0; i++)
        call = asked_by(events.items[i].data);
    if (call.len >= sizeof waiting_out->call)
        call.len = 0;
    if (call.len > 0)
        memcpy(waiting_out->call, call.ptr, call.len);
    waiting_out->call[call.len] = '\0';
    waiting_out->closed = events.closed;
    mica_arena_fini(&arena);
}

static bool
follows(const struct mica_store_events *events, int64_t seen,
        struct mica_text question)
{
    for (size_t i = 0; i < events->count; i++) {
        if (events->items[i].sequence > seen &&
            mica_text_equal(events->items[i].data, question))
            return true;
    }
    return false;
}

// [ASK-AGAIN]
void
mica_waiting_ask_again(struct mica_legacy *legacy,
                       const struct mica_store_session_key *key, int64_t stream,
                       int64_t seen, const char *callz, struct mica_sse *sse)
{
    struct mica_store_events events;
    struct mica_kept_call kept;
    struct mica_text question;
    struct mica_arena arena;

    mica_arena_init(&arena, ARENA_BYTES);
    if (find_call(legacy, key, mica_text(callz), &arena, &kept) &&
        kept.state == MICA_CALL_WAITING && kept.stream == stream) {
        read_events(legacy, key, stream, &arena, &events);
        for (size_t i = 0; i < QUESTIONS; i++) {
            question = mica_kept_question(&kept, i, &arena);
            if (question.len == 0)
                break;
            if (!follows(&events, seen, question))
                (void)mica_sse_send(sse, none, question, 0);
        }
    }
    mica_arena_fini(&arena);
}

void
mica_waiting_mend(struct mica_legacy *legacy,
                  const struct mica_store_session_key *key, int64_t stream,
                  const char *callz)
{
    struct mica_store *store = mica_keeper_store(legacy->keeper);
    int64_t now = mica_keeper_now(), sequence;
    struct mica_kept_call kept;
    struct mica_arena arena;
    enum mica_status status = MICA_OK;
    struct mica_error error;
    struct mica_text reply;

    mica_arena_init(&arena, ARENA_BYTES);
    if (find_call(legacy, key, mica_text(callz), &arena, &kept) &&
        mica_call_has_ended(&kept) && kept.stream == stream &&
        now - kept.changed > SETTLED_MS) {
        reply = mica_kept_reply(&kept, &arena);
        if (kept.state != MICA_CALL_CANCELLED && reply.len > 0)
            status = mica_store_event_append(store, key, stream, now, reply,
                                             &error, &sequence);
        if (status == MICA_OK)
            status = mica_store_stream_close(store, key, stream, now, &error);
        (void)status; // what fails is tried again at the next look
    }
    mica_arena_fini(&arena);
}
