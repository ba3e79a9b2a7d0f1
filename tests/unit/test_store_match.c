// SPDX-License-Identifier: Apache-2.0
//
// The back ends do what the model does (store_model.h): random steps, with small limits
// so that all of them are met. What each step gives is written down, and now and then
// all that is kept; each store must have written what the model has. So must a store of
// which another process runs half of the steps, and one that now and then does not know
// whether a transaction was committed: it is run again, and comes to the same.
//
// MICA_STORE_RUNS runs of other seeds are made as well, MICA_STORE_SEED being the first
// (scripts/soak).
#include <sys/socket.h>
#include <sys/wait.h>

#include "store/store.h"
#include "store_plans.h"
#include "store_steps.h"

enum {
    STEPS = 24000,
    DOUBTFUL_STEPS = 8000,
    SHARED_STEPS = 4000,
    ROWS_EACH = 16, // steps, all rows are written down
    LOG_BYTES = 64 << 20
};

static const struct mica_store_options limits = {.sessions = 5,
                                                 .party_sessions = 2,
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

// ---- Another process -------------------------------------------------------------

// What a process needs to run the next step; its fences are those of both.
struct turn {
    uint64_t random;
    int64_t now, last_stream, fences[8];
    uint32_t log_bytes; // written by the step, and sent behind this
};

static void
turn_send(int fd, const void *bytes, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        ssize_t count = write(fd, (const char *)bytes + sent, size - sent);
        ck_assert_int_gt(count, 0);
        sent += (size_t)count;
    }
}

static bool
turn_read(int fd, void *bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t count = read(fd, (char *)bytes + got, size - got);
        if (count <= 0)
            return false;
        got += (size_t)count;
    }
    return true;
}

static struct turn
turn_of(const struct run *run)
{
    struct turn turn = {.random = run->random,
                        .now = run->now,
                        .last_stream = run->last_stream};

    memcpy(turn.fences, run->fences, sizeof turn.fences);
    return turn;
}

static void
turn_take(struct run *run, const struct turn *turn)
{
    run->random = turn->random;
    run->now = turn->now;
    run->last_stream = turn->last_stream;
    memcpy(run->fences, turn->fences, sizeof turn->fences);
}

// Totals are exact here as each process reads them before a step and writes its own
// behind it.
static void
step_exactly(struct run *run)
{
    (void)store_count(run->store);
    do_one(run);
    (void)store_count(run->store);
}

// Runs the steps that it is sent until the other end closes.
static void
serve_steps(int fd, const char *spec)
{
    struct run run = {.random = 1};
    struct turn turn;

    mica_arena_init(&run.arena, 1 << 20);
    mica_buffer_init(&run.log, NULL, LOG_BYTES);
    MUST(mica_store_open(spec, &limits, &error, &run.store));
    while (turn_read(fd, &turn, sizeof turn)) {
        turn_take(&run, &turn);
        mica_arena_reset(&run.arena);
        run.log.len = 0;
        step_exactly(&run);
        turn = turn_of(&run);
        turn.log_bytes = (uint32_t)run.log.len;
        turn_send(fd, &turn, sizeof turn);
        turn_send(fd, run.log.ptr, run.log.len);
    }
    mica_store_close(&run.store);
    mica_arena_fini(&run.arena);
    mica_buffer_fini(&run.log);
}

static void
step_elsewhere(struct run *run, int fd)
{
    struct turn turn = turn_of(run);
    static char log[1 << 16];

    turn_send(fd, &turn, sizeof turn);
    ck_assert(turn_read(fd, &turn, sizeof turn));
    ck_assert_uint_le(turn.log_bytes, sizeof log);
    ck_assert(turn_read(fd, log, turn.log_bytes));
    mica_buffer_add(&run->log, log, turn.log_bytes);
    turn_take(run, &turn);
}

// ---- Runs ------------------------------------------------------------------------

static void
log_counts(struct run *run)
{
    struct mica_store_statistics s;

    MUST(DO(run, statistics, &error, &s));
    const int64_t numbers[] = {
        s.keys, s.sessions, s.streams, s.events, s.changes, s.event_bytes,
        s.subscriptions, s.calls, s.open_calls, s.call_bytes, s.rounds,
        // What has gone cannot be counted anew.
        s.events_dropped, s.changes_dropped, s.sessions_expired,
        s.calls_expired, s.sessions_displaced, s.calls_stranded};
    size_t count = run->doubts ? MICA_COUNT(numbers) - 6 : MICA_COUNT(numbers);

    for (size_t i = 0; i < count; i++)
        mica_buffer_format(&run->log, "%lld ", (long long)numbers[i]);
    mica_buffer_char(&run->log, '\n');
}

static void
begin_run(uint64_t seed, bool doubts, struct run *run)
{
    *run = (struct run){.random = seed, .now = 1, .doubts = doubts};
    mica_arena_init(&run->arena, 1 << 20);
    mica_buffer_init(&run->log, NULL, LOG_BYTES);
}

static void
log_step(struct run *run, unsigned step)
{
    log_counts(run);
    if (step % ROWS_EACH == 0)
        note_rows(run);
}

static void
steps_here(struct run *run, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        mica_arena_reset(&run->arena);
        do_one(run);
        log_step(run, i);
    }
}

static void
end_run(struct run *run)
{
    store_must_be_sound(run->store);
    mica_store_close(&run->store);
    mica_arena_fini(&run->arena);
    store_remove_folder();
    ck_assert(!run->log.overflow);
}

// The steps on the model.
static void
run_model(uint64_t seed, bool doubts, unsigned steps, struct run *run)
{
    static struct model model;

    begin_run(seed, doubts, run);
    model_open(&model, &limits);
    run->model = &model;
    steps_here(run, steps);
    mica_arena_fini(&model.arena);
    mica_arena_fini(&run->arena);
    ck_assert(!run->log.overflow);
}

// The steps on a store of this process; with `plans_out` how many statements had their
// plan looked at.
static void
run_store(const char *backend, uint64_t seed, bool doubts, unsigned steps,
          struct run *run, unsigned *plans_out)
{
    begin_run(seed, doubts, run);
    MUST(mica_store_open(store_spec(backend, "mica.db"), &limits, &error,
                         &run->store));
    doubt.on = doubts;
    doubt.random = seed;
    steps_here(run, steps);
    doubt.on = false;
    *plans_out = plans_check(run->store);
    end_run(run);
}

// The steps on one file, by turns in this process and in another.
static void
run_shared(uint64_t seed, unsigned steps, struct run *run)
{
    int pair[2], status;
    const char *spec;
    pid_t child;

    begin_run(seed, false, run);
    spec = store_spec("sqlite", "mica.db");
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)close(pair[0]);
        serve_steps(pair[1], spec);
        _exit(0);
    }
    (void)close(pair[1]);
    MUST(mica_store_open(spec, &limits, &error, &run->store));
    for (unsigned i = 0; i < steps; i++) {
        mica_arena_reset(&run->arena);
        if (i * 7 % 5 < 2)
            step_elsewhere(run, pair[0]);
        else
            step_exactly(run);
        log_step(run, i);
    }
    (void)close(pair[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    end_run(run);
}

// The line at which two logs part, with what came before it.
static void
must_match(const char *what, uint64_t seed, const struct mica_buffer *model,
           const struct mica_buffer *other)
{
    size_t at = 0, lines[8] = {0}, count = 0;

    while (at < model->len && at < other->len &&
           model->ptr[at] == other->ptr[at]) {
        if (model->ptr[at++] == '\n')
            lines[count++ % MICA_COUNT(lines)] = at;
    }
    if (at == model->len && at == other->len)
        return;
    size_t first = lines[count % MICA_COUNT(lines)];
    size_t last = count > 0 ? lines[(count - 1) % MICA_COUNT(lines)] : 0;
    ck_abort_msg("%s, seed %llu, line %zu:\n%.*s-- model --\n%.160s\n-- store "
                 "--\n%.160s",
                 what, (unsigned long long)seed, count, (int)(last - first),
                 model->ptr + first, model->ptr + last, other->ptr + last);
}

static void
must_have_met(struct run *model)
{
    static const char *const met[] = {"create LIMIT_EXCEEDED",
                                      "create TOO_MANY_SESSIONS",
                                      "create ALREADY_EXISTS",
                                      "listen OK",
                                      "open LIMIT_EXCEEDED",
                                      "renewed OK",
                                      "append OK 7",
                                      "append some OK",
                                      "end OK",
                                      "replay OK 3",
                                      "subscribe LIMIT_EXCEEDED",
                                      "find OK",
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
                                      "commit NOT_FOUND",
                                      "commit USAGE",
                                      "turn_events OK 2",
                                      "renew OK",
                                      "answered OK",
                                      "answered STATE_SUPERSEDED",
                                      "builds OK 2",
                                      "due OK 2",
                                      "stranded OK 1",
                                      " TIMEOUT\n",
                                      " DISCONNECTED\n",
                                      " CANCELLED\n",
                                      "answering OK 1",
                                      "list OK 3",
                                      "count OK 2"};

    mica_buffer_char(&model->log, '\0');
    for (size_t j = 0; j < MICA_COUNT(met); j++)
        ck_assert_msg(strstr(model->log.ptr, met[j]) != NULL, "%s", met[j]);
}

// The model, and what must do the same.
static void
compare(uint64_t seed, bool doubts, unsigned steps)
{
    static const char *const backends[] = {"memory", "sqlite"};
    struct run model, store;
    unsigned plans;

    run_model(seed, doubts, steps, &model);
    for (size_t i = 0; i < MICA_COUNT(backends); i++) {
        run_store(backends[i], seed, doubts, steps, &store, &plans);
        must_match(backends[i], seed, &model.log, &store.log);
        mica_buffer_fini(&store.log);
        ck_assert_uint_gt(plans, 60);
    }
    if (steps == STEPS)
        must_have_met(&model);
    mica_buffer_fini(&model.log);
}

static void
compare_shared(uint64_t seed)
{
    struct run model, store;

    run_model(seed, false, SHARED_STEPS, &model);
    run_shared(seed, SHARED_STEPS, &store);
    must_match("two processes", seed, &model.log, &store.log);
    mica_buffer_fini(&model.log);
    mica_buffer_fini(&store.log);
}

START_TEST(every_back_end_does_what_the_model_does)
{
    static const uint64_t seeds[] = {0x9E3779B97F4A7C15, 42, 77777};

    for (size_t i = 0; i < MICA_COUNT(seeds); i++)
        compare(seeds[i], false, STEPS);
}
END_TEST

START_TEST(two_processes_do_what_the_model_does)
{
    compare_shared(4711);
}
END_TEST

START_TEST(what_is_run_again_comes_to_the_same)
{
    static const uint64_t seeds[] = {1, 4711, 5009};

    for (size_t i = 0; i < MICA_COUNT(seeds); i++) {
        compare(seeds[i], true, DOUBTFUL_STEPS);
    }
    ck_assert_uint_gt(doubt.committed, 1000);
    ck_assert_uint_gt(doubt.undone, 1000);
}
END_TEST

START_TEST(other_seeds_do_the_same)
{
    const char *runs = getenv("MICA_STORE_RUNS");
    const char *first = getenv("MICA_STORE_SEED");
    unsigned long count = runs != NULL ? strtoul(runs, NULL, 10) : 1;
    uint64_t seed = first != NULL ? strtoull(first, NULL, 10) : 1000;

    for (; count > 0; count--, seed++) {
        compare(seed, false, DOUBTFUL_STEPS);
        compare(seed, true, DOUBTFUL_STEPS);
        compare_shared(seed);
    }
}
END_TEST

UNIT_MAIN("store match", every_back_end_does_what_the_model_does,
          two_processes_do_what_the_model_does,
          what_is_run_again_comes_to_the_same, other_seeds_do_the_same)
