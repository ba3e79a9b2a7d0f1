// SPDX-License-Identifier: Apache-2.0
//
// Buckets of tokens: how many, how fast, and whose are forgotten.
#include <string.h>

#include "serve/rate_limit.h"
#include "unit.h"

static struct mica_rate_limiter limiter;
static const struct mica_rate two_in_ten = {.calls = 2, .seconds = 10};

// What a caller with that key has to wait at that time; a call without a wait counts.
static uint32_t
call_at(uint64_t key, uint64_t now_ms)
{
    const struct mica_rate_key whose = {key, 1};
    struct mica_rate_bucket *bucket =
        mica_rate_bucket_of(&limiter, &whose, &two_in_ten, now_ms);
    uint32_t wait_ms = mica_rate_wait(bucket, &two_in_ten);

    if (wait_ms == 0)
        mica_rate_take(bucket, &two_in_ten);
    return wait_ms;
}

START_TEST(a_bucket_has_as_many_tokens_as_the_rule_has_calls)
{
    memset(&limiter, 0, sizeof limiter);
    ck_assert_uint_eq(call_at(1, 1000), 0);
    ck_assert_uint_eq(call_at(1, 1000), 0);
    ck_assert_uint_eq(call_at(1, 1000), 5000); // one token in five seconds
    ck_assert_uint_eq(call_at(2, 1000), 0);    // another caller
    ck_assert_uint_eq(limiter.used, 2);
}
END_TEST

START_TEST(it_fills_with_time_and_never_over)
{
    memset(&limiter, 0, sizeof limiter);
    ck_assert_uint_eq(call_at(1, 0), 0);
    ck_assert_uint_eq(call_at(1, 0), 0);
    ck_assert_uint_eq(call_at(1, 4999), 1);
    ck_assert_uint_eq(call_at(1, 5000), 0);
    ck_assert_uint_eq(call_at(1, 5000), 5000);
    // After an hour there are two tokens, and no more.
    ck_assert_uint_eq(call_at(1, 3600000), 0);
    ck_assert_uint_eq(call_at(1, 3600000), 0);
    ck_assert_uint_eq(call_at(1, 3600000), 5000);
}
END_TEST

// A caller who asks again and again gains what has passed all the same.
START_TEST(asking_often_loses_no_time)
{
    memset(&limiter, 0, sizeof limiter);
    ck_assert_uint_eq(call_at(1, 0), 0);
    ck_assert_uint_eq(call_at(1, 0), 0);
    for (uint64_t ms = 1; ms < 5000; ms++)
        ck_assert_uint_eq(call_at(1, ms), 5000 - ms);
    ck_assert_uint_eq(call_at(1, 5000), 0);
}
END_TEST

START_TEST(a_clock_that_stands_still_gives_nothing)
{
    memset(&limiter, 0, sizeof limiter);
    ck_assert_uint_eq(call_at(1, 9000), 0);
    ck_assert_uint_eq(call_at(1, 8000), 0);
    ck_assert_uint_eq(call_at(1, 8000), 5000);
}
END_TEST

START_TEST(without_room_the_caller_quiet_for_longest_is_forgotten)
{
    memset(&limiter, 0, sizeof limiter);
    // Keys that lie at the same place.
    for (uint64_t i = 0; i < MICA_RATE_PROBES; i++)
        ck_assert_uint_eq(call_at(5 + i * MICA_RATE_BUCKETS, 1000 + i), 0);
    ck_assert_uint_eq(limiter.displaced, 0);
    ck_assert_uint_eq(call_at(5, 2000), 0); // the first again
    ck_assert_uint_eq(call_at(5 + 99 * MICA_RATE_BUCKETS, 2000), 0);
    ck_assert_uint_eq(limiter.displaced, 1);
    ck_assert_uint_eq(limiter.used, MICA_RATE_PROBES);
    ck_assert_uint_ne(call_at(5, 2000), 0); // the first is still known
}
END_TEST

UNIT_MAIN("rate_limit", a_bucket_has_as_many_tokens_as_the_rule_has_calls,
          it_fills_with_time_and_never_over, asking_often_loses_no_time,
          a_clock_that_stands_still_gives_nothing,
          without_room_the_caller_quiet_for_longest_is_forgotten)
