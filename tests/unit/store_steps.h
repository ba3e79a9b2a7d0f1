// SPDX-License-Identifier: Apache-2.0
//
// Random steps of a store: each draws an operation and its values, runs it, and writes
// down what it has given. The same seed makes the same steps, so that two runs on
// different stores must write the same.
#ifndef MICA_TESTS_STORE_STEPS_H
#define MICA_TESTS_STORE_STEPS_H

#include "store_model_due.h"
#include "test_store.h"

// One run of the steps, on a store or on the model.
struct run {
    struct mica_store *store;
    struct model *model; // or NULL
    struct mica_buffer log;
    struct mica_arena arena;
    uint64_t random;
    int64_t now;
    bool doubts;         // some outcomes are unknown
    int64_t fences[8];   // of the calls, as they were claimed last
    int64_t last_stream; // the highest number that was given
};

// Runs an operation on what the run is about.
#define DO(run, operation, ...)                                          \
    ((run)->model != NULL ? model_##operation((run)->model, __VA_ARGS__) \
                          : mica_store_##operation((run)->store, __VA_ARGS__))

// ---- Notes -------------------------------------------------------------------------

static inline unsigned
draw(struct run *run, unsigned below)
{
    run->random ^= run->random << 13;
    run->random ^= run->random >> 7;
    run->random ^= run->random << 17;
    return (unsigned)(run->random >> 33) % below;
}

static inline struct mica_text
draw_text(struct run *run)
{
    static const char *const texts[] = {
        "",   "a",         "a\tb",      "ü",
        "zz", "file:///a", "file:///b", "012345678901234567890"};

    return mica_text(texts[draw(run, MICA_COUNT(texts))]);
}

static inline void
note(struct run *run, const char *what, enum mica_status status, int64_t number)
{
    mica_buffer_format(&run->log, "%s %s %lld\n", what,
                       mica_status_code(status),
                       status == MICA_OK ? (long long)number : 0);
}

// Whether a row was removed just now or before is not known: it is gone.
static inline enum mica_status
gone(const struct run *run, enum mica_status status)
{
    return run->doubts && status == MICA_E_NOT_FOUND ? MICA_OK : status;
}

static inline void
do_keys(struct run *run)
{
    struct mica_store_key key = {.id = 0};
    enum mica_status status;

    switch (draw(run, 3)) {
    case 0:
        status = DO(run, key_current, run->now, &error, &key);
        break;
    case 1:
        status = DO(run, key_find, draw(run, 6), run->now, &error, &key);
        break;
    default:
        status = DO(run, key_rotate, run->now, &error, &key);
    }
    note(run, "key", status, key.id);
    note(run, "retires", status, key.retires);
}

static inline struct mica_text
draw_endpoint(struct run *run)
{
    return draw(run, 4) == 0 ? MICA_LITERAL("app/1") : MICA_LITERAL("");
}

// Some have an owner, some an address, and some neither.
static inline void
draw_party(struct run *run, struct mica_store_session *session)
{
    static const char *const subjects[] = {"me", "me", "me", "you", "", ""};

    session->owner.subject =
        mica_text(subjects[draw(run, MICA_COUNT(subjects))]);
    session->owner.endpoint = draw_endpoint(run);
    session->party = mica_text(draw(run, 2) == 0 ? "10.0.0.1" : "");
}

static inline void
do_session(struct run *run)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    struct mica_store_session session =
        store_session(run->now, run->now + draw(run, 6000));
    int64_t until;
    enum mica_status status;

    session.client_info = draw_text(run);
    draw_party(run, &session);
    switch (draw(run, 10)) {
    case 9:
        until = draw(run, 3000);
        until = draw(run, 2) == 0 ? 0 : run->now + until;
        status = DO(run, session_listen, &key, run->now, session.expires, until,
                    &error);
        note(run, "listen", status, 0);
        return;
    case 0:
    case 1:
        note(run, "create", DO(run, session_create, &key, &session, &error), 0);
        return;
    case 2:
        status =
            DO(run, session_touch, &key, run->now, session.expires, &error);
        note(run, "touch", status, 0);
        return;
    case 3:
        status = DO(run, session_set_log_level, &key, run->now,
                    (int)draw(run, 8), &error);
        note(run, "level", status, 0);
        return;
    case 4:
        if (draw(run, 3) > 0)
            return;
        note(run, "delete",
             gone(run, DO(run, session_delete, &key, run->now, &error)), 0);
        return;
    default:
        status = DO(run, session_find, &key, &session.owner, run->now,
                    &run->arena, &error, &session);
        note(run, "find", status, session.expires);
        if (status == MICA_OK)
            mica_buffer_format(&run->log, "%.*s %.*s %d %lld\n",
                               MICA_ARG(session.client_info),
                               MICA_ARG(session.owner.subject),
                               session.log_level, (long long)session.seen);
    }
}

static inline void
do_replay(struct run *run, const struct mica_store_session_key *key,
          int64_t stream)
{
    struct mica_store_events events = {.count = 0};
    int64_t after = (int64_t)draw(run, 8) - 1;
    enum mica_status status =
        DO(run, event_replay, key, stream, after, draw(run, 6), run->now,
           &run->arena, &error, &events);

    note(run, "replay", status, (int64_t)events.count);
    for (size_t i = 0; i < events.count; i++)
        mica_buffer_format(
            &run->log, "%lld %lld %.*s\n", (long long)events.items[i].sequence,
            (long long)events.items[i].created, MICA_ARG(events.items[i].data));
    mica_buffer_format(&run->log, "%d %d %lld %.*s %.*s\n", events.missed,
                       events.closed, (long long)events.lease,
                       MICA_ARG(events.request), MICA_ARG(events.call));
}

static inline void
append_some(struct run *run, const struct mica_store_session_key *key,
            int64_t stream)
{
    const struct mica_text data[] = {draw_text(run), draw_text(run)};
    size_t count = 1 + draw(run, 2);
    int64_t last = draw(run, 8);
    enum mica_status status = DO(run, events_append, key, stream, last,
                                 run->now, data, count, &error);

    note(run, "append some", status, 0);
}

static inline void
do_stream(struct run *run)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    int64_t stream = 1 + draw(run, 4), number = 0;
    enum mica_status status;

    switch (draw(run, 12)) {
    case 11:
        append_some(run, &key, stream);
        return;
    case 10:
        if (draw(run, 3) > 0)
            return;
        status = DO(run, stream_end, &key, stream, run->now, draw_text(run),
                    &error, &number);
        // What was closed just now, or before, is closed.
        note(run, "end", run->doubts ? MICA_OK : status,
             run->doubts ? 0 : number);
        return;
    case 9:
        status = DO(run, stream_renew, &key, stream, run->now, draw(run, 6000),
                    &error);
        note(run, "renewed", status, 0);
        return;
    case 0:
        status = DO(run, stream_open, &key, STREAM_FOR, run->now,
                    draw(run, 4000), &error, &number);
        note(run, "open", status, number);
        if (status == MICA_OK && number > run->last_stream)
            run->last_stream = number;
        return;
    case 1:
        if (draw(run, 4) > 0)
            return;
        status = DO(run, stream_close, &key, stream, run->now, &error);
        note(run, "close", gone(run, status), 0);
        return;
    case 2:
    case 3:
        do_replay(run, &key, stream);
        return;
    default:
        status = DO(run, event_append, &key, stream, run->now, draw_text(run),
                    &error, &number);
        note(run, "append", status, number);
    }
}

static inline void
do_change(struct run *run)
{
    struct mica_store_changes changes = {NULL, 0, false};
    int64_t number = 0;
    enum mica_status status;

    if (draw(run, 2) == 0) {
        const struct mica_store_change change = {.kind = MICA_CHANGE_TOOLS,
                                                 .name = draw_text(run),
                                                 .endpoint = draw_endpoint(run),
                                                 .created = run->now};
        status = DO(run, change_append, &change, &error, &number);
        note(run, "change", status, number);
        return;
    }
    status = DO(run, change_last, &error, &number);
    note(run, "last", status, number);
    number = number < 10 ? draw(run, 10) : number - draw(run, 10);
    status = DO(run, change_read, number, draw(run, 5), &run->arena, &error,
                &changes);
    note(run, "read", status, changes.missed);
    for (size_t i = 0; i < changes.count; i++)
        mica_buffer_format(&run->log, "%lld %lld %.*s %.*s\n",
                           (long long)changes.items[i].sequence,
                           (long long)changes.items[i].created,
                           MICA_ARG(changes.items[i].name),
                           MICA_ARG(changes.items[i].endpoint));
}

static inline void
do_subscription(struct run *run)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    struct mica_store_subscribers found = {NULL, 0};
    struct mica_text uri = draw_text(run);
    enum mica_status status;
    size_t limit;

    switch (draw(run, 4)) {
    case 0:
        status = DO(run, unsubscribe, &key, uri, run->now, &error);
        note(run, "unsubscribe", status, 0);
        return;
    case 1:
        limit = draw(run, 5);
        status = DO(run, subscribers, uri, limit % 2 == 0 ? NULL : &key, limit,
                    run->now, &run->arena, &error, &found);
        note(run, "subscribers", status, (int64_t)found.count);
        for (size_t i = 0; i < found.count; i++)
            note(run, "-", MICA_OK, found.keys[i].bytes[0]);
        return;
    default:
        status = DO(run, subscribe, &key, uri, run->now, &error);
        note(run, "subscribe", status, 0);
    }
}

// ---- Calls -----------------------------------------------------------------------

static inline struct mica_text
call_id(unsigned number)
{
    static const char *const ids[] = {"c0", "c1", "c2", "c3",
                                      "c4", "c5", "c6", "c7"};

    return mica_text(ids[number]);
}

static inline void
note_call(struct run *run, const char *what, enum mica_status status,
          const struct mica_kept_call *call)
{
    note(run, what, status, 0);
    if (status != MICA_OK && status != MICA_E_EXISTS)
        return;
    mica_buffer_format(
        &run->log,
        "%.*s %.*s %.*s %.*s %.*s %d %d %u %lld %lld %lld %lld %lld %lld ",
        MICA_ARG(call->id), MICA_ARG(call->owner.subject),
        MICA_ARG(call->owner.endpoint), MICA_ARG(call->target),
        MICA_ARG(call->arguments), (int)call->state, (int)call->mode,
        (unsigned)call->round, (long long)call->created,
        (long long)call->changed, (long long)call->expires,
        (long long)call->due, (long long)call->fence, (long long)call->bytes);
    mica_buffer_format(&run->log, "%zu %.*s %.*s %.*s %.*s %lld %u %d\n",
                       call->journal.len, MICA_ARG(call->asks),
                       MICA_ARG(call->reply), MICA_ARG(call->note),
                       MICA_ARG(call->progress_log), (long long)call->stream,
                       (unsigned)call->lost_claims, (int)call->ending);
}

static inline void
begin_call(struct run *run, unsigned number)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    struct mica_kept_call call = {.id = call_id(number),
                                  .target =
                                      mica_text(draw(run, 4) == 0 ? "u" : "t"),
                                  .arguments = draw_text(run),
                                  .state = MICA_CALL_WORKING,
                                  .created = run->now,
                                  .due = INT64_MAX,
                                  .expires = run->now + draw(run, 2000)};
    struct mica_text key_text;
    int64_t lease_ms;
    enum mica_status status;

    call.owner.subject = mica_text(draw(run, 3) == 0 ? "" : "me");
    call.owner.endpoint = draw_endpoint(run);
    if (draw(run, 2) == 0) {
        call.session =
            (struct mica_text){(const char *)key.bytes, sizeof key.bytes};
        call.stream = draw(run, 4);
    }
    key_text = draw_text(run);
    lease_ms = 1 + draw(run, 100);
    status = DO(run, call_create, &call, key_text, run->now, lease_ms,
                &run->arena, &error);
    note_call(run, "begin", status, &call);
    if (status == MICA_OK)
        run->fences[number] = call.fence;
}

// What the turn says on its stream, in some.
static inline void
draw_turn_events(struct run *run, struct mica_text data[2],
                 struct mica_turn_events *turn_events)
{
    data[0] = draw_text(run);
    data[1] = draw_text(run);
    *turn_events = (struct mica_turn_events){
        .events = data, .count = 1 + draw(run, 2), .closes = draw(run, 4) == 0};
}

static inline void
commit_call(struct run *run, unsigned number)
{
    static const char bytes[120] = "";
    struct mica_store_session_key key = store_key(draw(run, 6));
    struct mica_kept_call call = {.id = call_id(number),
                                  .fence = run->fences[number],
                                  .state =
                                      (enum mica_call_state)(1 + draw(run, 5)),
                                  .mode = MICA_CALL_TASK,
                                  .target = MICA_LITERAL("t"),
                                  .journal = {bytes, draw(run, 120)},
                                  .asks = draw_text(run),
                                  .reply = draw_text(run),
                                  .note = draw_text(run),
                                  .progress_log = draw_text(run),
                                  .due = run->now + draw(run, 300),
                                  .expires = run->now + draw(run, 2000)};
    struct mica_text answers = draw_text(run), reply = draw_text(run), data[2];
    struct mica_turn_events turn_events = {.count = 0};
    int64_t lease_ms = draw(run, 2) * 50;
    enum mica_status status;

    call.begins = draw(run, 4) == 0;
    if (call.begins) {
        call.created = run->now;
        call.fence = lease_ms = 0;
    }
    if (draw(run, 3) == 0) {
        call.session =
            (struct mica_text){(const char *)key.bytes, sizeof key.bytes};
        call.stream = draw(run, 4);
        draw_turn_events(run, data, &turn_events);
        call.turn_events = draw(run, 3) == 0 ? NULL : &turn_events;
    }
    status =
        DO(run, call_commit, &call, answers, reply, run->now, lease_ms, &error);
    note_call(run, "commit", status, &call);
    note(run, "turn_events", status, turn_events.first);
}

static inline struct mica_store_call_filter
draw_filter(struct run *run)
{
    struct mica_store_call_filter filter = {.ended = draw(run, 2) == 0};

    if (draw(run, 3) == 0)
        filter.target = MICA_LITERAL("u");
    if (draw(run, 3) == 0)
        filter.subject = MICA_LITERAL("me");
    if (draw(run, 3) == 0)
        filter.state = (enum mica_call_state)(1 + draw(run, 5));
    if (draw(run, 3) == 0)
        filter.created_from = 1 + draw(run, (unsigned)run->now);
    if (draw(run, 3) == 0)
        filter.created_to = 1 + draw(run, (unsigned)run->now);
    return filter;
}

static inline void
list_calls(struct run *run)
{
    struct mica_store_calls calls = {NULL, 0, {NULL, 0}};
    struct mica_store_call_filter filter = draw_filter(run);
    int64_t count = 0;
    struct mica_kept_call last = {.id = call_id(draw(run, 8)),
                                  .created = draw(run, (unsigned)run->now)};
    char after[MICA_STORE_CALL_CURSOR_SIZE];
    enum mica_status status;

    mica_store_call_cursor(&last, after);
    status = DO(run, call_page, &filter, mica_text(after), 1 + draw(run, 4),
                &run->arena, &error, &calls);
    note(run, "list", status, (int64_t)calls.count);
    for (size_t i = 0; i < calls.count; i++)
        note_call(run, "-", status, &calls.items[i]);
    mica_buffer_format(&run->log, "next %.*s\n", MICA_ARG(calls.next));
    status = DO(run, call_count, &filter, &error, &count);
    note(run, "count", status, count);
}

// All builds of open calls, which are written down.
static inline struct mica_store_build_set
list_builds(struct run *run)
{
    struct mica_store_builds builds = {.count = 0};
    int64_t *numbers;
    enum mica_status status =
        DO(run, call_builds, &run->arena, &error, &builds);

    note(run, "builds", status, (int64_t)builds.count);
    numbers = mica_arena_zero(&run->arena, builds.count, sizeof *numbers);
    for (size_t i = 0; i < builds.count; i++) {
        numbers[i] = builds.items[i].number;
        mica_buffer_format(&run->log, "%d %.*s %lld\n", builds.items[i].kind,
                           MICA_ARG(builds.items[i].target),
                           (long long)builds.items[i].next);
    }
    return (struct mica_store_build_set){numbers, builds.count};
}

static inline void
look_for_due(struct run *run)
{
    const struct mica_store_build_set builds = list_builds(run);
    struct mica_store_due due = {.count = 0};
    size_t limit = 1 + draw(run, 4);
    int64_t before;
    enum mica_status status;

    if (draw(run, 4) == 0) {
        before = run->now - draw(run, 100);
        status = DO(run, call_stranded, &builds, before, run->now, limit,
                    &run->arena, &error, &due);
        note(run, "stranded", status, (int64_t)due.count);
        for (size_t i = 0; i < due.count; i++)
            mica_buffer_format(&run->log, "%.*s\n", MICA_ARG(due.ids[i]));
        return;
    }
    status = DO(run, call_due_of, &builds, run->now, limit, draw(run, 60),
                &run->arena, &error, &due);
    note(run, "due", status, (int64_t)due.count);
    for (size_t i = 0; i < due.count; i++)
        mica_buffer_format(&run->log, "%.*s %s\n", MICA_ARG(due.ids[i]),
                           mica_status_code(due.endings[i]));
    note(run, "next", status, due.next);
}

static inline void
go_call(struct run *run, unsigned number)
{
    struct mica_text id = call_id(number);
    enum mica_status status;

    switch (draw(run, 4)) {
    case 0:
        status = DO(run, call_delete, id, run->now, &error);
        break;
    case 1:
        status = DO(run, call_cancel, id, &error);
        break;
    default:
        status = DO(run, call_expire, id, run->now, &error);
    }
    note(run, "go", gone(run, status), 0);
}

static inline void
list_answering(struct run *run)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    struct mica_store_answering answering = {.count = 0};
    enum mica_status status =
        DO(run, answering, &key, draw(run, 4), &run->arena, &error, &answering);

    note(run, "answering", status, (int64_t)answering.count);
    for (size_t i = 0; i < answering.count; i++)
        mica_buffer_format(&run->log, "%.*s %lld\n", MICA_ARG(answering.ids[i]),
                           (long long)answering.streams[i]);
}

static inline void
do_call(struct run *run)
{
    unsigned number = draw(run, 8);
    const struct mica_owner me = {{"", 0}, {"me", 2}, draw_endpoint(run)};
    struct mica_kept_call call = {.fence = 0};
    struct mica_text reply = {NULL, 0}, answers;
    enum mica_status status, ending = MICA_OK;

    switch (draw(run, 16)) {
    case 15:
        status =
            DO(run, call_find, call_id(number), draw(run, 2) == 0 ? NULL : &me,
               run->now, &run->arena, &error, &call);
        note_call(run, "found", status, &call);
        status =
            DO(run, call_ending, call_id(number), run->now, &error, &ending);
        note(run, "ending", status, status == MICA_OK ? (int64_t)ending : 0);
        return;
    case 10:
        list_answering(run);
        return;
    case 0:
    case 1:
        begin_call(run, number);
        return;
    case 2:
    case 3:
        status = DO(run, call_claim, call_id(number), NULL, run->now,
                    1 + draw(run, 100), &run->arena, &error, &call);
        note_call(run, "claim", status, &call);
        if (status == MICA_OK && call.fence != 0)
            run->fences[number] = call.fence;
        return;
    case 4:
        status = DO(run, call_renew, call_id(number), run->fences[number],
                    run->now, draw(run, 2) * 30, &error);
        // Whose claim has just been given back, or before, has none.
        note(run, "renew",
             run->doubts && status == MICA_E_CALL_BUSY ? MICA_OK : status, 0);
        return;
    case 5:
        answers = draw_text(run);
        status = DO(run, call_replay, call_id(number), draw(run, 4), answers,
                    run->now, &run->arena, &error, &reply);
        note(run, "answered", status, (int64_t)reply.len);
        return;
    case 6:
    case 7:
        look_for_due(run);
        return;
    case 8:
        list_calls(run);
        if (draw(run, 8) == 0)
            note(run, "stranded one", DO(run, count_stranded, &error), 0);
        return;
    case 9:
        go_call(run, number);
        return;
    default:
        commit_call(run, number);
    }
}

static inline void
do_sweep(struct run *run)
{
    size_t limit = 1 + draw(run, 5), removed = 0;
    enum mica_status status;

    // Twice so much may go when it is run again, so all goes at once then.
    status =
        DO(run, sweep, run->now, run->doubts ? 1000 : limit, &error, &removed);
    note(run, "sweep", status, run->doubts ? 0 : (int64_t)removed);
}

static inline void
do_one(struct run *run)
{
    static void (*const calls[])(struct run *) = {
        do_keys,   do_session, do_session,      do_stream, do_stream,
        do_stream, do_change,  do_subscription, do_sweep,  do_call,
        do_call,   do_call,    do_call,         do_call};

    run->now += draw(run, 6);
    calls[draw(run, MICA_COUNT(calls))](run);
}

// ---- All rows ----------------------------------------------------------------------

static inline void
note_events(struct run *run, const struct mica_store_session_key *key,
            int64_t stream)
{
    struct mica_store_events events = {.count = 0};
    enum mica_status status = DO(run, event_replay, key, stream, 0, 1000,
                                 run->now, &run->arena, &error, &events);

    if (status != MICA_OK)
        return;
    mica_buffer_format(&run->log, "stream %lld: %lld %d %d %lld %.*s\n",
                       (long long)stream, (long long)events.last, events.missed,
                       events.closed, (long long)events.lease,
                       MICA_ARG(events.call));
    for (size_t i = 0; i < events.count; i++)
        mica_buffer_format(
            &run->log, "%lld %lld %.*s\n", (long long)events.items[i].sequence,
            (long long)events.items[i].created, MICA_ARG(events.items[i].data));
}

static inline void
note_session(struct run *run, unsigned number)
{
    static const char *const subjects[] = {"me", "you", ""};
    struct mica_store_session_key key = store_key(number);
    struct mica_store_session session;

    for (size_t i = 0; i < 2 * MICA_COUNT(subjects); i++) {
        const struct mica_owner owner = {{"", 0},
                                         mica_text(subjects[i % 3]),
                                         i < 3 ? MICA_LITERAL("")
                                               : MICA_LITERAL("app/1")};
        if (DO(run, session_find, &key, &owner, run->now, &run->arena, &error,
               &session) != MICA_OK)
            continue;
        mica_buffer_format(&run->log, "session %u: %s %.*s %d %lld %lld %lld\n",
                           number, subjects[i % 3],
                           MICA_ARG(session.client_info), session.log_level,
                           (long long)session.created, (long long)session.seen,
                           (long long)session.expires);
        for (int64_t stream = 1; stream <= run->last_stream; stream++)
            note_events(run, &key, stream);
    }
}

static inline void
note_calls(struct run *run)
{
    for (unsigned i = 0; i < 8; i++) {
        struct mica_kept_call call;
        struct mica_text reply;
        enum mica_status status = DO(run, call_find, call_id(i), NULL, run->now,
                                     &run->arena, &error, &call);
        note_call(run, "row", status, &call);
        for (uint32_t round = 0; round < 64 && status == MICA_OK; round++) {
            status = DO(run, call_replay, call_id(i), round, MICA_LITERAL("a"),
                        run->now, &run->arena, &error, &reply);
            note(run, "round", status, (int64_t)reply.len);
            if (status == MICA_E_SUPERSEDED)
                status = MICA_OK;
        }
    }
}

// Everything that is kept, as far as operations show it.
static inline void
note_rows(struct run *run)
{
    struct mica_store_changes changes = {NULL, 0, false};
    struct mica_store_key key;

    for (uint32_t id = 1; id < 64; id++) {
        enum mica_status status = DO(run, key_find, id, run->now, &error, &key);
        if (status == MICA_OK)
            mica_buffer_format(&run->log, "key %u: %lld %lld\n", (unsigned)id,
                               (long long)key.created, (long long)key.retires);
    }
    for (unsigned i = 0; i < 6; i++)
        note_session(run, i);
    note_calls(run);
    if (DO(run, change_read, 0, 1000, &run->arena, &error, &changes) == MICA_OK)
        for (size_t i = 0; i < changes.count; i++)
            mica_buffer_format(&run->log, "change %lld %lld %.*s\n",
                               (long long)changes.items[i].sequence,
                               (long long)changes.items[i].created,
                               MICA_ARG(changes.items[i].name));
}

#endif
