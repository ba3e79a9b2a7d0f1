// SPDX-License-Identifier: Apache-2.0
//
// The real clock and random numbers, for a server with interactive tools.
#ifndef MICA_SERVE_SYSTEM_PLATFORM_H
#define MICA_SERVE_SYSTEM_PLATFORM_H

#include "base/platform.h"

// The time of day, and random bytes of the system.
extern const struct mica_platform mica_platform_real;

#endif
