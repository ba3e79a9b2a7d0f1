// SPDX-License-Identifier: Apache-2.0
//
// Runs another program to its end and collects what it prints. No shell is involved.
#ifndef MICA_BUILD_PROCESS_H
#define MICA_BUILD_PROCESS_H

#include "build/child_process.h"

enum {
    MICA_PROCESS_MS = 600000 // of one program; a small machine under load
};

// A program and its arguments; the words are borrowed.
struct mica_process {
    const char *words[128]; // ends with NULL
    size_t count;
    const struct mica_confinement *confinement; // NULL: as this process
    struct mica_child_limits limits;            // 0: those of child_process.h
    unsigned wall_ms;                           // 0: MICA_PROCESS_MS
};

void mica_process_add(struct mica_process *command, const char *wordz);

// Adds all words of a list that ends with NULL.
void mica_process_add_all(struct mica_process *command,
                          const char *const *words);

// Runs the command in `folder` (NULL: the current one) with nothing to read; its
// output and errors go to `output`. `exit_out` is its exit status, 128 + n when
// signal n ended it. When this returns, all that it started has ended too. Errors:
// MICA_E_NOT_FOUND (no such program), MICA_E_TIMEOUT (past wall_ms),
// MICA_E_LIMIT (a confined one failed at a limit, which the message names),
// MICA_E_CANCELLED (mica_process_end_all), MICA_E_IO (it cannot be started, or not
// be confined).
enum mica_status mica_process_run(const struct mica_process *command,
                                  const char *folder,
                                  struct mica_buffer *output,
                                  struct mica_error *error, int *exit_out)
    MICA_MUST_USE;

// Kills what runs, with all it has started, and whatever is started from now on.
// From any thread.
void mica_process_end_all(void);

// Whether that was called: what waits for something else gives up, too.
bool mica_process_are_ended(void);

#endif
