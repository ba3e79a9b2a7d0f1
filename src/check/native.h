// SPDX-License-Identifier: Apache-2.0
//
// An engine built for this machine and run in a child process with limits on
// time, memory and files: the other half of "native and module give the same",
// and what the profile of its branches is taken from. A crash or an endless loop
// ends the child, which is started again for the inputs that are left.
#ifndef MICA_CHECK_NATIVE_H
#define MICA_CHECK_NATIVE_H

#include <limits.h>

#include "build/build.h"
#include "build/child_process.h"

enum mica_native_ending {
    MICA_NATIVE_ANSWERED, // status and json say how
    MICA_NATIVE_FAULT,    // a signal ended it
    MICA_NATIVE_LATE,     // it ran past its time, or all of them past theirs
    MICA_NATIVE_LOST      // no answer, for a reason outside the engine
};

struct mica_native_result {
    enum mica_native_ending ending;
    int signal;              // FAULT
    enum mica_status status; // ANSWERED: MICA_OK, or how the call failed
    struct mica_text json;   // the output, or {"code","message","path"}
};

struct mica_native {
    char program[PATH_MAX]; // made by mica_native_build
    char profile[PATH_MAX]; // folder and start of the profiles' names, or ""
    unsigned profile_count; // how many a run has left behind
    unsigned time_ms;       // of one run
    size_t memory_bytes;    // of the whole child
    bool outdated;          // it is linked with parts older than the headers
    unsigned answer_ms, batch_ms; // for one answer, for all; 0: the usual
    // The child, while it runs.
    bool running, lost; // lost: it is not waited for
    struct mica_child child;
    int to, from;
    struct mica_buffer pending; // what it wrote, up to the last whole line
};

// Builds <folder>/probe from `source`. `diagnostics` gets what the compiler says,
// the warnings about covered switches included. Errors: MICA_E_NOT_FOUND (the
// message names the missing part and its package), MICA_E_BUILD.
enum mica_status mica_native_build(struct mica_native *native,
                                   const struct mica_toolchain *toolchain,
                                   const char *source, const char *folder,
                                   struct mica_buffer *diagnostics,
                                   struct mica_error *error) MICA_MUST_USE;

// Runs the inputs (one line each: no line ends inside) in order. Fills
// results_out[0 … count - 1]; their texts are in `arena`. The child stays for
// the next call, which comes from the same thread. All of them have ten minutes
// together, whatever the child writes meanwhile. Errors: MICA_E_IO when no child can be started.
enum mica_status mica_native_run(struct mica_native *native,
                                 struct mica_arena *arena,
                                 const struct mica_text *inputs, size_t count,
                                 struct mica_error *error,
                                 struct mica_native_result *results_out)
    MICA_MUST_USE;

// Ends the child and waits for it; its profile is complete then. Safe when none
// runs.
void mica_native_stop(struct mica_native *native);

#endif
