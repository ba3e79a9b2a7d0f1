// SPDX-License-Identifier: Apache-2.0
//
// Tests that stop a program on purpose: what it says, and how it ends.
#ifndef MICA_TESTS_STOPS_H
#define MICA_TESTS_STOPS_H

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

// Runs `act` in a process of its own, which has to end by that signal with `line` on
// stderr as its first line.
static inline void
check_stops(void (*act)(void *data), void *data, int by_signal,
            const char *line)
{
    const struct rlimit no_core = {0, 0};
    char said[4096];
    size_t length = 0;
    ssize_t got;
    int ends[2], status;
    pid_t child;

    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(by_signal, SIG_DFL);
        (void)dup2(ends[1], STDERR_FILENO);
        act(data);
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], said + length, sizeof said - 1 - length)) > 0)
        length += (size_t)got;
    close(ends[0]);
    said[length] = '\0';
    said[strcspn(said, "\n")] = '\0';
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_str_eq(said, line);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), by_signal);
}

static inline void
check_aborts(void (*act)(void *data), void *data, const char *line)
{
    check_stops(act, data, SIGABRT, line);
}

// Of the core, which has nowhere to print.
static inline void
check_traps(void (*act)(void *data), void *data)
{
    check_stops(act, data, SIGILL, "");
}

#endif
