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
//   CONFINE-4  no descriptor of this process reaches it but those it is handed.
//
// Raw system calls and no libseccomp: what is refused is one list of numbers, and
// Landlock has no library.
#ifndef MICA_BUILD_CONFINE_H
#define MICA_BUILD_CONFINE_H

#include <mica/base.h>

enum mica_confine_profile {
    MICA_CONFINE_ENGINE, // compilers of engines: CONFINE-1 to 4
    // Compilers of interactive tools, which are part of the program: they read
    // whatever the user reads (libraries and headers lie anywhere), and give their
    // output its rights; the rest holds.
    MICA_CONFINE_TOOL,
    // One program that is an engine: no file but itself and /dev/null, no
    // other process.
    MICA_CONFINE_RUN
};

struct mica_confinement {
    enum mica_confine_profile profile;
    const char *write_dir; // NULL: it writes nowhere
    const char *const
        *reads; // NULL-ended, may be NULL; what is absent is skipped
};

// What this kernel can do.
struct mica_confine_support {
    int landlock_abi;   // 0: there is none
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

// Calls `start(data)` on a thread of its own that is confined so; what it starts
// inherits that, this process does not. `program` is what it will start, for
// CONFINE-3. Returns what `start` returned in `result_out`. Errors: MICA_E_IO: the
// kernel has it and refused it, so nothing was started.
enum mica_status mica_confine_call(const struct mica_confinement *confinement,
                                   const char *program, int (*start)(void *),
                                   void *data, struct mica_error *error,
                                   int *result_out) MICA_MUST_USE;

#endif
