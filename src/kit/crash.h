// SPDX-License-Identifier: Apache-2.0
//
// A test that crashes ends its program; this has it say first which one it was.
#ifndef MICA_KIT_CRASH_H
#define MICA_KIT_CRASH_H

#include <stdbool.h>
#include <stddef.h>

// From here to mica_kit_unwatch the test of that name and number runs. `tap`: its
// line goes to stdout. The handler of before has the signal after that.
void mica_kit_watch(const char *namez, size_t number, bool tap);
void mica_kit_unwatch(void);

#endif
