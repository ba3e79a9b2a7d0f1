// SPDX-License-Identifier: Apache-2.0
//
// Loads a program of tests, runs it, and lets it go.
#include "kit/load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

// Has stdout written to stderr; what it was, or -1.
static int
turn_aside(void)
{
    int saved;

    (void)fflush(stdout);
    saved = dup(STDOUT_FILENO);
    if (saved >= 0)
        (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    return saved;
}

static void
turn_back(int saved)
{
    (void)fflush(stdout);
    if (saved < 0)
        return;
    (void)dup2(saved, STDOUT_FILENO);
    (void)close(saved);
}

static int
load_run(int (*program)(int count, char **words), int count, char **words,
         const struct mica_kit_listener *listener)
{
    int saved = listener != NULL ? turn_aside() : -1;
    int status;

    mica_kit_listen(listener);
    status = program(count, words);
    mica_kit_listen(NULL);
    if (listener != NULL)
        turn_back(saved);
    return status;
}

enum mica_status
mica_kit_load(const char *path, char **words,
              const struct mica_kit_listener *listener,
              struct mica_error *error, int *exit_out)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    union {
        void *symbol;
        int (*main)(int count, char **words);
    } entry;
    int count = 0;

    if (handle == NULL)
        return mica_error_set(error, MICA_E_IO, "", "the tests do not load: %s",
                              dlerror());
    entry.symbol = dlsym(handle, "main");
    if (entry.symbol == NULL) {
        (void)dlclose(handle);
        return mica_error_set(error, MICA_E_IO, "",
                              "the tests have no main: the file ends with "
                              "MICA_TEST_MAIN");
    }
    while (words[count] != NULL)
        count++;
    *exit_out = load_run(entry.main, count, words, listener);
    (void)dlclose(handle);
    return MICA_OK;
}
