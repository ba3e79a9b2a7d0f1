// SPDX-License-Identifier: Apache-2.0
//
// libsodium wants to be initialised once, before threads use it at the same time;
// a process without a store has not done so yet.
#include "store/random.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

// Without a random source there is nothing to work with; randombytes_buf ends
// the process for the same reason.
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
