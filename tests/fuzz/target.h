// SPDX-License-Identifier: Apache-2.0
//
// The one function that a fuzz target has, named by libFuzzer. It must accept
// any bytes; what it must never do, it aborts on.
#ifndef MICA_FUZZ_TARGET_H
#define MICA_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

// Always returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// Ends the program unless `condition` holds: a finding.
#define FUZZ_MUST(condition)  \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

#endif
