// SPDX-License-Identifier: Apache-2.0
//
// Runs the command in its own shell. The calling thread waits for it with poll, so that it can
// end the command at any time.
#include "serve/sampling_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/visible.h"
#include "platform/clock.h"

enum {
    WORDS_BYTES = 1 << 20,
    STEP_MS = 10,      // between two checks whether it has ended
    POLL_MS = 50,      // between two checks whether it must end
    GRACE_MS = 2000,   // from SIGTERM to SIGKILL
    SERVED_MS = 60000, // time limit of the command in a server
    LINE_BYTES = 64 << 10
};

// One run of the command.
struct run {
    const struct mica_sampling_command *sampling_command;
    uint64_t until_ms; // deadline; 0: none
};

static bool
is_late(const struct run *run)
{
    return run->until_ms != 0 && mica_clock_coarse_ms() >= run->until_ms;
}

static bool
must_end(const struct run *run)
{
    return run->sampling_command->stopped(run->sampling_command->data) ||
           is_late(run);
}

static enum mica_status
sampling_failed(struct mica_error *error, const char *whatz, int reason)
{
    return mica_error_set(error, MICA_E_CLIENT, "",
                          "cannot %s the sampling command: %s", whatz,
                          strerror(reason));
}

// Makes an unnamed file with the params, from which the command reads; -1 on an error.
static int
make_input(struct mica_text params)
{
    int file = memfd_create("mica-sampling", MFD_CLOEXEC);

    while (file >= 0 && params.len > 0) {
        ssize_t put = write(file, params.ptr, params.len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            (void)close(file);
            return -1;
        }
        params = mica_text_slice(params, (size_t)put, params.len);
    }
    if (file >= 0)
        (void)lseek(file, 0, SEEK_SET);
    return file;
}

// Starts a program with default signals: mica ignores SIGPIPE, and its threads block the signals
// that end it; the program would inherit both.
static int
sampling_spawn(const posix_spawn_file_actions_t *actions, char *const *words,
               pid_t *process_out)
{
    posix_spawnattr_t attributes;
    sigset_t defaults, none;
    int failure = posix_spawnattr_init(&attributes);

    if (failure != 0)
        return failure;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF |
                                                        POSIX_SPAWN_SETSIGMASK);
    if (failure == 0)
        failure = posix_spawn(process_out, words[0], actions, &attributes,
                              words, environ);
    (void)posix_spawnattr_destroy(&attributes);
    return failure;
}

static int
sampling_start(const char *command, int in, int out, pid_t *process_out)
{
    char shell[] = "/bin/sh", flag[] = "-c", *word = strdup(command);
    char *const words[] = {shell, flag, word, NULL};
    posix_spawn_file_actions_t actions;
    int failure;

    if (word == NULL)
        return ENOMEM;
    failure = posix_spawn_file_actions_init(&actions);
    if (failure == 0) {
        (void)posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        (void)posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        failure = sampling_spawn(&actions, words, process_out);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    free(word);
    return failure;
}

// Reads the output of the command to its end, or until the command must end.
static void
read_all(const struct run *run, int from, struct mica_buffer *words)
{
    int stop = run->sampling_command->stop;
    struct pollfd ready[] = {{.fd = stop, .events = POLLIN},
                             {.fd = from, .events = POLLIN}};

    while (!must_end(run)) {
        char *storage;
        ssize_t got;
        if (poll(ready, MICA_COUNT(ready), POLL_MS) < 0) {
            if (errno != EINTR)
                return;
            continue;
        }
        if ((ready[1].revents & (POLLIN | POLLHUP | POLLERR)) == 0)
            continue;
        storage = mica_buffer_reserve(words, 4096);
        got = storage != NULL ? read(from, storage, 4096) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        words->len += (size_t)got;
    }
}

// Waits for the end of the process and returns its status. If it must end, sends SIGTERM, and
// SIGKILL after GRACE_MS.
static int
wait_for(const struct run *run, pid_t process)
{
    struct pollfd stop = {.fd = run->sampling_command->stop, .events = POLLIN};
    int status = 0, waited = 0;

    while (waitpid(process, &status, WNOHANG) == 0) {
        if (!must_end(run)) {
            (void)poll(&stop, 1, STEP_MS);
            continue;
        }
        if (waited == 0)
            (void)kill(process, SIGTERM);
        else if (waited >= GRACE_MS)
            (void)kill(process, SIGKILL);
        (void)poll(NULL, 0, STEP_MS);
        waited += STEP_MS;
    }
    return status;
}

static enum mica_status
process_outcome(const struct run *run, int status, struct mica_error *error)
{
    const struct mica_sampling_command *sampling_command =
        run->sampling_command;

    if (sampling_command->stopped(sampling_command->data))
        return mica_error_set(
            error, MICA_E_CANCELLED, "",
            "the sampling command was stopped, as no client waits for it "
            "any more");
    if (is_late(run))
        return mica_error_set(
            error, MICA_E_TIMEOUT, "",
            "the sampling command \"%s\" took longer than %d s",
            sampling_command->command, SERVED_MS / 1000);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return MICA_OK;
    return mica_error_set(
        error, MICA_E_CLIENT, "",
        "the sampling command \"%s\" ended with %s %d",
        sampling_command->command, WIFEXITED(status) ? "status" : "signal",
        WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static enum mica_status
run_command(const struct run *run, int in, struct mica_buffer *words,
            struct mica_error *error)
{
    int ends[2], failure;
    pid_t process;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return sampling_failed(error, "start", errno);
    failure =
        sampling_start(run->sampling_command->command, in, ends[1], &process);
    (void)close(ends[1]);
    if (failure != 0) {
        (void)close(ends[0]);
        return sampling_failed(error, "start", failure);
    }
    read_all(run, ends[0], words);
    (void)close(ends[0]);
    return process_outcome(run, wait_for(run, process), error);
}

enum mica_status
mica_sampling_command_run(const struct mica_sampling_command *sampling_command,
                          struct mica_text params, struct mica_arena *arena,
                          struct mica_error *error, struct mica_text *words_out)
{
    struct run run = {.sampling_command = sampling_command};
    struct mica_buffer words;
    enum mica_status status;
    int in = make_input(params);

    if (in < 0)
        return sampling_failed(error, "write to", errno);
    if (sampling_command->limit_ms > 0)
        run.until_ms = mica_clock_coarse_ms() + sampling_command->limit_ms;
    mica_buffer_init(&words, arena, WORDS_BYTES);
    status = run_command(&run, in, &words, error);
    (void)close(in);
    MICA_TRY(status);
    while (words.len > 0 && words.ptr[words.len - 1] == '\n')
        words.len--;
    *words_out = mica_buffer_as_text(&words);
    if (words.overflow || mica_utf8_valid(*words_out) != words_out->len)
        return mica_error_set(
            error, MICA_E_CLIENT, "",
            "the sampling command printed more than %d bytes, or no "
            "UTF-8",
            WORDS_BYTES);
    return MICA_OK;
}

// ---- For a server ----------------------------------------------------------------

static bool
is_cancelled(const void *data)
{
    const atomic_bool *cancelled = data;

    return atomic_load(cancelled);
}

static void
sampling_report(const char *messagez)
{
    struct mica_buffer line;

    mica_buffer_init(&line, NULL, LINE_BYTES);
    mica_visible_format(&line, "mica: %s; the caller is asked\n", messagez);
    (void)dprintf(STDERR_FILENO, "%.*s", MICA_ARG(line));
    mica_buffer_fini(&line);
}

// Runs the command. A failure is reported to the operator on stderr; then the server asks the
// client instead.
static enum mica_status
sampling_answer(void *data, struct mica_text params,
                const atomic_bool *cancelled, struct mica_arena *arena,
                struct mica_error *error, struct mica_text *words_out)
{
    const struct mica_sampling_command sampling_command = {
        .command = data,
        .stop = -1,
        .stopped = is_cancelled,
        .data = cancelled,
        .limit_ms = SERVED_MS};
    enum mica_status status = mica_sampling_command_run(
        &sampling_command, params, arena, error, words_out);

    if (status != MICA_OK && status != MICA_E_CANCELLED)
        sampling_report(error->message);
    return status;
}

struct mica_model_provider
mica_sampling_command_provider(const char *command)
{
    // `data` is not const in the struct, but sampling_answer does not write to it.
    return (struct mica_model_provider){.data = (void *)(uintptr_t)command,
                                        .generate = sampling_answer};
}
