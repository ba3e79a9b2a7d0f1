// SPDX-License-Identifier: Apache-2.0
//
// Which results are kept, for how long, and that they are the engine's.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "serve/result_cache.h"
#include "unit.h"

enum {
    LOOK_NS = 500,    // between two looks at the clock, as a rule
    QUICK_NS = 100,   // less than a look-up
    SLOW_NS = 200000, // many times a look-up
    LONG_NS = 800000, // more than half a budget of one millisecond
    THREADS = 4,
    CALLS = 2000
};

static atomic_uint runs;
static const char *answerz;

static atomic_ullong clock_ns, look_ns = LOOK_NS;

// The clock of the cache: each look at it takes its time.
static uint64_t
now_ns(void)
{
    uint64_t look = atomic_load(&look_ns);

    return atomic_fetch_add(&clock_ns, look) + look;
}

// {"of":ARGUMENTS}, or what the test says, after that time.
static void
engine_take(struct mica_call *call, struct mica_text arguments, unsigned ns)
{
    struct mica_buffer text;

    atomic_fetch_add(&clock_ns, ns);
    atomic_fetch_add(&runs, 1);
    mica_buffer_init(&text, call->arena, arguments.len + 64);
    mica_buffer_format(&text, "{\"of\":%.*s}", MICA_ARG(arguments));
    call->result.status = MICA_OK;
    call->result.structured = mica_arena_text(
        call->arena,
        answerz != NULL ? mica_text(answerz) : mica_buffer_as_text(&text));
}

static void
quick_run(const struct mica_runnable *self, struct mica_call *call,
          struct mica_text arguments)
{
    (void)self;
    engine_take(call, arguments, QUICK_NS);
}

static void
slow_run(const struct mica_runnable *self, struct mica_call *call,
         struct mica_text arguments)
{
    (void)self;
    engine_take(call, arguments, SLOW_NS);
}

static void
long_run(const struct mica_runnable *self, struct mica_call *call,
         struct mica_text arguments)
{
    (void)self;
    engine_take(call, arguments, LONG_NS);
}

static atomic_uint busy_ns;

static void
busy_run(const struct mica_runnable *self, struct mica_call *call,
         struct mica_text arguments)
{
    (void)self;
    engine_take(call, arguments, atomic_load(&busy_ns));
}

static void
failing_run(const struct mica_runnable *self, struct mica_call *call,
            struct mica_text arguments)
{
    slow_run(self, call, arguments);
    call->result.status = MICA_FAILED;
}

static struct mica_definition
engine_of(void (*run)(const struct mica_runnable *, struct mica_call *,
                      struct mica_text),
          char digit)
{
    static char hashes[128][65];
    char *hash = hashes[(unsigned char)digit];

    memset(hash, digit, 64);
    return (struct mica_definition){.kind = MICA_DEFINITION_TOOL,
                                    .sha256 = mica_text(hash),
                                    .runnable = {.run = run}};
}

static struct mica_result_cache *cache;

static void
begin(size_t bytes)
{
    cache = mica_result_cache_new(bytes, now_ns);
    ck_assert_ptr_nonnull(cache);
    atomic_store(&runs, 0);
    answerz = NULL;
}

static void
end(void)
{
    mica_result_cache_free(&cache);
    ck_assert_ptr_null(cache);
}

// Calls it, and checks what it answers.
static void
ask(const struct mica_definition *engine, const char *argumentsz,
    const char *wantedz)
{
    struct mica_arena arena;
    struct mica_call call;

    mica_arena_init(&arena, 1 << 20);
    mica_call_init(&call, &arena);
    mica_result_cache_run(cache, engine, &call, mica_text(argumentsz));
    ck_assert_int_eq(call.result.status, MICA_OK);
    ck_assert_msg(mica_text_is(call.result.structured, wantedz), "%.*s",
                  MICA_ARG(call.result.structured));
    mica_arena_fini(&arena);
}

START_TEST(the_second_call_does_not_run_the_engine)
{
    struct mica_definition engine = engine_of(slow_run, 'a');

    begin(1 << 20);
    ask(&engine, "1", "{\"of\":1}");
    ask(&engine, "1", "{\"of\":1}");
    ask(&engine, "2", "{\"of\":2}");
    ask(&engine, "", "{\"of\":}");
    ask(&engine, "", "{\"of\":}");
    ck_assert_uint_eq(runs, 3);
    ck_assert_uint_eq(mica_result_cache_counts(cache).hits, 2);
    ck_assert_uint_eq(mica_result_cache_counts(cache).misses, 3);
    end();
}
END_TEST

START_TEST(another_build_has_other_results)
{
    struct mica_definition engine = engine_of(slow_run, 'a');
    struct mica_definition rebuilt = engine_of(slow_run, 'b');
    struct mica_definition linked = {.runnable = {.run = slow_run}};

    begin(1 << 20);
    ask(&engine, "1", "{\"of\":1}");
    answerz = "{}";
    ask(&rebuilt, "1", "{}");
    ask(&engine, "1", "{\"of\":1}");
    ask(&linked, "1", "{}"); // without a hash nothing is kept
    answerz = NULL;
    ask(&linked, "1", "{\"of\":1}");
    ck_assert_uint_eq(mica_result_cache_counts(cache).entries, 2);
    end();
}
END_TEST

START_TEST(failures_are_not_kept)
{
    struct mica_definition engine = engine_of(failing_run, 'a');
    struct mica_arena arena;
    struct mica_call call;

    begin(1 << 20);
    for (unsigned i = 0; i < 3; i++) {
        mica_arena_init(&arena, 1 << 20);
        mica_call_init(&call, &arena);
        mica_result_cache_run(cache, &engine, &call, MICA_LITERAL("1"));
        ck_assert_int_eq(call.result.status, MICA_FAILED);
        mica_arena_fini(&arena);
    }
    ck_assert_uint_eq(runs, 3);
    ck_assert_uint_eq(mica_result_cache_counts(cache).entries, 0);
    end();
}
END_TEST

START_TEST(an_engine_that_is_as_fast_is_asked_itself)
{
    struct mica_definition engine = engine_of(quick_run, 'a');

    begin(1 << 20);
    for (unsigned i = 0; i < 3; i++)
        ask(&engine, "1", "{\"of\":1}");
    ck_assert_uint_eq(runs, 3);
    ck_assert_uint_eq(mica_result_cache_counts(cache).slower, 3);
    ck_assert_uint_eq(mica_result_cache_counts(cache).entries, 0);
    end();
}
END_TEST

// The machine was busy when the result was kept; now look-ups are slower than the engine.
START_TEST(a_result_whose_look_ups_are_slow_is_dropped)
{
    struct mica_definition engine = engine_of(busy_run, 'a');

    begin(1 << 20);
    atomic_store(&busy_ns, SLOW_NS);
    ask(&engine, "1", "{\"of\":1}");
    atomic_store(&busy_ns, QUICK_NS);
    for (unsigned i = 0; i < MICA_CACHE_TRUST - 1; i++)
        ask(&engine, "1", "{\"of\":1}");
    ck_assert_uint_eq(runs, 1);
    ask(&engine, "1", "{\"of\":1}"); // the engine confirms it
    ck_assert_uint_eq(runs, 2);
    ck_assert_uint_eq(mica_result_cache_counts(cache).entries, 1);
    atomic_store(&look_ns, SLOW_NS);
    for (unsigned i = 0; i < MICA_CACHE_SLOW; i++)
        ask(&engine, "1", "{\"of\":1}");
    ck_assert_uint_eq(runs, 2);
    ck_assert_uint_eq(mica_result_cache_counts(cache).slower, 1);
    ck_assert_uint_eq(mica_result_cache_counts(cache).entries, 0);
    atomic_store(&look_ns, LOOK_NS);
    end();
}
END_TEST

START_TEST(the_engine_confirms_a_result_from_time_to_time)
{
    struct mica_definition engine = engine_of(slow_run, 'a');

    begin(1 << 20);
    for (unsigned i = 0; i < 1 + 2 * MICA_CACHE_TRUST; i++)
        ask(&engine, "1", "{\"of\":1}");
    ck_assert_uint_eq(runs, 3);
    answerz = "{}"; // as no pure function does
    for (unsigned i = 1; i < MICA_CACHE_TRUST; i++)
        ask(&engine, "1", "{\"of\":1}");
    ask(&engine, "1", "{}");
    ck_assert_uint_eq(mica_result_cache_counts(cache).different, 1);
    ck_assert_uint_eq(mica_result_cache_counts(cache).entries, 0);
    end();
}
END_TEST

static enum mica_status
ask_within(const struct mica_definition *engine, uint32_t budget_ms)
{
    struct mica_arena arena;
    struct mica_call call;
    enum mica_status status;

    mica_arena_init(&arena, 1 << 20);
    mica_call_init(&call, &arena);
    call.budget_ms = budget_ms;
    mica_result_cache_run(cache, engine, &call, MICA_LITERAL("1"));
    status = call.result.status;
    mica_arena_fini(&arena);
    return status;
}

// An I/O thread has a budget. A confirmation that is too long for it goes to a worker.
START_TEST(a_budget_holds_for_confirmations)
{
    struct mica_definition engine = engine_of(long_run, 'a');

    begin(1 << 20);
    for (unsigned i = 0; i < MICA_CACHE_TRUST; i++)
        ask(&engine, "1", "{\"of\":1}");
    ck_assert_int_eq(ask_within(&engine, 1), MICA_E_TIMEOUT);
    ck_assert_int_eq(ask_within(&engine, 1), MICA_E_TIMEOUT);
    ck_assert_uint_eq(runs, 1);
    ck_assert_int_eq(ask_within(&engine, 0), MICA_OK);
    ck_assert_uint_eq(runs, 2);
    ck_assert_int_eq(ask_within(&engine, 1), MICA_OK); // from the cache
    ck_assert_uint_eq(runs, 2);
    end();
}
END_TEST

START_TEST(bytes_are_bounded_and_the_oldest_goes)
{
    struct mica_definition engine = engine_of(slow_run, 'a');
    char arguments[32];

    begin(MICA_CACHE_BYTES_LEAST);
    for (unsigned i = 0; i < 1000; i++) {
        ask(&engine, "0", "{\"of\":0}");
        (void)snprintf(arguments, sizeof arguments, "%u", i);
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "{\"of\":%u}", i);
        ask(&engine, arguments, wanted);
        ck_assert_uint_le(mica_result_cache_counts(cache).bytes,
                          MICA_CACHE_BYTES_LEAST);
    }
    ck_assert_uint_gt(mica_result_cache_counts(cache).displaced, 0);
    atomic_store(&runs, 0);
    ask(&engine, "0", "{\"of\":0}"); // in use all the time
    ck_assert_uint_le(runs, 1);      // 1: it was due to be confirmed
    atomic_store(&runs, 0);
    ask(&engine, "1", "{\"of\":1}");
    ck_assert_uint_eq(runs, 1);
    end();
}
END_TEST

START_TEST(large_results_are_not_kept)
{
    static char large[MICA_CACHE_BYTES_LEAST / MICA_CACHE_SHARE + 1];
    struct mica_definition engine = engine_of(slow_run, 'a');

    begin(MICA_CACHE_BYTES_LEAST);
    memset(large, '1', sizeof large - 1);
    answerz = large;
    ask(&engine, "1", large);
    ask(&engine, "1", large);
    ck_assert_uint_eq(runs, 2);
    ck_assert_uint_eq(mica_result_cache_counts(cache).entries, 0);
    end();
}
END_TEST

static void *
ask_often(void *data)
{
    const struct mica_definition *engine = data;

    for (unsigned i = 0; i < CALLS; i++) {
        char arguments[32], wanted[64];
        (void)snprintf(arguments, sizeof arguments, "%u", i % 500);
        (void)snprintf(wanted, sizeof wanted, "{\"of\":%u}", i % 500);
        ask(engine, arguments, wanted);
    }
    return NULL;
}

// More entries than there is room for, so that entries go while others read them.
START_TEST(threads_share_it)
{
    struct mica_definition engine = engine_of(slow_run, 'a');
    pthread_t threads[THREADS];

    begin(MICA_CACHE_BYTES_LEAST);
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_often, &engine),
                         0);
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_le(mica_result_cache_counts(cache).bytes,
                      MICA_CACHE_BYTES_LEAST);
    end();
}
END_TEST

UNIT_MAIN("result_cache", the_second_call_does_not_run_the_engine,
          another_build_has_other_results, failures_are_not_kept,
          an_engine_that_is_as_fast_is_asked_itself,
          a_result_whose_look_ups_are_slow_is_dropped,
          the_engine_confirms_a_result_from_time_to_time,
          a_budget_holds_for_confirmations,
          bytes_are_bounded_and_the_oldest_goes, large_results_are_not_kept,
          threads_share_it)
