// SPDX-License-Identifier: Apache-2.0
//
// One pipe, one deadline. The child gets an English environment, so that what a
// compiler says is the same for everybody, and what it says is also where its
// limits show: a compiler starts others, and only they are ended by a signal.
#include "build/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "platform/clock.h"

enum {
    SLICE_MS = 20, // after which mica_process_end_all is noticed
    ENVIRONMENT_MAX = 1024
};

// From mica_process_end_all on none lives.
static atomic_bool process_ended;

void
mica_process_end_all(void)
{
    atomic_store(&process_ended, true);
}

bool
mica_process_are_ended(void)
{
    return atomic_load(&process_ended);
}

void
mica_process_add(struct mica_process *command, const char *wordz)
{
    MICA_ASSERT(command->count + 1 < MICA_COUNT(command->words));
    command->words[command->count++] = wordz;
    command->words[command->count] = NULL;
}

void
mica_process_add_all(struct mica_process *command, const char *const *words)
{
    while (*words != NULL)
        mica_process_add(command, *words++);
}

// ---- Its environment -----------------------------------------------------------------

// `ours`, and what this process has of others. A confined compiler has no other
// folder for temporary files, and reaches no cache.
static void
make_environment(char *out[ENVIRONMENT_MAX], char *const ours[])
{
    static const char *const replaced[] = {"LC_", "LANG",
                                           "TMPDIR=", "CCACHE_DISABLE="};
    size_t count = 0, known = ours[1] == NULL ? 2 : MICA_COUNT(replaced);
    while (*ours != NULL)
        out[count++] = *ours++;
    for (char **at = environ; *at != NULL && count + 1 < ENVIRONMENT_MAX;
         at++) {
        bool keep = true;
        for (size_t i = 0; i < known; i++)
            keep = keep && strncmp(*at, replaced[i], strlen(replaced[i])) != 0;
        if (keep)
            out[count++] = *at;
    }
    out[count] = NULL;
}

// Starts it with `out` for what it prints. What a confined program writes besides
// goes to the folder of its confinement.
static enum mica_status
start_command(const struct mica_process *command, const char *folder, int out,
              struct mica_error *error, struct mica_child *child_out)
{
    const struct mica_confinement *confinement = command->confinement;
    char localez[] = "LC_ALL=C", uncached[] = "CCACHE_DISABLE=1";
    char temporary[PATH_MAX + 8], whole[PATH_MAX];
    char *environment[ENVIRONMENT_MAX];
    char *ours[] = {localez, NULL, NULL, NULL};
    if (confinement != NULL && confinement->write_dir != NULL &&
        realpath(confinement->write_dir, whole) != NULL) {
        (void)snprintf(temporary, sizeof temporary, "TMPDIR=%s", whole);
        ours[1] = uncached;
        ours[2] = temporary;
    }
    make_environment(environment, ours);
    const struct mica_child_plan plan = {.words = command->words,
                                         .environment = environment,
                                         .folder = folder,
                                         .confinement = confinement,
                                         .limits = command->limits,
                                         .in = -1,
                                         .out = out,
                                         .errors = out,
                                         .extra = -1};
    return mica_child_start(&plan, error, child_out);
}

// ---- Until it ends -------------------------------------------------------------------

// Waits for what it prints, or a while. False when the pipe is closed.
static bool
collect_some(int pipe_end, int wait_ms, struct mica_buffer *output,
             bool *silent_out)
{
    char bytes[4096];
    struct pollfd ready = {.fd = pipe_end, .events = POLLIN};
    *silent_out = poll(&ready, 1, wait_ms) <= 0;
    if (*silent_out)
        return true;
    ssize_t got = read(pipe_end, bytes, sizeof bytes);
    if (got > 0)
        mica_buffer_add(output, bytes, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

// Until the program has ended and what it printed is read. What it has started may
// hold the pipe longer, and the program may close it earlier. False when the time is
// over, or no child is to live.
static bool
child_collect(const struct mica_child *child, int64_t deadline, int pipe_end,
              struct mica_buffer *output)
{
    bool open = true;
    for (int pause_ms = 1;;) {
        bool gone = mica_child_has_ended(child), silent = true;
        if (mica_clock_ms() >= deadline || atomic_load(&process_ended))
            return false;
        if (open)
            open = collect_some(pipe_end, gone ? 0 : SLICE_MS, output, &silent);
        if (gone && (silent || !open))
            return true;
        if (!open) {
            (void)poll(NULL, 0, pause_ms);
            pause_ms = pause_ms < SLICE_MS ? 2 * pause_ms : SLICE_MS;
        }
    }
}

// ---- What it has run into --------------------------------------------------------------

static bool
says_one_of(const struct mica_buffer *output, const char *const *phrases)
{
    for (; *phrases != NULL; phrases++)
        if (output->len > 0 && memmem(output->ptr, output->len, *phrases,
                                      strlen(*phrases)) != NULL)
            return true;
    return false;
}

// A confined program that failed, at a limit or otherwise.
static enum mica_status
check_limits(const struct mica_process *command,
             const struct mica_buffer *output, int exit_status,
             struct mica_error *error)
{
    static const char *const no_memory[] = {
        "LLVM ERROR: out of memory", ": out of memory allocating",
        "memory exhausted",          "std::bad_alloc",
        "Cannot allocate memory",    NULL};
    static const char *const no_time[] = {"CPU time limit exceeded", NULL};
    static const char *const no_file[] = {"File too large",
                                          "File size limit exceeded", NULL};
    const struct mica_child_limits *own = &command->limits;
    unsigned cpu_s = own->cpu_s > 0 ? own->cpu_s : MICA_CHILD_CPU_S;
    uint64_t memory =
        own->memory_bytes > 0 ? own->memory_bytes : MICA_CHILD_MEMORY_BYTES;
    uint64_t file =
        own->file_bytes > 0 ? own->file_bytes : MICA_CHILD_FILE_BYTES;
    const char *program = command->words[0];
    if (exit_status == 128 + SIGXCPU || says_one_of(output, no_time))
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s was stopped after %u s of processor time. "
                              "Let macros expand to less, and leave to the "
                              "engine what it can compute itself.",
                              program, cpu_s);
    if (exit_status == 128 + SIGXFSZ || says_one_of(output, no_file))
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s would write a file of more than %llu MiB. "
                              "Make arrays and tables smaller.",
                              program, (unsigned long long)(file >> 20));
    if (says_one_of(output, no_memory))
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s needs more than %llu MiB of memory. Make "
                              "tables smaller and let macros expand to less.",
                              program, (unsigned long long)(memory >> 20));
    return MICA_OK;
}

static enum mica_status
tell_unfinished(const struct mica_process *command, unsigned wall_ms,
                struct mica_error *error)
{
    if (atomic_load(&process_ended))
        return mica_error_set(error, MICA_E_CANCELLED, "",
                              "%s was ended with its build.",
                              command->words[0]);
    return mica_error_set(error, MICA_E_TIMEOUT, "",
                          "%s did not finish within %u s.", command->words[0],
                          wall_ms / 1000);
}

enum mica_status
mica_process_run(const struct mica_process *command, const char *folder,
                 struct mica_buffer *output, struct mica_error *error,
                 int *exit_out)
{
    unsigned wall_ms =
        command->wall_ms > 0 ? command->wall_ms : MICA_PROCESS_MS;
    int64_t deadline = mica_clock_ms() + wall_ms;
    struct mica_child child;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return mica_error_set(error, MICA_E_IO, "", "Cannot start %s: %s",
                              command->words[0], strerror(errno));
    enum mica_status status =
        start_command(command, folder, ends[1], error, &child);
    (void)close(ends[1]);
    if (status == MICA_OK) {
        bool in_time = child_collect(&child, deadline, ends[0], output);
        *exit_out = mica_child_end(&child);
        if (!in_time)
            status = tell_unfinished(command, wall_ms, error);
        else if (command->confinement != NULL && *exit_out != 0)
            status = check_limits(command, output, *exit_out, error);
    }
    (void)close(ends[0]);
    return status;
}
