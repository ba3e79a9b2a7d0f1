// SPDX-License-Identifier: Apache-2.0
//
// The system calls that a confined program does not get. Not for other folders.
#ifndef MICA_BUILD_CONFINE_CALLS_H
#define MICA_BUILD_CONFINE_CALLS_H

#include "build/confine.h"

// Whether filters can be set here, and this machine's numbers are known.
bool mica_confine_calls_supported(void);

// Sets the filter on the calling thread, which has no new privileges. False with
// errno when the kernel refuses.
bool mica_confine_calls(enum mica_confine_profile profile) MICA_MUST_USE;

#endif
