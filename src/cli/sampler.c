// SPDX-License-Identifier: Apache-2.0
//
// A command that speaks for the model: the params of the question on its stdin,
// its words on stdout, what it complains of on ours.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/converse.h"
#include "serve/stop.h"

enum {
    WORDS_BYTES = 1 << 20,
    STEP_MS = 10,   // between two looks whether it has ended
    GRACE_MS = 2000 // in which it may end by itself
};

static enum mica_status
failed(struct mica_error *error, const char *whatz, int reason)
{
    return mica_error_set(error, MICA_E_CLIENT, "", "cannot %s the sampler: %s",
                          whatz, strerror(reason));
}

// A file without a name from which the command reads; -1 when there is none.
static int
make_input(struct mica_text params)
{
    int file = memfd_create("mica-sampler", MFD_CLOEXEC);

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

// The program ignores SIGPIPE, which a command would inherit.
static int
spawn(const posix_spawn_file_actions_t *actions, char *const *words,
      pid_t *process_out)
{
    posix_spawnattr_t attributes;
    sigset_t defaults;
    int failure = posix_spawnattr_init(&attributes);

    if (failure != 0)
        return failure;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (failure == 0)
        failure = posix_spawn(process_out, words[0], actions, &attributes,
                              words, environ);
    (void)posix_spawnattr_destroy(&attributes);
    return failure;
}

static int
start(const char *command, int in, int out, pid_t *process_out)
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
        failure = spawn(&actions, words, process_out);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    free(word);
    return failure;
}

// Up to its end, or to the first signal: the descriptor stays readable, so that
// none is missed that comes between two system calls.
static void
read_all(struct mica_conversation *talk, int from, struct mica_buffer *words)
{
    struct pollfd ready[] = {{.fd = talk->stop, .events = POLLIN},
                             {.fd = from, .events = POLLIN}};

    while (mica_stop_count() == 0) {
        char *room;
        ssize_t got;
        if (poll(ready, MICA_COUNT(ready), -1) < 0) {
            if (errno != EINTR)
                return;
            continue;
        }
        if ((ready[1].revents & (POLLIN | POLLHUP | POLLERR)) == 0)
            continue;
        room = mica_buffer_reserve(words, 4096);
        got = room != NULL ? read(from, room, 4096) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        words->len += (size_t)got;
    }
}

// How it ended. With a signal to us it is told to end, and after a while made to.
static int
wait_for(struct mica_conversation *talk, pid_t process)
{
    struct pollfd stop = {.fd = talk->stop, .events = POLLIN};
    int status = 0, waited = 0;

    while (waitpid(process, &status, WNOHANG) == 0) {
        if (mica_stop_count() == 0) {
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
run(struct mica_conversation *talk, int in, struct mica_buffer *words,
    struct mica_error *error)
{
    int ends[2], failure, status;
    pid_t process;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return failed(error, "start", errno);
    failure = start(talk->sampler, in, ends[1], &process);
    (void)close(ends[1]);
    if (failure != 0) {
        (void)close(ends[0]);
        return failed(error, "start", failure);
    }
    read_all(talk, ends[0], words);
    (void)close(ends[0]);
    status = wait_for(talk, process);
    if (mica_stop_count() > 0)
        return mica_error_set(error, MICA_E_CANCELLED, "",
                              "the sampler was stopped by a signal");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return MICA_OK;
    return mica_error_set(
        error, MICA_E_CLIENT, "", "the sampler \"%s\" ended with %s %d",
        talk->sampler, WIFEXITED(status) ? "status" : "signal",
        WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

enum mica_status
mica_conversation_sample(struct mica_conversation *talk,
                         struct mica_text params, struct mica_error *error,
                         struct mica_text *words_out)
{
    struct mica_buffer words;
    enum mica_status status;
    int in = make_input(params);

    if (in < 0)
        return failed(error, "write to", errno);
    mica_buffer_init(&words, &talk->cli->arena, WORDS_BYTES);
    status = run(talk, in, &words, error);
    (void)close(in);
    MICA_TRY(status);
    while (words.len > 0 && words.ptr[words.len - 1] == '\n')
        words.len--;
    *words_out = mica_buffer_as_text(&words);
    if (words.overflow || mica_utf8_valid(*words_out) != words_out->len)
        return mica_error_set(error, MICA_E_CLIENT, "",
                              "the sampler printed more than %d bytes, or no "
                              "UTF-8",
                              WORDS_BYTES);
    return MICA_OK;
}
