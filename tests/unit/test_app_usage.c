// SPDX-License-Identifier: Apache-2.0
//
// Usage and budgets of apps: what is counted, what is refused and for how long, and what a
// store has of it; with a clock of the test, and with threads.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "publish/app_usage.h"
#include "unit.h"

enum {
    DAY_MS = 24 * 60 * 60 * 1000,
    THREADS = 4,
    CALLS = 5000
};

static struct mica_error error;

#define MUST(call_) UNIT_MUST((call_) == MICA_OK, "%s", error.message)

static const struct mica_app_budget free_of_charge = {0};
static const struct mica_app_outcome done = {.failed = false};

static int64_t now;
static struct mica_store *store;
static struct mica_app_usages *usages;

static int64_t
now_of_test(void)
{
    return now;
}

static void
start(void)
{
    const struct mica_store_app_content content = {.draft = mica_text("{}")};
    struct mica_store_app_outcome outcome;

    now = (int64_t)100 * DAY_MS;
    MUST(mica_store_open("memory", NULL, &error, &store));
    MUST(mica_store_app_create(store, mica_text("id"), mica_text("a"),
                               mica_text("local"), &content, now, &error,
                               &outcome));
    MUST(mica_app_usages_open(&error, &usages));
    usages->now_ms = now_of_test;
}

static void
stop(void)
{
    mica_app_usages_close(usages);
    mica_store_close(&store);
}

static struct mica_app_meter *
hold_version(int64_t version, const struct mica_app_budget *budget)
{
    struct mica_app_meter *meter =
        mica_app_usages_hold(usages, mica_text("id"), version, budget, store);

    ck_assert_ptr_nonnull(meter);
    return meter;
}

static struct mica_app_meter *
hold(const struct mica_app_budget *budget)
{
    return hold_version(1, budget);
}

// Begins a call; returns the seconds after which it may begin, or 0.
static unsigned
begin(struct mica_app_meter *meter, struct mica_app_turn *turn)
{
    unsigned retry_s = 0;
    enum mica_status status = meter->begin(meter, turn, &error, &retry_s);

    ck_assert(status == MICA_OK || status == MICA_E_BUDGET);
    if (status == MICA_OK)
        return 0;
    ck_assert_uint_gt(retry_s, 0);
    return retry_s;
}

static unsigned
call(struct mica_app_meter *meter, int64_t tokens, bool failed)
{
    const struct mica_app_outcome outcome = {.failed = failed};
    struct mica_app_turn turn = {.continues = false};
    unsigned retry_s = begin(meter, &turn);

    if (retry_s != 0)
        return retry_s;
    meter->spend(meter, tokens);
    meter->end(meter, &turn, &outcome);
    return 0;
}

static struct mica_store_app_usage
stored(int64_t day)
{
    struct mica_store_app_usage usage = {.day = 0};
    struct mica_store_app_days days;
    struct mica_arena arena;

    mica_arena_init(&arena, 64 << 10);
    MUST(mica_store_app_usage(store, mica_text("id"), day, day, &arena, &error,
                              &days));
    if (days.count > 0)
        usage = days.items[0];
    mica_arena_fini(&arena);
    return usage;
}

START_TEST(calls_failures_and_tokens_reach_the_store)
{
    struct mica_app_meter *meter;
    struct mica_store_app_usage usage;

    start();
    meter = hold(&free_of_charge);
    ck_assert_uint_eq(call(meter, 10, false), 0);
    ck_assert_uint_eq(call(meter, 5, true), 0);
    ck_assert_int_eq(stored(100).calls, 0);
    ck_assert(!mica_app_usages_flush(usages, store));
    usage = stored(100);
    ck_assert_int_eq(usage.calls, 2);
    ck_assert_int_eq(usage.failures, 1);
    ck_assert_int_eq(usage.tokens, 15);
    // A second flush adds nothing, and what nothing holds is freed.
    mica_app_usages_drop(meter);
    ck_assert(!mica_app_usages_flush(usages, store));
    ck_assert_int_eq(stored(100).calls, 2);
    ck_assert_uint_eq(usages->count, 0);
    stop();
}
END_TEST

START_TEST(a_day_has_its_calls_and_the_next_one_new_ones)
{
    const struct mica_app_budget budget = {.calls_per_day = 2};
    struct mica_app_meter *meter;

    start();
    now += DAY_MS - 1500;
    meter = hold(&budget);
    ck_assert_uint_eq(call(meter, 0, false), 0);
    ck_assert_uint_eq(call(meter, 0, false), 0);
    ck_assert_uint_eq(call(meter, 0, false), 2); // what is left of the day
    now += 1500;
    ck_assert_uint_eq(call(meter, 0, false), 0);
    mica_app_usages_drop(meter);
    stop();
}
END_TEST

START_TEST(tokens_of_a_day_are_a_budget)
{
    const struct mica_app_budget budget = {.tokens_per_day = 100};
    struct mica_app_meter *meter;

    start();
    meter = hold(&budget);
    ck_assert_uint_eq(call(meter, 99, false), 0);
    ck_assert_uint_eq(call(meter, 50, false), 0); // the last may exceed it
    ck_assert_uint_gt(call(meter, 0, false), 80000);
    mica_app_usages_drop(meter);
    stop();
}
END_TEST

START_TEST(a_new_counter_knows_the_day_of_other_processes)
{
    const struct mica_app_budget budget = {.calls_per_day = 5};
    const struct mica_store_app_usage others = {
        .id = mica_text("id"), .day = 100, .calls = 4};
    struct mica_app_meter *meter;

    start();
    MUST(mica_store_app_usage_add(store, &others, 1, &error));
    meter = hold(&budget);
    ck_assert_uint_eq(call(meter, 0, false), 0);
    ck_assert_uint_gt(call(meter, 0, false), 0);
    // Another one counts while this one does, and is known after the next flush.
    mica_app_usages_drop(meter);
    meter = hold(&(struct mica_app_budget){.calls_per_day = 20});
    MUST(mica_store_app_usage_add(store, &others, 1, &error));
    ck_assert_uint_eq(call(meter, 0, false), 0);
    ck_assert(!mica_app_usages_flush(usages, store));
    for (int i = 0; i < 10; i++)
        ck_assert_uint_eq(call(meter, 0, false), 0);
    ck_assert_uint_gt(call(meter, 0, false), 0);
    mica_app_usages_drop(meter);
    stop();
}
END_TEST

// A call that began before a publish loads its own version when it continues.
START_TEST(an_older_version_does_not_bring_its_budget_back)
{
    const struct mica_app_budget large = {.calls_per_day = 1000};
    const struct mica_app_budget small = {.calls_per_day = 1};
    struct mica_app_meter *meter;

    start();
    meter = hold_version(1, &large);
    ck_assert_ptr_eq(hold_version(2, &small), meter);
    ck_assert_uint_eq(call(meter, 0, false), 0);
    ck_assert_ptr_eq(hold_version(1, &large), meter);
    ck_assert_uint_gt(call(meter, 0, false), 0);
    ck_assert_ptr_eq(hold_version(3, &large), meter);
    ck_assert_uint_eq(call(meter, 0, false), 0);
    for (int i = 0; i < 4; i++)
        mica_app_usages_drop(meter);
    stop();
}
END_TEST

START_TEST(calls_at_once_are_bounded)
{
    const struct mica_app_budget budget = {.concurrent = 2};
    struct mica_app_turn turns[3] = {{.continues = false}};
    struct mica_app_meter *meter;

    start();
    meter = hold(&budget);
    ck_assert_uint_eq(begin(meter, &turns[0]), 0);
    ck_assert_uint_eq(begin(meter, &turns[1]), 0);
    ck_assert_uint_eq(begin(meter, &turns[2]), 1);
    meter->end(meter, &turns[0], &done);
    ck_assert_uint_eq(begin(meter, &turns[2]), 0);
    meter->end(meter, &turns[1], &done);
    meter->end(meter, &turns[2], &done);
    ck_assert_uint_eq(begin(meter, &turns[0]), 0);
    meter->end(meter, &turns[0], &done);
    mica_app_usages_drop(meter);
    stop();
}
END_TEST

START_TEST(a_call_that_waits_counts_as_one_until_it_is_forgotten)
{
    const struct mica_app_budget budget = {.concurrent = 1, .calls_per_day = 9};
    const struct mica_app_outcome waits = {.suspended = true};
    struct mica_app_turn first = {.call = mica_text("call-1")};
    struct mica_app_turn second = {.call = mica_text("call-2")};
    struct mica_app_meter *meter;

    start();
    meter = hold(&budget);
    ck_assert_uint_eq(begin(meter, &first), 0);
    meter->end(meter, &first, &waits);
    ck_assert_uint_eq(begin(meter, &second), 1);
    // It continues, which is no other call.
    first.continues = true;
    ck_assert_uint_eq(begin(meter, &first), 0);
    meter->end(meter, &first, &waits);
    ck_assert(!mica_app_usages_flush(usages, store));
    ck_assert_int_eq(stored(100).calls, 1);
    // Its client is gone.
    now += MICA_USAGE_WAIT_MS + 1;
    ck_assert_uint_eq(begin(meter, &second), 0);
    // It comes back: what has begun continues, whatever the budget.
    ck_assert_uint_eq(begin(meter, &first), 0);
    meter->end(meter, &first, &done);
    meter->end(meter, &second, &done);
    mica_app_usages_drop(meter);
    stop();
}
END_TEST

START_TEST(a_call_without_a_client_holds_no_place_of_others)
{
    const struct mica_app_budget budget = {.concurrent = 1};
    const struct mica_app_outcome waits = {.suspended = true};
    struct mica_app_turn left[] = {
        {.call = mica_text("call-1"), .unattended = true},
        {.call = mica_text("call-2"), .unattended = true}};
    struct mica_app_turn clients[] = {{.call = mica_text("call-3")},
                                      {.call = mica_text("call-4")}};
    struct mica_app_meter *meter;

    start();
    meter = hold(&budget);
    ck_assert_uint_eq(begin(meter, &left[0]), 0);
    meter->end(meter, &left[0], &waits);
    // Their number is bounded as well.
    ck_assert_uint_eq(begin(meter, &left[1]), 1);
    ck_assert_uint_eq(begin(meter, &clients[0]), 0);
    ck_assert_uint_eq(begin(meter, &clients[1]), 1);
    meter->end(meter, &left[0], &done);
    // They begin where clients have left room.
    ck_assert_uint_eq(begin(meter, &left[1]), 1);
    ck_assert_uint_eq(begin(meter, &clients[1]), 1);
    meter->end(meter, &clients[0], &done);
    ck_assert_uint_eq(begin(meter, &left[1]), 0);
    meter->end(meter, &left[1], &waits);
    // Its client comes back.
    left[1].continues = true;
    left[1].unattended = false;
    ck_assert_uint_eq(begin(meter, &left[1]), 0);
    ck_assert_uint_eq(begin(meter, &clients[0]), 1);
    meter->end(meter, &left[1], &done);
    mica_app_usages_drop(meter);
    stop();
}
END_TEST

START_TEST(a_counter_may_outlive_the_table)
{
    struct mica_app_meter *meter;

    start();
    meter = hold(&free_of_charge);
    ck_assert_ptr_eq(hold(&free_of_charge), meter);
    mica_app_usages_close(usages);
    mica_app_usages_drop(meter);
    ck_assert_uint_eq(call(meter, 0, false), 0);
    mica_app_usages_drop(meter);
    mica_store_close(&store);
}
END_TEST

static void *
call_often(void *data)
{
    for (int i = 0; i < CALLS; i++)
        ck_assert_uint_eq(call(data, 1, i % 2 == 0), 0);
    return NULL;
}

START_TEST(threads_lose_no_count)
{
    const struct mica_app_budget budget = {.concurrent = THREADS};
    struct mica_app_meter *meter;
    pthread_t threads[THREADS];
    struct mica_store_app_usage usage;

    start();
    meter = hold(&budget);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, meter),
                         0);
    for (int i = 0; i < 50; i++)
        (void)mica_app_usages_flush(usages, store);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    mica_app_usages_drop(meter);
    ck_assert(!mica_app_usages_flush(usages, store));
    usage = stored(100);
    ck_assert_int_eq(usage.calls, THREADS * CALLS);
    ck_assert_int_eq(usage.failures, THREADS * CALLS / 2);
    ck_assert_int_eq(usage.tokens, THREADS * CALLS);
    stop();
}
END_TEST

// Ten thousand apps that are called all the time must not fill the time of the store.
START_TEST(a_flush_adds_what_waits_longest_and_says_that_there_is_more)
{
    enum {
        APPS = MICA_USAGE_BATCH + 4
    };
    static struct mica_app_meter *meters[APPS];
    char id[16];

    start();
    for (int i = 0; i < APPS; i++) {
        const struct mica_store_app_content content = {.draft =
                                                           MICA_LITERAL("{}")};
        struct mica_store_app_outcome outcome;
        if (i == APPS - 1) { // the one that `stored` reads comes last
            meters[i] = hold(&free_of_charge);
            break;
        }
        (void)snprintf(id, sizeof id, "app-%d", i);
        MUST(mica_store_app_create(store, mica_text(id), mica_text(id),
                                   MICA_LITERAL("local"), &content, 1, &error,
                                   &outcome));
        meters[i] = mica_app_usages_hold(usages, mica_text(id), 1,
                                         &free_of_charge, store);
    }
    for (int i = 0; i < APPS; i++)
        ck_assert_uint_eq(call(meters[i], 0, false), 0);
    ck_assert(mica_app_usages_flush(usages, store));
    ck_assert_int_eq(stored(100).calls, 0);
    // One that is counted again does not overtake those that wait.
    ck_assert_uint_eq(call(meters[0], 0, false), 0);
    ck_assert(!mica_app_usages_flush(usages, store));
    ck_assert_int_eq(stored(100).calls, 1);
    for (int i = 0; i < APPS; i++)
        mica_app_usages_drop(meters[i]);
    ck_assert_uint_eq(usages->count, 0);
    stop();
}
END_TEST

UNIT_MAIN("app_usage",
          a_flush_adds_what_waits_longest_and_says_that_there_is_more,
          calls_failures_and_tokens_reach_the_store,
          a_day_has_its_calls_and_the_next_one_new_ones,
          tokens_of_a_day_are_a_budget,
          a_new_counter_knows_the_day_of_other_processes,
          an_older_version_does_not_bring_its_budget_back,
          calls_at_once_are_bounded,
          a_call_that_waits_counts_as_one_until_it_is_forgotten,
          a_call_without_a_client_holds_no_place_of_others,
          a_counter_may_outlive_the_table, threads_lose_no_count)
