// SPDX-License-Identifier: Apache-2.0
//
// Threads that serve many clients at once: those of libmicrohttpd, the one that looks
// after connections, the bus, the reader of stdin. None of them may wait for a store, or
// all of its clients wait with it. Builds with MICA_DEBUG stop where one does.
#ifndef MICA_STORE_SERVING_THREAD_H
#define MICA_STORE_SERVING_THREAD_H

#include <stdbool.h>

// The calling thread serves from here on, or does no longer.
void mica_serving_thread_set(bool serves);

bool mica_serving_thread_is(void);

#endif
