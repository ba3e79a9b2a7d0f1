// SPDX-License-Identifier: Apache-2.0
//
// Uses the clock of the session store, so that all times in a store agree.
#include "serve/system_platform.h"

#include "serve/stored_sessions.h"
#include "store/random.h"

static int64_t
now_ms(void *data)
{
    (void)data;
    return mica_session_store_now();
}

static void
platform_fill(void *data, void *bytes, size_t size)
{
    (void)data;
    mica_store_random(bytes, size);
}

const struct mica_platform mica_platform_real = {.now_ms = now_ms,
                                                 .random = platform_fill};
