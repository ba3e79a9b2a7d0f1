// SPDX-License-Identifier: Apache-2.0
//
// Random bytes, for the adapters that lie below and do not know libsodium.
#ifndef MICA_STORE_RANDOM_H
#define MICA_STORE_RANDOM_H

#include <stddef.h>

// Random bytes of the system. From any thread; does not fail.
void mica_store_random(void *bytes, size_t size);

#endif
