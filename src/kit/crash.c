// SPDX-License-Identifier: Apache-2.0
//
// What is said is written down before, as a handler may do little more than write.
// It has a stack of its own: a recursion without end has used up the other.
#include "kit/crash.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    STACK_BYTES = 64 << 10,
    TEXT_BYTES = 1024
};

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum {
    SIGNALS = sizeof signals / sizeof *signals
};

// A program runs one test at a time.
static struct {
    struct sigaction before[SIGNALS];
    stack_t stack_before;
    char stack[STACK_BYTES];
    char tap[TEXT_BYTES], words[TEXT_BYTES];
} watch;

static void
text_put(int fd, const char *textz)
{
    if (write(fd, textz, strlen(textz)) < 0)
        return; // stderr is closed
}

static void
test_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    text_put(STDOUT_FILENO, watch.tap);
    text_put(STDERR_FILENO, watch.words);
    for (int i = 0; i < SIGNALS; i++)
        (void)sigaction(signals[i], &watch.before[i], NULL);
    // A fault happens again as soon as this returns; what was sent is sent again.
    if (info->si_code <= 0)
        (void)raise(number);
}

void
mica_kit_watch(const char *namez, size_t number, bool tap)
{
    const stack_t stack = {.ss_sp = watch.stack, .ss_size = STACK_BYTES};
    struct sigaction action;

    watch.tap[0] = '\0';
    if (tap)
        (void)snprintf(watch.tap, sizeof watch.tap,
                       "not ok %zu - %s\nBail out! This test has crashed.\n",
                       number, namez);
    (void)snprintf(watch.words, sizeof watch.words,
                   "the test %s has crashed, or the tool in it\n", namez);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = test_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaltstack(&stack, &watch.stack_before);
    for (int i = 0; i < SIGNALS; i++)
        (void)sigaction(signals[i], &action, &watch.before[i]);
}

void
mica_kit_unwatch(void)
{
    for (int i = 0; i < SIGNALS; i++)
        (void)sigaction(signals[i], &watch.before[i], NULL);
    (void)sigaltstack(&watch.stack_before, NULL);
}
