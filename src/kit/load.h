// SPDX-License-Identifier: Apache-2.0
//
// A program of tests (mica/test.h) that was linked as a shared object, so that it
// uses the kit inside the program that runs it.
#ifndef MICA_KIT_LOAD_H
#define MICA_KIT_LOAD_H

#include <mica/base.h>

// Begins the failure of a step that reached no service while it ran: the rule of
// `mica check`.
#define MICA_KIT_STEP_ALONE "STEP_WITHOUT_STAND_IN: "

// Who is told how tests go, in place of TAP on stdout and failures on stderr.
struct mica_kit_listener {
    void (*failed)(void *data, const char *file, int line,
                   const char *messagez); // of the test that runs
    void (*ended)(void *data, const char *namez, bool passed);
    void *data;
};

// Until another one, or NULL, takes its place.
void mica_kit_listen(const struct mica_kit_listener *listener);

// Runs its main; *exit_out is what that returns. `words` are NULL-ended, behind
// the name of the program. With a listener (which may be NULL) stdout is its own:
// what tests and tools print there goes to stderr. Errors: MICA_E_IO (the linker's
// words).
enum mica_status mica_kit_load(const char *path, char **words,
                               const struct mica_kit_listener *listener,
                               struct mica_error *error, int *exit_out)
    MICA_MUST_USE;

#endif
