// SPDX-License-Identifier: Apache-2.0
//
// The system calls that a confined program does not get. Not for other folders.
#ifndef MICA_BUILD_CONFINE_CALLS_H
#define MICA_BUILD_CONFINE_CALLS_H

#include <linux/filter.h>

#include <mica/base.h>

enum mica_confine_profile {
    MICA_CONFINE_ENGINE, // compilers of engines: CONFINE-1 to 5
    // Compilers of interactive tools, which are part of the program: they read
    // whatever the user reads (libraries and headers lie anywhere), and change
    // rights, owners and times as the user may; the rest holds.
    MICA_CONFINE_TOOL,
    // One program that is an engine: no file but itself and /dev/null, and no
    // second process. It may become itself again; without Landlock, any program.
    MICA_CONFINE_RUN
};

enum {
    MICA_CONFINE_STEPS = 400
};

// What the kernel runs before each system call.
struct mica_confine_filter {
    struct sock_filter steps[MICA_CONFINE_STEPS];
    unsigned short count; // MICA_CONFINE_STEPS: it has no room
};

// Whether filters can be set here, and this machine's numbers are known.
bool mica_confine_calls_supported(void);

void mica_confine_write(enum mica_confine_profile profile,
                        struct mica_confine_filter *to);

// Sets the filter on the calling thread, which has no new privileges; on machines
// without filters it does nothing. System calls alone. False with errno when the
// kernel refuses.
bool mica_confine_calls(const struct mica_confine_filter *filter);

#endif
