// SPDX-License-Identifier: Apache-2.0
//
// A thread-local flag.
#include "store/serving_thread.h"

static _Thread_local bool thread_serves;

void
mica_serving_thread_set(bool serves)
{
    thread_serves = serves;
}

bool
mica_serving_thread_is(void)
{
    return thread_serves;
}
