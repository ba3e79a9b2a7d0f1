// SPDX-License-Identifier: Apache-2.0
//
// A child process with a pipe to its stdin and one from its stdout; shared by
// the measuring programs.
#ifndef MICA_BENCH_CHILD_H
#define MICA_BENCH_CHILD_H

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct child {
    pid_t pid;
    int in, out; // our ends
};

static inline void
fail(const char *what)
{
    perror(what);
    exit(1);
}

static inline double
seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline struct child
start_child(char **command)
{
    posix_spawn_file_actions_t actions;
    struct child child;
    int in[2], out[2];

    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        fail("pipe2");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (posix_spawnp(&child.pid, command[0], &actions, NULL, command,
                     environ) != 0)
        fail(command[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    child.in = in[1];
    child.out = out[0];
    return child;
}

// Gives the seconds of the processor that the child has used.
static inline double
end_child(const struct child *child)
{
    struct rusage used;
    int status;

    close(child->in);
    if (wait4(child->pid, &status, 0, &used) != child->pid || status != 0) {
        fprintf(stderr, "the program ended with status %d\n", status);
        exit(1);
    }
    close(child->out);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

#endif
