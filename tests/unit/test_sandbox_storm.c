// SPDX-License-Identifier: Apache-2.0
//
// The sandbox under load: threads that misbehave in every way, beside threads
// whose answers must all be right; threads that come and go; calls cancelled at
// random moments.
#include "test_sandbox.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "sandbox/slot.h"
#include "unit.h"

enum {
    BAD_THREADS = 4,
    GOOD_THREADS = 3,
    ROUNDS = 3
};

static const char *const acts[] = {
    "trap",        "divide",      "overflow",     "index",
    "convert",     "wild-read",   "wild-write",   "wild-call",
    "deep-locals", "deep-memory", "endless-loop", "endless-calls",
    "greedy",      "verbose",     "not-a-number", "bad-text"};

struct shared {
    struct mica_module *misbehave, *hostile, *digest;
    atomic_bool stop;
    atomic_uint wrong, right, timed_out;
};

// For calls that must end by themselves, however little of a processor a busy machine
// gives them.
enum {
    ENOUGH_MS = 20000
};

// With the limit of the module, if `budget_ms` is 0.
static enum mica_status
run(struct mica_module *module, const char *arguments, uint32_t budget_ms)
{
    struct trial trial;
    start_trial(&trial);
    trial.call.budget_ms = budget_ms;
    mica_sandbox_run(module, &trial.call, mica_text(arguments));
    enum mica_status status = trial.call.result.status;
    end_trial(&trial);
    return status;
}

// A call that must not succeed; counts it if it ran out of time.
static void
run_badly(struct shared *shared, struct mica_module *module,
          const char *arguments)
{
    enum mica_status status = run(module, arguments, 0);
    if (status == MICA_OK)
        atomic_fetch_add(&shared->wrong, 1);
    if (status == MICA_E_TIMEOUT)
        atomic_fetch_add(&shared->timed_out, 1);
}

static void *
misbehave(void *data)
{
    struct shared *shared = data;
    char arguments[64];
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < MICA_COUNT(acts); i++) {
            (void)snprintf(arguments, sizeof arguments, "{\"act\":\"%s\"}",
                           acts[i]);
            run_badly(shared, shared->misbehave, arguments);
            // The thread's instance is as new afterwards.
            if (run(shared->misbehave, "{\"act\":\"behave\"}", ENOUGH_MS) !=
                MICA_OK)
                atomic_fetch_add(&shared->wrong, 1);
        }
        for (const char *act = "pPsjuSacFiInzobBlD"; *act != '\0'; act++)
            run_badly(shared, shared->hostile, (const char[]){*act, '\0'});
    }
    return NULL;
}

static uint32_t
digest(const char *text, unsigned rounds)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (unsigned round = 0; round < rounds; round++)
        for (const char *at = text; *at != '\0'; at++)
            hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    return (uint32_t)hash;
}

// One call whose answer is known, of a size that `seed` decides.
static bool
is_right(struct mica_module *module, unsigned seed)
{
    char text[401], arguments[512], expected[512];
    unsigned length = 1 + seed * 7919 % 400, rounds = 1 + seed % 50;
    for (unsigned i = 0; i < length; i++)
        text[i] = (char)('a' + (seed + i * 31) % 26);
    text[length] = '\0';
    (void)snprintf(arguments, sizeof arguments,
                   "{\"text\":\"%s\",\"rounds\":%u}", text, rounds);
    (void)snprintf(expected, sizeof expected, "{\"digest\":%u,\"copy\":\"%s\"}",
                   digest(text, rounds), text);
    struct trial trial;
    start_trial(&trial);
    trial.call.budget_ms = ENOUGH_MS;
    mica_sandbox_run(module, &trial.call, mica_text(arguments));
    bool right = mica_text_is(trial.call.result.structured, expected);
    end_trial(&trial);
    return right;
}

static void *
behave(void *data)
{
    struct shared *shared = data;
    for (unsigned seed = 0; !atomic_load(&shared->stop); seed++) {
        bool right = is_right(shared->digest, seed);
        atomic_fetch_add(right ? &shared->right : &shared->wrong, 1);
    }
    return NULL;
}

static void
open_all(struct shared *shared)
{
    *shared = (struct shared){.misbehave = open_engine("misbehave"),
                              .hostile = open_engine("hostile"),
                              .digest = open_engine("digest-text")};
}

static void
close_all(struct shared *shared)
{
    mica_module_release(&shared->misbehave);
    mica_module_release(&shared->hostile);
    mica_module_release(&shared->digest);
}

START_TEST(bad_calls_never_disturb_good_ones)
{
    struct shared shared;
    pthread_t bad[BAD_THREADS], good[GOOD_THREADS];
    open_all(&shared);
    for (int i = 0; i < GOOD_THREADS; i++)
        ck_assert_int_eq(pthread_create(&good[i], NULL, behave, &shared), 0);
    for (int i = 0; i < BAD_THREADS; i++)
        ck_assert_int_eq(pthread_create(&bad[i], NULL, misbehave, &shared), 0);
    for (int i = 0; i < BAD_THREADS; i++)
        ck_assert_int_eq(pthread_join(bad[i], NULL), 0);
    atomic_store(&shared.stop, true);
    for (int i = 0; i < GOOD_THREADS; i++)
        ck_assert_int_eq(pthread_join(good[i], NULL), 0);
    ck_assert_uint_eq(atomic_load(&shared.wrong), 0);
    ck_assert_uint_gt(atomic_load(&shared.right), 100);
    struct mica_sandbox_counters counters = mica_sandbox_counters();
    // By hand: four of the acts and letters above never end by themselves. On a busy
    // machine another one may come too late for its own end.
    ck_assert_uint_ge(atomic_load(&shared.timed_out), BAD_THREADS * ROUNDS * 4);
    ck_assert_uint_eq(counters.timeouts, atomic_load(&shared.timed_out));
    close_all(&shared);
}
END_TEST

static void *
behave_once(void *data)
{
    struct shared *shared = data;
    for (unsigned seed = 0; seed < 20; seed++)
        if (!is_right(shared->digest, seed))
            atomic_fetch_add(&shared->wrong, 1);
    return NULL;
}

START_TEST(threads_may_come_and_go)
{
    struct shared shared;
    open_all(&shared);
    for (int round = 0; round < 50; round++) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(
                pthread_create(&threads[i], NULL, behave_once, &shared), 0);
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
    ck_assert_uint_eq(atomic_load(&shared.wrong), 0);
    ck_assert_uint_eq(mica_sandbox_counters().calls, 50 * 4 * 20);
    close_all(&shared);
}
END_TEST

// Enters and leaves as fast as it can, in turn with no time at all and with all
// the time in the world, so that the watchdog nearly always judges a generation
// that is gone when it acts. Now and then a call without time stays for two ticks of
// the watchdog: on an idle machine no other one would be stopped.
static void *
flicker(void *data)
{
    struct shared *shared = data;
    struct mica_slot *slot = mica_slot_mine();
    const struct timespec stay = {0, 2000000};
    for (unsigned turn = 0; !atomic_load(&shared->stop); turn++) {
        mica_slot_enter(slot, 100, 0, NULL);
        if (turn % 1024 == 0)
            (void)nanosleep(&stay, NULL);
        atomic_fetch_add(&shared->right,
                         mica_slot_leave(slot) == MICA_STOP_TIME);
        mica_slot_enter(slot, 100, 3600000, NULL);
        atomic_fetch_add(&shared->wrong,
                         mica_slot_leave(slot) != MICA_STOP_NONE);
    }
    return NULL;
}

START_TEST(a_stop_hits_only_the_generation_it_judged)
{
    struct shared shared = {0};
    struct mica_error error;
    pthread_t threads[2];
    ck_assert_int_eq(mica_sandbox_start(&error), MICA_OK);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, flicker, &shared),
                         0);
    // Until enough stops have come through, however busy the machine is.
    UNIT_AWAIT(atomic_load(&shared.right) >= 200);
    atomic_store(&shared.stop, true);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_eq(atomic_load(&shared.wrong), 0);
    ck_assert_uint_ge(atomic_load(&shared.right), 200);
}
END_TEST

struct cancelling {
    struct mica_module *module;
    _Atomic(atomic_bool *) flag;
    atomic_bool stop;
};

// Sets whatever flag is current, at changing moments.
static void *
cancel(void *data)
{
    struct cancelling *cancelling = data;
    for (long i = 0; !atomic_load(&cancelling->stop); i++) {
        atomic_bool *flag = atomic_load(&cancelling->flag);
        (void)nanosleep(&(struct timespec){0, i * 7919 % 3000000}, NULL);
        if (flag != NULL && flag == atomic_load(&cancelling->flag))
            atomic_store(flag, true);
    }
    return NULL;
}

START_TEST(a_flag_is_not_looked_at_after_its_call)
{
    // Each call's flag lies in memory of its own that goes away with it; under
    // AddressSanitizer a late look at one is an error.
    struct cancelling cancelling = {.module = open_engine("digest-text")};
    static atomic_bool flags[200]; // the canceller may be late itself
    pthread_t thread;
    unsigned cancelled = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel, &cancelling), 0);
    for (int i = 0; i < 200; i++) {
        struct trial trial;
        start_trial(&trial);
        atomic_store(&cancelling.flag, &flags[i]);
        trial.call.cancelled = &flags[i];
        trial.call.budget_ms = ENOUGH_MS;
        mica_sandbox_run(
            cancelling.module, &trial.call,
            mica_text("{\"text\":\"abcdefghi\",\"rounds\":50000}"));
        enum mica_status status = trial.call.result.status;
        ck_assert(status == MICA_OK || status == MICA_E_CANCELLED);
        cancelled += status == MICA_E_CANCELLED;
        end_trial(&trial);
    }
    for (int i = 0; i < 2000; i++) {
        atomic_bool *flag = malloc(sizeof *flag);
        ck_assert_ptr_nonnull(flag);
        atomic_init(flag, false);
        struct trial trial;
        start_trial(&trial);
        trial.call.cancelled = flag;
        trial.call.budget_ms = ENOUGH_MS;
        mica_sandbox_run(cancelling.module, &trial.call,
                         mica_text("{\"text\":\"abc\",\"rounds\":5000}"));
        ck_assert_int_eq(trial.call.result.status, MICA_OK);
        end_trial(&trial);
        free(flag);
    }
    atomic_store(&cancelling.stop, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(mica_sandbox_counters().cancelled, cancelled);
    mica_module_release(&cancelling.module);
}
END_TEST

// Calls that take from little to more than their budget of a millisecond, so that some
// end just before, while and just after the watchdog stops them; each followed at once
// by one that has all the time it needs. The least end in time on any machine.
static void *
skirt_the_limit(void *data)
{
    struct shared *shared = data;
    char arguments[96];
    for (unsigned i = 0; i < 300; i++) {
        struct trial trial;
        (void)snprintf(arguments, sizeof arguments,
                       "{\"text\":\"abcdefghijklmnopqrstuvwxyz0123456789\","
                       "\"rounds\":%u}",
                       100 + i * 7919 % 99900);
        start_trial(&trial);
        trial.call.budget_ms = 1;
        mica_sandbox_run(shared->digest, &trial.call, mica_text(arguments));
        enum mica_status status = trial.call.result.status;
        end_trial(&trial);
        if (status != MICA_OK && status != MICA_E_TIMEOUT)
            atomic_fetch_add(&shared->wrong, 1);
        atomic_fetch_add(
            is_right(shared->digest, i) ? &shared->right : &shared->wrong, 1);
    }
    return NULL;
}

START_TEST(a_stop_never_hits_the_next_call)
{
    struct shared shared;
    pthread_t threads[3];
    open_all(&shared);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, skirt_the_limit, &shared), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_eq(atomic_load(&shared.wrong), 0);
    ck_assert_uint_eq(atomic_load(&shared.right), 3 * 300);
    ck_assert_uint_gt(mica_sandbox_counters().timeouts, 0);
    ck_assert_uint_lt(mica_sandbox_counters().timeouts, 3 * 300);
    close_all(&shared);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("sandbox under load");
    TCase *storm = tcase_create("storm");
    tcase_set_timeout(storm, 240);
    tcase_add_test(storm, bad_calls_never_disturb_good_ones);
    tcase_add_test(storm, threads_may_come_and_go);
    tcase_add_test(storm, a_stop_never_hits_the_next_call);
    tcase_add_test(storm, a_stop_hits_only_the_generation_it_judged);
    tcase_add_test(storm, a_flag_is_not_looked_at_after_its_call);
    suite_add_tcase(suite, storm);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}
