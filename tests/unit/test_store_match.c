// SPDX-License-Identifier: Apache-2.0
//
// The two back ends do the same: random calls, with small limits so that all of
// them are met. What each call gives is written down, and both must have written the
// same. So must a store that now and then does not know whether a transaction was
// committed: it is run again, and comes to the same.
#include "store/store.h"
#include "store_plans.h"
#include "test_store.h"

enum {
    STEPS = 24000,
    DOUBTFUL_STEPS = 8000,
    LOG_BYTES = 64 << 20
};

static const struct mica_store_options limits = {.sessions = 5,
                                                 .streams = 3,
                                                 .stream_events = 4,
                                                 .stream_bytes = 60,
                                                 .event_bytes = 200,
                                                 .event_age_ms = 900,
                                                 .subscriptions = 3,
                                                 .changes = 6,
                                                 .change_age_ms = 200,
                                                 .calls = 6,
                                                 .owner_calls = 4,
                                                 .call_bytes = 140,
                                                 .all_call_bytes = 500,
                                                 .call_rounds = 3,
                                                 .key_age_ms = 1000,
                                                 .key_overlap_ms = 400};

// One run of the calls.
struct run {
    unsigned plans; // statements whose plan was looked at
    struct mica_store *store;
    struct mica_buffer log;
    struct mica_arena arena;
    uint64_t random;
    int64_t now;
    bool doubts;       // some outcomes are unknown
    int64_t fences[8]; // of the calls, as they were claimed last
};

// ---- Unknown outcomes ------------------------------------------------------------

static struct {
    bool on;
    uint64_t random;
    unsigned committed, undone;
} doubt;

enum mica_status __real_mica_store_run(struct mica_store *store,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *why,
                                       unsigned *refusal_out,
                                       bool *unknown_out);
enum mica_status __wrap_mica_store_run(struct mica_store *store,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *why,
                                       unsigned *refusal_out,
                                       bool *unknown_out);

static enum mica_status
is_unknown(struct mica_error *why, bool *unknown_out)
{
    *unknown_out = true;
    return mica_error_set(why, MICA_E_IO, "", "the outcome is not known");
}

// One in four transactions that write: it is committed, or was not begun. What follows
// at once succeeds.
enum mica_status
__wrap_mica_store_run(struct mica_store *store,
                      const struct mica_store_part *parts, size_t count,
                      struct mica_arena *arena, struct mica_error *why,
                      unsigned *refusal_out, bool *unknown_out)
{
    static bool last;
    bool writes = false, doubts;
    enum mica_status status;

    for (size_t i = 0; i < count; i++)
        writes |= parts[i].operation->writes;
    doubt.random = doubt.random * 6364136223846793005u + 1442695040888963407u;
    doubts = doubt.on && writes && !last && doubt.random >> 62 == 0;
    if (writes)
        last = doubts;
    if (doubts && (doubt.random >> 61 & 1) != 0) {
        doubt.undone++;
        return is_unknown(why, unknown_out);
    }
    status = __real_mica_store_run(store, parts, count, arena, why, refusal_out,
                                   unknown_out);
    if (!doubts || status != MICA_OK || *refusal_out != 0)
        return status;
    doubt.committed++;
    return is_unknown(why, unknown_out);
}

// ---- Calls of each family ----------------------------------------------------------

static unsigned
draw(struct run *run, unsigned below)
{
    run->random ^= run->random << 13;
    run->random ^= run->random >> 7;
    run->random ^= run->random << 17;
    return (unsigned)(run->random >> 33) % below;
}

static struct mica_text
draw_text(struct run *run)
{
    static const char *const texts[] = {
        "",   "a",         "a\tb",      "ü",
        "zz", "file:///a", "file:///b", "012345678901234567890"};

    return mica_text(texts[draw(run, MICA_COUNT(texts))]);
}

static void
note(struct run *run, const char *what, enum mica_status status, int64_t number)
{
    mica_buffer_format(&run->log, "%s %s %lld\n", what,
                       mica_status_code(status),
                       status == MICA_OK ? (long long)number : 0);
}

// Whether a row was removed just now or before is not known: it is gone.
static enum mica_status
gone(const struct run *run, enum mica_status status)
{
    return run->doubts && status == MICA_E_NOT_FOUND ? MICA_OK : status;
}

static void
do_keys(struct run *run, struct mica_store *store)
{
    struct mica_store_key key = {.id = 0};
    enum mica_status status;

    switch (draw(run, 3)) {
    case 0:
        status = mica_store_key_current(store, run->now, &error, &key);
        break;
    case 1:
        status =
            mica_store_key_find(store, draw(run, 6), run->now, &error, &key);
        break;
    default:
        status = mica_store_key_rotate(store, run->now, &error, &key);
    }
    note(run, "key", status, key.id);
    note(run, "retires", status, key.retires);
}

static void
do_session(struct run *run, struct mica_store *store)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    struct mica_store_session session =
        store_session(run->now, run->now + draw(run, 6000));
    enum mica_status status;

    session.client_info = draw_text(run);
    session.owner.subject = mica_text(draw(run, 4) == 0 ? "you" : "me");
    switch (draw(run, 9)) {
    case 0:
    case 1:
        note(run, "create",
             mica_store_session_create(store, &key, &session, &error), 0);
        return;
    case 2:
        status = mica_store_session_touch(store, &key, run->now,
                                          session.expires, &error);
        note(run, "touch", status, 0);
        return;
    case 3:
        status = mica_store_session_set_log_level(store, &key, run->now,
                                                  (int)draw(run, 8), &error);
        note(run, "level", status, 0);
        return;
    case 4:
        if (draw(run, 3) > 0)
            return;
        note(
            run, "delete",
            gone(run, mica_store_session_delete(store, &key, run->now, &error)),
            0);
        return;
    default:
        status = mica_store_session_find(store, &key, &session.owner, run->now,
                                         &run->arena, &error, &session);
        note(run, "find", status, session.expires);
        if (status == MICA_OK)
            mica_buffer_format(&run->log, "%.*s %.*s %d %lld\n",
                               MICA_ARG(session.client_info),
                               MICA_ARG(session.owner.subject),
                               session.log_level, (long long)session.seen);
    }
}

static void
do_replay(struct run *run, struct mica_store *store,
          const struct mica_store_session_key *key, int64_t stream)
{
    struct mica_store_events events = {.count = 0};
    int64_t after = (int64_t)draw(run, 8) - 1;
    enum mica_status status =
        mica_store_event_replay(store, key, stream, after, draw(run, 6),
                                run->now, &run->arena, &error, &events);

    note(run, "replay", status, (int64_t)events.count);
    for (size_t i = 0; i < events.count; i++)
        mica_buffer_format(
            &run->log, "%lld %lld %.*s\n", (long long)events.items[i].sequence,
            (long long)events.items[i].created, MICA_ARG(events.items[i].data));
    mica_buffer_format(&run->log, "%d %d %lld %.*s %.*s\n", events.missed,
                       events.closed, (long long)events.lease,
                       MICA_ARG(events.request), MICA_ARG(events.call));
}

static void
do_stream(struct run *run, struct mica_store *store)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    int64_t stream = 1 + draw(run, 4), number = 0;
    enum mica_status status;

    switch (draw(run, 10)) {
    case 9:
        status = mica_store_stream_renew(store, &key, stream, run->now,
                                         draw(run, 6000), &error);
        note(run, "goes on", status, 0);
        return;
    case 0:
        status = mica_store_stream_open(store, &key, STREAM_FOR, run->now,
                                        draw(run, 4000), &error, &number);
        note(run, "open", status, number);
        return;
    case 1:
        if (draw(run, 4) > 0)
            return;
        status = mica_store_stream_close(store, &key, stream, run->now, &error);
        note(run, "close", gone(run, status), 0);
        return;
    case 2:
    case 3:
        do_replay(run, store, &key, stream);
        return;
    default:
        status = mica_store_event_append(store, &key, stream, run->now,
                                         draw_text(run), &error, &number);
        note(run, "append", status, number);
    }
}

static void
do_change(struct run *run, struct mica_store *store)
{
    struct mica_store_changes changes = {NULL, 0, false};
    int64_t number = 0;
    enum mica_status status;

    if (draw(run, 2) == 0) {
        struct mica_text name = draw_text(run);
        status = mica_store_change_append(store, MICA_CHANGE_TOOLS, name,
                                          run->now, &error, &number);
        note(run, "change", status, number);
        return;
    }
    status = mica_store_change_last(store, &error, &number);
    note(run, "last", status, number);
    number = number < 10 ? draw(run, 10) : number - draw(run, 10);
    status = mica_store_change_read(store, number, draw(run, 5), &run->arena,
                                    &error, &changes);
    note(run, "read", status, changes.missed);
    for (size_t i = 0; i < changes.count; i++)
        mica_buffer_format(&run->log, "%lld %lld %.*s\n",
                           (long long)changes.items[i].sequence,
                           (long long)changes.items[i].created,
                           MICA_ARG(changes.items[i].name));
}

static void
do_subscription(struct run *run, struct mica_store *store)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    struct mica_store_subscribers found = {NULL, 0};
    struct mica_text uri = draw_text(run);
    enum mica_status status;

    switch (draw(run, 4)) {
    case 0:
        status = mica_store_unsubscribe(store, &key, uri, run->now, &error);
        note(run, "unsubscribe", status, 0);
        return;
    case 1:
        status = mica_store_subscribers(
            store, uri, draw(run, 2) == 0 ? NULL : &key, draw(run, 5), run->now,
            &run->arena, &error, &found);
        note(run, "subscribers", status, (int64_t)found.count);
        for (size_t i = 0; i < found.count; i++)
            note(run, "-", MICA_OK, found.keys[i].bytes[0]);
        return;
    default:
        status = mica_store_subscribe(store, &key, uri, run->now, &error);
        note(run, "subscribe", status, 0);
    }
}

// ---- Calls -----------------------------------------------------------------------

static struct mica_text
call_id(unsigned number)
{
    static const char *const ids[] = {"c0", "c1", "c2", "c3",
                                      "c4", "c5", "c6", "c7"};

    return mica_text(ids[number]);
}

static void
note_call(struct run *run, const char *what, enum mica_status status,
          const struct mica_kept_call *call)
{
    note(run, what, status, 0);
    if (status == MICA_OK || status == MICA_E_EXISTS)
        mica_buffer_format(
            &run->log,
            "%.*s %.*s %d %u %lld %lld %lld %lld %lld %zu %.*s %.*s\n",
            MICA_ARG(call->id), MICA_ARG(call->owner.subject), (int)call->state,
            (unsigned)call->round, (long long)call->changed,
            (long long)call->expires, (long long)call->due,
            (long long)call->fence, (long long)call->bytes, call->journal.len,
            MICA_ARG(call->note), MICA_ARG(call->told));
}

static void
begin_call(struct run *run, struct mica_store *store, unsigned number)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    struct mica_kept_call call = {.id = call_id(number),
                                  .target = MICA_LITERAL("t"),
                                  .arguments = draw_text(run),
                                  .state = MICA_CALL_WORKING,
                                  .created = run->now,
                                  .due = INT64_MAX,
                                  .expires = run->now + draw(run, 2000)};
    enum mica_status status;

    call.owner.subject = mica_text(draw(run, 3) == 0 ? "" : "me");
    if (draw(run, 2) == 0) {
        call.session =
            (struct mica_text){(const char *)key.bytes, sizeof key.bytes};
        call.stream = draw(run, 4);
    }
    status = mica_store_call_create(store, &call, draw_text(run), run->now,
                                    1 + draw(run, 100), &run->arena, &error);
    note_call(run, "begin", status, &call);
    if (status == MICA_OK)
        run->fences[number] = call.fence;
}

static void
commit_call(struct run *run, struct mica_store *store, unsigned number)
{
    static const char bytes[120] = "";
    struct mica_kept_call call = {.id = call_id(number),
                                  .fence = run->fences[number],
                                  .state =
                                      (enum mica_call_state)(1 + draw(run, 5)),
                                  .journal = {bytes, draw(run, 120)},
                                  .reply = draw_text(run),
                                  .note = draw_text(run),
                                  .told = draw_text(run),
                                  .due = run->now + draw(run, 300),
                                  .expires = run->now + draw(run, 2000)};
    struct mica_text answers = draw_text(run), reply = draw_text(run);
    enum mica_status status = mica_store_call_commit(
        store, &call, answers, reply, run->now, draw(run, 2) * 50, &error);

    note_call(run, "commit", status, &call);
}

static void
list_calls(struct run *run, struct mica_store *store)
{
    struct mica_store_calls calls = {NULL, 0, {NULL, 0}};
    struct mica_store_call_filter filter = {.ended = draw(run, 2) == 0};
    struct mica_kept_call last = {.id = call_id(draw(run, 8)),
                                  .created = draw(run, (unsigned)run->now)};
    char after[MICA_STORE_CALL_CURSOR_SIZE];
    enum mica_status status;

    mica_store_call_cursor(&last, after);
    status =
        mica_store_call_page(store, &filter, mica_text(after), 1 + draw(run, 4),
                             &run->arena, &error, &calls);
    note(run, "list", status, (int64_t)calls.count);
    for (size_t i = 0; i < calls.count; i++)
        note_call(run, "-", status, &calls.items[i]);
    mica_buffer_format(&run->log, "next %.*s\n", MICA_ARG(calls.next));
}

static void
look_for_due(struct run *run, struct mica_store *store)
{
    struct mica_store_due due = {.count = 0};
    enum mica_status status =
        store_due(store, run->now, 1 + draw(run, 4), draw(run, 60), &run->arena,
                  &error, &due);

    note(run, "due", status, (int64_t)due.count);
    for (size_t i = 0; i < due.count; i++)
        mica_buffer_format(&run->log, "%.*s %s\n", MICA_ARG(due.ids[i]),
                           mica_status_code(due.endings[i]));
    note(run, "next", status, due.next);
}

static void
go_call(struct run *run, struct mica_store *store, unsigned number)
{
    struct mica_text id = call_id(number);
    enum mica_status status;

    switch (draw(run, 4)) {
    case 0:
        status = mica_store_call_delete(store, id, run->now, &error);
        break;
    case 1:
        status = mica_store_call_cancel(store, id, &error);
        break;
    default:
        status = mica_store_call_expire(store, id, run->now, &error);
    }
    note(run, "go", gone(run, status), 0);
}

static void
list_answering(struct run *run, struct mica_store *store)
{
    struct mica_store_session_key key = store_key(draw(run, 6));
    struct mica_store_answering answering = {.count = 0};
    enum mica_status status = mica_store_answering(
        store, &key, draw(run, 4), &run->arena, &error, &answering);

    note(run, "answering", status, (int64_t)answering.count);
    for (size_t i = 0; i < answering.count; i++)
        mica_buffer_format(&run->log, "%.*s %lld\n", MICA_ARG(answering.ids[i]),
                           (long long)answering.streams[i]);
}

static void
do_call(struct run *run, struct mica_store *store)
{
    unsigned number = draw(run, 8);
    struct mica_kept_call call = {.fence = 0};
    struct mica_text reply = {NULL, 0};
    enum mica_status status;

    switch (draw(run, 15)) {
    case 10:
        list_answering(run, store);
        return;
    case 0:
    case 1:
        begin_call(run, store, number);
        return;
    case 2:
    case 3:
        status = mica_store_call_claim(store, call_id(number), NULL, run->now,
                                       1 + draw(run, 100), &run->arena, &error,
                                       &call);
        note_call(run, "claim", status, &call);
        if (status == MICA_OK && call.fence != 0)
            run->fences[number] = call.fence;
        return;
    case 4:
        status =
            mica_store_call_renew(store, call_id(number), run->fences[number],
                                  run->now, draw(run, 2) * 30, &error);
        // Whose claim has just been given back, or before, has none.
        note(run, "renew",
             run->doubts && status == MICA_E_CALL_BUSY ? MICA_OK : status, 0);
        return;
    case 5:
        status = mica_store_call_replay(store, call_id(number), draw(run, 4),
                                        draw_text(run), run->now, &run->arena,
                                        &error, &reply);
        note(run, "answered", status, (int64_t)reply.len);
        return;
    case 6:
    case 7:
        look_for_due(run, store);
        return;
    case 8:
        list_calls(run, store);
        return;
    case 9:
        go_call(run, store, number);
        return;
    default:
        commit_call(run, store, number);
    }
}

static void
do_sweep(struct run *run, struct mica_store *store)
{
    size_t limit = 1 + draw(run, 5), removed = 0;
    enum mica_status status;

    // Twice so much may go when it is run again, so all goes at once then.
    status = mica_store_sweep(store, run->now, run->doubts ? 1000 : limit,
                              &error, &removed);
    note(run, "sweep", status, run->doubts ? 0 : (int64_t)removed);
}

static void
do_one(struct run *run, struct mica_store *store)
{
    static void (*const calls[])(struct run *, struct mica_store *) = {
        do_keys,   do_session, do_session,      do_stream, do_stream,
        do_stream, do_change,  do_subscription, do_sweep,  do_call,
        do_call,   do_call,    do_call,         do_call};

    run->now += draw(run, 6);
    calls[draw(run, MICA_COUNT(calls))](run, store);
}

static void
log_counts(struct run *run)
{
    struct mica_store_statistics s = store_count(run->store);
    const int64_t numbers[] = {s.keys, s.sessions, s.streams, s.events,
                               s.changes, s.event_bytes, s.subscriptions,
                               s.calls, s.open_calls, s.call_bytes, s.rounds,
                               // What has gone cannot be counted anew.
                               s.events_dropped, s.changes_dropped,
                               s.sessions_expired, s.calls_expired};
    size_t count = run->doubts ? MICA_COUNT(numbers) - 4 : MICA_COUNT(numbers);

    for (size_t i = 0; i < count; i++)
        mica_buffer_format(&run->log, "%lld ", (long long)numbers[i]);
    mica_buffer_char(&run->log, '\n');
}

static void
run_on(const char *backend, uint64_t seed, bool doubts, struct run *run)
{
    *run = (struct run){.random = seed, .now = 1, .doubts = doubts};
    mica_arena_init(&run->arena, 1 << 20);
    mica_buffer_init(&run->log, NULL, LOG_BYTES);
    MUST(mica_store_open(store_spec(backend, "mica.db"), &limits, &error,
                         &run->store));
    doubt.on = doubts && strcmp(backend, "sqlite") == 0;
    for (unsigned i = 0; i < (doubts ? DOUBTFUL_STEPS : STEPS); i++) {
        mica_arena_reset(&run->arena);
        do_one(run, run->store);
        log_counts(run);
    }
    doubt.on = false;
    store_must_be_sound(run->store);
    run->plans = plans_check(run->store);
    mica_store_close(&run->store);
    mica_arena_fini(&run->arena);
    store_remove_folder();
    ck_assert(!run->log.overflow);
}

// The line at which two logs part.
static void
must_match(const struct mica_buffer *a, const struct mica_buffer *b)
{
    size_t at = 0, line = 0;

    while (at < a->len && at < b->len && a->ptr[at] == b->ptr[at]) {
        if (a->ptr[at++] == '\n')
            line = at;
    }
    ck_assert_msg(at == a->len && at == b->len, "%.80s\n-- or --\n%.80s",
                  a->ptr + line, b->ptr + line);
}

START_TEST(both_back_ends_do_the_same)
{
    static const uint64_t seeds[] = {0x9E3779B97F4A7C15, 42, 77777};

    for (size_t i = 0; i < MICA_COUNT(seeds); i++) {
        struct run memory, sqlite;
        run_on("memory", seeds[i], false, &memory);
        run_on("sqlite", seeds[i], false, &sqlite);
        must_match(&memory.log, &sqlite.log);
        ck_assert_uint_gt(sqlite.plans, 60);
        // The run has met what it is for.
        static const char *const met[] = {"create LIMIT_EXCEEDED",
                                          "open LIMIT_EXCEEDED",
                                          "goes on OK",
                                          "append OK 7",
                                          "replay OK 3",
                                          "subscribe LIMIT_EXCEEDED",
                                          "find OK",
                                          "create ALREADY_EXISTS",
                                          "sweep OK 3",
                                          "begin OK",
                                          "begin ALREADY_EXISTS",
                                          "begin LIMIT_EXCEEDED",
                                          "begin NOT_FOUND",
                                          "claim OK",
                                          "claim CALL_BUSY",
                                          "claim NOT_FOUND",
                                          "commit OK",
                                          "commit CALL_BUSY",
                                          "commit LIMIT_EXCEEDED",
                                          "renew OK",
                                          "answered OK",
                                          "answered STATE_SUPERSEDED",
                                          "due OK 2",
                                          " TIMEOUT\n",
                                          " DISCONNECTED\n",
                                          " CANCELLED\n",
                                          "answering OK 1",
                                          "list OK 3"};
        mica_buffer_char(&memory.log, '\0');
        for (size_t j = 0; j < MICA_COUNT(met); j++)
            ck_assert_msg(strstr(memory.log.ptr, met[j]) != NULL, "%s", met[j]);
        mica_buffer_fini(&memory.log);
        mica_buffer_fini(&sqlite.log);
    }
}
END_TEST

START_TEST(what_is_run_again_comes_to_the_same)
{
    static const uint64_t seeds[] = {1, 4711};

    for (size_t i = 0; i < MICA_COUNT(seeds); i++) {
        struct run memory, sqlite;
        doubt.random = seeds[i];
        run_on("memory", seeds[i], true, &memory);
        run_on("sqlite", seeds[i], true, &sqlite);
        must_match(&memory.log, &sqlite.log);
        mica_buffer_fini(&memory.log);
        mica_buffer_fini(&sqlite.log);
    }
    ck_assert_uint_gt(doubt.committed, 1000);
    ck_assert_uint_gt(doubt.undone, 1000);
}
END_TEST

UNIT_MAIN("store match", both_back_ends_do_the_same,
          what_is_run_again_comes_to_the_same)
