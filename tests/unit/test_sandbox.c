// SPDX-License-Identifier: Apache-2.0
//
// The sandbox, one call at a time: what a good engine gives, how every kind of
// misbehavior ends, that nothing is left for the next call, time and
// cancellation, and which files are loaded.
#include "test_sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/loaded_module.h"
#include "sandbox/wellformed.h"
#include "unit.h"

static int64_t
now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// A call that has to end with `status`, and a message that has `words` in it.
static void
ends(struct mica_module *module, const char *arguments, enum mica_status status,
     const char *words)
{
    struct trial trial;
    start_trial(&trial);
    mica_sandbox_run(module, &trial.call, mica_text(arguments));
    ck_assert_msg(trial.call.result.status == status, "%s: %s %s", arguments,
                  mica_status_code(trial.call.result.status),
                  trial.call.error.message);
    if (status != MICA_OK) {
        ck_assert_msg(strstr(trial.call.error.message, words) != NULL,
                      "%s says: %s", arguments, trial.call.error.message);
        ck_assert(mica_wellformed_object(trial.call.result.error));
        ck_assert_uint_eq(trial.call.result.structured.len, 0);
    }
    end_trial(&trial);
}

// A call that has to give this output.
static void
gives(struct mica_module *module, const char *arguments, const char *output)
{
    struct trial trial;
    start_trial(&trial);
    mica_sandbox_run(module, &trial.call, mica_text(arguments));
    ck_assert_msg(trial.call.result.status == MICA_OK, "%s: %s", arguments,
                  trial.call.error.message);
    ck_assert_msg(mica_text_is(trial.call.result.structured, output),
                  "%s gives %.*s", arguments,
                  MICA_ARG(trial.call.result.structured));
    end_trial(&trial);
}

// ---- Good calls ------------------------------------------------------------------

START_TEST(a_good_call_gives_its_output)
{
    struct mica_module *module = open_engine("digest-text");
    gives(module, "{\"text\":\"abc\"}",
          "{\"digest\":88168267,\"copy\":\"abc\"}");
    mica_module_release(&module);
    ck_assert_ptr_null(module);
}
END_TEST

START_TEST(a_failure_of_the_handler_keeps_its_words)
{
    struct mica_module *module = open_engine("digest-text");
    struct trial trial;
    start_trial(&trial);
    mica_sandbox_run(module, &trial.call, mica_text("{\"text\":\"\"}"));
    ck_assert_int_eq(trial.call.result.status, MICA_FAILED);
    ck_assert_str_eq(trial.call.error.code, "NOTHING_TO_DIGEST");
    ck_assert_str_eq(trial.call.error.path, "/text");
    ck_assert(mica_text_is(
        trial.call.result.error,
        "{\"code\":\"NOTHING_TO_DIGEST\",\"message\":\"The text is empty; pass "
        "at least one character.\",\"path\":\"/text\"}"));
    end_trial(&trial);
    mica_module_release(&module);
}
END_TEST

START_TEST(wrong_input_is_refused_inside_the_module)
{
    struct mica_module *module = open_engine("digest-text");
    ends(module, "{\"text\":1}", MICA_E_TYPE, "text");
    ends(module, "{\"text\"", MICA_E_JSON, "expected");
    ends(module, "", MICA_E_JSON, "expected");
    mica_module_release(&module);
}
END_TEST

START_TEST(a_module_brings_its_manifest)
{
    struct mica_module *module = open_engine("digest-text");
    const char *start = "{\"slug\":\"digest-text\",\"title\":\"Digest a text\"";
    const struct mica_translated *facts = mica_module_translated(module);
    ck_assert(strncmp(facts->manifest, start, strlen(start)) == 0);
    ck_assert_uint_eq(facts->manifest_size, strlen(facts->manifest));
    ck_assert_uint_eq(facts->time_ms, 250);
    ck_assert_uint_ge(facts->stack_bytes, 1000000);
    mica_module_release(&module);
}
END_TEST

// ---- Faults ------------------------------------------------------------------------

static const struct {
    const char *act;
    enum mica_status status;
    const char *words;
} acts[] = {
    {"trap", MICA_E_EXECUTION, "it says cannot be reached"},
    {"divide", MICA_E_EXECUTION, "misbehave has a fault"},
    {"overflow", MICA_E_EXECUTION, "an integer overflowed"},
    {"index", MICA_E_EXECUTION, "an array index was outside"},
    {"convert", MICA_E_EXECUTION, "did not fit the integer"},
    {"wild-read", MICA_E_EXECUTION, "outside its memory"},
    {"wild-write", MICA_E_EXECUTION, "outside its memory"},
    {"wild-call", MICA_E_EXECUTION, "through a wrong pointer"},
    {"deep-locals", MICA_E_EXECUTION, "too deeply"},
    {"deep-memory", MICA_E_EXECUTION, "outside its memory"},
    {"endless-loop", MICA_E_TIMEOUT, "limit of 60 ms"},
    {"endless-calls", MICA_E_TIMEOUT, "limit of 60 ms"},
    {"greedy", MICA_E_LIMIT, "2048 KiB of memory"},
    {"verbose", MICA_E_LIMIT, "100000"},
    {"not-a-number", MICA_E_EXECUTION, "number"},
    {"bad-text", MICA_E_EXECUTION, "text"},
};

START_TEST(a_fault_ends_the_call_and_says_what_happened)
{
    char arguments[96];
    struct mica_module *module = open_engine("misbehave");
    (void)snprintf(arguments, sizeof arguments, "{\"act\":\"%s\",\"number\":0}",
                   acts[_i].act);
    ends(module, arguments, acts[_i].status, acts[_i].words);
    gives(module, "{\"act\":\"behave\",\"number\":2}",
          "{\"number\":3,\"text\":\"2\"}");
    mica_module_release(&module);
}
END_TEST

static const struct {
    const char *arguments;
    enum mica_status status;
    const char *words;
} hostile[] = {
    {"p", MICA_E_EXECUTION, "result lies outside its memory"},
    {"P", MICA_E_EXECUTION, "result lies outside its memory"},
    {"s", MICA_E_EXECUTION, "result lies outside its memory"},
    {"j", MICA_E_EXECUTION, "no JSON object"},
    {"u", MICA_E_EXECUTION, "no JSON object"},
    {"S", MICA_E_EXECUTION, "no JSON object"},
    {"a", MICA_E_EXECUTION, "no JSON object"},
    {"c", MICA_E_EXECUTION, "without saying why"},
    {"F", MICA_E_EXECUTION, "without saying why"},
    {"f", MICA_FAILED, "no"},
    {"1", MICA_FAILED, "no"}, // a name of the server, for its own failure
    {"2", MICA_E_EXECUTION, "in words that are the server's"},
    {"4", MICA_E_EXECUTION, "in words that are the server's"},
    {"v", MICA_E_LIMIT, "101 bytes; the limit is 100"},
    {"i", MICA_E_EXECUTION, "through a wrong pointer"},
    {"I", MICA_E_EXECUTION, "through a wrong pointer"},
    {"n", MICA_E_EXECUTION, "converted a number that is not one"},
    {"z", MICA_E_EXECUTION, "divided an integer by zero"},
    {"o", MICA_E_EXECUTION, "did not fit its integer type"},
    {"b", MICA_E_EXECUTION, "outside its memory"},
    {"B", MICA_E_TIMEOUT, "limit of 60 ms"},
    {"l", MICA_E_TIMEOUT, "limit of 60 ms"},
    {"D", MICA_E_EXECUTION, "too deeply"},
    {"gggggggggggg1", MICA_E_LIMIT, "memory"},  // 13: an address outside
    {"gggggggggggg14", MICA_E_LIMIT, "memory"}, // 14: no room, it says
};

START_TEST(nothing_a_module_says_is_believed)
{
    struct mica_module *module = open_engine("hostile");
    ends(module, hostile[_i].arguments, hostile[_i].status, hostile[_i].words);
    gives(module, "g", "{\"n\":7}");
    mica_module_release(&module);
}
END_TEST

START_TEST(arguments_larger_than_the_memory_are_refused)
{
    struct mica_module *module = open_engine("digest-text");
    struct trial trial;
    size_t size = 17 << 20;
    char *large = malloc(size);
    ck_assert_ptr_nonnull(large);
    memset(large, ' ', size);
    start_trial(&trial);
    mica_sandbox_run(module, &trial.call, (struct mica_text){large, size});
    ck_assert_int_eq(trial.call.result.status, MICA_E_LIMIT);
    end_trial(&trial);
    free(large);
    mica_module_release(&module);
}
END_TEST

START_TEST(the_caller_may_allow_less_output)
{
    struct mica_module *module = open_engine("digest-text");
    struct trial trial;
    start_trial(&trial);
    trial.call.output_bytes = 20;
    mica_sandbox_run(module, &trial.call, mica_text("{\"text\":\"abc\"}"));
    ck_assert_int_eq(trial.call.result.status, MICA_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(trial.call.error.message, "the limit is 20"));
    end_trial(&trial);
    mica_module_release(&module);
}
END_TEST

START_TEST(an_arena_too_small_for_the_result_is_a_limit)
{
    struct mica_module *module = open_engine("digest-text");
    struct mica_arena arena;
    struct mica_call call;
    char arguments[20000];
    mica_arena_init(&arena, 8 * 1024);
    mica_call_init(&call, &arena);
    memset(arguments, 'x', sizeof arguments);
    memcpy(arguments, "{\"text\":\"", 9);
    memcpy(arguments + sizeof arguments - 2, "\"}", 2);
    mica_sandbox_run(module, &call,
                     (struct mica_text){arguments, sizeof arguments});
    ck_assert_int_eq(call.result.status, MICA_E_LIMIT);
    ck_assert(mica_wellformed_object(call.result.error));
    mica_arena_fini(&arena);
    mica_module_release(&module);
}
END_TEST

// ---- Between calls -------------------------------------------------------------------

START_TEST(nothing_is_left_for_the_next_call)
{
    struct mica_module *module = open_engine("misbehave");
    for (int i = 0; i < 20; i++)
        gives(module, "{\"act\":\"leave\"}", "{\"number\":0,\"text\":\"\"}");
    mica_module_release(&module);
}
END_TEST

START_TEST(nothing_is_left_for_another_module)
{
    struct mica_module *misbehave = open_engine("misbehave");
    struct mica_module *other = open_engine("hostile");
    for (int i = 0; i < 5; i++) {
        gives(misbehave, "{\"act\":\"leave\"}", "{\"number\":0,\"text\":\"\"}");
        gives(other, "k", "{\"n\":1}"); // a global
        gives(other, "m", "{\"n\":1}"); // the last byte of its memory
        gives(other, "M", "{\"n\":1}"); // a byte of memory it grew
        gives(other, "t", "{\"n\":1}"); // an entry of the table
    }
    mica_module_release(&misbehave);
    mica_module_release(&other);
}
END_TEST

START_TEST(nothing_is_left_however_it_was_written)
{
    struct mica_module *module = open_engine("writes");
    for (int i = 0; i < 3; i++) {
        for (char how = 'a'; how <= 'm'; how++) {
            char good[] = {how, '\0'}, past_the_end[] = {how, 'e', '\0'};
            gives(module, good, "{\"n\":0}");
            if (how < 'm') // which writes no bytes: they may lie at the end
                ends(module, past_the_end, MICA_E_EXECUTION, "its memory");
        }
        gives(module, "me", "{\"n\":0}");
    }
    mica_module_release(&module);
}
END_TEST

START_TEST(nothing_is_left_by_a_call_that_was_cut_off)
{
    struct mica_module *module = open_engine("hostile");
    ends(module, "B", MICA_E_TIMEOUT, "60 ms"); // fills 3.9 MB with ones
    gives(module, "M", "{\"n\":1}");
    gives(module, "m", "{\"n\":1}");
    mica_module_release(&module);
}
END_TEST

#if !defined(UNDER_TSAN) && !defined(UNDER_ASAN) // they use memory themselves
// Memory of this process that is in use, in KiB.
static long
resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%*d %ld", &pages), 1);
    (void)fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

START_TEST(large_memory_is_given_back)
{
    struct mica_module *module = open_engine("hostile");
    gives(module, "g", "{\"n\":7}");
    long before = resident_kib();
    ends(module, "B", MICA_E_TIMEOUT, "60 ms"); // touches 3.9 MB
    long after = resident_kib();
    ck_assert_msg(after - before < 1500, "%ld KiB more", after - before);
    // One large call after the other keeps it, small ones give it back.
    ends(module, "B", MICA_E_TIMEOUT, "60 ms");
    after = resident_kib();
    ck_assert_msg(after - before > 3000, "%ld KiB more", after - before);
    gives(module, "g", "{\"n\":7}");
    gives(module, "g", "{\"n\":7}");
    after = resident_kib();
    ck_assert_msg(after - before < 1500, "%ld KiB more", after - before);
    mica_module_release(&module);
}
END_TEST
#endif

// ---- Time ----------------------------------------------------------------------------

START_TEST(a_time_limit_holds)
{
    struct mica_module *module = open_engine("misbehave");
    int64_t start = now_ms();
    ends(module, "{\"act\":\"endless-loop\"}", MICA_E_TIMEOUT, "60 ms");
    int64_t spent = now_ms() - start;
    ck_assert_int_ge(spent, 60);
    ck_assert_int_lt(spent, 20000); // the limit is one of processor time
    mica_module_release(&module);
}
END_TEST

// The processor time of a call of straight-line code that has this budget.
static double
fill_for(struct mica_module *module, uint32_t budget_ms,
         enum mica_status status)
{
    struct timespec before, after;
    struct trial trial;
    start_trial(&trial);
    trial.call.budget_ms = budget_ms;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    mica_sandbox_run(module, &trial.call, mica_text("{\"at\":7}"));
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    ck_assert_msg(trial.call.result.status == status, "%s",
                  trial.call.error.message);
    end_trial(&trial);
    return (double)(after.tv_sec - before.tv_sec) +
           (double)(after.tv_nsec - before.tv_nsec) / 1e9;
}

START_TEST(straight_line_code_with_large_fills_is_stopped)
{
    struct mica_module *module = open_engine("fills");
    double all = fill_for(module, 60000, MICA_OK);
    double stopped = fill_for(module, 1, MICA_E_TIMEOUT);
    // 64 fills, of which it is stopped before one of the first.
    ck_assert_msg(stopped < all / 2, "%f s of %f s", stopped, all);
    mica_module_release(&module);
}
END_TEST

START_TEST(a_budget_replaces_the_limit)
{
    struct mica_module *module = open_engine("misbehave");
    struct trial trial;
    start_trial(&trial);
    trial.call.budget_ms = 1;
    mica_sandbox_run(module, &trial.call,
                     mica_text("{\"act\":\"endless-loop\"}"));
    ck_assert_int_eq(trial.call.result.status, MICA_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(trial.call.error.message, "limit of 1 ms"));
    end_trial(&trial);
    mica_module_release(&module);
}
END_TEST

START_TEST(a_call_that_ends_in_time_is_never_stopped)
{
    // About a millisecond of work each, so that many are under way when the
    // watchdog looks.
    struct mica_module *module = open_engine("digest-text");
    for (int i = 0; i < 200; i++)
        gives(module, "{\"text\":\"abc\",\"rounds\":100000}",
              "{\"digest\":3360394789,\"copy\":\"abc\"}");
    mica_module_release(&module);
}
END_TEST

START_TEST(a_sleeping_watchdog_wakes_for_a_call)
{
    struct mica_module *module = open_engine("misbehave");
    for (int i = 0; i < 3; i++) {
        gives(module, "{\"act\":\"behave\"}", "{\"number\":1,\"text\":\"0\"}");
        unit_sleep(200); // it lies down after about 64 ms
        ends(module, "{\"act\":\"endless-loop\"}", MICA_E_TIMEOUT, "60 ms");
    }
    mica_module_release(&module);
}
END_TEST

// How often threads of this process gave up their processor in a tenth of a
// second: about a hundred times when the watchdog ticks.
static long
switches(void)
{
    struct rusage before, after;
    (void)getrusage(RUSAGE_SELF, &before);
    unit_sleep(100);
    (void)getrusage(RUSAGE_SELF, &after);
    return after.ru_nvcsw - before.ru_nvcsw;
}

START_TEST(an_idle_watchdog_costs_nothing)
{
    struct mica_module *module = open_engine("misbehave");
    gives(module, "{\"act\":\"behave\"}", "{\"number\":1,\"text\":\"0\"}");
    // On a busy machine it takes its time to lie down, and one quiet moment may be one
    // in which it was given no processor.
    int quiet = 0;
    for (int waits = 0; quiet < 3 && waits < 100; waits++)
        quiet = switches() <= 5 ? quiet + 1 : 0;
    ck_assert_int_eq(quiet, 3);
    mica_module_release(&module);
}
END_TEST

// ---- Cancelling ------------------------------------------------------------------------

static void *
cancel_soon(void *data)
{
    unit_sleep(10);
    atomic_store((atomic_bool *)data, true);
    return NULL;
}

START_TEST(a_running_call_can_be_cancelled)
{
    struct mica_module *module = open_engine("misbehave");
    struct trial trial;
    atomic_bool cancelled = false;
    pthread_t thread;
    start_trial(&trial);
    trial.call.cancelled = &cancelled;
    trial.call.budget_ms = 20000;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, &cancelled), 0);
    int64_t start = now_ms();
    mica_sandbox_run(module, &trial.call,
                     mica_text("{\"act\":\"endless-calls\"}"));
    ck_assert_int_eq(trial.call.result.status, MICA_E_CANCELLED);
    ck_assert_int_lt(now_ms() - start, 20000); // and that long before its limit
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    end_trial(&trial);
    mica_module_release(&module);
}
END_TEST

START_TEST(a_cancelled_call_does_not_begin)
{
    struct mica_module *module = open_engine("digest-text");
    struct trial trial;
    atomic_bool cancelled = true;
    start_trial(&trial);
    trial.call.cancelled = &cancelled;
    mica_sandbox_run(module, &trial.call, mica_text("{\"text\":\"abc\"}"));
    ck_assert_int_eq(trial.call.result.status, MICA_E_CANCELLED);
    end_trial(&trial);
    mica_module_release(&module);
}
END_TEST

// ---- Processes, threads, counters --------------------------------------------------------

static void *
run_one_of_each(void *data)
{
    struct mica_module *module = data;
    gives(module, "{\"act\":\"behave\"}", "{\"number\":1,\"text\":\"0\"}");
    ends(module, "{\"act\":\"trap\"}", MICA_E_EXECUTION, "fault");
    ends(module, "{\"act\":\"greedy\"}", MICA_E_LIMIT, "memory");
    ends(module, "{\"act\":\"endless-loop\"}", MICA_E_TIMEOUT, "60 ms");
    return NULL;
}

START_TEST(counters_keep_what_ended_threads_did)
{
    struct mica_module *module = open_engine("misbehave");
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        ck_assert_int_eq(pthread_create(&thread, NULL, run_one_of_each, module),
                         0);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
    }
    struct mica_sandbox_counters counters = mica_sandbox_counters();
    ck_assert_uint_eq(counters.calls, 12);
    ck_assert_uint_eq(counters.traps, 3);
    ck_assert_uint_eq(counters.limits, 3);
    ck_assert_uint_eq(counters.timeouts, 3);
    ck_assert_uint_eq(counters.cancelled, 0);
    mica_module_release(&module);
}
END_TEST

#ifndef UNDER_TSAN // which allows no threads after a fork
START_TEST(a_forked_process_has_a_watchdog_of_its_own)
{
    struct mica_module *module = open_engine("misbehave");
    run_one_of_each(module);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct trial trial;
        start_trial(&trial);
        mica_sandbox_run(module, &trial.call,
                         mica_text("{\"act\":\"endless-loop\"}"));
        _exit(trial.call.result.status == MICA_E_TIMEOUT ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    mica_module_release(&module);
}
END_TEST
#endif

START_TEST(a_module_lives_as_long_as_a_reference)
{
    struct mica_module *module = open_engine("digest-text");
    struct mica_module *second = module;
    mica_module_retain(second);
    mica_module_release(&module);
    gives(second, "{\"text\":\"abc\"}",
          "{\"digest\":88168267,\"copy\":\"abc\"}");
    mica_module_release(&second);
    mica_module_release(&second); // nothing there: nothing happens
}
END_TEST

// ---- Loading -----------------------------------------------------------------------------

static void
is_refused(const char *folder, enum mica_status expected, const char *words)
{
    struct mica_module *module = NULL;
    struct mica_error error;
    enum mica_status status =
        mica_module_open(folder, "digest-text", &error, &module);
    ck_assert_msg(status == expected, "%s %s", mica_status_code(status),
                  status == MICA_OK ? "" : error.message);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
}

START_TEST(only_files_out_of_reach_of_others_are_loaded)
{
    char folder[] = "/tmp/mica-test-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    copy_engine(folder, "digest-text");
    struct mica_module *module = NULL;
    struct mica_error error;
    ck_assert_int_eq(mica_module_open(folder, "digest-text", &error, &module),
                     MICA_OK);
    mica_module_release(&module);

    change(folder, "chmod g+w digest-text-*.so");
    is_refused(folder, MICA_E_TRUST, "chmod go-w");
    change(folder, "chmod g-w digest-text-*.so; chmod o+w digest-text.wasm");
    is_refused(folder, MICA_E_TRUST, "Others may write");
    change(folder, "chmod o-w digest-text.wasm; chmod g+w .");
    is_refused(folder, MICA_E_TRUST, folder);
    // The sticky bit helps a folder above, not the one with the files.
    change(folder, "chmod 1777 .");
    is_refused(folder, MICA_E_TRUST, folder);
    change(folder, "chmod 755 .");
    if (geteuid() == 0) { // only root can give a file away
        change(folder, "chown 65534 digest-text-*.so");
        is_refused(folder, MICA_E_TRUST, "belongs to user 65534");
        change(folder, "chown 0 digest-text-*.so");
    }
    change(folder, "mv digest-text.wasm a; ln -s a digest-text.wasm");
    is_refused(folder, MICA_E_TRUST, "neither a file nor a folder");
    remove_folder(folder);
}
END_TEST

START_TEST(a_translation_of_another_module_is_not_loaded)
{
    char folder[] = "/tmp/mica-test-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    copy_engine(folder, "digest-text");
    change(folder, "printf x >> digest-text.wasm");
    is_refused(folder, MICA_E_NOT_FOUND, "no translation beside it");
    change(folder, "mv digest-text-*.so "
                   "digest-text-$(sha256sum digest-text.wasm | cut -c1-64).so");
    is_refused(folder, MICA_E_USAGE, "Build it again");
    change(folder, "for f in *.so; do printf junk > $f; done");
    is_refused(folder, MICA_E_IO, "Cannot load");
    change(folder, "rm *.wasm");
    is_refused(folder, MICA_E_NOT_FOUND, "digest-text.wasm");
    remove_folder(folder);
    is_refused(folder, MICA_E_NOT_FOUND, "There is no folder");
}
END_TEST

START_TEST(a_name_does_not_leave_its_folder)
{
    struct mica_module *module;
    struct mica_error error;
    static const char *const names[] = {"",  "../x", "a/b",
                                        ".", "..",   ".hidden"};
    for (size_t i = 0; i < MICA_COUNT(names); i++)
        ck_assert_int_eq(
            mica_module_open(engines_folder(), names[i], &error, &module),
            MICA_E_USAGE);
}
END_TEST

START_TEST(another_version_of_the_interface_is_refused)
{
    struct mica_module *module = open_engine("digest-text"), *copy = NULL;
    struct mica_translated other = *mica_module_translated(module);
    struct mica_error error;
    other.abi++;
    ck_assert_int_eq(mica_module_builtin(&other, &error, &copy), MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "mica build"));
    other.abi--;
    ck_assert_int_eq(mica_module_builtin(&other, &error, &copy), MICA_OK);
    gives(copy, "{\"text\":\"abc\"}", "{\"digest\":88168267,\"copy\":\"abc\"}");
    mica_module_release(&copy);
    mica_module_release(&module);
}
END_TEST

// ---- Results -------------------------------------------------------------------------------

START_TEST(only_json_objects_are_well_formed)
{
    static const char *const good[] = {
        "{}",
        " { } ",
        "{\"a\":1}",
        "{\"a\":[]}",
        "{\"a\":[[],{}],\"b\":null}",
        "{\"a\":-0.5e+10,\"b\":0,\"c\":true,\"d\":false}",
        "{\"\\u00e9\\n\\\\\":\"\xC3\xA9 \\uD83D\\uDE00\"}",
        "{\"a\":{\"b\":{\"c\":[1,2,{\"d\":\"e\"}]}}}\n"};
    static const char *const bad[] = {"",
                                      "[]",
                                      "1",
                                      "{",
                                      "}",
                                      "{}{}",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "{,}",
                                      "{a:1}",
                                      "{\"a\":01}",
                                      "{\"a\":1.}",
                                      "{\"a\":.5}",
                                      "{\"a\":+1}",
                                      "{\"a\":1e}",
                                      "{\"a\":NaN}",
                                      "{\"a\":[1,]}",
                                      "{\"a\":[1}",
                                      "{\"a\":{]}",
                                      "{\"a\":\"\n\"}",
                                      "{\"a\":\"\\x\"}",
                                      "{\"a\":\"\\u12g4\"}",
                                      "{\"a\":\"\\uD800\"}",
                                      "{\"a\":\"\\uDC00\\uD800\"}",
                                      "{\"a\":\"\\uD800\\u0041\"}",
                                      "{\"a\":\"\xFF\"}",
                                      "{\"a\":\"b}",
                                      "{\"a\":tru}",
                                      "{\"a\":nulll}",
                                      "{\"a\" 1}",
                                      "{\"a\":1 \"b\":2}",
                                      "{\"a\":\"\xED\xA0\x80\"}",
                                      "{\"a\":-}",
                                      "{\"a\":\"\\"};
    for (size_t i = 0; i < MICA_COUNT(good); i++)
        ck_assert_msg(mica_wellformed_object(mica_text(good[i])), "%s",
                      good[i]);
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(!mica_wellformed_object(mica_text(bad[i])), "%s", bad[i]);
    ck_assert(!mica_wellformed_object((struct mica_text){"{\"a\":\0}", 7}));
}
END_TEST

START_TEST(nesting_has_a_limit)
{
    enum {
        DEEPEST = 512
    };
    char text[4 * DEEPEST + 16];
    for (int depth = DEEPEST - 1; depth <= DEEPEST + 1; depth++) {
        char *at = stpcpy(text, "{\"a\":");
        for (int i = 1; i < depth; i++)
            *at++ = '[';
        for (int i = 1; i < depth; i++)
            *at++ = ']';
        *at++ = '}';
        *at = '\0';
        ck_assert_int_eq(mica_wellformed_object(mica_text(text)),
                         depth <= DEEPEST);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("sandbox");
    TCase *calls = tcase_create("calls"), *loading = tcase_create("loading");
    tcase_set_timeout(calls, 60);
    tcase_add_test(calls, a_good_call_gives_its_output);
    tcase_add_test(calls, a_failure_of_the_handler_keeps_its_words);
    tcase_add_test(calls, wrong_input_is_refused_inside_the_module);
    tcase_add_test(calls, a_module_brings_its_manifest);
    tcase_add_loop_test(calls, a_fault_ends_the_call_and_says_what_happened, 0,
                        MICA_COUNT(acts));
    tcase_add_loop_test(calls, nothing_a_module_says_is_believed, 0,
                        MICA_COUNT(hostile));
    tcase_add_test(calls, arguments_larger_than_the_memory_are_refused);
    tcase_add_test(calls, the_caller_may_allow_less_output);
    tcase_add_test(calls, an_arena_too_small_for_the_result_is_a_limit);
    tcase_add_test(calls, nothing_is_left_for_the_next_call);
    tcase_add_test(calls, nothing_is_left_for_another_module);
    tcase_add_test(calls, nothing_is_left_however_it_was_written);
    tcase_add_test(calls, nothing_is_left_by_a_call_that_was_cut_off);
#if !defined(UNDER_TSAN) && !defined(UNDER_ASAN)
    tcase_add_test(calls, large_memory_is_given_back);
#endif
    tcase_add_test(calls, a_time_limit_holds);
    tcase_add_test(calls, straight_line_code_with_large_fills_is_stopped);
    tcase_add_test(calls, a_budget_replaces_the_limit);
    tcase_add_test(calls, a_call_that_ends_in_time_is_never_stopped);
    tcase_add_test(calls, a_sleeping_watchdog_wakes_for_a_call);
    tcase_add_test(calls, an_idle_watchdog_costs_nothing);
    tcase_add_test(calls, a_running_call_can_be_cancelled);
    tcase_add_test(calls, a_cancelled_call_does_not_begin);
    tcase_add_test(calls, counters_keep_what_ended_threads_did);
#ifndef UNDER_TSAN
    tcase_add_test(calls, a_forked_process_has_a_watchdog_of_its_own);
#endif
    tcase_add_test(calls, a_module_lives_as_long_as_a_reference);
    suite_add_tcase(suite, calls);
    tcase_add_test(loading, only_files_out_of_reach_of_others_are_loaded);
    tcase_add_test(loading, a_translation_of_another_module_is_not_loaded);
    tcase_add_test(loading, a_name_does_not_leave_its_folder);
    tcase_add_test(loading, another_version_of_the_interface_is_refused);
    tcase_add_test(loading, only_json_objects_are_well_formed);
    tcase_add_test(loading, nesting_has_a_limit);
    suite_add_tcase(suite, loading);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}
