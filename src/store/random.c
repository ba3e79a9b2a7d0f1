// SPDX-License-Identifier: Apache-2.0
//
// A program must initialize libsodium once, before several threads use it. A process
// without a store does that here.
#include "store/random.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

// Ends the process if the system has no random source, as randombytes_buf does.
static void
random_initialize(void)
{
    if (sodium_init() < 0)
        abort();
}

void
mica_store_random(void *bytes, size_t size)
{
    (void)pthread_once(&once, random_initialize);
    randombytes_buf(bytes, size);
}
