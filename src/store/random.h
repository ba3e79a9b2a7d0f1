// SPDX-License-Identifier: Apache-2.0
//
// Random bytes, for adapters that do not use libsodium themselves.
#ifndef MICA_STORE_RANDOM_H
#define MICA_STORE_RANDOM_H

#include <stddef.h>

// Fills `bytes` with random bytes of the system. Threads: any. Does not fail.
void mica_store_random(void *bytes, size_t size);

#endif
