// SPDX-License-Identifier: Apache-2.0
//
// Starts the programs that a build or a check needs. Each leads a process group
// and is bounded before it is that program.
//
//   CHILD-1  what it starts stays in its group, and mica_child_end kills the group;
//   CHILD-2  when this process dies, however, the kernel kills the group;
//   CHILD-3  a confined program has limits of memory, files and processor time.
#ifndef MICA_BUILD_CHILD_PROCESS_H
#define MICA_BUILD_CHILD_PROCESS_H

#include <sys/types.h>

#include "build/confine.h"

enum {
    MICA_CHILD_CPU_S = 300 // of each confined process
};
// Of address space, and of one file, for each confined process.
#define MICA_CHILD_MEMORY_BYTES 4294967296u
#define MICA_CHILD_FILE_BYTES   268435456u

// 0 stands for the constant above.
struct mica_child_limits {
    uint64_t memory_bytes, file_bytes;
    unsigned cpu_s;
};

// What is started; all of it is borrowed.
struct mica_child_plan {
    const char *const *words; // NULL-ended; the first is a name or a path
    char *const *environment;
    const char *folder;                         // NULL: the current one
    const struct mica_confinement *confinement; // NULL: no limits either
    struct mica_child_limits limits;
    int in;     // its descriptor 0; -1: nothing to read
    int out;    // 1
    int errors; // 2; -1: they are thrown away
    int extra;  // 3; -1: not given
};

// A program that was started.
struct mica_child {
    pid_t process; // of the group as well
    int watch;     // whose closing kills the group; -1: not given
};

// Starts it. The calling thread has to live until mica_child_end: the kernel kills
// the program when it ends. With `in` of its own a program is killed when this
// process dies, but what it has started is not. Errors: MICA_E_NOT_FOUND (no such
// program), MICA_E_IO (it cannot be started, or not be confined).
enum mica_status mica_child_start(const struct mica_child_plan *plan,
                                  struct mica_error *error,
                                  struct mica_child *child_out) MICA_MUST_USE;

// Whether the program has ended. Its group may live on.
bool mica_child_has_ended(const struct mica_child *child);

// Kills the group and waits for the program. Returns its exit status, 128 + n when
// signal n ended it.
int mica_child_end(struct mica_child *child);

#endif
