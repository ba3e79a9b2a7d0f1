// SPDX-License-Identifier: Apache-2.0
//
// Programs that a build starts and that want more than they get: memory, files,
// time, a life of their own. Stand-ins where a compiler would have to be hostile,
// the compilers themselves where a source is enough.
#include "test_build.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "build/files.h"
#include "build/process.h"
#include "check/native.h"

static const struct mica_confinement none = {.profile = MICA_CONFINE_TOOL};

static int64_t
now_ms(void)
{
    struct timespec now;
    ck_assert_int_eq(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct run {
    struct mica_process command;
    struct mica_buffer said;
    struct mica_error error;
    enum mica_status status;
    int exit_status;
    int64_t ms;
};

// Runs a shell script, confined if so.
static void
run_script(struct run *run, const struct mica_confinement *confinement,
           const char *script)
{
    int64_t from = now_ms();
    mica_buffer_init(&run->said, NULL, 1 << 20);
    run->command.confinement = confinement;
    mica_process_add(&run->command, "sh");
    mica_process_add(&run->command, "-c");
    mica_process_add(&run->command, script);
    run->status = mica_process_run(&run->command, NULL, &run->said, &run->error,
                                   &run->exit_status);
    run->ms = now_ms() - from;
    mica_buffer_char(&run->said, '\0');
}

static void
end_run(struct run *run)
{
    mica_buffer_fini(&run->said);
}

// Whether the process is there, and not just its remains.
static bool
lives(long process)
{
    char path[64], state = 'X', name[64];
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    int got = fscanf(file, "%*d (%63[^)]) %c", name, &state);
    (void)fclose(file);
    return got == 2 && state != 'Z' && state != 'X';
}

// Waits at most ten seconds until none of these lives.
static bool
all_end(const long *processes, size_t count)
{
    for (int i = 0; i < 1000; i++) {
        size_t living = 0;
        for (size_t j = 0; j < count; j++)
            living += lives(processes[j]);
        if (living == 0)
            return true;
        (void)usleep(10000);
    }
    return false;
}

// ---- Time --------------------------------------------------------------------------

START_TEST(a_program_that_closes_its_output_is_not_waited_for_longer)
{
    struct run run = {.command.wall_ms = 500};
    run_script(&run, _i == 0 ? NULL : &none,
               "exec >/dev/null 2>&1; exec sleep 60");
    ck_assert_int_eq(run.status, MICA_E_TIMEOUT);
    ck_assert_int_lt(run.ms, 10000);
    end_run(&run);
}
END_TEST

START_TEST(a_program_that_writes_now_and_then_has_one_deadline)
{
    struct run run = {.command.wall_ms = 500};
    run_script(&run, NULL, "while :; do echo x; sleep 0.05; done");
    ck_assert_int_eq(run.status, MICA_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(run.error.message, "did not finish"));
    ck_assert_int_lt(run.ms, 10000);
    end_run(&run);
}
END_TEST

// What it leaves behind holds the output, and would hold the build.
START_TEST(what_a_program_leaves_running_ends_with_it)
{
    struct run run = {.command.wall_ms = 60000};
    long left = 0;
    run_script(&run, _i == 0 ? NULL : &none,
               "sleep 600 & echo $!; (trap '' HUP TERM; exec sleep 601) & "
               "exit 3");
    ck_assert_int_eq(run.status, MICA_OK);
    ck_assert_int_eq(run.exit_status, 3);
    ck_assert_int_lt(run.ms, 30000);
    ck_assert_int_eq(sscanf(run.said.ptr, "%ld", &left), 1);
    ck_assert(all_end(&left, 1));
    end_run(&run);
}
END_TEST

START_TEST(all_that_was_printed_before_the_end_is_there)
{
    struct run run = {.command.wall_ms = 60000};
    run_script(&run, NULL, "head -c 300000 /dev/zero | tr '\\0' x; exit 7");
    ck_assert_int_eq(run.status, MICA_OK);
    ck_assert_int_eq(run.exit_status, 7);
    ck_assert_uint_eq(run.said.len, 300001);
    end_run(&run);
}
END_TEST

START_TEST(there_is_nothing_to_read)
{
    struct run run = {.command.wall_ms = 60000};
    run_script(&run, &none, "cat; echo end of input");
    ck_assert_int_eq(run.status, MICA_OK);
    ck_assert_str_eq(run.said.ptr, "end of input\n");
    end_run(&run);
}
END_TEST

// ---- Death -------------------------------------------------------------------------

// A process that builds with a program of three generations, and is killed.
START_TEST(all_of_it_ends_when_this_process_is_killed)
{
    long processes[3] = {0};
    char path[PATH_MAX];
    struct bench bench;
    int got = 0;
    open_bench(&bench);
    pid_t builder = fork();
    ck_assert_int_ge(builder, 0);
    if (builder == 0) {
        const struct mica_confinement confinement = {MICA_CONFINE_TOOL,
                                                     bench.folder, NULL};
        char script[PATH_MAX];
        struct run run = {.command.wall_ms = 60000};
        (void)snprintf(script, sizeof script,
                       "cd %s; (sleep 600 & echo $! >>ids; wait) & "
                       "echo $$ $! >>ids; wait",
                       bench.folder);
        run_script(&run, _i == 0 ? NULL : &confinement, script);
        _exit(0);
    }
    (void)snprintf(path, sizeof path, "%s/ids", bench.folder);
    for (int i = 0; i < 1000 && got < 3; i++) {
        FILE *file = fopen(path, "r");
        (void)usleep(10000);
        if (file == NULL)
            continue;
        got = fscanf(file, "%ld %ld %ld", &processes[0], &processes[1],
                     &processes[2]);
        (void)fclose(file);
    }
    ck_assert_int_eq(got, 3);
    for (int i = 0; i < 3; i++)
        ck_assert(lives(processes[i]));
    ck_assert_int_eq(kill(builder, SIGKILL), 0);
    ck_assert_int_eq(waitpid(builder, NULL, 0), builder);
    ck_assert(all_end(processes, 3));
    close_bench(&bench);
}
END_TEST

START_TEST(a_confined_program_stays_in_its_group)
{
    struct run run = {.command.wall_ms = 60000};
    run_script(&run, &none, "setsid true && echo away || echo here");
    ck_assert_int_eq(run.status, MICA_OK);
    ck_assert_ptr_nonnull(strstr(run.said.ptr, "here\n"));
    end_run(&run);
}
END_TEST

// ---- Memory, files, processor --------------------------------------------------------

static const struct {
    const char *script, *words;
    struct mica_child_limits limits;
} greedy[] = {
    {"while :; do :; done", "s of processor time", {.cpu_s = 1}},
    {"while :; do :; done & wait $!; exit 1",
     "s of processor time",
     {.cpu_s = 1}},
    {"head -c 3000000 /dev/zero >\"$TMPDIR\"/file",
     "a file of more than 1 MiB",
     {.file_bytes = 1 << 20}},
    {"cd \"$TMPDIR\"; i=0; echo '#define A0 1,1' >a.c; while [ $i -lt 30 ]; "
     "do echo \"#define A$((i + 1)) A$i,A$i\"; i=$((i + 1)); done >>a.c; "
     "echo 'int a[] = {A30};' >>a.c; cc -c a.c",
     "needs more than 200 MiB of memory",
     {.memory_bytes = 200 << 20}},
};

START_TEST(a_program_that_wants_more_than_it_may_have_is_named)
{
    struct bench bench;
    struct run run = {.command = {.limits = greedy[_i].limits}};
    open_bench(&bench);
    const struct mica_confinement confinement = {MICA_CONFINE_TOOL,
                                                 bench.folder, NULL};
    run_script(&run, &confinement, greedy[_i].script);
    ck_assert_msg(run.status == MICA_E_LIMIT, "%s: %d %s",
                  mica_status_code(run.status), run.exit_status, run.said.ptr);
    ck_assert_msg(strstr(run.error.message, greedy[_i].words) != NULL, "%s",
                  run.error.message);
    ck_assert_int_lt(run.ms, 30000);
    end_run(&run);
    close_bench(&bench);
}
END_TEST

START_TEST(no_program_leaves_its_memory_in_a_file)
{
    struct run run = {.command.wall_ms = 60000};
    run_script(&run, NULL, "ulimit -c");
    ck_assert_str_eq(run.said.ptr, "0\n");
    end_run(&run);
}
END_TEST

// ---- Sources that would not end ------------------------------------------------------

#define TEN(a)   a a a a a a a a a a
#define WHOLE(s) BEFORE s HANDLER "out->b = in->a;" AFTER("greedy")

static const struct {
    const char *source, *words;
} sources[] = {
    // An array that is not zero is written out.
    {WHOLE("char big[400000000] = {1};\n"), "a file of more than 256 MiB"},
    {WHOLE("char large[3000000000u] = {1, [2999999999u] = 1};\n"), ""},
    // Each macro doubles the one before it.
    {WHOLE("#define A0 1,1,1,1,1,1,1,1\n#define A1 A0,A0,A0,A0,A0,A0,A0,A0\n"
           "#define A2 A1,A1,A1,A1,A1,A1,A1,A1\n"
           "#define A3 A2,A2,A2,A2,A2,A2,A2,A2\n"
           "#define A4 A3,A3,A3,A3,A3,A3,A3,A3\n"
           "#define A5 A4,A4,A4,A4,A4,A4,A4,A4\n"
           "#define A6 A5,A5,A5,A5,A5,A5,A5,A5\n"
           "#define A7 A6,A6,A6,A6,A6,A6,A6,A6\n"
           "#define A8 A7,A7,A7,A7,A7,A7,A7,A7\n"
           "#define A9 A8,A8,A8,A8,A8,A8,A8,A8\n"
           "int many[] = {A9};\n"),
     "needs more than 4096 MiB of memory"},
    {WHOLE("#include __FILE__\n"), "and not a macro"},
};

START_TEST(a_source_that_asks_for_too_much_is_refused)
{
    struct bench bench;
    int64_t from = now_ms();
    open_bench(&bench);
    write_source(&bench, "greedy.c", sources[_i].source);
    builds_to(&bench, "greedy.c", MICA_E_BUILD, sources[_i].words);
    ck_assert_ptr_nonnull(strstr(bench.error.message, "greedy.c"));
    ck_assert_str_eq(bench.error.code, "BUILD_FAILED");
    ck_assert_int_lt(now_ms() - from, 240000);
    close_bench(&bench);
}
END_TEST

// ---- The child of a check ------------------------------------------------------------

// What stands in for an engine that runs natively.
static const struct {
    const char *body;
    unsigned answer_ms, batch_ms;
    enum mica_native_ending first, last;
} children[] = {
    // A byte now and then, and never a line.
    {"int main(void) { for (;;) { (void)!write(1, \"1\", 1); usleep(20000); } "
     "}",
     300, 60000, MICA_NATIVE_LATE, MICA_NATIVE_LATE},
    // An answer now and then, each in its time.
    {"int main(void) { for (;;) { (void)!write(1, \"0 {}\\n\", 5); "
     "usleep(100000); } }",
     60000, 2500, MICA_NATIVE_ANSWERED, MICA_NATIVE_LATE},
    // Nothing is said, and nothing ends.
    {"int main(void) { close(1); for (;;) pause(); }", 60000, 60000,
     MICA_NATIVE_LOST, MICA_NATIVE_LOST},
};

START_TEST(a_child_of_a_check_has_one_deadline)
{
    struct mica_text inputs[40];
    struct mica_native_result results[40];
    struct mica_native native = {.time_ms = 100,
                                 .memory_bytes = 1 << 30,
                                 .answer_ms = children[_i].answer_ms,
                                 .batch_ms = children[_i].batch_ms};
    struct mica_error error = {0};
    struct mica_arena arena;
    struct bench bench;
    size_t count = _i == 1 ? MICA_COUNT(inputs) : 2;
    open_bench(&bench);
    mica_arena_init(&arena, 1 << 20);
    write_source(&bench, "child.c", children[_i].body);
    ck_assert(
        shell(&bench, "cc -w -static -include unistd.h -o child child.c"));
    (void)snprintf(native.program, PATH_MAX, "%s/child", bench.folder);
    for (size_t i = 0; i < count; i++)
        inputs[i] = mica_text("{}");
    int64_t from = now_ms();
    ck_assert_int_eq(
        mica_native_run(&native, &arena, inputs, count, &error, results),
        MICA_OK);
    ck_assert_int_eq(results[0].ending, children[_i].first);
    ck_assert_int_eq(results[count - 1].ending, children[_i].last);
    mica_native_stop(&native);
    ck_assert_int_lt(now_ms() - from, 20000);
    mica_arena_fini(&arena);
    close_bench(&bench);
}
END_TEST

// The folder of a build, made by a process that is killed.
static void
leave_folder(const char *parent, char folder[PATH_MAX])
{
    int ends[2], status;
    pid_t child;

    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        int lock;
        if (mica_folder_temporary(parent, folder, &lock, NULL) != MICA_OK ||
            write(ends[1], folder, PATH_MAX) != PATH_MAX)
            _exit(1);
        (void)raise(SIGKILL);
    }
    ck_assert_int_eq(read(ends[0], folder, PATH_MAX), PATH_MAX);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static bool
is_there(const char *folder)
{
    return access(folder, F_OK) == 0;
}

// As if it had been made that long ago.
static void
age(const char *folder, time_t seconds)
{
    const struct timespec then = {.tv_sec = time(NULL) - seconds};
    const struct timespec times[2] = {then, then};

    ck_assert_int_eq(utimensat(AT_FDCWD, folder, times, 0), 0);
}

START_TEST(the_folder_of_a_build_goes_with_its_process)
{
    char parent[] = "/tmp/mica-test-XXXXXX";
    char mine[PATH_MAX], left[PATH_MAX], next[PATH_MAX];
    int lock, next_lock;

    ck_assert_ptr_nonnull(mkdtemp(parent));
    ck_assert_int_eq(mica_folder_temporary(parent, mine, &lock, NULL), MICA_OK);
    ck_assert_int_ge(lock, 0);
    leave_folder(parent, left);
    ck_assert(is_there(left));
    // One that is being made now has no lock yet.
    ck_assert_int_eq(mica_folder_temporary(parent, next, &next_lock, NULL),
                     MICA_OK);
    mica_folder_discard(next, next_lock);
    ck_assert(is_there(left));
    age(left, 60);
    age(mine, 7200);
    ck_assert_int_eq(mica_folder_temporary(parent, next, &next_lock, NULL),
                     MICA_OK);
    ck_assert(!is_there(left));
    ck_assert(is_there(mine));
    mica_folder_discard(next, next_lock);
    mica_folder_discard(mine, lock);
    ck_assert(!is_there(mine));
    ck_assert_int_eq(rmdir(parent), 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("process");
    TCase *cases = tcase_create("process");
    tcase_set_timeout(cases, 300);
    suite_add_tcase(suite, cases);
    tcase_add_loop_test(
        cases, a_program_that_closes_its_output_is_not_waited_for_longer, 0, 2);
    tcase_add_test(cases, a_program_that_writes_now_and_then_has_one_deadline);
    tcase_add_loop_test(cases, what_a_program_leaves_running_ends_with_it, 0,
                        2);
    tcase_add_test(cases, all_that_was_printed_before_the_end_is_there);
    tcase_add_test(cases, there_is_nothing_to_read);
    tcase_add_loop_test(cases, all_of_it_ends_when_this_process_is_killed, 0,
                        2);
    tcase_add_test(cases, a_confined_program_stays_in_its_group);
    tcase_add_test(cases, the_folder_of_a_build_goes_with_its_process);
    tcase_add_loop_test(cases,
                        a_program_that_wants_more_than_it_may_have_is_named, 0,
                        (int)MICA_COUNT(greedy));
    tcase_add_test(cases, no_program_leaves_its_memory_in_a_file);
    tcase_add_loop_test(cases, a_source_that_asks_for_too_much_is_refused, 0,
                        (int)MICA_COUNT(sources));
    tcase_add_loop_test(cases, a_child_of_a_check_has_one_deadline, 0,
                        (int)MICA_COUNT(children));
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}
