// SPDX-License-Identifier: Apache-2.0
//
// How the core sees time and chance, which it may not ask the operating system
// for. A server of an adapter has the real ones; a test has its own.
#ifndef MICA_BASE_PLATFORM_H
#define MICA_BASE_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

// From any thread; must not fail.
struct mica_platform {
    int64_t (*now_ms)(void *data); // since 1970-01-01T00:00:00Z
    void (*random)(void *data, void *bytes, size_t size);
    void *data;
};

#endif
