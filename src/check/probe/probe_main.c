// SPDX-License-Identifier: Apache-2.0
//
// The program around an engine that is built natively for a check: reads one
// JSON input a line, writes one result a line, "<status> <json>". A fault of the
// engine or a run over its time ends the program with the line "!<signal>". It
// limits itself before the engine's code runs, and opens nothing.
//
// Arguments: milliseconds a run, bytes of memory. What the profile counted goes
// to descriptor 3 at the end, when that is open.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "engine/run.h"
#include "platform/clock.h"

enum {
    PROFILE = 3,
    CPU_SECONDS = 600,
    FLUSH_BYTES = 64 * 1024,
    PROFILE_BYTES = 1024 * 1024,
    STACK_BYTES = 64 * 1024,
    LINE_MAX_BYTES = 64 * 1024 * 1024
};

extern const struct mica_engine *const mica_module_engine;

// The profile of clang's instrumentation. Defining the first keeps its runtime
// from opening a file of its own. The names are the runtime's.
// NOLINTBEGIN(readability-identifier-naming)
#ifdef __clang__
#    pragma clang diagnostic ignored "-Wreserved-identifier"
#endif
extern int __llvm_profile_runtime;
int __llvm_profile_runtime = 0;
uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *buffer);
// NOLINTEND(readability-identifier-naming)

static struct mica_buffer output;
static char profile[PROFILE_BYTES];
static char signal_stack[STACK_BYTES];

static void
write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(file, bytes, size);

        if (put < 0 && errno != EINTR) {
            return;
        }
        if (put > 0) {
            bytes += put;
            size -= (size_t)put;
        }
    }
}

static void
probe_flush(void)
{
    write_all(STDOUT_FILENO, output.ptr, output.len);
    output.len = 0;
}

// Whether nothing was written for a second: a reader shall see that this
// still runs.
static bool
is_silent(void)
{
    static uint64_t last_s;
    uint64_t now_s = mica_clock_coarse_ms() / 1000;
    bool silent = now_s > last_s + 1;

    last_s = silent ? now_s : last_s;
    return silent;
}

static void
write_profile(void)
{
    uint64_t size = __llvm_profile_get_size_for_buffer();

    if (size <= sizeof profile && __llvm_profile_write_buffer(profile) == 0) {
        write_all(PROFILE, profile, (size_t)size);
    }
}

// Only writes and leaves: all it touches is complete between two inputs.
static _Noreturn void
on_signal(int number)
{
    char line[] = {'!', (char)('0' + number / 10), (char)('0' + number % 10),
                   '\n'};

    probe_flush();
    write_all(STDOUT_FILENO, line, sizeof line);
    write_profile();
    _exit(0);
}

static bool
catch_signals(void)
{
    static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS,
                                  SIGFPE, SIGSEGV, SIGPROF, SIGXCPU};
    stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};

    if (sigaltstack(&stack, NULL) != 0) {
        return false;
    }
    for (size_t i = 0; i < MICA_COUNT(signals); i++) {
        if (sigaction(signals[i], &action, NULL) != 0) {
            return false;
        }
    }
    return true;
}

static bool
probe_limit(int resource, rlim_t most)
{
    struct rlimit both = {most, most};

    return setrlimit((__rlimit_resource_t)resource, &both) == 0;
}

static bool
limit_all(rlim_t memory_bytes)
{
    return probe_limit(RLIMIT_CORE, 0) &&
           probe_limit(RLIMIT_CPU, CPU_SECONDS) &&
           probe_limit(RLIMIT_AS, memory_bytes) &&
           probe_limit(RLIMIT_NOFILE, 0) &&
           probe_limit(RLIMIT_FSIZE, PROFILE_BYTES) &&
           probe_limit(RLIMIT_NPROC, 0);
}

static void
start_timer(unsigned long ms)
{
    struct itimerval timer = {
        .it_value = {(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)}};

    (void)setitimer(ITIMER_PROF, &timer, NULL);
}

static void
probe_run(struct mica_arena *arena, struct mica_text input)
{
    const struct mica_engine *engine = mica_module_engine;
    struct mica_call call;
    struct mica_text json;

    mica_call_init(&call, arena);
    call.output_bytes = engine->output_bytes;
    mica_handler_run(&call, engine->input, engine->output, engine->handler,
                     input);
    json = call.result.status == MICA_OK ? call.result.structured
                                         : call.result.error;
    mica_buffer_format(&output, "%d ", (int)call.result.status);
    mica_buffer_text(&output, json);
    mica_buffer_char(&output, '\n');
    if (output.len >= FLUSH_BYTES || is_silent()) {
        probe_flush();
    }
    mica_arena_reset(arena);
}

// Runs every whole line of `lines` and keeps the rest.
static void
run_lines(struct mica_arena *arena, struct mica_buffer *lines, unsigned long ms)
{
    size_t from = 0;

    for (;;) {
        const char *start = lines->ptr + from;
        const char *end =
            lines->len > from ? memchr(start, '\n', lines->len - from) : NULL;

        if (end == NULL) {
            break;
        }
        start_timer(ms);
        probe_run(arena, (struct mica_text){start, (size_t)(end - start)});
        from = (size_t)(end - lines->ptr) + 1;
    }
    start_timer(0);
    if (from > 0) {
        memmove(lines->ptr, lines->ptr + from, lines->len - from);
        lines->len -= from;
    }
}

int
main(int argc, char **argv)
{
    struct mica_arena arena;
    struct mica_buffer lines;
    unsigned long ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned long memory_bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    if (ms == 0 || memory_bytes == 0 || !limit_all(memory_bytes) ||
        !catch_signals()) {
        return 1;
    }
    mica_buffer_init(&output, NULL, SIZE_MAX / 2);
    mica_buffer_init(&lines, NULL, LINE_MAX_BYTES);
    mica_arena_init(&arena, memory_bytes / 2);
    for (;;) {
        char *room = mica_buffer_reserve(&lines, FLUSH_BYTES);
        ssize_t got = room != NULL ? read(STDIN_FILENO, room, FLUSH_BYTES) : 0;

        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        lines.len += got > 0 ? (size_t)got : 0;
        run_lines(&arena, &lines, ms);
        probe_flush();
    }
    write_profile();
    return 0;
}
