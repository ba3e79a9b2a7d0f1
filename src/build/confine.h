// SPDX-License-Identifier: Apache-2.0
//
// What a program may reach that reads an engine's source or module, or is an
// engine. Landlock bounds its files, seccomp its system calls, and both hold for
// whatever it starts. A kernel without them runs the program all the same, and
// mica says so: the checks on bytes (module_form.h, native_object.h) hold everywhere.
//
//   CONFINE-1  it opens no socket and signals no process;
//   CONFINE-2  it changes nothing outside of `write_dir`: no content, no name, no
//              rights, owner, time or attribute of a file;
//   CONFINE-3  it reads system folders of programs, libraries and headers, and
//              what `reads` names, and no other file;
//   CONFINE-4  no descriptor of this process reaches it but those it is handed;
//   CONFINE-5  it stays in the process group in which it was started.
//
// Raw system calls and no libseccomp: what is refused is one list of numbers, and
// Landlock has no library.
#ifndef MICA_BUILD_CONFINE_H
#define MICA_BUILD_CONFINE_H

#include "build/confine_calls.h"

#include <mica/base.h>

struct mica_confinement {
    enum mica_confine_profile profile;
    const char *write_dir; // NULL: it writes nowhere
    const char *const
        *reads; // NULL-ended, may be NULL; what is absent is skipped
};

// What this kernel can do.
struct mica_confine_support {
    int landlock_abi;   // 0: the kernel lacks it
    int landlock_errno; // why, then
    bool seccomp;
};

struct mica_confine_support mica_confine_support(void);

// The rights on files that an ABI of Landlock knows, each of which is refused
// unless a rule gives it; for tests.
uint64_t mica_confine_handled(int landlock_abi);

// One sentence: how programs are confined here, and what is missing for it.
// Returns whether all of it is there.
bool mica_confine_describe(struct mica_buffer *out);

// That sentence as a warning, once in a process and only when something is
// missing.
void mica_confine_warn(struct mica_buffer *diagnostics);

// What a child enters before it is another program, made before the fork.
struct mica_confine_plan {
    int ruleset; // of Landlock; -1: this kernel has none. The owner closes it
    struct mica_confine_filter filter;
};

// `program` is the file that the child will be, for CONFINE-3. Errors: MICA_E_IO:
// the kernel has Landlock and refused it.
enum mica_status mica_confine_plan(const struct mica_confinement *confinement,
                                   const char *program,
                                   struct mica_error *error,
                                   struct mica_confine_plan *plan_out)
    MICA_MUST_USE;

// Confines the calling thread, and what it becomes, for good. System calls alone,
// so that a child of a fork may call it. False with errno: the kernel refused.
bool mica_confine_enter(const struct mica_confine_plan *plan) MICA_MUST_USE;

// Says that `program` is not started, for this errno. Returns MICA_E_IO.
enum mica_status mica_confine_refused(const char *program, int reason,
                                      struct mica_error *error);

#endif
