// SPDX-License-Identifier: Apache-2.0
//
// posix_spawn, one pipe, a time limit. The child gets an English environment, so
// that what a compiler says is the same for everybody, and no descriptor but the
// first three.
#include "build/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"

enum {
    LIMIT_MS = 600000, // a small machine under load
    SLICE_MS = 20,     // after which mica_process_end_all is noticed
    ENVIRONMENT_MAX = 1024
};

// From the first mica_process_in_groups on each child leads a group of its own,
// and from mica_process_end_all on none lives.
static atomic_bool process_groups, process_ended;

void
mica_process_in_groups(void)
{
    atomic_store(&process_groups, true);
}

void
mica_process_end_all(void)
{
    atomic_store(&process_ended, true);
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

static int64_t
now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// ---- The child -----------------------------------------------------------------

// posix_spawn's parameters are not const though it changes nothing.
union words {
    const char *const *in;
    char *const *out;
};

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

// What is started, and what has become of it.
struct start {
    const struct mica_process *command;
    const char *folder;
    int pipe_end;
    char temporary[PATH_MAX + 8]; // "TMPDIR=…", or ""
    pid_t child;
};

static int
spawn(void *data)
{
    struct start *start = data;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    char localez[] = "LC_ALL=C", uncached[] = "CCACHE_DISABLE=1";
    char *environment[ENVIRONMENT_MAX];
    char *ours[] = {localez, uncached, start->temporary, NULL};
    union words words = {.in = start->command->words};
    if (start->temporary[0] == '\0')
        ours[1] = NULL;
    make_environment(environment, ours);
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0)
        return failure;
    failure = posix_spawnattr_init(&attributes);
    if (failure != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return failure;
    }
    (void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY,
                                           0);
    (void)posix_spawn_file_actions_adddup2(&actions, start->pipe_end, 1);
    (void)posix_spawn_file_actions_adddup2(&actions, start->pipe_end, 2);
    (void)posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (start->folder != NULL)
        (void)posix_spawn_file_actions_addchdir_np(&actions, start->folder);
    (void)sigemptyset(&none);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setflags(
        &attributes,
        (short)(POSIX_SPAWN_SETSIGMASK |
                (atomic_load(&process_groups) ? POSIX_SPAWN_SETPGROUP : 0)));
    failure = posix_spawnp(&start->child, start->command->words[0], &actions,
                           &attributes, words.out, environment);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failure;
}

// ---- What it prints --------------------------------------------------------------

// Reads until the child closes its end. False when the time is over, or no child
// is to live.
static bool
collect(int pipe_end, struct mica_buffer *output)
{
    int64_t deadline = now_ms() + LIMIT_MS;
    for (;;) {
        char bytes[4096];
        int64_t left = deadline - now_ms();
        struct pollfd ready = {.fd = pipe_end, .events = POLLIN};
        if (left <= 0 || atomic_load(&process_ended))
            return false;
        if (atomic_load(&process_groups) && left > SLICE_MS)
            left = SLICE_MS;
        if (poll(&ready, 1, (int)left) <= 0)
            continue; // a signal, the time is over, or to look again
        ssize_t got = read(pipe_end, bytes, sizeof bytes);
        if (got == 0 || (got < 0 && errno != EINTR))
            return true;
        if (got > 0)
            mica_buffer_add(output, bytes, (size_t)got);
    }
}

static int
wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static enum mica_status
no_start(const char *program, int failure, struct mica_error *error)
{
    if (failure == ENOENT)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no program %s.", program);
    return mica_error_set(error, MICA_E_IO, "", "Cannot start %s: %s", program,
                          strerror(failure));
}

// Confined when the command says so. What a confined program writes besides goes
// to the folder of its confinement.
static enum mica_status
start_command(struct start *start, struct mica_error *error)
{
    const struct mica_confinement *confinement = start->command->confinement;
    const char *program = start->command->words[0];
    char whole[PATH_MAX];
    int failure;
    if (confinement == NULL) {
        failure = spawn(start);
    } else {
        if (confinement->write_dir != NULL &&
            realpath(confinement->write_dir, whole) != NULL)
            (void)snprintf(start->temporary, sizeof start->temporary,
                           "TMPDIR=%s", whole);
        MICA_TRY(mica_confine_call(confinement, program, spawn, start, error,
                                   &failure));
    }
    return failure == 0 ? MICA_OK : no_start(program, failure, error);
}

enum mica_status
mica_process_run(const struct mica_process *command, const char *folder,
                 struct mica_buffer *output, struct mica_error *error,
                 int *exit_out)
{
    int ends[2];
    struct start start = {.command = command, .folder = folder};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return no_start(command->words[0], errno, error);
    start.pipe_end = ends[1];
    enum mica_status status = start_command(&start, error);
    (void)close(ends[1]);
    if (status != MICA_OK) {
        (void)close(ends[0]);
        return status;
    }
    bool in_time = collect(ends[0], output);
    (void)close(ends[0]);
    if (!in_time)
        (void)kill(atomic_load(&process_groups) ? -start.child : start.child,
                   SIGKILL);
    int exit_status = wait_for(start.child);
    if (!in_time && atomic_load(&process_ended))
        return mica_error_set(error, MICA_E_CANCELLED, "",
                              "%s was ended with its build.",
                              command->words[0]);
    if (!in_time)
        return mica_error_set(error, MICA_E_TIMEOUT, "",
                              "%s did not finish within %d s.",
                              command->words[0], LIMIT_MS / 1000);
    *exit_out = exit_status;
    return MICA_OK;
}
